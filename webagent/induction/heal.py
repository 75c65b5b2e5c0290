"""A workflow whose site was redesigned: what a run did in the place of steps that no longer fit
becomes the workflow's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from webagent.answers import is_anchored, normal, read_answer
from webagent.binding import bind
from webagent.induction.rule import answer_on_page, reader_of, stop_step, workflow_steps
from webagent.induction.slots import Variables, find_variables, slots_of
from webagent.routine import align, does, is_consent, repeatable, routine_of, same_step
from webagent.trajectory import Step, Trajectory
from webagent.workflow import VARIABLE, Lookup, Variable, Workflow, WorkflowStep, expand, filled, variables_of


@dataclass(frozen=True)
class _Place:
    """Where an expanded step comes from: the workflow's own step (from 0) and, where that is a call,
    the step of the callee."""

    top: int
    inner: int = -1


def healed(workflow: Workflow, lookup: Lookup, run: Trajectory) -> list[tuple[Workflow, Workflow]]:
    """Workflows (the one carried out, one that it calls) before and after, where a successful run went
    on otherwise than their steps; none where it did as they say, or where what it did can't be fitted
    in: the new steps must align with the run, as the old ones must not."""
    routine = [step for step in routine_of(run) if not is_consent(step.target)]
    flat = expand(workflow, lookup)
    values = bind(workflow, run.goal)
    if flat is None or values is None or not routine or not repeatable(routine):
        return []
    steps = [step for step in flat if step.tool != "stop"]
    pairs: list[tuple[Workflow, Workflow]] = []
    if align(steps, routine) is None:
        mended = _mended(workflow, lookup, steps, routine, run, values)
        if mended is None:
            return []
        pairs.append(mended)
    return _with_reader(workflow, pairs, run, values)


def _mended(
    workflow: Workflow,
    lookup: Lookup,
    steps: Sequence[WorkflowStep],
    routine: Sequence[Step],
    run: Trajectory,
    values: Mapping[str, str],
) -> tuple[Workflow, Workflow] | None:
    first, last, begin, end = _gap(steps, routine)
    found = _variables(run, routine, values)
    known = {variable.name for variable in workflow.variables}
    by_chance = {
        name: found.values[0][name] for name, one in found.known.items() if one.in_goal and name not in known
    }
    fresh = [
        _renewed(steps[first:last], done, filled(step, by_chance), values)
        for done, step in zip(
            routine[begin:end], workflow_steps([run], [routine], found)[begin:end], strict=True
        )
    ]
    if not _does_the_same([*steps[:first], *fresh, *steps[last:]], steps, routine, values):
        return None
    used = variables_of(fresh)
    results = [one for one in found.known.values() if one.name in used and one.name not in known]
    places = _places(workflow, lookup)
    places = places[first:last] or places[first : first + 1]
    calls = {place.top for place in places if place.inner >= 0}
    if len(calls) == 1 and all(place.inner >= 0 for place in places):
        call = workflow.steps[calls.pop()]
        return _in_callee(call, lookup, fresh, results, places[0].inner, last - first, run.run_id)
    if calls:
        own = [*steps[:first], *fresh, *steps[last:], *workflow.steps[-1:]]
    else:
        at = places[0].top if places else first
        own = [*workflow.steps[:at], *fresh, *workflow.steps[at + last - first :]]
    return workflow, _with_steps(workflow, own, results, run.run_id)


def _in_callee(
    call: WorkflowStep,
    lookup: Lookup,
    fresh: Sequence[WorkflowStep],
    results: Sequence[Variable],
    at: int,
    gone: int,
    run_id: str,
) -> tuple[Workflow, Workflow] | None:
    """A sub-routine whose `gone` steps from `at` on became the fresh ones, in its own variables; None
    where it calls another itself."""
    callee = lookup(call.arguments["id"])
    if callee is None or any(step.tool == "workflow" for step in callee.steps):
        return None
    names = {
        lone[1]: f"{{{name}}}"
        for name, text in call.arguments["arguments"].items()
        if (lone := VARIABLE.fullmatch(text))
    }
    inner = [filled(step, names) for step in fresh]
    own = [*callee.steps[:at], *inner, *callee.steps[at + gone :]]
    return callee, _with_steps(callee, own, results, run_id)


def _with_steps(
    workflow: Workflow, steps: Sequence[WorkflowStep], results: Sequence[Variable], run_id: str
) -> Workflow:
    known = {variable.name for variable in workflow.variables}
    variables = (*workflow.variables, *(one for one in results if one.name not in known))
    return replace(workflow, steps=tuple(steps), variables=variables, origins=(*workflow.origins, run_id))


def _gap(steps: Sequence[WorkflowStep], routine: Sequence[Step]) -> tuple[int, int, int, int]:
    """The range of the steps, and that of the run's, between what both have in common at either end."""
    first = begin = 0
    while first < len(steps):
        if begin < len(routine) and same_step(steps[first], routine[begin]):
            first, begin = first + 1, begin + 1
        elif is_consent(steps[first].target):
            first += 1
        else:
            break
    last, end = len(steps), len(routine)
    while last > first:
        if end > begin and same_step(steps[last - 1], routine[end - 1]):
            last, end = last - 1, end - 1
        else:
            break
    return first, last, begin, end


def _renewed(
    gap: Sequence[WorkflowStep], done: Step, fresh: WorkflowStep, values: Mapping[str, str]
) -> WorkflowStep:
    """One step of the run in the place of a gap: the gap's own where the run did that, or did the same
    on another element; else the new one."""
    twins = [old for old in gap if same_step(old, done) and does(filled(old, values), done)]
    if len(twins) == 1:
        return twins[0]
    alike = [old for old in gap if does(filled(old, values), done)]
    if len(alike) != 1:
        return fresh
    old = alike[0]
    return replace(
        fresh,
        arguments={**fresh.arguments, **old.arguments},
        state=old.state,
        changes=fresh.changes or old.changes,
    )


def _does_the_same(
    fresh: Sequence[WorkflowStep],
    old: Sequence[WorkflowStep],
    routine: Sequence[Step],
    values: Mapping[str, str],
) -> bool:
    """Whether the mended steps, with the run's values in them, are what the run did, and still depend
    on every value that the old ones depended on: a choice that the page had made already left no step,
    and would be made so for every other value."""
    aligned = align(fresh, routine)
    if aligned is None or not set(values) & set(variables_of(old)) <= set(variables_of(fresh)):
        return False
    acting = [step for step in fresh if not is_consent(step.target)]
    pairs = zip(acting, (done for done in aligned if not is_consent(done.target)), strict=True)
    return all(does(filled(step, values), done) for step, done in pairs)


def _variables(run: Trajectory, routine: Sequence[Step], values: Mapping[str, str]) -> Variables:
    """The run's variables under the names that the workflow has for their values."""
    by_value = {value.casefold(): name for name, value in values.items()}
    names = {
        slot: by_value[value.casefold()] for slot, value in slots_of(routine) if value.casefold() in by_value
    }
    return find_variables([run.goal], [routine], names)


def _places(workflow: Workflow, lookup: Lookup) -> list[_Place]:
    """For each expanded step where it comes from."""
    places: list[_Place] = []
    for top, step in enumerate(workflow.steps):
        if step.tool == "stop":
            continue
        callee = lookup(step.arguments.get("id", "")) if step.tool == "workflow" else None
        inner = (expand(callee, lookup) or []) if callee else []
        acting = [n for n, part in enumerate(inner) if part.tool != "stop"]
        places += [_Place(top, n) for n in acting] if callee else [_Place(top)]
    return places


def _with_reader(
    workflow: Workflow, pairs: list[tuple[Workflow, Workflow]], run: Trajectory, values: Mapping[str, str]
) -> list[tuple[Workflow, Workflow]]:
    """The pairs, the workflow's reader learned anew where the old one does not read this run's answer.
    One run teaches only what words on the page tell of it: where none do, a model has to read it."""
    reader = workflow.reader
    if reader is None or not run.answer or run.final is None:
        return pairs
    answer = answer_on_page(run.final, run.answer)
    read = read_answer(reader, run.final, values) or ""
    fresh = reader_of([run], [values])
    fresh = fresh if fresh is not None and is_anchored(fresh) else None
    if normal(read) == normal(answer) or (read and fresh is None):
        return pairs
    mine = next((after for before, after in pairs if before is workflow), workflow)
    steps = (*mine.steps[:-1], replace(stop_step([run], fresh, [values]), state=mine.steps[-1].state))
    origins = tuple(dict.fromkeys([*workflow.origins, run.run_id]))
    others = [(before, after) for before, after in pairs if before is not workflow]
    return [*others, (workflow, replace(mine, steps=steps, reader=fresh, origins=origins))]
