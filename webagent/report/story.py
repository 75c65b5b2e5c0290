"""What a report tells: the calls of the model and the steps of a run, in the order they happened."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webagent.interfaces import Memory, ModelCall
from webagent.observation import Box, Observation
from webagent.result import RunResult
from webagent.trajectory import Step, Stop

_OBSERVATION = re.compile(r"<observation .*</observation>", re.DOTALL)


@dataclass(frozen=True)
class Called:
    """One call of the model, `at` so many seconds after the run began."""

    call: ModelCall
    at: float = 0.0


@dataclass(frozen=True)
class Done:
    """One step; `shown` is the page as the policy read it, `picture` a JPEG of it from just before the
    action."""

    step: Step
    shown: str = ""
    picture: bytes = b""
    at: float = 0.0


@dataclass(frozen=True)
class Ending:
    """How the run ended: its result, its last action, the last page as text and as a JPEG, and the
    texts of what was learned."""

    result: RunResult
    stop: Stop | None = None
    shown: str = ""
    picture: bytes = b""
    viewport: tuple[int, int] = (1280, 720)
    learned: Sequence[str] = ()


@dataclass(frozen=True)
class Story:
    """A run so far; `ending` is None where it broke off. `given` is what memory gave, `told` what was
    said beside the steps."""

    run_id: str
    goal: str
    start_url: str
    started_at: str = ""
    moments: Sequence[Called | Done] = ()
    given: Sequence[Memory] = ()
    told: Sequence[str] = ()
    ending: Ending | None = None

    @property
    def models(self) -> Sequence[str]:
        """The names of the models that were called."""
        calls = (moment.call.model for moment in self.moments if isinstance(moment, Called))
        return tuple(dict.fromkeys(calls))


@dataclass
class Turn:
    """A call of the model with the steps that came of it; no call where a replay or a person acted.
    `fresh` are the call's messages that the turn before did not have."""

    call: ModelCall | None
    steps: list[Done] = field(default_factory=list)
    at: float = 0.0
    fresh: int = 0


def turns(story: Story) -> list[Turn]:
    """The moments, each step with the call that decided it."""
    found: list[Turn] = []
    before: Sequence[object] = ()
    for moment in story.moments:
        if isinstance(moment, Called):
            call = moment.call
            known = _shared(before, call.messages) if call.name == "act" else 0
            found.append(Turn(call, at=moment.at, fresh=len(call.messages) - known))
            before = call.messages if call.name == "act" else before
        elif moment.step.by == "llm" and found and found[-1].call and found[-1].call.name == "act":
            found[-1].steps.append(moment)
        else:
            found.append(Turn(None, [moment], moment.at))
    return found


def _shared(one: Sequence[object], other: Sequence[object]) -> int:
    """How many leading messages two prompts share."""
    for n, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return n
    return min(len(one), len(other))


def observation_in(call: ModelCall) -> str:
    """The observation that a call showed, word for word; empty where it showed none."""
    for message in reversed(call.messages):
        found = _OBSERVATION.search(text_of(message.get("content")))
        if found:
            return found[0]
    return ""


def text_of(content: object) -> str:
    """The text of a message's content, which may come in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def used_boxes(observation: Observation, *refs: object) -> Iterator[Box]:
    """Where the elements that an action is about were seen, in CSS pixels of the viewport."""
    for ref in refs:
        line = observation.by_ref.get(ref) if isinstance(ref, str) else None
        if line is not None and line.box is not None:
            yield line.box
