"""A person's edit of a text: in an editor or from a file, checked, and opened again where it is bad."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeVar

import click

from webagent.errors import UsageError
from webagent.ids import scope_of
from webagent.induction.compose import calls_in_a_circle
from webagent.workflow import Variable, Workflow, WorkflowStep, shape_of
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
    lines = render_workflow(workflow).splitlines()
    several = "goal: " if any(";" in goal for goal in workflow.goals) else ""
    goals = [several + goal for goal in workflow.goals] if several else []
    goals = goals or [f"goals: {'; '.join(workflow.goals) or 'none'}"]
    at = len(lines) - len(workflow.steps)
    return "\n".join([*lines[:at], *goals, *lines[at:], ""])


def edited_workflow(workflow: Workflow, file: Path | None, live: Sequence[Workflow]) -> Workflow | None:
    """The next version of a workflow by a person's text; None where the text was left as it is. `live`
    are the workflows that it may call."""

    def check(text: str, where: str) -> Workflow:
        parsed = parse_workflow(text, workflow.hostname, where)
        if parsed.id not in ("", workflow.id):
            raise UsageError(f"{where} is the text of {parsed.id}, not of {workflow.id}")
        after = from_person(workflow, parsed, live, where)
        if calls_in_a_circle(after, live):
            raise UsageError(f"{where}: {workflow.id} would call itself, through what it calls")
        return after

    return edited(editable(workflow), file, check)


def from_person(before: Workflow, parsed: Workflow, live: Sequence[Workflow], where: str) -> Workflow:
    """The next version of a workflow whose text a person changed. What a text does not show is kept
    where it still holds: all of a step that stayed, variables by name, the reader of an answer that
    is still given. Evidence and origins stay where the workflow still does the same.

    Raises UsageError for a step that leaves the hostname, or calls what is not there."""
    shown = parse_workflow(editable(before), before.hostname, before.label)
    steps = _kept_steps(before.steps, shown.steps, parsed.steps)
    steps = tuple(
        _checked(step, before.hostname, live, f"{where} step {n}") for n, step in enumerate(steps, 1)
    )
    same = shape_of(steps) == shape_of(before.steps)
    return replace(
        before,
        name=_kept(before.name, shown.name, parsed.name),
        description=_kept(before.description, shown.description, parsed.description),
        steps=steps,
        variables=_kept_variables(before, shown, parsed),
        goals=_kept(before.goals, shown.goals, parsed.goals),
        reader=before.reader if _answer(steps) == _answer(before.steps) else None,
        source="person",
        owner="person",
        success_weight=before.success_weight if same else 0.0,
        failure_weight=before.failure_weight if same else 0.0,
        origins=before.origins if same else (),
    )


def _kept(before: T, shown: T, parsed: T) -> T:
    """What was before, where its text was left as it is."""
    return before if parsed == shown else parsed


def _kept_steps(
    before: Sequence[WorkflowStep], shown: Sequence[WorkflowStep], parsed: Sequence[WorkflowStep]
) -> Sequence[WorkflowStep]:
    """The steps of the person's text. `shown` is what the text before says of `before`, step by step:
    where the new text says the same of an element, the step before is kept with what changed."""
    old, new = ([_element(step) for step in steps] for steps in (shown, parsed))
    steps = list(parsed)
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for n in range(block.size):
            i, j = block.a + n, block.b + n
            steps[j] = _kept_step(before[i], shown[i], parsed[j])
    return steps


def _element(step: WorkflowStep) -> tuple[str, ...]:
    """What a step is recognised by: its element; its tool, and what it calls, where it has none."""
    if step.target is not None:
        return step.target.role, step.target.name
    return "", step.tool, str(step.arguments.get("name", ""))


def _kept_step(before: WorkflowStep, shown: WorkflowStep, parsed: WorkflowStep) -> WorkflowStep:
    if parsed.tool != shown.tool:
        return replace(parsed, target=before.target, page=before.page)
    state = _kept(before.state, shown.state, parsed.state)
    if parsed.arguments == shown.arguments:
        return replace(before, state=state)
    if parsed.tool == "workflow":
        names = list(before.arguments.get("arguments", {}))
        return replace(
            before, arguments={**before.arguments, "arguments": _named(parsed, names)}, state=state
        )
    changed = {key: value for key, value in parsed.arguments.items() if shown.arguments.get(key) != value}
    kept = {
        key: value
        for key, value in before.arguments.items()
        if key in parsed.arguments or key not in shown.arguments
    }
    return replace(before, arguments={**kept, **changed}, state=state)


def _named(call: WorkflowStep, names: Sequence[str]) -> dict[str, str]:
    """The values of a call, which its text gives in order, by the names of the callee's variables."""
    values = list(call.arguments["arguments"].values())
    if len(values) != len(names):
        wanted = ", ".join(f"{{{name}}}" for name in names) or "none"
        raise UsageError(
            f"{call.arguments['name']!r} takes {len(names)} values ({wanted}), not {len(values)}"
        )
    return dict(zip(names, values, strict=True))


def _checked(step: WorkflowStep, hostname: str, live: Sequence[Workflow], where: str) -> WorkflowStep:
    """The step, with a new call's id and the names of its values. Raises UsageError."""
    host = scope_of(str(step.arguments.get("url", "")))
    if host not in ("", hostname):
        raise UsageError(f"{where} leaves {hostname} for {host}; a workflow stays on its hostname")
    if step.tool != "workflow" or step.arguments.get("id"):
        return step
    name = step.arguments.get("name", "")
    callee = next((each for each in live if name in (each.name, each.id)), None)
    if callee is None:
        there = "; ".join(each.name for each in live[:5])
        raise UsageError(
            f"{where} calls {name!r}, which is no workflow in use on {hostname}; there are: {there}"
        )
    names = [variable.name for variable in callee.variables if variable.in_goal]
    arguments = {"id": callee.id, "name": callee.name, "arguments": _named(step, names)}
    return replace(step, arguments=arguments)


def _kept_variables(before: Workflow, shown: Workflow, parsed: Workflow) -> Sequence[Variable]:
    if parsed.variables == shown.variables:
        return before.variables
    known = {variable.name: variable for variable in before.variables}
    regoaled = bool(parsed.goals) and parsed.goals != shown.goals
    return tuple(
        replace(
            known.get(variable.name, variable),
            example=variable.example,
            in_goal=variable.in_goal
            if regoaled or variable.name not in known
            else known[variable.name].in_goal,
        )
        for variable in parsed.variables
    )


def _answer(steps: Sequence[WorkflowStep]) -> object:
    """How the last step gives an answer."""
    last = steps[-1] if steps else None
    return (last.target, last.arguments.get("answer")) if last else None
