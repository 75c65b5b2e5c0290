"""What happened in a run: steps, and the trajectory they make."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from webagent.actions import Action
from webagent.observation import Observation, Target

SKIPPED = "the person skipped this action"
TAKEN_OVER = "the person took over the browser here and acted in it; look at the page again"
"""Errors of actions that a person kept from being carried out."""
NOT_CONFIRMED = "not confirmed"
"""How the errors of actions begin that needed a person's yes (`--confirm`) and did not get it."""


@dataclass(frozen=True)
class Outcome:
    """What came of one action. `error` is empty where it was carried out; `changed` tells that the
    page was left or replaced (navigation, tab switch, dialog), so that later calls of the same
    reply must not be carried out; `secret` that text went into a password field, and must not be
    kept; `posted` that the page sent something to its site (a request other than GET or HEAD). No
    text of the page is in here."""

    message: str
    error: str = ""
    changed: bool = False
    secret: bool = False
    posted: bool = False

    @property
    def ok(self) -> bool:
        return not self.error

    @property
    def skipped(self) -> bool:
        """Whether a person kept the action from being carried out."""
        return self.error in (SKIPPED, TAKEN_OVER)

    @property
    def unconfirmed(self) -> bool:
        """Whether it was not done because nobody said yes to it."""
        return self.error.startswith(NOT_CONFIRMED)

    @property
    def taken_over(self) -> bool:
        """Whether a person acted in the browser in its place; nobody knows what they did."""
        return self.error == TAKEN_OVER


@dataclass(frozen=True)
class Step:
    """One action, the observation it was chosen from, and what came of it. `by` is who chose it:
    llm, replay or human; `workflow` the id@version it was carried out for; `asked` what a person was asked
    about it and what came of that (`delete: yes`), empty where nothing was."""

    n: int
    action: Action
    observation: Observation
    outcome: Outcome
    target: Target | None = None
    by: str = "llm"
    workflow: str = ""
    seconds: float = 0.0
    asked: str = ""

    @property
    def url(self) -> str:
        return self.observation.url


@dataclass(frozen=True)
class Stop:
    """The stop action: counted by no one, but kept, since it holds the answer."""

    answer: str | None = None
    status: str = "done"
    thought: str = ""
    by: str = "llm"


@dataclass(frozen=True)
class Trajectory:
    """One attempt at a goal. `status` is done, failed, infeasible, budget, error or interrupted;
    `reason` says why it ended where it did not end by a stop; `replayed` is the id@version of the
    stored workflow that the run set out to carry out."""

    run_id: str
    goal: str
    start_url: str
    steps: Sequence[Step] = ()
    stop: Stop | None = None
    final: Observation | None = None
    status: str = "failed"
    reason: str = ""
    followed: Sequence[str] = field(default_factory=tuple)
    replayed: str = ""

    @property
    def answer(self) -> str | None:
        return self.stop.answer if self.stop else None

    @property
    def url(self) -> str:
        """The last URL seen."""
        if self.final:
            return self.final.url
        return self.steps[-1].url if self.steps else self.start_url

    def ended(self, status: str, reason: str = "") -> "Trajectory":
        """The same trajectory with another end."""
        return replace(self, status=status, reason=reason)
