"""`webagent workflows`."""

import json
from collections.abc import Mapping
from typing import Any

import click

from webagent.cli.database import db_option, json_option, reading
from webagent.cli.tables import print_rows
from webagent.errors import UsageError
from webagent.workflow_text import render_workflow

STATUSES = ("candidate", "active", "quarantined", "retired")


@click.group()
def workflows() -> None:
    """The workflows in memory."""


@workflows.command("list")
@db_option
@json_option
@click.option("--site", "hostname", metavar="HOSTNAME", help="only those of this hostname")
@click.option("--status", type=click.Choice(STATUSES), help="only those with this status")
def list_workflows(db: str, as_json: bool, hostname: str | None, status: str | None) -> None:
    """The newest version of each workflow; retired ones only when asked for."""
    with reading(db) as store:
        statuses = (status,) if status else STATUSES[:3]
        rows = [row for row in store.workflow_rows(None, statuses) if _of(hostname, row["hostname"])]
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
        "runs": f"{row['success_weight']:g} of {runs:g}",
        "last_used": (row["last_used_at"] or "never")[:16].replace("T", " "),
    }


def _of(wanted: str | None, hostname: str) -> bool:
    """A hostname, or the site's name at its beginning."""
    return wanted is None or hostname == wanted or hostname.split(":")[0].split(".")[0] == wanted


@workflows.command()
@click.argument("workflow_id", metavar="ID")
@db_option
@json_option
def show(workflow_id: str, db: str, as_json: bool) -> None:
    """One workflow; ID may be the beginning of one, or ID@VERSION."""
    with reading(db) as store:
        found = store.workflow(workflow_id)
        if found is None:
            raise UsageError(f"no workflow {workflow_id!r} in {db}; `webagent workflows list` shows them")
        rows = {row["version"]: row for row in store.version_rows(found.id)}
        history = store.history(found.id)
    if as_json:
        click.echo(json.dumps({**rows[found.version], "origins": list(found.origins)}, ensure_ascii=False))
        return
    click.echo(render_workflow(found))
    click.echo()
    click.echo(f"status   {found.status}, by {found.source}, owner {found.owner}, used {found.uses} times")
    click.echo(f"goals    {'; '.join(found.goals) or 'a sub-routine: no goal of its own'}")
    click.echo(f"origins  {', '.join(found.origins) or 'none'}")
    for event in history:
        click.echo(f"@{event['version']} {event['at']} {event['status']} by {event['by']}: {event['why']}")
