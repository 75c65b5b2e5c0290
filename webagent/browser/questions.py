"""What judges ask of a session: values and texts of its pages, and calls to its site."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webagent.browser import moving
from webagent.browser.stage import Stage, plain_reason
from webagent.errors import ActionError
from webagent.hosts import host_of
from webagent.ids import clean_text

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page


class Questions:
    """Asks the current page, or another page opened beside it; the agent's own tabs stay as they are."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def evaluate(self, script: str, url: str = "") -> Any:
        """The value of a JavaScript expression in the current page, or in the page at `url`, opened
        beside it. Raises ActionError where it has none."""
        return await self._ask(lambda page: page.evaluate(script), url)

    async def text_of(self, locator: str, url: str = "") -> str:
        """All text at a CSS or Playwright locator, in the current page or in the page at `url`; empty
        where nothing is there."""

        async def read(page: "Page") -> str:
            return "\n".join(await page.locator(locator).all_inner_texts())

        return clean_text(await self._ask(read, url))

    async def _ask(self, question: "Callable[[Page], Awaitable[Any]]", url: str) -> Any:
        from playwright.async_api import Error

        stage = self._stage
        try:
            if not url:
                return await asyncio.wait_for(question(stage.page), 10)
            async with stage.tabs.aside(stage.context) as page:
                await page.goto(url, wait_until="load", timeout=moving.PAGE_MS)
                return await asyncio.wait_for(question(page), 10)
        except (Error, TimeoutError) as error:
            raise ActionError(f"the page gave no answer: {plain_reason(error)}") from error

    async def request(self, method: str, url: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON (or text) of an HTTP call with the session's cookies. Raises ActionError
        where nothing answers."""
        from playwright.async_api import Error

        context = self._stage.context
        try:
            direct = self._stage.gateway is None
            address, headers = await _reachable(context, url) if direct else (url, None)
            response = await context.request.fetch(
                address, method=method, headers=headers, data=body, timeout=moving.PAGE_MS
            )
            text = clean_text(await response.text())
        except Error as error:
            raise ActionError(f"no answer from {url}: {plain_reason(error)}") from error
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, text


async def _reachable(context: "BrowserContext", url: str) -> tuple[str, dict[str, str] | None]:
    """The address and headers for a call that goes through no gateway: names below `.localhost`, which
    Chromium takes for loopback, are known to no resolver."""
    parts = urlsplit(url)
    if not host_of(url).endswith(".localhost"):
        return url, None
    port = f":{parts.port}" if parts.port else ""
    cookies = "; ".join(f"{one['name']}={one['value']}" for one in await context.cookies(url))
    headers = {"Host": parts.netloc, **({"Cookie": cookies} if cookies else {})}
    return parts._replace(netloc=f"localhost{port}").geturl(), headers
