"""Wall time of a replay against a hand-written Playwright script for the same task, alternating in one
run: `python benchmarks/replay_speed.py [--runs 10]`. Both have a browser that is open, and begin with a
context of their own."""

import argparse
import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.async_api import async_playwright

from webagent.browser.launch import find_chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.pipeline import Run
from webagent.settings import Settings
from webagent.sites import site_url
from webagent.store import Store
from webagent.tasks import Task

PLACES = ("MIT", "Harvard University", "Coit Tower", "Fenway Park", "Space Needle")
SEED = Path(__file__).parent.parent / "workflows.db"


async def by_hand(browser, url: str, place: str) -> str:  # type: ignore[no-untyped-def]
    """What a person would write."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    await page.get_by_role("button", name="Reject all").click()
    await page.get_by_role("searchbox", name="Search for a place").press_sequentially(place)
    await page.get_by_role("button", name="Search", exact=True).click()
    await page.get_by_role("list", name="Search results").get_by_role("link").first.click()
    answer = await page.locator("dt:text-is('ZIP code') + dd").inner_text()
    await context.close()
    return str(answer)


async def main(runs: int) -> int:
    """Prints a table; 1 where the bar of 1.5 is missed."""
    hand: list[float] = []
    replay: list[float] = []
    with tempfile.TemporaryDirectory() as folder, site_url("maps") as url:
        path = Path(folder) / "workflows.db"
        shutil.copy(SEED, path)
        settings = Settings(site="maps", policy="replay", memory="read", db=str(path))
        async with open_browser(BrowserOptions()) as ours, async_playwright() as playwright:
            theirs = await playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
            with Store.open(path) as store:
                for n in range(runs + 1):
                    place = PLACES[n % len(PLACES)]
                    began = time.monotonic()
                    wanted = await by_hand(theirs, url, place)
                    middle = time.monotonic()
                    task = Task(id="", goal=f"find zip code of {place}", site="maps")
                    result = await Run(task, url, settings, store, browser=ours).run()
                    if result.answer != wanted:
                        raise SystemExit(f"{place}: {result.answer} is not {wanted}: {result.reason}")
                    if n:  # the first of each warms up
                        hand.append(middle - began)
                        replay.append(time.monotonic() - middle)
            await theirs.close()
    one, other = statistics.median(hand), statistics.median(replay)
    sys.stdout.write("| | median s | min | max |\n|---|---|---|---|\n")
    for name, times in (("Playwright script", hand), ("replay", replay)):
        sys.stdout.write(
            f"| {name} | {statistics.median(times):.2f} | {min(times):.2f} | {max(times):.2f} |\n"
        )
    sys.stdout.write(f"ratio {other / one:.2f}\n")
    return int(other > 1.5 * one)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    sys.exit(asyncio.run(main(parser.parse_args().runs)))
