"""Checks 53 to 60: what is stored outlives kills, full disks and other programs; nothing is left behind."""

import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from tests.commands import environment, webagent
from tests.endpoint import Answer, Fault, Request, ScriptedEndpoint, ref_of
from tests.pages.kit import Site, serving, visiting
from tests.processes import below, eventually, memory_of, processes_with
from tests.running import settings_at
from tests.test_batch import say_yes, started, told, verdicts, write
from tests.test_migrations import make_old
from tests.test_store_opening import as_nobody, start
from tests.test_store_processes import ENDLESS, WRITER, run_at_once
from webagent.actions import Action
from webagent.batch import Batch, Limits, Starts, attempts_of, planned
from webagent.browser.launch import open_browser
from webagent.browser.options import BrowserOptions
from webagent.errors import DatabaseFault
from webagent.interfaces import Decision, View
from webagent.migrations import migration_names
from webagent.sites import Sites
from webagent.store import Store
from webagent.tasks import parse_task
from webagent.trajectory import Stop

GOAL = "find zip code of CMU"
CLICKS = (
    "<h1>Clicks</h1><button onclick=\"n.textContent = Math.random(); fetch('/did', {method: 'POST'})\">"
    "Do it</button><p id=n></p>"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workflows.db"


def run_of(url: str, endpoint: ScriptedEndpoint, *extra: str) -> list[str]:
    common = ["--base-url", endpoint.base_url, "--model", "scripted", "--json", "--memory", "off", *extra]
    return [sys.executable, "-m", "webagent", "run", "click", "--url", url, *common]


@contextmanager
def clicking(
    site: Site, endpoint: ScriptedEndpoint, folder: Path, *extra: str
) -> Iterator["subprocess.Popen[str]"]:
    """A run in a process of its own, with a folder of its own for temporary files."""
    (folder / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen(
        run_of(site.url(), endpoint, *extra),
        cwd=folder,
        env=environment({"HOME": str(folder), "TMPDIR": str(folder / "tmp")}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def click(request: Request) -> Answer:
    return [("click", {"ref": ref_of(request, "button", "Do it")})]


def soundly_stored(folder: Path) -> list[str]:
    """What is wrong with the database of a folder."""
    with Store.open(folder / "workflows.db") as store:
        return store.check()


def left_behind(folder: Path) -> list[str]:
    """Temporary files of more than 1 MB that a run left."""
    tops = list((folder / "tmp").iterdir())
    return [
        top.name for top in tops if sum(f.stat().st_size for f in top.rglob("*") if f.is_file()) > 1_000_000
    ]


def killed_runs(folder: Path, kills: int) -> None:
    """Kills runs at random moments; what was done is stored, and nothing lives on."""
    chance = random.Random(kills)
    earlier: list[str] = []
    with serving({"/": CLICKS, "/did": lambda request: (204, {}, b"")}) as site:
        for _ in range(kills):
            site.hits.clear()
            with (
                ScriptedEndpoint(click) as endpoint,
                clicking(site, endpoint, folder, "--max-steps", "900", "--judge", "none") as process,
            ):
                enough = chance.randint(0, 12)
                begun = eventually(lambda: len(endpoint.acts) >= enough, 60)  # noqa: B023
                threading.Event().wait(chance.uniform(0, 0.2))
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                asked, did = len(endpoint.acts), sum(path == "/did" for _, path in site.hits)
            assert begun
            assert eventually(lambda: processes_with(str(folder / "tmp")) == [], 10), "no browser lives on"
            db = Database(folder / "workflows.db")
            runs = {row["id"]: row for row in db["runs"].rows} if db["runs"].exists() else {}
            fresh = [run_id for run_id in runs if run_id not in earlier]
            assert not fresh or all(runs[run_id]["status"] == "interrupted" for run_id in earlier), (
                "marked at the next start"
            )
            steps = [row["n"] for row in db["steps"].rows if row["run_id"] in fresh]
            assert steps == list(range(1, len(steps) + 1))
            assert len(steps) >= asked - 1, "a step is stored before the model is asked for the next"
            assert did <= len(steps) + 1, "and before the next action is carried out"
            earlier += fresh
            db.close()
            assert soundly_stored(folder) == []
    assert left_behind(folder) == []
    with Store.open(folder / "workflows.db") as store:
        store.mark_interrupted()
        assert {row["status"] for row in store.runs(limit=None)} == {"interrupted"}


def test_check_53_a_killed_run_has_lost_no_step_that_was_done(tmp_path: Path) -> None:
    """SIGKILL at any moment loses no step whose action was carried out: it is stored before the next begins; the
    file is sound, no browser lives on, and the next start marks the run as interrupted."""
    killed_runs(tmp_path, 1)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_check_53_100_kills_lose_no_step_that_was_done(tmp_path: Path) -> None:
    """The same a hundred times."""
    killed_runs(tmp_path, 100)


def killed_batch(folder: Path, tasks: int, kills: int, chance: random.Random) -> int:
    """Kills a batch at random moments until it has ended; how often it was killed. What it reported is stored."""
    write(folder, [told(n) for n in range(tasks)])
    done = 0
    with ScriptedEndpoint(say_yes) as endpoint:
        for _ in range(kills):
            process = started(folder, endpoint, "--resume", "--jobs", "2", "--json")
            try:
                out, err = process.communicate(timeout=chance.uniform(0.2, 5.0))
                assert process.returncode == 0, err
                break
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, _ = process.communicate()
                done += 1
            reported = [json.loads(line) for line in out.splitlines() if line.endswith("}")]
            if not (folder / "workflows.db").exists():
                continue
            with Store.open(folder / "workflows.db") as store:
                assert store.check() == []
                rows = {row["id"]: row for row in store.runs(limit=None)}
            for result in reported:
                assert (rows[result["run_id"]]["status"], rows[result["run_id"]]["success"]) == ("done", True)
                assert rows[result["run_id"]]["answer"] == result["answer"]
        last = webagent("batch", "tasks.jsonl", "--resume", "--jobs", "2", "--base-url", endpoint.base_url,
                        cwd=folder, timeout=300)  # fmt: skip
        assert last.code == 0, last.err
    assert verdicts(folder) == Counter({f"t{n}": 1 for n in range(tasks)})
    statuses = {row["status"] for row in Database(folder / "workflows.db").query("select status from runs")}
    assert statuses <= {"done", "interrupted"}
    return done


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_check_53_a_batch_killed_at_40_moments_neither_repeats_nor_drops_a_task(tmp_path: Path) -> None:
    """A batch killed at 40 random moments is gone on with by --resume: every task gets one verdict, every run that was
    reported is whole in the database, and the file is sound."""
    chance = random.Random(40)
    kills = 0
    while kills < 40:
        (tmp_path / str(kills)).mkdir()
        kills += killed_batch(tmp_path / str(kills), 20, 40 - kills, chance)


def test_check_55_two_batches_share_a_database(tmp_path: Path) -> None:
    """Two programs with two workers each use one database: no word of a lock to the user, and all counts add up."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, [{**told(n), "id": f"{name}{n}"} for n in range(3)])
    with ScriptedEndpoint(say_yes) as endpoint:
        shared = ("--db", str(tmp_path / "workflows.db"), "--jobs", "2", "--json")
        both = [started(tmp_path / name, endpoint, *shared) for name in ("one", "two")]
        ends = [process.communicate(timeout=100) for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    assert all("lock" not in err for _, err in ends)
    assert sorted(verdicts(tmp_path).values()) == [1] * 6
    assert soundly_stored(tmp_path) == []


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A disk of its own in memory; skips where mounting is not permitted."""
    place = folder / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"mounting is not permitted: {mounted.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(path: Path) -> None:
    """Writes a file until the disk is full."""
    with suppress(OSError), path.open("wb") as file:
        while True:
            file.write(b"x" * 4096)
            file.flush()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a disk in memory is Linux's")
def test_check_56_a_full_disk_is_said_and_what_was_stored_is_whole(tmp_path: Path) -> None:
    """On a full disk a run ends with one clear line and exit code 3; what was stored before is whole,
    and once there is space again the next run works."""
    pages = {"/": CLICKS, "/did": lambda request: (204, {}, b"")}
    with small_disk(tmp_path, "5m") as disk, serving(pages) as site:

        def act(request: Request) -> Answer:
            if len(endpoint.acts) == 3:
                fill(disk / "ballast")
            return click(request)

        with (
            ScriptedEndpoint(act) as endpoint,
            clicking(site, endpoint, tmp_path, "--db", str(disk / "w.db")) as run,
        ):
            _, err = run.communicate(timeout=60)
        assert run.returncode == 3, err
        assert "Traceback" not in err
        assert [line for line in err.splitlines() if line.startswith("error:")] == [
            line for line in err.splitlines() if "the disk is full" in line
        ]
        (disk / "ballast").unlink()
        with Store.open(disk / "w.db") as store:
            assert store.check() == []
            (row,) = store.runs()
            assert row["steps"] >= 2
        with Store.open(disk / "w.db") as store:
            assert len(store.mark_interrupted()) == 1
            start(store, "next")
            assert store.check() == []


def test_check_57_a_deleted_wal_loses_the_newest_rows_and_nothing_else(tmp_path: Path) -> None:
    """A database whose -wal file was deleted opens as it was at the last checkpoint, and is sound."""
    path = tmp_path / "workflows.db"
    with Store.open(path) as store:
        start(store)
    with Store.open(path) as store:
        start(store, "r2")
        shutil.copy(path, tmp_path / "copy.db")
    with Store.open(tmp_path / "copy.db") as store:
        assert {row["id"] for row in store.runs()} <= {"r1", "r2"}
        assert store.check() == []


def test_check_57_a_database_that_breaks_under_a_run_is_named(tmp_path: Path) -> None:
    """Commands on a file whose pages are corrupt end with one line that names it, and leave it alone."""
    path = tmp_path / "workflows.db"
    with Store.open(path) as store, store.writing():
        for n in range(300):
            start(store, f"r{n}")
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\x55" * (len(whole) - 4096))
    broken = path.read_bytes()
    for command in (["runs", "list"], ["run", GOAL, "--site", "maps", "--base-url", "http://127.0.0.1:9/v1"]):
        done = webagent(*command, "--db", str(path), cwd=tmp_path)
        assert (done.code, done.out) == (3, ""), done.err
        assert f"the database {path} is corrupt" in done.err
        assert "Traceback" not in done.err
    assert path.read_bytes() == broken


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGKILL]
)
def test_check_58_no_browser_and_no_profile_outlives_the_program(
    tmp_path: Path, number: signal.Signals
) -> None:
    """After SIGINT, SIGTERM and SIGKILL no process of the program lives and no large temporary file is left; the first
    two keep the steps and exit with 130."""
    reached = threading.Event()

    def act(request: Request) -> Answer:
        if len(endpoint.acts) < 4:
            return click(request)
        reached.set()
        return Fault(delay=60)

    pages = {"/": CLICKS, "/did": lambda request: (204, {}, b"")}
    with (
        serving(pages) as site,
        ScriptedEndpoint(act) as endpoint,
        clicking(site, endpoint, tmp_path) as process,
    ):
        assert reached.wait(60)
        assert len(processes_with(str(tmp_path / "tmp"))) > 2
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert eventually(lambda: processes_with(str(tmp_path / "tmp")) == [], 5)
    assert Database(tmp_path / "workflows.db")["steps"].count == 3
    if number != signal.SIGKILL:
        assert (process.returncode, json.loads(out)["status"]) == (130, "interrupted"), err
        assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_check_58_a_second_interruption_ends_at_once(tmp_path: Path) -> None:
    """Whoever presses Ctrl-C twice does not wait for good order, and still leaves no browser behind."""
    reached = threading.Event()

    def act(request: Request) -> Answer:
        reached.set()
        return Fault(delay=60)

    with (
        serving(CLICKS) as site,
        ScriptedEndpoint(act) as endpoint,
        clicking(site, endpoint, tmp_path) as process,
    ):
        assert reached.wait(60)
        process.send_signal(signal.SIGINT)
        threading.Event().wait(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
        assert eventually(lambda: processes_with(str(tmp_path / "tmp")) == [], 5)
    assert process.returncode == 130, err
    assert "Traceback" not in err


SPIN = "<script>onload = () => setTimeout(() => { for (;;); }, 50)</script>"
CRASH = "<p>crash me</p>"
FILL = "<script>const all = []; setInterval(() => all.push(new Uint8Array(2e7).fill(1)), 5)</script>"


class Reading:
    """Answers with the page's words; a page that is to crash is crashed first."""

    def __init__(self, batch: Batch, trap: str) -> None:
        self._batch = batch
        self._trap = trap
        self._looks = 0

    async def decide(self, view: View) -> Decision:
        self._looks += 1
        if self._trap and self._looks < 4:
            if self._trap == CRASH and self._looks == 1:
                await self._crash()
            return Decision((Action("wait", {"seconds": 1}),))
        return Decision(stop=Stop(" ".join(view.observation.page_text.split())))

    async def _crash(self) -> None:
        for chromium in self._batch._pool._load:
            for context in chromium._browser.contexts:  # type: ignore[union-attr]
                for page in context.pages:
                    if "/crash" in page.url:
                        session = await context.new_cdp_session(page)
                        asyncio.ensure_future(session.send("Page.crash")).add_done_callback(
                            lambda done: done.exception()
                        )


async def carried_out_together(folder: Path, count: int, traps: Mapping[int, str]) -> dict[int, Any]:
    """The results of tasks on one host, each of which sets a cookie and tells those that it found."""

    def path(n: int) -> str:
        return f"/crash{n}" if traps.get(n) == CRASH else f"/{n}"

    pages = {
        path(n): f"<script>document.write(`<p>cookies: ${{document.cookie || 'none'}}</p>`); "
        f"document.cookie = 'task={n}; max-age=900'</script>{traps.get(n, '')}"
        for n in range(count)
    }
    (folder / "db").mkdir()
    with serving(pages) as site, ScriptedEndpoint() as endpoint, Sites() as sites:
        expect = {"answer_includes": ["cookies: none"]}
        tasks = [
            parse_task({"id": str(n), "goal": f"read {n}", "url": site.url(path(n)), "expect": expect}, "t")
            for n in range(count)
        ]
        settings = settings_at(endpoint, site.url(), judge="auto", max_page_memory=400)
        with Store.open(folder / "db" / "workflows.db") as store:
            plan = planned(store, "tasks", attempts_of(tasks), settings)
            batch = Batch(plan, settings, store, Starts(sites), Limits(jobs=4))
            batch.policy = lambda task: Reading(batch, traps.get(int(task.id), ""))
            done = await batch.run()
    return {int(one.attempt.task.id): one.result for one in done}


@pytest.mark.parametrize(
    ("count", "traps"),
    [
        (5, {1: CRASH, 3: FILL}),
        pytest.param(20, {3: SPIN, 7: CRASH, 11: FILL}, marks=pytest.mark.slow),
    ],
    ids=["5", "20"],
)
async def test_check_59_pages_that_crash_spin_or_fill_memory_cost_their_own_run_alone(
    tmp_path: Path, count: int, traps: Mapping[int, str]
) -> None:
    """Of tasks side by side some spin, crash and fill memory; the others do as they would alone, none sees
    the cookies of another, and the run whose page filled memory ends by that name."""
    results = await carried_out_together(tmp_path, count, traps)
    assert len(results) == count
    assert {n for n, one in results.items() if one.verdict.success is not True} <= set(traps)
    filling = next(n for n, trap in traps.items() if trap == FILL)
    assert (results[filling].status, results[filling].reason[:15]) == ("budget", "max_page_memory")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_check_60_200_tasks_in_a_row_keep_memory_and_files_as_they_are(tmp_path: Path) -> None:
    """Over 200 short tasks the program's memory grows by less than 50 MB, and its open files and dead children do not
    grow at all."""
    write(tmp_path, [told(n) for n in range(200)])
    seen: list[tuple[int, int, int]] = []
    with ScriptedEndpoint(say_yes) as endpoint:
        process = started(tmp_path, endpoint, "--jobs", "2", "--json")
        assert process.stdout is not None
        for n, _ in enumerate(process.stdout, 1):
            if n in (40, 195):
                files = len(list(Path(f"/proc/{process.pid}/fd").iterdir()))
                dead = sum("defunct" in command for command in below(process.pid).values())
                seen.append((memory_of(process.pid), files, dead))
        process.communicate()
    assert process.returncode == 0
    (before, files, _), (after, more, dead) = seen
    assert after - before < 50_000_000
    assert more <= files + 4
    assert dead == 0


def test_check_53_a_killed_batch_goes_on_with_what_has_no_verdict(tmp_path: Path) -> None:
    """A batch that is killed, with all its processes, is gone on with by --resume: each task gets one verdict,
    and what was in flight is marked as interrupted."""
    killed_again_and_again(tmp_path, tasks=6, kills=1)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_check_53_200_tasks_killed_ten_times_get_200_verdicts(tmp_path: Path) -> None:
    """A batch of 200 tasks that is killed ten times and gone on with ends with 200 verdicts, none of them twice."""
    killed_again_and_again(tmp_path, tasks=200, kills=10)


def runs_begun(folder: Path) -> int:
    """How many runs were ever begun."""
    path = folder / "workflows.db"
    if not path.exists():
        return 0
    db = Database(path)
    return db["batch_runs"].count if db["batch_runs"].exists() else 0


def killed_again_and_again(folder: Path, *, tasks: int, kills: int) -> None:
    write(folder, [told(n) for n in range(tasks)])
    chance = random.Random(tasks)
    with ScriptedEndpoint(say_yes) as endpoint:
        for _ in range(kills):
            most = runs_begun(folder) + chance.randint(1, tasks // (kills + 1))
            process = started(folder, endpoint, "--resume", "--jobs", "4")
            while process.poll() is None and runs_begun(folder) < most:
                time.sleep(chance.uniform(0.001, 0.05))
            assert process.poll() is None, process.communicate()[1]
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        last = webagent("batch", "tasks.jsonl", "--resume", "--jobs", "4", "--base-url", endpoint.base_url,
                        cwd=folder, timeout=900)  # fmt: skip
        assert last.code == 0, last.err
    assert verdicts(folder) == Counter({f"t{n}": 1 for n in range(tasks)})
    statuses = Counter(
        row["status"] for row in Database(folder / "workflows.db").query("select status from runs")
    )
    assert statuses["done"] == tasks
    assert set(statuses) <= {"done", "interrupted"}


def test_check_55_every_write_of_four_processes_arrives(path: Path) -> None:
    """Every write of four processes arrives, without an error to any of them."""
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


def test_check_53_kills_of_a_writer_lose_no_acknowledged_step(path: Path) -> None:
    """Kills of a program that does nothing but store steps lose none that was acknowledged."""
    acknowledged = {}
    for me in range(8):
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


def test_check_54_a_kill_during_the_migration_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    """A kill during a migration leaves the old schema or the new one, never one between, and the next
    opening upgrades it."""
    code = (
        "import sys\nfrom webagent.store import Store\nprint('ready', flush=True)\nStore.open(sys.argv[1])\n"
    )
    chance = random.Random(54)
    for n in range(6):
        path = tmp_path / f"{n}.db"
        make_old(path, "0002_workflows")
        process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.02))
        process.kill()
        process.communicate()
        with closing(sqlite3.connect(path)) as connection:
            names = [row[0] for row in connection.execute("select name from _sqlite_migrations order by id")]
        assert names in (["0001_runs"], migration_names())
        with Store.open(path) as store:
            assert store.check() == []
            assert store.run("old") is not None


def test_check_54_an_older_file_is_upgraded_after_a_backup_copy(path: Path) -> None:
    """A file of an older version is upgraded after a backup copy beside it."""
    make_old(path, "0002_workflows")
    with Store.open(path) as store:
        assert store.pending() == []
        assert store.run("old") is not None
        assert store.check() == []
    backups = list(path.parent.glob("workflows.db.backup-0001-*"))
    assert len(backups) == 1
    assert backups[0].stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(backups[0])) as copy:
        assert copy.execute("select id from runs").fetchall() == [("old",)]
        assert copy.execute("select count(*) from sqlite_master where name = 'workflows'").fetchone() == (0,)


@pytest.mark.parametrize("read_only", [False, True])
def test_check_54_a_newer_file_is_refused_by_name_and_left_as_it_is(path: Path, read_only: bool) -> None:
    """A file of a newer version is refused by name, and left as it is."""
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("insert into _sqlite_migrations values (99, 'webagent', '0099_later', '2099')")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(
        DatabaseFault, match=r"workflows\.db was written by a newer webagent .*0099_later.*update"
    ):
        Store.open(path, read_only=read_only)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["workflows.db"]


@pytest.mark.parametrize("content", [b"hello, I am no database" * 200, b"x", b"{}\n", b"\0" * 600])
def test_check_57_what_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    """A file that is no database is refused by name and left alone."""
    path.write_bytes(content)
    for read_only in (False, True):
        with pytest.raises(DatabaseFault, match=rf"{path} is not a SQLite database.*--db"):
            Store.open(path, read_only=read_only)
    assert path.read_bytes() == content
    assert [each.name for each in path.parent.iterdir()] == ["workflows.db"]


def test_check_57_a_corrupt_file_is_named_when_it_is_read_and_left_alone(path: Path) -> None:
    """A corrupt file is named when it is read, with the way out, and left alone."""
    with Store.open(path) as store, store.writing():
        for n in range(500):
            start(store, f"r{n}")
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\x55" * (len(whole) - 4096))
    before = path.read_bytes()
    with pytest.raises(DatabaseFault, match=rf"{path} is corrupt.*recover"), Store.open(path) as store:
        store.runs()
    assert path.read_bytes() == before
    path.write_bytes(whole[:5000])
    with pytest.raises(DatabaseFault, match=rf"{path} is corrupt"), Store.open(path) as store:
        store.runs()
    assert path.read_bytes() == whole[:5000]


def test_check_56_a_read_only_file_and_folder_are_refused_for_writing_and_read_otherwise(
    open_folder: Path,
) -> None:
    """A read-only file or folder is refused by name for writing, and can be read."""
    path = open_folder / "workflows.db"
    with Store.open(path) as store:
        start(store)
    path.chmod(0o444)

    def write() -> str:
        with Store.open(path) as store:
            start(store, "r2")
        return "written"

    def read() -> str:
        with Store.open(path, read_only=True) as store:
            return str(store.pending() + [row["id"] for row in store.runs()])

    before = path.read_bytes()
    open_folder.chmod(0o777)
    assert as_nobody(write).startswith(f"DatabaseFault: the database {path} is read-only; make it writable")
    assert as_nobody(read) == "['r1']"
    open_folder.chmod(0o555)
    path.chmod(0o666)
    assert as_nobody(write).startswith(f"DatabaseFault: the database's folder {open_folder} is read-only")
    assert as_nobody(read) == "['r1']"
    path.chmod(0o444)
    assert as_nobody(read) == "['r1']"
    assert path.read_bytes() == before
    path.chmod(0o000)
    assert as_nobody(read).startswith(f"DatabaseFault: the database {path} can't be read by this user")
    path = open_folder / "new.db"
    assert as_nobody(write).startswith(f"DatabaseFault: the folder {open_folder} is read-only")
    assert [each.name for each in open_folder.iterdir()] == ["workflows.db"]


def test_check_56_a_full_real_disk_is_said_and_loses_nothing() -> None:
    """A write that fails in the middle, as on a full disk, is said and loses nothing that was stored."""
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    path = folder / "workflows.db"

    def fill() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with Store.open(path) as store:
            start(store)
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
            for n in range(2, 2000):
                try:
                    start(store, f"r{n:04}")
                except DatabaseFault as fault:
                    stored = n - 1
                    return f"{stored} {len(store.runs(limit=None))} {fault}"
        return "never full"

    try:
        count, seen, fault = as_nobody(fill).split(" ", 2)
        assert count == seen
        assert fault.startswith(f"the database {path} can't")
        with Store.open(path) as store:
            assert len(store.runs(limit=None)) == int(count)
            assert store.check() == []
    finally:
        shutil.rmtree(folder)


async def _open_until(ready: asyncio.Event, fail: BaseException | None) -> None:
    async with open_browser(BrowserOptions()) as running:
        with serving("<h1>Hi</h1>") as site:
            async with visiting(running, site.url()):
                ready.set()
                if fail is not None:
                    raise fail
                await asyncio.Event().wait()


@pytest.mark.parametrize("fail", [ValueError("x"), None], ids=["error", "cancelled"])
async def test_check_58_nothing_of_the_browser_is_left_after_an_error_or_a_cancellation(
    fail: BaseException | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an exception of the program and after a cancellation no process and no temporary file of the
    browser is left."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    ready = asyncio.Event()
    task = asyncio.ensure_future(_open_until(ready, fail))
    waiting = asyncio.ensure_future(ready.wait())
    await asyncio.wait({task, waiting}, timeout=30, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if task.done() and fail is None:
        await task
    assert any("profile" in path.name for path in tmp_path.iterdir())
    if fail is None:
        task.cancel()
    with pytest.raises((ValueError, asyncio.CancelledError)):
        await task
    assert not list(tmp_path.iterdir())
    if sys.platform.startswith("linux"):
        assert not processes_with(str(tmp_path))
