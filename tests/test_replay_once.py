"""What changes things is done at most once: a checkout whose reply is lost after the order."""

import random
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from tests.endpoint import Request, ScriptedEndpoint, observation_of, text_of
from tests.pages.shop import FAULTS, Shop
from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.pipeline import Run
from webagent.policies.scripted import Line, ScriptedPolicy
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Expect, Task

GOAL = "order 2 pieces of {} by {}"


@pytest.fixture
def shop() -> Iterator[Shop]:
    with closing(Shop()) as site:
        yield site


@pytest_asyncio.fixture
async def browser() -> AsyncIterator[Chromium]:
    async with open_browser(BrowserOptions()) as opened:
        yield opened


def ordering(article: str, delivery: str) -> list[Line]:
    return [
        {"action": "type", "role": "textbox", "name": "Article", "text": article},
        {"action": "type", "role": "textbox", "name": "Amount", "text": "2"},
        {"action": "select", "role": "combobox", "name": "Delivery", "options": [delivery]},
        {"action": "click", "role": "button", "name": "Go on"},
        lambda view: {
            "action": "stop",
            "answer": next(line.text for line in view.observation.lines if line.role == "definition"),
        },
    ]


async def run(
    shop: Shop,
    store: Store,
    browser: Chromium,
    goal: str,
    script: list[Line] | None = None,
    endpoint: str = "",
) -> RunResult:
    settings = Settings(
        url=shop.url(),
        memory="online" if script else "read",
        policy="auto" if endpoint else "replay",
        base_url=endpoint,
        model="scripted" if endpoint else "",
    )
    expect = Expect(answer_matches=r"No\. \d+") if script else None
    task = Task(id="", goal=goal, site="", expect=expect)
    policy = ScriptedPolicy(script) if script else None
    return await Run(task, shop.url(), settings, store, browser=browser, policy=policy).run()


@pytest_asyncio.fixture
async def store(tmp_path: Path, shop: Shop, browser: Chromium) -> AsyncIterator[Store]:
    """Two orders were shown: the workflow is active."""
    with Store.open(tmp_path / "workflows.db") as opened:
        for article, delivery in (("lamp", "Post"), ("desk", "Courier")):
            result = await run(
                shop, opened, browser, GOAL.format(article, delivery), ordering(article, delivery)
            )
            assert result.exit_code == 0, result.reason
        shop.orders.clear()
        yield opened


def learned(store: Store) -> str:
    (workflow,) = store.workflows()
    assert workflow.status == "active"
    assert [step.changes for step in workflow.steps] == [False, False, False, True, False]
    return workflow.label


async def test_a_button_that_sends_something_is_marked_though_its_words_say_nothing(
    shop: Shop, store: Store, browser: Chromium
) -> None:
    learned(store)
    done = await run(shop, store, browser, GOAL.format("rug", "Pickup"))
    assert (done.exit_code, done.answer, shop.orders) == (0, "No. 1", ["rug"])


async def injected(shop: Shop, store: Store, browser: Chromium, runs: int) -> None:
    """Runs with faults at random: none orders twice, none that reports success has not ordered."""
    learned(store)
    rng = random.Random(4)
    for n in range(runs):
        shop.fault = FAULTS[n % len(FAULTS)]
        article = f"article-{n}"
        done = await run(
            shop, store, browser, GOAL.format(article, rng.choice(("Post", "Courier", "Pickup")))
        )
        ordered = [one for one in shop.orders if one.startswith(article)]
        assert len(ordered) <= 1, (shop.fault, ordered)
        if done.exit_code == 0:
            assert ordered == [article], shop.fault
            assert shop.fault in ("", "slow", "fetch"), shop.fault
        else:
            assert done.status == "failed"
            assert done.reason
        if shop.fault in ("", "slow"):
            assert done.exit_code == 0, done.reason
        if "drop" in shop.fault or "error" in shop.fault:
            assert "may have been carried out already" in done.reason, (shop.fault, done.reason)
        if shop.fault == "changed":
            assert 'holds "article' in done.reason
            assert ordered == []


@pytest.mark.timeout(400)
async def test_no_fault_makes_a_replay_order_twice(shop: Shop, store: Store, browser: Chromium) -> None:
    await injected(shop, store, browser, 11)


@pytest.mark.slow
@pytest.mark.timeout(1200)
async def test_in_two_hundred_runs_with_faults_no_order_is_placed_twice(
    shop: Shop, store: Store, browser: Chromium
) -> None:
    await injected(shop, store, browser, 200)


@pytest.mark.timeout(300)
async def test_a_model_is_told_that_the_order_may_have_been_placed(
    shop: Shop, store: Store, browser: Chromium
) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, str]]]:
        if "Orders" not in observation_of(request):
            return [("goto", {"url": shop.url("/orders?article=rug")})]
        assert "rug: 1" in observation_of(request)
        return [("stop", {"answer": "ordered"})]

    shop.fault = "drop"
    with ScriptedEndpoint(act) as endpoint:
        done = await run(shop, store, browser, GOAL.format("rug", "Post"), endpoint=endpoint.base_url)
        assert "may have been carried out already; check before doing it again" in text_of(endpoint.acts[0])
    assert (done.policy, done.answer, shop.orders) == ("mixed", "ordered", ["rug"])
