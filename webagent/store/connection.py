"""One open database: its write context, its queries, and the masking of all that is written."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlite_utils import Database

from webagent.errors import DatabaseFault, UsageError
from webagent.ids import clean_text
from webagent.masking import Masks, masked_within
from webagent.store.faults import explained
from webagent.store.opening import BUSY_SECONDS, open_database, pending_migrations

Row = dict[str, Any]


def _unmasked(text: str) -> str:
    return text


class Connection:
    """The parts of `Store` share this. Plain synchronous calls, from one event loop (one thread);
    other processes may use the same file."""

    def __init__(self, path: Path, db: Database, *, read_only: bool, secrets: Callable[[str], str]) -> None:
        self.path = path
        self.read_only = read_only
        self.secrets = Masks(secrets)
        """Replaces secret values by their names; applied to every text that is written."""
        self._db = db
        self._writing = False

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        read_only: bool = False,
        secrets: Callable[[str], str] = _unmasked,
        busy_seconds: float = BUSY_SECONDS,
    ) -> Self:
        """Opens the file, makes it where there is none (mode 0600; not the folder), and migrates an
        older one after a backup copy beside it. `read_only` does none of that.

        Raises DatabaseFault, naming the path and the way out, and leaves the file as it was."""
        path = Path(path).expanduser()
        db = open_database(path, read_only=read_only, busy_seconds=busy_seconds)
        return cls(path, db, read_only=read_only, secrets=secrets)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def pending(self) -> list[str]:
        """Migrations that a file opened read-only still lacks."""
        with explained(self.path):
            return pending_migrations(self._db)

    def check(self) -> list[str]:
        """What SQLite finds wrong with the file and its references; empty where it is sound."""
        found = [str(row["integrity_check"]) for row in self._rows("pragma integrity_check")]
        broken = [
            f"{row['table']}: a row refers to a missing {row['parent']}" for row in self._foreign_faults()
        ]
        return [line for line in found if line != "ok"] + broken

    def _foreign_faults(self) -> list[Row]:
        return self._rows("pragma foreign_key_check")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it or nothing. It takes the write lock first (`begin immediate`), so
        that it waits for other processes instead of failing in the middle, and what it reads stays
        true until it writes. Methods called inside join it; never await inside."""
        if self.read_only:
            raise DatabaseFault(f"the database {self.path} was opened to be read only")
        if self._writing:
            yield
            return
        with explained(self.path):
            self._db.execute("begin immediate")
        self._writing = True
        try:
            yield
            with explained(self.path):
                self._db.execute("commit")
        except BaseException:
            with explained(self.path):
                self._db.rollback()
            raise
        finally:
            self._writing = False

    def _rows(self, sql: str, *values: Any) -> list[Row]:
        with explained(self.path):
            try:
                cursor = self._db.execute(sql, values)
            except sqlite3.OperationalError as error:
                if not self.read_only or not str(error).startswith("no such ") or not self.pending():
                    raise
                raise DatabaseFault(
                    f"the database {self.path} has an older schema (it lacks {', '.join(self.pending())}); "
                    "any command that writes, such as a run, brings it up to date"
                ) from error
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def _row(self, sql: str, *values: Any) -> Row | None:
        rows = self._rows(sql, *values)
        return rows[0] if rows else None

    def _value(self, sql: str, *values: Any) -> Any:
        row = self._row(sql, *values)
        return next(iter(row.values())) if row else None

    def _run(self, sql: str, *values: Any) -> int:
        """Carries out a statement inside `writing()`; the number of rows it changed."""
        with explained(self.path):
            return self._db.execute(sql, values).rowcount

    def _insert(self, table: str, keys: Mapping[str, Any], told: Mapping[str, Any]) -> None:
        """A new row. `keys` are written as they are: ids, hashes, words of this program; `told` came
        from people, models and pages, and is masked."""
        row = {**keys, **{name: self.masked(value) for name, value in told.items()}}
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        self._run(f"insert into {table} ({names}) values ({marks})", *row.values())

    def masked(self, value: Any) -> Any:
        """As it is stored: text cleaned and masked, lists and objects as JSON of masked texts."""
        if isinstance(value, str):
            return clean_text(self.secrets(value))
        if isinstance(value, list | dict):
            return json.dumps(masked_within(self.masked, value, self.masked), ensure_ascii=False)
        return value

    def _full_id(self, table: str, start: str) -> str | None:
        """The id that begins so. Raises UsageError where several do."""
        if self._value(f"select 1 from {table} where id = ?", start):
            return start
        if not start:
            return None
        rows = self._rows(
            f"select distinct id from {table} where id >= ? and id < ? order by id limit 6",
            start,
            start + "\U0010ffff",
        )
        ids = [str(row["id"]) for row in rows]
        if len(ids) > 1:
            shown = ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")
            raise UsageError(f"{start!r} is the start of several ids: {shown}; write more of it")
        return ids[0] if ids else None
