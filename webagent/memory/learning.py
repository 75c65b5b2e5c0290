"""What a run leaves in memory: new workflows, better versions, evidence, lessons."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from webagent import evidence
from webagent.binding import bind
from webagent.errors import ModelFault, first_line
from webagent.evidence import Signal
from webagent.ids import new_id, scope_of
from webagent.induction.compose import calls_in_a_circle, composed
from webagent.induction.heal import healed
from webagent.induction.lessons import induce_lessons
from webagent.induction.llm import induce_by_model
from webagent.induction.merge import merged
from webagent.induction.rule import induce
from webagent.induction.safety import suspicious
from webagent.interfaces import ChatModel, Verdict
from webagent.memory.recall import WorkflowMemory
from webagent.routine import align, routine_of
from webagent.store import LIVE, Store
from webagent.trajectory import Trajectory
from webagent.workflow import Workflow, shape_of

ORIGINS_READ = 5
"""Earlier runs of a workflow that a new version is made from."""
TRIES = 8
"""How often a merge is done anew because another process stored a version meanwhile."""
PROGRAM = "program"
SPENT = ("max_tokens", "max_cost")
"""Ends of runs after which the model must not be asked again."""


@dataclass(frozen=True)
class Learned:
    """Labels of the workflows learned, and why proposals were refused."""

    labels: Sequence[str] = ()
    refused: Sequence[str] = ()


class Learner:
    """Writes what runs teach. `mode` is online (after a run) or offline (from stored runs); `by` is
    llm, rule or both (a rule only where the model's proposals don't cover the run). What was learned on
    a page that is not `trusted` (outside the allowed domains) waits for a person."""

    def __init__(
        self,
        store: Store,
        model: ChatModel | None = None,
        *,
        mode: str = "online",
        by: str = "both",
        trusted: Callable[[str], bool] = lambda url: True,
    ) -> None:
        self._store = store
        self._memory = WorkflowMemory(store)
        self._model = model if by != "rule" else None
        self._mode = mode
        self._trusted = trusted
        self._by = by

    async def learn(self, trajectory: Trajectory, verdict: Verdict) -> Learned:
        """What a run that was judged a success teaches: a better version of a workflow that it
        followed, or else new workflows. A run that no judge looked at teaches nothing. Comes before
        `credit`. Raises ModelFault."""
        routine = routine_of(trajectory)
        unseen = [step.n for step in trajectory.steps if step.outcome.taken_over]
        if verdict.success is True and unseen:
            return Learned(refused=[f"what the person did in step {unseen[0]} is not known"])
        if verdict.success is True and routine and (mended := self._heal(trajectory, verdict)):
            return Learned(mended)
        if verdict.success is not True or verdict.judge == "none" or not routine:
            return Learned()
        hosts = dict.fromkeys(scope_of(step.url) for step in routine)
        existing = [workflow for hostname in hosts for workflow in self._store.workflows(hostname)]
        for workflow in existing:
            labels = self._merge(workflow, trajectory)
            if labels is not None:
                return Learned(labels)
        proposals: list[Workflow] = []
        refused: list[str] = []
        if self._model is not None:
            try:
                induced = await induce_by_model(self._model, trajectory, existing)
            except ModelFault as error:
                if self._by == "llm":
                    raise
                refused.append(f"the model could not be asked: {first_line(error)}")
            else:
                proposals += induced.workflows
                refused += induced.refused
        if self._by != "llm" and not any(proposal.goals for proposal in proposals):
            by_rule = induce([trajectory])
            proposals += [by_rule] if by_rule else []
        labels = self._add(proposals, trajectory)
        return Learned(labels, refused)

    def _merge(self, workflow: Workflow, trajectory: Trajectory) -> list[str] | None:
        """The label of the new version where the run is another case of this workflow; empty where
        it taught nothing new; None where it is something else."""
        if not workflow.goals:
            return None
        for _ in range(TRIES):
            steps = self._memory.expand(workflow)
            if steps is None:
                return None
            runs = self._store.trajectories(workflow.origins[-ORIGINS_READ:])
            better = merged(workflow, steps, runs, trajectory)
            if better is None:
                return None
            if better is workflow:
                self._store.add_origin(workflow.id, workflow.version, trajectory.run_id)
                self.settle(workflow.id, workflow.version, trajectory.run_id)
                return []
            with self._store.writing():
                newest = self._store.workflow(workflow.id)
                if newest is not None and newest.version == workflow.version:
                    return [self._saved_version(better, workflow, trajectory)]
            workflow = newest or workflow
        return []

    def _heal(self, trajectory: Trajectory, verdict: Verdict) -> list[str]:
        """Labels of the new versions where a replay was mended on its way, by itself or by the model."""
        label = trajectory.replayed
        workflow = self._store.workflow(label) if label else None
        alone = all(step.by == "replay" for step in trajectory.steps)
        if workflow is None or (verdict.judge == "none" and not alone):
            return []
        labels = []
        why = f"healed by run {trajectory.run_id}"
        for before, after in healed(workflow, self._store.workflow, trajectory):
            with self._store.writing():
                newest = self._store.workflow(before.id)
                if newest is not None and newest.version == before.version:
                    labels.append(self._saved_version(after, before, trajectory, why))
        return labels

    def _saved_version(
        self, better: Workflow, before: Workflow, trajectory: Trajectory, why: str = ""
    ) -> str:
        why = why or f"learned from run {trajectory.run_id} too"
        odd = suspicious(better) or self._outside(trajectory)
        status = "quarantined" if odd else before.status
        fresh = replace(better, status=status, success_weight=0.0, failure_weight=0.0, uses=before.uses)
        saved = self._store.save_workflow(fresh, better.origins, PROGRAM, odd or why)
        if before.status == "candidate" and not odd:
            self._store.set_status(
                before.id, before.version, "retired", PROGRAM, f"replaced by version {saved.version}"
            )
        self.settle(saved.id, saved.version, trajectory.run_id)
        return saved.label

    def _add(self, proposals: Sequence[Workflow], trajectory: Trajectory) -> list[str]:
        """Stores the proposals that are not there yet, in one transaction with the look at what is."""
        labels: list[str] = []
        with self._store.writing():
            for proposal in proposals:
                live = self._store.workflows(proposal.hostname)
                if self._is_there(proposal, live):
                    continue
                parts = composed(proposal, live)
                if parts.routine is not None:
                    labels.append(self._saved(parts.routine, trajectory))
                if parts.other is not None:
                    self._recast(parts.other)
                if not calls_in_a_circle(parts.workflow, self._store.workflows(proposal.hostname)):
                    labels.append(self._saved(parts.workflow, trajectory))
        return labels

    def _is_there(self, proposal: Workflow, live: Sequence[Workflow]) -> bool:
        """Whether a live workflow does the same: for the same goal, or as a sub-routine at all."""
        shape = self._shape(proposal)
        for other in live:
            same = self._shape(other) == shape
            if same and (not proposal.goals or set(proposal.goals) & set(other.goals)):
                return True
        return False

    def _shape(self, workflow: Workflow) -> object:
        return shape_of(self._memory.expand(workflow) or workflow.steps)

    def _saved(self, workflow: Workflow, trajectory: Trajectory) -> str:
        odd = suspicious(workflow) or self._outside(trajectory)
        saved = self._store.save_workflow(
            replace(
                workflow,
                id=workflow.id or new_id("wf"),
                status="quarantined" if odd else "candidate",
                learned=self._mode,
            ),
            workflow.origins or [trajectory.run_id],
            PROGRAM,
            odd or f"induced by {workflow.source} from run {trajectory.run_id}",
        )
        self.settle(saved.id, saved.version, trajectory.run_id)
        return saved.label

    def _outside(self, trajectory: Trajectory) -> str:
        """Why a run's pages are not to be learned from unseen; empty where they are."""
        hosts = {scope_of(step.url) for step in trajectory.steps if not self._trusted(step.url)}
        return f"learned outside the allowed domains, on {', '.join(sorted(hosts))}" if hosts else ""

    def _recast(self, workflow: Workflow) -> None:
        """An old workflow that now calls what it shares with a new one: a new version, same status."""
        saved = self._store.save_workflow(
            workflow, workflow.origins, PROGRAM, "calls what it shares with another"
        )
        if workflow.status == "candidate":
            why = f"replaced by version {saved.version}"
            self._store.set_status(workflow.id, workflow.version, "retired", PROGRAM, why)

    def credit(
        self, trajectory: Trajectory, verdict: Verdict, given: Sequence[str], *, weigh: bool
    ) -> list[str]:
        """Notes for each workflow (id@version) that a run was given or carried out whether the run
        followed it, and, with `weigh`, counts its evidence anew. Returns those that were followed."""
        routine = routine_of(trajectory)
        replayed = {step.workflow for step in trajectory.steps if step.workflow} | {trajectory.replayed} - {
            ""
        }
        followed = []
        for label in dict.fromkeys([*given, *sorted(replayed)]):
            workflow = self._store.workflow(label)
            if workflow is None:
                continue
            steps = self._memory.expand(workflow)
            done = bool(routine) and steps is not None and align(steps, routine) is not None
            mode = _mode(label, trajectory) if label in replayed else "prompt"
            self._store.add_use(workflow.id, workflow.version, trajectory.run_id, mode, done, verdict.success)
            if done:
                followed.append(label)
            if weigh:
                self.settle(workflow.id, workflow.version, trajectory.run_id)
        return followed

    def settle(self, workflow_id: str, version: int, run_id: str = "") -> None:
        """Counts the evidence of a version anew, and changes its status where the rules say so. `run_id`
        is the run that is counted for the first time."""
        with self._store.writing():
            workflow = self._store.workflow(f"{workflow_id}@{version}")
            if workflow is None:
                return
            told = self._signals(workflow)
            prior = self._prior(workflow, [signal for run, signal in told if run != run_id])
            signals = [*prior, *(signal for _, signal in told)]
            self._store.set_weights(workflow_id, version, *evidence.totals(signals))
            status, why = evidence.next_status(workflow.status, signals)
            if status != workflow.status:
                self._store.set_status(workflow_id, version, status, PROGRAM, why)

    def _prior(self, workflow: Workflow, before: Sequence[Signal]) -> list[Signal]:
        """What a version came with that no run of this database tells."""
        prior = self._store.prior(workflow.id, workflow.version)
        if prior is None:
            prior = (0.0, 0.0)
            if self._store.has_missing_origins(workflow.id, workflow.version):
                success, failure = evidence.totals(before)
                prior = (
                    max(0.0, workflow.success_weight - success),
                    max(0.0, workflow.failure_weight - failure),
                )
            self._store.set_prior(workflow.id, workflow.version, *prior)
        return [Signal(won, weight) for won, weight in ((False, prior[1]), (True, prior[0])) if weight]

    def _signals(self, workflow: Workflow) -> list[tuple[str, Signal]]:
        """What each run says of a version, oldest first, with the run's id."""
        accuracy = evidence.accuracy(*self._store.judge_agreement())
        signals = []
        for row in self._store.signal_rows(workflow.id, workflow.version):
            success, judge = row["success"], row["judge"] or "none"
            if row["followed"]:
                if success is not None:
                    weight = evidence.weight_of(judge, accuracy)
                    signals.append((row["run_id"], Signal(bool(success), weight, judge in evidence.REAL)))
            elif _is_misfit(workflow, row):
                signals.append((row["run_id"], Signal(False, evidence.MISFIT_WEIGHT)))
        return signals

    def rejudge(self, run_id: str, verdict: Verdict) -> None:
        """Lets the evidence follow a verdict that came later (a person's)."""
        self._store.settle_uses(run_id, verdict.success)
        self._store.settle_lesson_uses(run_id, verdict.success)
        for workflow_id, version in self._store.versions_of_run(run_id):
            self.settle(workflow_id, version)

    def expire(self, hostname: str, days: float) -> list[str]:
        """Retires the live workflows of a hostname that were not used for so many days; 0 is never."""
        if days <= 0:
            return []
        moment = (
            (datetime.now(UTC) - timedelta(days=days))
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z")
        )
        retired = []
        for workflow_id, version in self._store.idle_since(hostname, moment):
            if self._store.is_called(workflow_id, hostname):
                continue
            self._store.set_status(workflow_id, version, "retired", PROGRAM, f"unused for {days:g} days")
            retired.append(f"{workflow_id}@{version}")
        return retired

    async def learn_lessons(self, trajectory: Trajectory, verdict: Verdict) -> list[str]:
        """Ids of the lessons that a failed run yields, at most two. Raises ModelFault."""
        if verdict.success is not False or self._model is None or not trajectory.steps:
            return []
        if trajectory.reason.startswith(SPENT):
            return []
        hostname = scope_of(trajectory.steps[0].url)
        known = [
            str(row["text"])
            for row in self._store.lessons(hostname, ("candidate", "active", "quarantined", "retired"))
        ]
        found = await induce_lessons(self._model, trajectory, verdict, known)
        return [
            self._store.add_lesson(
                hostname,
                lesson.text,
                when=lesson.when,
                run_id=trajectory.run_id,
                evidence=lesson.evidence,
                why=f"run {trajectory.run_id} failed",
            )
            for lesson in found
        ]

    def credit_lessons(self, run_id: str, shown: Sequence[str], verdict: Verdict) -> None:
        """Notes the lessons that a run was shown, and what became of it; one that three runs in a row
        failed under is put aside."""
        accuracy = evidence.accuracy(*self._store.judge_agreement())
        weight = evidence.weight_of(verdict.judge, accuracy)
        for lesson_id in shown:
            self._store.add_lesson_use(lesson_id, run_id, verdict.success)
            if verdict.success is None:
                continue
            if verdict.success:
                self._store.add_lesson_weights(lesson_id, success=weight)
            else:
                self._store.add_lesson_weights(lesson_id, failure=weight)
            self._settle_lesson(lesson_id)

    def _settle_lesson(self, lesson_id: str) -> None:
        row = self._store.lesson(lesson_id)
        uses = [use["success"] for use in self._store.lesson_uses(lesson_id) if use["success"] is not None]
        if row is None or row["status"] not in LIVE:
            return
        signals = [Signal(bool(success), 1.0, real=True) for success in uses]
        status, why = evidence.next_status(str(row["status"]), signals)
        if status != row["status"]:
            self._store.set_lesson_status(lesson_id, status, PROGRAM, why)


def _is_misfit(workflow: Workflow, row: Mapping[str, Any]) -> bool:
    """Whether a run that did not follow a workflow speaks against it: not where nobody else was there
    to tell whether the page or the goal was at fault, nor where the task could not be done at all."""
    success, judge = row["success"], row["judge"] or "none"
    if success is None or row["status"] == "infeasible" or (judge == "none" and row["policy"] == "replay"):
        return False
    if row["mode"] != "prompt":
        return True
    return bool(success) and judge != "none" and bind(workflow, row["goal"]) is not None


def _mode(label: str, trajectory: Trajectory) -> str:
    called = any(step.action.tool == "workflow" and step.workflow == label for step in trajectory.steps)
    return "action" if called else "replay"
