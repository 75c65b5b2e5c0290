"""A command that a person takes part in: a process, its terminal, and a browser of their own."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.commands import environment
from tests.pages.kit import own_chrome

if TYPE_CHECKING:
    from playwright.async_api import Page


@dataclass
class Terminal:
    """The program as it runs, and the tab that it opened."""

    process: asyncio.subprocess.Process
    page: "Page"

    async def says(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        await self.process.stdin.drain()

    async def ended(self) -> tuple[int, str, str]:
        out, err = await asyncio.wait_for(self.process.communicate(), 60)
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()


def recording(
    folder: Path, goal: str, url: str, extra: Sequence[str] = ()
) -> contextlib.AbstractAsyncContextManager[Terminal]:
    """A demonstration on a site."""
    return started(folder, url, ["record", goal, "--url", url, *extra])


@contextlib.asynccontextmanager
async def started(folder: Path, url: str, command: Sequence[str]) -> AsyncIterator[Terminal]:
    """A command that a person takes part in, once its tab is there."""
    from playwright.async_api import async_playwright

    async with own_chrome(folder / "profile") as (_, port), async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "webagent", *command, "--cdp-endpoint", f"http://127.0.0.1:{port}"),
            cwd=folder,
            env=environment({"HOME": str(folder)}),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stderr is not None
        heard = b""
        while b"press Enter here" not in heard:
            heard = await asyncio.wait_for(process.stderr.readline(), 60)
            assert heard, "the program ended"
        while not (found := [page for page in browser.contexts[0].pages if page.url.startswith(url)]):
            await browser.contexts[0].wait_for_event("page")
        page = found[0]
        try:
            yield Terminal(process, page)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
