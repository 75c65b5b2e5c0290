"""What SQLite's errors mean to a person: the file, what is wrong with it, the way out."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webagent.errors import DatabaseFault

ELSEWHERE = "choose another file with --db FILE"
NO_DATABASE = f"is not a SQLite database, and was left as it is; {ELSEWHERE}"
_CAUSES = {
    sqlite3.SQLITE_BUSY: "is locked by another program; close that program (or end its open edit) and try again",
    sqlite3.SQLITE_LOCKED: "is locked by another program; close that program and try again",
    sqlite3.SQLITE_PROTOCOL: "is locked by another program; close that program and try again",
    sqlite3.SQLITE_NOTADB: NO_DATABASE,
    sqlite3.SQLITE_CORRUPT: "is corrupt, and was left as it is; restore a copy (*.backup-*), save what can be "
    f"read with `sqlite3 FILE .recover`, or {ELSEWHERE}",
    sqlite3.SQLITE_READONLY: f"is read-only; make it and its folder writable, or {ELSEWHERE}",
    sqlite3.SQLITE_PERM: f"is not permitted to be opened; change its owner or mode, or {ELSEWHERE}",
    sqlite3.SQLITE_FULL: "can't grow: the disk is full; nothing stored before is lost; free some space",
    sqlite3.SQLITE_IOERR: f"can't be read or written (disk I/O error); check the disk, or {ELSEWHERE}",
    sqlite3.SQLITE_CANTOPEN: f"can't be opened; check that it and its folder are readable and writable, or {ELSEWHERE}",
}


def is_busy(error: sqlite3.Error) -> bool:
    """True where waiting may help."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raises DatabaseFault for what the file or the disk did; other errors of SQLite are ours and pass."""
    try:
        yield
    except sqlite3.Error as error:
        cause = _CAUSES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if cause is None:
            raise
        raise DatabaseFault(f"the database {path} {cause}") from error
    except OSError as error:
        raise DatabaseFault(f"the database {path} can't be used: {error.strerror}; {ELSEWHERE}") from error
