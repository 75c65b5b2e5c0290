"""Wall time of a replay, of a hand-written Playwright script and of a run of a scripted model that takes
a second a reply, for the longest routine of the map site, alternating in one run:

    python -m benchmarks.replay_speed [--runs 6]

The first table has them in browsers that are open, each with a context of its own, the second as
processes of their own that start a browser. Exits with 1 where a bar is missed: at most 1.5 times the
script's time, and a twentieth of the model's."""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from benchmarks.measuring import ROOT
from tests.endpoint import Request, ScriptedEndpoint, observation_of, ref_of
from webagent.browser.launch import find_chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.pipeline import Run
from webagent.settings import Settings
from webagent.sites import site_url
from webagent.store import Store
from webagent.tasks import Task

TRIPS = (("MIT", "Harvard University"), ("Coit Tower", "Space Needle"), ("Fenway Park", "MIT"))
GOAL = "find the distance from {} to {} by bicycle"
SEED = ROOT / "workflows.db"
REPLY_SECONDS = 1.0
SCRIPT_BAR, MODEL_BAR = 1.5, 20
NAMES = ("Playwright script", "replay", "scripted model")


async def by_hand(browser: Browser, url: str, start: str, end: str) -> str:
    """What a person would write."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    await page.get_by_role("button", name="Reject all").click()
    await page.get_by_role("link", name="Directions").click()
    await page.get_by_role("textbox", name="From").fill(start)
    await page.get_by_role("textbox", name="To").fill(end)
    await page.get_by_role("radio", name="Bicycle").click()
    await page.get_by_role("button", name="Get directions").click()
    answer = await page.locator("dt:text-is('Distance') + dd").inner_text()
    await context.close()
    return answer


async def script(url: str, start: str, end: str) -> str:
    """The same as a program of its own."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        answer = await by_hand(browser, url, start, end)
        await browser.close()
        return answer


Calls = Sequence[tuple[str, Mapping[str, Any]]]


def model_of(start: str, end: str) -> Callable[[Request], Calls]:
    """A model that makes one sensible step a reply."""
    steps = iter(
        (
            ("click", "button", "Reject all", {}),
            ("click", "link", "Directions", {}),
            ("type", "textbox", "From", {"text": start}),
            ("type", "textbox", "To", {"text": end}),
            ("click", "radio", "Bicycle", {}),
            ("click", "button", "Get directions", {}),
        )
    )

    def act(request: Request) -> Calls:
        for tool, role, name, more in steps:
            return [(tool, {"ref": ref_of(request, role, name), **more, "thought": name})]
        page = observation_of(request)
        said = page[page.index("term") :].split("Distance", 1)[1].splitlines()[1]
        return [("stop", {"answer": said.split(": ", 1)[1].strip('" '), "thought": "there it is"})]

    return act


class Times:
    """Seconds by name, and a line of the table for each."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.seconds: dict[str, list[float]] = {name: [] for name in NAMES}

    def median(self, name: str) -> float:
        return statistics.median(self.seconds[name])

    def told(self) -> bool:
        """Prints the table; whether both bars are met."""
        say = sys.stdout.write
        say(f"\n| {self.title} | median s | min | max |\n|---|---|---|---|\n")
        for name, seconds in self.seconds.items():
            say(f"| {name} | {self.median(name):.2f} | {min(seconds):.2f} | {max(seconds):.2f} |\n")
        hand, replay, model = (self.median(name) for name in NAMES)
        say(f"replay / script {replay / hand:.2f} (bar: at most {SCRIPT_BAR})\n")
        say(f"model / replay {model / replay:.1f} (bar: at least {MODEL_BAR})\n")
        if model < MODEL_BAR * hand:
            say(
                f"  out of reach here: even the script is only {model / hand:.1f} times as fast as the model\n"
            )
        return replay <= SCRIPT_BAR * hand and model >= MODEL_BAR * replay


async def in_open_browsers(url: str, database: Path, runs: int) -> Times:
    """Each has a browser that is open; the first of each warms up."""
    times = Times("in an open browser")
    async with open_browser(BrowserOptions()) as ours, async_playwright() as playwright:
        theirs = await playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        with Store.open(database) as store:
            for n in range(runs + 1):
                start, end = TRIPS[n % len(TRIPS)]
                task = Task(id="", goal=GOAL.format(start, end), site="maps")
                with ScriptedEndpoint(model_of(start, end), latency=REPLY_SECONDS) as endpoint:
                    told: dict[str, str] = {}
                    for name in NAMES:
                        began = time.monotonic()
                        if name == NAMES[0]:
                            told[name] = await by_hand(theirs, url, start, end)
                        else:
                            settings = settings_of(name, database, endpoint.base_url)
                            result = await Run(task, url, settings, store, browser=ours).run()
                            told[name] = result.answer or result.reason
                        if n:
                            times.seconds[name].append(time.monotonic() - began)
                check(told)
        await theirs.close()
    return times


def settings_of(name: str, database: Path, endpoint: str) -> Settings:
    """The settings of a replay or of the model's run."""
    if name == "replay":
        return Settings(site="maps", policy="replay", memory="read", db=str(database))
    return Settings(policy="llm", memory="off", db=str(database), model="scripted", base_url=endpoint)


def as_processes(url: str, database: Path, runs: int) -> Times:
    """Each starts Python and a browser."""
    times = Times("as a process")
    for n in range(runs):
        start, end = TRIPS[n % len(TRIPS)]
        run = [sys.executable, "-m", "webagent", "run", GOAL.format(start, end), "--url", url, "--json"]
        run += ["--db", str(database)]
        with ScriptedEndpoint(model_of(start, end), latency=REPLY_SECONDS) as endpoint:
            model = ["--base-url", endpoint.base_url, "--model", "scripted"]
            commands = {
                NAMES[0]: [sys.executable, __file__, "--script", url, start, end],
                NAMES[1]: [*run, "--policy", "replay", "--memory", "read"],
                NAMES[2]: [*run, "--policy", "llm", "--memory", "off", *model],
            }
            told: dict[str, str] = {}
            for name, command in commands.items():
                began = time.monotonic()
                done = subprocess.run(
                    command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
                )
                times.seconds[name].append(time.monotonic() - began)
                told[name] = done.stdout.strip() or done.stderr
                if name != NAMES[0] and done.stdout:
                    told[name] = str(json.loads(done.stdout)["answer"])
        check(told)
    return times


def environment() -> dict[str, str]:
    """Ours, with this checkout's program and a key for the endpoint."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"}


def check(told: Mapping[str, str]) -> None:
    """Ends the program where one of them came to another answer."""
    if len(set(told.values())) != 1:
        raise SystemExit(f"different answers: {dict(told)}")


async def main(runs: int) -> int:
    """Prints both tables; 1 where a bar is missed."""
    with tempfile.TemporaryDirectory() as folder, site_url("maps") as url:
        database = Path(folder) / "workflows.db"
        shutil.copy(SEED, database)
        open_ones = await in_open_browsers(url, database, runs)
        met = open_ones.told()
        own_ones = as_processes(url, database, runs)
        return int(not (own_ones.told() and met))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--script", nargs=3, metavar=("URL", "FROM", "TO"), help="only the script, once")
    given = parser.parse_args()
    if given.script:
        sys.stdout.write(asyncio.run(script(*given.script)) + "\n")
        sys.exit(0)
    sys.exit(asyncio.run(main(given.runs)))
