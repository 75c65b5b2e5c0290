"""Batches: which run was for which task, and what is still to be done."""

from webagent.ids import new_id, now
from webagent.store.connection import Connection

Place = tuple[str, int]
"""A task's id and which time it is carried out, from 1."""


class Batches(Connection):
    """The part of `Store` about batches."""

    def start_batch(self, file: str, digest: str) -> str:
        """A new batch; its id."""
        batch_id = new_id("batch")
        keys = {"id": batch_id, "digest": digest, "started_at": now()}
        with self.writing():
            self._insert("batches", keys, {"file": file})
        return batch_id

    def newest_batch(self, digest: str) -> str | None:
        """The batch of these tasks and options that was started last."""
        found = self._value(
            "select id from batches where digest = ? order by started_at desc, rowid desc limit 1", digest
        )
        return None if found is None else str(found)

    def add_batch_run(self, batch_id: str, place: Place, run_id: str) -> None:
        """Notes that a run is for this task of a batch."""
        with self.writing():
            keys = {"batch_id": batch_id, "run_id": run_id, "repeat": place[1]}
            self._insert("batch_runs", keys, {"task": place[0]})

    def judged_places(self, batch_id: str) -> dict[Place, bool | None]:
        """The tasks of a batch that have a verdict, also one that abstains, with the one that counts."""
        rows = self._rows(
            """select batch_runs.task, repeat, success from batch_runs join runs on runs.id = batch_runs.run_id
            where batch_id = ? and exists (select 1 from verdicts where verdicts.run_id = runs.id)
            order by batch_runs.rowid""",
            batch_id,
        )
        return {
            (row["task"], row["repeat"]): None if row["success"] is None else bool(row["success"])
            for row in rows
        }
