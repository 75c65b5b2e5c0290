"""`webagent runs`."""

import json

import click

from webagent.cli.database import db_option, json_option, reading
from webagent.cli.tables import print_rows
from webagent.cli.view import printable
from webagent.errors import UsageError
from webagent.trajectory import Trajectory
from webagent.workflow_text import argument_text


@click.group()
def runs() -> None:
    """The runs so far."""


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
    """One run, step by step; ID may be the beginning of one."""
    with reading(db) as store:
        row = store.run(run_id)
        if row is None:
            raise UsageError(f"no run {run_id!r} in {db}; `webagent runs list` shows them")
        steps = store.steps(row["id"])
        uses = store.uses(run_id=row["id"])
        trajectory = store.trajectory(row["id"])
        verdicts = store.verdicts(row["id"])
        origins = {
            use["workflow_id"]: store.workflow(f"{use['workflow_id']}@{use['version']}") for use in uses
        }
    if as_json:
        click.echo(
            json.dumps(
                {**row, "trajectory": steps, "workflow_uses": uses, "verdicts": verdicts}, ensure_ascii=False
            )
        )
        return
    for name in (
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
    ):
        if row.get(name) not in (None, ""):
            click.echo(f"{name.replace('_', ' '):<12} {printable(str(row[name]), 400)}")
    for verdict in verdicts:
        word = {True: "success", False: "failure"}.get(verdict["success"], "no verdict")
        click.echo(f"{'verdict':<12} {word} by {verdict['judge']}: {printable(verdict['reason'] or '', 400)}")
    for use in uses:
        found = origins[use["workflow_id"]]
        source = f"by {found.source}, from {', '.join(found.origins)}" if found else "no longer there"
        followed = "followed" if use["followed"] else "not followed"
        click.echo(
            f"{'workflow':<12} {use['workflow_id']}@{use['version']} ({use['mode']}, {followed}; {source})"
        )
    _print_steps(trajectory)


def _print_steps(trajectory: Trajectory) -> None:
    for step in trajectory.steps:
        if step.action.thought:
            click.echo(f"     {printable(step.action.thought, 400)}")
        target = f" {step.target.role} {printable(step.target.name, 80)!r}" if step.target else ""
        argument = argument_text(step.action.tool, step.action.arguments)
        said = f": {printable(argument, 120)}" if argument else ""
        came = f"failed: {step.outcome.error}" if step.outcome.error else step.outcome.message
        click.echo(f"{step.n:>3}. {step.action.tool}{target}{said} ({step.by})  -> {printable(came)}")
