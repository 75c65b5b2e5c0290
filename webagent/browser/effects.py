"""What an action would set off, asked of the page before it is done."""

from contextlib import suppress
from dataclasses import dataclass

from webagent.actions import Action
from webagent.browser.dialogs import DialogOpened
from webagent.browser.entry import focused
from webagent.browser.resolve import called
from webagent.browser.scripts import function
from webagent.browser.stage import Stage
from webagent.errors import ActionError
from webagent.interfaces import Intent
from webagent.risk import Effect, risk_of

SECONDS = 2.0


@dataclass(frozen=True)
class Weighing:
    """What a person should know of an action before it is done."""

    stage: Stage

    async def risk_of(self, intent: Intent) -> str:
        """The kind of deed that an action would be, as far as the page tells (see `risk`); empty for none."""
        try:
            effect = await self.stage.race(effect_of(self.stage, intent.action))
        except DialogOpened:
            effect = Effect()
        return risk_of(intent.action, intent.observation, effect)

    async def is_as_seen(self, intent: Intent) -> bool:
        """Whether the element of an action is still called as it was when the action was chosen."""
        ref = intent.action.ref
        with suppress(DialogOpened, ActionError):
            if ref is not None:
                page = await self.stage.race(self.stage.look())
                return called(page, ref) == called(intent.observation, ref)
        return True


async def effect_of(stage: Stage, action: Action) -> Effect:
    """What the page says of the element that an action presses, or of what has the focus; nothing where
    there is none, or the page does not answer: then the observation alone tells."""
    from playwright.async_api import Error

    key = action.tool == "press" or bool(action.arguments.get("submit"))
    with suppress(ActionError, Error):
        if action.ref is not None:
            return Effect.of(await stage.run(await stage.element(action.ref), "effect", key, seconds=SECONDS))
        if action.tool in ("press", "type"):
            handle, _ = await focused(stage)
            if handle is not None:
                return Effect.of(await handle.evaluate(function("effect"), key))
    return Effect()
