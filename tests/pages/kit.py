"""Serves small pages to a real browser, and finds elements in an observation as a model would."""

import asyncio
import contextlib
import http.server
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest_asyncio

from webagent.actions import Action
from webagent.browser.arguments import launch_arguments
from webagent.browser.launch import Chromium, find_chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.browser.session import BrowserSession
from webagent.observation import Line, Observation
from webagent.trajectory import Outcome

Reply = tuple[int, Mapping[str, str], bytes]
Answer = Callable[[http.server.BaseHTTPRequestHandler], Reply | None]


class Site:
    """Pages by path, on 127.0.0.1 under a port of its own, or a given one; `hits` are the paths asked for."""

    def __init__(self, pages: Mapping[str, str | bytes | Answer], port: int = 0) -> None:
        self.pages = dict(pages)
        self.hits: list[tuple[str, str]] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments: Any) -> None:
                pass

            def do_GET(self) -> None:
                path = self.path.split("?")[0]
                site.hits.append((self.headers.get("Host", ""), self.path))
                page = site.pages.get(path)
                if page is None:
                    self._send(404, {"Content-Type": "text/html"}, b"<h1>Not here</h1>")
                elif isinstance(page, str | bytes):
                    body = page.encode("utf-8", "surrogatepass") if isinstance(page, str) else page
                    self._send(200, {"Content-Type": "text/html; charset=utf-8"}, body)
                else:
                    reply = page(self)
                    if reply is not None:
                        self._send(*reply)

            do_POST = do_GET  # noqa: N815 - the name http.server asks for

            def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
                with contextlib.suppress(ConnectionError):
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def url(self, path: str = "/", host: str = "pages.localhost") -> str:
        return f"http://{host}:{self.port}{path}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def serving(pages: Mapping[str, str | bytes | Answer] | str, port: int = 0) -> Iterator[Site]:
    """A site for the length of a block; a string is its only page."""
    site = Site({"/": pages} if isinstance(pages, str) else pages, port)
    try:
        yield site
    finally:
        site.close()


class Hand:
    """A session with the newest observation at hand, and short words for actions on it."""

    def __init__(self, session: BrowserSession, first: Observation) -> None:
        self.session = session
        self.seen = first

    def line(self, role: str, name: str = "", nth: int = 0, row: str = "") -> Line:
        """The element with this role and a name (or words) that has this text."""
        found = [
            line
            for line in self.seen.lines
            if line.ref
            and line.role == role
            and name.casefold() in self.seen.words_of(line).casefold()
            and row.casefold()
            in (self.seen.row_of(line) or self.seen.words_of(self.seen.lines[line.parent])).casefold()
        ]
        assert len(found) > nth, f"no {role} {name!r} in:\n{self.seen.page_text}"
        return found[nth]

    def ref(self, role: str, name: str = "", nth: int = 0, row: str = "") -> str:
        return self.line(role, name, nth, row).ref

    async def do(self, tool: str, **arguments: Any) -> Outcome:
        """One action that must work, and a new observation."""
        outcome = await self.session.act(Action(tool, arguments))
        assert outcome.ok, outcome
        await self.look()
        return outcome

    async def refuse(self, tool: str, **arguments: Any) -> Outcome:
        """One action that must be refused."""
        outcome = await self.session.act(Action(tool, arguments))
        assert not outcome.ok, outcome
        await self.look()
        return outcome

    async def look(self) -> Observation:
        self.seen = await self.session.observe()
        return self.seen

    @property
    def text(self) -> str:
        return self.seen.page_text

    @property
    def events(self) -> str:
        return "\n".join(self.seen.events)


async def until(condition: Callable[[], bool]) -> None:
    """Waits until it holds, 20 s at the most."""
    for _ in range(2000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come about")


@contextlib.asynccontextmanager
async def visiting(chromium: Chromium, url: str, **options: Any) -> AsyncIterator[Hand]:
    """A hand on a session at this address."""
    session = await BrowserSession.open(chromium, BrowserOptions(**options), url)
    try:
        yield Hand(session, await session.observe())
    finally:
        await session.close()


@contextlib.asynccontextmanager
async def own_chrome(folder: Path, port: int = 0) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """A running Chrome of someone's own with one tab, and its debugging port."""
    if not port:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    given = [f"--remote-debugging-port={port}", f"--user-data-dir={folder}"]
    command = [str(find_chromium()), "--headless", *given, *launch_arguments(), "about:blank"]
    browser = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    try:
        assert browser.stderr is not None
        while b"listening" not in await asyncio.wait_for(browser.stderr.readline(), 20):
            pass
        yield browser, port
    finally:
        with contextlib.suppress(ProcessLookupError):
            browser.terminate()
        await browser.communicate()


@pytest_asyncio.fixture(name="chromium", scope="session", loop_scope="session")
async def shared_chromium() -> AsyncIterator[Chromium]:
    """One browser for all tests that share it; each visit has a context of its own."""
    async with open_browser(BrowserOptions()) as running:
        yield running
