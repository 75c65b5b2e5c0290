"""Workflows built on one another: what a new one shares with an old one becomes a call."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from webagent.ids import new_id
from webagent.routine import is_consent
from webagent.workflow import VARIABLE, Workflow, WorkflowStep, expand, variables_of

SHORTEST_CALL = 2
"""Steps below which a call saves nothing."""


def find_call(steps: Sequence[WorkflowStep], callee: Workflow) -> tuple[int, dict[str, str]] | None:
    """Where in `steps` all that a sub-routine does stands in a row, and what each of its variables
    is there; None where it does not."""
    inner = [step for step in callee.steps if step.tool != "stop"]
    if len(inner) < SHORTEST_CALL or any(step.tool == "workflow" for step in inner):
        return None
    for start in range(len(steps) - len(inner) + 1):
        given = _matched(inner, steps[start : start + len(inner)])
        if given is not None:
            return start, given
    return None


def _matched(inner: Sequence[WorkflowStep], outer: Sequence[WorkflowStep]) -> dict[str, str] | None:
    given: dict[str, str] = {}
    for one, other in zip(inner, outer, strict=True):
        if one.tool != other.tool or (one.target is None) != (other.target is None):
            return None
        pairs = [
            (str(one.arguments.get(key, "")), str(other.arguments.get(key, "")))
            for key in sorted({*one.arguments, *other.arguments})
        ]
        if one.target and other.target:
            if one.target.role != other.target.role:
                return None
            pairs.append((one.target.name, other.target.name))
        for text, actual in pairs:
            lone = VARIABLE.fullmatch(text)
            if lone is None and text != actual:
                return None
            if lone is not None and given.setdefault(lone[1], actual) != actual:
                return None
    return given


def with_call(workflow: Workflow, callee: Workflow, place: int, given: Mapping[str, str]) -> Workflow:
    """The workflow with the callee's steps at `place` replaced by a call."""
    inner = [step for step in callee.steps if step.tool != "stop"]
    needed = {variable.name for variable in callee.variables if variable.in_goal}
    call = WorkflowStep(
        tool="workflow",
        arguments={
            "id": callee.id,
            "name": callee.name,
            "arguments": {name: text for name, text in given.items() if name in needed},
        },
        page=workflow.steps[place].page,
        expect=workflow.steps[place + len(inner) - 1].expect,
        evidence=workflow.steps[place].evidence,
    )
    steps = [*workflow.steps[:place], call, *workflow.steps[place + len(inner) :]]
    kept = [v for v in workflow.variables if v.in_goal or v.name in variables_of(steps)]
    return replace(workflow, steps=tuple(steps), variables=tuple(kept))


@dataclass(frozen=True)
class Composed:
    """A proposal rewritten to build on others: itself, the sub-routine that was made for it if one
    was, and the old workflow that now calls that too."""

    workflow: Workflow
    routine: Workflow | None = None
    other: Workflow | None = None


def composed(proposal: Workflow, existing: Sequence[Workflow]) -> Composed:
    """The proposal with the longest sub-routine that it contains as a call. Where an old workflow
    does exactly the same but for reading another answer, their common steps become a sub-routine."""
    flat = all(step.tool != "workflow" for step in proposal.steps)
    if not flat or not proposal.goals:
        return Composed(proposal)
    calls = [
        (len(callee.steps), callee, found)
        for callee in existing
        if not callee.goals
        and (found := find_call(proposal.steps, callee)) is not None
        and _hands_on(callee, found[1])
    ]
    if calls:
        _, callee, (place, given) = max(calls, key=lambda call: (call[0], call[1].id))
        return Composed(with_call(proposal, callee, place, given))
    for other in existing:
        routine = _common(proposal, other)
        if routine is not None:
            here, there = find_call(proposal.steps, routine), find_call(other.steps, routine)
            if here is not None and there is not None:
                return Composed(
                    with_call(proposal, routine, *here), routine, with_call(other, routine, *there)
                )
    return Composed(proposal)


def _hands_on(callee: Workflow, given: Mapping[str, str]) -> bool:
    """Whether all that the callee's goal variables need is known to the caller."""
    return all(given.get(variable.name) for variable in callee.variables if variable.in_goal)


def _common(one: Workflow, other: Workflow) -> Workflow | None:
    """A sub-routine of the steps that two workflows with different answers share, all of both."""
    if not other.goals or any(step.tool == "workflow" for step in other.steps):
        return None
    mine = [step for step in one.steps if step.tool != "stop" and not is_consent(step.target)]
    theirs = [step for step in other.steps if step.tool != "stop" and not is_consent(step.target)]
    if len(mine) < SHORTEST_CALL or len(mine) != len(theirs) or any(step.changes for step in mine):
        return None
    if (
        one.reader is None
        or other.reader is None
        or _matched(mine, theirs) is None
        or _matched(theirs, mine) is None
    ):
        return None
    name = _shared_name(one)
    return Workflow(
        id=new_id("wf"),
        version=0,
        hostname=one.hostname,
        name=name,
        description=f"Given that you are at {one.start or '/'}, this workflow does what others begin with: {name}.",
        steps=tuple(mine),
        variables=tuple(v for v in one.variables if v.name in variables_of(mine)),
        start=one.start,
        source="rule",
        origins=tuple(dict.fromkeys([*other.origins, *one.origins])),
    )


def _shared_name(workflow: Workflow) -> str:
    named = [variable.name.replace("-", " ") for variable in workflow.variables if variable.in_goal]
    last = next((step for step in reversed(workflow.steps) if step.target and step.tool != "stop"), None)
    if last is not None and last.target is not None and VARIABLE.search(last.target.name) and named:
        return f"find a {named[0]} by its name"
    pressed = (
        re.sub(r"[^\w ]", "", last.target.name).lower() if last is not None and last.target else "the form"
    )
    return f"{pressed} for {' and '.join(named) or 'any values'}"[:80]


def calls_in_a_circle(workflow: Workflow, existing: Sequence[Workflow]) -> bool:
    """Whether the workflow would, through others, call itself, or something that is gone."""
    known = {other.id: other for other in existing} | {workflow.id: workflow}
    return expand(workflow, known.get) is None
