"""A database with a story to review, and the command line called in this process, which is quick."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from tests.commands import Done
from webagent.actions import Action
from webagent.cli import cli
from webagent.errors import WebagentError
from webagent.interfaces import Verdict
from webagent.observation import Observation, Target, parse_snapshot
from webagent.store import RunRow, Store
from webagent.trajectory import Outcome, Step, Stop, Trajectory
from webagent.workflow import AnswerReader, Variable, Workflow, WorkflowStep

HOST = "maps.localhost"
GOAL = "find zip code of CMU"
SEARCH = Workflow(
    "wf_search",
    0,
    HOST,
    "find a place by its name",
    "Given that you are on the start page, this finds a place.",
    (
        WorkflowStep(
            "type", Target("textbox", "Search", 2), {"text": "{place}", "submit": True}, page="/", expect="/s"
        ),
        WorkflowStep("click", Target("link", "{place}", row="{place}", heading="Results")),
    ),
    (Variable("place", "a place on the map", "CMU"),),
)
ZIP = Workflow(
    "wf_zip",
    0,
    HOST,
    "find the zip code of a place",
    "Given that you are on the start page, this finds the zip code of a place.",
    (
        WorkflowStep("type", Target("textbox", "Search", 2), {"text": "{place}", "submit": True}, page="/"),
        WorkflowStep("click", Target("link", "{place}", heading="Results"), expect="/place/*"),
        WorkflowStep("stop", Target("definition", "ZIP code: {zip-code}"), {"answer": "{zip-code}"}),
    ),
    (Variable("place", "a place on the map", "CMU"), Variable("zip-code", "the answer", "15213", False)),
    ("find zip code of {place}",),
    reader=AnswerReader("definition", "ZIP code"),
)


def call(path: Path, *arguments: str, answer: str = "") -> Done:
    """`webagent ARGUMENTS --db PATH`, with `answer` on standard input."""
    done = CliRunner().invoke(cli, [*arguments, "--db", str(path)], input=answer, standalone_mode=False)
    if isinstance(done.exception, WebagentError):
        return Done(done.exception.exit_code, done.stdout, f"{done.stderr}error: {done.exception}\n")
    if done.exception is not None:
        raise done.exception
    return Done(done.return_value or 0, done.stdout, done.stderr)


def refused(done: Done, *words: str, code: int = 2) -> None:
    """One line of error with these words, and nothing on stdout."""
    assert done.code == code, done.err
    assert done.out == ""
    assert done.err.count("error:") == 1
    for word in words:
        assert word in done.err


def add_run(
    store: Store, run_id: str, success: bool | None = None, judge: str = "expect", hostname: str = HOST
) -> None:
    """A run of one step that has ended, judged where `success` is given."""
    store.start_run(RunRow(run_id, GOAL, hostname, f"http://{hostname}/", site="maps"))
    lines = parse_snapshot(f'- textbox "Search" [ref=e9]\n- text: seen by {run_id}')
    seen = Observation(f"http://{hostname}/", "Maps", lines=lines)
    action = Action("type", {"ref": "e9", "text": "CMU"}, "search it")
    store.add_step(run_id, Step(1, action, seen, Outcome("typed"), Target("textbox", "Search")))
    store.finish_run(Trajectory(run_id, GOAL, seen.url, stop=Stop("15213"), final=seen, status="done"))
    if success is not None:
        store.add_verdict(run_id, Verdict(success, judge, "it says so"))


def add_workflow(
    store: Store, workflow: Workflow = ZIP, origins: Sequence[str] = (), **changes: object
) -> Workflow:
    return store.save_workflow(replace(workflow, **changes), origins, "program", "learned")


def story(path: Path) -> Path:
    """Two versions of a workflow with evidence, a candidate, one of another site, and five runs."""
    with Store.open(path) as store:
        for n, success in enumerate((True, True, False, False, None), 1):
            add_run(store, f"r{n}", success)
        add_workflow(store, ZIP, ["r1"], description="An older text.")
        add_workflow(store, ZIP, ["r1", "r2"], status="active", success_weight=2.0)
        add_workflow(store, SEARCH, ["r1"])
        add_workflow(store, ZIP, ["elsewhere"], id="wf_other", hostname="other.test", source="import")
        store.add_use("wf_zip", 2, "r1", "prompt", followed=True, success=True)
        store.add_use("wf_zip", 2, "r2", "replay", followed=True, success=True)
        store.add_use("wf_zip", 2, "r3", "prompt", followed=False, success=False)
    return path
