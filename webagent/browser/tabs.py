"""The tabs of a run: which are open, which is current, which died."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from webagent.browser.events import Events, short_url

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

MOST = 10
"""Open tabs; a page that opens more has them closed."""


class Tabs:
    """Tabs in the order they opened. A tab that a page opens becomes the current one."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self.on_new: Callable[[Page], None] = lambda page: None
        self.on_crash: Callable[[], None] = lambda: None
        self.pages: list[Page] = []
        self._current: Page | None = None
        self.last: Page | None = None
        self._crashed: set[Page] = set()
        self._closing: set[Page] = set()
        self._popups: set[Page] = set()
        self._told: tuple[Page | None, ...] = ()
        self._expected = 0
        self._refused = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.changed = asyncio.Event()
        self.moves = 0
        self.stopped = 0
        self.last_url: dict[Page, str] = {}

    @property
    def current(self) -> "Page | None":
        return self._current

    @property
    def index(self) -> int:
        """The current tab's number, from 1."""
        return self.pages.index(self._current) + 1 if self._current in self.pages else 1

    def tell(self) -> None:
        """Tells which tabs there are, where that changed and a number alone does not say it."""
        told = (self._current, *self.pages)
        if len(self.pages) > 2 and told != self._told:
            base = self._events.mask(self._current.url) if self._current else ""
            named = [short_url(self._events.mask(page.url), base) for page in self.pages]
            self._events.add(f"tabs: {', '.join(f'{n} {name}' for n, name in enumerate(named, 1))}")
        self._told = told

    def crashed(self, page: "Page") -> bool:
        return page in self._crashed

    def watch(self, context: "BrowserContext", *, shared: bool = False) -> None:
        """Adopts every tab that opens; in a shared browser only those our tabs open."""
        context.on("page", self._on_shared if shared else self._on_page)

    def _on_shared(self, page: "Page") -> None:
        task = asyncio.ensure_future(self._adopt_if_ours(page))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _adopt_if_ours(self, page: "Page") -> None:
        from playwright.async_api import Error

        with suppress(Error):
            if await page.opener() in self.pages:
                self._on_page(page)

    def _on_page(self, page: "Page") -> None:
        if page in self.pages or page.is_closed():  # a popup that was refused is told once it is gone
            return
        if self._expected:
            return
        if len(self.pages) >= MOST:
            self._refused += 1
            self._close_quietly(page)
            self._events.add(f"a page opened more than {MOST} tabs; the others were closed")
            return
        self._popups.add(page)
        self.add(page)
        self._events.add(f"a new tab opened and is now current: tab {self.index} of {len(self.pages)}")

    def _close_quietly(self, page: "Page") -> None:
        task = asyncio.ensure_future(_close(page))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def add(self, page: "Page") -> None:
        """A tab that is now the current one."""
        self.pages.append(page)
        page.on("close", self._on_close)
        page.on("crash", self._on_crash)
        self.on_new(page)
        self._set(page)

    async def open(self, context: "BrowserContext") -> "Page":
        """A new tab of our own, current afterwards."""
        self._expected += 1
        try:
            page = await context.new_page()
        finally:
            self._expected -= 1
        self.add(page)
        return page

    def switch(self, index: int) -> bool:
        """Makes the tab with this number, from 1, current; False where there is none."""
        if not 1 <= index <= len(self.pages):
            return False
        self._set(self.pages[index - 1])
        return True

    async def close(self, index: int) -> None:
        """Closes the tab with this number, from 1."""
        page = self.pages[index - 1]
        self._closing.add(page)
        try:
            await page.close()
        finally:
            self._on_close(page)
            self._closing.discard(page)

    def _set(self, page: "Page | None") -> None:
        if page is not self._current:
            self._current = page
            self.last = page or self.last
            self.moves += 1
        self.changed.set()

    def _on_close(self, page: "Page") -> None:
        if page not in self.pages:
            return
        at = self.pages.index(page)
        self.pages.remove(page)
        self._crashed.discard(page)
        self.last_url.pop(page, None)
        if page is self._current:
            self._set(self.pages[max(0, at - 1)] if self.pages else None)
            if page in self._closing:
                return
            self._events.add(f"the current tab was closed; now at tab {self.index} of {len(self.pages)}")
        elif page not in self._closing:
            self._events.add(f"a tab was closed; {len(self.pages)} left")
        self.changed.set()

    def _on_crash(self, page: "Page") -> None:
        self._crashed.add(page)
        self.on_crash()
        self.changed.set()

    def drop(self, page: "Page") -> None:
        """Forgets a tab without an event, before it is replaced."""
        if page in self.pages:
            self.pages.remove(page)
        self._crashed.discard(page)
        self._close_quietly(page)

    def drop_empty_popups(self) -> None:
        """Closes tabs that a page opened and that never got a document."""
        for page in [
            one for one in self.pages if one in self._popups and one.url in ("", ":", "about:blank")
        ]:
            at = self.pages.index(page)
            self.drop(page)
            if page is self._current:
                self._set(self.pages[max(0, at - 1)] if self.pages else None)

    def stop(self) -> None:
        """A navigation was stopped, which may have been the first of a tab: that one never comes."""
        self.stopped += 1
        self.changed.set()

    @asynccontextmanager
    async def aside(self, context: "BrowserContext") -> "AsyncIterator[Page]":
        """A tab that the agent never sees."""
        self._expected += 1
        try:
            page = await context.new_page()
        finally:
            self._expected -= 1
        try:
            yield page
        finally:
            await _close(page)

    async def close_all(self) -> None:
        """Closes the run's tabs, at its end; those of others stay."""
        pages, self.pages, self._current = self.pages, [], None
        await asyncio.gather(*(_close(page) for page in pages))

    def forget(self) -> None:
        """All tabs of a browser that is gone."""
        self.pages.clear()
        self._crashed.clear()
        self._current = None


async def _close(page: "Page") -> None:
    from playwright.async_api import Error

    with suppress(Error, TimeoutError):
        await asyncio.wait_for(page.close(), 3)
