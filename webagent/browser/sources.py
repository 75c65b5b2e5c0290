"""Tells in an observation which frames come from another host than their page."""

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from webagent.browser.entry import url_of
from webagent.browser.snapshot import MOST_FRAMES
from webagent.hosts import host_of
from webagent.observation import Line, Observation

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

SECONDS = 1.0


@dataclass
class Sources:
    """Knows the frames of one tab by the refs of their elements: a living element keeps both."""

    _page: "Page | None" = None

    def __post_init__(self) -> None:
        self._frames: dict[str, Frame] = {}

    async def told(self, page: "Page", observation: Observation) -> Observation:
        """The observation with `[host=…]` at each frame of another host, whatever the page calls it."""
        if page is not self._page:
            self._page, self._frames = page, {}
        frames = [line for line in observation.lines if line.role == "iframe" and line.ref][:MOST_FRAMES]
        unknown = [line.ref for line in frames if line.ref not in self._frames]
        for ref, frame in zip(
            unknown, await asyncio.gather(*(_frame(page, ref) for ref in unknown)), strict=True
        ):
            if frame is not None:
                self._frames[ref] = frame
        hosts = {line.index: self._host(page, line) for line in frames}
        lines = tuple(
            replace(line, states=(*line.states, f"host={host}")) if (host := hosts.get(line.index)) else line
            for line in observation.lines
        )
        return replace(observation, lines=lines)

    def _host(self, page: "Page", line: Line) -> str:
        frame = self._frames.get(line.ref)
        host = host_of(url_of(frame)) if frame is not None else ""
        return "" if host == host_of(page.url) else host


async def _frame(page: "Page", ref: str) -> "Frame | None":
    """The frame in an element; None where it does not answer."""
    from playwright.async_api import Error

    try:
        async with asyncio.timeout(SECONDS):
            element = await page.locator(f"aria-ref={ref}").element_handle(timeout=SECONDS * 1000)
            return await element.content_frame() if element is not None else None
    except (Error, TimeoutError):
        return None
