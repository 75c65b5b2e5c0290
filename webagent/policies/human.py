"""The policy of a person, who decides each step from the same observation."""

import shlex
from collections.abc import Awaitable, Callable

from webagent.actions import REF, Malformed, Parsed, from_object, parse_text
from webagent.interfaces import Decision, View
from webagent.policies.llm import stop_of
from webagent.shown import render

MAIN = {
    "click": ("ref",),
    "type": ("ref", "text"),
    "select": ("ref", "options"),
    "press": ("key", "ref"),
    "hover": ("ref",),
    "scroll": ("direction", "ref"),
    "drag": ("ref", "to_ref"),
    "upload": ("ref", "paths"),
    "goto": ("url",),
    "back": (),
    "tab": ("op", "index"),
    "wait": ("text",),
    "find": ("text",),
    "dialog": ("accept", "text"),
    "stop": ("answer", "status"),
}
"""The order in which arguments are typed: `type e4 "some text"`."""
HINT = 'next action, such as: click e9 · type e4 "some text" · stop "the answer"; an empty line ends the run'


class HumanPolicy:
    """Shows the observation and the goal, and reads one action."""

    def __init__(self, ask: Callable[[str], Awaitable[str]], observation_tokens: int = 4000) -> None:
        self._ask = ask
        self._observation_tokens = observation_tokens

    async def decide(self, view: View) -> Decision:
        """Gives up where the person says nothing."""
        notes = [f"note: {note}" for note in view.notes]
        shown = render(view.observation, self._observation_tokens)
        try:
            line = await self._ask("\n".join([shown, *notes, f"goal: {view.goal}", HINT]))
        except EOFError:
            line = ""
        if not line.strip():
            return Decision(given_up="the person ended the run", by="human")
        parsed = parse_line(line)
        if isinstance(parsed, Malformed):
            return Decision(malformed=parsed, by="human")
        if parsed.tool == "stop":
            return Decision(stop=stop_of(parsed, by="human"), by="human")
        return Decision((parsed,), by="human")


def parse_line(line: str) -> Parsed:
    """`click e9`, or the JSON form, as an action."""
    if line.lstrip().startswith("{"):
        return parse_text(line)
    try:
        name, *words = shlex.split(line)
    except ValueError as error:
        return Malformed(f"the line can't be read: {error}")
    if name not in MAIN:
        return Malformed(f"unknown action {name!r:.40}; the actions are: {', '.join(MAIN)}")
    names = list(MAIN[name])
    if name == "type" and words and not REF.fullmatch(words[0]):
        names = ["text"]
    if names and len(words) > len(names):
        words = [*words[: len(names) - 1], " ".join(words[len(names) - 1 :])]
    given: dict[str, object] = dict(zip(names, words, strict=False))
    return from_object({"action": name, **given})
