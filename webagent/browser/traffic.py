"""Requests of the run's tabs: which are in flight, and which failed."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from webagent.browser.events import Events, short_url

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page, Request, Response

AWAITED = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
"""Kinds of requests whose answer may change what can be read."""
TOLD = frozenset({"document", "xhr", "fetch"})
"""Kinds of requests whose failure is an event."""
READING = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""
STALE = 6.0
"""Seconds after which a request counts as a long poll, which nothing waits for."""


class Traffic:
    """Keeps the requests in flight by tab; tells of failures. `posts` counts those that send
    something, beacons aside. `why` knows a failure's reason better than the browser, by URL."""

    def __init__(
        self, events: Events, ours: "Callable[[Page], bool]", why: Callable[[str, str], str]
    ) -> None:
        self._events = events
        self._ours = ours
        self._why = why
        self._flying: dict[Request, float] = {}
        self._ignored: set[Request] = set()
        self.posts = 0
        self.last_change = 0.0
        self.changed = asyncio.Event()

    def watch(self, context: "BrowserContext") -> None:
        """Begins to listen."""
        context.on("request", self._began)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)

    def _began(self, request: "Request") -> None:
        if request.resource_type in AWAITED and self._is_ours(request):
            self._flying[request] = time.monotonic()
            self.posts += request.method not in READING and request.resource_type in TOLD
            self._mark()

    def _ended(self, request: "Request") -> None:
        self._ignored.discard(request)
        if self._flying.pop(request, None) is not None:
            self._mark()

    def _mark(self) -> None:
        self.last_change = time.monotonic()
        self.changed.set()

    def _failed(self, request: "Request") -> None:
        self._ended(request)
        reason = self._why(request.url, request.failure or "failed")
        quiet = ("ERR_ABORTED", "ERR_BLOCKED_BY_CLIENT", "ERR_BLOCKED_BY_RESPONSE")
        if (
            request.resource_type not in TOLD
            or not self._is_ours(request)
            or any(word in reason for word in quiet)
        ):
            return
        self._events.add(f"request failed: {request.method} {self._shown(request)} {reason}")

    def _answered(self, response: "Response") -> None:
        request = response.request
        if response.status < 400 or request.resource_type not in TOLD or not self._is_ours(request):
            return
        if request.url.split("?")[0].endswith("/favicon.ico"):
            return
        if _is_page(request):
            self._events.add(f"HTTP {response.status} for this page")
        else:
            self._events.add(f"HTTP {response.status} for {request.method} {self._shown(request)}")

    def _is_ours(self, request: "Request") -> bool:
        from playwright.async_api import Error

        try:
            return self._ours(request.frame.page)
        except Error:
            # The first request of a popup comes before its tab.
            return request.is_navigation_request()

    def _shown(self, request: "Request") -> str:
        from playwright.async_api import Error

        try:
            base = request.frame.page.url
        except Error:
            base = ""
        return short_url(self._events.mask(request.url), self._events.mask(base))

    def in_flight(self, page: "Page") -> "list[Request]":
        """Requests of a tab whose answer is awaited."""
        from playwright.async_api import Error

        now = time.monotonic()
        found = []
        for request, began in list(self._flying.items()):
            try:
                mine = request.frame.page is page
            except Error:
                mine = request.is_navigation_request()
            if mine and request not in self._ignored and now - began < STALE:
                found.append(request)
        return found

    def navigating(self, page: "Page") -> bool:
        """True while the tab's next document is being fetched."""
        return any(one.is_navigation_request() for one in self.in_flight(page))

    def give_up(self, page: "Page") -> None:
        """From now on nothing waits for what is in flight: it was waited for long enough."""
        left = self.in_flight(page)
        self._ignored.update(left)
        for request in left:
            if request.method not in READING:
                self._events.add(f"no answer yet: {request.method} {self._shown(request)}")

    def forget(self) -> None:
        """All requests of a browser that is gone."""
        self._flying.clear()
        self._ignored.clear()


def _is_page(request: "Request") -> bool:
    """True for the document of a tab, not of a frame in it."""
    from playwright.async_api import Error

    if not request.is_navigation_request():
        return False
    try:
        return request.frame.parent_frame is None
    except Error:
        return True
