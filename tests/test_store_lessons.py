"""Lessons have the life of workflows: every change is an event, an edit keeps the words before it."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from webagent.store import RunRow, Store
from webagent.store.lessons import LESSON_COLUMNS


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "workflows.db") as store:
        yield store


def start(store: Store, run_id: str) -> None:
    store.start_run(RunRow(run_id, "find zip code of CMU", "maps.localhost", "http://maps.localhost/"))


def test_a_lesson_is_stored_with_when_it_applies_and_where_it_came_from(store: Store) -> None:
    start(store, "r1")
    lesson_id = store.add_lesson(
        "maps.localhost",
        "press Enter",
        "the list is empty",
        run_id="r1",
        evidence="r1#3",
        why="run r1 failed",
    )
    row = store.lesson(lesson_id[:6])
    assert row is not None
    assert list(row) == LESSON_COLUMNS
    assert (row["text"], row["when_text"], row["evidence"]) == ("press Enter", "the list is empty", "r1#3")
    assert (row["status"], row["owner"], row["uses"]) == ("candidate", "program", 0)
    event = store.lesson_history(lesson_id)[0]
    assert (event["status"], event["by"], event["why"]) == ("candidate", "program", "run r1 failed")
    assert (event["text"], event["when_text"]) == (None, None)
    assert store.lesson("none") is None
    with pytest.raises(ValueError, match="'happy' is none of"):
        store.add_lesson("maps.localhost", "text", status="happy")


def test_lessons_are_listed_by_hostname_and_status(store: Store) -> None:
    first = store.add_lesson("a.test", "wait for the list")
    second = store.add_lesson("b.test", "never mind", status="active", by="person")
    assert [row["id"] for row in store.lessons("a.test")] == [first]
    assert {row["id"] for row in store.lessons()} == {first, second}
    store.set_lesson_status(first, "retired", "person", "no use")
    assert store.lessons("a.test") == []
    assert [row["id"] for row in store.lessons("a.test", ["retired"])] == [first]


def test_a_status_change_is_an_event_and_no_change_is_none(store: Store) -> None:
    lesson_id = store.add_lesson("a.test", "wait")
    assert store.set_lesson_status(lesson_id, "active", "person", "it helps")["status"] == "active"
    store.set_lesson_status(lesson_id, "active", "person", "again")
    events = [(event["status"], event["by"], event["why"]) for event in store.lesson_history(lesson_id)]
    assert events == [("candidate", "program", ""), ("active", "person", "it helps")]
    with pytest.raises(KeyError):
        store.set_lesson_status("none", "active", "person", "")
    with pytest.raises(ValueError, match="is none of"):
        store.set_lesson_status(lesson_id, "happy", "person", "")


def test_an_edit_keeps_the_words_before_it_and_starts_the_evidence_anew(store: Store) -> None:
    lesson_id = store.add_lesson("a.test", "wait", "always")
    store.add_lesson_weights(lesson_id, success=1.0, failure=0.5)
    row = store.edit_lesson(lesson_id, "wait for the whole list", "the list grows", "person", "clearer")
    assert (row["text"], row["when_text"], row["owner"]) == (
        "wait for the whole list",
        "the list grows",
        "person",
    )
    assert (row["success_weight"], row["failure_weight"]) == (0.0, 0.0)
    edit = store.lesson_history(lesson_id)[-1]
    assert (edit["text"], edit["when_text"], edit["by"], edit["why"]) == (
        "wait",
        "always",
        "person",
        "clearer",
    )
    store.edit_lesson(lesson_id, "wait for the whole list", "the list grows", "person")
    assert len(store.lesson_history(lesson_id)) == 2, "the same words again are no edit"
    with pytest.raises(KeyError):
        store.edit_lesson("none", "x", "", "person")


def test_a_use_counts_once_a_run_and_is_settled_later(store: Store) -> None:
    lesson_id = store.add_lesson("maps.localhost", "wait")
    for run_id in ("r1", "r2"):
        start(store, run_id)
        store.add_lesson_use(lesson_id, run_id)
    store.add_lesson_use(lesson_id, "r1", success=True)
    store.add_lesson_use(lesson_id, "r1")
    assert [(use["run_id"], use["success"]) for use in store.lesson_uses(lesson_id=lesson_id)] == [
        ("r1", True),
        ("r2", None),
    ]
    store.settle_lesson_uses("r2", success=False)
    assert [use["success"] for use in store.lesson_uses(run_id="r2")] == [False]
    row = store.lesson(lesson_id)
    assert row is not None
    assert row["uses"] == 2
    assert row["last_used_at"] is not None
    with pytest.raises(sqlite3.IntegrityError):
        store.add_lesson_use("none", "r1")


def test_evidence_adds_up(store: Store) -> None:
    lesson_id = store.add_lesson("a.test", "wait")
    store.add_lesson_weights(lesson_id, success=0.5)
    store.add_lesson_weights(lesson_id, success=1.0, failure=0.25)
    row = store.lesson(lesson_id)
    assert row is not None
    assert (row["success_weight"], row["failure_weight"]) == (1.5, 0.25)


def test_a_lesson_outlives_its_run_and_its_uses_do_not(store: Store) -> None:
    start(store, "r1")
    lesson_id = store.add_lesson("maps.localhost", "wait", run_id="r1", evidence="r1#2")
    store.add_lesson_use(lesson_id, "r1")
    store.delete_run("r1")
    row = store.lesson(lesson_id)
    assert row is not None
    assert (row["run_id"], row["evidence"], row["uses"]) == (None, "r1#2", 1)
    assert store.lesson_uses() == []
    assert store.check() == []
