"""A person's edit of a text: in an editor or from a file, checked, and opened again where it is bad."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeVar

import click

from webagent.errors import UsageError
from webagent.workflow import Variable, Workflow, WorkflowStep, shape_of, variables_in
from webagent.workflow_parse import parse_workflow
from webagent.workflow_text import render_workflow

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


def editable(workflow: Workflow) -> str:
    """The text of a workflow with the goals that it is for."""
    return f"{render_workflow(workflow)}\ngoals: {'; '.join(workflow.goals)}\n"


def edited_workflow(workflow: Workflow, file: Path | None) -> Workflow | None:
    """The workflow of a person's text; None where the text was left as it is."""

    def check(text: str, where: str) -> Workflow:
        return parse_workflow(text, workflow.hostname, where)

    return edited(editable(workflow), file, check)


def from_person(before: Workflow, parsed: Workflow) -> Workflow:
    """The next version of a workflow whose text a person changed. What a text does not show is kept
    where it still holds: all of a step that stayed, variables by name, the reader of an answer that
    is still given. Evidence and origins stay where the workflow still does the same."""
    shown = parse_workflow(editable(before), before.hostname, before.label)
    steps = _kept_steps(before.steps, shown.steps, parsed.steps)
    same = shape_of(steps) == shape_of(before.steps)
    return replace(
        before,
        name=parsed.name,
        description=parsed.description,
        steps=steps,
        variables=_kept_variables(before, parsed),
        goals=parsed.goals,
        reader=before.reader if _answer(steps) == _answer(before.steps) else None,
        source="person",
        owner="person",
        success_weight=before.success_weight if same else 0.0,
        failure_weight=before.failure_weight if same else 0.0,
        origins=before.origins if same else (),
    )


def _kept_steps(
    before: Sequence[WorkflowStep], shown: Sequence[WorkflowStep], parsed: Sequence[WorkflowStep]
) -> tuple[WorkflowStep, ...]:
    """The steps of the person's text. `shown` is what the text before says of `before`, step by step:
    where the new text says the same of an element, the step before is kept with what changed."""
    if len(shown) != len(before):
        return tuple(parsed)
    old, new = ([_element(step) for step in steps] for steps in (shown, parsed))
    steps = list(parsed)
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for n in range(block.size):
            i, j = block.a + n, block.b + n
            steps[j] = _kept_step(before[i], shown[i], parsed[j])
    return tuple(steps)


def _element(step: WorkflowStep) -> tuple[str, ...]:
    """What a step is recognised by: its element, and its tool where it has none."""
    if step.target is not None:
        return step.target.role, step.target.name
    return "", step.tool, str(step.arguments.get("id", ""))


def _kept_step(before: WorkflowStep, shown: WorkflowStep, parsed: WorkflowStep) -> WorkflowStep:
    if parsed.tool != shown.tool:
        return replace(parsed, target=before.target, page=before.page)
    changed = {key: value for key, value in parsed.arguments.items() if shown.arguments.get(key) != value}
    kept = {
        key: value
        for key, value in before.arguments.items()
        if key in parsed.arguments or key not in shown.arguments
    }
    state = before.state if parsed.state == shown.state else parsed.state
    return replace(before, arguments={**kept, **changed}, state=state)


def _kept_variables(before: Workflow, parsed: Workflow) -> tuple[Variable, ...]:
    in_goals = {name for goal in parsed.goals for name in variables_in(goal)}
    known = {variable.name: variable for variable in before.variables}
    return tuple(
        replace(
            known.get(variable.name, variable),
            example=variable.example,
            in_goal=variable.name in in_goals if variable.name not in known else known[variable.name].in_goal,
        )
        for variable in parsed.variables
    )


def _answer(steps: Sequence[WorkflowStep]) -> object:
    """How the last step gives an answer."""
    last = steps[-1] if steps else None
    return (last.target, last.arguments.get("answer")) if last else None
