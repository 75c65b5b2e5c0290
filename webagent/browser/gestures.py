"""What a person does in the page, as actions: gestures become steps, and those that had no effect, or
belong to another, are none."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webagent.actions import Action
from webagent.observation import Line, Observation, Target

ON_TEXT = frozenset({"click", "double", "input", "key", "select", "upload", "drag"})
"""Kinds of gestures that are about an element."""


@dataclass(frozen=True)
class Gesture:
    """One gesture as record_script.js tells it. `refs` are pairs of a ref and whether it belongs to the
    control that is `meant` (or to something inside of it), innermost first."""

    kind: str
    refs: Sequence[tuple[str, bool]] = ()
    meant: bool = False
    role: str = ""
    name: str = ""
    n: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Gesture":
        """A gesture from the script's object."""
        refs = tuple((str(ref), bool(own)) for ref, own in told.get("refs", ()))
        named = {key: told.get(key, default) for key, default in (("role", ""), ("name", ""), ("n", 0))}
        return cls(str(told["kind"]), refs, bool(told.get("meant")), more=told, **named)

    def element(self, observation: Observation) -> Line | None:
        """The element in an observation: the control that is meant, else the innermost known one."""
        own = [ref for ref, inside in self.refs if inside or not self.meant]
        lines = [observation.by_ref[ref] for ref in own if ref in observation.by_ref]
        return next((line for line in lines if line.interactive), lines[0] if lines else None)


@dataclass(frozen=True)
class Shown:
    """One action that a person did, the observation before it, and its element where that has no ref
    there. `posted` tells that the page sent something afterwards."""

    action: Action
    observation: Observation
    target: Target | None = None
    posted: bool = False


@dataclass
class Pending:
    """A step that later gestures may still change. `kept` says when it counts: always, or only where
    the page `change`d, where it `reveal`ed what the next step used, or never but before keys (`tab`)."""

    tool: str
    arguments: dict[str, Any]
    observation: Observation
    ref: str = ""
    target: Target | None = None
    kept: str = "always"
    of: str = ""
    posts: int = 0
    unchanged: bool = False

    def shown(self, posts: int) -> Shown:
        """The step as it stays."""
        refs = {"ref": self.ref} if self.ref else {}
        action = Action(self.tool, {**refs, **self.arguments})
        return Shown(action, self.observation, self.target, posts > self.posts)


class Merging:
    """Makes steps of gestures. `add` and `end` give the steps that no later gesture can change."""

    def __init__(self) -> None:
        self._open: list[Pending] = []

    def add(self, step: Pending) -> Iterator[Shown]:
        """Takes in a further step."""
        newest = self._newest()
        if newest is not None and _joined(newest, step):
            del self._open[self._open.index(newest) + 1 :]
            return
        if step.kept == "always":
            if newest is not None and _replaced(newest, step):
                step.observation, step.ref, step.target = newest.observation, newest.ref, newest.target
                self._open.remove(newest)
            yield from self._settled(step)
        self._open.append(step)

    def end(self, final: Observation, posts: int) -> Iterator[Shown]:
        """The last steps, once nothing more comes."""
        last = Pending("stop", {}, final, kept="always", posts=posts)
        yield from self._settled(last)

    def _newest(self) -> Pending | None:
        """The newest step that counts, under hovering and scrolling."""
        return next((step for step in reversed(self._open) if step.tool not in ("hover", "scroll")), None)

    def _settled(self, following: Pending) -> Iterator[Shown]:
        """What remains of the open steps before one that counts."""
        steps: list[Pending] = []
        after = following
        for step in reversed(self._open):
            if _counts(step, after):
                steps.append(step)
                after = step
        self._open.clear()
        ends = [*(step.posts for step in steps[-2::-1]), following.posts]
        for step, posts in zip(reversed(steps), ends, strict=False):
            yield step.shown(posts)


def _joined(newest: Pending, step: Pending) -> bool:
    """Whether a step only goes on with the newest one, which then is changed."""
    same = bool(step.of) and newest.of == step.of
    if step.tool == "type" and newest.tool == "type" and same and "submit" not in newest.arguments:
        newest.arguments["text"] = step.arguments["text"]
        newest.unchanged = step.unchanged
        return True
    if step.tool == "press" and step.arguments["key"] == "Enter" and newest.tool == "type" and same:
        newest.arguments["submit"] = True
        newest.unchanged = False
        return True
    if step.arguments.get("double") and newest.tool == "click" and same:
        newest.arguments["double"] = True
        return True
    again = step.tool == newest.tool == "select" and same
    if again:
        newest.arguments = step.arguments
    return again


def _replaced(newest: Pending, step: Pending) -> bool:
    """Whether the newest step only opened the way for this one: the click that opens a file chooser."""
    return step.tool == "upload" and newest.tool == "click" and newest.kept == "always"


def _counts(step: Pending, after: Pending) -> bool:
    if step.unchanged:
        return False
    if step.kept == "reveal":
        if after.observation.url != step.observation.url or after.of == step.of != "":
            return False
        if after.tool == "stop":
            return step.tool != "scroll" and _outline(step.observation) != _outline(after.observation)
        return after.ref != "" and after.ref not in step.observation.by_ref
    if step.kept == "tab":
        return after.tool == "press"
    return step.kept == "always" or _outline(step.observation) != _outline(after.observation)


def _outline(observation: Observation) -> tuple[str, str]:
    """What tells whether something came or went: not what fields hold, nor where the focus is."""
    lines = (line.render() for line in observation.lines if line.role not in FIELDS)
    return observation.url, re.sub(r" \[active\]", "", "\n".join(lines))


FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "slider"})


def step_of(gesture: Gesture, observation: Observation, posts: int) -> Pending | None:
    """A gesture as a step on the page as it was observed; None for what is no step."""
    told = gesture.more
    line = gesture.element(observation)
    place: dict[str, Any] = {"of": str(told.get("id", "")), "posts": posts}
    if line is not None:
        place["ref"] = line.ref
    elif gesture.meant or gesture.kind in ("input", "select", "upload"):
        place["target"] = Target(gesture.role, gesture.name)
    make = _MAKERS.get(gesture.kind)
    made = make(gesture, line, told) if make else None
    if made is None or (gesture.kind in ON_TEXT and "ref" not in place and "target" not in place):
        return None
    tool, arguments, kept = made
    if tool == "scroll" or (tool == "press" and line is not None and not line.interactive):
        place.pop("ref", None)
    unchanged = gesture.kind == "input" and told.get("before") == told.get("value")
    return Pending(tool, arguments, observation, kept=kept, unchanged=unchanged, **place)


Made = tuple[str, dict[str, Any], str]


def _click(gesture: Gesture, line: Line | None, told: Mapping[str, Any]) -> Made:
    arguments: dict[str, Any] = {"button": told["button"]} if told.get("button") else {}
    if gesture.kind == "double":
        arguments["double"] = True
    if told.get("focuses") and not arguments:
        return "click", arguments, "reveal"
    meant = gesture.meant or (line is not None and line.interactive and line.role != "group")
    return "click", arguments, "always" if meant else "change"


def _key(gesture: Gesture, line: Line | None, told: Mapping[str, Any]) -> Made:
    kept = {"enter": "always", "arrow": "always", "shortcut": "always", "tab": "tab"}
    return "press", {"key": str(told["key"])}, kept.get(str(told["kept"]), "change")


def _drag(gesture: Gesture, line: Line | None, told: Mapping[str, Any]) -> Made | None:
    to = next((str(ref) for ref, _ in told.get("to", ())), "")
    if not to or line is None:
        return None
    return "drag", {"to_ref": to, "dx": told["dx"], "dy": told["dy"]}, "always"


_MAKERS: Mapping[str, Any] = {
    "click": _click,
    "double": _click,
    "input": lambda gesture, line, told: ("type", {"text": str(told["value"])}, "always"),
    "key": _key,
    "select": lambda gesture, line, told: ("select", {"options": list(told["options"])}, "always"),
    "upload": lambda gesture, line, told: ("upload", {"paths": list(told["paths"])}, "always"),
    "hover": lambda gesture, line, told: ("hover", {}, "reveal") if line is not None else None,
    "scroll": lambda gesture, line, told: ("scroll", {"direction": str(told["direction"])}, "reveal"),
    "drag": _drag,
}


def secret_name(label: str) -> str:
    """What a secret is called after its field: `user[password]` gives `USER_PASSWORD`."""
    name = re.sub(r"[^A-Z0-9]+", "_", label.upper()).strip("_0123456789")[:40]
    return name.rstrip("_") or "PASSWORD"
