"""A policy that plays a script: deterministic runs for seeds, tests and benchmarks."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from webagent.actions import Action, Malformed, from_object
from webagent.interfaces import Decision, View
from webagent.observation import Line as Element
from webagent.observation import Observation
from webagent.policies.llm import stop_of

Line = dict[str, object] | Callable[[View], dict[str, object]]
"""An action object (`{"action": "click", "role": "button", "name": "Go"}`), or what makes one from
the view. An element is named by `role` and `name` (and `row`, words of its row or list item, or `nth`)
in place of `ref`."""
PAUSE = 0.5
"""Seconds of one wait for an element that is not there yet."""


class ScriptedPolicy:
    """Says one line of the script a turn. `nuisances` are controls, by role and name, that are clicked
    away whenever they show; for an element that is not there it waits `patience` times."""

    def __init__(
        self, script: Iterable[Line], *, nuisances: Sequence[tuple[str, str]] = (), patience: int = 0
    ) -> None:
        self._script = deque(script)
        self._nuisances = nuisances
        self._patience = patience
        self._waited = 0

    async def decide(self, view: View) -> Decision:
        """Gives up where the script is at its end or names an element that is not there."""
        if view.observation.dialog is None:
            for nuisance in self._nuisances:
                if shown := view.observation.matches(*nuisance):
                    return Decision((Action("click", {"ref": shown[0].ref}),), by="human")
        if not self._script:
            return Decision(given_up="the script is at its end")
        line = self._script[0]
        wanted = dict(line(view) if callable(line) else line)
        if "role" in wanted:
            role, name, row, nth = (wanted.pop(key, "") for key in ("role", "name", "row", "nth"))
            found = _fitting(view.observation, str(role), str(name), str(row))
            place = nth if isinstance(nth, int) else 0
            if place >= len(found):
                return self._missing(f'no {role} "{name}" on {view.observation.url}')
            wanted["ref"] = found[place].ref
        self._script.popleft()
        self._waited = 0
        return _said(wanted)

    def _missing(self, why: str) -> Decision:
        self._waited += 1
        if self._waited > self._patience:
            return Decision(given_up=why)
        return Decision((Action("wait", {"seconds": PAUSE}),), by="human")


def _said(wanted: dict[str, object]) -> Decision:
    parsed = from_object(wanted)
    if isinstance(parsed, Malformed):
        return Decision(malformed=parsed)
    if parsed.tool == "stop":
        return Decision(stop=stop_of(parsed, by="human"), by="human")
    return Decision((Action(parsed.tool, parsed.arguments, parsed.thought),), by="human")


def _fitting(observation: Observation, role: str, name: str, row: str) -> list[Element]:
    words = row.casefold()
    return [
        line
        for line in observation.matches(role, name)
        if not words or any(words in text.casefold() for text in _rows(observation, line))
    ]


def _rows(observation: Observation, line: Element) -> Iterable[str]:
    """The words of the rows, list items and articles around an element, and of a group with a name."""
    for other in observation.ancestors(line):
        if other.role in ("row", "listitem", "article", "group", "region"):
            yield observation.words_of(other)
