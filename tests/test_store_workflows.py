"""Workflow versions are only ever added, every change is an event, and the search takes any goal."""

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest

from webagent.errors import DatabaseFault, UsageError
from webagent.observation import Target
from webagent.store import RunRow, Store
from webagent.store.bodies import BODY_FIELDS, from_object, object_of
from webagent.store.workflows import WORKFLOW_COLUMNS
from webagent.workflow import AnswerReader, Variable, Workflow, WorkflowStep

ODD = ["plain", "Ünï·cødé 東京 🗺", "qu\"ote' back\\slash", "line\nbreak", "{place}", "", "NULL", "<b>"]
ZIP = Workflow(
    "wf_zip",
    0,
    "maps.localhost",
    "find the zip code of a place",
    "Given that you are on the start page, this finds the zip code of a place.",
    (WorkflowStep("type", Target("textbox", "Search"), {"text": "{place}", "submit": True}),),
    (Variable("place", "a place", "CMU"),),
    ("find zip code of {place}",),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "workflows.db") as store:
        yield store


def save(store: Store, workflow: Workflow = ZIP, **changes: object) -> Workflow:
    return store.save_workflow(replace(workflow, **changes), ["r1"], "program", "learned")


def random_workflow(rng: random.Random) -> Workflow:
    def odd() -> str:
        return rng.choice(ODD)

    def some(limit: int) -> range:
        return range(rng.randint(0, limit))

    def step() -> WorkflowStep:
        target = rng.choice([None, Target(odd(), odd(), rng.randint(0, 3), odd(), odd(), rng.randint(0, 3))])
        arguments = rng.choice(
            [{}, {"text": odd(), "clear": False}, {"options": [odd(), odd()]}, {"dx": 1.5, "n": 3}]
        )
        return WorkflowStep("click", target, arguments, odd(), odd(), odd(), rng.random() < 0.5, odd())

    reader = AnswerReader(odd(), odd(), odd(), odd(), odd(), tuple(odd() for _ in some(3)))
    return Workflow(
        f"wf_{rng.random()}",
        0,
        rng.choice(["a.test", "127.0.0.1:8001", "[::1]:80"]),
        odd(),
        odd(),
        tuple(step() for _ in some(5)),
        tuple(Variable(odd(), odd(), odd(), rng.random() < 0.5) for _ in some(3)),
        tuple(odd() for _ in some(3)),
        odd(),
        rng.choice([None, reader]),
        rng.choice(["candidate", "active", "quarantined", "retired"]),
        rng.choice(["llm", "rule", "person", "import"]),
        rng.choice(["program", "person"]),
        rng.choice(["online", "offline", "import"]),
        rng.random(),
        rng.random(),
        rng.randint(0, 9),
        tuple(dict.fromkeys(rng.choice(["r1", "r2", "r3"]) for _ in some(3))),
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_workflow_comes_back_without_loss(store: Store, seed: int) -> None:
    workflow = random_workflow(random.Random(seed))
    saved = store.save_workflow(workflow, workflow.origins, "program", "learned")
    assert saved == replace(workflow, version=1)
    assert store.workflow(workflow.id) == saved
    assert from_object(Workflow, object_of(saved)) == saved


def test_every_field_of_a_workflow_has_a_column_or_a_place_in_the_body() -> None:
    assert {field.name for field in fields(Workflow)} - {*BODY_FIELDS, "origins"} <= set(WORKFLOW_COLUMNS)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ([], "WorkflowStep must be an object"),
        ({}, "WorkflowStep lacks a field"),
        ({"tool": 1}, "tool must be of type str, not int"),
        ({"tool": "click", "target": {"role": None}}, "target.role must be of type str"),
        ({"tool": "click", "arguments": []}, "arguments must be an object"),
        ({"tool": "click", "surprise": 1}, "WorkflowStep has an unknown field 'surprise'"),
        ({"tool": "click", "changes": 1}, "changes must be of type bool, not int"),
    ],
)
def test_a_broken_object_is_refused_by_the_name_of_its_field(body: object, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        from_object(WorkflowStep, body)


def test_a_broken_body_in_the_file_is_a_fault_that_names_the_workflow(store: Store) -> None:
    save(store)
    with sqlite3.connect(store.path) as other:
        other.execute("""update workflows set body = '{"steps": [{"tool": 5}]}'""")
    other.close()
    with pytest.raises(DatabaseFault, match=r"wf_zip@1 \(steps\[0\]\.tool must be of type str"):
        store.workflow("wf_zip")


def test_a_new_version_never_overwrites_an_old_one(store: Store) -> None:
    first = save(store)
    second = save(store, name="better")
    assert (first.version, second.version) == (1, 2)
    assert [each.name for each in store.versions("wf_zip")] == [ZIP.name, "better"]
    assert store.workflow("wf_zip") == second
    assert store.workflow("wf_z") == second
    assert store.workflow("wf_zip@1") == first
    assert store.workflow("wf_zip@3") is None
    assert store.workflow("wf_zip@x") is None
    assert store.workflow("wf_none") is None
    save(store, id="wf_zap")
    with pytest.raises(UsageError, match="'wf_z' is the start of several ids: wf_zap, wf_zip"):
        store.workflow("wf_z")


def test_every_change_of_status_is_an_event_with_who_and_why(store: Store) -> None:
    save(store)
    store.set_status("wf_zip", 1, "active", "program", "two successes")
    store.set_status("wf_zip", 1, "active", "program", "again: nothing changes")
    store.set_status("wf_zip", 1, "retired", "ana", "the site changed")
    store.set_status("wf_zip", 1, "active", "ana", "restored")
    assert [(row["version"], row["status"], row["by"], row["why"]) for row in store.history("wf_zip")] == [
        (1, "candidate", "program", "learned"),
        (1, "active", "program", "two successes"),
        (1, "retired", "ana", "the site changed"),
        (1, "active", "ana", "restored"),
    ]
    with pytest.raises(KeyError):
        store.set_status("wf_zip", 9, "active", "ana", "no such version")
    with pytest.raises(ValueError, match="'happy' is none of"):
        store.set_status("wf_zip", 1, "happy", "ana", "")


def test_at_most_one_version_is_active(store: Store) -> None:
    save(store, status="active")
    save(store, status="active")
    save(store)
    assert [each.status for each in store.versions("wf_zip")] == ["retired", "active", "candidate"]
    store.set_status("wf_zip", 3, "active", "program", "better")
    assert [each.status for each in store.versions("wf_zip")] == ["retired", "retired", "active"]
    assert store.history("wf_zip")[-2]["why"] == "replaced by version 3"
    with sqlite3.connect(store.path) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute("update workflows set status = 'active'")
    other.close()


def test_lists_hold_the_newest_version_that_has_one_of_the_statuses(store: Store) -> None:
    save(store, status="active")
    save(store, status="candidate", name="newer")
    save(store, id="wf_old", status="retired", hostname="b.test")
    assert [each.label for each in store.workflows()] == ["wf_zip@2"]
    assert [each.label for each in store.workflows(statuses=["active"])] == ["wf_zip@1"]
    assert [each.label for each in store.workflows(statuses=["retired"])] == ["wf_old@1"]
    assert [each.label for each in store.workflows("b.test")] == []
    assert [each.label for each in store.workflows(query="NEWER")] == ["wf_zip@2"]
    assert store.workflows(query="100%") == []
    row = store.workflow_rows("maps.localhost")[0]
    assert list(row) == list(WORKFLOW_COLUMNS)
    assert row["body"]["goals"] == ["find zip code of {place}"]
    assert [row["version"] for row in store.version_rows("wf_zip")] == [1, 2]
    assert store.hostnames() == ["b.test", "maps.localhost"]
    counts = store.counts()
    assert (counts["active"], counts["candidate"], counts["retired"]) == (1, 1, 1)


def test_uses_are_noted_once_a_run_and_settled_after_the_verdict(store: Store) -> None:
    save(store)
    store.start_run(RunRow("r1", "g", "maps.localhost", "http://maps.localhost/"))
    store.add_use("wf_zip", 1, "r1", "prompt", followed=False)
    assert store.workflow("wf_zip").uses == 0  # type: ignore[union-attr]
    for _ in range(2):
        store.add_use("wf_zip", 1, "r1", "prompt", followed=True)
    store.add_use("wf_zip", 1, "r1", "action", followed=True)
    store.settle_uses("r1", True)
    assert [(row["mode"], row["followed"], row["success"]) for row in store.uses(run_id="r1")] == [
        ("prompt", True, True),
        ("action", True, True),
    ]
    assert store.uses(workflow_id="wf_zip") == store.uses(run_id="r1")
    store.add_weights("wf_zip", 1, success=1.0)
    store.add_weights("wf_zip", 1, success=0.5, failure=0.25)
    workflow = store.workflow("wf_zip")
    assert workflow is not None
    assert (workflow.uses, workflow.success_weight, workflow.failure_weight) == (1, 1.5, 0.25)
    assert store.workflow_rows()[0]["last_used_at"] is not None
    assert store.learned_from("r1") == ["wf_zip@1"]
    with pytest.raises(ValueError, match="'guess' is none of"):
        store.add_use("wf_zip", 1, "r1", "guess", followed=True)
    with pytest.raises(sqlite3.IntegrityError):
        store.add_use("wf_zip", 7, "r1", "prompt", followed=True)


def test_the_search_finds_by_goal_within_a_hostname(store: Store) -> None:
    save(store)
    save(store, id="wf_phone", name="find the phone number", description="", goals=("find phone of {place}",))
    save(store, id="wf_else", hostname="other.localhost")
    found = store.search_workflows("maps.localhost", "find zip code of CMU")
    assert [workflow.id for workflow, _ in found] == ["wf_zip", "wf_phone"]
    assert found[0][1] > found[1][1] > 0
    assert [workflow.id for workflow, _ in store.search_workflows("maps.localhost", "zips", 1)] == ["wf_zip"]
    assert [workflow.id for workflow, _ in store.search_workflows("other.localhost", "zip")] == ["wf_else"]
    assert {workflow.id for workflow, _ in store.search_workflows(None, "zip code")} == {"wf_zip", "wf_else"}
    assert store.search_workflows("localhost", "zip") == []
    assert store.search_workflows("maps", "zip") == []


GOALS = [
    "",
    "   ",
    '"(a-b" NEAR zip',
    "zip AND",
    "zip OR NOT (",
    "name:zip",
    "zip*",
    "^zip",
    "{name} : zip",
    "NEAR(zip code, 3)",
    "'; drop table workflows; --",
    "zip\x00code",
    "zip \ud800",
    "🗺 ‍ \u0301 \u200b _ __",
    "東京のzip",
    "क्षि café cafe\u0301",
    "zip " * 5000,
    "".join(map(chr, range(1, 700))),
]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("hostname", ["maps.localhost", None, "", 'od"d:host', "zip"])
def test_any_goal_and_hostname_can_be_searched_for(store: Store, goal: str, hostname: str | None) -> None:
    save(store)
    save(store, id="wf_other", hostname="b.test", name="log in", description="", goals=("log in as {user}",))
    found = store.search_workflows(hostname, goal)
    if hostname in (None, "maps.localhost") and "zip" in goal.split():
        assert [workflow.id for workflow, _ in found] == ["wf_zip"]


def test_the_index_follows_every_change(store: Store) -> None:
    def found(goal: str = "zip") -> list[str]:
        return [workflow.label for workflow, _ in store.search_workflows("maps.localhost", goal)]

    save(store, status="active")
    assert found() == ["wf_zip@1"]
    store.set_status("wf_zip", 1, "quarantined", "program", "failed")
    assert found() == []
    store.set_status("wf_zip", 1, "active", "program", "works")
    save(store, name="postal codes", description="", goals=("postal code of {place}",))
    assert found("postal") == ["wf_zip@2"]
    assert found() == ["wf_zip@1"], "the active version stays in the index beside a newer candidate"
    assert found("code") == ["wf_zip@2"], "of two versions that fit, the newest"
    with sqlite3.connect(store.path) as other:
        other.execute("pragma foreign_keys = on")
        other.execute("update workflows set name = 'renamed outside' where version = 2")
        other.execute("delete from workflows where version = 1")
    other.execute("vacuum")
    other.close()
    assert found("renamed") == ["wf_zip@2"]
    assert found() == []
    assert store.check() == []


def test_several_calls_can_share_one_transaction(store: Store) -> None:
    def stop_half_way() -> None:
        with store.writing():
            save(store)
            store.add_lesson("maps.localhost", "text")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        stop_half_way()
    assert store.counts()["workflows"] == store.counts()["lessons"] == 0
    with store.writing():
        if not store.workflows("maps.localhost"):
            save(store)
    assert store.counts()["workflows"] == 1
