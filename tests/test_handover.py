"""Replay and model together: handing over at the first mismatch, workflows as actions, memory that
follows the hostname."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests import map_model
from tests.commands import webagent
from tests.endpoint import Request, ScriptedEndpoint, observation_of, text_of
from tests.pages.kit import serving
from tests.pages_text import found
from tests.seeded import SEED
from webagent.induction.rule import induce
from webagent.store import Store


def seeded(folder: Path) -> Path:
    shutil.copy(SEED, folder / "workflows.db")
    return folder


def test_a_trusted_workflow_is_replayed_though_a_model_is_configured(tmp_path: Path) -> None:
    with ScriptedEndpoint(map_model.act) as endpoint:
        arguments = ["--site", "maps", "--base-url", endpoint.base_url, "--json"]
        done = webagent("run", "find zip code of CMU", *arguments, cwd=seeded(tmp_path))
        assert done.code == 0, done.err
        assert endpoint.requests == []
    assert (done.json["answer"], done.json["policy"], done.json["llm"]["calls"]) == ("15213", "replay", 0)


def test_the_model_takes_over_where_the_replay_stops_and_sees_what_was_done(tmp_path: Path) -> None:
    with ScriptedEndpoint(map_model.act) as endpoint:
        arguments = ["--site", "maps", "--base-url", endpoint.base_url, "--json"]
        done = webagent("run", "find zip code of City Hall", *arguments, cwd=seeded(tmp_path))
        assert done.code == 0, done.err
        first = endpoint.acts[0]
    assert done.json["policy"] == "mixed"
    assert len(done.json["answer"]) == 5
    calls = [m["tool_calls"][0]["function"]["name"] for m in first["messages"] if m.get("tool_calls")]
    assert calls[-2:] == ["type", "click"]
    assert "(done by replay)" in text_of(first)
    assert "could not go on" in text_of(first)
    assert 'list "Search results"' in observation_of(first)


def test_a_model_calls_a_workflow_as_one_action_and_gets_control_back(tmp_path: Path) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        if "ZIP code" in observation_of(request):
            return map_model.act(request)
        block = re.findall(r"# find zip code of a place  \((wf_\w+)@", text_of(request))
        return [("workflow", {"id": block[0], "arguments": {"place": "CMU"}, "thought": "as before"})]

    with ScriptedEndpoint(act) as endpoint:
        arguments = ["--site", "maps", "--base-url", endpoint.base_url, "--policy", "llm", "--json"]
        done = webagent("run", "find zip code of CMU", *arguments, cwd=seeded(tmp_path))
        assert done.code == 0, done.err
        assert any(tool["function"]["name"] == "workflow" for tool in endpoint.acts[0]["tools"])
        assert "all steps of workflow" in text_of(endpoint.acts[1])
        assert len(endpoint.acts) == 2
    assert done.json["answer"] == "15213"
    assert done.json["policy"] == "mixed"
    assert len(done.json["workflows"]["followed"]) >= 1
    with Store.open(tmp_path / "workflows.db") as store:
        modes = {use["mode"] for use in store.uses(run_id=done.json["run_id"])}
        called = [use for use in store.uses(run_id=done.json["run_id"]) if use["mode"] == "action"]
    assert "action" in modes
    assert [use["followed"] for use in called] == [True]
    stats = webagent("workflows", "stats", cwd=tmp_path)
    assert "action" in stats.out, stats.err
    assert "called one as an action: 1 of 1 (100%)" in stats.err
    rows = [
        json.loads(line) for line in webagent("workflows", "stats", "--json", cwd=tmp_path).out.splitlines()
    ]
    (row,) = [row for row in rows if row["called"]]
    assert (row["modes"]["action"], row["shown"], row["call_rate"]) == (1, 1, 1.0)


def test_a_workflow_that_is_not_in_the_prompt_or_lacks_values_is_refused(tmp_path: Path) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        turn = len(endpoint.acts)
        known = re.findall(r"\((wf_\w+)@", text_of(request))
        if turn == 1:
            return [("workflow", {"id": "wf_none", "arguments": {}})]
        if turn == 2:
            return [("workflow", {"id": known[0], "arguments": {}})]
        return [("stop", {"status": "infeasible"})]

    with ScriptedEndpoint(act) as endpoint:
        arguments = ["--site", "maps", "--base-url", endpoint.base_url, "--policy", "llm", "--json"]
        done = webagent("run", "find zip code of CMU", *arguments, cwd=seeded(tmp_path))
        assert "no workflow 'wf_none'; known:" in json.dumps(endpoint.acts[1]["messages"], ensure_ascii=False)
        assert "no value for place" in json.dumps(endpoint.acts[2]["messages"])
    assert done.json["status"] == "infeasible"


def test_memory_switches_with_the_hostname(tmp_path: Path) -> None:
    made = induce([found("r1", "Lamp")])
    assert made is not None
    with Store.open(tmp_path / "workflows.db") as store:
        for host in ("one.localhost", "two.localhost"):
            name = f"price on {host.split('.')[0]}"
            store.save_workflow(
                replace(made, id=f"wf_{host[:3]}", hostname=host, name=name, status="active"),
                [],
                "person",
                "",
            )

    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        turn = len(endpoint.acts)
        return (
            [("goto", {"url": site.url("/b", "two.localhost")})]
            if turn == 1
            else [("stop", {"answer": "Two"})]
        )

    pages = {"/": "<h1>One</h1>", "/b": "<h1>Two</h1>"}
    with serving(pages) as site, ScriptedEndpoint(act) as endpoint:
        arguments = [
            "--url",
            site.url("/", "one.localhost"),
            "--base-url",
            endpoint.base_url,
            "--policy",
            "llm",
            "--json",
        ]
        done = webagent(
            "run",
            "tell the price",
            *arguments,
            "--allowed-domains",
            "one.localhost,two.localhost",
            cwd=tmp_path,
        )
        assert done.code == 0, done.err
        blocks = [text_of(request) for request in endpoint.acts]
    assert "price on one" in blocks[0]
    assert "price on two" not in blocks[0]
    assert "price on two" in blocks[1]
    assert "price on one" not in blocks[1]
    assert sorted(done.json["workflows"]["given"]) == ["wf_one@1", "wf_two@1"]


def test_several_calls_of_one_reply_stop_where_the_page_changes(tmp_path: Path) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        page = observation_of(request)
        if "Two" in page:
            return [("stop", {"answer": "2"})]
        link = re.search(r'link "Next" [^\n]*\[ref=(\w+)\]', page)
        assert link
        return [("click", {"ref": link[1]}), ("click", {"ref": link[1]}), ("stop", {"answer": "1"})]

    with (
        serving({"/": "<a href=/b>Next</a>", "/b": "<h1>Two</h1>"}) as site,
        ScriptedEndpoint(act) as endpoint,
    ):
        done = webagent(
            "run", "go on", "--url", site.url(), "--base-url", endpoint.base_url, "--json", cwd=tmp_path
        )
        assert (done.json["answer"], done.json["steps"]) == ("2", 1), done.err
        assert "the other 2 calls of that reply were not carried out" in text_of(endpoint.acts[1])
