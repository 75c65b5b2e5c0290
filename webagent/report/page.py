"""The report as HTML: self-contained, without a script, and deaf to what the text of pages says.

All text is escaped (Jinja's autoescape), characters that would reorder what is read are spelt out, no
address of a page is a link, and the page's own policy (CSP) allows its one style sheet, by hash, and
embedded pictures: nothing is loaded and nothing runs, whatever got in."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from webagent.interfaces import Message, ModelCall, Usage
from webagent.observation import Box, Observation
from webagent.report.story import Done, Story, Turn, observation_in, text_of, turns, used_boxes
from webagent.report.words import in_words, visible
from webagent.workflow_text import render_workflow

if TYPE_CHECKING:
    from jinja2 import Environment

CALLS = {
    "act": "The model decides",
    "bind": "The model is asked for the workflow's values",
    "answer": "The model is asked for the answer on the page",
    "verdict": "The model judges",
    "workflows": "The model is asked for workflows",
    "lessons": "The model is asked for lessons",
}
ACTORS = {"llm": "model", "replay": "replay", "human": "person"}


@dataclass(frozen=True)
class Picture:
    """A page with what is outlined on it. `note` says where to look if not there."""

    source: str
    alt: str
    width: int
    height: int
    boxes: Sequence[Box] = ()
    note: str = ""
    stale: bool = False


@dataclass(frozen=True)
class Card:
    """One entry of the report. `call` is the model's call that led to it, `same` the number of the step
    whose call it shares, `kind` step, call or end."""

    kind: str
    anchor: str
    title: str
    number: int = 0
    at: float = 0.0
    by: str = ""
    workflow: str = ""
    thought: str = ""
    action: str = ""
    message: str = ""
    error: str = ""
    asked: str = ""
    events: Sequence[str] = ()
    url: str = ""
    shown: str = ""
    picture: Picture | None = None
    seconds: float | None = None
    turn: Turn | None = None
    same: int = 0

    @property
    def call(self) -> ModelCall | None:
        return self.turn.call if self.turn else None

    @property
    def state(self) -> str:
        """good, bad or plain, for its colour."""
        failed = self.error or (self.kind == "call" and self.call is not None and self.call.error)
        return "bad" if failed else "good" if self.kind == "step" else "plain"


def page(story: Story) -> str:
    """The whole page."""
    environment = _environment()
    style = environment.get_template("report.css").render()
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    template = environment.get_template("report.html")
    cards = list(_cards(story))
    usage = sum((card.call.usage for card in cards if card.call), Usage())
    return template.render(
        story=story,
        ending=story.ending,
        result=story.ending.result if story.ending else None,
        cards=cards,
        usage=usage,
        style=style,
        digest=digest,
    )


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("webagent.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # the class itself: Markup, a subclass of it, is ours and passes as it is
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters |= {
        "seconds": _seconds,
        "dollars": _dollars,
        "number": _number,
        "said": _said,
        "indented": _indented,
    }
    environment.globals |= {
        "actors": ACTORS,
        "replied": _replied,
        "fresh": _fresh,
        "workflow_text": render_workflow,
    }
    return environment


def _cards(story: Story) -> Iterator[Card]:
    found = turns(story)
    ending = story.ending
    stopped = ending.stop if ending else None
    last = max(
        (n for n, turn in enumerate(found) if turn.call is None or turn.call.name == "act"), default=-1
    )
    ended = ending is None
    for n, turn in enumerate(found):
        if n == last and stopped and stopped.by == "llm" and not turn.steps:
            yield from _end(story, turn)
            ended = True
            continue
        if n > last and not ended and not (turn.call and turn.call.name in ("bind", "answer")):
            yield from _end(story)
            ended = True
        yield from _turn(turn, n)
    if not ended:
        yield from _end(story)


def _turn(turn: Turn, n: int) -> Iterator[Card]:
    if turn.call is not None and not turn.steps:
        title = CALLS.get(turn.call.name, f"The model is asked: {turn.call.name}")
        if turn.call.name == "act":
            title = "The model's call failed" if turn.call.error else "A reply that led to no step"
        shown = observation_in(turn.call)
        yield Card("call", f"call-{n + 1}", title, at=turn.at, by="llm", shown=shown, turn=turn)
    for place, done in enumerate(turn.steps):
        yield _step(done, turn, place)


def _step(done: Done, turn: Turn, place: int) -> Card:
    step = done.step
    observation, action = step.observation, step.action
    return Card(
        "step",
        f"step-{step.n}",
        in_words(action, step.target),
        number=step.n,
        at=done.at,
        by=step.by,
        workflow=step.workflow,
        thought=action.thought,
        action=action.to_json(),
        message=step.outcome.message,
        error=step.outcome.error,
        asked=step.asked,
        events=observation.events if place == 0 else (),
        url=observation.url,
        shown=(observation_in(turn.call) if turn.call else "") or done.shown,
        picture=_picture(done, stale=place > 0),
        seconds=step.seconds,
        turn=turn if turn.call and place == 0 else None,
        same=turn.steps[0].step.n if place else 0,
    )


def _end(story: Story, turn: Turn | None = None) -> Iterator[Card]:
    ending = story.ending
    if ending is None:
        return
    result, stop = ending.result, ending.stop
    action = {"action": "stop", "answer": stop.answer, "status": stop.status} if stop else None
    title = f"Stop: {stop.answer or stop.status}" if stop else f"The end: {result.reason or result.status}"
    picture = None
    if ending.picture:
        picture = Picture(_source(ending.picture), "The page at the end", *ending.viewport)
    yield Card(
        "end",
        "end",
        title,
        at=turn.at if turn else 0.0,
        by=stop.by if stop else "",
        thought=stop.thought if stop else "",
        action=json.dumps(action, ensure_ascii=False) if action else "",
        error="" if stop else result.reason,
        url=result.url,
        shown=(observation_in(turn.call) if turn and turn.call else "") or ending.shown,
        picture=picture,
        turn=turn,
    )


def _picture(done: Done, *, stale: bool) -> Picture | None:
    if not done.picture:
        return None
    step = done.step
    arguments = step.action.arguments
    boxes = tuple(used_boxes(step.observation, arguments.get("ref"), arguments.get("to_ref")))
    width, height = step.observation.viewport
    note = next((words for box in boxes if (words := _beyond(box, step.observation))), "")
    return Picture(
        _source(done.picture),
        f"The page before step {step.n}",
        width,
        height,
        tuple(box for box in boxes if not _beyond(box, step.observation)),
        note,
        stale,
    )


def _beyond(box: Box, observation: Observation) -> str:
    """Where an element is that the picture does not show; empty where it does."""
    width, height = observation.viewport
    x, y, w, h = box
    if y >= height:
        return f"the element was {y - height:.0f} pixels below what was in view"
    if y + h <= 0:
        return f"the element was {-(y + h):.0f} pixels above what was in view"
    if x >= width or x + w <= 0:
        return "the element was beside what was in view"
    return ""


def _source(picture: bytes) -> str:
    return f"data:image/jpeg;base64,{b64encode(picture).decode()}"


def _replied(call: ModelCall) -> str:
    """A reply as text: what was said, then the calls of tools."""
    if call.completion is None:
        return call.error
    completion = call.completion
    lines = [completion.text] if completion.text else []
    lines += [f"{one.name}({one.arguments})" for one in completion.tool_calls]
    if completion.finish not in ("stop", "tool_calls"):
        lines.append(f"(ended by: {completion.finish})")
    return "\n".join(lines)


def _indented(text: str) -> str:
    """JSON over several lines; any other text as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text


def _fresh(turn: Turn) -> Sequence[Message]:
    """The messages that the call before did not have."""
    return turn.call.messages[len(turn.call.messages) - turn.fresh :] if turn.call else ()


def _said(message: Mapping[str, Any]) -> str:
    """A message's text, or the tool calls in it."""
    lines = [text_of(message.get("content"))] if message.get("content") else []
    for call in message.get("tool_calls") or ():
        lines.append(f"{call['function']['name']}({call['function']['arguments']})")
    return "\n".join(lines)


def _seconds(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def _dollars(value: float | None) -> str:
    return "cost unknown" if value is None else f"${value:.4f}"


def _number(value: int) -> str:
    return f"{value:,}".replace(",", "\u202f")
