"""The person beside a run, where one is there."""

import asyncio
from dataclasses import dataclass, replace

from webagent.browser.session import BrowserSession
from webagent.confirming import Confirming, kind_asked
from webagent.episode import Ask
from webagent.interfaces import Clearance, Intent, Verdict
from webagent.settings import Settings
from webagent.stepping import Stepping, pause_after, pause_at
from webagent.trajectory import Step, Trajectory


@dataclass
class Person:
    """Sees what is about to be done, and decides, answers and pauses where they want to. `session` is where it
    is done, once there is one; `limit` is the run's timeout: a person's time is not the run's, since nobody can
    think within it."""

    settings: Settings
    ask: Ask | None
    session: BrowserSession | None = None
    limit: asyncio.Timeout | None = None

    @property
    def asking(self) -> Ask | None:
        """How to ask them; None where nobody is there."""
        return self._untimed if self.ask else None

    async def clear(self, intent: Intent) -> Clearance:
        """Shows what is about to be done; with `--step` they decide, with `--confirm` they are asked."""
        session = self.session
        assert session is not None, "nothing is done without a browser"
        if self.settings.confirm != "none" and intent.by != "human":
            risk = await session.weighing.risk_of(intent)
            intent = replace(intent, risk=kind_asked(self.settings.confirm, intent, risk))
        stepped = self.settings.step and self.asking is not None
        asked = self.asking is not None and not stepped and not self.settings.yes
        await session.show(intent if asked else replace(intent, risk=""))
        if not stepped or self.asking is None:
            seen = session.weighing.is_as_seen
            return await Confirming(self.asking, seen, session.keys, self.settings.yes).clear(intent)
        visible = self.settings.headed or bool(self.settings.cdp_endpoint)
        cleared = await Stepping(self.asking, visible=visible).clear(intent)
        if cleared.action is not intent.action:
            await session.show(replace(intent, action=cleared.action))
        return cleared

    async def look_at(self, step: Step) -> None:
        """With `--pause-on-error`: a step that failed is looked at before the run goes on."""
        if self.settings.pause_on_error and self.asking is not None:
            await pause_at(self.asking, step)

    async def look_back(self, trajectory: Trajectory, verdict: Verdict) -> None:
        """With `--pause-on-error`: a run that failed is looked at before its browser closes."""
        if self.settings.pause_on_error and self.ask is not None:
            await pause_after(self.ask, trajectory, verdict)

    async def _untimed(self, question: str) -> str:
        assert self.ask is not None
        question = self.settings.secret_values.mask(question)
        clock, limit = asyncio.get_running_loop().time, self.limit
        end = limit.when() if limit else None
        if limit is None or end is None:
            return await self.ask(question)
        left = end - clock()
        limit.reschedule(None)
        try:
            return await self.ask(question)
        finally:
            limit.reschedule(clock() + left)
