"""Which element of a page a stored step means: by name, by place, or not known."""

import re
from collections.abc import Collection, Sequence

from webagent.answers import normal
from webagent.deeds import says_change
from webagent.observation import Line, Observation, Target
from webagent.routine import path_of
from webagent.words import telling_words
from webagent.workflow import NAME_LIMIT, kept_name

CUT = NAME_LIMIT // 2
"""Characters from which on words may be the beginning of longer ones: a value in them has another length."""
FIELDS = frozenset({"searchbox", "textbox", "combobox", "spinbutton", "slider", "listbox"})
"""Roles of which the only one on a page is known by that alone."""


class Mismatch(Exception):
    """The page is not what the workflow expects; the text says how."""


def find_element(observation: Observation, target: Target, *, twins_matter: bool) -> Line | None:
    """The element with this role and name; among twins the one under the same heading or in the same
    row, else the same one in page order, unless the name came from a variable and `twins_matter`."""
    exact = in_its_frame(observation, target, observation.matches(target.role, target.name))
    found = exact or in_its_frame(
        observation,
        target,
        [
            line
            for line in observation.lines
            if line.ref and line.role == target.role and _is_called(observation.label_of(line), target.name)
        ],
    )
    if len(found) < 2:
        return found[0] if found else None
    for told in (
        [line for line in found if _stands(target.row, observation.row_of(line))],
        [line for line in found if _stands(target.heading, observation.heading_above(line))],
    ):
        if len(told) == 1:
            return told[0]
    if twins_matter:
        raise Mismatch(
            f'{len(found)} elements {target.role} "{target.name}" fit; which one is meant is not known'
        )
    return found[target.nth] if target.nth < len(found) else None


def _is_called(label: str, name: str) -> bool:
    """Whether a page's label is the name that was kept of it."""
    return normal(label) == normal(name) or (bool(name) and kept_name(label) == name)


def _stands(kept: str, words: str) -> bool:
    """Whether words around an element are those that were kept of them: their beginning, if they were long."""
    wanted, shown = normal(kept), normal(words)
    return bool(wanted) and (shown == wanted or (len(wanted) > CUT and shown.startswith(wanted)))


def in_its_frame(observation: Observation, target: Target, lines: Sequence[Line]) -> Sequence[Line]:
    """Those of the lines that stand in the target's frame, or outside of all where it did; all where that
    is not known. Where its frame is not there, under the selectors it had, the only one in any frame."""
    if target.frame is None:
        return lines
    here = [line for line in lines if observation.frame_of(line) == target.frame]
    if here or not target.frame or _has_frame(observation, target.frame):
        return here
    framed = [line for line in lines if observation.frame_of(line) != ()]
    return framed if len(framed) == 1 else []


def _has_frame(observation: Observation, frame: tuple[str, ...]) -> bool:
    frames = [line for line in observation.lines if line.role == "iframe" and line.frame == frame[-1]]
    return any(observation.frame_of(line) == frame[:-1] for line in frames)


def choose_result(
    observation: Observation, target: Target, values: Sequence[str]
) -> tuple[Line, Collection[frozenset[str]]]:
    """The search result that is meant: the only one of that name, or the only one there, or the only
    one whose name holds the value's words or initials. With it, where its name does not hold them,
    sets of words of which its own page must have one: a search may find something in any case. Raises
    Mismatch otherwise."""
    results: Sequence[Line] = [
        line
        for line in observation.lines
        if line.ref and line.role == target.role and observation.row_of(line) and observation.label_of(line)
    ]
    results = in_its_frame(observation, target, results)
    if not results:
        raise Mismatch(f"no {target.role} in a list on the page {path_of(observation.url)}")
    for fits in (_same, _same_beside_notes, _initials, _holds_words):
        named = [line for line in results if any(fits(value, observation.label_of(line)) for value in values)]
        if len(named) == 1:
            return named[0], ()
        if named:
            break
    if len(results) == 1:
        row = telling_words(observation.row_of(results[0]))
        return results[0], [telling_words(value) - row for value in values]
    raise Mismatch(f"{len(named) or len(results)} results fit; which one is meant is not known")


def _same(value: str, name: str) -> bool:
    return _bare(value) == _bare(name)


def _bare(text: str) -> str:
    return re.sub(r"^(the|a|an) ", "", normal(text))


def _same_beside_notes(value: str, name: str) -> bool:
    """The same but for what stands in parentheses or after a comma."""
    return _same(value, re.split(r"[(,]", name)[0])


def _initials(value: str, name: str) -> bool:
    letters = "".join(
        word[0] for word in re.findall(r"[A-Za-z]+", name) if word.lower() not in ("of", "the", "and", "for")
    )
    return len(value) > 1 and letters.casefold() == re.sub(r"\W", "", value).casefold()


def _holds_words(value: str, name: str) -> bool:
    words = set(re.findall(r"\w+", value.casefold()))
    return bool(words) and words <= set(re.findall(r"\w+", name.casefold()))


def speaks_of(observation: Observation, words: Collection[str]) -> bool:
    """Whether a page has all these words, but for what stands in its fields."""
    lines = (line for line in observation.lines if line.role not in FIELDS and line.role[0] != "/")
    return set(words) <= telling_words(" ".join(line.words for line in lines))


def find_renamed(observation: Observation, target: Target, taken: Collection[tuple[str, str]]) -> Line | None:
    """The element that took the place of one whose name is gone, where exactly one fits: of the same
    role under the same heading, or a field that is the only one of its role; among several the one
    that shares telling words with the old name. `taken` are the workflow's other elements, by role and
    name. Never a control whose name speaks of a change."""
    peers = [
        line
        for line in observation.lines
        if line.ref
        and line.role == target.role
        and "disabled" not in line.states
        and (line.role, observation.label_of(line)) not in taken
        and not says_change(observation.label_of(line))
    ]
    if target.frame is not None:
        peers = [line for line in peers if observation.frame_of(line) == target.frame]
    here = [line for line in peers if _under(target, observation, line)]
    if target.role in FIELDS:
        groups = (here, peers)
    else:
        groups = (here if target.heading else [], _alike(target.name, observation, peers))
    for group in groups:
        if len(group) == 1:
            return group[0]
        alike = _alike(target.name, observation, group)
        if len(alike) == 1:
            return alike[0]
    return None


def _under(target: Target, observation: Observation, line: Line) -> bool:
    """Whether an element stands under the target's heading, or both under none."""
    heading = observation.heading_above(line)
    return _stands(target.heading, heading) or not (target.heading or heading)


def _alike(name: str, observation: Observation, lines: Sequence[Line]) -> list[Line]:
    words = telling_words(name)
    return [line for line in lines if words & telling_words(observation.label_of(line))]
