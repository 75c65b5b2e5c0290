"""The file is made private, opened fast, never overwritten; what is wrong with it is said by name."""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from webagent.errors import DatabaseFault
from webagent.observation import Observation, parse_snapshot
from webagent.store import RunRow, Store
from webagent.trajectory import Trajectory

NOBODY = 65534


def start(store: Store, run_id: str = "r1") -> None:
    store.start_run(RunRow(run_id, "find zip", "maps.localhost", "http://maps.localhost/"))


def as_nobody(function: Callable[[], str]) -> str:
    """What the function returns, or its error, in a child process whose user file modes hold for (they
    do not for root)."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        text = "died"
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            text = function()
        except BaseException as error:  # noqa: BLE001 - the parent judges it
            text = f"{type(error).__name__}: {error}"
        finally:
            os.write(write, text.encode())
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as stream:
        return stream.read()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workflows.db"


def test_a_new_file_is_private_whatever_the_umask(path: Path) -> None:
    before = os.umask(0o022)
    try:
        with Store.open(path) as store:
            start(store)
            modes = {each.name: each.stat().st_mode & 0o777 for each in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"workflows.db": 0o600, "workflows.db-wal": 0o600, "workflows.db-shm": 0o600}
    assert [each.name for each in path.parent.iterdir()] == ["workflows.db"], "closing cleans up"


def test_the_connection_is_set_up(path: Path) -> None:
    with Store.open(path) as store:
        for pragma, value in {
            "foreign_keys": 1,
            "journal_mode": "wal",
            "synchronous": 1,
            "busy_timeout": 10000,
        }.items():
            assert store._value(f"pragma {pragma}") == value
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            store.add_use("wf_none", 1, "r1", "prompt", followed=True)


def test_odd_file_names_work(tmp_path: Path) -> None:
    for name in ("a b.db", "ü%20?mode=ro#x.db", "per%cent.db"):
        with Store.open(tmp_path / name) as store:
            start(store)
        assert (tmp_path / name).stat().st_size > 0
        with Store.open(tmp_path / name, read_only=True) as store:
            assert store.run("r1") is not None


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    with Store.open(path) as store:
        start(store)
        assert store.check() == []


def test_it_opens_in_a_tenth_of_a_second(path: Path) -> None:
    with Store.open(path) as store, store.writing():
        for n in range(2000):
            start(store, f"r{n}")
    took = []
    for _ in range(3):
        began = time.perf_counter()
        Store.open(path).close()
        took.append(time.perf_counter() - began)
    assert min(took) < 0.1


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("create table runs (mine text)")
    before = path.read_bytes()
    with pytest.raises(DatabaseFault, match=rf"{path} belongs to another program; .*--db"):
        Store.open(path)
    assert path.read_bytes() == before


def test_places_that_hold_no_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(DatabaseFault, match=rf"{tmp_path} is a folder; .*--db"):
        Store.open(tmp_path)
    with pytest.raises(DatabaseFault, match=rf"folder {tmp_path}/none does not exist; make it"):
        Store.open(tmp_path / "none" / "workflows.db")
    with pytest.raises(DatabaseFault, match=rf"there is no database {tmp_path}/none\.db"):
        Store.open(tmp_path / "none.db", read_only=True)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DatabaseFault, match="is not a file"):
        Store.open(tmp_path / "pipe")
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseFault, match="file does not exist"):
        Store.open(tmp_path / "file" / "workflows.db")
    (tmp_path / "loop").symlink_to(tmp_path / "gone" / "x.db")
    with pytest.raises(DatabaseFault, match=r"loop can't be"):
        Store.open(tmp_path / "loop")


def test_newest_rows_that_cannot_be_read_in_a_read_only_folder_are_not_passed_over(open_folder: Path) -> None:
    path, copy = open_folder / "live.db", open_folder / "workflows.db"
    with Store.open(path) as store:
        start(store)
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", f"{copy}{end}")
            Path(f"{copy}{end}").chmod(0o444)
    open_folder.chmod(0o555)

    def read() -> str:
        with Store.open(copy, read_only=True) as store:
            return str([row["id"] for row in store.runs()])

    assert as_nobody(read).startswith(
        f"DatabaseFault: the newest rows of the database {copy} are in workflows.db-wal"
    )


def test_a_store_opened_to_read_writes_nothing_and_sees_what_others_write(path: Path) -> None:
    with Store.open(path) as store, Store.open(path, read_only=True) as reader:
        start(store)
        assert [row["id"] for row in reader.runs()] == ["r1"]
        with pytest.raises(DatabaseFault, match="was opened to be read only"):
            start(reader, "r2")
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader._db.execute("delete from runs")
    before = path.read_bytes()
    with Store.open(path, read_only=True) as reader:
        assert len(reader.runs()) == 1
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["workflows.db"]


def test_a_file_locked_for_longer_than_the_timeout_is_said_to_be_locked(path: Path) -> None:
    Store.open(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        with Store.open(path, busy_seconds=0.05) as store:
            assert store.runs() == []
            with pytest.raises(DatabaseFault, match=rf"{path} is locked by another program; close"):
                start(store)
            other.execute("rollback")
            start(store)
            assert len(store.runs()) == 1


def test_a_file_locked_while_it_is_made_is_said_to_be_locked(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin exclusive")
        with pytest.raises(DatabaseFault, match=rf"{path} is locked by another program"):
            Store.open(path, busy_seconds=0.05)
    Store.open(path).close()


def test_a_full_disk_is_said_and_loses_nothing(path: Path) -> None:
    with Store.open(path) as store:
        start(store)
        pages = store._value("pragma page_count")
        store._db.execute(f"pragma max_page_count = {pages}")
        long = Observation("u", lines=parse_snapshot("- text: " + "x" * 100_000))
        with pytest.raises(
            DatabaseFault, match=rf"{path} can't grow: the disk is full; nothing stored before is lost"
        ):
            store.finish_run(Trajectory("r1", "g", "u", final=long, status="done"))
        row = store.run("r1")
        assert row is not None
        assert row["ended_at"] is None, "all of it or nothing"
        store._db.execute("pragma max_page_count = 100000")
        store.finish_run(Trajectory("r1", "g", "u", final=long, status="done"))
        assert store.trajectory("r1").final == long
        assert store.check() == []
