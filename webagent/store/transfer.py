"""Workflow versions with all that hangs on them, out of one database and into another."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.store.connection import Connection, Row
from webagent.store.workflows import WORKFLOW_COLUMNS

EVENT_COLUMNS = ("status", "by", "at", "why")
USE_COLUMNS = ("run_id", "mode", "followed", "success")
_KEYS = (
    "id",
    "version",
    "status",
    "source",
    "success_weight",
    "failure_weight",
    "uses",
    "created_at",
    "last_used_at",
)
_TRUTH = {None: None, 0: False, 1: True}


class Transfer(Connection):
    """The part of `Store` that export and import use."""

    def transfer_rows(self, ids: Sequence[str] | None = None) -> list[Row]:
        """All versions of these workflows (None: of all), in the order they were stored: SPEC's
        columns, with `body` as an object, and `origins`, `events` and `workflow_uses`."""
        wanted = None if ids is None else json.dumps(list(ids))
        names = ", ".join(f'"{name}"' for name in WORKFLOW_COLUMNS)
        rows = self._rows(
            f"""select {names} from workflows
            where ?1 is null or id in (select value from json_each(?1)) order by n""",
            wanted,
        )
        return [{**row, "body": json.loads(row["body"]), **self._hangs_on(row)} for row in rows]

    def _hangs_on(self, row: Row) -> Row:
        key = (row["id"], row["version"])
        of_it = "where workflow_id = ? and version = ? order by rowid"
        origins = self._rows(f"select run_id from workflow_origins {of_it}", *key)
        uses = self._rows(f"select {', '.join(USE_COLUMNS)} from workflow_uses {of_it}", *key)
        return {
            "origins": [origin["run_id"] for origin in origins],
            "events": self._rows(f'select status, "by", at, why from workflow_events {of_it}', *key),
            "workflow_uses": [
                {**use, "followed": bool(use["followed"]), "success": _TRUTH[use["success"]]} for use in uses
            ],
        }

    def add_version(
        self, row: Mapping[str, Any], origins: Sequence[str], uses: Sequence[Mapping[str, Any]]
    ) -> int:
        """Stores a version as it is; its id@version must be free, and no other version of it active
        where this one is. Uses of runs that are not in this database are left out; how many is returned."""
        with self.writing():
            keys = {name: row[name] for name in _KEYS}
            keys["n"] = (self._value("select max(n) from workflows") or 0) + 1
            told = {name: row[name] for name in WORKFLOW_COLUMNS if name not in _KEYS}
            self._insert("workflows", keys, told)
            key = {"workflow_id": row["id"], "version": row["version"]}
            for run_id in dict.fromkeys(origins):
                self._insert("workflow_origins", {**key, "run_id": run_id}, {})
            here = [use for use in uses if self._value("select 1 from runs where id = ?", use["run_id"])]
            for use in here:
                self._insert("workflow_uses", {**key, **{name: use[name] for name in USE_COLUMNS}}, {})
        return len(uses) - len(here)

    def add_events(self, events: Sequence[tuple[str, int, Mapping[str, Any]]]) -> None:
        """Stores events (workflow id, version, and EVENT_COLUMNS) as they are, oldest first."""
        with self.writing():
            for workflow_id, version, event in sorted(events, key=lambda each: str(each[2]["at"])):
                keys = {"workflow_id": workflow_id, "version": version}
                keys |= {"status": event["status"], "at": event["at"]}
                self._insert("workflow_events", keys, {"by": event["by"], "why": event["why"]})
