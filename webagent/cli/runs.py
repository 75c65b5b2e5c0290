"""`webagent runs`: what was done, how it was judged, and what a person says of it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from webagent.cli.database import db_option, json_option, reading
from webagent.cli.finding import changing, confirmed, the_run
from webagent.cli.tables import print_rows
from webagent.cli.workflows import origin_text
from webagent.errors import UsageError
from webagent.interfaces import Verdict
from webagent.store import Store
from webagent.store.connection import Row
from webagent.terminal import printable
from webagent.trajectory import Trajectory
from webagent.workflow_text import argument_text

FACTS = (
    "id",
    "goal",
    "start_url",
    "url",
    "status",
    "end_reason",
    "answer",
    "policy",
    "model",
    "started_at",
    "seconds",
)
"""Columns that `show` prints, in order."""
WORDS = {True: "success", False: "failure", None: "no verdict"}


@click.group()
def runs() -> None:
    """The runs so far. ID is that of a run or its beginning."""


@runs.command("list")
@db_option
@json_option
@click.option("--site", metavar="NAME", help="only runs of this site")
@click.option("--status", metavar="STATUS", help="only runs that ended so: done, failed, budget, …")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="the newest so many")
def list_runs(db: str, as_json: bool, site: str | None, status: str | None, limit: int) -> None:
    """The newest runs, newest first."""
    with reading(db) as store:
        rows = store.run_rows(limit, site, status)
    columns = ("id", "goal", "hostname", "status", "answer", "success", "judge", "policy", "steps")
    print_rows(rows, columns, as_json=as_json)


@runs.command()
@click.argument("run_id", metavar="ID")
@db_option
@json_option
def show(run_id: str, db: str, as_json: bool) -> None:
    """One run, step by step."""
    with reading(db) as store:
        row = the_run(store, run_id)
        if as_json:
            click.echo(json.dumps(_whole(store, row), ensure_ascii=False))
            return
        given = _given(store, row["id"])
        trajectory = store.trajectory(row["id"])
        verdicts = store.verdicts(row["id"])
    for name in FACTS:
        if row.get(name) not in (None, ""):
            click.echo(f"{name.replace('_', ' '):<12} {printable(str(row[name]), 400)}")
    if row["supported"] is not None:
        click.echo(f"{'evidence':<12} {printable(_evidence(row), 600)}")
    for verdict in verdicts:
        said = printable(verdict["reason"] or "", 400)
        click.echo(f"{'verdict':<12} {WORDS[verdict['success']]} by {verdict['judge']}: {said}")
    for workflow in given:
        _print_given(workflow)
    _print_steps(trajectory)


def _given(store: Store, run_id: str) -> list[Row]:
    """The workflows that a run was given, each with what it came from."""
    return [
        {**use, "from": store.provenance(use["workflow_id"], use["version"])}
        for use in store.uses(run_id=run_id)
    ]


def _print_given(given: Row) -> None:
    label, followed = f"{given['workflow_id']}@{given['version']}", "" if given["followed"] else "not "
    came = given["from"]
    name = printable(came["name"], 120) if came else "no longer there"
    click.echo(f"{'workflow':<12} {label} ({given['mode']}, {followed}followed): {name}")
    if came is None:
        return
    click.echo(f"{'':<12} made {came['created_at']} by {came['source']}, now {came['status']}")
    if came["imported"]:
        told = printable(came["imported"]["why"], 200)
        click.echo(f"{'':<12} foreign: imported {came['imported']['at']}, {told}")
    for origin in came["origins"]:
        click.echo(f"{'':<12} from run {origin['run_id']}: {origin_text(origin)}")


def _evidence(row: Row) -> str:
    found = row["evidence"]
    return (
        f"{found['line']} at {found['url']}"
        if found
        else "unsupported: no page that the run saw says the answer"
    )


def _whole(store: Store, row: Row, *, pages: bool = False) -> Row:
    """A run with all that hangs on it, as one JSON object."""
    steps = store.steps(row["id"])
    whole = {
        **row,
        "trajectory": steps,
        "workflow_uses": _given(store, row["id"]),
        "verdicts": store.verdicts(row["id"]),
    }
    if pages:
        hashes = [*(step["observation_hash"] for step in steps), row["final_hash"]]
        whole["observations"] = {
            digest: store.observation_text(digest) for digest in dict.fromkeys(hashes) if digest
        }
    return whole


def _print_steps(trajectory: Trajectory) -> None:
    for step in trajectory.steps:
        if step.action.thought:
            click.echo(f"     {printable(step.action.thought, 400)}")
        target = f" {step.target.role} {printable(step.target.name, 80)!r}" if step.target else ""
        argument = argument_text(step.action.tool, step.action.arguments)
        said = f": {printable(argument, 120)}" if argument else ""
        came = f"failed: {step.outcome.error}" if step.outcome.error else step.outcome.message
        asked = f", asked: {step.asked}" if step.asked else ""
        click.echo(f"{step.n:>3}. {step.action.tool}{target}{said} ({step.by}{asked})  -> {printable(came)}")


@runs.command()
@click.argument("run_id", metavar="ID")
@click.option("--success/--failure", "success", default=None, help="whether it reached its goal")
@click.option("--reason", metavar="TEXT", default="", help="why, kept with the verdict")
@db_option
@json_option
def judge(run_id: str, success: bool | None, reason: str, db: str, as_json: bool) -> None:
    """Give a person's verdict on a run.

    All verdicts are kept; the newest real signal (a task's own test, a person) counts, and the
    evidence of the workflows and lessons that the run was given follows it."""
    from webagent.memory import Learner

    if success is None:
        raise UsageError("say how it went: --success or --failure")
    with changing(db) as store:
        row = _ended(store, the_run(store, run_id))
        counts = store.add_verdict(row["id"], Verdict(success, "human", reason))
        Learner(store).rejudge(row["id"], counts)
        if as_json:
            print_rows(store.verdicts(row["id"]), (), as_json=True)
            return
        touched = [f"{workflow_id}@{version}" for workflow_id, version in store.versions_of_run(row["id"])]
    told = f": {printable(counts.reason)}" if counts.reason else ""
    click.echo(f"{row['id']} counts as {WORDS[counts.success]} by {counts.judge}{told}", err=True)
    if touched:
        click.echo(f"evidence counted anew: {', '.join(touched)}", err=True)


def _ended(store: Store, row: Row) -> Row:
    """The row of a run that no process carries out any more. Raises UsageError for a living one."""
    if row["ended_at"] is None and row["id"] not in store.mark_interrupted():
        raise UsageError(f"the run {row['id']} is still going on; wait for its end, or interrupt it first")
    return row


@runs.command()
@click.argument("run_ids", metavar="[ID]...", nargs=-1)
@click.option("--site", metavar="NAME", help="only runs of this site or hostname")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="PATH", help="a file to write"
)
@click.option("--pages", is_flag=True, help="with the text of each page that was seen")
@db_option
@click.option("--json", "as_json", is_flag=True, help="changes nothing: what is written is JSON Lines")
def export(
    run_ids: tuple[str, ...], site: str | None, out: Path | None, pages: bool, db: str, as_json: bool
) -> None:
    """Runs as JSON Lines, oldest first: one object a run, with its steps, verdicts and workflow uses.

    All of them, or those named, or those of a site."""
    if run_ids and site:
        raise UsageError("give IDs or --site, not both")
    if out is not None and out.resolve() == Path(db).expanduser().resolve():
        raise UsageError(f"--out {out} is the database itself; choose another file")
    with reading(db) as store:
        rows = [the_run(store, run_id) for run_id in dict.fromkeys(run_ids)] or _all_runs(store, site)
        lines = (json.dumps(_whole(store, row, pages=pages), ensure_ascii=False) for row in rows)
        if out is None:
            for line in lines:
                click.echo(line)
            return
        written = _write(out, lines)
    click.echo(f"{written} runs written to {out}", err=True)


def _all_runs(store: Store, site: str | None) -> Sequence[Row]:
    found = store.runs(None, site=site) or store.runs(None, hostname=site)
    if site and not found:
        raise UsageError(f"no run of {site!r} in {store.path}; `webagent runs list` shows them")
    return list(reversed(found))


def _write(path: Path, lines: Iterator[str]) -> int:
    """Writes the lines, all or nothing; how many there were."""
    count = 0
    try:
        with click.open_file(str(path), "w", encoding="utf-8", atomic=True) as file:
            for count, line in enumerate(lines, 1):  # noqa: B007
                file.write(line + "\n")
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error
    return count


@runs.command()
@click.argument("run_ids", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="do not ask")
@db_option
@json_option
def delete(run_ids: tuple[str, ...], yes: bool, db: str, as_json: bool) -> None:
    """Delete runs with their steps, verdicts and page texts.

    Workflows and lessons that were learned from them stay."""
    with changing(db) as store:
        rows = {row["id"]: row for row in (_ended(store, the_run(store, run_id)) for run_id in run_ids)}
        shown = ", ".join(f"{run_id} ({printable(row['goal'], 60)})" for run_id, row in rows.items())
        if not confirmed(f"Delete {shown}? This can't be undone.", yes=yes):
            click.echo("nothing was deleted", err=True)
            return
        gone = []
        with store.writing():
            for run_id in rows:
                learned = store.learned_from(run_id)
                if store.delete_run(run_id):
                    gone.append({"id": run_id, "learned": learned})
    if as_json:
        print_rows(gone, (), as_json=True)
        return
    for row in gone:
        kept = f"; kept, though learned from it: {', '.join(row['learned'])}" if row["learned"] else ""
        click.echo(f"{row['id']} is deleted{kept}", err=True)
