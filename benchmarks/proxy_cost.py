"""What the gateway costs: page loads by way of it against page loads without, alternating in one browser, each
in a context of its own (so that every connection is new):

    python benchmarks/proxy_cost.py [--loads 60]

The pages are the start page of a fixture site, and one as pages of the web are (70 resources, 2.2 MB, from five
hosts), on this machine and 20 ms away. Servers run in a process of their own. Times are medians,
and "longer by" is the median over pairs of loads that were made one after the other, so that a busy machine does
not decide. Exits with 1 where the bar is missed: a load by the gateway is at most 5 % longer."""

import argparse
import asyncio
import http.server
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.async_api import Browser, ProxySettings, async_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from fixtures_sites.server import FixtureServer  # noqa: E402
from webagent.boundary import Boundary  # noqa: E402
from webagent.browser.arguments import launch_arguments  # noqa: E402
from webagent.browser.gateway import Gateway  # noqa: E402
from webagent.browser.launch import find_chromium  # noqa: E402
from webagent.browser.upstream import Routes  # noqa: E402

BAR = 0.05
HOSTS = 5
SCRIPTS, IMAGES = 20, 50
SCRIPT, IMAGE = b"//" + b"x" * 40_000, b"<svg xmlns='http://www.w3.org/2000/svg'>" + b" " * 28_000 + b"</svg>"


class Web(http.server.BaseHTTPRequestHandler):
    """A page like those of the web; `/far/…` is answered 20 ms later."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        pass

    def handle(self) -> None:
        with suppress(ConnectionError):  # a context that ends
            super().handle()

    def do_GET(self) -> None:
        if self.path.startswith("/far"):
            time.sleep(0.02)
        kind, body = self._answer()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _answer(self) -> tuple[str, bytes]:
        if "script" in self.path:
            return "text/javascript", SCRIPT
        if "image" in self.path:
            return "image/svg+xml", IMAGE
        port = self.headers["Host"].rpartition(":")[2]
        parts = [
            f"<script defer src='//{host(n)}:{port}{self.path}script{n}'></script>" for n in range(SCRIPTS)
        ]
        parts += [
            f"<img width=9 height=9 src='//{host(n)}:{port}{self.path}image{n}'>" for n in range(IMAGES)
        ]
        return "text/html", ("<!doctype html><title>Web</title>" + "".join(parts)).encode()


def host(n: int) -> str:
    return f"host{n % HOSTS}.localhost"


def serve() -> None:
    """Serves both until it is ended, and says where."""
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
    web.daemon_threads = True
    threading.Thread(target=web.serve_forever, daemon=True).start()
    with FixtureServer() as sites:
        base = f"http://{host(0)}:{web.server_address[1]}"
        sys.stdout.write(f"{sites.url('shop')} {base}/ {base}/far/\n")
        sys.stdout.flush()
        sys.stdin.read()


@contextmanager
def served() -> Iterator[list[str]]:
    """The addresses of the three pages."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), "--serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield process.stdout.readline().split()
    finally:
        process.stdin.close()
        process.wait()


async def loaded(browser: Browser, url: str, proxy: ProxySettings | None) -> float:
    """Seconds from asking for a page to its load event."""
    context = await browser.new_context(proxy=proxy)
    try:
        page = await context.new_page()
        began = time.perf_counter()
        await page.goto(url, wait_until="load")
        return time.perf_counter() - began
    finally:
        await context.close()


async def compared(browser: Browser, url: str, loads: int) -> tuple[list[float], list[float]]:
    """Seconds of loads without and by the gateway, a new one for each, in turns; the first of each warm up."""
    direct, through = [], []
    for n in range(loads + 1):
        for by in (False, True) if n % 2 else (True, False):
            gateway = Gateway(Boundary(("*.localhost",)), Routes())
            await gateway.open()
            seconds = await loaded(
                browser, url, {"server": gateway.url, "bypass": "<-loopback>"} if by else None
            )
            await gateway.close()
            if n:
                (through if by else direct).append(seconds)
    return direct, through


async def main(loads: int) -> int:
    """Prints the table; 1 where the bar is missed."""
    missed = 0
    say = sys.stdout.write
    say("| page | without, ms | by the gateway, ms | longer by |\n|---|---|---|---|\n")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=launch_arguments())
        with served() as urls:
            for name, url in zip(("shop", "web, on this machine", "web, 20 ms away"), urls, strict=True):
                direct, through = await compared(browser, url, loads)
                longer = (
                    statistics.median(by / without for by, without in zip(through, direct, strict=True)) - 1
                )
                missed += longer > BAR
                shown = (f"{statistics.median(times) * 1000:.0f}" for times in (direct, through))
                say(f"| {name} | {' | '.join(shown)} | {longer:+.1%} (bar: {BAR:+.0%}) |\n")
        await browser.close()
    return int(missed > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--loads", type=int, default=60)
    parser.add_argument("--serve", action="store_true", help="only the servers, until stdin ends")
    given = parser.parse_args()
    if given.serve:
        serve()
    else:
        sys.exit(asyncio.run(main(given.loads)))
