"""Workflows as the text of SPEC section 4, whole: unlike in a prompt, names are not cut, arguments that
the prompt leaves out stand in brackets, and the goals are there. What a text has no place for (page
patterns, evidence, how the answer is read) is taken from the stored version that it was made from."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from webagent.errors import UsageError
from webagent.ids import one_line
from webagent.routine import speaks_of_change
from webagent.workflow import NAME_LIMIT, Lookup, Variable, Workflow, WorkflowStep
from webagent.workflow_parse import MAIN, NOTED, Written, needs_quotes, parse_action, read_workflows
from webagent.workflow_text import argument_text, render_workflow

STATE_LIMIT = 400
"""Characters of a step's state."""
NAME_LENGTH = 100
DESCRIPTION_LENGTH = 1000


def write_workflow(workflow: Workflow) -> str:
    """The text of a workflow, which `read_text` reads without loss of steps. Where no goal tells which
    variables it gives, only those are declared that one has to."""
    told = [v for v in workflow.variables if v.in_goal or workflow.goals]
    tidy = replace(
        workflow,
        name=one_line(workflow.name, 1000),
        description=one_line(workflow.description, 10_000),
        variables=tuple(replace(v, example=one_line(v.example, 1000)) for v in told),
    )
    lines = render_workflow(replace(tidy, steps=())).splitlines()
    lines += _goal_lines(workflow.goals)
    left = [f"{n}. {_left(step)}" for n, step in enumerate(workflow.steps, 1)]
    width = min(max((len(text) for text in left), default=0), 72)
    lines += [
        f"{text:<{width}}  -> {action_text(step)}" for text, step in zip(left, workflow.steps, strict=True)
    ]
    return "\n".join(lines) + "\n"


def _goal_lines(goals: Sequence[str]) -> list[str]:
    told = [one_line(goal, 1000) for goal in goals]
    if not told:
        return ["goals: none"]
    if any(";" in goal for goal in told):
        return [f"goal: {goal}" for goal in told]
    return [f"goals: {'; '.join(told)}"]


def _left(step: WorkflowStep) -> str:
    state = f" — {one_line(step.state, 10_000)}" if step.state else ""
    if step.tool == "workflow":
        given: Mapping[str, str] = step.arguments.get("arguments", {})
        name = step.arguments.get("name") or step.arguments.get("id", "")
        return f"{name} ({', '.join(given.values())}){state}"
    if step.target is None:
        return f"[page]{state}"
    name = step.target.name
    shown = json.dumps(name, ensure_ascii=False) if needs_quotes(name) else name
    return f"[{step.target.role}]{f' {shown}' if name else ''}{state}"


def action_text(step: WorkflowStep) -> str:
    """`ACTION (options): argument`, from which `parse_action` gets the same arguments again."""
    word = step.tool.upper()
    if step.tool == "workflow":
        return word
    key = MAIN.get(step.tool, "")
    argument = str(step.arguments.get(key, "")) if step.tool == "stop" else ""
    argument = argument or argument_text(step.tool, step.arguments)
    plain = _read_again(word, argument, step.tool)
    if plain is None or any(step.arguments.get(name) != value for name, value in plain.items()):
        plain, argument = {}, ""
    options = [
        name if value is True and name not in NOTED else f"{name}={json.dumps(value, ensure_ascii=False)}"
        for name, value in step.arguments.items()
        if name not in plain or plain[name] != value
    ]
    shown = f" ({', '.join(options)})" if options else ""
    if not argument:
        return word + shown
    return f"{word}{shown} {argument}" if step.tool == "stop" else f"{word}{shown}: {argument}"


def _read_again(word: str, argument: str, tool: str) -> dict[str, Any] | None:
    if argument != " ".join(argument.split()):
        return None
    try:
        return parse_action(f"{word} {argument}" if tool == "stop" else f"{word}: {argument}")[1]
    except ValueError:
        return {} if not argument else None


Callee = Callable[[str, str], Workflow | None]
"""Finds a stored workflow by hostname and name."""


def stable_id(*parts: str) -> str:
    """The same id for the same parts, so that a second import finds what the first one stored."""
    return "wf_" + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def read_text(text: str, hostname: str, where: str, lookup: Lookup, callee: Callee) -> list[Written]:
    """The workflows of a text, with tidy words, ids, calls bound to what they call (in this text or
    through `callee`), and steps marked that may change things. A heading's id is kept but where
    `lookup` knows it on another hostname. Raises UsageError naming the line."""
    found = [_tidy(written, lookup) for written in read_workflows(text, hostname, where)]
    names: dict[tuple[str, str], Workflow] = {}
    ids: set[str] = set()
    for written in found:
        workflow = written.workflow
        if workflow.id in ids:
            raise UsageError(f"{where} line {written.line}: a second workflow is named {workflow.name!r:.80}")
        ids.add(workflow.id)
        names.setdefault((workflow.hostname, workflow.name), workflow)
    return [
        replace(written, workflow=replace(written.workflow, steps=_bound(written, where, names, callee)))
        for written in found
    ]


def _tidy(written: Written, lookup: Lookup) -> Written:
    workflow = written.workflow
    steps = [replace(step, state=one_line(step.state, STATE_LIMIT)) for step in workflow.steps]
    known = lookup(workflow.id) if workflow.id else None
    name = one_line(workflow.name, NAME_LENGTH)
    is_ours = bool(workflow.id) and (known is None or known.hostname == workflow.hostname)
    tidy = replace(
        workflow,
        id=workflow.id if is_ours else stable_id(workflow.hostname, name),
        name=name,
        description=one_line(workflow.description, DESCRIPTION_LENGTH),
        steps=marked(steps),
        source="import" if workflow.id and known is None else "person",
        owner="program" if workflow.id and known is None else "person",
        learned="import",
    )
    return replace(written, workflow=tidy)


def _changes(step: WorkflowStep) -> bool:
    return speaks_of_change(step.tool, step.target)


def marked(steps: Sequence[WorkflowStep]) -> tuple[WorkflowStep, ...]:
    """The steps, with those marked that may change things."""
    return tuple(replace(step, changes=_changes(step)) for step in steps)


def _bound(
    written: Written,
    where: str,
    names: Mapping[tuple[str, str], Workflow],
    callee: Callee,
) -> tuple[WorkflowStep, ...]:
    """The steps with each call's id and the names of its arguments."""
    hostname, steps = written.workflow.hostname, []
    for step, line in zip(written.workflow.steps, written.step_lines, strict=True):
        if step.tool != "workflow":
            steps.append(step)
            continue
        name = step.arguments["name"]
        called = names.get((hostname, name)) or callee(hostname, name)
        if called is None or called.name == written.workflow.name:
            raise UsageError(f"{where} line {line}: no workflow {name!r:.80} of {hostname} to call")
        values = list(step.arguments["arguments"].values())
        needed = [variable.name for variable in called.variables if variable.in_goal]
        if len(needed) == 1 and len(values) > 1:
            values = [", ".join(values)]
        if len(values) != len(needed):
            asked = ", ".join(f"{{{name}}}" for name in needed) or "no arguments"
            raise UsageError(f"{where} line {line}: {name!r:.80} takes {asked}, not {len(values)}")
        given = dict(zip(needed, values, strict=True))
        steps.append(replace(step, arguments={"id": called.id, "name": name, "arguments": given}))
    return tuple(steps)


def with_details(written: Written, before: Workflow) -> Workflow:
    """The workflow with what its text has no place for, from the version it was made from: of steps
    that still do the same, of variables of the same name, and how the answer is read."""
    after = written.workflow
    pool = list(before.steps)
    steps = []
    for step in after.steps:
        old = next((other for other in pool if _same(other, step)), None)
        if old is not None:
            pool.remove(old)
            step = replace(old, state=step.state, arguments=step.arguments)
        steps.append(step)
    known = {variable.name: variable for variable in before.variables}
    ends = [step.arguments for step in before.steps if step.tool == "stop"]
    reads = steps[-1].tool == "stop" and steps[-1].arguments in ends
    return replace(
        before,
        name=after.name,
        description=after.description,
        steps=tuple(steps),
        variables=tuple(_detailed(variable, known) for variable in after.variables),
        goals=after.goals if written.told_goals else before.goals,
        reader=before.reader if reads else after.reader,
    )


def _detailed(variable: Variable, known: Mapping[str, Variable]) -> Variable:
    old = known.get(variable.name, variable)
    return replace(old, example=variable.example, in_goal=variable.in_goal)


def _same(old: WorkflowStep, new: WorkflowStep) -> bool:
    if old.tool == "workflow" or old.tool != new.tool:
        return old.tool == new.tool and old.arguments.get("name") == new.arguments.get("name")
    if old.target is None or new.target is None:
        return old.target is new.target
    cut = (old.target.name[:NAME_LIMIT].strip(), old.target.name)
    return old.target.role == new.target.role and new.target.name in cut
