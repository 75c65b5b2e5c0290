"""Memory of a hostname: what is recalled for a goal and what may be replayed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.binding import bind, binding
from webagent.interfaces import Memory
from webagent.memory.closest import Closest, closest
from webagent.memory.embedding import FLOOR, MOST_EMBEDDED, Similarity
from webagent.observation import Observation
from webagent.routine import may_change, path_fits
from webagent.store import LIVE, Store
from webagent.tokens import estimate_tokens
from webagent.words import telling_words
from webagent.workflow import Workflow, WorkflowStep, expand
from webagent.workflow_text import render_workflow

MOST_SHOWN = 3
"""Workflows in one prompt: more of them help less."""
SHOWN_TOKENS = 800
"""Tokens that they may take."""
MOST_LESSONS = 3
LOOKED_AT = 12
"""Workflows of a search that are ranked."""


@dataclass(frozen=True)
class Scope:
    """What a run may see of memory. `exclude_goal` and `exclude_task` keep out what came from the
    same task (for evaluation); `learned` shows one set alone (online, offline, import)."""

    exclude_task: str = ""
    exclude_goal: str = ""
    learned: str = ""
    lessons: bool = True


@dataclass(frozen=True)
class Replayable:
    """A workflow that can be carried out for a goal: its steps with all calls replaced, and values."""

    workflow: Workflow
    steps: Sequence[WorkflowStep]
    values: dict[str, str]


@dataclass(frozen=True)
class Ranked:
    """One workflow that recall looked at: whether it is shown, and why or why not."""

    workflow: Workflow
    score: float
    fits_goal: bool
    fits_page: bool
    words: Sequence[str] = ()
    chosen: bool = False
    why: str = ""
    callees: Sequence[Workflow] = ()
    values: Mapping[str, str] = field(default_factory=dict)


class WorkflowMemory:
    """What a store's memory gives a run; reads only."""

    def __init__(
        self, store: Store, scope: Scope | None = None, similarity: Similarity | None = None
    ) -> None:
        self._store = store
        self._scope = scope or Scope()
        self._similarity = similarity

    def expand(self, workflow: Workflow) -> list[WorkflowStep] | None:
        """The workflow's steps with its calls replaced; None where a callee is gone."""
        return expand(workflow, self._callee)

    def _callee(self, workflow_id: str) -> Workflow | None:
        newest = self._store.workflow(workflow_id) if workflow_id else None
        found = self._proven(newest) if newest else None
        return found if found and found.status in LIVE else None

    def recall(self, hostname: str, goal: str, observation: Observation | None = None) -> Memory:
        """What to show for this goal: at most three workflows and one of them a candidate, with the steps
        of what they call, within the token budget, in an order that stays the same from run to run."""
        chosen = [ranked for ranked in self.ranked(hostname, goal, observation) if ranked.chosen]
        shown = {ranked.workflow.id: _for_goal(ranked.workflow, ranked.values) for ranked in chosen}
        callees = {callee.id: callee for ranked in chosen for callee in ranked.callees}
        lessons = self._lessons(hostname, goal) if self._scope.lessons else ()
        return Memory(hostname, [shown[key] for key in sorted(shown)], callees, lessons)

    def ranked(self, hostname: str, goal: str, observation: Observation | None = None) -> list[Ranked]:
        """Live workflows that have to do with a goal, best first, and which of them are shown."""
        found = [
            self._rated(workflow, score, goal, observation) for workflow, score in self._found(hostname, goal)
        ]
        found.sort(key=_order)
        seen: list[Ranked] = []
        spent = 0
        for ranked in found:
            judged, cost = self._chosen(ranked, seen, SHOWN_TOKENS - spent)
            seen.append(judged)
            spent += cost if judged.chosen else 0
        return seen

    def _proven(self, workflow: Workflow) -> Workflow:
        """The active version, where a newer one is none: that was sent by others, and must not hide it."""
        if workflow.status == "active" or workflow.version == 1:
            return workflow
        versions = self._store.versions(workflow.id)
        return next((one for one in versions if one.status == "active"), workflow)

    def _found(self, hostname: str, goal: str) -> list[tuple[Workflow, float]]:
        """Workflows to look at with their scores: by words, or by meaning where there is a model for it."""
        if self._similarity is None:
            found = self._store.search_workflows(hostname, goal, limit=LOOKED_AT)
            return [(self._proven(workflow), score) for workflow, score in found]
        live = [self._proven(workflow) for workflow in self._store.workflows(hostname)[:MOST_EMBEDDED]]
        if not live:
            return []
        texts = [". ".join([workflow.name, *workflow.goals[:3]]) for workflow in live]
        rated = sorted(zip(live, self._similarity(goal, texts), strict=True), key=lambda pair: -pair[1])
        return rated[:LOOKED_AT]

    def _rated(self, workflow: Workflow, score: float, goal: str, observation: Observation | None) -> Ranked:
        values = bind(workflow, goal)
        words = telling_words(goal) & telling_words(" ".join([workflow.name, *workflow.goals]))
        return Ranked(
            workflow,
            score,
            fits_goal=values is not None,
            fits_page=_fits_page(workflow, observation),
            words=sorted(words),
            callees=self._callees(workflow),
            values=values or {},
        )

    def _chosen(self, ranked: Ranked, before: Sequence[Ranked], left: int) -> tuple[Ranked, int]:
        """Whether a workflow is shown after those before it, why, and the tokens it takes."""
        workflow = ranked.workflow
        callees = {callee.id: callee for callee in ranked.callees}
        cost = estimate_tokens(render_workflow(workflow, callees.get))
        chosen = [other for other in before if other.chosen]
        why = ""
        near = self._similarity is not None and ranked.score >= FLOOR
        if not (ranked.fits_goal or ranked.words or near):
            why = "below the floor: it shares no telling word with the goal"
        elif self._excluded(workflow):
            why = "excluded: it came from this task, or from a set that is not shown"
        elif any(step.tool == "workflow" for step in workflow.steps) and self.expand(workflow) is None:
            why = "a workflow that it calls is gone"
        elif len(chosen) >= MOST_SHOWN:
            why = f"{MOST_SHOWN} better ones are shown"
        elif workflow.status == "candidate" and any(other.workflow.status == "candidate" for other in chosen):
            why = "a better candidate is shown, and at most one is"
        elif self._needless(ranked, chosen):
            why = "a proven one fits the goal"
        elif cost > left:
            why = f"too long: {cost} tokens, {left} left"
        told = why or _reason(ranked)
        rated = replace(ranked, chosen=not why, why=told)
        return rated, cost

    def _needless(self, ranked: Ranked, chosen: Sequence[Ranked]) -> bool:
        """Whether an unproven workflow that does not fit the goal itself, or that others sent, has a proven
        one before it that does: words that fit many goals would else get it into all of them."""
        workflow = ranked.workflow
        if workflow.status != "candidate" or not any(_proven_fit(other) for other in chosen):
            return False
        return not ranked.fits_goal or self._store.imported(workflow.id, workflow.version) is not None

    def _excluded(self, workflow: Workflow) -> bool:
        scope = self._scope
        if scope.learned and workflow.learned != scope.learned:
            return True
        if not (scope.exclude_goal or scope.exclude_task):
            return False
        return self._store.came_from(workflow.id, goal=scope.exclude_goal, task=scope.exclude_task)

    def _callees(self, workflow: Workflow) -> list[Workflow]:
        """The workflows that it calls, directly or through others."""
        found: dict[str, Workflow] = {}
        waiting = [workflow]
        while waiting:
            for step in waiting.pop().steps:
                callee = self._callee(step.arguments.get("id", "")) if step.tool == "workflow" else None
                if callee is not None and callee.id not in found:
                    found[callee.id] = callee
                    waiting.append(callee)
        return list(found.values())

    def _lessons(self, hostname: str, goal: str) -> list[str]:
        """Texts of the lessons that share most words with the goal; those without a condition always."""
        wanted = telling_words(goal)
        rated = []
        for row in self._store.lessons(hostname):
            shared = len(wanted & telling_words(f"{row['when_text'] or ''} {row['text']}"))
            if shared or not row["when_text"]:
                rated.append((row["status"] != "active", -shared, row["id"], row))
        rated.sort(key=lambda item: item[:3])
        rows = sorted((item[3] for item in rated[:MOST_LESSONS]), key=lambda row: str(row["id"]))
        self.shown_lessons = [str(row["id"]) for row in rows]
        return [
            f"{row['when_text']}: {row['text']}" if row["when_text"] else str(row["text"]) for row in rows
        ]

    shown_lessons: Sequence[str] = ()
    """Ids of the lessons of the last recall."""

    def explained(self, hostname: str, goal: str) -> list[dict[str, Any]]:
        """What recall would do for a goal, workflow by workflow, as plain rows."""
        return [
            {
                "id": ranked.workflow.label,
                "name": ranked.workflow.name,
                "status": ranked.workflow.status,
                "chosen": ranked.chosen,
                "why": ranked.why,
                "score": round(ranked.score, 4),
            }
            for ranked in self.ranked(hostname, goal)
        ]

    def replayable(self, hostname: str, goal: str, *, trusted: bool) -> Replayable | None:
        """The workflow to carry out without a model: active ones first; candidates only where not
        only `trusted` ones are asked for and they change nothing."""
        best: tuple[tuple[bool, float, float, int], Replayable] | None = None
        for workflow in map(self._proven, self._store.workflows(hostname)):
            found = binding(workflow, goal)
            if found is None or not found.sure:
                continue
            ready = self.carried(workflow, found.values, trusted=trusted)
            rank = (workflow.status == "active", found.confidence, workflow.success_weight, workflow.uses)
            if ready is not None and (best is None or rank > best[0]):
                best = (rank, ready)
        return best[1] if best else None

    def carried(self, workflow: Workflow, values: Mapping[str, str], *, trusted: bool) -> Replayable | None:
        """The workflow ready to be carried out with these values; None where it must not be."""
        steps = self.expand(workflow)
        if steps is None or self._excluded(workflow):
            return None
        if workflow.status != "active" and (trusted or any(map(may_change, steps))):
            return None
        if workflow.reader is None and workflow.steps[-1].arguments.get("answer") and not trusted:
            return None
        return Replayable(workflow, steps, dict(values))

    def closest(self, hostname: str, goal: str) -> Closest | None:
        """The trusted workflow that a goal comes closest to, where none fits it for sure."""
        live = [one for one in self._store.workflows(hostname) if one.goals and one.status == "active"]
        return closest([one for one in live if not self._excluded(one)], goal)


def _proven_fit(ranked: Ranked) -> bool:
    return ranked.fits_goal and ranked.workflow.status == "active"


def _for_goal(workflow: Workflow, values: Mapping[str, str]) -> Workflow:
    """The workflow with this goal's own values as its examples: a small model copies what it reads, and
    would search for the value of another run."""
    variables = tuple(replace(v, example=values.get(v.name, v.example)) for v in workflow.variables)
    return replace(workflow, variables=variables)


def _order(ranked: Ranked) -> tuple[object, ...]:
    """Those whose goal template fits first, then the proven, those that begin on this page, a model's
    words before a rule's, and by the words they share."""
    workflow = ranked.workflow
    return (
        not ranked.fits_goal,
        workflow.status != "active",
        not ranked.fits_page,
        workflow.source == "rule",
        -ranked.score,
        workflow.id,
    )


def _fits_page(workflow: Workflow, observation: Observation | None) -> bool:
    """Whether the first step can be done where the browser is: by its control, else by the page."""
    if observation is None:
        return True
    first = workflow.steps[0] if workflow.steps else None
    if first is not None and first.target is not None:
        return bool(observation.matches(first.target.role, first.target.name))
    return not workflow.start or path_fits(workflow.start, observation.url)


def _reason(ranked: Ranked) -> str:
    parts = []
    if ranked.fits_goal:
        parts.append("its goal fits")
    if ranked.words:
        parts.append(f"shares {', '.join(ranked.words)}")
    parts.append(
        f"{ranked.workflow.status}, {ranked.workflow.success_weight:g} for and {ranked.workflow.failure_weight:g} against"
    )
    if not ranked.fits_page:
        parts.append("begins on another page")
    return "; ".join(parts)
