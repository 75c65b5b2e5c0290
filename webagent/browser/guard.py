"""Keeps a run's tabs on its allowed hosts. The boundary itself is the gateway; this tells which step broke it,
and leaves the page where it was.

Every document that any tab is about to load is paused by the browser itself, before its first byte
is asked for: links, forms, scripts, redirects, and the first page of a popup, which page-level
interception misses. Frames, sub-resources and downloads started by them go on; what a page sends
(POST and the like) is sent once (see `once`)."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webagent.boundary import Boundary
from webagent.browser.once import PATTERN, is_sent_by_us, send_once

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page


@dataclass
class Rule:
    """Where the tabs of one run may go, and whom to tell of a refusal (URL). `own` are the run's tabs
    where the browser is shared with a person; None means every tab of the context."""

    boundary: Boundary
    refused: Callable[[str], None]
    own: set[str] | None = None
    context: "BrowserContext | None" = None

    def covers(self, target: Mapping[str, Any]) -> bool:
        """True for a tab of this run."""
        if self.own is None:
            return True
        return target["targetId"] in self.own or target.get("openerFrameId") in self.own


@dataclass
class Guard:
    """The rules of all runs of one browser, by the id of their context."""

    rules: dict[str, Rule] = field(default_factory=dict)
    _session: "CDPSession | None" = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def watch(self, browser: "Browser") -> None:
        """Begins to pause documents."""
        session = await browser.new_browser_cdp_session()
        session.on("Fetch.requestPaused", lambda event: self._spawn(self._decide(session, event)))
        pattern = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}
        sending = [{**pattern, "urlPattern": PATTERN, "resourceType": kind} for kind in ("XHR", "Fetch")]
        await session.send("Fetch.enable", {"patterns": [pattern, *sending]})
        self._session = session

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def identity(self, context: "BrowserContext", page: "Page") -> tuple[str, str]:
        """The browser's ids of a context and of one of its tabs."""
        session = await context.new_cdp_session(page)
        info = (await session.send("Target.getTargetInfo"))["targetInfo"]
        self._spawn(_detached(session))
        return str(info.get("browserContextId", "")), str(info["targetId"])

    async def _decide(self, session: "CDPSession", event: Mapping[str, Any]) -> None:
        from playwright.async_api import Error

        url = str(event["request"]["url"])
        with suppress(Error):
            document = event.get("resourceType") == "Document"
            broken = (
                await self._broken_rule(session, url, str(event.get("frameId", ""))) if document else None
            )
            if (
                broken is None
                and is_sent_by_us(event)
                and (context := await self._context_of(session, event))
            ):
                await send_once(session, context, event)
                return
            if broken is None:
                await session.send("Fetch.continueRequest", {"requestId": event["requestId"]})
                return
            await session.send(
                "Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Aborted"}
            )
            rule, target = broken
            rule.refused(url)
            if not target["url"]:  # a popup that never had a page would stay, unseen and in front of ours
                await session.send("Target.closeTarget", {"targetId": target["targetId"]})

    async def _broken_rule(
        self, session: "CDPSession", url: str, frame: str
    ) -> tuple[Rule, Mapping[str, Any]] | None:
        """The rule that a tab breaks by going to a URL, and that tab."""
        if all(rule.boundary.opens(url) for rule in self.rules.values()):
            return None
        targets = (await session.send("Target.getTargets"))["targetInfos"]
        target = next((one for one in targets if one["targetId"] == frame), None)
        if target is None or target["type"] == "iframe":  # a frame of another site is a target of its own
            return None
        rule = self.rules.get(target.get("browserContextId", ""))
        if rule is None or not rule.covers(target) or rule.boundary.opens(url):
            return None
        return rule, target

    async def _context_of(self, session: "CDPSession", event: Mapping[str, Any]) -> "BrowserContext | None":
        """The context of the run whose tab sends a request; frames of a tab are looked up by their host
        alone, so a browser with several runs leaves theirs to Chromium."""
        if len(self.rules) == 1:
            (rule,) = self.rules.values()
            return rule.context if rule.own is None else None
        targets = (await session.send("Target.getTargets"))["targetInfos"]
        frame = str(event.get("frameId", ""))
        target = next((one for one in targets if one["targetId"] == frame), None)
        rule_of = self.rules.get(target.get("browserContextId", "")) if target else None
        return rule_of.context if rule_of is not None and rule_of.own is None else None

    async def close(self) -> None:
        """Ends what is still being decided."""
        for task in list(self._tasks):
            task.cancel()


async def _detached(session: "CDPSession") -> None:
    from playwright.async_api import Error

    with suppress(Error):
        await session.detach()
