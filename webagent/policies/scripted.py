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
    away whenever they show. With `patience` it waits so many times for an element that is not there,
    and says a line again that could not be carried out, or that a nuisance undid: a click on it closes the
    menu that the line opened."""

    def __init__(
        self, script: Iterable[Line], *, nuisances: Sequence[tuple[str, str]] = (), patience: int = 0
    ) -> None:
        self._script = deque(script)
        self._nuisances = nuisances
        self._patience = patience
        self._waited = 0
        self._said: Line | None = None
        self._undone: Line | None = None

    async def decide(self, view: View) -> Decision:
        """Gives up where the script is at its end or names an element that is not there."""
        done = self._take_back(view)
        if view.observation.dialog is None:
            for nuisance in self._nuisances:
                if shown := view.observation.matches(*nuisance):
                    self._undone = done or self._undone
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
        self._undone = None
        self._said = self._script.popleft()
        return _said(wanted)

    def _take_back(self, view: View) -> Line | None:
        """The line that was said last; where it was not carried out it is put back instead."""
        said, self._said = self._said, None
        if said is None:
            return None
        last = view.steps[-1] if view.steps else None
        # an element that is still there is on the same page: nothing came of what failed on it
        failed = last is not None and last.outcome.error and last.action.ref in view.observation.by_ref
        if failed and self._waited < self._patience:
            self._waited += 1
            self._script.appendleft(said)
            return None
        self._waited = 0
        return said

    def _missing(self, why: str) -> Decision:
        self._waited += 1
        if self._waited > self._patience // 2 and self._undone is not None:
            self._script.appendleft(self._undone)
            self._undone = None
        if self._waited > self._patience:
            return Decision(given_up=why)
        # each wait a little longer: the same action on the same page over and over would end the run
        return Decision((Action("wait", {"seconds": round(PAUSE + self._waited / 100, 2)}),), by="human")


def _said(wanted: dict[str, object]) -> Decision:
    parsed = from_object(wanted)
    if isinstance(parsed, Malformed):
        return Decision(malformed=parsed)
    if parsed.tool == "stop":
        return Decision(stop=stop_of(parsed, by="human"), by="human")
    return Decision((Action(parsed.tool, parsed.arguments, parsed.thought),), by="human")


def _fitting(observation: Observation, role: str, name: str, row: str) -> list[Element]:
    found = observation.matches(role, name)
    return [line for line in found if row.casefold() in _row(observation, line).casefold()] if row else found


def _row(observation: Observation, line: Element) -> str:
    """All words of the nearest row, list item, article, group or region around an element."""
    for other in observation.ancestors(line):
        if other.role in ("row", "listitem", "article", "group", "region"):
            return observation.words_of(other)
    return ""
