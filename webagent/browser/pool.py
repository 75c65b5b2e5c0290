"""The few browsers that a batch's runs share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from types import TracebackType
from typing import Self

from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions

RUNS_EACH = 4
"""Runs that one browser carries at a time: a crash reaches no more than these."""


class BrowserPool:
    """Browsers opened as they are needed, each for up to `RUNS_EACH` runs side by side; `async with` it."""

    def __init__(self, options: BrowserOptions) -> None:
        self._options = options
        self._stack = AsyncExitStack()
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
            chromium = min(self._load, key=self._load.__getitem__, default=None)
            if chromium is None or self._load[chromium] >= RUNS_EACH:
                chromium = await self._stack.enter_async_context(open_browser(self._options))
                self._load[chromium] = 0
            await chromium.revive()
            self._load[chromium] += 1
        try:
            yield chromium
        finally:
            self._load[chromium] -= 1
