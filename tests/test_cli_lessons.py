"""A person looks at lessons, judges them and changes their words; the history keeps those before."""

import json
from pathlib import Path

import pytest

from tests.commands import Done, webagent
from tests.review import HOST, add_run, call, refused
from webagent.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store.open(tmp_path / "workflows.db") as store:
        add_run(store, "r1", success=False)
        add_run(store, "r2", success=True)
    return tmp_path / "workflows.db"


@pytest.fixture
def lesson(path: Path) -> str:
    """The id of a candidate that one run was shown; there is one of another site too."""
    with Store.open(path) as store:
        lesson_id = store.add_lesson(
            HOST, "press Enter", "the list is empty", run_id="r1", evidence="r1#1", why="run r1 failed"
        )
        store.add_lesson("other.test", "never mind")
        store.add_lesson_use(lesson_id, "r2", success=True)
        store.add_lesson_weights(lesson_id, success=1.0)
    return lesson_id


def lines(done: Done) -> list[dict[str, object]]:
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_the_list_can_be_narrowed_by_site_and_status(path: Path, lesson: str) -> None:
    assert len(lines(call(path, "lessons", "list", "--json"))) == 2
    rows = lines(call(path, "lessons", "list", "--json", "--site", "maps"))
    assert [(row["id"], row["when_text"], row["text"]) for row in rows] == [
        (lesson, "the list is empty", "press Enter")
    ]
    assert lines(call(path, "lessons", "list", "--json", "--status", "active")) == []
    assert "1 of 1" in call(path, "lessons", "list").out


def test_show_tells_words_uses_and_origin(path: Path, lesson: str) -> None:
    out = call(path, "lessons", "show", lesson[:6]).out
    for words in ("when: the list is empty", "text: press Enter", "1 successes, 0 failures", "r1#1", HOST):
        assert words in out
    row = lines(call(path, "lessons", "show", lesson, "--json"))[0]
    assert row["lesson_uses"] == [{"lesson_id": lesson, "run_id": "r2", "success": True}]
    assert row["history"][0]["why"] == "run r1 failed"  # type: ignore[index]


def test_approve_retire_and_restore_are_events_of_a_person(path: Path, lesson: str) -> None:
    assert "is active, was candidate" in call(path, "lessons", "approve", lesson, "--why", "true").err
    assert "already" in call(path, "lessons", "approve", lesson).err
    assert lines(call(path, "lessons", "retire", lesson, "--json"))[0]["status"] == "retired"
    assert "is active, was retired" in call(path, "lessons", "restore", lesson).err
    events = lines(call(path, "lessons", "history", lesson, "--json"))
    assert [(event["status"], event["by"]) for event in events] == [
        ("candidate", "program"),
        ("active", "person"),
        ("retired", "person"),
        ("active", "person"),
    ]
    assert str(events[1]["why"]).startswith("true")


def test_an_edit_keeps_the_words_before_it_in_the_history(path: Path, lesson: str) -> None:
    file = path.with_name("edit.md")
    file.write_text("text: press Enter twice\n\nwhen: the list stays empty\n")
    row = lines(call(path, "lessons", "edit", lesson, "--file", str(file), "--json"))[0]
    assert (row["text"], row["when_text"], row["owner"]) == (
        "press Enter twice",
        "the list stays empty",
        "person",
    )
    assert "before: the list is empty — press Enter" in call(path, "lessons", "history", lesson).out
    assert "as it was" in call(path, "lessons", "edit", lesson, "--file", str(file)).err
    assert len(lines(call(path, "lessons", "history", lesson, "--json"))) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("when: always\n", ["text", "missing"]),
        ("when: always\ntext:  \n", ["text", "empty"]),
        ("text: a\nand b\n", ["line 2", "'and b'"]),
        ("text: a\ntext: b\n", ["line 2", "second"]),
        (f"text: {'a' * 300}\n", ["line 1", "300", "240"]),
        (f"text: a\nwhen: {'a' * 121}\n", ["line 2", "121", "120"]),
    ],
)
def test_a_bad_text_is_refused_with_its_line(path: Path, lesson: str, text: str, words: list[str]) -> None:
    file = path.with_name("edit.md")
    file.write_text(text)
    refused(call(path, "lessons", "edit", lesson, "--file", str(file)), "edit.md", *words)
    assert len(lines(call(path, "lessons", "history", lesson, "--json"))) == 1


@pytest.mark.parametrize("command", ["show", "approve", "retire", "restore", "edit", "history"])
def test_an_unknown_id_is_named_with_the_way_to_the_list(path: Path, lesson: str, command: str) -> None:
    refused(call(path, "lessons", command, "nope"), "'nope'", "`webagent lessons list`")
    refused(call(path, "lessons", command, "ls_"), "'ls_'", "several", lesson)


def test_changes_to_a_database_that_is_not_there_make_none(tmp_path: Path) -> None:
    refused(call(tmp_path / "none.db", "lessons", "retire", "ls_1"), "none.db", code=3)
    assert list(tmp_path.iterdir()) == []


def test_the_commands_work_as_a_process_of_their_own(path: Path, lesson: str) -> None:
    assert lesson in webagent("lessons", "list", cwd=path.parent).out
    done = webagent("lessons", "approve", lesson, "--json", cwd=path.parent)
    assert done.json["status"] == "active"
    refused(webagent("lessons", "show", "nope", cwd=path.parent), "'nope'")
