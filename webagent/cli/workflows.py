"""`webagent workflows`: what is in memory, why, and what it is worth."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from webagent.cli.database import db_option, json_option, reading
from webagent.cli.exchange import export_workflows, import_workflows
from webagent.cli.finding import is_of, the_hostname, the_workflow
from webagent.cli.tables import print_rows
from webagent.cli.workflow_life import approve, edit, restore, retire
from webagent.errors import UsageError
from webagent.exchange.text import write_workflow
from webagent.lift import Tally, lift
from webagent.store import Store
from webagent.store.connection import Row
from webagent.store.workflows import MODES, STATUSES
from webagent.terminal import printable
from webagent.workflow import Workflow

SHOWN = ("active", "candidate", "quarantined")
"""Statuses that are listed where none is asked for."""


@click.group()
def workflows() -> None:
    """The workflows in memory.

    ID is that of a workflow or its beginning; ID@VERSION is one version of it."""


for command in (edit, approve, retire, restore):
    workflows.add_command(command)


@workflows.command("list")
@db_option
@json_option
@click.option("--site", metavar="HOSTNAME", help="only those of this hostname")
@click.option("--status", type=click.Choice(STATUSES), help="only those with this status")
def list_workflows(db: str, as_json: bool, site: str | None, status: str | None) -> None:
    """The newest version of each workflow; retired ones only when asked for."""
    with reading(db) as store:
        statuses = (status,) if status else SHOWN
        rows = [row for row in store.workflow_rows(None, statuses) if is_of(site, row["hostname"])]
    if not as_json:
        rows = [_short(row) for row in rows]
    columns = ("id", "hostname", "name", "status", "source", "uses", "runs", "last_used", "owner")
    print_rows(rows, columns, as_json=as_json)


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for people: id@version, and the evidence in one column."""
    runs = row["success_weight"] + row["failure_weight"]
    return {
        **row,
        "id": f"{row['id']}@{row['version']}",
        "runs": f"{round(row['success_weight'], 1):g} of {round(runs, 1):g}",
        "last_used": (row["last_used_at"] or "never")[:16].replace("T", " "),
    }


@workflows.command()
@click.argument("workflow_id", metavar="ID")
@db_option
@json_option
def show(workflow_id: str, db: str, as_json: bool) -> None:
    """One workflow: its text, its uses, the runs it came from, and what became of it."""
    with reading(db) as store:
        found = the_workflow(store, workflow_id)
        rows = {row["version"]: row for row in store.version_rows(found.id)}
        told = {
            "uses_by_mode": _by_mode(store.uses(workflow_id=found.id), found.version),
            "origin_runs": store.origin_rows(found.id, found.version),
            "history": store.history(found.id),
        }
    if as_json:
        row = {**rows[found.version], "origins": list(found.origins), **told}
        click.echo(json.dumps(row, ensure_ascii=False))
        return
    _print_workflow(found, **told)


def _by_mode(uses: Sequence[Row], version: int) -> list[Row]:
    """How often a version was given, followed, and led to success, by mode."""
    rows = []
    for mode in MODES:
        of_mode = [use for use in uses if (use["mode"], use["version"]) == (mode, version)]
        verdicts = [use["success"] for use in of_mode if use["followed"]]
        if of_mode:
            rows.append(
                {
                    "mode": mode,
                    "given": len(of_mode),
                    "followed": len(verdicts),
                    "successes": verdicts.count(True),
                    "failures": verdicts.count(False),
                }
            )
    return rows


def _print_workflow(
    workflow: Workflow, uses_by_mode: Sequence[Row], origin_runs: Sequence[Row], history: Sequence[Row]
) -> None:
    click.echo(write_workflow(workflow))
    click.echo(
        f"status   {workflow.status}, by {workflow.source}, owner {workflow.owner}, used {workflow.uses} times"
    )
    for row in uses_by_mode:
        click.echo(
            f"uses     {row['mode']}: given {row['given']}, followed {row['followed']}, "
            f"{row['successes']} successes, {row['failures']} failures"
        )
    for row in origin_runs:
        click.echo(f"origin   {row['run_id']}: {origin_text(row)}")
    if not origin_runs:
        click.echo("origin   no run")
    for event in history:
        click.echo(_event(event))


def origin_text(row: Row) -> str:
    """A run that a workflow came from: verdict, judge, date and goal."""
    if row["goal"] is None:
        return "not in this database"
    word = {True: "success", False: "failure", None: "no verdict"}[row["success"]]
    judge = f" by {row['judge']}" if row["judge"] else ""
    return f"{word}{judge}, {row['ended_at'] or 'not ended'}, {printable(row['goal'])}"


def _event(event: Row) -> str:
    why = f": {printable(event['why'])}" if event["why"] else ""
    return f"@{event['version']} {event['at']} {event['status']} by {event['by']}{why}"


@workflows.command()
@click.argument("goal")
@click.option("--site", required=True, metavar="HOSTNAME", help="the hostname, or a site's name")
@click.option("--explain", is_flag=True, help="also those that are not given, and why")
@db_option
@json_option
def search(goal: str, site: str, explain: bool, db: str, as_json: bool) -> None:
    """What memory would give a run with this goal."""
    from webagent.memory import WorkflowMemory

    if not goal.strip():
        raise UsageError("the goal is empty; say what a run is to do")
    with reading(db) as store:
        rows = WorkflowMemory(store).explained(the_hostname(store, site), goal)
    chosen = [row for row in rows if explain or row["chosen"]]
    columns = ("id", "name", "status", "score", "chosen", "why") if explain else ("id", "name", "status")
    print_rows(chosen, columns, as_json=as_json)


@workflows.command()
@click.argument("workflow_id", metavar="ID")
@db_option
@json_option
def history(workflow_id: str, db: str, as_json: bool) -> None:
    """All that became of all versions: when, who, why."""
    with reading(db) as store:
        found = the_workflow(store, workflow_id)
        events = store.history(found.id)
    if as_json:
        print_rows(({"id": found.id, **event} for event in events), (), as_json=True)
        return
    for event in events:
        click.echo(_event(event))


@workflows.command()
@click.argument("workflow_id", metavar="ID")
@click.argument("versions", nargs=-1, type=int, metavar="[V1 [V2]]")
@db_option
@json_option
def diff(workflow_id: str, versions: tuple[int, ...], db: str, as_json: bool) -> None:
    """What changed between two versions; the last two, or V1 and the newest."""
    if len(versions) > 2:
        raise UsageError(f"two versions can be compared, not {len(versions)}")
    with reading(db) as store:
        newest = the_workflow(store, workflow_id.partition("@")[0])
        first = versions[0] if versions else newest.version - 1
        if first < 1:
            raise UsageError(f"{newest.id} has one version only, so there is nothing to compare it with")
        old, new = (
            the_workflow(store, f"{newest.id}@{version}")
            for version in (first, versions[1] if len(versions) == 2 else newest.version)
        )
    text = _diff(old, new)
    if as_json:
        click.echo(json.dumps({"id": new.id, "from": old.version, "to": new.version, "diff": text}))
    elif text:
        click.echo(text)
    else:
        same = replace(old, version=new.version, status=new.status) == new
        hidden = "" if same else "; what they do not show may differ: `show ID@VERSION --json` has all"
        click.echo(f"the texts of {old.label} and {new.label} are the same{hidden}", err=True)


def _diff(old: Workflow, new: Workflow) -> str:
    """A unified diff of two texts, without what always differs: version and evidence."""
    before, after = (
        write_workflow(
            replace(each, version=new.version, success_weight=0.0, failure_weight=0.0)
        ).splitlines()
        for each in (old, new)
    )
    return "\n".join(difflib.unified_diff(before, after, old.label, new.label, n=9, lineterm=""))


@workflows.command()
@click.argument("workflow_id", metavar="[ID]", required=False)
@click.option("--site", metavar="HOSTNAME", help="only those of this hostname")
@db_option
@json_option
def stats(workflow_id: str | None, site: str | None, db: str, as_json: bool) -> None:
    """What each workflow is worth, by runs that have a verdict.

    The success rate of the runs that followed it, that of the runs on the same hostname that did
    not, and the difference (lift) with its 95 % interval. The two groups may have had different
    goals: a lift says less than a comparison on the same tasks. Also how many of the runs whose model
    was shown it called it as an action."""
    with reading(db) as store:
        rows = [row for row in _stats(store, workflow_id) if is_of(site, row["hostname"])]
        one = rows[0]["id"] if workflow_id and rows else None
        called, shown = store.calls(one, the_hostname(store, site) if site else None)
    if not as_json:
        rows = [{**row, **_stats_cells(row)} for row in rows]
    columns = ("id", "hostname", "name", "status", "followed", "others", "lift", "95 %", "by", "called")
    print_rows(rows, columns, as_json=as_json)
    if shown:
        told = f"{called} of {shown} ({called / shown:.0%})"
        click.echo(f"runs whose model was shown a workflow and called one as an action: {told}", err=True)


def _stats(store: Store, workflow_id: str | None) -> list[Row]:
    one = the_workflow(store, workflow_id).id if workflow_id else None
    newest = {row["id"]: row for row in store.workflow_rows(None, STATUSES if one else SHOWN)}
    rows = []
    for found in store.outcomes(one):
        if found["id"] not in newest:
            continue
        followed = Tally(found["successes"], found["runs"])
        others = Tally(found["other_successes"], found["other_runs"])
        called, shown = store.calls(found["id"])
        gain = lift(followed, others)
        rows.append(
            {
                **{name: newest[found["id"]][name] for name in ("id", "hostname", "name", "status")},
                "runs": followed.runs,
                "successes": followed.successes,
                "rate": followed.rate,
                "other_runs": others.runs,
                "other_successes": others.successes,
                "other_rate": others.rate,
                "lift": gain and gain.difference,
                "low": gain and gain.low,
                "high": gain and gain.high,
                "modes": {mode: found[mode] for mode in MODES},
                "shown": shown,
                "called": called,
                "call_rate": called / shown if shown else None,
            }
        )
    return rows


def _stats_cells(row: Row) -> Row:
    modes = [f"{mode} {n / row['runs']:.0%}" for mode, n in row["modes"].items() if n]
    return {
        "followed": f"{row['successes']} of {row['runs']}",
        "others": f"{row['other_successes']} of {row['other_runs']}",
        "lift": None if row["lift"] is None else f"{row['lift']:+.0%}",
        "95 %": None if row["lift"] is None else f"{row['low']:+.0%} to {row['high']:+.0%}",
        "by": ", ".join(modes) or None,
        "called": f"{row['called']} of {row['shown']}" if row["shown"] else None,
    }


workflows.add_command(export_workflows, "export")
workflows.add_command(import_workflows, "import")
