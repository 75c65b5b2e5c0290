"""Opens closed shadow roots that a document's own markup declares.

Scripts can't reach those (`attachShadow` is never called), so they are looked up over CDP, once for
each document whose source has one, and shown to the snapshot's world and to our own scripts as if they
were open."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from webagent.browser.snapshot import foreign_frames

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Frame, Page

DECLARED = r"shadowrootmode\s*=\s*[\"']?closed"
SECONDS = 2.0
MOST_FRAMES = 10
"""Frames of other sites, which may live in a process of their own, that are looked at."""
SHOW = "function (root) { Object.defineProperty(this, 'shadowRoot', { value: root, configurable: true }); }"


class ClosedRoots:
    """Remembers which frames got a document that was not looked at yet."""

    def __init__(self) -> None:
        self._new: dict[Page, set[Frame]] = {}

    def watch(self, page: "Page") -> None:
        """Takes over the documents of a tab."""
        self._new[page] = set(page.frames)
        page.on("framenavigated", lambda frame: self._new.setdefault(page, set()).add(frame))
        page.on("close", self._forget)

    def _forget(self, page: "Page") -> None:
        self._new.pop(page, None)

    async def open(self, context: "BrowserContext", page: "Page") -> bool:
        """Opens the roots of the documents that are new since the last call; whether there were any.
        Failing that, leaves them."""
        from playwright.async_api import Error

        frames = [frame for frame in self._new.pop(page, ()) if frame.url.startswith("http")]
        if frames:
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(SECONDS):
                    return await _open_all(context, page, frames)
        return False


async def _open_all(context: "BrowserContext", page: "Page", frames: "list[Frame]") -> bool:
    from playwright.async_api import Error

    opened = False
    foreign = [frame for frame in foreign_frames(page) if frame in frames]
    targets: list[Page | Frame] = [page, *foreign[:MOST_FRAMES]]
    for target in targets:
        try:
            session = await context.new_cdp_session(target)
        except Error:
            continue  # a frame that lives in its parent's process is seen to with that
        try:
            opened = await _open_in(session) or opened
        finally:
            with suppress(Error, TimeoutError):  # that of a page that crashed meanwhile is never answered
                await asyncio.wait_for(session.detach(), 1)
    return opened


async def _open_in(session: "CDPSession") -> bool:
    """Opens the declared roots of all frames of one process; whether there were any."""
    await session.send("Page.enable")
    tree = await session.send("Page.getFrameTree")
    if not any([await _declares(session, frame) for frame in _frames(tree["frameTree"])]):
        return False
    worlds: list[Mapping[str, Any]] = []
    session.on("Runtime.executionContextCreated", lambda event: worlds.append(event["context"]))
    await session.send("Runtime.enable")
    document = await session.send("DOM.getDocument", {"depth": -1, "pierce": True})
    for frame, host, root in list(_closed(document["root"], str(document["root"].get("frameId", "")))):
        for world in worlds:
            if frame in ("", world["auxData"].get("frameId")):
                await _show(session, world["id"], host, root)
    return True


def _frames(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield tree["frame"]
    for child in tree.get("childFrames", ()):
        yield from _frames(child)


async def _declares(session: "CDPSession", frame: Mapping[str, Any]) -> bool:
    from playwright.async_api import Error

    wanted = {"frameId": frame["id"], "url": frame["url"], "query": DECLARED, "isRegex": True}
    try:
        return bool((await session.send("Page.searchInResource", wanted))["result"])
    except Error:
        return False  # written by script, or not kept


def _closed(node: Mapping[str, Any], frame: str) -> Iterator[tuple[str, int, int]]:
    """Frame, host and root of each closed shadow root, outer ones first."""
    for root in node.get("shadowRoots", ()):
        if root.get("shadowRootType") == "closed":
            yield frame, node["backendNodeId"], root["backendNodeId"]
        yield from _closed(root, frame)
    for child in node.get("children", ()):
        yield from _closed(child, frame)
    if "contentDocument" in node:
        yield from _closed(node["contentDocument"], str(node.get("frameId", "")))


async def _show(session: "CDPSession", world: int, host: int, root: int) -> None:
    objects = [
        (await session.send("DOM.resolveNode", {"backendNodeId": node, "executionContextId": world}))[
            "object"
        ]
        for node in (host, root)
    ]
    call = {"functionDeclaration": SHOW, "arguments": [{"objectId": objects[1]["objectId"]}]}
    await session.send("Runtime.callFunctionOn", {"objectId": objects[0]["objectId"], **call})
