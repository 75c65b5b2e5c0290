"""The bar: a person shows each of the map site's tasks once, then the program does it for another
place without a model."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from fixtures_sites.maps.places import Place, places, route
from tests.demonstrating import Person, demonstrated
from webagent.browser.launch import Chromium
from webagent.pipeline import Run
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.sites import site_url
from webagent.store import Store
from webagent.tasks import Task

pytestmark = pytest.mark.asyncio(loop_scope="session")


def place(name: str) -> Place:
    return next(one for one in places() if one.name == name)


def reads(name: str, answer: str) -> Callable[[Person], Awaitable[None]]:
    """Looks a place up and finds the answer on its page."""

    async def show(person: Person) -> None:
        await person.types(person.page.get_by_role("searchbox"), name)
        await person.presses("Enter")
        await person.sees("Search results")
        await person.click(
            person.page.get_by_role("list", name="Search results").get_by_role("link", name=name)
        )
        await person.sees(answer)

    return show


def routes(start: str, end: str, way: str, answer: str) -> Callable[[Person], Awaitable[None]]:
    async def show(person: Person) -> None:
        await person.click(person.page.get_by_role("link", name="Directions"))
        await person.sees("From")
        await person.types(person.page.get_by_label("From"), start)
        await person.types(person.page.get_by_label("To"), end)
        await person.click(person.page.get_by_text(way))
        await person.click(person.page.get_by_role("button", name="Get directions"))
        await person.sees(answer)

    return show


async def replayed(chromium: Chromium, folder: Path, goal: str, url: str) -> RunResult:
    """The goal, by what memory holds alone."""
    with Store.open(folder / "workflows.db") as store:
        return await Run(Task(id="", goal=goal), url, Settings(url=url), store, browser=chromium).run()


SHOWN, OTHER = "Carnegie Museum of Art", "Museum of Modern Art"


@pytest.mark.parametrize(
    ("goal", "fact"),
    [
        ("find zip code of the {}", "zip_code"),
        ("find the phone number of the {}", "phone"),
        ("find the opening hours of the {}", "hours"),
        ("find the address of the {}", "address"),
    ],
)
async def test_a_fact_shown_for_one_place_is_found_for_another(
    chromium: Chromium, tmp_path: Path, goal: str, fact: str
) -> None:
    right = str(getattr(place(SHOWN), fact))
    with site_url("maps") as url:
        shown = await demonstrated(
            chromium, tmp_path, url, reads(SHOWN, right[:5]), goal.format(SHOWN), answers=[right]
        )
        assert shown.result.learned, shown.told.text
        result = await replayed(chromium, tmp_path, goal.format(OTHER), url)
    assert (result.answer, result.policy) == (str(getattr(place(OTHER), fact)), "replay"), result


@pytest.mark.parametrize("way", ["Car", "On foot"])
async def test_a_distance_shown_for_two_places_is_found_for_two_others(
    chromium: Chromium, tmp_path: Path, way: str
) -> None:
    goal = "find the distance from {} to {} " + {"Car": "by car", "On foot": "on foot"}[way]
    mode = {"Car": "car", "On foot": "foot"}[way]
    right = route(place(SHOWN), place(OTHER), mode).distance_text
    with site_url("maps") as url:
        show = routes(SHOWN, OTHER, way, right)
        shown = await demonstrated(chromium, tmp_path, url, show, goal.format(SHOWN, OTHER), answers=[right])
        assert shown.result.learned, shown.told.text
        others = [
            one for one in places() if one.name in ("Stanford University", "Carnegie Mellon University")
        ]
        result = await replayed(chromium, tmp_path, goal.format(*(one.name for one in others)), url)
    assert (result.answer, result.policy) == (route(others[0], others[1], mode).distance_text, "replay")
