"""Opens the database file: creates it, refuses what is not ours, migrates it, never overwrites it."""

import os
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlite_utils import Database

from webagent.errors import DatabaseFault
from webagent.migrations import MIGRATIONS, migration_names
from webagent.store.faults import ELSEWHERE, NO_DATABASE, explained, is_busy

BUSY_SECONDS = 10.0
"""How long a write waits for other processes before it is an error."""

SMALLEST = 512
"""Bytes of the smallest page. SQLite takes a file of one byte for an empty one and would write over
it. (Do not read the file to see: closing it would drop the locks that this process has on it.)"""


def open_database(path: Path, *, read_only: bool, busy_seconds: float) -> Database:
    """The open database, migrated. Read-only it may have pending migrations.

    Raises DatabaseFault naming the path and the way out."""
    _check_path(path, read_only=read_only)
    with explained(path):
        if not read_only:
            _create(path)
        connection = _connect_to_read(path, busy_seconds) if read_only else _connect(path, "rw", busy_seconds)
        try:
            db = Database(connection, execute_plugins=False)
            db.execute("pragma foreign_keys = on")
            _check_ours(db, path)
            if not read_only:
                _use_wal(connection, busy_seconds)
                db.execute("pragma synchronous = normal")
                _migrate(db, path)
        except BaseException:
            connection.close()
            raise
        return db


def pending_migrations(db: Database) -> list[str]:
    """Names of the migrations that the file still lacks."""
    return [migration.name for migration in MIGRATIONS.pending(db)]


def _check_path(path: Path, *, read_only: bool) -> None:
    if path.is_dir():
        raise DatabaseFault(f"the database {path} is a folder; {ELSEWHERE}")
    if not path.parent.is_dir():
        raise DatabaseFault(f"the database's folder {path.parent} does not exist; make it, or {ELSEWHERE}")
    if not path.exists():
        if read_only:
            raise DatabaseFault(f"there is no database {path}; a run makes one, or {ELSEWHERE}")
        if not os.access(path.parent, os.W_OK):
            raise DatabaseFault(
                f"the folder {path.parent} is read-only, so no database can be made; {ELSEWHERE}"
            )
        return
    if not path.is_file():
        raise DatabaseFault(f"the database {path} is not a file; {ELSEWHERE}")
    if 0 < path.stat().st_size < SMALLEST:
        raise DatabaseFault(f"the database {path} {NO_DATABASE}")
    if not os.access(path, os.R_OK):
        raise DatabaseFault(
            f"the database {path} can't be read by this user; change its mode, or {ELSEWHERE}"
        )
    if not read_only:
        for place, kind in ((path, "database"), (path.parent, "database's folder")):
            if not os.access(place, os.W_OK):
                raise DatabaseFault(f"the {kind} {place} is read-only; make it writable, or {ELSEWHERE}")


def _create(path: Path) -> None:
    """An empty file that only its owner can read; SQLite gives -wal and -shm the same mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return


def _connect(path: Path, query: str, busy_seconds: float) -> sqlite3.Connection:
    """Without Python's own transactions: those begin deferred, and lose writes to others' locks."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={query}", uri=True, timeout=busy_seconds, isolation_level=None
    )


def _connect_to_read(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """A connection that writes nothing. Reading a WAL file needs its -shm file; where the folder is
    writable an ordinary connection makes it, and cleans up when it closes. Elsewhere a file without a
    -wal, which no one has open, is read as one that does not change: a `mode=ro` connection would
    leave a -shm behind that belongs to the wrong user."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        connection = _connect(path, "rw", busy_seconds)
        connection.execute("pragma query_only = on")
        return connection
    newest = path.with_name(path.name + "-wal")
    if not newest.exists():
        return _connect(path, "ro&immutable=1", busy_seconds)
    connection = _connect(path, "ro", busy_seconds)
    try:
        connection.execute("select 1 from sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        if newest.stat().st_size:
            raise DatabaseFault(
                f"the newest rows of the database {path} are in {newest.name}, which can't be read in a "
                "read-only folder; copy both files to a writable folder"
            ) from error
        return _connect(path, "ro&immutable=1", busy_seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_ours(db: Database, path: Path) -> None:
    """Refuses another program's database, and one of a newer webagent, before anything is written."""
    applied = [migration.name for migration in MIGRATIONS.applied(db)]
    if not applied and db.table_names():
        raise DatabaseFault(f"the database {path} belongs to another program; {ELSEWHERE}")
    known = migration_names()
    newer = [name for name in applied if name not in known]
    if newer:
        raise DatabaseFault(
            f"the database {path} was written by a newer webagent (it has {newer[-1]}); "
            f"update webagent (pip install --upgrade webagent), or {ELSEWHERE}"
        )


def _use_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Readers and a writer at once. SQLite's busy timeout does not cover this switch, which several
    processes may make at their first open, so it is tried again here."""
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            if connection.execute("pragma journal_mode").fetchone()[0] != "wal":
                connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _migrate(db: Database, path: Path) -> None:
    """All pending migrations in one transaction, whose lock makes other processes wait and then find
    nothing pending. An older file is copied first."""
    if not MIGRATIONS.pending(db):
        return
    db.execute("begin immediate")
    try:
        _check_ours(db, path)
        applied = MIGRATIONS.applied(db)
        if applied and MIGRATIONS.pending(db):
            _back_up(path, applied[-1].name.partition("_")[0])
        MIGRATIONS.apply(db)
        db.execute("commit")
    except BaseException:
        db.rollback()
        raise


def _back_up(path: Path, schema: str) -> Path:
    copy = path.with_name(f"{path.name}.backup-{schema}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
    _create(copy)
    try:
        with closing(_connect(path, "ro", BUSY_SECONDS)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except BaseException:
        copy.unlink()
        raise
    return copy
