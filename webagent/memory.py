"""Memory of a hostname: what is recalled for a goal, what is learned from a run, what may be replayed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webagent.binding import bind
from webagent.ids import new_id, scope_of
from webagent.induction.llm import induce_by_model
from webagent.induction.merge import merged
from webagent.induction.rule import induce
from webagent.induction.safety import suspicious
from webagent.interfaces import ChatModel, Memory, Verdict
from webagent.routine import align, routine_of
from webagent.shown import estimate_tokens
from webagent.store import LIVE, Store
from webagent.trajectory import Trajectory
from webagent.workflow import Workflow, WorkflowStep, expand, shape_of
from webagent.workflow_text import render_workflow

MOST_SHOWN = 3
"""Workflows in one prompt: more of them help less."""
SHOWN_TOKENS = 800
"""Tokens that they may take."""
ORIGINS_READ = 5
"""Earlier runs of a workflow that a new version is made from."""
WEIGHTS = {"expect": 1.0, "human": 1.0, "llm": 0.5, "none": 0.0}
"""What a verdict is worth as evidence, by its judge: a model's judgement is often wrong."""
ENOUGH = 1.0
"""Success weight at which a candidate that at least two runs agree on becomes active."""


@dataclass(frozen=True)
class Replayable:
    """A workflow that can be carried out for a goal: its steps with all calls replaced, and values."""

    workflow: Workflow
    steps: Sequence[WorkflowStep]
    values: dict[str, str]


class WorkflowMemory:
    """The memory that a store holds. Only `learn` and `credit` write."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def expand(self, workflow: Workflow) -> list[WorkflowStep] | None:
        """The workflow's steps with its calls replaced; None where a callee is gone."""
        return expand(workflow, self._callee)

    def _callee(self, workflow_id: str) -> Workflow | None:
        found = self._store.workflow(workflow_id) if workflow_id else None
        return found if found and found.status in LIVE else None

    def recall(self, hostname: str, goal: str) -> Memory:
        """What to show for this goal: at most three workflows and one of them a candidate, within the
        token budget, in an order that stays the same from run to run."""
        chosen: list[Workflow] = []
        spent = candidates = 0
        for workflow in self.ranked(hostname, goal):
            if len(chosen) == MOST_SHOWN:
                break
            if workflow.status == "candidate" and candidates:
                continue
            cost = estimate_tokens(render_workflow(workflow))
            if spent + cost > SHOWN_TOKENS:
                continue
            spent += cost
            candidates += workflow.status == "candidate"
            chosen.append(workflow)
        return Memory(hostname, sorted(chosen, key=lambda workflow: workflow.id))

    def ranked(self, hostname: str, goal: str) -> list[Workflow]:
        """Live workflows that have to do with a goal, best first: those whose goal template fits it,
        then by the words they share; the proven before the new, a model's words before a rule's."""
        scored = self._store.search_workflows(hostname, goal, limit=20)
        scores = {workflow.id: score for workflow, score in scored}
        return sorted(
            (workflow for workflow, _ in scored),
            key=lambda workflow: (
                bind(workflow, goal) is None,
                workflow.status != "active",
                workflow.source == "rule",
                -scores[workflow.id],
                workflow.id,
            ),
        )

    def replayable(self, hostname: str, goal: str, *, trusted: bool) -> Replayable | None:
        """The workflow to carry out without a model: active ones first; candidates only where not
        only `trusted` ones are asked for and they change nothing."""
        best: tuple[tuple[bool, float, int], Replayable] | None = None
        for workflow in self._store.workflows(hostname):
            values = bind(workflow, goal)
            steps = self.expand(workflow) if values is not None else None
            if values is None or steps is None:
                continue
            if workflow.status != "active" and (trusted or any(step.changes for step in steps)):
                continue
            if workflow.reader is None and workflow.steps[-1].arguments.get("answer"):
                continue
            rank = (workflow.status == "active", workflow.success_weight, workflow.uses)
            if best is None or rank > best[0]:
                best = (rank, Replayable(workflow, steps, values))
        return best[1] if best else None

    def credit(
        self,
        trajectory: Trajectory,
        verdict: Verdict,
        given: Sequence[str],
        replayed: Sequence[str],
        *,
        weigh: bool,
    ) -> list[str]:
        """Notes for each workflow that a run was given or carried out whether the run followed it,
        and, with `weigh`, adds the verdict to the evidence of those. Returns the followed (id@version)."""
        routine = routine_of(trajectory)
        followed = []
        for label in dict.fromkeys([*given, *replayed]):
            workflow = self._store.workflow(label)
            if workflow is None:
                continue
            steps = self.expand(workflow)
            began = label in replayed
            aligned = bool(routine) and steps is not None and align(steps, routine) is not None
            mode = _mode(label, trajectory) if began else "prompt"
            self._store.add_use(
                workflow.id, workflow.version, trajectory.run_id, mode, began or aligned, verdict.success
            )
            if not (began or aligned):
                continue
            followed.append(label)
            if not weigh:
                continue
            weight = WEIGHTS.get(verdict.judge, 0.0)
            if verdict.success:
                self._store.add_weights(workflow.id, workflow.version, success=weight)
            elif verdict.success is False:
                self._store.add_weights(workflow.id, workflow.version, failure=weight)
        return followed

    async def learn(
        self, trajectory: Trajectory, verdict: Verdict, model: ChatModel | None
    ) -> tuple[list[str], list[str]]:
        """What a run that was judged a success teaches: a better version of a workflow that it
        followed, or else new workflows. Returns their labels, and why proposals were refused. Comes
        before `credit`. A run that no judge looked at teaches nothing."""
        routine = routine_of(trajectory)
        if verdict.success is not True or verdict.judge == "none" or not routine:
            return [], []
        hostname = scope_of(routine[0].url)
        existing = self._store.workflows(hostname)
        for workflow in existing:
            label = self._merge(workflow, trajectory, verdict)
            if label is not None:
                return ([label] if label else []), []
        proposals: list[Workflow] = []
        refused: list[str] = []
        if model is not None:
            induced = await induce_by_model(model, trajectory, existing)
            proposals += induced.workflows
            refused += induced.refused
        if not any(proposal.goals for proposal in proposals):
            by_rule = induce([trajectory])
            proposals += [by_rule] if by_rule else []
        return self._add(proposals, existing, trajectory, verdict), refused

    def _merge(self, workflow: Workflow, trajectory: Trajectory, verdict: Verdict) -> str | None:
        """The label of the new version where the run is another case of this workflow; empty where
        it taught nothing new; None where it is something else."""
        steps = self.expand(workflow)
        if steps is None or not workflow.goals:
            return None
        runs = [self._store.trajectory(run_id) for run_id in workflow.origins[-ORIGINS_READ:]]
        better = merged(workflow, steps, runs, trajectory)
        if better is None:
            return None
        if better is workflow:
            self._promote(workflow, trajectory, verdict)
            return ""
        saved = self._store.save_workflow(
            replace(
                better,
                success_weight=workflow.success_weight + WEIGHTS.get(verdict.judge, 0.0),
                failure_weight=workflow.failure_weight,
                uses=workflow.uses,
                status="candidate" if suspicious(better) else _status(workflow, verdict),
            ),
            better.origins,
            "program",
            f"learned from run {trajectory.run_id} too",
        )
        return saved.label

    def _promote(self, workflow: Workflow, trajectory: Trajectory, verdict: Verdict) -> None:
        if workflow.status == "candidate" and _status(workflow, verdict) == "active":
            why = f"run {trajectory.run_id} did the same and succeeded"
            self._store.set_status(workflow.id, workflow.version, "active", "program", why)

    def _add(
        self,
        proposals: Sequence[Workflow],
        existing: Sequence[Workflow],
        trajectory: Trajectory,
        verdict: Verdict,
    ) -> list[str]:
        """Stores the proposals that are not there yet."""
        shapes = {
            shape_of(steps)
            for workflow in existing
            if (steps := self.expand(workflow)) and not workflow.goals
        }
        labels = []
        for proposal in proposals:
            shape = shape_of(proposal.steps)
            if not proposal.goals and shape in shapes:
                continue
            shapes.add(shape)
            saved = self._store.save_workflow(
                replace(
                    proposal,
                    id=proposal.id or new_id("wf"),
                    status="candidate",
                    success_weight=WEIGHTS.get(verdict.judge, 0.0),
                ),
                [trajectory.run_id],
                "program",
                f"induced by {proposal.source} from run {trajectory.run_id}",
            )
            labels.append(saved.label)
        return labels


def _mode(label: str, trajectory: Trajectory) -> str:
    called = any(step.action.tool == "workflow" and step.workflow == label for step in trajectory.steps)
    return "action" if called else "replay"


def _status(before: Workflow, verdict: Verdict) -> str:
    """Active once a second run agrees and the verdicts weigh enough."""
    weight = before.success_weight + WEIGHTS.get(verdict.judge, 0.0)
    return "active" if weight >= ENOUGH and weight > before.failure_weight else before.status
