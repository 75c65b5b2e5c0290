"""`webagent replay`: a run or a workflow carried out again, without a model."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import map_model
from tests.commands import webagent
from tests.endpoint import Request, ScriptedEndpoint, observation_of
from tests.pages.kit import serving
from tests.seeded import SEED, run_id, workflow_id
from tests.test_exchange_browsergym import SHOP, folder_of
from webagent.exchange import import_path
from webagent.store import Store

ZIP = workflow_id("find zip code of a place")
DISTANCE = workflow_id("find the distance from one to another by a travel")
RUN = run_id("find zip code of Carnegie Mellon University Silicon Valley")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(SEED, tmp_path / "workflows.db")
    return tmp_path


@pytest.mark.parametrize(("extra", "answer"), [((), "94035"), (("--set", "place=CMU"), "15213")])
def test_a_run_is_repeated_with_its_own_values_or_others(
    folder: Path, extra: tuple[str, ...], answer: str
) -> None:
    done = webagent("replay", RUN, *extra, "--json", cwd=folder)
    assert done.code == 0, done.err
    said = done.json
    assert (said["answer"], said["policy"], said["llm"]["calls"], said["site"]) == (
        answer,
        "replay",
        0,
        "maps",
    )
    assert said["workflows"]["given"] == []
    assert said["run_id"] != RUN


@pytest.mark.parametrize("name", [ZIP, ZIP[:8], f"{ZIP}@1"])
def test_a_workflow_is_carried_out_with_values(folder: Path, name: str) -> None:
    expect = '{"answer": "02139"}'
    done = webagent("replay", name, "--set", "place=MIT", "--expect", expect, "--json", cwd=folder)
    assert done.code == 0, done.err
    assert (done.json["answer"], done.json["verdict"]["judge"]) == ("02139", "expect")
    assert done.json["goal"] == "find zip code of MIT"
    label = name if "@" in name else f"{ZIP}@5"
    assert done.json["workflows"]["given"] == done.json["workflows"]["followed"] == [label]
    assert ("is retired" in done.err) == ("@" in name)


def test_several_values_fold_case_and_the_answer_is_all_that_is_printed(folder: Path) -> None:
    values = ["--set", "from=Hunt Library", "--set", "to=Carnegie Museum of Art", "--set", "travel=on foot"]
    done = webagent("replay", DISTANCE, *values, cwd=folder)
    assert (done.code, done.out) == (0, "640 m\n"), done.err


def test_memory_online_counts_the_use_and_off_leaves_memory_alone(folder: Path) -> None:
    def weight() -> float:
        with Store.open(folder / "workflows.db") as store:
            known = store.workflow(ZIP)
            assert known is not None
            return known.success_weight

    before = weight()
    test = ["--set", "place=CMU", "--expect", '{"answer": "15213"}']
    assert webagent("replay", ZIP, *test, "--memory", "off", cwd=folder).code == 0
    assert weight() == before
    assert webagent("replay", ZIP, *test, cwd=folder).code == 0
    assert weight() == before + 1


def test_doubt_and_a_wrong_answer_are_failures(folder: Path) -> None:
    done = webagent("replay", ZIP, "--set", "place=City Hall", "--json", cwd=folder)
    assert (done.code, done.json["answer"]) == (1, None)
    assert "which one is meant is not known" in done.err
    test = ["--set", "place=CMU", "--expect", '{"answer": "1"}']
    assert webagent("replay", ZIP, *test, cwd=folder).code == 1


def test_a_configured_model_is_asked_with_policy_auto_alone(folder: Path) -> None:
    with ScriptedEndpoint(map_model.act) as endpoint:
        arguments = [ZIP, "--set", "place=City Hall", "--base-url", endpoint.base_url, "--json"]
        assert webagent("replay", *arguments, cwd=folder).code == 1
        assert endpoint.acts == []
        done = webagent("replay", *arguments, "--policy", "auto", cwd=folder)
    assert done.code == 0, done.err
    assert (done.json["policy"], len(done.json["answer"])) == ("mixed", 5)


def test_a_run_elsewhere_begins_where_it_began_or_where_it_is_told(tmp_path: Path) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        link = re.search(r'link "Next"[^\n]*\[ref=(\w+)\]', observation_of(request))
        return [("click", {"ref": link[1]})] if link else [("stop", {"answer": "42"})]

    pages = {"/start": "<a href=/b>Next</a>", "/b": "<dl><dt>Price</dt><dd>42</dd></dl>", "/c": "<p>No</p>"}
    with serving(pages) as site, ScriptedEndpoint(act) as endpoint:
        url = ["--url", site.url("/start")]
        ran = webagent("run", "tell the price", *url, "--base-url", endpoint.base_url, "--json", cwd=tmp_path)
        assert ran.code == 0, ran.err
        (tmp_path / "webagent.toml").write_text('policy = "human"\nsite = "maps"\n')
        done = webagent("replay", ran.json["run_id"], "--json", cwd=tmp_path)
        assert (done.code, done.json["answer"], done.json["llm"]["calls"]) == (0, "42", 0), done.err
        other = webagent("replay", ran.json["run_id"], "--url", site.url("/c"), cwd=tmp_path)
    assert (other.code, other.out) == (1, "")
    assert 'no link "Next" on the page /c' in other.err


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ((ZIP,), f"{ZIP}@5 needs a value for place: give --set place=…, such as --set place='Carnegie"),
        ((DISTANCE, "--set", "to=x"), "needs a value for from, travel: give --set from=… --set travel=…"),
        ((ZIP, "--set", "palce=x"), f"no variable 'palce' in {ZIP}@5; it has place"),
        ((RUN, "--set", "palce=x"), f"no variable 'palce' in {RUN}@0; it has place"),
        ((ZIP, "--set", "place"), "--set takes VAR=VALUE, such as --set place=\"MIT\", not 'place'"),
        (("wf_none",), "no run and no workflow 'wf_none' in"),
        (("2026",), "is the start of several ids"),
        ((ZIP, "--set", "place=x", "--site", "maps", "--url", "http://x/"), "give --site or --url, not both"),
        ((ZIP, "--set", "place=x", "--site", "nowhere"), "no site 'nowhere'"),
        ((ZIP, "--set", "place=x", "--judge", "expect"), "--judge expect needs --expect JSON"),
    ],
)
def test_what_can_not_be_is_said_before_anything_is_done(
    folder: Path, arguments: tuple[str, ...], fault: str
) -> None:
    done = webagent("replay", *arguments, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert fault in done.err


def test_a_log_of_another_program_is_no_run_to_repeat(tmp_path: Path) -> None:
    with Store.open(tmp_path / "workflows.db") as store:
        (row,) = import_path(store, folder_of(tmp_path), SHOP).rows
    done = webagent("replay", row.id, cwd=tmp_path)
    assert done.code == 2
    assert "can't be repeated: it was imported from a log of another program" in done.err


def test_a_run_that_did_nothing_is_no_routine(tmp_path: Path) -> None:
    with ScriptedEndpoint(lambda request: [("stop", {"status": "infeasible"})]) as endpoint:
        ran = webagent("run", "x", "--site", "maps", "--base-url", endpoint.base_url, "--json", cwd=tmp_path)
    done = webagent("replay", ran.json["run_id"], cwd=tmp_path)
    assert done.code == 2
    assert "can't be repeated: no step of it did anything to a page" in done.err


def test_without_a_database_there_is_nothing_to_repeat(tmp_path: Path) -> None:
    done = webagent("replay", ZIP, cwd=tmp_path)
    assert (done.code, list(tmp_path.glob("*.db"))) == (3, [])
