"""A session in which a person acts: what they do becomes the actions that a policy would have taken."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webagent.browser.gestures import Gesture, Merging, Pending, Shown, secret_name, step_of
from webagent.browser.history import Moves
from webagent.browser.launch import Chromium
from webagent.browser.looks import Looks
from webagent.browser.options import BrowserOptions
from webagent.browser.scripts import init_scripts, private_name, record_script
from webagent.browser.session import BrowserSession
from webagent.errors import ActionError
from webagent.ids import clean_text
from webagent.masking import masker
from webagent.observation import Observation
from webagent.secrets import PLACEHOLDER, placeholder

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

Work = Callable[[], Coroutine[Any, Any, None]]


class RecordingSession(BrowserSession):
    """Implements `webagent.interfaces.Session` the other way round: `observe` waits for what the person
    does next and gives the page as it was before; `shown` is what they did. At the end (`finish`, or
    all tabs closed) `shown` is None and `observe` gives the last page. `selected` are the texts that
    were selected on the pages, newest last, `selection` the one that still is; `typed_secrets`
    are names for the secrets that were typed and are in no `--secrets` file, with their page's URL."""

    shown: Shown | None = None

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._stage.dialogs.person_answers = True
        self._looks = Looks(self._stage)
        self._merging = Merging()
        self._steps: asyncio.Queue[Shown | None] = asyncio.Queue()
        self._events: asyncio.Queue[Work] = asyncio.Queue()
        self._moves: dict[Page, Moves] = {}
        self._order: list[Page] = []
        self._preparing: list[asyncio.Task[None]] = []
        self._workers: list[asyncio.Task[None]] = []
        self._last: Observation | None = None
        self.interrupted = False
        self.ended = asyncio.Event()
        self.selected: list[str] = []
        self.selection = ""
        self.typed_secrets: dict[str, str] = {}

    @classmethod
    async def open(cls, chromium: Chromium, options: BrowserOptions, start_url: str) -> "RecordingSession":
        """As BrowserSession.open; the person may begin when it returns."""
        session = await super().open(chromium, options, start_url)
        assert isinstance(session, RecordingSession)
        await session._begin()
        return session

    async def _begin(self) -> None:
        await self._care.read()
        page = self._stage.page
        await self._moves[page].begin()
        self._last = await self._looks.look(page)
        works = (self._looks.keep_fresh(), self._work(), self._end())
        self._workers = [asyncio.ensure_future(work) for work in works]

    async def _connect(self) -> None:
        if not self._chromium.shared:
            context = self._stage.context
            await context.expose_binding(private_name("__webagent_report"), self._on_gesture)
            await context.add_init_script(record_script())
        await super()._connect()
        await asyncio.gather(*self._preparing)

    def _adopt(self, page: "Page") -> None:
        """Listens to a new tab. File choosers stay the person's: who listens to them, takes them."""
        stage = self._stage
        stage.dialogs.watch_tab(page)
        stage.downloads.watch(page)
        self._moves[page] = Moves(page)
        self._order.append(page)
        page.on("framenavigated", lambda frame: self._on_navigated(page, frame))
        page.on("close", self._on_closed)
        if self._chromium.shared:
            self._preparing.append(asyncio.ensure_future(self._prepare(page)))
        self._care.spawn(self._follow_dialogs(page))

    async def _prepare(self, page: "Page") -> None:
        """Has a tab of a shared browser report gestures, which its context can't be asked for."""
        from playwright.async_api import Error

        with suppress(Error):
            await page.expose_binding(private_name("__webagent_report"), self._on_gesture)
            for script in (*init_scripts(), record_script()):
                await page.add_init_script(script)

    async def observe(self) -> Observation:
        """The page before the person's next action, which `shown` is then."""
        self.shown = await self._steps.get()
        if self.shown is not None:
            return self.shown.observation
        return self._last or self._stage.observation

    def finish(self, *, interrupted: bool = False) -> None:
        """The person is at the end, or was interrupted."""
        self.interrupted = self.interrupted or interrupted
        self.ended.set()

    async def _end(self) -> None:
        """Hands out the last steps once the person is at the end."""
        await self.ended.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._events.join(), 5)
        page = self._stage.tabs.current
        if page is not None:
            await self._read_selection(page)
        seen = await self._looks.look(page) if page is not None else None
        self._last = seen or self._looks.newest(page) or self._last
        for shown in self._merging.end(self._last or self._stage.observation, self._stage.traffic.posts):
            self._steps.put_nowait(shown)
        self._steps.put_nowait(None)

    async def _read_selection(self, page: "Page") -> None:
        """What is selected at the end, which may be too new to have been told."""
        from playwright.async_api import Error

        for frame in page.frames[:30]:
            with suppress(Error, TimeoutError):
                selected = await asyncio.wait_for(frame.evaluate("String(window.getSelection())"), 1)
                if text := self._looks.mask(" ".join(clean_text(selected).split())[:120]):
                    self._select(text)

    async def close(self) -> None:
        """As BrowserSession.close."""
        for task in (*self._workers, *self._preparing):
            task.cancel()
        await super().close()

    # --- what happens, in order -------------------------------------------------------------------

    async def _work(self) -> None:
        from playwright.async_api import Error

        while True:
            work = await self._events.get()
            with suppress(Error, ActionError):
                await work()
            self._events.task_done()

    async def _add(self, step: Pending) -> None:
        for shown in self._merging.add(step):
            self._steps.put_nowait(shown)

    def _on_gesture(self, source: Any, told: str) -> None:
        """A message of the page's script; what was seen of its tab until now is the page before."""
        page, frame = source["page"], source["frame"]
        gesture = Gesture.of(json.loads(clean_text(told)))
        if not gesture.more.get("secret"):
            gesture = Gesture.of(json.loads(self._looks.mask(clean_text(told))))
        if gesture.kind == "closing" and page in self._moves:
            self._moves[page].closing = True
        before, posts = self._before(page), self._stage.traffic.posts
        self._events.put_nowait(lambda: self._take(page, frame, gesture, before, posts))

    def _before(self, page: "Page") -> Sequence[Observation]:
        """What was seen of the page that a tab shows now; its address alone where that is new."""
        seen, url = self._looks.of(page), self._looks.mask(clean_text(page.url))
        return seen if seen and seen[-1].url == url else (*seen, Observation(url))

    async def _take(
        self, page: "Page", frame: "Frame", gesture: Gesture, before: Sequence[Observation], posts: int
    ) -> None:
        moves = self._moves.get(page)
        if moves is None:
            return
        if gesture.kind == "history":
            moves.scripted = True
            return
        if gesture.kind not in ("hover", "scroll", "closing"):
            await self._turn_to(page, posts)
        if gesture.kind == "selection":
            self._select(str(gesture.more["text"]))
        if gesture.kind in ("selection", "front", "closing"):
            return
        if gesture.kind == "input":
            self._looks.is_stale(page)
            gesture = self._without_secret(gesture, page.url) if gesture.more["secret"] else gesture
        gesture, observation = await self._placed(page, frame, gesture, before)
        step = step_of(gesture, observation, posts)
        if step is not None:
            await self._add(step)
        if gesture.kind in ("hover", "scroll"):
            await self._looks.look(page)

    async def _turn_to(self, page: "Page", posts: int) -> None:
        """A tab that the person turned to is a step, unless the page brought it up."""
        tabs = self._stage.tabs
        if page is tabs.current or page not in tabs.pages:
            return
        before = self._looks.newest(tabs.current)
        index = tabs.pages.index(page) + 1
        tabs.switch(index)
        if before is not None:
            await self._add(Pending("tab", {"op": "switch", "index": index}, before, posts=posts))

    def _select(self, text: str) -> None:
        self.selection = text
        if text and text not in self.selected:
            self.selected.append(text)

    def _without_secret(self, gesture: Gesture, url: str) -> Gesture:
        """The gesture with the secret's name in its place. The secret itself is kept in no step, and
        goes out of all that is observed from now on."""
        value = str(gesture.more["value"])
        known = self._stage.options.secrets.mask(value)
        if not PLACEHOLDER.fullmatch(known):
            name = secret_name(str(gesture.more["label"]) or gesture.name)
            known = placeholder(name)
            self.typed_secrets[name] = url
            if value:
                self._looks.maskers[str(gesture.more["id"])] = masker(value)
        return replace(gesture, more={**gesture.more, "value": known, "before": None})

    async def _placed(
        self, page: "Page", frame: "Frame", gesture: Gesture, before: Sequence[Observation]
    ) -> tuple[Gesture, Observation]:
        """The observation that has the gesture's element: one from before; for what came up since, one
        taken now; where the element is gone already, the newest."""
        known = next((one for one in reversed(before) if gesture.element(one) is not None), None)
        if known is not None:
            return gesture, known
        newest = await self._looks.look(page)
        again = await self._refs_again(frame, gesture)
        if newest is not None and again.element(newest) is not None:
            return again, newest
        return gesture, before[-1]

    async def _refs_again(self, frame: "Frame", gesture: Gesture) -> Gesture:
        from playwright.async_api import Error

        script = f"(n) => window.{private_name('__webagent_page')}?.refsOf?.(n) ?? []"
        try:
            refs = await asyncio.wait_for(frame.evaluate(script, gesture.n), 1)
        except (Error, TimeoutError):
            return gesture
        return replace(gesture, refs=tuple((str(ref), bool(own)) for ref, own in refs))

    # --- outside of the page ----------------------------------------------------------------------

    def _on_navigated(self, page: "Page", frame: "Frame") -> None:
        moves = self._moves.get(page)
        if moves is not None and frame is page.main_frame and self._workers:
            before, posts = self._looks.newest(page), self._stage.traffic.posts
            url = frame.url
            history = asyncio.ensure_future(moves.history(url))  # as it is now, not when its turn comes
            self._events.put_nowait(lambda: self._moved(page, url, history, before, posts))

    async def _moved(
        self,
        page: "Page",
        url: str,
        history: asyncio.Future[Mapping[str, Any]],
        before: Observation | None,
        posts: int,
    ) -> None:
        """Addresses typed and ways back; in a tab that the person opened, the first is a new tab's."""
        moves = self._moves.get(page)
        known = await history
        for tool, arguments in moves.made(known, url) if moves is not None else ():
            if before is not None:
                await self._turn_to(page, posts)
                await self._add(Pending(tool, dict(arguments), before, posts=posts))
            elif (other := self._before_tab(page)) is not None:
                await self._add(Pending("tab", {"op": "new", **arguments}, other, posts=posts))

    def _before_tab(self, page: "Page") -> Observation | None:
        """What was seen last in another tab."""
        others = [self._looks.newest(one) for one in reversed(self._order) if one is not page]
        return next((one for one in others if one is not None), None)

    def _on_closed(self, page: "Page") -> None:
        index = self._order.index(page) + 1
        self._order.remove(page)
        moves, before, posts = self._moves.pop(page), self._looks.newest(page), self._stage.traffic.posts
        self._looks.forget(page)
        if not self._order:
            self._last = before or self._last
            self.finish()
        elif before is not None and not moves.closing:
            step = Pending("tab", {"op": "close", "index": index}, before, posts=posts)
            self._events.put_nowait(lambda: self._add(step))

    async def _follow_dialogs(self, page: "Page") -> None:
        """Dialogs are answered in the browser itself."""
        session = await self._stage.context.new_cdp_session(page)
        session.on("Page.javascriptDialogClosed", lambda told: self._on_answered(page, told))
        await session.send("Page.enable")

    def _on_answered(self, page: "Page", told: dict[str, Any]) -> None:
        before, posts = self._dialog(), self._stage.traffic.posts
        self._stage.dialogs.closed(page)
        if before.dialog is None or before.dialog.kind not in ("confirm", "prompt"):
            return
        text = {"text": told["userInput"]} if before.dialog.kind == "prompt" and told["result"] else {}
        step = Pending("dialog", {"accept": bool(told["result"]), **text}, before, posts=posts)
        self._events.put_nowait(lambda: self._add(step))
