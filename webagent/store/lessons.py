"""Lessons: short warnings of one hostname, learned from failed runs; their life, words and uses."""

from collections.abc import Sequence

from webagent.ids import new_id, now
from webagent.store.connection import Connection, Row
from webagent.store.workflows import LIVE, STATUSES

LESSON_COLUMNS = [
    "id",
    "hostname",
    "text",
    "status",
    "run_id",
    "uses",
    "created_at",
    "last_used_at",
    "when_text",
    "success_weight",
    "failure_weight",
    "owner",
    "evidence",
]
"""What others may query, in order (SPEC section 5), and after them those of the lesson's life."""


class Lessons(Connection):
    """The part of `Store` about lessons."""

    def add_lesson(
        self,
        hostname: str,
        text: str,
        when: str = "",
        *,
        run_id: str | None = None,
        evidence: str = "",
        status: str = "candidate",
        by: str = "program",
        why: str = "",
    ) -> str:
        """Stores a lesson, owned by who adds it (program or person); its id. `when` says when it
        applies, `evidence` is the `run_id#step` it was learned from."""
        _check_status(status)
        lesson_id = new_id("ls")
        keys = {
            "id": lesson_id,
            "status": status,
            "run_id": run_id,
            "created_at": now(),
            "owner": by,
            "evidence": evidence,
        }
        with self.writing():
            self._insert("lessons", keys, {"hostname": hostname, "text": text, "when_text": when})
            self._add_lesson_event(lesson_id, status, by, why)
        return lesson_id

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
        return self._lesson(lesson_id) if lesson_id else None

    def set_lesson_status(self, lesson_id: str, status: str, by: str, why: str) -> Row:
        """Changes a lesson's status and notes who did and why; its row. Raises KeyError where there is
        no such lesson."""
        _check_status(status)
        with self.writing():
            if self._needed_lesson(lesson_id)["status"] != status:
                self._run("update lessons set status = ? where id = ?", status, lesson_id)
                self._add_lesson_event(lesson_id, status, by, why)
            return self._needed_lesson(lesson_id)

    def edit_lesson(self, lesson_id: str, text: str, when: str, by: str, why: str = "edited") -> Row:
        """Changes a lesson's words; who does owns it from then on, and the words before are kept in
        the event. Its evidence was of those words and begins anew. Its row is returned. Raises
        KeyError where there is no such lesson."""
        with self.writing():
            before = self._needed_lesson(lesson_id)
            words = (self.masked(text), self.masked(when))
            if words == (before["text"], before["when_text"]):
                return before
            self._run(
                """update lessons set text = ?, when_text = ?, owner = ?, success_weight = 0,
                failure_weight = 0 where id = ?""",
                *words,
                by,
                lesson_id,
            )
            self._add_lesson_event(lesson_id, before["status"], by, why, replaced=before)
            return self._needed_lesson(lesson_id)

    def lesson_history(self, lesson_id: str) -> list[Row]:
        """What became of a lesson: status, by, at, why, oldest first, and for an edit the words that
        it replaced (text, when_text; else None)."""
        return self._rows(
            """select status, "by", at, why, text, when_text from lesson_events where lesson_id = ?
            order by rowid""",
            lesson_id,
        )

    def add_lesson_use(self, lesson_id: str, run_id: str, success: bool | None = None) -> None:
        """Notes that a run was shown a lesson; the first time counts as a use, a second call tells
        how the run went."""
        with self.writing():
            known = self._value(
                "select 1 from lesson_uses where lesson_id = ? and run_id = ?", lesson_id, run_id
            )
            self._run(
                """insert into lesson_uses (lesson_id, run_id, success) values (?, ?, ?)
                on conflict do update set success = coalesce(excluded.success, success)""",
                lesson_id,
                run_id,
                success,
            )
            if not known:
                self._run(
                    "update lessons set uses = uses + 1, last_used_at = ? where id = ?", now(), lesson_id
                )

    def settle_lesson_uses(self, run_id: str, success: bool | None) -> None:
        """Tells all uses of a run how it went."""
        with self.writing():
            self._run("update lesson_uses set success = ? where run_id = ?", success, run_id)

    def lesson_uses(self, lesson_id: str | None = None, *, run_id: str | None = None) -> list[Row]:
        """Rows of lesson_uses (lesson_id, run_id, success) of a lesson, a run, or both, oldest first."""
        rows = self._rows(
            """select lesson_id, run_id, success from lesson_uses
            where (?1 is null or run_id = ?1) and (?2 is null or lesson_id = ?2) order by rowid""",
            run_id,
            lesson_id,
        )
        return [{**row, "success": None if row["success"] is None else bool(row["success"])} for row in rows]

    def add_lesson_weights(self, lesson_id: str, success: float = 0.0, failure: float = 0.0) -> None:
        """Adds evidence to a lesson."""
        with self.writing():
            self._run(
                """update lessons set success_weight = success_weight + ?,
                failure_weight = failure_weight + ? where id = ?""",
                success,
                failure,
                lesson_id,
            )

    def _lesson(self, lesson_id: str) -> Row | None:
        return self._row(f"select {', '.join(LESSON_COLUMNS)} from lessons where id = ?", lesson_id)

    def _needed_lesson(self, lesson_id: str) -> Row:
        row = self._lesson(lesson_id)
        if row is None:
            raise KeyError(lesson_id)
        return row

    def _add_lesson_event(
        self, lesson_id: str, status: str, by: str, why: str, replaced: Row | None = None
    ) -> None:
        keys = {"lesson_id": lesson_id, "status": status, "at": now()}
        words = {"text": replaced["text"], "when_text": replaced["when_text"]} if replaced else {}
        self._insert("lesson_events", keys, {"by": by, "why": why, **words})


def _check_status(status: str) -> None:
    if status not in STATUSES:
        raise ValueError(f"{status!r} is none of {', '.join(STATUSES)}")
