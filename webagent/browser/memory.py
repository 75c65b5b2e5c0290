"""How much memory pages take, and the end of those that take too much."""

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser, CDPSession

CALM = 0.5
"""Seconds between two looks; a page can fill some gigabytes in one."""
ALARMED = 0.05
"""The same once a page has half of what it may have."""
LATELY = 2.0
"""Seconds for which a crash counts as the end of a process that was ended here."""
MEGABYTE = 1_000_000


class PageMemory:
    """Ends each page process of a browser that grows above `limit` megabytes (0: none is ended). Its tabs
    crash by that, and no other; runs in a browser have processes of their own. On Linux only: elsewhere a
    process's size can't be asked for without a program of its own."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._watching: asyncio.Task[None] | None = None
        self._ended = (-LATELY, 0)

    async def watch(self, browser: "Browser") -> None:
        """Begins to look after the processes of a browser that was just started."""
        await self.close()
        if self._limit and sys.platform.startswith("linux"):
            session = await browser.new_browser_cdp_session()
            self._watching = asyncio.ensure_future(self._watch(session))

    @property
    def ended_lately(self) -> int:
        """Megabytes of a process that was ended within the last seconds; 0 where none was."""
        moment, size = self._ended
        return size if time.monotonic() - moment < LATELY else 0

    async def _watch(self, session: "CDPSession") -> None:
        from playwright.async_api import Error

        with suppress(Error):  # the browser is gone
            while True:
                told = await session.send("SystemInfo.getProcessInfo")
                pages = [int(one["id"]) for one in told["processInfo"] if one["type"] == "renderer"]
                largest = max(map(self._checked, pages), default=0)
                await asyncio.sleep(ALARMED if largest > self._limit / 2 else CALM)

    def _checked(self, pid: int) -> int:
        """The size of a process, which is ended where it is above the limit."""
        size = _megabytes(pid)
        if size > self._limit:
            self._ended = (time.monotonic(), size)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return size

    async def close(self) -> None:
        """Looks no longer."""
        watching, self._watching = self._watching, None
        if watching is not None:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching


def _megabytes(pid: int) -> int:
    """What a process has in memory; 0 where it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // MEGABYTE
