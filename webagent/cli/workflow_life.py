"""What a person does to a workflow: approve, retire, restore, edit. Every change is an event or a new
version; nothing is overwritten."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from webagent.cli.database import db_option, json_option
from webagent.cli.editing import edited_workflow
from webagent.cli.finding import changing, confirmed, reason, the_hostname, the_workflow
from webagent.cli.tables import print_rows
from webagent.errors import UsageError
from webagent.exchange.checks import suspicion
from webagent.store import LIVE, Store
from webagent.store.workflows import STATUSES
from webagent.workflow import Workflow

PERSON = "person"
why_option = click.option("--why", metavar="TEXT", default="", help="the reason, kept in the history")


@click.command()
@click.argument("workflow_id", metavar="ID[@V]")
@why_option
@db_option
@json_option
def approve(workflow_id: str, why: str, db: str, as_json: bool) -> None:
    """Make a version active: it may be replayed, and retires the version that was."""
    with changing(db) as store:
        found = the_workflow(store, workflow_id)
        odd = suspicion(found)
        changed = [store.set_status(found.id, found.version, "active", PERSON, reason(why, "approved"))]
        _print_changed(store, changed, [found], as_json=as_json)
    if odd:
        click.echo(f"note: {odd}", err=True)


@click.command()
@click.argument("workflow_id", metavar="[ID[@V]]", required=False)
@click.option("--site", metavar="HOSTNAME", help="with --all: the hostname, or a site's name")
@click.option("--all", "whole_site", is_flag=True, help="all workflows of the site")
@click.option("--yes", is_flag=True, help="do not ask")
@why_option
@db_option
@json_option
def retire(
    workflow_id: str | None, site: str | None, whole_site: bool, yes: bool, why: str, db: str, as_json: bool
) -> None:
    """Take a workflow out of use: all versions of ID, one (ID@V), or all of a site.

    `restore` brings it back."""
    if bool(workflow_id) == whole_site or whole_site != bool(site):
        raise UsageError("say what to retire: ID, ID@VERSION, or --site HOSTNAME --all")
    with changing(db) as store:
        if workflow_id:
            before = _in_use(store, workflow_id)
        else:
            hostname = the_hostname(store, site or "")
            before = [
                version
                for newest in store.workflows(hostname, STATUSES[:3])
                for version in _in_use(store, newest.id)
            ]
            ids = {version.id for version in before}
            if not before or not confirmed(f"Retire all {len(ids)} workflows of {hostname}?", yes=yes):
                click.echo("nothing was retired", err=True)
                return
        with store.writing():
            changed = [
                store.set_status(each.id, each.version, "retired", PERSON, reason(why, "retired"))
                for each in before
            ]
        _print_changed(store, changed, before, as_json=as_json)
        for caller in _callers(store, changed):
            click.echo(f"note: {caller.label} ({caller.name}) calls it and is of no use without it", err=True)


def _in_use(store: Store, name: str) -> list[Workflow]:
    """The version that is named, or all versions of an id that are not retired (the newest, where
    all are)."""
    found = the_workflow(store, name)
    if "@" in name:
        return [found]
    return [each for each in store.versions(found.id) if each.status != "retired"] or [found]


def _callers(store: Store, gone: Sequence[Workflow]) -> list[Workflow]:
    """Live workflows that call one of those which is not live in any version."""
    ids = {each.id for each in gone if not any(v.status in LIVE for v in store.versions(each.id))}
    hostnames = {each.hostname for each in gone}
    return [
        caller
        for hostname in sorted(hostnames)
        for caller in store.workflows(hostname)
        if any(step.tool == "workflow" and step.arguments.get("id") in ids for step in caller.steps)
    ]


@click.command()
@click.argument("workflow_id", metavar="ID[@V]")
@why_option
@db_option
@json_option
def restore(workflow_id: str, why: str, db: str, as_json: bool) -> None:
    """Bring a version back: with the status it had while it was in use, and in place of newer ones."""
    with changing(db) as store, store.writing():
        found = the_workflow(store, workflow_id)
        newer = [
            each for each in store.versions(found.id) if each.version > found.version and each.status in LIVE
        ]
        status = found.status if found.status in LIVE else _last_live_status(store, found)
        changed = [
            store.set_status(each.id, each.version, "retired", PERSON, f"replaced by version {found.version}")
            for each in newer
        ]
        changed.append(store.set_status(found.id, found.version, status, PERSON, reason(why, "restored")))
        _print_changed(store, changed, [*newer, found], as_json=as_json)


def _last_live_status(store: Store, workflow: Workflow) -> str:
    """The status that a version had when it was last in use; else candidate."""
    events = [event["status"] for event in store.history(workflow.id) if event["version"] == workflow.version]
    return next((status for status in reversed(events) if status in LIVE), "candidate")


@click.command()
@click.argument("workflow_id", metavar="ID[@V]")
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="PATH",
    help="the new text, instead of an editor",
)
@why_option
@db_option
@json_option
def edit(workflow_id: str, file: Path | None, why: str, db: str, as_json: bool) -> None:
    """Change the text of a workflow ($VISUAL, $EDITOR): a new version with the status it had.

    `show ID` prints the text. What it does not show is kept for steps whose role and name stay."""
    with changing(db) as store:
        before = the_workflow(store, workflow_id)
        after = edited_workflow(
            before,
            file,
            lambda name: next(iter(store.versions(name)[-1:]), None),
            store.workflows(before.hostname),
        )
        if after is None or after == before:
            click.echo(f"{before.label} is as it was", err=True)
            return
        saved = store.save_workflow(
            replace(after, source=PERSON, owner=PERSON),
            after.origins,
            PERSON,
            reason(why, f"edited from version {before.version}"),
        )
        _print_changed(store, [saved], [before], as_json=as_json)


def _print_changed(
    store: Store, after: Sequence[Workflow], before: Sequence[Workflow], *, as_json: bool
) -> None:
    """The rows, or a line for each version with its status before and now."""
    if as_json:
        for each in after:
            rows = {row["version"]: row for row in store.version_rows(each.id)}
            print_rows([rows[each.version]], (), as_json=True)
        return
    for was, now in zip(before, after, strict=True):
        if was == now:
            click.echo(f"{now.label} is {now.status} already: {now.name}", err=True)
        else:
            click.echo(f"{now.label} is {now.status}, was {was.label} {was.status}: {now.name}", err=True)
