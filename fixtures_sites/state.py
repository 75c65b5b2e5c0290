"""The data of a site: one database for all, and a copy of it for each browser session that has written."""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

Build = Callable[[sqlite3.Connection], None]
"""Writes a site's seeded data into an empty database."""

KEPT_BYTES = 32_000_000
"""What the copies of one site may take together; the least recently used are dropped first. About 20
sessions that write at the same time, and six sites stay within 300 MB."""


class States:
    """The states of one site by the key of the browser session; a session that has not written reads
    the shared data."""

    def __init__(self, build: Build, kept_bytes: int = KEPT_BYTES) -> None:
        self._base = _database()
        build(self._base)
        self._base.execute("create table session (name text primary key, value text not null)")
        self._kept_bytes = kept_bytes
        self._own: OrderedDict[str, sqlite3.Connection] = OrderedDict()

    def __len__(self) -> int:
        """How many sessions have data of their own."""
        return len(self._own)

    def of(self, key: str) -> "Data":
        """The data as the session with this key sees it."""
        return Data(self, key)

    def drop(self, key: str) -> None:
        """Forgets what a session wrote; it sees the seeded data again."""
        own = self._own.pop(key, None)
        if own is not None:
            own.close()

    def readable(self, key: str) -> sqlite3.Connection:
        """The database to read from."""
        if key in self._own:
            self._own.move_to_end(key)
            return self._own[key]
        return self._base

    def writable(self, key: str) -> sqlite3.Connection:
        """The session's own database, copied now if it has none."""
        if key not in self._own:
            copy = _database()
            self._base.backup(copy)
            self._own[key] = copy
            self._make_room()
        return self.readable(key)

    def _make_room(self) -> None:
        sizes = {key: _size(own) for key, own in self._own.items()}
        while sum(sizes.values()) > self._kept_bytes and len(self._own) > 1:
            oldest = next(iter(self._own))
            self.drop(oldest)
            del sizes[oldest]


class Data:
    """SQL on the data of one session."""

    def __init__(self, states: States, key: str) -> None:
        self._states = states
        self._key = key

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self._states.readable(self._key).execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> sqlite3.Row | None:
        """The first row of a query; None where there is none."""
        found: sqlite3.Row | None = self._states.readable(self._key).execute(sql, values).fetchone()
        return found

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row; None where there is none."""
        row = self.row(sql, *values)
        return None if row is None else row[0]

    def change(self, sql: str, *values: Any) -> int:
        """Carries out an insert, update or delete in the session's own data; the id of an inserted row."""
        return self._states.writable(self._key).execute(sql, values).lastrowid or 0

    def objects(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """All rows of a query as JSON objects."""
        return [dict(row) for row in self.rows(sql, *values)]


def _database() -> sqlite3.Connection:
    # built in one thread, served in another, never used by two at once
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    return connection


def _size(connection: sqlite3.Connection) -> int:
    pages, size = (connection.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(size)
