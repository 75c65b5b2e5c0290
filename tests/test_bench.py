"""Benchmarks: the arms on the same tasks, what the folder holds, and that the numbers are honest."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.commands import webagent
from tests.endpoint import Request, ScriptedEndpoint
from webagent.bench.figures import curve, differences, interval, paired, summaries, table
from webagent.bench.report import joined, write
from webagent.bench.results import Result, read_runs
from webagent.errors import UsageError
from webagent.ids import new_id, same_ids


def result(arm: str, task: str, success: bool, *, seed: int = 1, place: int = 1, **more: Any) -> Result:
    known: dict[str, Any] = {
        "template": task.rpartition(".")[0], "site": "maps", "judged": success, "status": "done", "answer": None,
        "reason": "", "policy": "llm", "steps": 3, "calls": 4, "prompt_tokens": 900, "cached_tokens": 0,
        "completion_tokens": 100, "cost_usd": None, "seconds": 1.0, "llm_seconds": 0.5, "run_id": "r",
    }  # fmt: skip
    return Result(arm=arm, seed=seed, place=place, task=task, success=success, **{**known, **more})


def test_differences_are_paired_by_task_and_seed_and_seeds_are_no_new_tasks() -> None:
    results = [
        result(arm, f"t.{n}", success, seed=seed)
        for seed in (1, 2)
        for n in range(4)
        for arm, success in (("off", n == 0), ("online", n != 3))
    ]
    assert differences(results, "online", "off", lambda each: each.task) == {
        "t.0": [0.0, 0.0], "t.1": [1.0, 1.0], "t.2": [1.0, 1.0], "t.3": [0.0, 0.0],
    }  # fmt: skip
    found = paired(results, "online", "off")
    assert found is not None
    assert found.mean == 0.5
    assert found.low == 0.0, "four tasks, however many seeds, say little"
    one_seed = paired([each for each in results if each.seed == 1], "online", "off")
    assert one_seed == found


def test_tasks_that_only_one_arm_ran_are_in_no_difference() -> None:
    results = [result("off", "t.1", True), result("online", "t.1", True), result("online", "t.2", False)]
    assert differences(results, "online", "off", lambda each: each.task) == {"t.1": [0.0]}


def test_an_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    import random

    dice = random.Random(3)
    hits = 0
    for _ in range(60):
        found = interval([float(dice.random() < 0.4) for _ in range(60)])
        assert found is not None
        hits += found.low <= 0.4 <= found.high
    assert hits >= 51


def test_the_streams_of_a_benchmark_have_the_same_new_ids_each_time_and_nobody_else() -> None:
    async def made(seed: str) -> list[str]:
        with same_ids(seed):
            found = []
            for _ in range(3):
                await asyncio.sleep(0)
                found.append(await asyncio.create_task(of_a_run()))
            return found

    async def of_a_run() -> str:
        return new_id("wf")

    async def streams() -> list[Any]:
        return await asyncio.gather(made("online-1"), made("online-1"), made("online-2"), of_a_run())

    (one, again, other, free), (later, *_, freer) = asyncio.run(streams()), asyncio.run(streams())
    assert one == again == later
    assert len({*one, *other, free, freer}) == 8


def test_the_curve_is_the_mean_and_band_of_the_seeds() -> None:
    results = [
        result("a", f"t.{place}", success, seed=seed, place=place)
        for seed, line in ((1, (True, False, True)), (2, (False, False, True)))
        for place, success in enumerate(line, 1)
    ]
    assert curve(results, "a") == [(0.5, 0, 1), (0.5, 0, 1), (1.5, 1, 2)]


def test_the_base_is_the_arm_without_memory_also_among_several_folders() -> None:
    results = [result(arm, "t.1", True) for arm in ("x/online", "x/off", "y/online")]
    assert [each.difference is None for each in summaries(results)] == [False, True, False]


def test_results_of_a_killed_benchmark_are_read_and_bad_ones_are_named(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(result("off", "t.1", True).line() + '{"arm": "off", "se')
    assert [each.task for each in read_runs(path)] == ["t.1"]
    path.write_text('{"arm": 1}\n')
    with pytest.raises(UsageError, match="line 1"):
        read_runs(path)


def test_the_report_is_one_page_that_asks_for_nothing_and_runs_nothing(tmp_path: Path) -> None:
    hostile = "</svg><script>alert(1)</script>"
    results = [
        result(arm, f"t.{n}", arm != "off", reason=hostile) for arm in ("off", "online") for n in range(3)
    ]
    write(results, tmp_path, {"title": "Test"})
    page = (tmp_path / "report.html").read_text()
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page.replace("xlink:href", ""))
    assert page.count("<svg") == 4
    for name in ("snowball", "costs", "sites", "templates"):
        assert (tmp_path / "plots" / f"{name}.png").stat().st_size > 1000
        assert (tmp_path / "plots" / f"{name}.svg").read_text().lstrip().startswith("<?xml")


def test_the_same_results_give_the_same_files(tmp_path: Path) -> None:
    results = [result(arm, f"t.{n}", n % 2 == 0) for arm in ("off", "online") for n in range(4)]
    slower = [replace(each, seconds=9.0, run_id="other") for each in results]
    assert write(results, tmp_path / "a", {"title": "T"}) == write(results, tmp_path / "b", {"title": "T"})
    assert table(results) == table(slower), "times are not in the table"
    for name in ("report.html", "plots/snowball.svg"):
        assert (tmp_path / "a" / name).read_text() == (tmp_path / "b" / name).read_text()


def test_several_folders_are_compared_under_their_names(tmp_path: Path) -> None:
    for name in ("mine", "yours"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "runs.jsonl").write_text(result("off", "t.1", True).line())
    assert [each.arm for each in joined([tmp_path / "mine", tmp_path / "yours"])] == ["mine/off", "yours/off"]
    done = webagent("bench", "report", "mine", "yours", "--out", "both", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "mine/off" in done.out
    assert (tmp_path / "both" / "report.html").exists()
    empty = webagent("bench", "report", "both", cwd=tmp_path)
    assert empty.code == 2
    assert "both" in empty.err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--arms", "off,wild"], "'wild'"),
        (["--arms", ","], "--arms"),
        (["--sites", "mops"], "'mops'"),
        (["--split", "soft"], "soft"),
        (["--memory-from", "none.db"], "none.db"),
        (["--variant", "odd"], "odd"),
    ],
)
def test_bad_options_are_named_and_nothing_starts(tmp_path: Path, arguments: list[str], word: str) -> None:
    done = webagent("bench", "arena", "--base-url", "http://127.0.0.1:9/v1", *arguments, cwd=tmp_path)
    assert done.code == 2, done.err
    assert word in done.err
    assert "Traceback" not in done.err


def test_without_a_model_the_arms_say_what_they_need(tmp_path: Path) -> None:
    done = webagent("bench", "arena", cwd=tmp_path)
    assert done.code == 3
    assert "--model" in done.err


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., Any]:
    def run(endpoint: ScriptedEndpoint, *arguments: str) -> Any:
        return webagent(
            "bench", "arena", "--base-url", endpoint.base_url, *arguments, cwd=tmp_path, timeout=110
        )

    return run


def test_json_prints_the_results_and_a_second_call_runs_only_what_is_missing(
    tmp_path: Path, bench: Callable[..., Any]
) -> None:
    def act(request: Request) -> Any:
        return [("stop", {"answer": "?"})]

    arguments = ["--sites", "maps", "--limit", "2", "--arms", "off,read", "--json", "--max-steps", "2"]
    with ScriptedEndpoint(act) as endpoint:
        first = bench(endpoint, *arguments)
        assert first.code == 0, first.err
        assert endpoint.listed == 1, "the arms share a model: a local file is loaded once"
        lines = [json.loads(line) for line in first.out.splitlines()]
        ran = sorted((each["arm"], each["place"]) for each in lines)
        assert ran == [("off", 1), ("off", 2), ("read", 1), ("read", 2)]
        assert (tmp_path / "bench-arena" / "table.md").read_text() in first.err
        asked = len(endpoint.requests)
        again = bench(endpoint, *arguments)
        assert (again.out, len(endpoint.requests)) == ("", asked)
        other = bench(endpoint, *arguments, "--limit", "1")
        assert other.code == 2
        assert "limit" in other.err
        assert "--out" in other.err
