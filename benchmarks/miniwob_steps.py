"""How long a step takes besides the model, over MiniWoB++'s pages.

    python -m benchmarks.miniwob_steps [FOLDER_OF_MINIWOB_HTML] [--slow]

Each page is started as the package's own environment does, with seed 0. A step is a click on the
page's first button, link, box or other control, until the page that it leads to has been observed: what
passes between one reply of a model and the next question. Exits with 1 where the median is 150 ms or
more, or where a step took more than 1.5 s while the server had no request to answer. The package:
`pip install miniwob` (MIT)."""

import argparse
import asyncio
import functools
import importlib.util
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from webagent.actions import Action
from webagent.browser.launch import open_browser
from webagent.browser.options import BrowserOptions
from webagent.browser.session import BrowserSession
from webagent.observation import Line, Observation

START = "core.EPISODE_MAX_TIME = 1e9; Math.seedrandom(0); core.startEpisodeReal(); true"
ROLES = ("button", "link", "checkbox", "radio", "tab", "option", "textbox", "combobox", "slider")
BAR, LONGEST = 0.150, 1.5


@dataclass
class Server:
    """When requests were answered, in seconds of the monotonic clock."""

    url: str = ""
    answered: list[tuple[float, float]] = field(default_factory=list)

    def worked(self, began: float, ended: float) -> bool:
        """Whether a request was in flight in that time."""
        return any(start <= ended and end >= began for start, end in self.answered)


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """The package's pages over HTTP."""
    server = Server()

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            began = time.monotonic()
            super().do_GET()
            server.answered.append((began, time.monotonic()))

        def log_message(self, *arguments: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True).start()
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()


def sensible(page: Observation) -> Line | None:
    """What a person would try first: the first control by the order of `ROLES`, else whatever is
    clickable; "START" and what is disabled aside."""
    open_ones = [line for line in page.lines if line.ref and "disabled" not in line.states]
    for role in ROLES:
        for line in open_ones:
            if line.role == role:
                return line
    return next((line for line in open_ones if "cursor=pointer" in line.states), None)


@dataclass(frozen=True)
class Timed:
    """One step: its page and control, and seconds of the first look, the click and the look after."""

    page: str
    control: str
    first: float
    act: float
    look: float
    alone: bool
    error: str

    @property
    def seconds(self) -> float:
        return self.act + self.look


async def timed(session: BrowserSession, server: Server, path: Path) -> Timed | None:
    """The step on one page; None where nothing there can be clicked."""
    await session.act(Action("goto", {"url": f"{server.url}/miniwob/{path.name}"}))
    await session.observe()
    await session.evaluate(START)
    began = time.monotonic()
    page = await session.observe()
    first = time.monotonic() - began
    line = sensible(page)
    if line is None:
        return None
    began = time.monotonic()
    outcome = await session.act(Action("click", {"ref": line.ref}))
    clicked = time.monotonic()
    await session.observe()
    ended = time.monotonic()
    alone = not server.worked(began, ended)
    return Timed(path.stem, line.role, first, clicked - began, ended - clicked, alone, outcome.error)


async def main() -> int:
    options = _options()
    folder = Path(options.folder) if options.folder else _installed()
    if folder is None or not (pages := sorted((folder / "miniwob").glob("*.html"))):
        sys.stderr.write("no MiniWoB++ pages found; pip install miniwob, or name its html folder\n")
        return 2
    steps: list[Timed] = []
    with served(folder) as server:
        async with open_browser(BrowserOptions(executable_path=options.browser)) as chromium:
            session = await BrowserSession.open(chromium, BrowserOptions(), f"{server.url}/miniwob/")
            for path in pages:
                step = await timed(session, server, path)
                if step is not None:
                    steps.append(step)
            await session.close()
    return _told(steps, len(pages), slowest=options.slow)


def _told(steps: list[Timed], pages: int, *, slowest: bool) -> int:
    say = sys.stdout.write
    say(
        f"steps     {len(steps)} on {pages} pages; {sum(bool(step.error) for step in steps)} clicks refused\n"
    )
    for name, of in (("step", Timed.seconds.fget), ("click", lambda s: s.act), ("look", lambda s: s.look)):
        taken = sorted(of(step) * 1000 for step in steps)
        ninth = taken[int(len(taken) * 0.9)]
        say(
            f"{name:<9} median {statistics.median(taken):.0f} ms, nine in ten {ninth:.0f} ms, most {taken[-1]:.0f} ms\n"
        )
    long = [step for step in steps if step.seconds > LONGEST and step.alone]
    say(f"waited    {len(long)} steps took more than {LONGEST} s with no request in flight\n")
    for step in sorted(steps, key=lambda step: -step.seconds)[: 15 if slowest else 0]:
        say(f"          {step.page}: {step.control} click {step.act:.2f} look {step.look:.2f} {step.error}\n")
    return int(bool(long) or statistics.median(step.seconds for step in steps) >= BAR)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--slow", action="store_true", help="list the slowest steps")
    parser.add_argument("--browser", default="", help="Chromium's executable")
    return parser.parse_args()


def _installed() -> Path | None:
    spec = importlib.util.find_spec("miniwob")
    return Path(spec.origin).parent / "html" if spec and spec.origin else None


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
