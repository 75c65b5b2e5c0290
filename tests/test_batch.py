"""Batches: many tasks side by side, each in a session of its own; stopped, killed and gone on with."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from tests import map_model
from tests.commands import environment, webagent
from tests.endpoint import Fault, Reply, Request, ScriptedEndpoint
from tests.pages.kit import serving
from tests.processes import below
from webagent.batch import Batch, Limits, Starts, attempts_of, planned
from webagent.interfaces import Decision, View
from webagent.policies.scripted import ScriptedPolicy
from webagent.settings import Settings
from webagent.sites import Sites
from webagent.store import Store
from webagent.tasks import Task, parse_task

ZIPS = {"CMU": "15213", "MIT": "02139", "Stanford University": "94305"}


def zip_task(place: str, **keys: Any) -> dict[str, Any]:
    goal = f"find zip code of {place}"
    return {"id": place, "goal": goal, "site": "maps", "expect": {"answer": ZIPS[place]}, **keys}


def told(number: int, answer: str = "yes") -> dict[str, Any]:
    """A task that is done by saying yes at once."""
    return {"id": f"t{number}", "goal": f"say yes to {number}", "site": "maps", "expect": {"answer": answer}}


def say_yes(request: Request) -> list[tuple[str, dict[str, Any]]]:
    return [("stop", {"answer": "yes"})]


def write(folder: Path, tasks: Sequence[Mapping[str, Any]]) -> Path:
    path = folder / "tasks.jsonl"
    path.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return path


def started(folder: Path, endpoint: ScriptedEndpoint, *extra: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "webagent", "batch", "tasks.jsonl", "--base-url", endpoint.base_url, *extra],
        cwd=folder,
        env=environment({"HOME": str(folder)}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def verdicts(folder: Path) -> Counter[str]:
    """How many verdicts each task has."""
    rows = Database(folder / "workflows.db").query(
        "select batch_runs.task from batch_runs join verdicts on verdicts.run_id = batch_runs.run_id"
    )
    return Counter(row["task"] for row in rows)


def test_results_come_as_lines_as_the_runs_end_and_the_summary_goes_to_stderr(tmp_path: Path) -> None:
    write(
        tmp_path,
        [zip_task("CMU"), zip_task("MIT"), {**zip_task("Stanford University"), "expect": {"answer": "0"}}],
    )
    with ScriptedEndpoint(map_model.act) as endpoint:
        done = webagent("batch", "tasks.jsonl", "--base-url", endpoint.base_url, "--jobs", "2", "--json",
                        "--memory", "off", cwd=tmp_path)  # fmt: skip
    assert done.code == 1, done.err
    results = {each["task"]: each for each in map(json.loads, done.out.splitlines())}
    assert set(results) == set(ZIPS)
    assert [results[place]["verdict"]["success"] for place in ZIPS] == [True, True, False]
    assert results["CMU"]["answer"] == "15213"
    calls = [results[place]["llm"]["calls"] for place in ZIPS]
    assert calls == [3, 3, 3], "each run has an account of its own"
    assert "2 of 3 succeeded, 1 failed" in done.err
    assert "Stanford University" in done.err


def test_with_one_job_each_run_sees_what_those_before_it_learned(tmp_path: Path) -> None:
    write(tmp_path, [zip_task(place) for place in ZIPS])
    with ScriptedEndpoint(map_model.act, workflows=map_model.workflows) as endpoint:
        done = webagent("batch", "tasks.jsonl", "--base-url", endpoint.base_url, "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    first, *later = map(json.loads, done.out.splitlines())
    assert first["workflows"]["given"] == []
    assert len(first["workflows"]["learned"]) == 2
    assert all(each["workflows"]["given"] for each in later)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"id": "a", "goal": "g", "site": "maps"}\n{"id": "b"}\n', ["line 2", "'goal'"]),
        ('{"id": "a", "goal": "g", "site": "maps"}\n{oops\n', ["line 2"]),
        ('{"id": "a", "goal": "g", "site": "mops"}\n', ["line 1", "'mops'", "maps"]),
        ('{"id": "a", "goal": "g", "site": "maps", "sites": ["maps", "mops"]}\n', ["line 1", "'mops'"]),
        (
            '{"id": "a", "goal": "g", "site": "maps"}\n{"id": "a", "goal": "g", "site": "maps"}\n',
            ["line 2", "'a'"],
        ),
        ("", ["no task"]),
    ],
)
def test_a_bad_line_is_named_and_nothing_starts(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "tasks.jsonl").write_text(text)
    done = webagent("batch", "tasks.jsonl", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    for word in words:
        assert word in done.err
    assert not (tmp_path / "workflows.db").exists()


@pytest.mark.parametrize(
    "flags",
    [["--user-data-dir", "p"], ["--policy", "human"], ["--judge", "ask"], ["--save-storage-state", "s.json"]],
)
def test_what_runs_can_not_share_is_refused_for_several_at_a_time(tmp_path: Path, flags: list[str]) -> None:
    write(tmp_path, [told(1)])
    done = webagent("batch", "tasks.jsonl", "--jobs", "2", *flags, cwd=tmp_path)
    assert done.code == 2
    assert flags[0] in done.err
    assert "--jobs" in done.err


def test_the_options_of_the_command_stand_in_for_what_tasks_lack(tmp_path: Path) -> None:
    tasks = [{"id": "1", "goal": "say yes"}, {"id": "2", "goal": "say yes", "expect": {"answer": "no"}}]
    write(tmp_path, tasks)
    with ScriptedEndpoint(say_yes) as endpoint:
        done = webagent("batch", "tasks.jsonl", "--site", "maps", "--expect", '{"answer": "yes"}', "--json",
                        "--base-url", endpoint.base_url, cwd=tmp_path)  # fmt: skip
    results = [json.loads(line) for line in done.out.splitlines()]
    assert [(each["site"], each["verdict"]["success"]) for each in results] == [
        ("maps", True),
        ("maps", False),
    ]


def test_shuffling_is_decided_by_the_seed_and_differs_from_pass_to_pass(tmp_path: Path) -> None:
    write(tmp_path, [told(n) for n in range(4)])
    tasks = [parse_task(told(n), "tasks") for n in range(4)]

    def order(seed: int) -> list[str]:
        return [each.task.id for each in attempts_of(tasks, repeat=2, shuffle=True, seed=seed)]

    with ScriptedEndpoint(say_yes) as endpoint:
        done = webagent("batch", "tasks.jsonl", "--shuffle", "--seed", "1", "--repeat", "2", "--memory", "off",
                        "--base-url", endpoint.base_url, "--json", cwd=tmp_path)  # fmt: skip
        assert endpoint.acts[0]["seed"] == 1
    carried_out = [json.loads(line)["task"] for line in done.out.splitlines()]
    assert carried_out == order(1) != order(2)
    assert sorted(carried_out[:4]) == sorted(carried_out[4:])
    assert carried_out[:4] != carried_out[4:]


def test_no_more_runs_at_a_time_than_jobs_and_hosts_allow(tmp_path: Path) -> None:
    most, now, lock = Counter[str](), Counter[str](), threading.Lock()

    def act(request: Request) -> Any:
        host = "localhost" if "t9" in map_model.goal_of(request) else "maps"
        with lock:
            now[host] += 1
            most[host] = max(most[host], now[host])
        threading.Timer(0.5, lambda: now.subtract([host])).start()
        return Reply(calls=say_yes(request), delay=0.6)

    write(tmp_path, [told(n) for n in range(6)])
    with ScriptedEndpoint(act) as endpoint:
        done = webagent("batch", "tasks.jsonl", "--jobs", "4", "--per-host", "2", "--memory", "off",
                        "--base-url", endpoint.base_url, cwd=tmp_path)  # fmt: skip
    assert done.code == 0, done.err
    assert most["maps"] == 2


@pytest.mark.slow
def test_other_tasks_or_options_make_another_batch(tmp_path: Path) -> None:
    write(tmp_path, [told(1)])
    with ScriptedEndpoint(say_yes) as endpoint:
        common = ["batch", "tasks.jsonl", "--resume", "--json", "--base-url", endpoint.base_url]
        ran = [
            len(webagent(*common, *extra, cwd=tmp_path).out.splitlines())
            for extra in ([], [], ["--memory", "off"], ["--repeat", "2"], [])
        ]
    assert ran == [1, 0, 1, 2, 0]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interruption_ends_all_runs_in_good_order_and_resume_takes_them_up(tmp_path: Path) -> None:
    write(tmp_path, [told(n) for n in range(6)])
    reached = threading.Event()

    def act(request: Request) -> Any:
        if len(endpoint.acts) <= 2:
            return say_yes(request)
        if len(endpoint.acts) >= 4:
            reached.set()
        return Fault(delay=60)

    with ScriptedEndpoint(act) as endpoint:
        process = started(tmp_path, endpoint, "--jobs", "2", "--json")
        assert reached.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "--resume" in err
    statuses = [json.loads(line)["status"] for line in out.splitlines()]
    assert Counter(statuses) == {"done": 2, "interrupted": 2}
    with ScriptedEndpoint(say_yes) as endpoint:
        rest = webagent(
            "batch", "tasks.jsonl", "--resume", "--json", "--base-url", endpoint.base_url, cwd=tmp_path
        )
    assert rest.code == 0, rest.err
    assert len(rest.out.splitlines()) == 4


def test_a_batch_whose_site_is_down_stops_early_and_leaves_the_rest_for_resume(tmp_path: Path) -> None:
    with serving("<h1>Up again</h1>") as site:
        url = site.url()
    write(tmp_path, [{**told(n), "site": "", "url": url} for n in range(8)])
    with ScriptedEndpoint(say_yes) as endpoint:
        common = ["batch", "tasks.jsonl", "--json", "--base-url", endpoint.base_url]
        done = webagent(*common, cwd=tmp_path)
        assert done.code == 3, done.err
        assert len(done.out.splitlines()) == 5
        assert "5 runs in a row" in done.err
        with serving("<h1>Up again</h1>", port=site.port):
            rest = webagent(*common, "--resume", "--jobs", "2", cwd=tmp_path)
    assert len(rest.out.splitlines()) == 8
    assert rest.code == 0, rest.err


def test_a_secret_in_an_address_that_cannot_be_opened_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "secrets.env").write_text("CODE=hush-4711\n")
    (tmp_path / "secrets.env").chmod(0o600)
    write(tmp_path, [{"id": "a", "goal": "use hush-4711", "url": "http://127.0.0.1:9/hush-4711"}])
    with ScriptedEndpoint(say_yes) as endpoint:
        done = webagent("batch", "tasks.jsonl", "--json", "--secrets", "secrets.env",
                        "--base-url", endpoint.base_url, cwd=tmp_path)  # fmt: skip
    assert json.loads(done.out)["status"] == "error"
    assert "hush-4711" not in done.out + done.err
    assert b"hush-4711" not in (tmp_path / "workflows.db").read_bytes()


@pytest.mark.parametrize(
    ("limit", "word"), [(["--batch-tokens", "100"], "tokens"), (["--batch-timeout", "1"], "time"),
                        (["--batch-cost", "0.0001", "--price", "100,100,100"], "USD")],
)  # fmt: skip
def test_a_budget_of_the_whole_batch_ends_it_with_its_reason(
    tmp_path: Path, limit: list[str], word: str
) -> None:
    write(tmp_path, [told(n) for n in range(5)])
    with ScriptedEndpoint(lambda request: Reply(calls=say_yes(request), delay=0.5)) as endpoint:
        done = webagent(
            "batch", "tasks.jsonl", *limit, "--json", "--base-url", endpoint.base_url, cwd=tmp_path
        )
    assert done.code == 1
    assert 1 <= len(done.out.splitlines()) < 5
    assert "ended early" in done.err
    assert word in done.err


@pytest.mark.parametrize(
    "program", ["--remote-debugging-pipe", pytest.param("run-driver", marks=pytest.mark.slow)]
)
def test_a_killed_browser_costs_no_run_but_the_one_that_kills_it(tmp_path: Path, program: str) -> None:
    """Whatever kills a browser, or Playwright's driver, kills it under all the runs that share it; those are
    tried again."""
    write(tmp_path, [told(n) for n in range(4)])

    def act(request: Request) -> Any:
        if "3" in map_model.goal_of(request):
            threading.Event().wait(0.3)  # the others have begun
            _kill(program, process.pid)
            return Reply(calls=[("find", {"text": "x"})])
        return Reply(calls=say_yes(request), delay=1.0)

    with ScriptedEndpoint(act) as endpoint:
        process = started(tmp_path, endpoint, "--jobs", "4", "--json", "--memory", "off")
        out, err = process.communicate(timeout=110)
    results = {each["task"]: each for each in map(json.loads, out.splitlines())}
    assert set(results) == {"t0", "t1", "t2", "t3"}, err
    assert [results[f"t{n}"]["verdict"]["success"] for n in range(3)] == [True, True, True], err
    assert results["t3"]["verdict"]["success"] is not True


class Broken:
    """A policy with a fault."""

    async def decide(self, view: View) -> Decision:
        raise ZeroDivisionError("oh no")


def test_a_fault_of_ours_in_one_run_costs_that_run_alone_and_is_raised_at_the_end(tmp_path: Path) -> None:
    def policy(task: Task) -> Any:
        return Broken() if task.id == "t1" else ScriptedPolicy([{"action": "stop", "answer": "yes"}])

    tasks = [parse_task(told(n), "tasks") for n in range(3)]
    settings = Settings(memory="off", db=str(tmp_path / "w.db"))
    with Sites() as sites, Store.open(tmp_path / "w.db") as store:
        plan = planned(store, "tasks", attempts_of(tasks), settings)
        batch = Batch(plan, settings, store, Starts(sites), Limits(jobs=2), policy=policy)
        done = asyncio.run(batch.run())
        rows = {row["task"]: row for row in store.runs()}
    assert {one.attempt.task.id: one.result.verdict.success for one in done} == {
        "t0": True,
        "t1": None,
        "t2": True,
    }
    assert [type(error) for error in batch.crashes] == [ZeroDivisionError]
    assert rows["t1"]["status"] == "error"
    assert "oh no" in rows["t1"]["end_reason"]


def _kill(program: str, ancestor: int) -> None:
    """SIGKILL to the processes below another that have this in their command line."""
    for pid, command in below(ancestor).items():
        if program in command:
            os.kill(pid, signal.SIGKILL)
