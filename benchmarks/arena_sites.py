"""Start, memory and speed of the arena's six sites:

    python benchmarks/arena_sites.py [--pages 60]

The sites are a process of their own (`webagent sites serve`); started three times. A page's time is one GET
over a kept connection, the pages of a site those that its links lead to from its first. Exits with 1 where the
median start takes 2 s or more, the sites together hold 300 MB or more after all pages, or the median page
takes 30 ms or more."""

import argparse
import os
import re
import socket
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urljoin, urlsplit

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from fixtures_sites import SITES  # noqa: E402

START_BAR, MEMORY_BAR, PAGE_BAR = 2.0, 300, 30
TYPES = ("text/html",)


@contextmanager
def served(port: int) -> Iterator[tuple[int, float]]:
    """The sites' process and the seconds until each of them had answered with its first page."""
    command = [sys.executable, "-m", "webagent", "sites", "serve", "--port", str(port)]
    began = time.monotonic()
    process = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
    )
    try:
        for site in SITES:
            while not answers(port, site):
                if process.poll() is not None:
                    raise SystemExit("the sites did not start")
                time.sleep(0.01)
        yield process.pid, time.monotonic() - began
    finally:
        process.terminate()
        process.wait()


def answers(port: int, site: str) -> bool:
    try:
        return get(HTTPConnection("127.0.0.1", port, timeout=10), site, port, "/")[0] == 200
    except OSError:
        return False


def get(connection: HTTPConnection, site: str, port: int, path: str) -> tuple[int, str]:
    """Status and text of a page; the text is empty for what is no page."""
    connection.request("GET", path, headers={"Host": f"{site}.localhost:{port}"})
    response = connection.getresponse()
    text = response.read().decode(errors="replace")
    return response.status, text if str(response.getheader("Content-Type")).startswith(TYPES) else ""


def visited(port: int, site: str, most: int) -> list[float]:
    """Milliseconds of each page, the nearest to the first page first."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    waiting, known = deque(["/"]), {"/"}
    taken: list[float] = []
    while waiting and len(taken) < most:
        path = waiting.popleft()
        began = time.monotonic()
        status, text = get(connection, site, port, path)
        if not text or status >= 500:
            continue
        taken.append((time.monotonic() - began) * 1000)
        for link in re.findall(r'<a [^>]*?href="([^"#]+)', text):
            parts = urlsplit(urljoin(f"http://{site}.localhost:{port}{path}", unescape(link)))
            address = parts.path + (f"?{parts.query}" if parts.query else "")
            if parts.hostname == f"{site}.localhost" and address not in known:
                known.add(address)
                waiting.append(address)
    connection.close()
    return taken


def megabytes(pid: int) -> float:
    """Memory that the process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def main(pages: int) -> int:
    """Prints the figures; 1 where a bar is missed."""
    say = sys.stdout.write
    starts = []
    for _ in range(3):
        with served(port := free_port()) as (pid, seconds):
            starts.append(seconds)
            if len(starts) == 3:
                times = {site: visited(port, site, pages) for site in SITES}
                memory = megabytes(pid)
    say("| site | pages | median ms | nine in ten | most |\n|---|---|---|---|---|\n")
    for site, taken in times.items():
        ordered = sorted(taken)
        ninth = ordered[int(len(ordered) * 0.9)]
        say(f"| {site} | {len(taken)} | {statistics.median(taken):.1f} | {ninth:.1f} | {ordered[-1]:.1f} |\n")
    start, page = (
        statistics.median(starts),
        statistics.median(each for taken in times.values() for each in taken),
    )
    say(f"start {start:.2f} s (bar: under {START_BAR:g}), program and Python included\n")
    say(f"memory {memory:.0f} MB (bar: under {MEMORY_BAR})\n")
    say(f"page {page:.1f} ms (bar: under {PAGE_BAR})\n")
    return int(start >= START_BAR or memory >= MEMORY_BAR or page >= PAGE_BAR)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=60)
    sys.exit(main(parser.parse_args().pages))
