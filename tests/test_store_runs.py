"""Runs are stored step by step, judged, listed, rebuilt without loss and deleted without trace."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlite_utils import Database

from webagent.actions import Action
from webagent.errors import UsageError
from webagent.interfaces import Usage, Verdict
from webagent.masking import masker
from webagent.observation import Dialog, Observation, Target, parse_snapshot
from webagent.store import RunRow, Store
from webagent.store.processes import is_gone, this_process
from webagent.store.rows import RUN_COLUMNS
from webagent.trajectory import Outcome, Step, Stop, Trajectory
from webagent.workflow import Workflow, WorkflowStep

ODD = [
    "plain",
    "Ünï·cødé 東京 🗺",
    "qu\"ote' back\\slash",
    "line\nbreak\ttab",
    "{brace} [ref=e9] - x: y",
    "",
    "NULL",
    "1",
]
PAGE = '- heading "Maps" [level=1] [ref=e2]\n- textbox "Search" [ref=e9]: cmu\n- button "Go" [ref=e10]'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "workflows.db") as store:
        yield store


def start(store: Store, run_id: str = "r1", **columns: str) -> None:
    store.start_run(RunRow(run_id, "find zip", "maps.localhost", "http://maps.localhost/", **columns))


def page(text: str = PAGE, **fields: object) -> Observation:
    return replace(Observation("http://maps.localhost/", "Maps", lines=parse_snapshot(text)), **fields)


def step(n: int, seen: Observation | None = None, **arguments: object) -> Step:
    action = Action("click", {"ref": "e10", **arguments}, "go on")
    seen = seen or page()
    return Step(n, action, seen, Outcome("clicked"), seen.target("e10"))


def random_step(rng: random.Random, n: int) -> Step:
    def odd() -> str:
        return rng.choice(ODD)

    seen = page(
        rng.choice([PAGE, PAGE + f"\n- link {json.dumps(odd() or 'x')} [ref=e{n + 20}]", ""]),
        url="http://maps.localhost/" + odd(),
        title=odd(),
        tab=rng.randint(1, 3),
        tabs=rng.randint(1, 3),
        events=tuple(odd() for _ in range(rng.randint(0, 3))),
        dialog=rng.choice([None, Dialog("prompt", odd(), odd())]),
        find=odd(),
        viewport=(rng.randint(300, 2000), 720),
    )
    action = rng.choice(
        [
            Action("type", {"ref": "e9", "text": odd(), "submit": rng.random() < 0.5}, odd()),
            Action("drag", {"ref": "e9", "to_ref": "e10", "dx": rng.random()}, odd()),
            Action("select", {"ref": "e9", "options": [odd(), odd()]}, odd()),
            Action("workflow", {"id": "wf_1", "arguments": {"place": odd()}}, odd()),
            Action("back", {}, odd()),
        ]
    )
    target = rng.choice([None, Target("button", odd(), rng.randint(0, 3), odd(), odd(), rng.randint(0, 3))])
    return Step(
        n,
        action,
        seen,
        Outcome(odd(), odd(), rng.random() < 0.5),
        target,
        by=rng.choice(["llm", "replay", "human"]),
        workflow=rng.choice(["", "wf_1@1"]),
        seconds=rng.random(),
    )


@pytest.mark.parametrize("seed", range(25))
def test_a_trajectory_comes_back_without_loss(store: Store, seed: int) -> None:
    rng = random.Random(seed)
    start(store)
    trajectory = Trajectory(
        "r1",
        "find zip",
        "http://maps.localhost/",
        steps=tuple(random_step(rng, n + 1) for n in range(rng.randint(0, 5))),
        stop=rng.choice([None, Stop(), Stop(rng.choice(ODD), "infeasible", rng.choice(ODD), "replay")]),
        final=rng.choice([None, page(title=rng.choice(ODD), events=("alert: x",), tab=2, tabs=2)]),
        status=rng.choice(["done", "failed", "budget", "error"]),
        reason=rng.choice(ODD),
        followed=("wf_1@1",) if rng.random() < 0.5 else (),
    )
    store.save_workflow(
        Workflow("wf_1", 0, "maps.localhost", "n", "d", (WorkflowStep("back"),)), [], "program", ""
    )
    store.add_use("wf_1", 1, "r1", "prompt", followed=bool(trajectory.followed))
    for each in trajectory.steps:
        store.add_step("r1", each)
    store.finish_run(trajectory, Usage(3, 100, 50, 20, 0.25, 1.5), seconds=9.5, browser_seconds=2.5)
    assert store.trajectory("r1") == trajectory
    row = store.run("r1")
    assert row is not None
    assert (row["steps"], row["llm_calls"], row["cost_usd"], row["seconds"], row["browser_seconds"]) == (
        len(trajectory.steps),
        3,
        0.25,
        9.5,
        2.5,
    )
    assert store.check() == []


def test_a_run_in_progress_is_read_as_far_as_it_got(store: Store) -> None:
    start(store)
    store.add_step("r1", step(1))
    trajectory = store.trajectory("r1")
    assert [each.n for each in trajectory.steps] == [1]
    assert trajectory.final is None
    assert [row["id"] for row in store.runs(status="running")] == ["r1"]
    with pytest.raises(KeyError):
        store.trajectory("none")


def test_each_distinct_page_text_is_stored_once_whatever_its_url(store: Store) -> None:
    start(store)
    for n in range(1, 6):
        store.add_step("r1", step(n, page(url=f"http://maps.localhost/{n}", title=f"page {n}")))
    store.finish_run(Trajectory("r1", "g", "u", final=page(), status="done"))
    assert store.counts()["observations"] == 1
    assert [each.url for each in store.trajectory("r1").steps] == [
        f"http://maps.localhost/{n}" for n in range(1, 6)
    ]
    assert store.observation_text(store.steps("r1")[0]["observation_hash"]) == page().page_text
    assert store.observation_text("unknown") is None


def test_lone_surrogates_and_nul_do_not_stop_a_write(store: Store) -> None:
    start(store)
    store.add_step("r1", step(1, text="a\ud800b\x00c"))
    assert store.steps("r1")[0]["action"]["text"] == "a�bc"


def test_columns_come_in_the_order_of_the_contract_and_success_is_a_truth_value(store: Store) -> None:
    start(store)
    store.add_verdict("r1", Verdict(True, "llm", "seen"))
    row = store.run("r1")
    assert row is not None
    assert list(row)[: len(RUN_COLUMNS)] == list(RUN_COLUMNS)
    assert list(store.run_rows()[0]) == list(RUN_COLUMNS)
    assert store.run_rows()[0]["success"] is True
    assert "process" not in row
    json.dumps(store.run_rows()), json.dumps(row), json.dumps(store.steps("r1"))


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ([("llm", True), ("expect", False)], ("expect", False)),
        ([("expect", False), ("llm", True)], ("expect", False)),
        ([("expect", False), ("human", True)], ("human", True)),
        ([("human", True), ("expect", False)], ("expect", False)),
        ([("llm", True), ("llm", False)], ("llm", False)),
        ([("none", None), ("llm", False)], ("llm", False)),
        ([("llm", False), ("none", None)], ("llm", False)),
        ([("llm", True), ("expect", None)], ("llm", True)),
        ([("none", None), ("llm", None)], ("llm", None)),
    ],
)
def test_the_newest_real_signal_wins_and_every_verdict_is_kept(
    store: Store, said: list[tuple[str, bool | None]], counts: tuple[str, bool | None]
) -> None:
    start(store)
    for judge, success in said:
        shown = store.add_verdict("r1", Verdict(success, judge, f"by {judge}"))
    row = store.run("r1")
    assert row is not None
    assert (row["judge"], row["success"], row["reason"]) == (*counts, f"by {counts[0]}")
    assert (shown.judge, shown.success) == counts
    assert [(verdict["judge"], verdict["success"]) for verdict in store.verdicts("r1")] == said


def test_a_run_is_found_by_a_unique_start_of_its_id(store: Store) -> None:
    for run_id in (
        "20260101T000000-aaa",
        "20260101T000000-abb",
        "20260202T000000-ccc",
        "20260202T000000-ccc%",
    ):
        start(store, run_id)
    found = store.run("20260101T000000-aa")
    assert found is not None
    assert found["id"] == "20260101T000000-aaa"
    assert store.run("20260202T000000-ccc") is not None, "an exact id is never ambiguous"
    assert store.run("2027") is None
    assert store.run("") is None
    assert store.run("%") is None
    with pytest.raises(
        UsageError, match="'2026' is the start of several ids: 20260101T000000-aaa, 20260101T000000-abb"
    ):
        store.run("2026")


def test_runs_are_listed_newest_first_by_site_and_status(store: Store) -> None:
    for n in range(5):
        start(store, f"r{n}", site="maps" if n % 2 else "shop", started_at=f"2026-01-0{n + 1}", task=f"t{n}")
    store.end_run("r1", status="done", answer="x")
    assert [row["id"] for row in store.runs()] == ["r4", "r3", "r2", "r1", "r0"]
    assert [row["id"] for row in store.runs(limit=2)] == ["r4", "r3"]
    assert [row["id"] for row in store.runs(site="maps")] == ["r3", "r1"]
    assert [row["id"] for row in store.runs(status="done")] == ["r1"]
    assert [row["id"] for row in store.runs(task="t3")] == ["r3"]
    assert len(store.runs(status="running")) == 4
    assert store.hostnames() == ["maps.localhost"]


def test_a_column_that_is_not_to_be_set_so_is_refused(store: Store) -> None:
    start(store)
    with pytest.raises(TypeError, match="no column 'success'"):
        store.end_run("r1", status="done", success=True)


def test_a_deleted_run_leaves_nothing_but_what_others_share(store: Store) -> None:
    start(store, "r1")
    start(store, "r2")
    for run_id in ("r1", "r2"):
        store.add_step(run_id, step(1))
        store.add_step(run_id, step(2, page(PAGE + f"\n- text: only {run_id}")))
        store.add_verdict(run_id, Verdict(True, "llm"))
        store.finish_run(Trajectory(run_id, "g", "u", final=page(f"- text: end {run_id}"), status="done"))
    saved = store.save_workflow(
        Workflow("wf_1", 0, "maps.localhost", "n", "d", (WorkflowStep("back"),)), ["r1"], "program", "learned"
    )
    store.add_use("wf_1", 1, "r1", "prompt", followed=True)
    lesson = store.add_lesson("maps.localhost", "when lost, go back", run_id="r1")
    assert store.delete_run("r1")
    assert not store.delete_run("r1")
    counts = store.counts()
    assert (counts["runs"], counts["steps"], counts["verdicts"], counts["observations"]) == (1, 2, 1, 3)
    assert store.workflow("wf_1") == replace(saved, uses=1), "it keeps the id of the run among its origins"
    kept = store.lesson(lesson)
    assert kept is not None
    assert kept["run_id"] is None
    assert store.check() == []
    assert len(store.trajectory("r2").steps) == 2


def test_secrets_are_masked_in_every_text_that_is_written(tmp_path: Path) -> None:
    secret = 'hun"ter2\\x'
    path = tmp_path / "workflows.db"
    with Store.open(path, secrets=lambda text: text.replace(secret, "<secret:PW>")) as store:
        store.start_run(
            RunRow("r1", f"log in with {secret}", "h", f"http://h/?{secret}", site=secret, task=secret)
        )
        seen = page(
            f"- text: it is {secret}", url=f"http://h/{secret}", title=secret, events=(secret,), find=secret
        )
        store.add_step(
            "r1",
            Step(
                1,
                Action("type", {"text": secret, "ref": "e9"}, secret),
                seen,
                Outcome(secret, secret),
                Target("button", secret, row=secret),
            ),
        )
        stop = Stop(secret, thought=secret)
        store.finish_run(
            Trajectory("r1", "g", "u", stop=stop, final=seen, status="done", reason=secret), error=secret
        )
        store.add_verdict("r1", Verdict(True, "llm", secret))
        store.save_workflow(
            Workflow(
                "wf_1",
                0,
                "h",
                secret,
                secret,
                (WorkflowStep("type", arguments={"text": secret}),),
                goals=(secret,),
            ),
            ["r1"],
            "program",
            secret,
        )
        lesson = store.add_lesson("h", secret, secret, run_id="r1", why=secret)
        store.edit_lesson(lesson, f"{secret}!", secret, "person", secret)
        assert store.steps("r1")[0]["action"]["text"] == "<secret:PW>"
        assert store.trajectory("r1").answer == "<secret:PW>"
    assert b"ter2" not in path.read_bytes()


def test_runs_of_dead_processes_are_marked_and_those_of_living_ones_are_not(tmp_path: Path) -> None:
    path = tmp_path / "workflows.db"
    code = (
        "import sys; from webagent.store import RunRow, Store\n"
        "store = Store.open(sys.argv[1]); store.start_run(RunRow(sys.argv[2], 'g', 'h', 'http://h/'))\n"
        "print('started', flush=True); sys.stdin.read()"
    )
    processes = {
        run_id: subprocess.Popen(
            [sys.executable, "-c", code, str(path), run_id], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for run_id in ("dead", "alive")
    }
    try:
        for process in processes.values():
            assert process.stdout is not None
            assert process.stdout.readline() == b"started\n"
        processes["dead"].kill()
        with Store.open(path) as store:
            start(store, "mine")
            start(store, "ended")
            store.end_run("ended", status="done")
            processes["dead"].wait()
            assert store.mark_interrupted() == ["dead"]
            assert store.mark_interrupted() == []
            row = store.run("dead")
            assert row is not None
            assert row["status"] == "interrupted"
            assert row["ended_at"] is not None
            assert {each["id"] for each in store.runs(status="running")} == {"mine", "alive"}
    finally:
        for process in processes.values():
            process.kill()
            process.communicate()


def test_a_dead_process_not_yet_waited_for_counts_as_gone() -> None:
    code = "from webagent.store.processes import this_process; print(this_process(), flush=True)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    name = process.stdout.readline().decode()
    assert process.stdout.read() == b"", "end of file: it has exited"
    process.wait()
    process.stdout.close()
    assert is_gone(name) is True
    assert is_gone(this_process()) is False


def test_a_pid_used_again_a_reboot_and_another_machine_are_told_apart() -> None:
    mine = json.loads(this_process())
    assert is_gone(json.dumps({**mine, "started": "1"})) is True
    assert is_gone(json.dumps({**mine, "boot": "another"})) is True
    assert is_gone(json.dumps({**mine, "host": "elsewhere"})) is None
    assert is_gone(json.dumps({**mine, "space": "pid:[1]"})) is None
    for broken in ("", "{}", "null", "[1]"):
        assert is_gone(broken) is None


def test_thousands_of_runs_that_type_secrets_leave_no_trace_and_cost_no_more_than_the_first(
    tmp_path: Path,
) -> None:
    with Store.open(tmp_path / "w.db") as store:
        for n in range(1500):
            run_id = f"run-{n}"
            store.start_run(
                RunRow(id=run_id, goal=f"sign in with pass-word-{n}", hostname="h", start_url="http://h/")
            )
            store.hide(run_id, masker(f"pass-word-{n}"))
            store.end_run(run_id, status="failed", end_reason=f"pass-word-{n} was refused")
            store.over(run_id)
        rows = list(Database(tmp_path / "w.db").query("select goal, end_reason as reason from runs"))
        assert len(rows) == 1500
        assert not any("pass-word" in str(row) for row in rows)
        assert store.secrets("pass-word-3") == "pass-word-3", "nothing is kept of what is over"
