"""Start, memory and speed of the arena's six sites:

    python -m benchmarks.arena_sites [--pages 60]

The sites are a process of their own (`webagent sites serve`); started three times. A page's time is one GET
on a connection of its own, the pages of a site those that its links lead to from its first. Exits with 1 where the
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
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from benchmarks.measuring import ROOT
from fixtures_sites import SITES
from fixtures_sites.admin.seeded import STAFF
from tests.visitor import Visitor

START_BAR, MEMORY_BAR, PAGE_BAR = 2.0, 300, 30


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
        return Visitor(port, site).get("/").status < 400
    except OSError:
        return False


def visitor(port: int, site: str) -> Visitor:
    """Someone at a site; where nothing is shown to strangers, signed in."""
    someone = Visitor(port, site)
    if site == "admin":
        login, password, *_ = STAFF[0]
        someone.send("/sign-in", {"login": login, "password": password})
    return someone


def visited(port: int, site: str, most: int) -> list[float]:
    """Milliseconds of each page, the nearest to the first page first."""
    someone = visitor(port, site)
    waiting, known = deque(["/"]), {"/"}
    taken: list[float] = []
    while waiting and len(taken) < most:
        path = waiting.popleft()
        began = time.monotonic()
        page = someone.get(path)
        if page.status != 200:
            continue
        taken.append((time.monotonic() - began) * 1000)
        for link in re.findall(r'<a [^>]*?href="([^"#]+)', page.text):
            parts = urlsplit(urljoin(f"http://{site}.localhost:{port}{path}", unescape(link)))
            address = f"{parts.path}?{parts.query}".replace(" ", "%20")
            if parts.hostname == f"{site}.localhost" and address not in known:
                known.add(address)
                waiting.append(address)
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
