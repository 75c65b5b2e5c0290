"""The routine in a trajectory: the steps that mattered, and how a workflow's steps align with them."""

import re
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from webagent.deeds import says_change
from webagent.ids import scope_of
from webagent.observation import Target
from webagent.trajectory import Step, Trajectory
from webagent.workflow import VARIABLE, WorkflowStep, kept_name

KEPT = frozenset(
    {"click", "type", "select", "press", "hover", "drag", "upload", "goto", "back", "tab", "dialog", "scroll"}
)
"""Tools whose steps a routine may need; looking, waiting and asking change no page."""

ON_ELEMENTS = frozenset({"click", "select", "hover", "drag", "upload"})
"""Tools that do nothing without an element: a step of theirs that names none can't be repeated."""

PRESSED = frozenset({"button", "link", "menuitem", "tab"})
"""Roles that a redesign makes of one another."""

CONSENT = re.compile(r"\b(accept|reject|agree|allow|decline|got it|dismiss)\b|\bcookies?\b", re.IGNORECASE)
"""Names of controls that only put a notice away: done when it is there, skipped when not."""


def routine_of(trajectory: Trajectory) -> list[Step]:
    """The steps that a repetition needs: what failed, looked around, was undone by going back, or
    was typed again is left out. None where a person acted unseen meanwhile: it would have a gap."""
    if any(step.outcome.taken_over for step in trajectory.steps):
        return []
    steps = _without_detours(trajectory)
    steps = [step for step in steps if step.outcome.ok and step.action.tool in KEPT]
    steps = _without_overtyped(steps)
    return _without_idle_scrolls(steps)


def _without_detours(trajectory: Trajectory) -> list[Step]:
    """Ways out and back: whatever lies between a page and its return by `back` or `goto`."""
    steps = list(trajectory.steps)
    after = [step.observation for step in steps[1:]] + ([trajectory.final] if trajectory.final else [])
    kept: list[Step] = []
    for place, step in enumerate(steps):
        if step.action.tool in ("back", "goto") and place < len(after):
            earlier = [n for n, other in enumerate(kept) if other.observation.hash == after[place].hash]
            if earlier:
                del kept[earlier[0] :]
                continue
        kept.append(step)
    return kept


def _without_overtyped(steps: Sequence[Step]) -> list[Step]:
    kept: list[Step] = []
    for step in steps:
        again = kept and step.action.tool == "type" and kept[-1].action.tool == "type"
        replaces = step.action.arguments.get("clear", True)
        if again and replaces and step.target is not None and step.target == kept[-1].target:
            kept.pop()
        kept.append(step)
    return kept


def _without_idle_scrolls(steps: Sequence[Step]) -> list[Step]:
    """Scrolling counts only where it brought up what the next step used."""
    kept = []
    for place, step in enumerate(steps):
        if step.action.tool == "scroll":
            following = next((other for other in steps[place + 1 :] if other.action.tool != "scroll"), None)
            if following is None or following.target is None:
                continue
            if step.observation.matches(following.target.role, following.target.name):
                continue
        kept.append(step)
    return kept


def repeatable(routine: Sequence[Step]) -> bool:
    """Whether every step names the element that it needs (imported logs hold ids alone)."""
    return all(step.target is not None or step.action.tool not in ON_ELEMENTS for step in routine)


def is_consent(target: Target | None) -> bool:
    """Whether a step only put a notice away."""
    return target is not None and target.role in ("button", "link") and bool(CONSENT.search(target.name))


def changes_things(step: Step) -> bool:
    """Whether a step may have changed something on the server: its page sent something, or the words
    of its control say so."""
    return not is_consent(step.target) and (
        step.outcome.posted or speaks_of_change(step.action.tool, step.target)
    )


def may_change(step: WorkflowStep) -> bool:
    """Whether a workflow's step is marked as one that changes things, or its control's words say so: what
    others sent may be marked wrongly."""
    return step.changes or speaks_of_change(step.tool, step.target)


def speaks_of_change(tool: str, target: Target | None) -> bool:
    """Whether the words of a control say that using it changes something."""
    if target is None or is_consent(target) or tool not in ("click", "press", "type"):
        return False
    return target.role not in ("textbox", "searchbox", "link") and says_change(target.name)


def align(steps: Sequence[WorkflowStep], routine: Sequence[Step]) -> list[Step] | None:
    """For each workflow step (but stop) the routine's step that does it, in order; None where one
    has no counterpart. Consent steps may be missing on both sides."""
    found: list[Step] = []
    at = 0
    for step in steps:
        if step.tool == "stop":
            continue
        place = next((n for n in range(at, len(routine)) if same_step(step, routine[n])), None)
        if place is None:
            if is_consent(step.target):
                continue
            return None
        found.append(routine[place])
        at = place + 1
    return found


def same_step(step: WorkflowStep, done: Step) -> bool:
    """Whether a run's step does what a workflow's step says, whatever its variables hold."""
    if step.tool != done.action.tool:
        return False
    if (step.target is None) != (done.target is None):
        return False
    if step.target and done.target and not _same_target(step.target, done.target):
        return False
    for key in ("text", "key", "url"):
        if key in step.arguments and not _like(str(step.arguments[key]), slot_value(done, key)):
            return False
    return True


def does(step: WorkflowStep, done: Step) -> bool:
    """Whether another's step does what a step with its values filled in says, whatever its control is
    called."""
    if step.tool != done.action.tool:
        return False
    if step.target is not None:
        role = done.target.role if done.target else ""
        if role != step.target.role and not (step.tool == "click" and {role, step.target.role} <= PRESSED):
            return False
    wanted, given = step.arguments, done.action.arguments
    return all(wanted[key] == given.get(key) for key in ("text", "options", "key") if key in wanted)


def _same_target(wanted: Target, used: Target) -> bool:
    placed = wanted.frame is None or used.frame is None or wanted.frame == used.frame
    named = kept_name(used.name) == wanted.name or _like(wanted.name, used.name)
    return placed and wanted.role == used.role and named


def _like(template: str, value: str) -> bool:
    parts = VARIABLE.split(template)[::2]
    pattern = ".*".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, value, re.IGNORECASE | re.DOTALL) is not None


def slot_value(step: Step, key: str) -> str:
    """The value of one argument as a workflow would hold it; URLs of the page's own host without it,
    so that they fit another port."""
    value = step.action.arguments.get(key, "")
    if key == "url" and isinstance(value, str):
        return local_url(value, step.observation.url)
    return str(value)


def local_url(url: str, page: str) -> str:
    """The URL without scheme and host where it stays on the page's host."""
    if scope_of(url) != scope_of(page):
        return url
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def path_fits(pattern: str, url: str) -> bool:
    """Whether a URL's path has this pattern's segments; `*` is any one segment."""
    wanted, got = pattern.split("/"), path_of(url).split("/")
    return len(wanted) == len(got) and all(w in ("*", g) for w, g in zip(wanted, got, strict=True))


def path_of(url: str) -> str:
    """The path of a URL, as a person reads it."""
    return unquote(urlsplit(url).path)
