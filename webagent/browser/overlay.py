"""Shows a person in the browser's window what is about to be done.

The caption is a pseudo-element of <html> from an inspector's style sheet and the outline is drawn by
the inspector: neither is a node, a style sheet of the page, or a mutation. All that a page could
find is `getComputedStyle(document.documentElement, "::after")`."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from webagent.actions import Action
from webagent.browser.dialogs import DialogOpened
from webagent.browser.stage import Element, Stage
from webagent.errors import ActionError
from webagent.intent_text import VALUE, caption
from webagent.interfaces import Intent
from webagent.masking import Masker, masker
from webagent.secrets import PLACEHOLDER
from webagent.terminal import printable

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Frame, Locator, Page

SECONDS = 4.0
"""How long a page may take to be drawn on; one that does not answer is left as it is."""
FOLLOW = 0.2
"""Seconds after which it is looked whether the outlined element moved."""
SCROLLS = frozenset({"click", "type", "select", "hover", "drag"})
"""Tools that scroll to their element anyway."""
OUTLINE = {"r": 255, "g": 0, "b": 90, "a": 1}
FILL = {"r": 255, "g": 0, "b": 90, "a": 0.12}
STYLE = (
    "all:initial!important;display:block!important;position:fixed!important;z-index:2147483647!important;"
    "pointer-events:none!important;box-sizing:border-box!important;max-width:min(420px,46vw)!important;"
    "max-height:45vh!important;overflow:hidden!important;padding:8px 12px!important;border-radius:6px!important;"
    "background:rgba(24,24,28,.9)!important;color:#fff!important;white-space:pre-wrap!important;"
    "overflow-wrap:anywhere!important;font:13px/1.4 system-ui,sans-serif!important;"
)
FREE = """async () => {
  while (!document.documentElement) await new Promise((done) => setTimeout(done, 20));
  return ['after', 'before'].find((one) =>
    ['none', 'normal'].includes(getComputedStyle(document.documentElement, '::' + one).content)) || '';
}"""
"""The pseudo-element of <html> that the page does not use itself, as soon as there is an <html>."""

KEYS = """new Promise((resolve) => {
  globalThis.heard?.abort();
  globalThis.heard = new AbortController();
  addEventListener("keydown", (event) => {
    const {isTrusted, ctrlKey, shiftKey, repeat, key} = event;
    if (!isTrusted || !ctrlKey || !shiftKey || repeat || !["Enter", "Backspace"].includes(key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    heard.abort();
    resolve(key === "Enter");
  }, {capture: true, signal: heard.signal});
})"""
"""Waits, in a world of its own, for keys that a person pressed: what scripts make up is not trusted."""

Box = tuple[float, float, float, float]


@dataclass
class _Sheet:
    """The style sheet in one document, and the pseudo-element that it draws on."""

    id: str = ""
    pseudo: str = ""


class Overlay:
    """One per session. Draws on the current tab; what was drawn on another one goes."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._page: Page | None = None
        self._cdp: CDPSession | None = None
        self._sheet = _Sheet()
        self._caption = ""
        self._corner = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._follower: asyncio.Task[None] | None = None

    async def show(self, intent: Intent) -> None:
        """Draws the caption, away from the elements that the action is about, and outlines those."""
        self._unfollow()
        page = self._stage.tabs.current
        if page is None:
            return
        await self._quietly(lambda: self._show(page, intent))

    async def _show(self, page: "Page", intent: Intent) -> None:
        if page is not self._page:
            await self._change_page(page)
        await self._outline(None)
        element = await self._element(intent.action)
        hide = await self._hiding(intent.action, element)
        box = await _box(element.locator) if element is not None else None
        self._caption, self._corner = hide(caption(intent)), _corner(box, self._stage.reading.viewport)
        await self._write()
        await self._outline(box)
        if element is not None:
            self._follower = self._spawn(self._follow(element.locator, box))

    async def hide(self) -> None:
        """Takes the outline away; the caption stays until the next one."""
        self._unfollow()
        await self._quietly(lambda: self._outline(None))

    async def keys(self) -> bool:
        """Waits for the keys of a yes (True) or a no in the current tab, in whatever document it shows."""
        from playwright.async_api import Error

        try:
            while True:
                if self._cdp is not None:
                    with suppress(Error, KeyError):
                        return bool(await self._hear(self._cdp, KEYS))
                await asyncio.sleep(0.1)
        finally:
            if self._cdp is not None:
                await self._quietly(partial(self._hear, self._cdp, "globalThis.heard?.abort()"))

    async def _hear(self, cdp: "CDPSession", script: str) -> Any:
        """The value of a script in the world where keys are heard."""
        tree = await cdp.send("Page.getFrameTree")
        world = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": "webagent"}
        context = (await cdp.send("Page.createIsolatedWorld", world))["executionContextId"]
        asked = {"expression": script, "contextId": context, "awaitPromise": True, "returnByValue": True}
        return (await cdp.send("Runtime.evaluate", asked))["result"].get("value")

    async def close(self) -> None:
        """Takes everything away: the browser may be someone's own."""
        self._caption = ""
        await self.hide()
        await self._quietly(self._write)
        await self._quietly(self._leave)
        for task in list(self._tasks):
            task.cancel()

    async def _change_page(self, page: "Page") -> None:
        self._caption = ""
        await self._quietly(self._write)
        await self._quietly(self._leave)
        self._page, self._cdp, self._sheet = page, None, _Sheet()
        cdp = await page.context.new_cdp_session(page)
        cdp.on("Page.javascriptDialogClosed", lambda _: self._stage.dialogs.closed(page))
        for domain in ("Page", "DOM", "CSS", "Overlay"):
            await cdp.send(f"{domain}.enable")
        self._cdp = cdp
        page.on("framenavigated", self._on_navigated)

    async def _leave(self) -> None:
        if self._page is not None:
            self._page.remove_listener("framenavigated", self._on_navigated)
        cdp, self._cdp = self._cdp, None
        if cdp is not None:
            await cdp.detach()

    def _on_navigated(self, frame: "Frame") -> None:
        """The next document has nothing drawn on it yet."""
        if frame.parent_frame is None:
            self._unfollow()
            self._sheet = _Sheet()
            self._spawn(self._quietly(self._redraw))

    async def _redraw(self) -> None:
        await self._outline(None)
        await self._write()

    async def _write(self) -> None:
        """Draws the caption as it is now."""
        if self._cdp is None or self._page is None or not (self._caption or self._sheet.id):
            return
        sheet = self._sheet
        if not sheet.id:
            sheet.pseudo = await self._page.evaluate(FREE)
            tree = await self._cdp.send("Page.getFrameTree")
            made = await self._cdp.send(
                "CSS.createStyleSheet", {"frameId": tree["frameTree"]["frame"]["id"], "force": True}
            )
            sheet.id = made["styleSheetId"]
        text = ""
        if self._caption and sheet.pseudo:
            content = f"content:{_css_string(self._caption)}!important"
            text = f"html::{sheet.pseudo}{{{STYLE}{self._corner}{content}}}"
        await self._cdp.send("CSS.setStyleSheetText", {"styleSheetId": sheet.id, "text": text})

    async def _outline(self, box: Box | None) -> None:
        if self._cdp is None:
            return
        if box is None:
            await self._cdp.send("Overlay.hideHighlight")
            return
        x, y, width, height = box
        quad = [x, y, x + width, y, x + width, y + height, x, y + height]
        await self._cdp.send("Overlay.highlightQuad", {"quad": quad, "color": FILL, "outlineColor": OUTLINE})

    async def _element(self, action: Action) -> Element | None:
        """The element that the action is about, in view; None where it is not to be found."""
        from playwright.async_api import Error

        if action.ref is None:
            return None
        try:
            element = await self._stage.element(action.ref)
        except ActionError:
            return None
        if action.tool in SCROLLS:
            with suppress(Error):
                await element.locator.scroll_into_view_if_needed(timeout=400)
        return element

    async def _hiding(self, action: Action, element: Element | None) -> Masker:
        """Takes out of the caption what nobody may read: secrets, and what a password field gets."""
        hide = self._stage.options.secrets.mask
        text = str(action.arguments.get("text", ""))
        if action.tool != "type" or element is None or not PLACEHOLDER.sub("", text).strip():
            return hide
        try:
            secret = bool((await self._stage.run(element, "describe", seconds=0.5))["secret"])
        except ActionError:
            secret = True
        mask = masker(printable(text, VALUE)) if secret else str
        return lambda shown: mask(hide(shown))

    async def _follow(self, locator: "Locator", box: Box | None) -> None:
        """Keeps the outline on an element that moves or is scrolled."""
        while True:
            await self._stage.pause(FOLLOW)
            now = await _box(locator)
            if now != box:
                box = now
                await self._quietly(partial(self._outline, box))

    def _unfollow(self) -> None:
        if self._follower is not None:
            self._follower.cancel()
            self._follower = None

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _quietly(self, draw: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Draws as far as the page lets: a run must not fail for its picture."""
        from playwright.async_api import Error

        async def work() -> None:
            with suppress(Error):
                await draw()

        with suppress(DialogOpened, TimeoutError):
            await asyncio.wait_for(self._stage.race(work()), SECONDS)


async def _box(locator: "Locator") -> Box | None:
    """Where an element is in the window's page, frames included; None where it is not seen."""
    from playwright.async_api import Error

    with suppress(Error):
        box = await locator.bounding_box(timeout=1500)
        if box is not None:
            return box["x"], box["y"], box["width"], box["height"]
    return None


def _corner(box: Box | None, viewport: tuple[int, int]) -> str:
    """The corner of the page farthest from the element, as style; the lower left one without any."""
    x, y, width, height = box or (viewport[0], 0.0, 0.0, 0.0)
    side = "left" if x + width / 2 > viewport[0] / 2 else "right"
    edge = "top" if y + height / 2 > viewport[1] / 2 else "bottom"
    return f"{side}:10px!important;{edge}:10px!important;"


def _css_string(text: str) -> str:
    """A text as a CSS string that nothing in it can end."""
    return '"' + "".join(char if char.isalnum() else f"\\{ord(char):x} " for char in text) + '"'
