"""The policy of a person, who decides each step from the same observation."""

from collections.abc import Awaitable, Callable

from webagent.action_line import EXAMPLES, HELP, parse_line
from webagent.actions import Action, Malformed
from webagent.interfaces import Decision, View
from webagent.policies.llm import stop_of
from webagent.shown import render

HINT = f"next action, such as {EXAMPLES}; observe looks again, ? lists all, q ends the run"
LOOK = Action("wait", {"seconds": 0})


class HumanPolicy:
    """Shows the observation and the goal, and reads one action."""

    def __init__(self, ask: Callable[[str], Awaitable[str]], observation_tokens: int = 4000) -> None:
        self._ask = ask
        self._observation_tokens = observation_tokens

    async def decide(self, view: View) -> Decision:
        """Gives up where the person ends the run, or nobody is there."""
        notes = [f"note: {note}" for note in view.notes]
        came = (
            [f"failed: {view.steps[-1].outcome.error}"]
            if view.steps and not view.steps[-1].outcome.ok
            else []
        )
        shown = render(view.observation, self._observation_tokens)
        question = "\n".join([shown, *came, *notes, f"goal: {view.goal}", HINT])
        while True:
            try:
                line = (await self._ask(question)).strip()
            except EOFError:
                line = "q"
            if line == "q":
                return Decision(given_up="the person ended the run", by="human")
            if line == "observe":
                return Decision((LOOK,), by="human")
            parsed = parse_line(line) if line not in ("", "?") else None
            if isinstance(parsed, Action):
                if parsed.tool == "stop":
                    return Decision(stop=stop_of(parsed, by="human"), by="human")
                return Decision((parsed,), by="human")
            question = f"{parsed.message}; again" if isinstance(parsed, Malformed) else HELP if line else HINT


async def nobody(question: str) -> str:
    """Where no person is there to be asked."""
    raise EOFError
