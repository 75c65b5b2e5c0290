"""A policy that plays a script: deterministic runs for seeds, tests and benchmarks."""

from collections.abc import Callable, Iterable, Iterator

from webagent.actions import Action, Malformed, from_object
from webagent.interfaces import Decision, View
from webagent.policies.llm import stop_of

Line = dict[str, object] | Callable[[View], dict[str, object]]
"""An action object (`{"action": "click", "role": "button", "name": "Go"}`), or what makes one from
the view. An element is named by `role` and `name` (and `nth`) in place of `ref`."""


class ScriptedPolicy:
    """Says one line of the script a turn."""

    def __init__(self, script: Iterable[Line]) -> None:
        self._script: Iterator[Line] = iter(script)

    async def decide(self, view: View) -> Decision:
        """Gives up where the script is at its end or names an element that is not there."""
        line = next(self._script, None)
        if line is None:
            return Decision(given_up="the script is at its end")
        wanted = dict(line(view) if callable(line) else line)
        role, name, nth = wanted.pop("role", None), wanted.pop("name", ""), wanted.pop("nth", 0)
        if role is not None:
            found = view.observation.matches(str(role), str(name))
            if not isinstance(nth, int) or nth >= len(found):
                return Decision(given_up=f'no {role} "{name}" on {view.observation.url}')
            wanted["ref"] = found[nth].ref
        parsed = from_object(wanted)
        if isinstance(parsed, Malformed):
            return Decision(malformed=parsed)
        if parsed.tool == "stop":
            return Decision(stop=stop_of(parsed, by="human"), by="human")
        return Decision((Action(parsed.tool, parsed.arguments, parsed.thought),), by="human")
