"""A site is redesigned: the first run mends its workflow, the next ones cost nothing."""

from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint import Request, ScriptedEndpoint, ref_of
from tests.pages.catalogue import PRICES, Catalogue
from tests.pages.kit import Reply
from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.pipeline import Run
from webagent.policies.scripted import Line, ScriptedPolicy
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Expect, Task

CHANGED = 3
"""Steps whose control has another name, place or kind after the redesign."""


@pytest.fixture
def site() -> Iterator[Catalogue]:
    with closing(Catalogue()) as opened:
        yield opened


def looking_up(name: str) -> list[Line]:
    return [
        {"action": "type", "role": "searchbox", "name": "Search items", "text": name},
        {"action": "click", "role": "button", "name": "Search"},
        {"action": "click", "role": "link", "name": name},
        {"action": "click", "role": "link", "name": "Data sheet"},
        {"action": "stop", "answer": PRICES[name]},
    ]


async def run(
    site: Catalogue,
    store: Store,
    browser: Chromium,
    name: str,
    *,
    endpoint: str = "",
    script: bool = False,
    tested: bool = True,
) -> RunResult:
    settings = Settings(
        url=site.url(),
        policy="auto" if endpoint else "replay",
        base_url=endpoint,
        model="scripted" if endpoint else "",
    )
    expect = Expect(answer=(PRICES[name],)) if tested else None
    task = Task(id="", goal=f"find the price of {name}", site="", expect=expect)
    policy = ScriptedPolicy(looking_up(name)) if script else None
    return await Run(task, site.url(), settings, store, browser=browser, policy=policy).run()


async def learned(site: Catalogue, store: Store, browser: Chromium) -> None:
    for name in ("Lamp small", "Rug large"):
        result = await run(site, store, browser, name, script=True)
        assert result.exit_code == 0, result.reason


@pytest.mark.timeout(300)
async def test_a_redesign_costs_one_run_at_most_a_call_for_each_changed_step(
    site: Catalogue, tmp_path: Path
) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        return [("click", {"ref": ref_of(request, "button", "All facts"), "thought": "it is a button now"})]

    with Store.open(tmp_path / "workflows.db") as store, ScriptedEndpoint(act) as endpoint:
        async with open_browser(BrowserOptions()) as browser:
            await learned(site, store, browser)
            site.redesign = True
            first = await run(site, store, browser, "Desk medium", endpoint=endpoint.base_url)
            assert (first.exit_code, first.policy) == (0, "mixed"), first.reason
            assert 0 < len(endpoint.requests) <= CHANGED + 1
            assert len(first.learned) == 1
            endpoint.requests.clear()
            for name in list(PRICES)[:10]:
                again = await run(site, store, browser, name, endpoint=endpoint.base_url, tested=False)
                assert (again.exit_code, again.answer, again.policy) == (0, PRICES[name], "replay"), (
                    again.reason
                )
            assert endpoint.requests == []
            (now,) = store.workflows()
            assert [step.target.name for step in now.steps[:4] if step.target] == [
                "What are you after?", "Look it up", "{items}", "All facts",
            ]  # fmt: skip
            why = [event["why"] for event in store.history(now.id)]
            assert any(text and text.startswith("healed by run") for text in why)


@pytest.mark.timeout(300)
async def test_renamed_controls_in_the_same_place_need_no_model(site: Catalogue, tmp_path: Path) -> None:
    with Store.open(tmp_path / "workflows.db") as store:
        async with open_browser(BrowserOptions()) as browser:
            await learned(site, store, browser)
            (before,) = store.workflows()
            site.redesign = True
            site.pages["/item"] = site.sheet
            for step in before.steps:
                assert not step.changes
            stopped = await run(site, store, browser, "Desk medium")
            assert stopped.exit_code == 1
            assert 'no link "Data sheet"' in stopped.reason
            thoughts = [step.action.thought for step in store.trajectory(stopped.run_id).steps]
            assert (
                thoughts[0] == 'searchbox "Search items" is not there; "What are you after?" is in its place'
            )


class Renamed(Catalogue):
    """Of its redesign only the first page, whose controls have other names, is there yet."""

    def item(self, request: BaseHTTPRequestHandler) -> Reply:
        return self._html(
            f"<h1>{self._name(request)}</h1><a href='/sheet?n={self._name(request)}'>Data sheet</a>"
        )


@pytest.mark.timeout(300)
async def test_a_repair_that_nobody_judged_is_kept_but_is_no_evidence(tmp_path: Path) -> None:
    with Store.open(tmp_path / "workflows.db") as store, closing(Renamed()) as site:
        async with open_browser(BrowserOptions()) as browser:
            await learned(site, store, browser)
            (before,) = store.workflows()
            site.redesign = True
            first = await run(site, store, browser, "Desk medium", tested=False)
            assert (first.exit_code, first.answer) == (0, PRICES["Desk medium"]), first.reason
            (after,) = store.workflows()
            assert first.learned == [after.label]
            assert (after.id, after.version, after.status) == (before.id, before.version + 1, before.status)
            assert after.success_weight <= before.success_weight
            again = await run(site, store, browser, "Bed large", tested=False)
            assert (again.exit_code, again.learned) == (0, []), again.reason
            thoughts = [step.action.thought for step in store.trajectory(again.run_id).steps]
            assert not any("is in its place" in thought for thought in thoughts)
