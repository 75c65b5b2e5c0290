"""Rebuilds workflows.db by running tasks on the fixture sites: `make seed`.

Each routine is shown by a script on two places, judged by the task's own answer, and induced by
rule, as any run would be; nothing is written into the database by hand."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from fixtures_sites.maps.places import Place, places, route, search
from webagent.browser.launch import open_browser
from webagent.browser.options import BrowserOptions
from webagent.pipeline import Run
from webagent.policies.scripted import Line, ScriptedPolicy
from webagent.settings import Settings
from webagent.sites import site_url
from webagent.store import Store
from webagent.tasks import Expect, Task

FACTS = (
    (
        "ZIP code",
        "zip_code",
        (
            "find zip code of {place}",
            "what is the zip code of {place}?",
            "what's the zip code for {place}?",
            "zip code of {place}",
        ),
    ),
    (
        "Phone",
        "phone",
        (
            "find the phone number of {place}",
            "what is the phone number of {place}?",
            "phone number of {place}",
        ),
    ),
    (
        "Opening hours",
        "hours",
        (
            "find the opening hours of {place}",
            "what are the opening hours of {place}?",
            "when is {place} open?",
        ),
    ),
    (
        "Address",
        "address",
        ("find the address of {place}", "what is the address of {place}?", "where is {place}?"),
    ),
)
MODES = (("Car", "car", "by car"), ("Bicycle", "bicycle", "by bicycle"), ("On foot", "foot", "on foot"))
CONSENT: Line = {"action": "click", "role": "button", "name": "Reject all"}


def fact_script(place: Place, answer: str) -> Sequence[Line]:
    """Search, open the place, read a fact."""
    return (
        CONSENT,
        {"action": "type", "role": "searchbox", "name": "Search for a place", "text": place.name},
        {"action": "click", "role": "button", "name": "Search"},
        {"action": "click", "role": "link", "name": place.name},
        {"action": "stop", "answer": answer},
    )


def route_script(start: Place, end: Place, mode: str, answer: str) -> Sequence[Line]:
    """Directions between two places."""
    return (
        CONSENT,
        {"action": "click", "role": "link", "name": "Directions"},
        {"action": "type", "role": "textbox", "name": "From", "text": start.name},
        {"action": "type", "role": "textbox", "name": "To", "text": end.name},
        {"action": "click", "role": "radio", "name": mode},
        {"action": "click", "role": "button", "name": "Get directions"},
        {"action": "stop", "answer": answer},
    )


def lessons() -> list[tuple[str, Sequence[Line], str]]:
    """Goal, script and right answer of every run."""
    known = [place for place in places() if len(search(place.name)) == 1][:24]
    runs = []
    for label, attribute, wordings in FACTS:
        del label
        for n, wording in enumerate(wordings):
            for place in known[n + 1 : n + 2] if n else known[:2]:
                answer = str(getattr(place, attribute))
                runs.append((wording.format(place=place.name), fact_script(place, answer), answer))
    for n, (radio, mode, words) in enumerate(MODES):
        for start, end in ((known[n], known[n + 5]), (known[n + 8], known[n + 12])):
            there = route(start, end, mode)
            for question, answer in (("distance", there.distance_text), ("travel time", there.time_text)):
                goal = f"find the {question} from {start.name} to {end.name} {words}"
                runs.append((goal, route_script(start, end, radio, answer), answer))
    return runs


async def seed(path: Path) -> int:
    """Runs every lesson into a new database; the number of runs that failed."""
    failed = 0
    settings = Settings(site="maps", db=str(path))
    with site_url("maps") as url, Store.open(path) as store:
        async with open_browser(BrowserOptions()) as browser:
            for goal, script, answer in lessons():
                task = Task(id="", goal=goal, site="maps", expect=Expect(answer=(answer,)))
                run = Run(task, url, settings, store, browser=browser, policy=ScriptedPolicy(script))
                result = await run.run()
                failed += result.exit_code != 0
                told = f"{result.answer!r} {' '.join(result.learned)} {result.reason}"
                sys.stderr.write(f"{result.exit_code} {goal} -> {told}\n")
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    wanted = parser.parse_args().path
    wanted.unlink(missing_ok=True)
    sys.exit(asyncio.run(seed(wanted)))
