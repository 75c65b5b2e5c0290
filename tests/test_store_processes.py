"""Several processes on one file, and processes that are killed: nothing acknowledged is lost."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from webagent.store import Store

COMMON = """
import sys
from webagent.actions import Action
from webagent.observation import Observation, parse_snapshot
from webagent.store import RunRow, Store
from webagent.trajectory import Outcome, Step
from webagent.workflow import Workflow, WorkflowStep
path, me = sys.argv[1:3]
def page(n): return Observation("http://h/", "t", lines=parse_snapshot(f"- text: page {n}"))
def step(n): return Step(n, Action("click", {"ref": "e1"}), page(n % 7), Outcome("ok"))
"""
WRITER = (
    COMMON
    + """
print("ready", flush=True); sys.stdin.readline()
with Store.open(path) as store:
    store.start_run(RunRow(f"run-{me}", "g", "h", "http://h/"))
    shared = Workflow("wf_shared", 0, "h", "n", "d", (WorkflowStep("back"),), status="active")
    for n in range(1, 101):
        store.add_step(f"run-{me}", step(n))
        if n % 10 == 0:
            store.save_workflow(shared, [f"run-{me}"], "program", f"{me}:{n}")
            store.add_weights("wf_shared", 1, success=1.0)
            with store.writing():
                if not store.workflows("once"):
                    store.save_workflow(Workflow(f"wf_{me}_{n}", 0, "once", "n", "d", ()), [], "program", "first")
"""
)
OPENER = (
    COMMON
    + """
print("ready", flush=True); sys.stdin.readline()
with Store.open(path) as store:
    store.start_run(RunRow(f"run-{me}", "g", "h", "http://h/"))
"""
)
ENDLESS = (
    COMMON
    + """
with Store.open(path) as store:
    store.start_run(RunRow(f"run-{me}", "g", "h", "http://h/"))
    for n in range(1, 100000):
        store.add_step(f"run-{me}", step(n))
        print(n, flush=True)
"""
)


def run_at_once(code: str, path: Path, count: int) -> None:
    """Starts processes, lets them all go at the same moment, and wants no word of complaint."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path), str(n)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(count)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    ends = [process.communicate(timeout=100) for process in processes]
    assert [(process.returncode, stderr) for process, (_, stderr) in zip(processes, ends, strict=True)] == [
        (0, "")
    ] * count


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workflows.db"


def test_every_write_of_four_processes_arrives(path: Path) -> None:
    run_at_once(WRITER, path, 4)
    with Store.open(path) as store:
        assert [row["steps"] for row in store.runs()] == [100] * 4
        for n in range(4):
            assert [row["n"] for row in store.steps(f"run-{n}")] == list(range(1, 101))
        versions = store.versions("wf_shared")
        assert [each.version for each in versions] == list(range(1, 41))
        assert [each.status for each in versions] == ["retired"] * 39 + ["active"]
        assert versions[0].success_weight == 40.0
        assert len(store.workflows("once")) == 1, "look and write in one transaction"
        assert store.counts()["observations"] == 7
        assert store.check() == []


def test_eight_processes_may_make_the_file_at_once(path: Path) -> None:
    for attempt in range(3):
        path = path.with_name(f"{attempt}.db")
        run_at_once(OPENER, path, 8)
        with Store.open(path) as store:
            assert len(store.runs()) == 8
            assert store.pending() == []
        assert not list(path.parent.glob(f"{attempt}.db*backup*"))


def test_eight_processes_may_upgrade_the_file_at_once_with_one_backup(path: Path) -> None:
    from tests.test_migrations import make_old

    make_old(path, "0002_workflows")
    run_at_once(OPENER, path, 8)
    assert len(list(path.parent.glob("*.backup-0001-*"))) == 1
    with Store.open(path) as store:
        assert len(store.runs()) == 9


def test_twenty_kills_of_a_writer_lose_no_acknowledged_step(path: Path) -> None:
    acknowledged = {}
    for me in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", ENDLESS, str(path), str(me)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _ in range(3 + me):
            last = process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        said = [last, *process.stdout.read().splitlines(keepends=True)]
        process.wait()
        process.stdout.close()
        acknowledged[f"run-{me}"] = max(int(line) for line in said if line.endswith("\n"))
    with Store.open(path) as store:
        for run_id, last_n in acknowledged.items():
            steps = [row["n"] for row in store.steps(run_id)]
            assert steps == list(range(1, len(steps) + 1))
            assert len(steps) in (last_n, last_n + 1)
        assert store.check() == []
        assert store.mark_interrupted() == sorted(acknowledged, key=lambda run_id: run_id)
        assert {row["status"] for row in store.runs()} == {"interrupted"}


def test_a_kill_during_the_migration_leaves_the_old_file_or_the_new_one(path: Path) -> None:
    from tests.test_migrations import make_old

    make_old(path, "0002_workflows")
    code = (
        "import sys\nfrom webagent.store import Store\nprint('ready', flush=True)\nStore.open(sys.argv[1])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate()
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("select name from _sqlite_migrations order by id")]
    assert names in (["0001_runs"], ["0001_runs", "0002_workflows", "0003_lessons"])
    with Store.open(path) as store:
        assert store.check() == []
        assert store.run("old") is not None
