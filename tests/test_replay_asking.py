"""What a replay asks a model: values for a goal in words of its own, and an answer that nothing reads."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.commands import webagent
from tests.endpoint import Reply, Request, ScriptedEndpoint, text_of
from tests.pages_text import facts_of, item
from tests.test_seed import SEED
from webagent.interfaces import Completion, Usage
from webagent.policies.asking import ask_binding, holds
from webagent.store import Store
from webagent.workflow import Variable, Workflow

ODD = "I am writing a letter to MIT; which zip code goes on it?"


class Says:
    """A chat model that says one thing."""

    usage = Usage()
    name = "says"

    def __init__(self, reply: dict[str, object] | None) -> None:
        self.reply = reply

    async def act(self, messages: object, tools: object) -> Completion:
        return Completion()

    async def ask(self, name: str, messages: object, schema: object) -> dict[str, object] | None:
        return self.reply

    async def close(self) -> None:
        """Nothing is open."""


def arguments(folder: Path, endpoint: ScriptedEndpoint) -> list[str]:
    shutil.copy(SEED, folder / "workflows.db")
    return ["--site", "maps", "--base-url", endpoint.base_url, "--json"]


@pytest.mark.timeout(200)
def test_a_goal_in_words_of_its_own_costs_one_bind_call(tmp_path: Path) -> None:
    with ScriptedEndpoint(bind={"arguments": {"place": "MIT"}}) as endpoint:
        done = webagent("run", ODD, *arguments(tmp_path, endpoint), cwd=tmp_path)
        assert done.code == 0, done.err
        assert [request.name for request in endpoint.requests] == ["bind"]
        assert "find zip code of a place" in text_of(endpoint.requests[0])
    assert (done.json["answer"], done.json["policy"], done.json["llm"]["calls"]) == ("02139", "replay", 1)


@pytest.mark.parametrize(
    "reply",
    [
        None,
        {"arguments": "MIT"},
        {"arguments": {"place": ""}},
        {"arguments": {"place": "Harvard"}},
        {"arguments": {"travel": "MIT"}},
    ],
)
def test_a_value_that_the_goal_does_not_say_is_not_taken(reply: dict[str, object] | None) -> None:
    known = Workflow("wf", 1, "maps", "zip", "", (), (Variable("place"),), ("zip code of {place}",))
    assert asyncio.run(ask_binding(Says(reply), known, ODD)) is None
    assert asyncio.run(ask_binding(Says({"arguments": {"place": '"MIT"'}}), known, ODD)) == {"place": "MIT"}


@pytest.mark.parametrize("reply", ["May 3rd, 2026", "2026-05-03", "2026-05-04", "some day"])
def test_a_date_is_taken_as_its_field_takes_it(reply: str) -> None:
    day = Variable("day", kind="date", example="2025-12-24")
    known = Workflow("wf", 1, "pages", "fare", "", (), (day,), ("fare of {day}",))
    goal = "I leave on May 3rd, 2026 and want to know what it costs"
    taken = asyncio.run(ask_binding(Says({"arguments": {"day": reply}}), known, goal))
    assert taken == ({"day": "2026-05-03"} if reply in ("May 3rd, 2026", "2026-05-03") else None)


def test_a_choice_is_taken_only_where_it_is_one() -> None:
    travel = Variable("travel", kind="choice", choices=("Car", "On foot"))
    known = Workflow("wf", 1, "maps", "way", "", (), (travel,), ("go by {travel}",))
    assert asyncio.run(ask_binding(Says({"arguments": {"travel": "foot"}}), known, "go there by foot")) == {
        "travel": "On foot"
    }
    assert asyncio.run(ask_binding(Says({"arguments": {"travel": "sea"}}), known, "go there by sea")) is None


def test_without_a_model_the_run_says_what_it_could_not_bind(tmp_path: Path) -> None:
    shutil.copy(SEED, tmp_path / "workflows.db")
    done = webagent("run", ODD, "--site", "maps", cwd=tmp_path)
    assert done.code == 3
    assert "closest: find zip code of a place; could not bind {place}" in done.err


def without_reader(folder: Path) -> None:
    """The zip workflow of the seed as one whose answers follow no pattern that was found."""
    with Store.open(folder / "workflows.db") as store:
        (known,) = [one for one in store.workflows("maps.localhost") if "zip" in one.name]
        store.save_workflow(replace(known, reader=None), [], "person", "its answers are read by no pattern")


@pytest.mark.timeout(200)
def test_an_answer_that_nothing_reads_costs_one_answer_call(tmp_path: Path) -> None:
    with ScriptedEndpoint(answer={"answer": "02139", "quote": "ZIP code 02139"}) as endpoint:
        given = arguments(tmp_path, endpoint)
        without_reader(tmp_path)
        done = webagent(
            "run", "find zip code of MIT", *given, "--expect", '{"answer": "02139"}', cwd=tmp_path
        )
        assert done.code == 0, done.err
        assert [request.name for request in endpoint.requests] == ["answer"]
    assert (done.json["answer"], done.json["policy"]) == ("02139", "mixed")


@pytest.mark.timeout(200)
def test_an_answer_without_its_quote_on_the_page_hands_over(tmp_path: Path) -> None:
    def act(request: Request) -> Reply:
        assert "how to read the answer was not learned" in text_of(request)
        return Reply(calls=[("stop", {"answer": "02139"})])

    with ScriptedEndpoint(act, answer={"answer": "99999", "quote": "ZIP code 99999"}) as endpoint:
        given = arguments(tmp_path, endpoint)
        without_reader(tmp_path)
        done = webagent(
            "run", "find zip code of MIT", *given, "--expect", '{"answer": "02139"}', cwd=tmp_path
        )
        assert done.code == 0, done.err
        assert [request.name for request in endpoint.requests] == ["answer", "act"]
    assert done.json["answer"] == "02139"


def test_a_quote_must_be_on_the_page_and_hold_the_answer() -> None:
    page, price = item("Lamp", facts_of("Lamp")), facts_of("Lamp")["Price"]
    assert holds(page, price, f"Price {price}")
    assert holds(page, price, f"PRICE  {price}.")
    assert not holds(page, price, "Price")
    assert not holds(page, "12345", "Price 12345")
    assert not holds(page, "", f"Price {price}")
