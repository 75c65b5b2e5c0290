"""A person at the wheel: they stop before each action, change it, take over, or decide it all."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from tests import map_model
from tests.commands import Done, environment, webagent
from tests.endpoint import Request, ScriptedEndpoint, text_of
from tests.pages.kit import serving
from tests.seeded import SEED
from webagent.cli.run import person

ZIP = "find zip code of CMU"
SHOP = """<h1>Shop</h1><button id=b onclick="o.textContent += 'bought '">Buy</button>
<button onclick="o.textContent += 'saved '">Save</button><p id=o></p>"""


def run(cwd: Path, typed: Sequence[str], *extra: str, endpoint: ScriptedEndpoint | None = None) -> Done:
    model = ["--base-url", endpoint.base_url] if endpoint else []
    where = () if "--url" in extra else ("--site", "maps")
    return webagent(
        "run", ZIP, *where, "--json", *model, *extra, cwd=cwd, typed="".join(f"{line}\n" for line in typed)
    )


def steps(cwd: Path) -> list[dict[str, Any]]:
    return list(Database(cwd / "workflows.db")["steps"].rows)


def shopper(*calls: tuple[str, dict[str, Any]]) -> Any:
    """A model that says all calls in its first reply and stops afterwards."""

    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        return list(calls) if len(endpoint.acts) == 1 else [("stop", {"answer": "ok"})]

    endpoint = ScriptedEndpoint(act)
    return endpoint


BUY = ("click", {"ref": "e3", "thought": "buy it"})
SAVE = ("click", {"ref": "e4", "thought": "keep it"})


def test_enter_does_each_step_of_the_model_and_all_is_shown_on_stderr(tmp_path: Path) -> None:
    with ScriptedEndpoint(map_model.act, workflows=map_model.workflows) as endpoint:
        done = run(tmp_path, ["", "", ""], "--step", endpoint=endpoint)
    assert done.code == 0, done.err
    assert (done.json["answer"], done.json["policy"]) == ("15213", "llm")
    assert 'step 1: type searchbox "Search for a place" text "CMU"' in done.err
    assert "thought: search" in done.err
    assert 'step 2: click button "Search"' in done.err
    assert done.err.count("Enter = do it") == 3
    assert done.json["workflows"]["learned"]


def test_the_seed_is_stepped_through_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "workflows.db").write_bytes(SEED.read_bytes())
    done = run(tmp_path, [""] * 9, "--step")
    assert done.code == 0, done.err
    assert (done.json["answer"], done.json["policy"]) == ("15213", "replay")
    assert done.err.count("Enter = do it") == done.json["steps"]


def test_a_replay_goes_on_after_a_step_that_the_person_edits(tmp_path: Path) -> None:
    (tmp_path / "workflows.db").write_bytes(SEED.read_bytes())
    typed = ["e", "", "e", "type e99 MIT", "tpye MIT", 'type "MIT" --text', "?", "type MIT", "", ""]
    done = run(tmp_path, typed, "--step", "--judge", "none")
    assert "no element e99 on this page; again" in done.err
    assert "unknown action 'tpye'" in done.err
    assert "--text needs a value" in done.err
    assert "  upload REF PATH…" in done.err
    assert (done.json["policy"], steps(tmp_path)[-3]["by"]) == ("mixed", "human")
    assert json.loads(steps(tmp_path)[-3]["action"]) == {"action": "type", "text": "MIT"}


def test_skipped_and_edited_steps_are_told_and_kept_as_they_were(tmp_path: Path) -> None:
    with serving(SHOP) as site, shopper(BUY, SAVE) as endpoint:
        typed = ["x", "s", "e", "click e3 --double"]
        extra = ("--step", "--url", site.url(), "--expect", '{"answer": "ok"}')
        done = run(tmp_path, typed, *extra, endpoint=endpoint)
        told = text_of(endpoint.acts[-1])
    assert done.code == 0, done.err
    assert "'x' is none of these" in done.err
    assert (done.json["policy"], done.json["steps"]) == ("mixed", 2)
    first, second = steps(tmp_path)
    assert (first["error"], first["by"]) == ("the person skipped this action", "human")
    assert (json.loads(second["action"]), second["by"]) == (
        {"action": "click", "ref": "e3", "double": True},
        "human",
    )
    assert second["thought"] == ""
    assert "error: the person skipped this action" in told
    assert "note: the person did this instead of your click e4" in told
    assert "bought bought" in told
    assert "saved" not in told


def test_a_skipped_step_is_in_no_workflow(tmp_path: Path) -> None:
    calls = (BUY, SAVE, ("click", {"ref": "e2"}))
    with serving(SHOP) as site, shopper(*calls) as endpoint:
        extra = ("--step", "--url", site.url(), "--expect", '{"answer": "ok"}')
        done = run(tmp_path, ["", "s", ""], *extra, endpoint=endpoint)
    assert done.code == 0, done.err
    for row in Database(tmp_path / "workflows.db")["workflows"].rows:
        assert "Buy" in row["body"]
        assert "Save" not in row["body"]


def test_editing_into_a_stop_ends_the_run_with_the_persons_answer(tmp_path: Path) -> None:
    with serving(SHOP) as site, shopper(BUY) as endpoint:
        extra = ("--step", "--url", site.url(), "--expect", '{"answer": "42"}')
        done = run(tmp_path, ["e", "stop 42"], *extra, endpoint=endpoint)
    assert done.code == 0, done.err
    assert (done.json["answer"], done.json["policy"], done.json["steps"]) == ("42", "human", 0)


@pytest.mark.parametrize(("typed", "why"), [(["", "q"], "the person quit"), ([""], "the input has ended")])
def test_quitting_and_the_end_of_the_input_interrupt_the_run(
    tmp_path: Path, typed: list[str], why: str
) -> None:
    with serving(SHOP) as site, shopper(BUY, SAVE) as endpoint:
        done = run(tmp_path, typed, "--step", "--url", site.url(), endpoint=endpoint)
    assert done.code == 130
    assert (done.json["status"], done.json["steps"]) == ("interrupted", 1)
    assert done.json["verdict"] == {"success": None, "judge": "none", "reason": "interrupted"}
    [row] = Database(tmp_path / "workflows.db")["runs"].rows
    assert row["status"] == "interrupted"
    assert why in row["end_reason"]
    assert "Traceback" not in done.err


async def test_a_line_that_comes_while_nothing_is_asked_answers_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as terminal, os.fdopen(writing, "w", buffering=1) as keyboard:
        monkeypatch.setattr(sys, "stdin", terminal)
        ask = person()
        first = asyncio.ensure_future(ask("one?"))
        await asyncio.sleep(0.05)
        first.cancel()  # it was answered in the window
        keyboard.write("y\n")
        await asyncio.sleep(0.2)
        second = asyncio.ensure_future(ask("two?"))
        await asyncio.sleep(0.2)
        assert not second.done()
        keyboard.write("n\n")
        assert await asyncio.wait_for(second, 10) == "n"


def test_taking_over_needs_a_window(tmp_path: Path) -> None:
    with serving(SHOP) as site, shopper(BUY) as endpoint:
        done = run(tmp_path, ["t", "q"], "--step", "--url", site.url(), endpoint=endpoint)
    assert (
        "t needs a browser that you can see: start with --headed, or attach to one with --cdp-endpoint"
        in done.err
    )
    assert done.code == 130


def test_the_run_waits_where_a_step_fails_and_after_a_failed_run(tmp_path: Path) -> None:
    page = "<button disabled>Buy</button>"
    with serving(page) as site, shopper(("click", {"ref": "e2"})) as endpoint:
        extra = ("--pause-on-error", "--url", site.url(), "--expect", '{"answer": "42"}')
        done = run(tmp_path, ["", ""], *extra, endpoint=endpoint)
        ended = run(tmp_path, [], *extra, endpoint=endpoint)
    assert done.code == 1
    assert 'step 1 failed: click button "Buy": e2 (button) is disabled' in done.err
    assert "the run ended (done): " in done.err
    assert done.err.count("Enter goes on") == 2
    assert ended.code == 1


def test_a_persons_time_is_not_the_runs(tmp_path: Path) -> None:
    """The input stays open and silent for longer than the run may take."""
    with serving(SHOP) as site, shopper(BUY) as endpoint:
        extra = ("--step", "--url", site.url(), "--timeout", "6", "--expect", '{"answer": "ok"}')
        done = slowly(tmp_path, 7, *extra, "--base-url", endpoint.base_url)
    assert (done.code, done.json["status"]) == (0, "done"), done.err


def slowly(cwd: Path, seconds: float, *extra: str) -> Done:
    """A run whose person thinks for so long about the first step."""
    process = subprocess.Popen(
        [sys.executable, "-m", "webagent", "run", ZIP, "--json", *extra],
        cwd=cwd,
        env=environment({"HOME": str(cwd)}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stderr
    said: list[str] = []
    for line in process.stderr:
        said.append(line)
        if "Enter = do it" in line:
            threading.Event().wait(seconds)
            break
    out, err = process.communicate("\n", timeout=60)
    return Done(process.returncode, out, "".join(said) + err)


def test_a_person_does_the_whole_task_is_asked_whether_it_worked_and_teaches_it(tmp_path: Path) -> None:
    typed = ["", "?", "clikc e1", "observe", "click e9", "find Buy", "click e3", "click e4", "stop", "y"]
    with serving(SHOP) as site:
        done = run(tmp_path, typed, "--policy", "human", "--url", site.url())
    assert "unknown action 'clikc'; the actions are: click, type" in done.err
    assert "  select REF OPTION…" in done.err
    assert '- button "Buy" [ref=e3]' in done.err
    assert "failed: no element e9 on this page" in done.err
    tools = [json.loads(row["action"])["action"] for row in steps(tmp_path)]
    assert tools == ["wait", "click", "find", "click", "click"]
    assert done.code == 0, done.err
    assert done.json["verdict"] == {"success": True, "judge": "human", "reason": ""}
    assert done.json["policy"] == "human"
    assert done.json["workflows"]["learned"]


def test_a_person_who_leaves_ends_the_run_unjudged(tmp_path: Path) -> None:
    with serving(SHOP) as site:
        done = run(tmp_path, ["q"], "--policy", "human", "--url", site.url())
    assert (done.code, done.json["status"], done.json["steps"]) == (1, "failed", 0)
    assert "the person ended the run" in done.err
