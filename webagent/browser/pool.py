"""The few browsers that a batch's runs share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from webagent.browser.launch import Chromium, driver, launched
from webagent.browser.options import BrowserOptions
from webagent.errors import BrowserFault

if TYPE_CHECKING:
    from playwright.async_api import Playwright

RUNS_EACH = 4
"""Runs that one browser carries at a time: a crash reaches no more than these."""


class BrowserPool:
    """Browsers opened as they are needed, each for up to `RUNS_EACH` runs side by side; `async with` it.
    All have one driver: several in one program keep each other from resting, at a third of its CPU."""

    def __init__(self, options: BrowserOptions) -> None:
        self._options = replace(options, spare_process=False)
        self._stack = AsyncExitStack()
        self._driver: Playwright | None = None
        self._load: dict[Chromium, int] = {}
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    @asynccontextmanager
    async def browser(self) -> AsyncIterator[Chromium]:
        """A browser with room for one more run, until the block ends. Raises BrowserFault."""
        async with self._opening:
            try:
                chromium = await self._roomy()
            except BrowserFault:
                if any([await one.answers() for one in self._load]):
                    raise
                self._driver = None  # where no browser lives, it may be the driver that died
                self._load.clear()
                chromium = await self._roomy()
            self._load[chromium] += 1
        try:
            yield chromium
        finally:
            if chromium in self._load:
                self._load[chromium] -= 1

    async def _roomy(self) -> Chromium:
        chromium = min(self._load, key=self._load.__getitem__, default=None)
        if chromium is None or self._load[chromium] >= RUNS_EACH:
            if self._driver is None:
                self._driver = await self._stack.enter_async_context(driver(self._options))
            chromium = await self._stack.enter_async_context(launched(self._options, self._driver))
            self._load[chromium] = 0
        await chromium.revive()
        return chromium
