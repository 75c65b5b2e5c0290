"""What `webagent replay` carries out: a stored workflow, or the routine of one run, with values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webagent.errors import UsageError
from webagent.ids import scope_of
from webagent.induction.rule import induce, stays_on_host
from webagent.memory.recall import Replayable, WorkflowMemory
from webagent.routine import repeatable, routine_of
from webagent.trajectory import Trajectory
from webagent.workflow import Workflow, WorkflowStep, fill, fill_any, variables_in, variables_of


def routine_workflow(run: Trajectory) -> Workflow:
    """A run's routine as a workflow of version 0 under the run's id. Raises UsageError where the run
    can't be repeated."""
    routine = routine_of(run)
    why = ""
    if not routine:
        why = "no step of it did anything to a page"
    elif not repeatable(routine):
        why = "its steps don't say which elements they used"
    elif not stays_on_host(run, routine):
        why = f"it left {scope_of(routine[0].url)}, and a routine stays on one hostname"
    found = induce([run]) if not why else None
    if found is None:
        raise UsageError(f"the run {run.run_id} can't be repeated: {why or 'it is too short for a routine'}")
    return replace(found, id=run.run_id)


def repeated_run(memory: WorkflowMemory, workflow: Workflow, given: Mapping[str, str]) -> Replayable:
    """A run's routine with its own values but for those given. With new values, what it chose on the
    way (a search result) is chosen anew. Raises UsageError as `repeated` does."""
    typed = _typed(workflow.steps)
    own = {
        variable.name: variable.example
        for variable in workflow.variables
        if variable.in_goal or variable.name in typed or not given
    }
    return repeated(memory, workflow, {**own, **given})


def repeated(memory: WorkflowMemory, workflow: Workflow, given: Mapping[str, str]) -> Replayable:
    """A workflow with these values. Raises UsageError for a variable that it has not, one that has no
    value, and a workflow whose callee is gone."""
    steps = memory.expand(workflow)
    if steps is None:
        raise UsageError(f"{workflow.label} can't be carried out: a workflow that it calls is gone")
    acting = [step for step in steps if step.tool != "stop"]
    declared = {variable.name: variable for variable in workflow.variables}
    known = list(dict.fromkeys([*declared, *variables_of(acting)]))
    unknown = [name for name in given if name not in known]
    if unknown:
        there = f"it has {', '.join(known)}" if known else "it has none"
        raise UsageError(f"no variable {unknown[0]!r} in {workflow.label}; {there}")
    typed = _typed(acting)
    values = {
        name: variable.example
        for name, variable in declared.items()
        if name in typed and not variable.in_goal and variable.example
    }
    values |= given
    named = [variable.name for variable in workflow.variables if variable.in_goal]
    missing = [name for name in dict.fromkeys([*named, *typed]) if not values.get(name)]
    if missing:
        examples = [declared[name].example for name in missing[:1] if name in declared]
        said = " ".join(f"--set {name}=…" for name in missing)
        such = f", such as --set {missing[0]}={examples[0]!r}" if examples and examples[0] else ""
        raise UsageError(f"{workflow.label} needs a value for {', '.join(missing)}: give {said}{such}")
    return Replayable(workflow, steps, values)


def goal_of(replayable: Replayable) -> str:
    """The goal in words, with the values."""
    workflow, values = replayable.workflow, replayable.values
    named = {variable.name for variable in workflow.variables if variable.in_goal}
    telling = [goal for goal in workflow.goals if named <= set(variables_in(goal))]
    if telling or workflow.goals:
        return fill((telling or list(workflow.goals))[0], values)
    said = ", ".join(f"{name} {values[name]!r}" for name in values)
    return f"{workflow.name} ({said})" if said else workflow.name


def _typed(steps: Sequence[WorkflowStep]) -> list[str]:
    """Variables of arguments: without a value these steps can't be carried out."""
    texts = [str(fill_any(dict(step.arguments), {})) for step in steps if step.tool != "stop"]
    return list(dict.fromkeys(name for text in texts for name in variables_in(text)))
