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
        self._been: set[int] = set()
        self._at = -1
        self.scripted = False
        self.closing = False

    async def begin(self) -> None:
        """Moves count from here on."""
        self.count_from(await self.history(self._page.url), self._page.url)

    def count_from(self, history: Mapping[str, Any], url: str) -> None:
        """Moves count from this address on."""
        entries = history["entries"]
        self._been = {entry["id"] for entry in entries}
        self._at = entries[self._place(history, url)]["id"]

    def made(self, history: Mapping[str, Any], url: str) -> list[Move]:
        """The person's moves since the last call, by a history that has the address where the tab came to;
        none where pages moved by themselves."""
        entries, place = history["entries"], self._place(history, url)
        entry = entries[place]
        before = next((n for n, one in enumerate(entries) if one["id"] == self._at), place + 1)
        known, scripted = entry["id"] in self._been, self.scripted
        self._been.add(entry["id"])
        self._at, self.scripted = entry["id"], False
        if not known:
            typed = entry.get("transitionType") in BY_PERSON and str(entry["url"]).startswith("http")
            return [_goto(entry)] if typed else []
        if scripted or place == before:
            return []
        return [("back", {})] * (before - place) if place < before else [_goto(entry)]

    def _place(self, history: Mapping[str, Any], url: str) -> int:
        """The entry that the tab came to. The history may be older or newer than that: its current entry
        counts where it has the address, then one that is new, then the nearest."""
        entries, now = history["entries"], int(history["currentIndex"])
        if entries[now]["url"] == url:
            return now
        there = [place for place, entry in enumerate(entries) if entry["url"] == url]
        new = [place for place in there if entries[place]["id"] not in self._been]
        at = next((n for n, one in enumerate(entries) if one["id"] == self._at), now)
        return new[0] if new else min(there, key=lambda place: abs(place - at), default=now)

    async def history(self, url: str) -> Mapping[str, Any]:
        """The tab's history with this address in it. Chromium tells of a new page a moment before its
        history has it, or anyone can be asked for it: then it is asked again. Raises Playwright's Error where
        the tab is gone."""
        from playwright.async_api import Error

        if self._session is None:
            self._session = await self._page.context.new_cdp_session(self._page)
        history: Mapping[str, Any] = {}
        for asked in range(ASKED):
            try:
                history = await self._session.send("Page.getNavigationHistory")
            except Error:  # "not attached to an active page": the new one is just being put in its place
                if self._page.is_closed() or asked == ASKED - 1:
                    raise
            if any(entry["url"] == url for entry in history.get("entries", ())):
                break
            await asyncio.sleep(0.02 * (asked + 1))
        return history

    async def end(self) -> None:
        """Lets go of the tab."""
        from playwright.async_api import Error

        if self._session is not None:
            with suppress(Error):
                await self._session.detach()


def _goto(entry: Mapping[str, Any]) -> Move:
    return "goto", {"url": str(entry["url"])}
