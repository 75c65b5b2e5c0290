"""Finds the element of an observation on the page as it is now: pages rebuild their lists under us."""

from collections.abc import Mapping
from typing import Any

from webagent.errors import ActionError
from webagent.observation import Line, Observation


def find_again(before: Observation, now: Observation, ref: str) -> Line:
    """The element that `ref` meant in the observation `before`, on the page `now`: itself where it
    still has its role, name and row, else the only one that has. Raises ActionError."""
    old = before.by_ref.get(ref)
    if old is None:
        raise ActionError(unknown(before, ref))
    label = before.label_of(old)
    twins = [line for line in before.matches(old.role, label) if line.ref != ref]
    fitting = now.matches(old.role, label)
    alive = now.by_ref.get(ref)
    if not twins and len(fitting) <= 1:
        found = alive or (fitting[0] if fitting else None)
        if found is None:
            raise ActionError(_gone(ref, old, 0))
        return found
    return _by_row(before, now, old, twins, fitting, alive)


def _by_row(
    before: Observation,
    now: Observation,
    old: Line,
    twins: list[Line],
    fitting: list[Line],
    alive: Line | None,
) -> Line:
    """Among same-named elements, the one whose row has the words that tell it from its twins."""
    own = _row_words(before, old)
    telling = own.difference(*(_row_words(before, twin) for twin in twins)) if twins else own
    if not telling:
        if alive is not None:
            return alive
        raise ActionError(_gone(old.ref, old, len(fitting)))
    candidates = fitting if alive is None or alive in fitting else [alive, *fitting]
    scores = {line.ref: len(telling & _row_words(now, line)) for line in candidates}
    best = max(scores.values(), default=0)
    winners = [line for line in candidates if scores[line.ref] == best]
    if best == 0:
        raise ActionError(_gone(old.ref, old, 0))
    if alive is not None and alive in winners:
        return alive
    if len(winners) == 1:
        return winners[0]
    raise ActionError(_gone(old.ref, old, len(winners)))


def _row_words(page: Observation, line: Line) -> set[str]:
    """The words of the row an element stands in: of its list item or table row, else of the nearest
    element around it that says more than itself."""
    words = page.row_of(line)
    if not words:
        own = page.words_of(line)
        for ancestor in page.ancestors(line):
            words = page.words_of(ancestor)
            if words != own:
                break
    return set(words[:400].casefold().split())


def called(observation: Observation, ref: str) -> tuple[str, str]:
    """Role and label of an element; empty where it is not there."""
    line = observation.by_ref.get(ref)
    return (line.role, observation.label_of(line)) if line is not None else ("", "")


def missing(observation: Observation, arguments: Mapping[str, Any]) -> str:
    """What is said of an action whose element is not in the observation; empty where all are."""
    refs = [str(arguments[key]) for key in ("ref", "to_ref") if arguments.get(key) is not None]
    return next((unknown(observation, ref) for ref in refs if ref not in observation.by_ref), "")


def unknown(observation: Observation, ref: str) -> str:
    """Says that a ref is not on the page, and which are."""
    refs = list(observation.by_ref)
    if not refs:
        return f"no element {ref} on this page; the newest observation has no elements"
    return f"no element {ref} on this page; the newest observation has {refs[0]}…{refs[-1]}"


def _gone(ref: str, line: Line, fitting: int) -> str:
    if fitting > 1:
        return f"{ref} was replaced and {fitting} elements with its role and name are there now; look again"
    return f"{ref} ({line.role}) is no longer on the page as it was observed; look again"
