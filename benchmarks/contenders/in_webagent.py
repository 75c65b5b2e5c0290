"""Ours: a page as it is read for a prompt, and a whole run."""

import asyncio
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import Page

from benchmarks.contenders.answering import KNOW, NUDGE, SHARE, TOLD, serve_async
from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.browser.session import BrowserSession
from webagent.browser.snapshot import read_page
from webagent.observation import Observation
from webagent.pipeline import Run
from webagent.settings import Settings
from webagent.shown import render
from webagent.store import Store
from webagent.tasks import Task

BUDGET = Settings().observation_tokens


class Ours:
    """One session at a time of one browser."""

    def __init__(self, browser: Chromium, store: Store) -> None:
        self.browser = browser
        self.store = store
        self.session: BrowserSession | None = None

    @property
    def page(self) -> Page:
        """The session's tab, which is nobody else's business."""
        assert self.session is not None
        return self.session._stage.page

    async def open(self, url: str) -> None:
        if self.session is not None:
            await self.session.close()
        self.session = await BrowserSession.open(self.browser, BrowserOptions(), url)

    async def nudge(self) -> None:
        await self.page.evaluate(NUDGE)

    async def read(self) -> dict[str, Any]:
        began = time.perf_counter()
        reading = await read_page(self.page)
        there = time.perf_counter()
        page = Observation(self.page.url, reading.title, lines=reading.lines, viewport=reading.viewport)
        text = render(page, BUDGET)
        ms, page_ms = (time.perf_counter() - began) * 1000, (there - began) * 1000
        return {"ms": ms, "page_ms": page_ms, "text": text}

    async def share(self, text: str) -> list[int]:
        await self.page.evaluate(KNOW)
        for ref in re.findall(r"\[ref=((?:f\d+)?e\d+)\]", text):
            await self.page.eval_on_selector(f"aria-ref={ref}", TOLD)
        found: list[int] = await self.page.evaluate(SHARE)
        return found

    async def task(self, url: str, steps: Sequence[Mapping[str, str]], endpoint: str) -> dict[str, Any]:
        settings = Settings(policy="llm", memory="off", model="scripted", base_url=endpoint, judge="none")
        task = Task(id="", goal="find the distance", site="maps")
        result = await Run(task, url, settings, self.store, browser=self.browser).run()
        return {"answer": result.answer or result.reason}


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "bench.db") as store:
        async with open_browser(BrowserOptions()) as browser:
            ours = Ours(browser, store)
            await serve_async(
                {name: getattr(ours, name) for name in ("open", "nudge", "read", "share", "task")}
            )


asyncio.run(main())
