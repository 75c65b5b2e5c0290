"""A person who is asked before what can't be taken back (`--confirm`), and what becomes of it without one.

Whoever chose the action, a model or a stored workflow, is treated alike; what a person chose themselves is
not asked about. With `--step` each action waits for the person anyway: that they let it be done is their
answer."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from webagent.episode import Ask
from webagent.intent_text import action_words
from webagent.interfaces import Clearance, Intent
from webagent.risk import LOOKING, SAYS
from webagent.terminal import printable
from webagent.trajectory import NOT_CONFIRMED, Outcome

KEYS = "y = do it · n = don't · q = quit"
CHANGED = "not done: the element changed while the person was asked about it; look again"
YES, NO = ("y", "yes"), ("n", "no")


@dataclass(frozen=True)
class Confirming:
    """Asks about what is risky, or about all; `ask` is None where nobody is there, `yes` is said in their
    place where the user said so (`--yes`). `is_as_seen` tells whether the page still calls the element what
    the person was asked about: it may change while they think. `keys` waits for their keys in the browser's
    window, where they have one; the first answer holds."""

    ask: Ask | None
    is_as_seen: Callable[[Intent], Awaitable[bool]]
    keys: Callable[[], Awaitable[bool]]
    yes: bool = False

    async def clear(self, intent: Intent) -> Clearance:
        """The action as it is where nothing is to be asked, or they say yes; else an outcome that says so."""
        free = Clearance(intent.action, intent.by)
        if not intent.risk or intent.by == "human" or intent.action.tool == "ask":
            return free
        if self.yes:
            return replace(free, asked=f"{intent.risk}: yes (--yes)")
        if self.ask is None:
            return _refused(intent, "nobody was there to ask", "nobody is there to say yes")
        try:
            return await self._asked(intent, self.ask)
        except EOFError:
            return _refused(intent, "nobody answered", "nobody answers")

    async def _asked(self, intent: Intent, ask: Ask) -> Clearance:
        question = told = f"{asking(intent)}\n{KEYS}"
        while True:
            reply = (await self._reply(ask, question)).strip().lower()
            if reply in YES:
                outcome = None if await self.is_as_seen(intent) else Outcome("not done", CHANGED)
                return Clearance(intent.action, intent.by, outcome, asked=f"{intent.risk}: yes")
            if reply in NO:
                return _refused(intent, "no", "the person said no")
            if reply == "q":
                return Clearance(intent.action, intent.by, quit="the person quit")
            question = f"{printable(reply, 40)!r} is neither y nor n\n{told}"

    async def _reply(self, ask: Ask, question: str) -> str:
        typed, pressed = asyncio.ensure_future(ask(question)), asyncio.ensure_future(self.keys())
        try:
            await asyncio.wait({typed, pressed}, return_when=asyncio.FIRST_COMPLETED)
            return await typed if typed.done() else "y" if await pressed else "n"
        finally:
            typed.cancel()
            pressed.cancel()
            await asyncio.gather(typed, pressed, return_exceptions=True)


def kind_asked(confirm: str, intent: Intent, risk: str) -> str:
    """The kind of deed that is asked about under `--confirm none|risky|all`; empty for none."""
    if confirm == "none":
        return ""
    return risk or ("any" if confirm == "all" and intent.action.tool not in LOOKING else "")


def asking(intent: Intent) -> str:
    """What the person is asked about an action."""
    lines = [
        f"step {intent.n} {SAYS[intent.risk]}: {action_words(intent.action, intent.observation)}",
        f"  at {printable(intent.observation.url, 200)}",
    ]
    if intent.action.thought:
        lines.append(f"  thought: {printable(intent.action.thought, 500)}")
    return "\n".join(lines)


def _refused(intent: Intent, answer: str, why: str) -> Clearance:
    """Told to the model as any refused action is; it goes on without."""
    told = (
        f"{NOT_CONFIRMED}: this {SAYS[intent.risk]}, which needs a person's yes, and {why}; "
        "don't try it another way: go on without it, or stop"
    )
    return Clearance(intent.action, intent.by, Outcome("not done", told), asked=f"{intent.risk}: {answer}")
