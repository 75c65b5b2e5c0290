"""The moves of a tab that a person made outside of its pages: addresses typed, back, forward."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

BY_PERSON = frozenset({"typed", "address_bar", "generated", "keyword", "keyword_generated", "auto_bookmark"})
"""What Chromium calls navigations that did not come from a page."""

ASKED = 6
"""Times at the most that the history is asked for one navigation."""

Move = tuple[str, Mapping[str, Any]]
"""A tool and its arguments."""


class Moves:
    """Reads the tab's history. `scripted` is set when a script of the page moves in it, `closing` when
    one closes the tab."""

    def __init__(self, page: "Page") -> None:
        self._page = page
        self._session: CDPSession | None = None
        self._ids: list[int] = []
        self._index = -1
        self.scripted = False
        self.closing = False

    async def begin(self) -> None:
        """Moves count from here on."""
        self._remember(await self.history(self._page.url))

    def made(self, history: Mapping[str, Any]) -> list[Move]:
        """The person's moves since the last call, by the history as it is now; none where pages moved
        by themselves."""
        ids, index = self._ids, self._index
        entries, now = self._remember(history)
        scripted, self.scripted = self.scripted, False
        entry = entries[now]
        if entry["id"] in ids:
            there = ids.index(entry["id"])
            if scripted or there == index:
                return []
            return [("back", {})] * (index - there) if there < index else [_goto(entry)]
        typed = entry.get("transitionType") in BY_PERSON and str(entry["url"]).startswith("http")
        return [_goto(entry)] if typed else []

    def _remember(self, history: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], int]:
        entries, now = list(history["entries"]), int(history["currentIndex"])
        self._ids = [entry["id"] for entry in entries]
        self._index = now
        return entries, now

    async def history(self, url: str) -> Mapping[str, Any]:
        """The tab's history at this moment, when it came to an address. Chromium tells of a new page a
        moment before its history has it: then it is asked again. Raises Playwright's Error where the tab
        is gone."""
        if self._session is None:
            self._session = await self._page.context.new_cdp_session(self._page)
        history: Mapping[str, Any] = {}
        for _ in range(ASKED):
            history = await self._session.send("Page.getNavigationHistory")
            if history["entries"][history["currentIndex"]]["url"] == url:
                break
            await asyncio.sleep(0.02)
        return history

    async def end(self) -> None:
        """Lets go of the tab."""
        from playwright.async_api import Error

        if self._session is not None:
            with suppress(Error):
                await self._session.detach()


def _goto(entry: Mapping[str, Any]) -> Move:
    return "goto", {"url": str(entry["url"])}
