"""Reads the current page whatever state it is in, and replaces tabs and browsers that died."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from webagent.browser.launch import Chromium
from webagent.browser.roots import ClosedRoots
from webagent.browser.settle import Hung
from webagent.browser.snapshot import Reading, Unread, is_shell, stamp_of
from webagent.browser.stage import Stage
from webagent.errors import BrowserFault, LimitReached
from webagent.hosts import host_of
from webagent.ids import clean_text
from webagent.observation import Line

if TYPE_CHECKING:
    from playwright.async_api import Page

SHELL_SECONDS = 5.0
"""How long a page that shows nothing yet is given to fill."""
TRIES = 6
SHOWN = 5
"""Hosts that one event names."""
MOST_ELEMENTS = 30_000
"""Elements of a page that are listed: it takes 3 s for so many, and up to a minute for 50,000."""
MOST_TEXT = 2_000_000
"""Characters of the text of such a page."""
TEXT = "(most) => document.body ? document.body.innerText.slice(0, most) : ''"


class Care:
    """Brings a reading home: waits for quiet and for empty shells to fill, stops what never loads,
    replaces a hung or crashed tab, revives a killed browser once."""

    def __init__(
        self, chromium: Chromium, stage: Stage, connect: Callable[[], Awaitable[None]], start_url: str
    ) -> None:
        self._chromium = chromium
        self._stage = stage
        self._connect = connect
        self._last_url = start_url
        self.roots = ClosedRoots()
        self._hung_at = ""
        self._revived = False
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waited_for: set[str] = set()
        self._overgrown = 0
        stage.tabs.on_crash = self._crashed

    def _crashed(self) -> None:
        """A tab crashed; it may have been ended because it took too much memory."""
        self._overgrown = self._overgrown or self._chromium.memory.ended_lately

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs something beside, whose failure does not matter."""
        task = asyncio.ensure_future(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def read(self) -> Reading:
        """The current page once it is quiet. Raises BrowserFault, LimitReached."""
        from playwright.async_api import Error, TimeoutError

        late = 0
        for _ in range(TRIES):
            await self._mend()
            page = self._stage.page
            try:
                reading = await self._settled(page)
                if self._stage.tabs.current is not page or await self._left_hosts(page):
                    continue
                if await self.roots.open(self._stage.context, page):
                    reading = None
                if reading is None and await self._is_large(page):
                    text = await self._text_alone(page)
                    if text is not None:
                        return text
                reading = await self._filled(page, reading or await self._stage.read(page, patient=late > 0))
                if self._stage.tabs.current is not page:
                    continue
                self._last_url = page.url if page.url.startswith("http") else self._last_url
                return reading
            except Hung:
                await self._replace_hung(page)
            except TimeoutError:
                late += 1
                await self._after_late(page, late)
                if late >= 2:
                    text = await self._text_alone(page)
                    if text is not None:
                        return text
                    await self._replace_hung(page)
            except (Error, Unread):
                await self._stage.pause(0.02)
        raise BrowserFault("the page could not be read, however often it was tried")

    async def _settled(self, page: "Page") -> Reading | None:
        """Waits for quiet, and reads meanwhile: that reading, where the page is still as it was then."""

        async def early() -> Reading | None:
            if not await self._stage.quiet.arrive(page):
                return None
            opened, reading = await asyncio.gather(
                self.roots.open(self._stage.context, page), self._stage.glance(page)
            )
            return None if opened else reading  # it was read without what is in them

        reading = asyncio.ensure_future(early())
        try:
            stamp = await self._stage.quiet.settle()
            found = await reading
        finally:
            reading.cancel()
        return found if found is not None and found.stamp == stamp else None

    async def _left_hosts(self, page: "Page") -> bool:
        """Tells of what was stopped, and leaves a host that is not allowed."""
        stage = self._stage
        self._tell_denied()
        for url in stage.refused:
            stage.events.add(f"a navigation was stopped: {stage.boundary.refusal(url)}")
        if stage.refused:
            stage.refused.clear()
            before = stage.tabs.current
            stage.tabs.drop_empty_popups()
            if stage.tabs.current is not before:
                return True
        if host_of(page.url) and not stage.boundary.opens(page.url):
            stage.events.add(f"the page was left: {stage.boundary.refusal(page.url)}")
            await page.goto("about:blank")
            return True
        return False

    def _tell_denied(self) -> None:
        """One event for all hosts that were kept out since the last one, but those of stopped navigations."""
        stage = self._stage
        hosts = [entry for entry in stage.gateway.denied if entry not in stage.told] if stage.gateway else []
        stage.told.update(hosts)
        if hosts:
            more = f" and {len(hosts) - SHOWN} more" if len(hosts) > SHOWN else ""
            stage.events.add(
                f"requests of the page were blocked: {', '.join(hosts[:SHOWN])}{more} (not in --allowed-domains)"
            )

    async def _filled(self, page: "Page", reading: Reading) -> Reading:
        """The reading, once an empty shell has filled; each document is waited for once."""
        from playwright.async_api import Error

        clock = asyncio.get_running_loop().time
        end = clock() + SHELL_SECONDS
        document = reading.stamp.document
        while is_shell(reading) and page.url != "about:blank" and document not in self._waited_for:
            left = end - clock()
            if left <= 0:
                self._waited_for.add(document)
                break
            self._stage.reading = reading
            await self._stage.change(min(left, 1.0))
            with suppress(Error, Unread):
                await self._stage.quiet.settle()
                reading = await self._stage.read(page)
        return reading

    async def _after_late(self, page: "Page", late: int) -> None:
        """Stops what keeps a snapshot from being taken: a frame or document that never comes."""
        if late > 1:
            return
        from playwright.async_api import Error

        self._stage.traffic.give_up(page)
        with suppress(Error, asyncio.TimeoutError):
            session = await asyncio.wait_for(self._stage.context.new_cdp_session(page), 1)
            await asyncio.wait_for(session.send("Page.stopLoading"), 1)
            self._stage.events.add("a part of the page did not load in time; its loading was stopped")
            await asyncio.wait_for(session.detach(), 1)

    async def _is_large(self, page: "Page") -> bool:
        """Whether a page has so many elements that it is not tried to list them: nothing could end that."""
        from playwright.async_api import Error

        try:
            count = await asyncio.wait_for(page.evaluate("document.getElementsByTagName('*').length"), 2)
        except (TimeoutError, Error):
            return False
        return int(count) > MOST_ELEMENTS

    async def _text_alone(self, page: "Page") -> Reading | None:
        """The page's text without elements, for pages too large to list; None where it hangs."""
        from playwright.async_api import Error

        stamp = await stamp_of(page)
        try:
            text = await asyncio.wait_for(page.evaluate(TEXT, MOST_TEXT), 10)
        except (TimeoutError, Error):
            return None
        rows = [row for row in clean_text(str(text)).splitlines() if row.strip()]
        self._stage.events.add("the page is too large to list its elements in time; this is its text")
        rows = [self._stage.events.mask(row) for row in rows]
        lines = (Line(n, -1, 0, "text", text=" ".join(row.split())) for n, row in enumerate(rows))
        return Reading(tuple(lines), stamp=stamp)

    async def _mend(self) -> None:
        """Sees to it that there is a living tab."""
        from playwright.async_api import Error

        stage = self._stage
        if self._overgrown:
            limit = stage.options.max_page_memory
            raise LimitReached(
                f"max_page_memory: a page took {self._overgrown} of {limit} MB, and was closed"
            )
        if not self._chromium.alive:
            await self._revive()
        page = stage.tabs.current
        if page is not None and stage.tabs.crashed(page):
            stage.events.add("the page crashed and was opened anew")
            await self._replace(page, page.url)
        elif page is None:
            try:
                await stage.tabs.open(stage.context)
            except Error:
                await stage.pause(0.3)  # a browser that dies closes its tabs first
                return
            stage.events.add("the last tab was closed; the page was opened anew")
            await self._go(self._last_url)

    async def _replace_hung(self, page: "Page") -> None:
        """Closes a tab whose scripts never end; the same address is tried once more."""
        url = page.url
        again = url != self._hung_at
        self._hung_at = url
        self._stage.events.add(
            "the page hung in an endless script and was " + ("opened anew" if again else "closed")
        )
        await self._replace(page, url if again else "")

    async def _replace(self, page: "Page", url: str) -> None:
        from playwright.async_api import Error

        self._stage.tabs.drop(page)
        with suppress(Error):
            await self._stage.tabs.open(self._stage.context)
            await self._go(url)

    async def _go(self, url: str) -> None:
        from playwright.async_api import Error

        if not url.startswith("http"):
            return
        try:
            await self._stage.page.goto(url, wait_until="commit", timeout=20_000)
        except Error:
            self._stage.events.add(f"{self._stage.events.quoted(url)} could not be opened again")

    async def _revive(self) -> None:
        """Starts a killed browser again, once a session. Raises BrowserFault."""
        if self._revived:
            raise BrowserFault("the browser died again after it had been restarted")
        self._revived = True
        stage = self._stage
        stage.tabs.forget()
        stage.traffic.forget()
        await self._chromium.revive()
        stage.context = await self._chromium.context(stage.options, stage.gateway)
        await self._connect()
        stage.events.add("the browser died and was started again; what was not saved is lost")
        await self._go(self._last_url)

    async def close(self) -> None:
        """Ends what runs beside."""
        for task in list(self._tasks):
            task.cancel()


async def _quietly(work: Coroutine[Any, Any, Any]) -> None:
    from playwright.async_api import Error

    with suppress(Error):
        await work
