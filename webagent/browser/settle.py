"""Waits until a page is quiet: no mutations, no requests in flight, nothing about to open.

Never for a fixed time and never for `networkidle`: a still page costs one quiet period."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webagent.browser.downloads import Downloads
from webagent.browser.scripts import function
from webagent.browser.snapshot import Stamp, foreign_frames, joined_stamp
from webagent.browser.tabs import Tabs
from webagent.browser.traffic import Traffic

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

QUIET_MS = 60
"""Milliseconds without a mutation that make a page quiet."""
STILL_MS = 15
"""Of these, how many are always waited, on a page that has been quiet for long."""
CAP = 1.4
"""Seconds after which a page that never comes to rest is read anyway."""
BUSY = 5.0
"""The same while requests are in flight."""
NAVIGATION = 12.0
"""The same while the next document is being fetched."""
ANSWER = 8.0
"""Seconds beyond its cap after which a page that does not answer hangs."""


class Hung(Exception):
    """The page's scripts never come to an end."""


@dataclass
class Opened:
    """How many tabs and downloads had begun, and how many navigations were stopped, before the last action."""

    tabs: int = 0
    downloads: int = 0
    stopped: int = 0


class Quiet:
    """Waits for quiet on the current tab."""

    def __init__(self, tabs: Tabs, traffic: Traffic, downloads: Downloads) -> None:
        self._tabs = tabs
        self._traffic = traffic
        self._downloads = downloads
        self.before = Opened()

    def mark(self) -> None:
        """Remembers what is open, before an action."""
        self.before = self._now()

    def _now(self) -> Opened:
        return Opened(self._tabs.moves, self._downloads.begun, self._tabs.stopped)

    @property
    def something_opened(self) -> bool:
        """True where a tab or a download came since `mark`, or was stopped."""
        return self._now() != self.before

    async def wait_for_opening(self, seconds: float = 0.4) -> None:
        """Waits for a tab or download that the page said it opens; its event comes late."""
        end = time.monotonic() + seconds
        while not self.something_opened and time.monotonic() < end:
            await _any_of(end - time.monotonic(), self._tabs.changed, self._downloads.changed)

    async def arrive(self, page: "Page", seconds: float = 1.0) -> bool:
        """Waits until nothing that a tab asked for is in flight, at most so long; False where something
        is still."""
        end = time.monotonic() + seconds
        while self._busy(page) and time.monotonic() < end:
            await self._wait_for_traffic(page, end - time.monotonic())
        return not self._busy(page)

    async def settle(self) -> Stamp:
        """Returns once the current tab is quiet or its cap is reached, with its stamp, which is empty
        where it gave none. Raises Hung."""
        began = time.monotonic()
        while (page := self._tabs.current) is not None and not self._tabs.crashed(page):
            left = self._limit(page) - (time.monotonic() - began)
            if left <= 0:
                self._traffic.give_up(page)
                return Stamp()
            answer, stamp = await self._ask(page, min(left, CAP))
            if self._tabs.current is not page:
                continue
            if answer is None:
                await self._wait_for_document(page, left)
                continue
            if answer["opening"] and not self.something_opened:
                await self.wait_for_opening()
                continue
            if not self._busy(page):
                if answer["calm"] or time.monotonic() - began >= CAP * 0.9:
                    return stamp
                if answer["restless"]:
                    return stamp
                continue
            await self._wait_for_traffic(page, self._limit(page) - (time.monotonic() - began))
        return Stamp()

    def _busy(self, page: "Page") -> bool:
        return self._downloads.running or bool(self._traffic.in_flight(page))

    def _limit(self, page: "Page") -> float:
        if self._traffic.navigating(page):
            return NAVIGATION
        return BUSY if self._busy(page) else CAP

    async def _ask(self, page: "Page", cap: float) -> tuple[dict[str, Any] | None, Stamp]:
        """What the page says of itself, and its stamp; None where its document went meanwhile."""
        answers = await asyncio.gather(
            self._ask_frame(page.main_frame, cap, ANSWER),
            *(self._ask_frame(frame, min(cap, 0.7), 0.3) for frame in foreign_frames(page)),
            return_exceptions=True,
        )
        main = answers[0]
        if isinstance(main, BaseException):
            if isinstance(main, TimeoutError):
                if self._traffic.navigating(page):
                    return None, Stamp()
                raise Hung
            return None, Stamp()
        others = [one["stamp"] for one in answers[1:] if not isinstance(one, BaseException)]
        return main, joined_stamp(main["stamp"], others)

    async def _ask_frame(self, frame: "Frame", cap: float, grace: float) -> dict[str, Any]:
        asked = {"quiet": QUIET_MS, "still": STILL_MS, "cap": int(cap * 1000)}
        answer: dict[str, Any] = await asyncio.wait_for(frame.evaluate(function("quiet"), asked), cap + grace)
        return answer

    async def _wait_for_document(self, page: "Page", seconds: float) -> None:
        from playwright.async_api import Error

        with suppress(Error, TimeoutError):
            await page.wait_for_load_state("domcontentloaded", timeout=max(50, seconds * 1000))

    async def _wait_for_traffic(self, page: "Page", seconds: float) -> None:
        """Waits until something moves: a request, a tab, a download."""
        if seconds > 0:
            await _any_of(seconds, self._traffic.changed, self._tabs.changed, self._downloads.changed)


async def _any_of(seconds: float, *events: asyncio.Event) -> None:
    """Waits until one of the events happens anew, at most so long."""
    for event in events:
        event.clear()
    tasks = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
