"""The whole loop: a goal, a run, a verdict, a workflow, and the next run that is better for it."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from sqlite_utils import Database

from tests import map_model
from tests.commands import Done, webagent
from tests.endpoint import Request, ScriptedEndpoint, text_of


def run(goal: str, cwd: Path, endpoint: ScriptedEndpoint | None, *extra: str) -> Done:
    model = ["--base-url", endpoint.base_url] if endpoint else []
    return webagent("run", goal, "--site", "maps", "--json", *model, *extra, cwd=cwd)


def workflow_block(request: Request) -> str:
    found = re.search(r"<workflows>(.*?)</workflows>", text_of(request), re.DOTALL)
    return found[1] if found else ""


def test_a_second_run_sees_what_the_first_learned_and_a_third_needs_no_model(tmp_path: Path) -> None:
    with ScriptedEndpoint(map_model.act, workflows=map_model.workflows) as endpoint:
        first = run("find zip code of CMU", tmp_path, endpoint)
        assert first.code == 0, first.err
        assert first.json["answer"] == "15213"
        assert first.json["verdict"] == {"success": True, "judge": "llm", "reason": "ok"}
        assert first.json["policy"] == "llm"
        assert first.json["steps"] == 3
        assert len(first.json["workflows"]["learned"]) == 2
        assert workflow_block(endpoint.acts[0]) == ""
        before = len(endpoint.acts)
        for one, other in pairwise(endpoint.acts):  # what a provider's cache serves: all but the newest page
            kept = len(one["messages"]) - 1
            assert json.dumps(other["messages"][:kept]) == json.dumps(one["messages"][:kept])
            assert json.dumps(other["tools"]) == json.dumps(one["tools"])

        second = run("find zip code of MIT", tmp_path, endpoint)
        assert second.code == 0, second.err
        assert second.json["answer"] == "02139"
        block = workflow_block(endpoint.acts[before])
        assert "find the zip code of a place" in block
        assert "find a place by its name ({place})" in block
        assert second.json["workflows"]["followed"]

    third = run("find zip code of Stanford University", tmp_path, None)
    assert third.code == 0, third.err
    assert third.json["answer"] == "94305"
    assert third.json["llm"]["calls"] == 0
    assert third.json["policy"] == "replay"
    assert third.json["workflows"]["followed"]


def test_memory_read_and_off_differ_by_the_memory_blocks_alone(tmp_path: Path) -> None:
    with ScriptedEndpoint(map_model.act, workflows=map_model.workflows) as endpoint:
        assert run("find zip code of CMU", tmp_path, endpoint).code == 0
        seen: dict[str, list[str]] = {}
        for memory in ("read", "off"):
            before = len(endpoint.acts)
            done = run("find zip code of MIT", tmp_path, endpoint, "--memory", memory, "--policy", "llm")
            assert done.code == 0, done.err
            assert done.json["workflows"]["learned"] == []
            seen[memory] = [_without_port(text_of(request)) for request in endpoint.acts[before:]]
    assert "<workflows>" in seen["read"][0]
    stripped = [re.sub(r"<workflows>.*?</workflows>", "", text, flags=re.DOTALL) for text in seen["read"]]
    assert [text.split() for text in stripped] == [text.split() for text in seen["off"]]


def _without_port(text: str) -> str:
    return re.sub(r"localhost:\d+", "localhost", text)


def test_a_failed_run_never_yields_a_workflow(tmp_path: Path) -> None:
    verdict = {"success": False, "reason": "wrong"}
    with ScriptedEndpoint(map_model.act, workflows=map_model.workflows, verdict=verdict) as endpoint:
        done = run("find zip code of CMU", tmp_path, endpoint)
        assert done.code == 1
        assert endpoint.named("workflows") == []
    assert done.json["workflows"]["learned"] == []
    assert Database(tmp_path / "workflows.db")["workflows"].count == 0


@pytest.mark.parametrize(
    "verdict", [{"success": None, "reason": "?"}, {"success": "true", "reason": "?"}, {}]
)
def test_an_unclear_verdict_is_no_success(tmp_path: Path, verdict: dict[str, object]) -> None:
    with ScriptedEndpoint(map_model.act, verdict=verdict) as endpoint:
        done = run("find zip code of CMU", tmp_path, endpoint)
    assert done.code == 1
    assert done.json["verdict"]["success"] is not True
    assert done.json["workflows"]["learned"] == []


def test_the_tasks_own_test_beats_the_model(tmp_path: Path) -> None:
    with ScriptedEndpoint(map_model.act, workflows=map_model.workflows) as endpoint:
        done = run("find zip code of CMU", tmp_path, endpoint, "--expect", json.dumps({"answer": "99999"}))
        assert endpoint.named("verdict") == []
    assert done.code == 1
    assert done.json["verdict"]["judge"] == "expect"
    assert done.json["workflows"]["learned"] == []


def test_with_no_model_and_no_workflow_three_ways_forward_are_named(tmp_path: Path) -> None:
    done = run("find zip code of CMU", tmp_path, None)
    assert done.code == 3
    assert done.out == ""
    for way in ("OPENAI_API_KEY", ".gguf", "record"):
        assert way in done.err


def test_everything_of_a_run_is_in_the_database(tmp_path: Path) -> None:
    with ScriptedEndpoint(map_model.act, workflows=map_model.workflows) as endpoint:
        done = run("find zip code of CMU", tmp_path, endpoint)
    db = Database(tmp_path / "workflows.db")
    row = db["runs"].get(done.json["run_id"])
    assert (row["status"], row["answer"], row["success"], row["judge"], row["steps"]) == (
        "done",
        "15213",
        1,
        "llm",
        3,
    )
    assert row["prompt_tokens"] == done.json["llm"]["prompt_tokens"] > 0
    assert json.loads(next(db["steps"].rows)["action"])["action"] == "type"
    assert [row["n"] for row in db["steps"].rows] == [1, 2, 3]
    bodies = "".join(row["body"] for row in db["workflows"].rows)
    assert "ref" not in json.loads(bodies.split("}{")[0] if "}{" not in bodies else "{}")
    assert '"ref"' not in bodies
