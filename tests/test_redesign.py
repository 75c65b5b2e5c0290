"""The map site is redesigned: the first run of each kind mends its workflow and what that calls, the
next ones cost nothing."""

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from fixtures_sites.maps.places import Place, places, route, search
from fixtures_sites.server import FixtureServer
from tests import redesign_model
from tests.endpoint import ScriptedEndpoint
from tests.seeded import SEED, workflow_id
from webagent.browser.launch import Chromium
from webagent.pipeline import Run
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Expect, Task

pytestmark = pytest.mark.asyncio(loop_scope="session")

SEARCH_CHANGED = 3
"""The search box and its button have other names, and the answer stands elsewhere."""
TRIP_CHANGED = 6
"""The link, both fields and the button have other names, the mode is a list, the answer elsewhere."""
FACTS = {"zip code": "zip_code", "phone number": "phone", "opening hours": "hours"}
MODES = ("foot", "car", "bicycle")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with FixtureServer(variant="redesign") as server:
        yield server.url("maps")


class Learner:
    """Runs goals on the redesigned site with the seed's memory and a model that counts its calls."""

    def __init__(self, url: str, store: Store, chromium: Chromium, endpoint: ScriptedEndpoint) -> None:
        self.url, self.store, self.chromium, self.endpoint = url, store, chromium, endpoint

    async def run(self, goal: str, right: str = "", *, tested: bool = False) -> RunResult:
        self.endpoint.requests.clear()
        settings = Settings(site="maps", base_url=self.endpoint.base_url, model="scripted")
        expect = Expect(answer=(right,)) if tested else None
        task = Task(id="", goal=goal, site="maps", expect=expect)
        return await Run(task, self.url, settings, self.store, browser=self.chromium).run()

    async def free(self, goal: str, right: str) -> None:
        """A run that must be right and call no model."""
        result = await self.run(goal, right)
        assert (result.exit_code, result.answer, result.policy) == (0, right, "replay"), result.reason
        assert self.endpoint.requests == []

    async def healed(self, goal: str, right: str, changed: int) -> list[str]:
        """Names of the workflows that one run mended, with at most a call for each change and one."""
        result = await self.run(goal, right, tested=True)
        assert (result.exit_code, result.answer) == (0, right), result.reason
        assert 0 < len(self.endpoint.requests) <= changed + 1
        mended = [self.store.workflow(label) for label in result.learned]
        return [workflow.name for workflow in mended if workflow is not None]


@pytest.fixture
def learner(url: str, chromium: Chromium, tmp_path: Path) -> Iterator[Learner]:
    shutil.copy(SEED, tmp_path / "workflows.db")
    with (
        Store.open(tmp_path / "workflows.db") as store,
        ScriptedEndpoint(redesign_model.act, answer=redesign_model.answer) as endpoint,
    ):
        yield Learner(url, store, chromium, endpoint)


@cache
def unseen() -> list[Place]:
    return [place for place in places()[45::3] if len(search(place.name)) == 1][:40]


def fact(asked: str, n: int) -> tuple[str, str]:
    """A goal about an unseen place, and its answer."""
    place = unseen()[n]
    return f"find the {asked} of {place.name}", str(getattr(place, FACTS[asked]))


def trip(n: int, thing: str = "distance") -> tuple[str, str]:
    """A goal about the way between two unseen places, by each mode in turn, and its answer."""
    start, end, mode = unseen()[n], unseen()[39 - n], MODES[n % len(MODES)]
    way = route(start, end, mode)
    said = "on foot" if mode == "foot" else f"by {mode}"
    right = way.distance_text if thing == "distance" else way.time_text
    return f"find the {thing} from {start.name} to {end.name} {said}", right


@pytest.mark.timeout(300)
async def test_the_first_run_mends_what_it_calls_too_and_the_next_cost_nothing(learner: Learner) -> None:
    assert await learner.healed(*fact("zip code", 0), SEARCH_CHANGED) == [
        "find a place by its name", "find zip code of a place",
    ]  # fmt: skip
    await learner.free(*fact("zip code", 1))
    assert await learner.healed(*fact("phone number", 2), 0) == ["find the phone number of a place"]
    await learner.free(*fact("phone number", 3))


@pytest.mark.timeout(300)
async def test_a_choice_that_became_a_list_is_mended_and_stays_a_choice(learner: Learner) -> None:
    mended = await learner.healed(*trip(0), TRIP_CHANGED)
    assert mended == [
        "get directions for from and to and travel", "find the distance from one to another by a travel",
    ]  # fmt: skip
    for n in (1, 2):
        await learner.free(*trip(n))
    callee = learner.store.workflow(workflow_id("get directions for from and to and travel"))
    assert callee is not None
    assert [(step.tool, dict(step.arguments)) for step in callee.steps] == [
        ("click", {}), ("select", {"options": ["{travel}"]}), ("type", {"text": "{from}"}),
        ("type", {"text": "{to}"}), ("click", {}),
    ]  # fmt: skip
    assert (callee.version, callee.status) == (2, "active")


@pytest.mark.timeout(300)
async def test_a_step_that_the_page_had_done_already_is_not_forgotten(learner: Learner) -> None:
    """The list stands on Car: a run by car leaves it alone, and a routine of such a run would go by
    car whatever the goal says."""
    goal, right = trip(1)
    result = await learner.run(goal, right, tested=True)
    assert (result.exit_code, result.answer) == (0, right), result.reason
    callee = learner.store.workflow(workflow_id("get directions for from and to and travel"))
    assert callee is not None
    assert callee.version == 1
    goal, right = trip(2)
    again = await learner.run(goal, right, tested=True)
    assert (again.exit_code, again.answer) == (0, right), again.reason


@pytest.mark.timeout(300)
async def test_a_run_that_fails_after_the_replay_gave_up_counts_against_the_workflow(
    learner: Learner,
) -> None:
    goal, _ = trip(0)
    before = learner.store.workflow(workflow_id("find the distance from one to another by a travel"))
    result = await learner.run(goal, "another answer", tested=True)
    assert (result.exit_code, result.learned) == (1, [])
    assert before is not None
    after = learner.store.workflow(before.label)
    assert after is not None
    assert after.failure_weight > before.failure_weight
    (use,) = [use for use in learner.store.uses(run_id=result.run_id) if use["workflow_id"] == before.id]
    assert (use["mode"], bool(use["followed"]), bool(use["success"])) == ("replay", False, False)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_after_the_first_run_of_each_kind_the_next_ten_cost_nothing(learner: Learner) -> None:
    for asked in FACTS:
        await learner.healed(*fact(asked, 0), SEARCH_CHANGED)
        for n in range(1, 11):
            await learner.free(*fact(asked, n))
    for thing in ("distance", "travel time"):
        await learner.healed(*trip(0, thing), TRIP_CHANGED)
        for n in range(1, 11):
            await learner.free(*trip(n, thing))
