"""The agent loop: observe, decide, act, until it stops or a budget ends it."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from webagent.actions import Action
from webagent.ids import scope_of
from webagent.interfaces import (
    Before,
    Clearance,
    Decision,
    Intent,
    Memory,
    Policy,
    Recall,
    Recorder,
    Session,
    Usage,
    View,
)
from webagent.masking import MASK, Masker, masker
from webagent.observation import Observation
from webagent.trajectory import Outcome, Step, Stop, Trajectory

MALFORMED_IN_A_ROW = 3
"""So many replies without a usable action end a run, and so many refusals."""
REPEATS_TOLD = 3
"""The same action on the same page this often is pointed out to the model …"""
REPEATS_END = 5
"""… and this often ends the run."""


@dataclass(frozen=True)
class Budget:
    """What a run may use; None is no limit. `timeout` is in seconds, on the monotonic clock, `max_cost` in US
    dollars, for models whose price is known."""

    max_steps: int = 30
    timeout: float = 600.0
    max_tokens: int | None = None
    max_cost: float | None = None

    def spent(self, usage: Usage) -> str:
        """Which of the model's budgets is used up, if any."""
        tokens = usage.prompt_tokens + usage.completion_tokens
        if self.max_tokens is not None and tokens >= self.max_tokens:
            return f"max_tokens: {tokens} of {self.max_tokens} used"
        if self.max_cost is not None and usage.calls:
            if usage.cost_usd is None:
                return "max_cost: the cost is not known, since the endpoint reports no tokens"
            if usage.cost_usd >= self.max_cost:
                return f"max_cost: {usage.cost_usd:.4f} of {self.max_cost} USD used"
        return ""


Ask = Callable[[str], Awaitable[str]]
"""Puts a question to a person."""


async def _cleared(intent: Intent) -> Clearance:
    """For runs that nobody looks on."""
    return Clearance(intent.action, intent.by)


async def _unseen() -> None:
    """For runs of which no pictures are kept."""


def _keep(mask: Masker) -> None:
    """For runs whose steps are stored nowhere."""


@dataclass
class Episode:
    """One run from the first observation to its end. `trajectory` is up to date at every moment,
    so that whoever interrupts the run can keep what is there. `mask` is over all that the policy and
    a person say."""

    trajectory: Trajectory
    session: Session
    policy: Policy
    budget: Budget
    recall: Recall
    record: Recorder
    usage: Callable[[], Usage] = Usage
    ask: Ask | None = None
    hide: Callable[[Masker], None] = _keep
    before: Before = _cleared
    look: Callable[[], Awaitable[None]] = _unseen
    mask: Masker = str
    browser_seconds: float = 0.0
    _memory: Memory = field(default_factory=Memory)
    _notes: list[str] = field(default_factory=list)
    _maskers: list[Masker] = field(default_factory=list)
    _malformed: int = 0
    _refused: int = 0
    _repeats: Counter[tuple[str, str]] = field(default_factory=Counter)

    async def run(self) -> Trajectory:
        """Raises BrowserFault, ModelFault or LimitReached; `trajectory` holds the steps until then."""
        goal = self.trajectory.goal
        observation = await self._observe()
        while not self.trajectory.stop and not self.trajectory.reason:
            self._recall(observation)
            view = View(goal, observation, self.trajectory.steps, self._memory, tuple(self._notes))
            self._notes.clear()
            decision = self._thought_of(await self.policy.decide(view))
            await self._carry_out(decision, observation)
            if self._over():
                break
            observation = await self._observe()
        return self._ended()

    def _thought_of(self, decision: Decision) -> Decision:
        """The decision as it may be shown; arguments are masked once they were carried out."""
        actions = [replace(action, thought=self._hidden(action.thought)) for action in decision.actions]
        return replace(decision, actions=actions)

    async def _observe(self) -> Observation:
        began = time.monotonic()
        observation = await self.session.observe()
        self.browser_seconds += time.monotonic() - began
        for mask in self._maskers:
            observation = observation.masked(mask)
        self.trajectory = replace(self.trajectory, final=observation)
        return observation

    def _recall(self, observation: Observation) -> None:
        """Memory follows the hostname; on the same one it stays, so that the prefix does."""
        hostname = scope_of(observation.url)
        if hostname and hostname != self._memory.hostname:
            self._memory = self.recall(hostname, observation)

    async def _carry_out(self, decision: Decision, observation: Observation) -> None:
        for place, action in enumerate(decision.actions):
            if len(self.trajectory.steps) >= self.budget.max_steps:
                self._end("budget", f"max_steps: {self.budget.max_steps} steps done and no stop")
                return
            await self.look()
            cleared = await self._clear(action, decision, observation)
            if cleared.stop or cleared.quit:
                return
            step = await self._step(cleared, decision, observation)
            if not step.outcome.skipped and decision.by != "human":
                self._watch(step.action, observation, step.outcome)
            left = len(decision.actions) - place - 1 + bool(decision.stop)
            failed = not step.outcome.ok and not step.outcome.skipped
            if left and (step.outcome.changed or failed):
                why = "the page changed" if step.outcome.changed else "it failed"
                self._notes.append(
                    f"after {step.action.tool} {why}, so the other {left} call{'s' * (left > 1)} of that reply "
                    "were not carried out; look at the page again"
                )
                break
            if left and self._over():
                return
        else:
            self._conclude(decision)

    def _conclude(self, decision: Decision) -> None:
        """What a reply means besides the actions in it."""
        if decision.stop:
            self.trajectory = replace(self.trajectory, stop=self._clean(decision.stop))
        elif decision.refused:
            self._refused += 1
            self._notes.append(f"{decision.refused}: say stop with status infeasible if you can't go on")
            if self._refused >= MALFORMED_IN_A_ROW:
                self._end("failed", f"no action for {self._refused} replies in a row: {decision.refused}")
        elif decision.malformed:
            self._malformed += 1
            self._notes.append(self._hidden(f"your reply was not usable: {decision.malformed.message}"))
            if self._malformed >= MALFORMED_IN_A_ROW:
                self._end(
                    "failed",
                    f"{self._malformed} replies in a row held no usable action: {decision.malformed.message}",
                )
        elif not decision.actions:
            self._end("failed", decision.given_up or "the policy gave no action")
        if decision.actions or decision.stop:
            self._malformed = self._refused = 0

    async def _clear(self, action: Action, decision: Decision, observation: Observation) -> Clearance:
        """What is to become of an action; a stop or an interruption has ended the run."""
        if decision.outcome is not None:
            return Clearance(action, decision.by, decision.outcome)
        intent = Intent(
            len(self.trajectory.steps) + 1, self.trajectory.goal, action, observation, decision.by
        )
        cleared = await self.before(intent)
        if cleared.note:
            self._notes.append(cleared.note)
        if cleared.stop:
            self.trajectory = replace(self.trajectory, stop=self._clean(cleared.stop))
        elif cleared.quit:
            self._end("interrupted", cleared.quit)
        return cleared

    async def _step(self, cleared: Clearance, decision: Decision, observation: Observation) -> Step:
        began = time.monotonic()
        action = cleared.action
        if cleared.outcome is not None:
            outcome = cleared.outcome
        elif action.tool == "ask":
            outcome = await self._asked(self._hidden(action.arguments["question"]))
        elif action.tool == "workflow":
            outcome = Outcome("", error="no such workflow is in memory here")
        else:
            outcome = await self.session.act(action)
            self.browser_seconds += time.monotonic() - began
        if outcome.secret:
            action = self._without_secret(action)
        action = action.masked(self._hidden)
        outcome = replace(outcome, message=self._hidden(outcome.message), error=self._hidden(outcome.error))
        step = Step(
            n=len(self.trajectory.steps) + 1,
            action=action,
            observation=observation,
            outcome=outcome,
            target=observation.target(action.ref) if action.ref else decision.target,
            by=cleared.by,
            workflow=decision.workflow if cleared.by == decision.by else "",
            seconds=time.monotonic() - began,
            asked=cleared.asked,
        )
        self.trajectory = replace(self.trajectory, steps=(*self.trajectory.steps, step))
        await self.record(step)
        return step

    def _clean(self, stop: Stop) -> Stop:
        answer = None if stop.answer is None else self._hidden(stop.answer)
        return replace(stop, thought=self._hidden(stop.thought), answer=answer)

    def _hidden(self, text: str) -> str:
        """A text without secrets, and without what went into password fields so far."""
        for mask in (self.mask, *self._maskers):
            text = mask(text)
        return text

    def _without_secret(self, action: Action) -> Action:
        """The action as it may be kept. The secret goes from all that was kept before, too."""
        mask = masker(str(action.arguments.get("text", "")))
        self._maskers.append(mask)
        self.hide(mask)
        kept = [
            replace(
                step,
                action=step.action.masked(mask),
                observation=step.observation.masked(mask),
            )
            for step in self.trajectory.steps
        ]
        self.trajectory = replace(self.trajectory, goal=mask(self.trajectory.goal), steps=tuple(kept))
        return Action(action.tool, {**action.arguments, "text": MASK}, mask(action.thought))

    async def _asked(self, question: str) -> Outcome:
        if self.ask is None:
            return Outcome("", error="no person is there to answer")
        try:
            return Outcome(f"the person answers: {self._hidden(await self.ask(question))}")
        except EOFError:
            return Outcome("", error="the person did not answer")

    def _watch(self, action: Action, observation: Observation, outcome: Outcome) -> None:
        """Points out repetition, then ends it."""
        key = (action.to_json(), observation.hash)
        self._repeats[key] += 1
        times = self._repeats[key]
        if times >= REPEATS_END:
            self._end("failed", f"the same {action.tool} on the same page {times} times")
        elif times >= REPEATS_TOLD:
            self._notes.append(
                f"you have done this same {action.tool} on this same page {times} times and nothing changed; "
                "do something else, or stop"
            )

    def _over(self) -> bool:
        """Whether the run has ended, also by a budget that is used up now."""
        if self.trajectory.stop or self.trajectory.reason:
            return True
        reason = self.budget.spent(self.usage())
        if reason:
            self._end("budget", reason)
        elif len(self.trajectory.steps) >= self.budget.max_steps:
            self._notes.append("no step is left; call stop now, with the answer if you have it")
        return bool(reason)

    def _end(self, status: str, reason: str) -> None:
        if not self.trajectory.reason:
            self.trajectory = self.trajectory.ended(status, self._hidden(reason))

    def _ended(self) -> Trajectory:
        if self.trajectory.stop:
            self.trajectory = self.trajectory.ended(self.trajectory.stop.status)
        return self.trajectory
