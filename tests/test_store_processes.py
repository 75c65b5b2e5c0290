"""Several processes on one file, and processes that are killed: nothing acknowledged is lost."""

import subprocess
import sys
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
