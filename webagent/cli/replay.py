"""`webagent replay`."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import click

from webagent.cli.finding import changing, fixture_of, start_of
from webagent.cli.options import SettingsCommand, options_without, settings_of
from webagent.cli.run import carried_out, expected, person_for
from webagent.cli.say import say
from webagent.cli.view import live_view
from webagent.errors import UsageError
from webagent.exchange import is_imported
from webagent.ids import web_url
from webagent.memory import Replayable, WorkflowMemory, goal_of, repeated, repeated_run, routine_workflow
from webagent.pipeline import Run
from webagent.sites import site_url
from webagent.store import LIVE, Store
from webagent.tasks import Task

OWN = ("site", "url", "policy", "memory_exclude_task", "memory_source")
"""Shared options that have another meaning here, or none: what is replayed says where and how."""


@click.command(cls=SettingsCommand)
@click.argument("name", metavar="ID")
@click.option(
    "--set", "pairs", multiple=True, metavar="VAR=VALUE", help="a value for a variable; may be given again"
)
@click.option("--site", "start_site", metavar="NAME", help="where to start  [default: where it came from]")
@click.option("--url", "start_url", metavar="URL", help="where to start, as a URL")
@click.option(
    "--policy", "who", type=click.Choice(("replay", "auto")), default="replay", show_default=True,
    help="auto: a configured model goes on where the page is not what was expected",
)  # fmt: skip
@options_without(OWN)
def replay(
    name: str, pairs: Sequence[str], start_site: str | None, start_url: str | None, who: str, **values: Any
) -> int:
    """Carries out a run or a workflow again, without a model. ID is a run's, a workflow's, the start of
    one, or ID@VERSION. A run is repeated with its own values, a workflow needs them by --set."""
    settings = settings_of({**values, "site": start_site, "url": start_url, "policy": who})
    expect = expected(settings)
    given = dict(_pair(pair) for pair in pairs)
    with ExitStack() as stack:
        store = stack.enter_context(changing(settings.db, settings.secret_values))
        store.mark_interrupted()
        found, site, url = _found(store, name, given)
        workflow = found.workflow
        if workflow.version and workflow.status not in LIVE:
            say(f"  {workflow.label} is {workflow.status}; `webagent workflows history` says why")
        if start_site or start_url:
            site, url = start_site or "", start_url or ""
        url = stack.enter_context(site_url(site)) if site else web_url(url)
        task = Task(id="", goal=goal_of(found), site=site, expect=expect)
        one = Run(task, url, settings, store, live_view(), ask=person_for(settings), replay=found)
        return carried_out(one)


def _pair(pair: str) -> tuple[str, str]:
    variable, equals, value = pair.partition("=")
    if not equals or not variable.strip():
        raise UsageError(f'--set takes VAR=VALUE, such as --set place="MIT", not {pair!r}')
    return variable.strip(), value


def _found(store: Store, name: str, given: dict[str, str]) -> tuple[Replayable, str, str]:
    """What an ID names, ready to be carried out, with the fixture site or the URL that it came from."""
    memory = WorkflowMemory(store)
    workflow = store.workflow(name)
    if workflow is not None:
        found = repeated(memory, workflow, given)
        return found, fixture_of(workflow.hostname), start_of(store, workflow)
    row = store.run(name)
    if row is None:
        raise UsageError(
            f"no run and no workflow {name!r} in {store.path}; `webagent runs list` and "
            "`webagent workflows list` show them"
        )
    if is_imported(row):
        raise UsageError(
            f"the run {row['id']} can't be repeated: it was imported from a log of another program"
        )
    routine = routine_workflow(store.trajectory(row["id"]))
    return repeated_run(memory, routine, given), fixture_of(row["hostname"] or ""), row["start_url"]
