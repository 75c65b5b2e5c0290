"""Replay first and hand over to the model where it stops fitting; workflows as actions."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from webagent.actions import Action, Malformed
from webagent.interfaces import Decision, Policy, View
from webagent.observation import Observation
from webagent.policies.replay import ReplayPolicy
from webagent.trajectory import Outcome, Stop
from webagent.workflow import Workflow, WorkflowStep

Expand = Callable[[Workflow], list[WorkflowStep] | None]
"""A workflow's steps with its calls replaced; None where a callee is gone."""
AnswerBy = Callable[[str, Observation], Awaitable[str | None]]
"""Reads the answer to a goal from a page; None where it is not there."""


class AutoPolicy:
    """`replay` acts until it gives up; then `model`, until the replay finds its place again. The model
    may call a workflow that its prompt shows: that is carried out by the same engine, and control
    comes back with its end. Where a replay only lacks its answer, `answer` is asked first."""

    def __init__(
        self,
        model: Policy | None,
        replay: ReplayPolicy | None,
        expand: Expand,
        answer: AnswerBy | None = None,
    ) -> None:
        self._model = model
        self._replay = replay
        self._expand = expand
        self._answer = answer
        self._called: ReplayPolicy | None = None
        self._paused: ReplayPolicy | None = None

    async def decide(self, view: View) -> Decision:
        """Raises ModelFault when the model's endpoint can't be used."""
        notes: list[str] = []
        if self._paused is not None and self._called is None and self._paused.resumes(view):
            self._replay, self._paused = self._paused, None
        for engine in (self._replay, self._called):
            if engine is None:
                continue
            decision = await engine.decide(view)
            if decision.actions or (decision.stop and engine is self._replay):
                return decision
            if self._model is None:
                return decision
            if engine is self._replay:
                answered = await self._answered(engine, view)
                if answered is not None:
                    return answered
                self._paused = engine
            notes.append(_handed_over(engine, decision))
            self._replay = self._called = None
        if self._model is None:
            return Decision(given_up="no workflow to carry out, and no model")
        decision = await self._model.decide(replace(view, notes=(*view.notes, *notes)))
        return self._with_call(decision, view)

    async def _answered(self, engine: ReplayPolicy, view: View) -> Decision | None:
        """The end of a replay that only lacks its answer, where the model finds that on the page."""
        if not engine.unread or self._answer is None:
            return None
        answer = await self._answer(view.goal, view.observation)
        return Decision(stop=Stop(answer), workflow=engine.workflow.label) if answer else None

    def _with_call(self, decision: Decision, view: View) -> Decision:
        """A call of a workflow among the actions begins it; what stands before is done first."""
        place = next((n for n, action in enumerate(decision.actions) if action.tool == "workflow"), None)
        if place is None:
            return decision
        if place > 0:
            return replace(decision, actions=decision.actions[:place], stop=None, malformed=_alone())
        if len(decision.actions) > 1 or decision.stop:
            decision = replace(decision, actions=decision.actions[:1], stop=None)
        return self._begin(decision, decision.actions[0], view)

    def _begin(self, decision: Decision, call: Action, view: View) -> Decision:
        wanted = call.arguments["id"]
        known = {workflow.id: workflow for workflow in view.memory.workflows}
        workflow = known.get(wanted.split("@")[0])
        steps = self._expand(workflow) if workflow else None
        if workflow is None or steps is None:
            return replace(
                decision, outcome=Outcome("", f"no workflow {wanted!r}; known: {', '.join(known)}")
            )
        values = dict(call.arguments["arguments"])
        missing = [v.name for v in workflow.variables if v.in_goal and not values.get(v.name)]
        if missing:
            return replace(decision, outcome=Outcome("", f"no value for {', '.join(missing)}"))
        self._called = ReplayPolicy(workflow, [step for step in steps if step.tool != "stop"], values)
        return replace(
            decision, outcome=Outcome(f"{workflow.label} began; its steps follow"), workflow=workflow.label
        )


def _handed_over(engine: ReplayPolicy, decision: Decision) -> str:
    if decision.given_up:
        return f"the stored workflow could not go on ({decision.given_up}); go on from here yourself"
    return f"all steps of workflow {engine.workflow.label} are done"


def _alone() -> Malformed:
    return Malformed("call workflow alone, as the only call of a reply")
