"""`webagent record`."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from webagent.cli.options import SettingsCommand, options_without, settings_of
from webagent.cli.run import carried_out, person, starting_at
from webagent.cli.view import live_view
from webagent.demonstration import Demonstration
from webagent.store import Store
from webagent.tasks import Task

OTHERS = (
    "policy",
    "judge",
    "expect",
    "headed",
    "slow_mo",
    "step",
    "pause_on_error",
    "confirm",
    "yes",
    "max_steps",
    "timeout",
    "max_tokens",
    "max_cost",
    "price",
    "observation_tokens",
    "memory_exclude_task",
    "memory_source",
    "embedding_model",
    "no_lessons",
    "upload",
)
"""Shared options that mean nothing here: a person acts in a browser that they see, and judges."""


@click.command(cls=SettingsCommand)
@click.argument("goal")
@options_without(OTHERS)
def record(goal: str, **values: Any) -> int:
    """Shows how a task is done: do it in the browser that opens, and it becomes a workflow. At its end
    press Enter here or close the window, and give the answer if there is one: type it, or select it in
    the page. Passwords are not recorded: a step says <secret:NAME>."""
    settings = settings_of({**values, "headed": True})
    with ExitStack() as stack:
        url = stack.enter_context(starting_at(goal, settings))
        store = stack.enter_context(Store.open(Path(settings.db), secrets=settings.mask))
        store.mark_interrupted()
        task = Task(id="", goal=goal.strip(), site=settings.site or "")
        return carried_out(Demonstration(task, url, settings, store, person(), live_view()))
