"""Playwright alone: the raw snapshot, and a script that a person would write for the task."""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from benchmarks.contenders.answering import KNOW, NUDGE, SHARE, TOLD, serve_async
from webagent.browser.arguments import launch_arguments
from webagent.browser.launch import find_chromium
from webagent.browser.settle import QUIET_MS

QUIET = """(ms) => new Promise((resolve) => {
  let timer = setTimeout(resolve, ms);
  new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(resolve, ms); }).observe(
    document, { subtree: true, childList: true, attributes: true, characterData: true });
})"""
"""Settles as ours does: until nothing changed for so long."""


class Script:
    """One page of one browser."""

    def __init__(self, browser: Browser, page: Page) -> None:
        self.browser = browser
        self.page = page

    async def open(self, url: str) -> None:
        await self.page.goto(url)

    async def nudge(self) -> None:
        await self.page.evaluate(NUDGE)

    async def read(self) -> dict[str, Any]:
        began = time.perf_counter()
        text = await self.page.aria_snapshot(mode="ai")
        return {"ms": (time.perf_counter() - began) * 1000, "text": text}

    async def share(self, text: str) -> list[int]:
        await self.page.evaluate(KNOW)
        for ref in re.findall(r"\[ref=(e\d+|f\d+e\d+)\]", text):
            await self.page.eval_on_selector(f"aria-ref={ref}", TOLD)
        found: list[int] = await self.page.evaluate(SHARE)
        return found

    async def task(self, url: str, steps: Sequence[Mapping[str, str]], endpoint: str = "") -> dict[str, Any]:
        context = await self.browser.new_context()
        page = await context.new_page()
        await page.goto(url)
        await page.evaluate(QUIET, QUIET_MS)
        began = time.perf_counter()
        for step in steps:
            element = page.get_by_role(step["role"], name=step["name"], exact=True).first  # type: ignore[arg-type]
            if step["tool"] == "type":
                await element.fill(step["text"])
            else:
                await element.click()
            await page.wait_for_load_state("domcontentloaded")
            await page.evaluate(QUIET, QUIET_MS)
        seconds = time.perf_counter() - began
        answer = await page.locator("dt:text-is('Distance') + dd").inner_text()
        await context.close()
        return {"seconds": seconds, "answer": answer}


async def main() -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=launch_arguments())
        script = Script(browser, await browser.new_page(viewport={"width": 1280, "height": 720}))
        await serve_async(
            {name: getattr(script, name) for name in ("open", "nudge", "read", "share", "task")}
        )
        await browser.close()


asyncio.run(main())
