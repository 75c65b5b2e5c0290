"""A person looks at runs, gives verdicts that count, takes runs out as JSON Lines, and deletes them."""

import json
from pathlib import Path

import pytest

from tests.commands import Done, webagent
from tests.review import HOST, ZIP, add_run, add_workflow, call, refused, story
from webagent.store import RunRow, Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return story(tmp_path / "workflows.db")


def lines(done: Done) -> list[dict[str, object]]:
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_runs_are_listed_and_shown_with_what_they_were_given(path: Path) -> None:
    assert [row["id"] for row in lines(call(path, "runs", "list", "--json", "--limit", "2"))] == ["r5", "r4"]
    out = call(path, "runs", "show", "r1").out
    assert "wf_zip@2 (prompt, followed): find the zip code of a place" in out
    assert "success by expect" in out
    whole = lines(call(path, "runs", "show", "r1", "--json"))[0]
    assert (whole["steps"], len(whole["trajectory"])) == (1, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("command", [["show"], ["judge", "--success"], ["export"], ["delete", "--yes"]])
def test_an_unknown_id_is_named_with_the_way_to_the_list(path: Path, command: list[str]) -> None:
    refused(call(path, "runs", *command, "nope"), "'nope'", "`webagent runs list`")
    refused(call(path, "runs", *command, "r"), "'r'", "r1, r2, r3, r4, r5")


# --- judge --------------------------------------------------------------------------------------


def test_a_persons_verdict_counts_and_all_are_kept(path: Path) -> None:
    done = call(path, "runs", "judge", "r1", "--failure", "--reason", "that is the old zip code")
    assert "r1 counts as failure by human: that is the old zip code" in done.err
    verdicts = lines(call(path, "runs", "judge", "r1", "--success", "--json"))
    assert [(row["judge"], row["success"]) for row in verdicts] == [
        ("expect", True),
        ("human", False),
        ("human", True),
    ]
    row = lines(call(path, "runs", "show", "r1", "--json"))[0]
    assert (row["success"], row["judge"]) == (True, "human")


def test_evidence_follows_a_persons_verdict(path: Path) -> None:
    with Store.open(path) as store:
        lesson = store.add_lesson(HOST, "wait")
        store.add_lesson_use(lesson, "r1", success=True)
    done = call(path, "runs", "judge", "r1", "--failure")
    assert "evidence counted anew: wf_search@1, wf_zip@1, wf_zip@2" in done.err
    with Store.open(path) as store:
        assert [use["success"] for use in store.uses(run_id="r1")] == [False]
        assert [use["success"] for use in store.lesson_uses(lesson)] == [False]
        found = store.workflow("wf_zip@2")
    assert found is not None
    assert found.failure_weight > 0


def test_a_verdict_needs_a_word_and_a_run_that_has_ended(path: Path) -> None:
    refused(call(path, "runs", "judge", "r1"), "--success or --failure")
    with Store.open(path) as store:
        store.start_run(RunRow("living", "goal", HOST, f"http://{HOST}/"))
    refused(call(path, "runs", "judge", "living", "--success"), "living", "still going on")
    refused(call(path, "runs", "delete", "living", "--yes"), "living", "still going on")


# --- export -------------------------------------------------------------------------------------


def test_export_writes_one_object_a_run_oldest_first(path: Path) -> None:
    rows = lines(call(path, "runs", "export"))
    assert [row["id"] for row in rows] == ["r1", "r2", "r3", "r4", "r5"]
    first = rows[0]
    assert first["trajectory"][0]["action"]["text"] == "CMU"  # type: ignore[index]
    assert first["workflow_uses"][0]["workflow_id"] == "wf_zip"  # type: ignore[index]
    assert first["verdicts"][0]["judge"] == "expect"  # type: ignore[index]
    assert "observations" not in first
    assert [row["id"] for row in lines(call(path, "runs", "export", "r3", "r2", "r3"))] == ["r3", "r2"]


def test_export_can_hold_the_page_texts(path: Path) -> None:
    row = lines(call(path, "runs", "export", "r2", "--pages"))[0]
    digest = row["trajectory"][0]["observation_hash"]  # type: ignore[index]
    assert "seen by r2" in row["observations"][digest]  # type: ignore[index]


def test_export_of_a_site_takes_its_name_or_hostname(path: Path) -> None:
    with Store.open(path) as store:
        add_run(store, "r9", hostname="other.test")
    assert len(lines(call(path, "runs", "export", "--site", "maps"))) == 6
    assert [row["id"] for row in lines(call(path, "runs", "export", "--site", "other.test"))] == ["r9"]
    refused(call(path, "runs", "export", "--site", "nope"), "'nope'", "`webagent runs list`")
    refused(call(path, "runs", "export", "r1", "--site", "maps"), "not both")


def test_export_to_a_file_says_how_many_and_never_hits_the_database(path: Path) -> None:
    out = path.with_name("runs.jsonl")
    done = call(path, "runs", "export", "--out", str(out))
    assert (done.out, "5 runs written" in done.err) == ("", True)
    assert len(out.read_text().splitlines()) == 5
    before = path.read_bytes()
    refused(call(path, "runs", "export", "--out", str(path)), "the database itself")
    assert path.read_bytes() == before
    refused(call(path, "runs", "export", "--out", str(path.parent / "no" / "runs.jsonl")), "can't be written")


# --- delete -------------------------------------------------------------------------------------


def test_deleting_asks_and_names_what_stays(path: Path) -> None:
    assert "nothing was deleted" in call(path, "runs", "delete", "r1", answer="n\n").err
    refused(call(path, "runs", "delete", "r1"), "--yes", "r1")
    done = call(path, "runs", "delete", "r1", "r3", answer="y\n")
    assert "r1 is deleted; kept, though learned from it: wf_zip@1, wf_zip@2, wf_search@1" in done.err
    assert "r3 is deleted\n" in done.err
    assert [row["id"] for row in lines(call(path, "runs", "list", "--json"))] == ["r5", "r4", "r2"]
    assert "r1: not in this database" in call(path, "workflows", "show", "wf_zip").out
    assert lines(call(path, "runs", "delete", "r2", "--yes", "--json")) == [
        {"id": "r2", "learned": ["wf_zip@2"]}
    ]


def test_one_unknown_id_among_others_deletes_nothing(path: Path) -> None:
    refused(call(path, "runs", "delete", "r1", "nope", "--yes"), "'nope'")
    assert len(lines(call(path, "runs", "list", "--json"))) == 5


def test_changes_to_a_database_that_is_not_there_make_none(tmp_path: Path) -> None:
    refused(call(tmp_path / "none.db", "runs", "judge", "r1", "--success"), "none.db", code=3)
    refused(call(tmp_path / "none.db", "runs", "delete", "r1", "--yes"), "none.db", code=3)
    assert list(tmp_path.iterdir()) == []


def test_the_commands_work_as_a_process_of_their_own(path: Path) -> None:
    with Store.open(path) as store:
        add_workflow(store, ZIP, ["r4"], id="wf_last")
    folder = path.parent
    assert webagent("runs", "judge", "r4", "--success", "--json", cwd=folder).out.count('"human"') == 1
    assert webagent("runs", "export", "r4", cwd=folder).json["judge"] == "human"
    assert "wf_last@1" in webagent("runs", "delete", "r4", "--yes", cwd=folder).err
    refused(webagent("runs", "delete", "r5", cwd=folder), "--yes")
