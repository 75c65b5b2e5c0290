"""A further run of a workflow makes a better version of it: other wordings, what is constant, how the
answer is read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from webagent.binding import bind, template_of
from webagent.induction.llm import bound_values
from webagent.induction.rule import induce, reader_of
from webagent.induction.slots import Slot
from webagent.observation import Target
from webagent.routine import align, is_consent, routine_of
from webagent.trajectory import Step, Trajectory
from webagent.workflow import VARIABLE, AnswerReader, Workflow, WorkflowStep, variables_in

Found = TypeVar("Found", Target, AnswerReader)


def merged(
    workflow: Workflow, steps: Sequence[WorkflowStep], earlier: Sequence[Trajectory], run: Trajectory
) -> Workflow | None:
    """The workflow with what `run` teaches; the workflow itself where that is nothing new; None where
    the run is no case of it. `steps` are its expanded steps, `earlier` its origins."""
    done = _case(steps, run)
    asks = bool(workflow.steps and workflow.steps[-1].arguments.get("answer"))
    if done is None or asks != bool(run.answer):
        return None
    others = [(other, case) for other in earlier if (case := _case(steps, other)) is not None]
    group = _distinct([*others, (run, done)])
    if len(group) < 2:
        return workflow if bind(workflow, run.goal) is not None else None
    flat = all(step.tool != "workflow" for step in workflow.steps)
    better = _induced(workflow, group) if flat else _rebound(workflow, steps, group)
    if better is None or (workflow.reader is not None and better.reader is None):
        return workflow if bind(workflow, run.goal) is not None else None
    better = replace(better, origins=tuple(dict.fromkeys([*workflow.origins, run.run_id])))
    return workflow if _content(better) == _content(workflow) else better


def _case(steps: Sequence[WorkflowStep], run: Trajectory) -> list[Step] | None:
    """The run's steps that do the workflow's, where they are all that it did; notices left out."""
    routine = routine_of(run)
    done = align(steps, routine)
    if done is None:
        return None
    used = {step.n for step in done}
    if any(step.n not in used and not is_consent(step.target) for step in routine):
        return None
    return [step for step in done if not is_consent(step.target)]


def _distinct(group: Sequence[tuple[Trajectory, list[Step]]]) -> list[tuple[Trajectory, list[Step]]]:
    """One run for each goal."""
    return list({run.goal.casefold(): (run, done) for run, done in group}.values())


def _induced(workflow: Workflow, group: Sequence[tuple[Trajectory, list[Step]]]) -> Workflow | None:
    """Flat workflows are induced anew from all runs, with the old names for their variables."""
    old = [step for step in workflow.steps if step.tool != "stop" and not is_consent(step.target)]
    names: dict[Slot, str] = {}
    for n, step in enumerate(old):
        for key, text in (
            ("name", step.target.name if step.target else ""),
            ("text", step.arguments.get("text")),
        ):
            lone = VARIABLE.fullmatch(str(text or ""))
            if lone:
                names[(n, key)] = lone[1]
    fresh = induce([run for run, _ in group], [done for _, done in group], names)
    if fresh is None:
        return None
    now_named = {variable.name for variable in fresh.variables if variable.in_goal}
    if any(v.in_goal and v.name not in now_named and v.name in _names(fresh) for v in workflow.variables):
        return None
    meanings = {variable.name: variable.description for variable in workflow.variables}
    states = [step.state for step in old]
    steps = [
        replace(
            step,
            state=states[n] if n < len(states) else workflow.steps[-1].state,
            changes=step.changes or (n < len(old) and old[n].changes),
        )
        for n, step in enumerate(fresh.steps)
    ]
    kept = [goal for goal in workflow.goals if set(variables_in(goal)) == now_named]
    named = fresh if workflow.source == "rule" else workflow
    return replace(
        workflow,
        name=named.name,
        description=named.description,
        steps=tuple(_with_notices(steps, workflow.steps)),
        variables=tuple(replace(v, description=meanings.get(v.name, "")) for v in fresh.variables),
        goals=tuple(dict.fromkeys([*kept, *fresh.goals])),
        start=fresh.start,
        reader=fresh.reader,
    )


def _with_notices(steps: Sequence[WorkflowStep], old: Sequence[WorkflowStep]) -> list[WorkflowStep]:
    """The steps with the notices that the old version puts away, in their places: a run may have met
    none, another may be stopped by one."""
    merged = list(steps)
    for place, step in enumerate(old):
        if is_consent(step.target):
            merged.insert(place, step)
    return merged


def _names(workflow: Workflow) -> set[str]:
    return {variable.name for variable in workflow.variables}


def _rebound(
    workflow: Workflow, steps: Sequence[WorkflowStep], group: Sequence[tuple[Trajectory, list[Step]]]
) -> Workflow | None:
    """Workflows that call others keep their steps; goals and reader are learned from all runs."""
    acting = [step for step in steps if step.tool != "stop" and not is_consent(step.target)]
    values = [bound_values(acting, done) for _, done in group]
    needed = {variable.name for variable in workflow.variables if variable.in_goal}
    goals = list(workflow.goals)
    for (run, _), bound in zip(group, values, strict=True):
        template = template_of(run.goal, {name: bound[name] for name in needed if name in bound})
        if set(variables_in(template)) == needed:
            goals.append(template)
    runs = [run for run, _ in group]
    reader = reader_of(runs, values) if all(run.answer for run in runs) else None
    return replace(workflow, goals=tuple(dict.fromkeys(goals)), reader=reader)


def _content(workflow: Workflow) -> tuple[object, ...]:
    """What a new version must differ in."""
    steps = tuple(
        replace(step, evidence="", arguments={}, target=step.target and _placed(step.target))
        for step in workflow.steps
    )
    arguments: list[Mapping[str, object]] = [dict(step.arguments) for step in workflow.steps]
    reader = _placed(replace(workflow.reader, examples=())) if workflow.reader else None
    return (steps, tuple(map(str, arguments)), set(workflow.goals), reader)


def _placed(found: Found) -> Found:
    """What is known to be in no frame as where that is not known: older versions did not tell."""
    return replace(found, frame=found.frame or None)
