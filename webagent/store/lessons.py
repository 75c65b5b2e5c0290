"""Lessons: short warnings of one hostname, learned from failed runs."""

from collections.abc import Sequence

from webagent.ids import new_id, now
from webagent.store.connection import Connection, Row
from webagent.store.workflows import LIVE, STATUSES

LESSON_COLUMNS = ["id", "hostname", "text", "status", "run_id", "uses", "created_at", "last_used_at"]
"""What others may query, in order (SPEC section 5)."""


class Lessons(Connection):
    """The part of `Store` about lessons."""

    def add_lesson(
        self, hostname: str, text: str, run_id: str | None = None, status: str = "candidate"
    ) -> str:
        """Stores a lesson; its id."""
        if status not in STATUSES:
            raise ValueError(f"{status!r} is none of {', '.join(STATUSES)}")
        keys = {"id": new_id("ls"), "status": status, "run_id": run_id, "created_at": now()}
        with self.writing():
            self._insert("lessons", keys, {"hostname": hostname, "text": text})
        return keys["id"] or ""

    def lessons(self, hostname: str | None = None, statuses: Sequence[str] = LIVE) -> list[Row]:
        """Rows of lessons with one of the statuses, oldest first."""
        return self._rows(
            f"""select {", ".join(LESSON_COLUMNS)} from lessons where (?1 is null or hostname = ?1)
            and status in ({", ".join("?" * len(statuses))}) order by created_at, id""",
            hostname,
            *statuses,
        )

    def lesson(self, id_or_prefix: str) -> Row | None:
        """The row of a lesson by its id or the start of it. Raises UsageError where several fit."""
        lesson_id = self._full_id("lessons", id_or_prefix)
        return self._row("select * from lessons where id = ?", lesson_id) if lesson_id else None

    def set_lesson_status(self, lesson_id: str, status: str) -> None:
        """Changes a lesson's status. Raises KeyError where there is no such lesson."""
        if status not in STATUSES:
            raise ValueError(f"{status!r} is none of {', '.join(STATUSES)}")
        with self.writing():
            if not self._run("update lessons set status = ? where id = ?", status, lesson_id):
                raise KeyError(lesson_id)

    def set_lesson_text(self, lesson_id: str, text: str) -> None:
        """Changes a lesson's words. Raises KeyError where there is no such lesson."""
        with self.writing():
            if not self._run("update lessons set text = ? where id = ?", self.masked(text), lesson_id):
                raise KeyError(lesson_id)

    def touch_lesson(self, lesson_id: str) -> None:
        """Counts one use, now."""
        with self.writing():
            self._run("update lessons set uses = uses + 1, last_used_at = ? where id = ?", now(), lesson_id)
