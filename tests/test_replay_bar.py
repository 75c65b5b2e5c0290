"""The bar for replay: goals over unseen places and wordings on the map site, with the seed's
workflows and no model at all."""

import itertools
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from fixtures_sites.maps.places import Place, places, route, search
from tests.seeded import SEED
from webagent.browser.launch import open_browser
from webagent.browser.options import BrowserOptions
from webagent.errors import EnvironmentFault
from webagent.pipeline import Run
from webagent.settings import Settings
from webagent.sites import site_url
from webagent.store import Store
from webagent.tasks import Task

FACTS = (
    ("find zip code of {}", "zip_code"),
    ("What is the ZIP code of the {}?", "zip_code"),
    ("Please tell me the zip code for {}", "zip_code"),
    ("what's {}'s zip code?", "zip_code"),
    ('I need the zip code of "{}", please.', "zip_code"),
    ("Can you find the phone number of {}?", "phone"),
    ("phone number of {}", "phone"),
    ("I'd like to know the phone number for {}", "phone"),
    ("when is {} open?", "hours"),
    ("Could you please tell me when {} is open", "hours"),
    ("what are the opening hours of {}", "hours"),
    ("find the address of the {}", "address"),
    ("Where is {}?", "address"),
    ("tell me where {} is, thanks", "address"),
)
WAYS = (
    ("find the distance from {} to {} by car", "car", "distance_text"),
    ("What is the distance from {} to {} on foot?", "foot", "distance_text"),
    ("please find the travel time from {} to {} by bicycle", "bicycle", "time_text"),
    ("tell me the travel time from {} to {} by foot", "foot", "time_text"),
)


def goals() -> list[tuple[str, str]]:
    """Forty goals and their right answers, over places that the seed never saw."""
    unseen = _unseen()
    asked: list[tuple[str, str]] = []
    for n in range(28):
        wording, fact = FACTS[n % len(FACTS)]
        place: Place = unseen[n]
        asked.append((wording.format(place.name), str(getattr(place, fact))))
    for n in range(12):
        wording, mode, fact = WAYS[n % len(WAYS)]
        start, end = unseen[n + 28], unseen[n * 2 + 5]
        asked.append((wording.format(start.name, end.name), str(getattr(route(start, end, mode), fact))))
    return asked


def _unseen() -> list[Place]:
    """Forty places whose names are their own, well away from those of the seed."""
    found = (place for place in places()[45::3] if len(search(place.name)) == 1)
    return list(itertools.islice(found, 40))


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_forty_goals_over_unseen_places_are_right_without_a_model(tmp_path: Path) -> None:
    right, wrong, missed = await replayed(tmp_path, goals())
    assert wrong == []
    assert right >= 39, missed


async def test_some_of_them_in_every_run_of_the_tests(tmp_path: Path) -> None:
    some = goals()[4:40:6]
    assert await replayed(tmp_path, some) == (len(some), [], [])


async def replayed(folder: Path, asked: Sequence[tuple[str, str]]) -> tuple[int, list[str], list[str]]:
    """How many answers are right, which wrong ones passed for right, and what was not done."""
    shutil.copy(SEED, folder / "workflows.db")
    settings = Settings(site="maps", policy="replay", db=str(folder / "workflows.db"))
    right, wrong, missed = 0, [], []
    with site_url("maps") as url, Store.open(folder / "workflows.db") as store:
        async with open_browser(BrowserOptions()) as browser:
            for goal, answer in asked:
                run = Run(Task(id="", goal=goal, site="maps"), url, settings, store, browser=browser)
                try:
                    result = await run.run()
                except EnvironmentFault as fault:
                    missed.append(f"{goal}: {fault}")
                    continue
                assert result.usage.calls == 0
                right += result.answer == answer
                if result.exit_code == 0 and result.answer != answer:
                    wrong.append(f"{goal}: {result.answer}, not {answer}")
                elif result.exit_code:
                    missed.append(f"{goal}: {result.reason}")
    return right, wrong, missed
