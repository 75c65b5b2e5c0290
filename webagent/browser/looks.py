"""Keeps a fresh observation of the tab that a person works in, at little cost for the page."""

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from webagent.browser.dialogs import DialogOpened
from webagent.browser.entry import url_of
from webagent.browser.snapshot import Reading, Unread, read_page, stamp_of
from webagent.browser.stage import Stage
from webagent.ids import clean_text
from webagent.masking import Masker
from webagent.observation import Observation

if TYPE_CHECKING:
    from playwright.async_api import Page

LOOK_EVERY = 0.1
"""Seconds between two questions whether the page changed; each costs it about a millisecond."""
RESTLESS = 1.0
"""Seconds after which a page that never comes to rest is looked at anyway."""
SHARE = 4
"""A look is followed by a pause so many times as long: the person's browser must not stutter."""
KEPT = 6
"""Observations of a tab in which the element of a gesture is looked for."""


class Looks:
    """The newest observations of each tab, oldest first; a gesture finds the refs of the newest."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._seen: dict[Page, list[Observation]] = {}
        self._stale: set[Page] = set()
        self._one_at_a_time = asyncio.Lock()
        self.maskers: dict[str, Masker] = {}

    def of(self, page: "Page | None") -> Sequence[Observation]:
        """What was seen of a tab."""
        return tuple(self._seen.get(page, ())) if page is not None else ()

    def newest(self, page: "Page | None") -> Observation | None:
        """What was seen of a tab last."""
        return self.of(page)[-1] if self.of(page) else None

    def mask(self, text: str) -> str:
        """A text without the secrets of the run and those that were typed until now."""
        text = self._stage.options.secrets.mask(text)
        for mask in self.maskers.values():
            text = mask(text)
        return text

    def forget(self, page: "Page") -> None:
        """A tab that is gone."""
        self._seen.pop(page, None)

    def is_stale(self, page: "Page") -> None:
        """What a field holds changed, which no mutation tells of."""
        self._stale.add(page)

    async def keep_fresh(self) -> None:
        """Looks at the current tab whenever it changed and came to rest, until cancelled."""
        before: tuple[Page, str] | None = None
        since = 0.0
        while True:
            began = time.monotonic()
            page = self._stage.tabs.current
            if page is not None and page.url.startswith("http") and self._stage.dialogs.shown is None:
                stamp, known = await stamp_of(page), self._stage.reading.stamp
                fresh = stamp.content == known.content and page not in self._stale
                since = began if fresh else since
                at_rest = before == (page, stamp.content) or began - since > RESTLESS
                if stamp.content and not fresh and (at_rest or stamp.document != known.document):
                    await self.look(page)
                before = (page, stamp.content)
            await self._stage.pause(max(LOOK_EVERY, SHARE * (time.monotonic() - began)))

    async def look(self, page: "Page") -> Observation | None:
        """A fresh observation of a tab; None where it does not answer."""
        from playwright.async_api import Error

        async with self._one_at_a_time:
            try:
                self._stale.discard(page)
                reading = await self._stage.race(read_page(page))
            except (Error, Unread, TimeoutError, DialogOpened):
                return None
            observation = observation_of(self._stage, page, reading)
            observation = observation.masked(self.mask)
            if page is self._stage.tabs.current:
                self._stage.reading = self._stage.observed = reading
                self._stage.observation = observation
            self._seen.setdefault(page, []).append(observation)
            del self._seen[page][:-KEPT]
            return observation


def observation_of(stage: Stage, page: "Page", reading: Reading) -> Observation:
    """A tab as it was read."""
    pages = stage.tabs.pages
    return Observation(
        url=clean_text(stage.options.secrets.mask(page.url)),
        title=reading.title,
        tab=pages.index(page) + 1 if page in pages else 1,
        tabs=len(pages),
        lines=reading.lines,
        viewport=reading.viewport,
        secrets=stage.options.secrets.names_for(map(url_of, page.frames), stage.boundary.allowed),
    )
