"""The folder of a run's trace: pictures, the exact messages of each call, steps, and the report of it all."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from webagent.errors import EnvironmentFault
from webagent.ids import now
from webagent.interfaces import Memory, ModelCall
from webagent.masking import Masker
from webagent.observation import Observation
from webagent.report import Called, Done, Ending, Story, page
from webagent.report.story import used_boxes
from webagent.shown import render
from webagent.trajectory import Step
from webagent.watcher import Watcher

OWN = ("steps/step-*.json", "screenshots/*.jpg", "prompts/call-*.json", "report.html", "trace.zip")
"""What a trace consists of; an older one in the same folder is replaced."""


class Trace(Watcher):
    """A trace of nothing, for runs without `--save-trace`: a watcher that keeps what it sees nowhere."""

    path: Path | None = None
    trouble = ""
    """Why not all could be written."""

    def pictured(self, picture: bytes) -> None:
        """The page just before the next step's action, or at the end; empty where there is no picture."""

    def given(self, memory: Memory) -> None:
        """What memory gave for a hostname; what was given before is not told again."""

    def ended(self, ending: Ending, final: Observation | None) -> None:
        """How the run ended, and the last page."""

    def report(self) -> None:
        """Writes `report.html` from what there is; nothing where the run never began."""


class TraceFolder(Trace):
    """What `--save-trace` keeps of one run, up to date after each call of the model and each step:

    * `screenshots/step-01.jpg` (just before the action) … and `final.jpg`
    * `steps/step-01.json`: the action, what came of it, the page as text
    * `prompts/call-01-act.json`: each call's messages, reply, tokens and seconds
    * `trace.zip`, written by the browser's session, opens in Playwright's viewer
    * `report.html`, written at the end, shows the run step by step

    Pages can hold private things: the folder is for its owner alone, and what is given to `hide` is in
    none of these files (the session keeps it out of `trace.zip`). A batch gives each run a folder of its own,
    named by its id, below `--output-dir`."""

    def __init__(self, path: Path, story: Story, observation_tokens: int = 4000) -> None:
        self.path = self._folder = path
        self._tokens = observation_tokens
        self._masks: list[Masker] = []
        self._picture = b""
        self._began = time.monotonic()
        self._story = replace(story, started_at=now())
        try:
            for folder in (path, path / "screenshots", path / "prompts", path / "steps"):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.chmod(0o700)
            for old in (file for pattern in OWN for file in path.glob(pattern)):
                old.unlink()
        except OSError as error:
            raise EnvironmentFault(f"--output-dir {str(path)!r} can't be used: {error}") from error

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None:
        self._began = time.monotonic()

    def hide(self, mask: Masker) -> None:
        self._masks.append(mask)
        self._story = masked(self._story, [mask])
        for place in range(len(self._story.moments)):
            self._write_moment(place)

    def pictured(self, picture: bytes) -> None:
        self._picture = picture

    def called(self, call: ModelCall) -> None:
        self._add(Called(call, self._passed))

    def stepped(self, step: Step) -> None:
        shown = render(step.observation, self._tokens)
        self._add(Done(step, shown, self._picture, max(0.0, self._passed - step.seconds)))
        if self._picture:
            self._write(f"screenshots/step-{step.n:02}.jpg", self._picture)
        self._picture = b""

    def given(self, memory: Memory) -> None:
        known = {workflow.label for one in self._story.given for workflow in one.workflows}
        fresh = tuple(workflow for workflow in memory.workflows if workflow.label not in known)
        if fresh or memory.lessons:
            memory = masked(replace(memory, workflows=fresh), self._masks)
            self._story = replace(self._story, given=(*self._story.given, memory))

    def told(self, text: str) -> None:
        self._story = replace(self._story, told=(*self._story.told, masked(text, self._masks)))

    def ended(self, ending: Ending, final: Observation | None) -> None:
        shown = render(final, self._tokens) if final else ""
        viewport = final.viewport if final else ending.viewport
        ending = replace(ending, shown=shown, viewport=viewport, picture=self._picture)
        if self._picture:
            self._write("screenshots/final.jpg", self._picture)
        self._story = replace(self._story, ending=masked(ending, self._masks))

    def report(self) -> None:
        if self._story.moments or self._story.ending:
            self._write("report.html", page(self._story).encode("utf-8", "replace"))

    @property
    def _passed(self) -> float:
        return time.monotonic() - self._began

    def _add(self, moment: Called | Done) -> None:
        moments = (*self._story.moments, masked(moment, self._masks))
        self._story = replace(self._story, moments=moments)
        self._write_moment(len(moments) - 1)

    def _write_moment(self, place: int) -> None:
        moments = self._story.moments
        moment = moments[place]
        if isinstance(moment, Called):
            n = sum(isinstance(one, Called) for one in moments[: place + 1])
            name = "".join(char for char in moment.call.name if char.isalnum() or char in "_-")
            self._write(f"prompts/call-{n:02}-{name}.json", _json(_call_object(moment)))
        else:
            self._write(f"steps/step-{moment.step.n:02}.json", _json(_step_object(moment)))

    def _write(self, name: str, data: bytes) -> None:
        """A trace that can't be written must not end the run."""
        try:
            (self._folder / name).write_bytes(data)
        except OSError as error:
            self.trouble = f"the trace is not whole: {error}"


def masked(value: Any, masks: Sequence[Masker]) -> Any:
    """The same data without secrets, however deep they stand in it."""
    for mask in masks:
        value = _masked(value, mask)
    return value


def _masked(value: Any, mask: Masker) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Observation):
        return value.masked(mask)
    if isinstance(value, Mapping):
        return {key: _masked(one, mask) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_masked(one, mask) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: _masked(getattr(value, one.name), mask) for one in fields(value)})
    return value


def _call_object(called: Called) -> dict[str, Any]:
    call = called.call
    return {
        "name": call.name,
        "model": call.model,
        "at": round(called.at, 3),
        "usage": asdict(call.usage),
        "error": call.error,
        "reply": asdict(call.completion) if call.completion else None,
        "messages": list(call.messages),
    }


def _step_object(done: Done) -> dict[str, Any]:
    step = done.step
    observation, outcome = step.observation, step.outcome
    return {
        "n": step.n,
        "at": round(done.at, 3),
        "seconds": round(step.seconds, 3),
        "by": step.by,
        "workflow": step.workflow,
        "thought": step.action.thought,
        "action": step.action.as_object(),
        "target": step.target.as_object() if step.target else None,
        "boxes": list(used_boxes(observation, step.action.ref, step.action.arguments.get("to_ref"))),
        "message": outcome.message,
        "error": outcome.error,
        "asked": step.asked,
        "url": observation.url,
        "title": observation.title,
        "events": list(observation.events),
        "observation": done.shown,
    }


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace")
