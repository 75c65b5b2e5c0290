"""Goals that a workflow nearly fits: no wrong answer passes for right, and none of them makes the
workflow look bad."""

from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.pages.catalogue import PRICES, Catalogue
from tests.pages.kit import Reply
from tests.test_replay_heal import learned, run
from webagent.binding import bind, binding
from webagent.browser.launch import Chromium
from webagent.store import Store
from webagent.workflow import Variable, Workflow, WorkflowStep

pytestmark = pytest.mark.asyncio(loop_scope="session")


class Obliging(Catalogue):
    """A catalogue whose search finds one thing for any words, as fuzzy searches do."""

    def found(self, request: BaseHTTPRequestHandler) -> Reply:
        if "Lamp" in request.path or "Rug" in request.path:
            return super().found(request)
        return self._html("<h1>Found</h1><ul><li><a href='/item?n=Bed+large'>Bed large</a></ul>")

    def item(self, request: BaseHTTPRequestHandler) -> Reply:
        name = self._name(request)
        known = "<p>Also known as King bed</p>" if name == "Bed large" else ""
        return self._html(f"<h1>{name}</h1>{known}<a href='/sheet?n={name}'>Data sheet</a>")


@pytest.fixture
def site() -> Iterator[Obliging]:
    with closing(Obliging()) as opened:
        yield opened


@pytest.mark.timeout(300)
async def test_the_only_result_is_taken_for_what_was_meant_only_where_its_page_says_so(
    site: Obliging, chromium: Chromium, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "workflows.db") as store:
        await learned(site, store, chromium)
        other_name = await run(site, store, chromium, "King bed", tested=False)
        assert (other_name.exit_code, other_name.answer) == (0, PRICES["Bed large"]), other_name.reason
        for odd in ("Bed backwards", "Cupboard", "Bed large in two years"):
            stopped = await run(site, store, chromium, odd, tested=False)
            assert (stopped.exit_code, stopped.answer) == (1, None)
            assert "nothing on its page says" in stopped.reason
        (workflow,) = [one for one in store.workflows() if one.goals]
        assert workflow.failure_weight == 0
        again = await run(site, store, chromium, "Lamp medium", tested=False)
        assert again.exit_code == 0, again.reason


def hours() -> Workflow:
    return Workflow(
        "wf", 1, "maps", "hours", "", (WorkflowStep("stop", arguments={"answer": "{hours}"}),),
        (Variable("place", example="MIT"),), ("opening hours of {place}", "when is {place} open?"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "goal",
    [
        "when is it open?", "when is MIT not open", "opening hours of MIT on Sundays",
        "opening hours of MIT or CMU", "opening hours of MIT but not of CMU", "opening hours of MIT tomorrow",
        "opening hours of both museums", "opening hours of here", "opening hours of MIT on weekends",
        "opening hours of the same place", "opening hours of my bank", "when are you open",
    ],
)  # fmt: skip
async def test_a_value_that_says_more_than_a_name_is_doubted(goal: str) -> None:
    assert bind(hours(), goal) is None
    found = binding(hours(), goal)
    assert found is None or "may describe something" in found.doubts["place"]


@pytest.mark.parametrize("name", ["O'Hare", "Peet's Coffee", "Johns Hopkins and Sons"])
async def test_names_with_apostrophes_and_joining_words_are_names(name: str) -> None:
    assert bind(hours(), f"when is {name} open?") == {"place": name}
