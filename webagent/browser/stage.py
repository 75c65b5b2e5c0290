"""What the actions of a session share: the current page, its newest reading, and how an element of
the observation is found on it."""

import asyncio
import re
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from webagent.boundary import Boundary
from webagent.browser.dialogs import Dialogs
from webagent.browser.downloads import Downloads
from webagent.browser.events import Events
from webagent.browser.gateway import Gateway
from webagent.browser.options import BrowserOptions
from webagent.browser.resolve import find_again, unknown
from webagent.browser.scripts import function
from webagent.browser.settle import Quiet
from webagent.browser.snapshot import Reading, Unread, glance, read_page, stamp_of
from webagent.browser.tabs import Tabs
from webagent.browser.traffic import Traffic
from webagent.errors import ActionError
from webagent.hosts import place_of
from webagent.observation import Line, Observation

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Locator, Page

Value = TypeVar("Value")


@dataclass(frozen=True)
class Element:
    """An element of the page that an action is about, and where it was seen. `label` is page text: for
    events only."""

    locator: "Locator"
    line: Line
    label: str
    seen: Observation


@dataclass
class Stage:
    """The parts of one session. `observation` is the newest one that the agent saw, `reading` the
    newest look at the page, `typed` what a field held right after it was typed into, by ref;
    `refused` are navigations that were stopped and not told yet, `told` the hosts of which
    it is known that they are kept out; `typed_secret` tells that the last action typed into a password field."""

    options: BrowserOptions
    context: "BrowserContext"
    boundary: Boundary
    gateway: Gateway | None
    events: Events
    dialogs: Dialogs
    traffic: Traffic
    downloads: Downloads
    tabs: Tabs
    quiet: Quiet
    observation: Observation
    reading: Reading
    observed: Reading
    typed: dict[str, tuple[str, str]]
    refused: list[str]
    told: set[str]
    find: str = ""
    choosing: bool = False
    typed_secret: bool = False

    def refuse(self, url: str) -> None:
        """Notes a navigation that was stopped, which is told by itself."""
        self.refused.append(url)
        self.tabs.stop()
        place = place_of(url)
        if place is not None:
            self.told.add(self.boundary.entry(place))

    def why(self, url: str, reason: str) -> str:
        """The reason of a failed request to a URL, as the gateway knows it."""
        return self.gateway.why(url, reason) if self.gateway else reason

    @property
    def page(self) -> "Page":
        """The current tab; where all are closed the last one, which answers nothing but an Error."""
        page = self.tabs.current or self.tabs.last
        assert page is not None, "a session begins with a tab"
        return page

    async def element(self, ref: str) -> Element:
        """The element that `ref` means, found again where the page changed since it was observed.
        Raises ActionError at once where it is unknown, gone, ambiguous or disabled."""
        if ref not in self.observation.by_ref:
            raise ActionError(unknown(self.observation, ref))
        line = await self._current_line(ref)
        page = self.observation if self.reading is self.observed else self.now
        if "disabled" in line.states:
            raise ActionError(f"{ref} ({line.role}) is disabled")
        return self.element_of(page, line)

    def element_of(self, page: Observation, line: Line) -> Element:
        """The element of a line of the page."""
        return Element(self.page.locator(f"aria-ref={line.ref}"), line, page.label_of(line), page)

    async def again(self, element: Element) -> Element:
        """The same element on the page as it is now. Raises ActionError, also where another page has come: what is
        called the same there was not meant."""
        before = self.reading.stamp.document
        page = await self.look()
        if self.reading.stamp.document != before or (not before and self.page.url != element.seen.url):
            raise ActionError("another page has come")
        return self.element_of(page, find_again(element.seen, page, element.line.ref))

    async def _current_line(self, ref: str) -> Line:
        stamp = await stamp_of(self.page)
        if stamp.content != self.reading.stamp.content or not stamp.content:
            await self.look()
        if self.reading is self.observed:
            return self.observation.by_ref[ref]
        return find_again(self.observation, self.now, ref)

    @property
    def now(self) -> Observation:
        """The newest look at the page, as an observation."""
        return replace(self.observation, lines=self.reading.lines)

    async def read(self, page: "Page", *, patient: bool = False) -> Reading:
        """Snapshot and probes of a tab, without secrets; see `read_page`."""
        return await read_page(page, self.events.mask, patient)

    async def glance(self, page: "Page") -> Reading | None:
        """The same before a tab is known to be quiet; see `glance`."""
        return await glance(page, self.events.mask)

    async def look(self) -> Observation:
        """A fresh look at the page, without waiting for quiet. Raises ActionError."""
        from playwright.async_api import Error

        try:
            self.reading = await self.read(self.page)
        except (Error, Unread, TimeoutError) as error:
            raise ActionError("the page does not answer; wait, or go elsewhere") from error
        return self.now

    async def pause(self, seconds: float) -> None:
        """Lets time pass, while the page lives on."""
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), seconds)

    async def change(self, seconds: float) -> bool:
        """Waits until the page's content changes, at most so long; False where it did not."""
        from playwright.async_api import Error

        before = self.reading.stamp.content
        with suppress(Error, TimeoutError):
            cap = {"cap": int(seconds * 1000)}
            await asyncio.wait_for(self.page.evaluate(function("change"), cap), seconds + 1)
        return (await stamp_of(self.page)).content != before

    async def run(self, element: Element, name: str, argument: Any = None, *, seconds: float = 2.0) -> Any:
        """The value of one of our functions on an element. Raises ActionError."""
        from playwright.async_api import Error

        # One message; a locator's evaluate takes three.
        page = element.locator.page  # the current one may be another by now
        call = page.eval_on_selector(f"aria-ref={element.line.ref}", function(name), argument)
        try:
            return await asyncio.wait_for(call, seconds)
        except TimeoutError as error:
            raise ActionError("the page does not answer") from error
        except Error as error:
            raise ActionError(plain_reason(error)) from error

    async def race(self, work: Coroutine[Any, Any, Value]) -> Value:
        """The value of some work; see Dialogs.race."""
        return await self.dialogs.race(work)


def new_stage(
    context: "BrowserContext",
    options: BrowserOptions,
    boundary: Boundary,
    gateway: Gateway | None,
    spool: str,
) -> Stage:
    """The stage of a session that begins."""
    events = Events(options.secrets.mask) if options.secrets else Events()
    tabs = Tabs(events)
    traffic = Traffic(events, tabs.pages.__contains__, gateway.why if gateway else _as_it_is)
    downloads = Downloads(events, options.output_dir, spool)
    return Stage(
        options=options,
        context=context,
        boundary=boundary,
        gateway=gateway,
        events=events,
        dialogs=Dialogs(events),
        traffic=traffic,
        downloads=downloads,
        tabs=tabs,
        quiet=Quiet(tabs, traffic, downloads),
        observation=Observation(url=boundary.start, viewport=options.viewport_size),
        reading=(nothing := Reading()),
        observed=nothing,
        typed={},
        refused=[],
        told=set(),
    )


def _as_it_is(url: str, reason: str) -> str:
    return reason


_SENT = re.compile(r"^(Keyboard|Mouse)\.|performing click action")
_NET = re.compile(r"net::(ERR_[A-Z_]+)")
_REASONS = (
    ("intercepts pointer events", "something covers the element"),
    ("not stable", "the element keeps moving"),
    ("not visible", "the element is not visible"),
    ("not enabled", "the element is disabled"),
    ("outside of the viewport", "the element can't be scrolled into view"),
    ("not attached", "the element left the page"),
    ("Failed to find element", "the element left the page"),
    ("not editable", "the element can't be edited"),
    ("has been closed", "the tab was closed"),
    ("crashed", "the page crashed"),
    ("context was destroyed", "the page went elsewhere meanwhile"),
    ("did not find some options", "there is no such option"),
    ("Timeout", "it took too long"),
)


def plain_reason(error: BaseException) -> str:
    """Why Playwright failed, in words of our own: its messages hold HTML of the page."""
    text = str(error)
    network = _NET.search(text)
    if network:
        return network[1]
    for sign, words in _REASONS:
        if sign in text:
            return words
    return "the browser refused"


def closed_by(error: BaseException) -> bool:
    """True where the input went out and its tab closed before Playwright was told that it had come."""
    text = str(error.__cause__ if isinstance(error, ActionError) else error)
    return "has been closed" in text and _SENT.search(text) is not None
