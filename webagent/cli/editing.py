"""A person's edit of a text: in an editor or from a file, checked, and opened again where it is bad."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click

from webagent.answers import written_reader
from webagent.errors import UsageError
from webagent.exchange.checks import written_fault
from webagent.exchange.text import read_text, with_details, write_workflow
from webagent.induction.compose import calls_in_a_circle
from webagent.workflow import Lookup, Workflow, shape_of
from webagent.workflow_parse import Written

T = TypeVar("T")


def edited(text: str, file: Path | None, check: Callable[[str, str], T]) -> T | None:
    """What `check(text, where)` makes of the person's text; None where it was left as it is. A bad
    text is told and opened again, where someone is there; else raises `check`'s UsageError."""
    if file is not None:
        said = _read(file)
        return None if said.strip() == text.strip() else check(said, str(file))
    shown = text
    while True:
        new = _from_editor(shown)
        if new is None or new.strip() == text.strip():
            return None
        try:
            return check(new, "the edited text")
        except UsageError as error:
            if not sys.stdin.isatty():
                raise
            click.echo(f"error: {error}", err=True)
            if not click.confirm("Edit it again?", default=True, err=True):
                raise
            shown = new


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} can't be read: {error}") from error


def _from_editor(text: str) -> str | None:
    """The text as the editor left it; None where it was not saved."""
    try:
        return click.edit(text, extension=".md")
    except click.ClickException as error:
        raise UsageError(f"{error.message}; set $VISUAL or $EDITOR, or give --file PATH") from error


def edited_workflow(
    before: Workflow, file: Path | None, lookup: Lookup, live: Sequence[Workflow]
) -> Workflow | None:
    """The next version of a workflow by a person's text; None where the text was left as it is. `live`
    are the workflows of its hostname that it may call. Evidence and origins stay where the workflow
    still does the same."""

    def check(text: str, where: str) -> Workflow:
        return _next_version(before, _written(before, text, where, lookup, live), where, live)

    return edited(write_workflow(before), file, check)


def _written(before: Workflow, text: str, where: str, lookup: Lookup, live: Sequence[Workflow]) -> Written:
    """The one workflow of the text. Raises UsageError where it is that of another one."""

    def callee(hostname: str, name: str) -> Workflow | None:
        return next((each for each in live if (each.hostname, each.name) == (hostname, name)), None)

    found = read_text(text, before.hostname, where, lookup, callee)
    if len(found) != 1:
        raise UsageError(f"{where} holds {len(found)} workflows; one is expected")
    other = lookup(found[0].workflow.id)
    if other is not None and other.id != before.id:
        raise UsageError(f"{where} line {found[0].line}: this is {other.id}, not {before.id}")
    return found[0]


def _next_version(before: Workflow, written: Written, where: str, live: Sequence[Workflow]) -> Workflow:
    after = with_details(written, before)
    if _answer(after) != _answer(before):
        after = replace(after, reader=written_reader(after.steps))
    place, fault = written_fault(after)
    if fault:
        line = written.line if place is None else written.step_lines[place]
        raise UsageError(f"{where} line {line}: {fault}")
    if after.steps == before.steps:
        return after
    if calls_in_a_circle(after, live):
        raise UsageError(f"{where}: {before.id} would call itself, or something that is not in use")
    if shape_of(after.steps) == shape_of(before.steps):
        return after
    return replace(after, success_weight=0.0, failure_weight=0.0, uses=0, origins=())


def _answer(workflow: Workflow) -> object:
    """Where the last step reads an answer, and which: a reader holds for no other."""
    last = workflow.steps[-1] if workflow.steps else None
    return (last.target, last.arguments.get("answer")) if last else None
