"""Dialogs of the page: alerts are accepted and told, a confirm or prompt stays open for the agent."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from webagent.browser.events import Events
from webagent.ids import clean_text
from webagent.observation import Dialog

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page
    from playwright.async_api import Dialog as PageDialog

Value = TypeVar("Value")
MOST_ALERTS = 12
"""Alerts of one tab within three seconds, after which it is kept from opening more."""
FLOOD = 4
"""Alerts of one tab within a second that make it one that opens alert after alert."""


class DialogOpened(Exception):
    """A confirm or prompt opened while something was done to the page, which now hangs."""


class Dialogs:
    """The open dialog, if any. While one is open every call to the page hangs, so that all of them
    go through `race`. Where a `person_answers` in the browser, all dialogs are left to them."""

    person_answers = False

    def __init__(self, events: Events) -> None:
        self._events = events
        self._ours: Callable[[Page | None], bool] = lambda page: True
        self._open: list[PageDialog] = []
        self._opened = asyncio.Event()
        self._waiting: set[asyncio.Future[Any]] = set()
        self._alerts: dict[Page, deque[float]] = {}

    @property
    def shown(self) -> Dialog | None:
        """What the agent sees of the dialog."""
        if not self._open:
            return None
        dialog = self._open[0]
        message, default = map(self._events.mask, (dialog.message, dialog.default_value))
        return Dialog(dialog.type, clean_text(message)[:2000], clean_text(default)[:500])

    def watch(self, context: "BrowserContext", ours: "Callable[[Page | None], bool]") -> None:
        """Takes over the dialogs of our tabs, of those too that are not announced yet: a popup may ask
        something before it is a tab."""
        self._ours = ours
        context.on("dialog", self._on_dialog)

    def watch_tab(self, page: "Page") -> None:
        """Forgets the dialogs of a tab when it closes."""
        page.on("close", self.closed)

    async def _on_dialog(self, dialog: "PageDialog") -> None:
        from playwright.async_api import Error

        if not self._ours(dialog.page):
            return
        if dialog.type in ("alert", "beforeunload") and not self.person_answers:
            self._count(dialog.page)
            self._events.add(f"{dialog.type} {self._events.quoted(dialog.message)}".removesuffix(' ""'))
            with suppress(Error):
                await dialog.accept()
            return
        self._open.append(dialog)
        self._opened.set()

    def flooding(self, page: "Page") -> bool:
        """Whether a tab opens alert after alert: a navigation in it waits for a moment without one."""
        now = time.monotonic()
        return sum(now - moment < 1 for moment in self._alerts.get(page, ())) >= FLOOD

    def _count(self, page: "Page | None") -> None:
        """A page that opens alert after alert is kept from it, as browsers offer to people: each holds up
        all else."""
        if page is None:
            return
        moments = self._alerts.setdefault(page, deque(maxlen=MOST_ALERTS))
        moments.append(time.monotonic())
        if len(moments) == MOST_ALERTS and moments[-1] - moments[0] < 3:
            moments.clear()
            self._events.add("the page opens alert after alert; no more of them are shown")
            for frame in page.frames:
                silenced = asyncio.ensure_future(frame.evaluate("window.alert = () => {}"))
                self._waiting.add(silenced)
                silenced.add_done_callback(self._done)

    def closed(self, page: "Page") -> None:
        """Forgets the dialogs of a tab that is gone, or where a person answered in the window."""
        self._alerts.pop(page, None)
        self._open = [dialog for dialog in self._open if dialog.page is not page]
        if not self._open:
            self._opened.clear()

    async def answer(self, accept: bool, text: str | None) -> None:
        """Closes the open dialog and lets what hung in it come to its end."""
        from playwright.async_api import Error

        dialog = self._open.pop(0)
        if not self._open:
            self._opened.clear()
        with suppress(Error):
            if not accept:
                await dialog.dismiss()
            elif dialog.type == "prompt":
                await dialog.accept(dialog.default_value if text is None else text)
            else:
                await dialog.accept()
        await self._let_finish()

    async def _let_finish(self) -> None:
        """Waits a moment for what hung in the dialog: the rest of a click, of typing."""
        if self._waiting:
            opened = asyncio.ensure_future(self._opened.wait())
            await asyncio.wait({opened, *self._waiting}, timeout=1.5, return_when=asyncio.FIRST_COMPLETED)
            opened.cancel()

    async def race(self, work: Coroutine[Any, Any, Value]) -> Value:
        """The value of some work with the page. Raises DialogOpened where a dialog opens before its
        end; the work goes on once that is answered."""
        if self._open:
            work.close()
            raise DialogOpened
        task = asyncio.ensure_future(work)
        opened = asyncio.ensure_future(self._opened.wait())
        try:
            await asyncio.wait({task, opened}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            opened.cancel()
        if task.done():
            return task.result()
        self._waiting.add(task)
        task.add_done_callback(self._done)
        raise DialogOpened

    def _done(self, task: "asyncio.Future[Any]") -> None:
        self._waiting.discard(task)
        if not task.cancelled():
            task.exception()

    def close(self) -> None:
        """Gives up what still hangs."""
        for task in list(self._waiting):
            task.cancel()
