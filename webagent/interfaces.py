"""The protocols between the parts: who plugs in where, and the plain data that passes between."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from webagent.actions import Action, Malformed
from webagent.observation import Observation, Target
from webagent.trajectory import Outcome, Step, Stop, Trajectory
from webagent.workflow import Workflow


@dataclass(frozen=True)
class Usage:
    """Tokens and cost of model calls; `cost_usd` is None where no price is known."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            sum(costs) if costs else None,
            self.seconds + other.seconds,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        cost = None if self.cost_usd is None else self.cost_usd - (other.cost_usd or 0.0)
        return Usage(
            self.calls - other.calls,
            self.prompt_tokens - other.prompt_tokens,
            self.cached_tokens - other.cached_tokens,
            self.completion_tokens - other.completion_tokens,
            cost,
            self.seconds - other.seconds,
        )


Message = Mapping[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """A tool call as the endpoint sent it: arguments are unparsed JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Completion:
    """One model reply. `finish` is the finish_reason."""

    text: str = ""
    tool_calls: Sequence[ToolCall] = ()
    finish: str = "stop"


@dataclass(frozen=True)
class ModelCall:
    """One call of `model`: `name` is act or the schema's name, `messages` those sent, word for word;
    `error` is why there is no completion, `error_type` the name of what was raised. `usage` is this call's
    alone, its seconds too; `url` the endpoint's base URL as it may be shown."""

    model: str
    name: str
    messages: Sequence[Message]
    usage: Usage
    completion: Completion | None = None
    error: str = ""
    error_type: str = ""
    url: str = ""


class ChatModel(Protocol):
    """An OpenAI-compatible chat endpoint. Raises ModelFault when it can't be used."""

    usage: Usage

    @property
    def name(self) -> str: ...

    async def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Completion:
        """A reply that should hold actions: by tools where the endpoint has them, else by a JSON
        schema response format, else plain text. Which one is found out once and remembered."""
        ...

    async def ask(
        self, name: str, messages: Sequence[Message], schema: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """A reply under the JSON schema called `name`, as an object; None where it holds none."""
        ...

    async def close(self) -> None: ...


class Session(Protocol):
    """An open browser that can observe and act."""

    async def observe(self) -> Observation:
        """The page as it is once it is quiet, with the events since the last observation."""
        ...

    async def act(self, action: Action) -> Outcome:
        """Carries out one action against the newest observation. Refusals and failures are
        outcomes with an error; only BrowserFault is raised, when the browser can't be revived."""
        ...

    async def evaluate(self, script: str, url: str = "") -> Any:
        """The value of a JavaScript expression in the current page, or in the page at `url`."""
        ...

    async def text_of(self, locator: str, url: str = "") -> str:
        """All text at a CSS or Playwright locator, in the current page or in the page at `url`."""
        ...

    async def request(self, method: str, url: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON (or text) of an HTTP call with the session's cookies."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True)
class Memory:
    """What memory gives a hostname for a goal; `callees` are what its workflows call, by id."""

    hostname: str = ""
    workflows: Sequence[Workflow] = ()
    callees: Mapping[str, Workflow] = field(default_factory=dict)
    lessons: Sequence[str] = ()


Recall = Callable[[str, Observation], Memory]
"""(hostname, observation) -> what to show. Called again when the hostname changes."""


@dataclass(frozen=True)
class View:
    """What a policy decides from. `notes` are words of the harness to the model (why a call was
    dropped, that it repeats itself)."""

    goal: str
    observation: Observation
    steps: Sequence[Step]
    memory: Memory = field(default_factory=Memory)
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Decision:
    """A policy's reply: actions in order, or a stop after them, or why there is none: the reply was
    `malformed`, the model `refused` to give one, or the policy has `given_up`, for this reason. `workflow` is the id@version the
    actions are carried out for, `outcome` what came of an action that needs no browser, `target` the
    element of one that has no ref in the observation."""

    actions: Sequence[Action] = ()
    stop: Stop | None = None
    malformed: Malformed | None = None
    refused: str = ""
    given_up: str = ""
    by: str = "llm"
    workflow: str = ""
    outcome: Outcome | None = None
    target: Target | None = None


@dataclass(frozen=True)
class Intent:
    """An action that is about to be carried out as step `n`; `by` is who chose it, `risk` the kind of deed
    (see `risk.SAYS`) that a person is asked about, if any."""

    n: int
    goal: str
    action: Action
    observation: Observation
    by: str = "llm"
    risk: str = ""


@dataclass(frozen=True)
class Clearance:
    """What is to become of an intent: `action` is carried out, chosen by `by`. Where there is an
    `outcome` it is not, and that is what came of it; a `stop` ends the run in its place, `quit`
    interrupts the run for this reason. `note` is said to the model, `asked` is what a person was asked
    and what they answered."""

    action: Action
    by: str = "llm"
    outcome: Outcome | None = None
    stop: Stop | None = None
    quit: str = ""
    note: str = ""
    asked: str = ""


Before = Callable[[Intent], Awaitable[Clearance]]
"""Sees each action before it is carried out, and may change it, leave it out or end the run."""


class Policy(Protocol):
    """Decides what to do next."""

    async def decide(self, view: View) -> Decision: ...


@dataclass(frozen=True)
class Verdict:
    """Whether a run worked; `success` is None where a judge abstains. `judge` is expect, human,
    llm or none."""

    success: bool | None
    judge: str
    reason: str = ""


class Judge(Protocol):
    """Says whether a trajectory reached its goal; the session is still open."""

    async def judge(self, trajectory: Trajectory, session: Session) -> Verdict: ...


Recorder = Callable[[Step], Awaitable[None]]
"""Stores a step; awaited before the next one begins."""
