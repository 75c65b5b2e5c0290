"""A run's session: observes the current page and carries out actions on it."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webagent.actions import Action
from webagent.boundary import Boundary
from webagent.browser import fields, files, moving, pointing
from webagent.browser.care import Care
from webagent.browser.dialogs import DialogOpened
from webagent.browser.effects import Weighing
from webagent.browser.entry import refusal
from webagent.browser.events import quoted
from webagent.browser.guard import Rule
from webagent.browser.launch import Chromium
from webagent.browser.looks import observation_of
from webagent.browser.options import BrowserOptions
from webagent.browser.overlay import Overlay
from webagent.browser.pictures import to_cover
from webagent.browser.questions import Questions
from webagent.browser.resolve import missing
from webagent.browser.scripts import init_scripts
from webagent.browser.snapshot import foreign_frames, stamp_of
from webagent.browser.sources import Sources
from webagent.browser.stage import Stage, closed_by, new_stage, plain_reason
from webagent.browser.state import keep_state
from webagent.browser.trace_zip import write_without
from webagent.errors import ActionError, BrowserFault, EnvironmentFault
from webagent.hosts import default_hosts
from webagent.ids import clean_text
from webagent.interfaces import Intent
from webagent.masking import MASK
from webagent.observation import Observation
from webagent.secrets import Secret, Secrets
from webagent.trajectory import Outcome

if TYPE_CHECKING:
    from playwright.async_api import FileChooser, Page

ACTIONS: Mapping[str, Callable[[Stage, Action], Awaitable[str]]] = {
    "click": pointing.click,
    "type": fields.type_text,
    "select": fields.select,
    "press": fields.press,
    "hover": pointing.hover,
    "scroll": moving.scroll,
    "drag": pointing.drag,
    "upload": files.upload,
    "goto": moving.goto,
    "back": moving.back,
    "tab": moving.tab,
    "wait": moving.wait,
    "find": moving.find,
}
QUIET_TOOLS = frozenset({"find", "wait", "type", "scroll", "hover"})
"""Tools after which a field that was typed into should still hold its text."""

PICTURE: Mapping[str, Any] = {
    "type": "jpeg",  # half a PNG's size on pages of text, a third on those with photographs
    "quality": 60,
    "scale": "css",
    "caret": "initial",  # else Playwright puts a style into the page to hide it
    "timeout": 3000,
}


class BrowserSession:
    """Implements `webagent.interfaces.Session` on a Chromium; made by `open`."""

    def __init__(self, chromium: Chromium, options: BrowserOptions, stage: Stage, start_url: str) -> None:
        self._chromium = chromium
        self._options = options
        self._stage = stage
        self._start_url = start_url
        self._passwords: list[Secret] = []
        self._questions = Questions(stage)
        self._care = Care(chromium, stage, self._connect, start_url)
        self._context_id = ""
        self._sources = Sources()
        self.weighing = Weighing(stage)
        self._overlay = Overlay(stage) if options.overlay else None

    @classmethod
    async def open(cls, chromium: Chromium, options: BrowserOptions, start_url: str) -> "BrowserSession":
        """A session at the start URL. Raises EnvironmentFault, naming the URL, where that can't be
        opened, BrowserFault where the browser can't."""
        boundary = Boundary(
            options.allowed_domains or default_hosts(start_url),
            options.listed_only,
            options.own_ports,
            start_url,
        )
        gateway = await chromium.gateway(boundary)
        try:
            context = await chromium.context(options, gateway)
        except BaseException:
            await chromium.let_go(gateway)
            raise
        stage = new_stage(context, options, boundary, gateway, chromium.spool)
        session = cls(chromium, options, stage, start_url)
        try:
            await session._connect()
            await session._go_to_start()
        except BaseException:
            await session.close()
            raise
        return session

    async def _connect(self) -> None:
        """Begins to listen to the stage's context and opens its first tab."""
        from playwright.async_api import Error

        stage = self._stage
        context = stage.context
        stage.traffic.watch(context)
        stage.tabs.watch(context, shared=self._chromium.shared)
        stage.dialogs.watch(context, self._is_ours)
        stage.tabs.on_new = self._adopt
        try:
            if self._options.save_trace:
                # its film can't be cleaned of what a page shows
                await context.tracing.start(screenshots=not self._options.secrets, snapshots=True)
            page = await self._first_tab()
            self._context_id, target = await self._chromium.guard.identity(context, page)
        except Error as error:
            raise BrowserFault(f"no tab could be opened: {plain_reason(error)}") from error
        own = {target} if self._chromium.shared else None
        self._chromium.guard.rules[self._context_id] = Rule(stage.boundary, stage.refuse, own, context)

    def _is_ours(self, page: "Page | None") -> bool:
        """Whether a tab is one of this run's; in a browser of its own all are."""
        return not self._chromium.shared or page is None or page in self._stage.tabs.pages

    async def _first_tab(self) -> "Page":
        stage = self._stage
        pages = stage.context.pages
        if pages and not self._chromium.shared:
            stage.tabs.add(pages[0])
            return pages[0]
        return await stage.tabs.open(stage.context)

    def _adopt(self, page: "Page") -> None:
        """Listens to a new tab."""
        self._stage.dialogs.watch_tab(page)
        self._care.roots.watch(page)
        self._stage.downloads.watch(page)
        page.on("filechooser", self._on_chooser)
        if self._chromium.shared:
            for script in init_scripts():
                self._care.spawn(page.add_init_script(script))

    def _on_chooser(self, chooser: "FileChooser") -> None:
        if not self._stage.choosing:
            self._stage.events.add("this control opens a file chooser: give it files with upload")

    async def _go_to_start(self) -> None:
        stage = self._stage
        try:
            await stage.race(moving.open_url(stage, self._start_url))
        except DialogOpened:
            return
        except ActionError as error:
            raise EnvironmentFault(f"{self._start_url} can't be opened: {moving.cause_of(error)}") from error
        if stage.refused:
            refused = stage.boundary.refusal(stage.refused[0])
            raise EnvironmentFault(f"{self._start_url} can't be opened: it leads elsewhere and {refused}")

    async def open_tabs(self, urls: Sequence[str]) -> None:
        """Opens further addresses in tabs of their own; the first tab stays current."""
        for url in urls:
            outcome = await self.act(Action("tab", {"op": "new", "url": url}))
            if not outcome.ok:
                raise EnvironmentFault(f"{url} can't be opened in a tab: {outcome.error}")
        if urls:
            await self.act(Action("tab", {"op": "switch", "index": 1}))

    async def observe(self) -> Observation:
        """The page as it is once it is quiet, with the events since the last observation. Raises
        BrowserFault when the browser died and can't be revived."""
        try:
            reading = await self._stage.race(self._care.read())
        except DialogOpened:
            return self._dialog()
        stage = self._stage
        stage.reading = stage.observed = reading
        observation = replace(observation_of(stage, stage.page, reading), find=stage.find)
        if foreign_frames(stage.page):
            with suppress(DialogOpened):
                observation = await stage.race(self._sources.told(stage.page, observation))
        self._check_typed(observation)
        stage.find = ""
        stage.tabs.tell()
        stage.observation = replace(observation, events=stage.events.take())
        return stage.observation

    def _dialog(self) -> Observation:
        """While a dialog is open it is all there is; events wait."""
        tabs = self._stage.tabs
        url = tabs.current.url if tabs.current else self._start_url
        return Observation(
            url=clean_text(self._stage.options.secrets.mask(url)),
            title=self._stage.observation.title,
            tab=tabs.index,
            tabs=len(tabs.pages),
            dialog=self._stage.dialogs.shown,
            viewport=self._stage.observation.viewport,
            secrets=self._stage.observation.secrets,
        )

    def _check_typed(self, observation: Observation) -> None:
        """Tells of fields that changed by themselves after they were typed into."""
        for ref, (label, value) in self._stage.typed.items():
            line = observation.by_ref.get(ref)
            if line is None or line.text == MASK or line.role not in ("textbox", "searchbox", "spinbutton"):
                continue
            held = " ".join(
                part.text if part is line else part.words
                for part in observation.subtree(line)
                if part.role[0] != "/"
            )
            if "".join(held.split()) != "".join(value.split()):
                self._stage.events.add(
                    f"the field {quoted(label, 60)} now holds {quoted(' '.join(held.split()))}"
                )
        self._stage.typed.clear()

    async def show(self, intent: Intent) -> None:
        """Shows a person in the browser's window what is about to be done, where they look on. Nothing of
        it is seen by the page or in an observation."""
        if self._overlay is not None:
            await self._overlay.show(intent)

    async def keys(self) -> bool:
        """Waits until the person who looks on says yes or no by keys, in the window; for ever without one."""
        if self._overlay is None:
            never: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            return await never
        return await self._overlay.keys()

    async def act(self, action: Action) -> Outcome:
        """Carries out one action against the newest observation; see `interfaces.Session.act`."""
        stage = self._stage
        refused = refusal(action.tool, action.arguments)
        if refused:
            return Outcome("not done", refused)
        if action.tool == "dialog":
            return await self._answer(action)
        if stage.dialogs.shown is not None:
            return Outcome("not done", "a dialog is open; answer it with dialog first")
        unknown = missing(stage.observation, action.arguments)
        if unknown:
            return Outcome("not done", unknown)
        carry_out = ACTIONS.get(action.tool)
        if carry_out is None:
            return Outcome("not done", f"{action.tool} is nothing that a browser does")
        if action.tool not in QUIET_TOOLS:
            stage.typed.clear()
        stage.quiet.mark()
        stage.typed_secret = False
        document, posts = stage.reading.stamp.document, stage.traffic.posts
        message, error = await self._carry_out(carry_out, action)
        outcome = await self._outcome(message, error, document)
        if self._overlay is not None:
            await self._overlay.hide()
        if stage.typed_secret and (text := str(action.arguments.get("text", ""))).strip():
            self._passwords.append(Secret("typed", text))
        return replace(outcome, secret=stage.typed_secret, posted=stage.traffic.posts > posts)

    async def _carry_out(
        self, carry_out: Callable[[Stage, Action], Awaitable[str]], action: Action
    ) -> tuple[str, str]:
        """What came of an action: its message and its error."""
        from playwright.async_api import Error

        async def work() -> str:
            return await carry_out(self._stage, action)

        try:
            limit = self._options.step_timeout
            return await asyncio.wait_for(self._stage.race(work()), limit), ""
        except DialogOpened:
            return "done", ""
        except TimeoutError:
            return "not done", f"it took longer than {self._options.step_timeout:g} s"
        except (ActionError, Error) as error:
            if closed_by(error) and self._stage.tabs.current is not None and self._chromium.alive:
                return "done, and the tab closed", ""
            reason = str(error) if isinstance(error, ActionError) else plain_reason(error)
            return "not done", self._options.secrets.mask(reason)

    async def _outcome(self, message: str, error: str, document: str) -> Outcome:
        """The outcome, once it is known whether the page was left."""
        stage = self._stage
        if stage.tabs.current is None or not self._chromium.alive:
            return Outcome(message, error, changed=True)
        try:
            stamp = await stage.race(stamp_of(stage.page, 0.4))
        except DialogOpened:
            return Outcome(f"{message}; a dialog is open", error, changed=True)
        if stamp.opening and not stage.quiet.something_opened:
            await stage.quiet.wait_for_opening(0.9)  # a new tab's process starts late on a busy machine
        if stage.refused:
            error = error or stage.boundary.refusal(stage.refused.pop())
            stage.refused.clear()
            stage.tabs.drop_empty_popups()
            return Outcome("not done", error, changed=stage.tabs.moves != stage.quiet.before.tabs)
        if stage.tabs.moves != stage.quiet.before.tabs:
            return Outcome(f"{message}; another tab is current", error, changed=True)
        if stamp.document != document or stage.traffic.navigating(stage.page):
            return Outcome(f"{message}; went to a new page", error, changed=True)
        return Outcome(message, error)

    async def _answer(self, action: Action) -> Outcome:
        stage = self._stage
        if stage.dialogs.shown is None:
            return Outcome("not done", "no dialog is open")
        accept = bool(action.arguments["accept"])
        text = action.arguments.get("text")
        stage.quiet.mark()
        posts = stage.traffic.posts
        await stage.dialogs.answer(accept, None if text is None else str(text))
        if stage.tabs.current is not None:
            with suppress(DialogOpened):
                await stage.race(stamp_of(stage.page, 0.4))
        message = "accepted the dialog" if accept else "dismissed the dialog"
        return Outcome(message, changed=True, posted=stage.traffic.posts > posts)

    async def evaluate(self, script: str, url: str = "") -> Any:
        """See `Questions.evaluate`."""
        return await self._questions.evaluate(script, url)

    async def text_of(self, locator: str, url: str = "") -> str:
        """See `Questions.text_of`."""
        return await self._questions.text_of(locator, url)

    async def request(self, method: str, url: str, body: Any = None) -> tuple[int, Any]:
        """See `Questions.request`."""
        return await self._questions.request(method, url, body)

    async def storage_state(self, path: str | Path) -> None:
        """See `keep_state`."""
        await keep_state(self._stage.context, path)

    async def screenshot(self) -> bytes:
        """The page as it is in view, secrets painted over, as a JPEG in CSS pixels, taken without scrolling
        or (but for secrets) touching the page; nothing while a dialog is open or where the page does not answer."""
        from playwright.async_api import Error

        if self._stage.dialogs.shown is None and self._stage.tabs.current is not None:
            with suppress(Error, DialogOpened):
                page = self._stage.page
                cover = await self._stage.race(to_cover(page, self._options.secrets))
                return await self._stage.race(page.screenshot(**PICTURE, mask=cover))
        return b""

    async def close(self) -> None:
        """Ends the session: its tabs, its context, its temporary files."""
        stage = self._stage
        self._chromium.guard.rules.pop(self._context_id, None)
        if self._overlay is not None:
            await self._overlay.close()
        stage.dialogs.close()
        await stage.downloads.close()
        await self._care.close()
        if self._options.save_trace:
            await self._save_trace()
        if self._chromium.keeps(stage.context):
            await stage.tabs.close_all()
        stage.tabs.forget()
        await self._chromium.release(stage.context)
        await self._chromium.let_go(stage.gateway)

    async def _save_trace(self) -> None:
        from playwright.async_api import Error

        target = Path(self._options.output_dir or ".").expanduser() / "trace.zip"
        hidden = Secrets((*self._options.secrets.known, *self._passwords))
        with suppress(Error, TimeoutError), tempfile.TemporaryDirectory(prefix="webagent-trace-") as folder:
            path = Path(folder) / "trace.zip" if hidden else target
            await asyncio.wait_for(self._stage.context.tracing.stop(path=path), 30)
            if hidden:
                await asyncio.to_thread(write_without, hidden, path, target)
