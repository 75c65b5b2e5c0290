"""The repository's workflows.db, which makes the README's command work without a model."""

import shutil
from pathlib import Path

import pytest

from fixtures_sites.maps.places import place, search
from tests.commands import webagent
from tests.seeded import SEED
from webagent.store import Store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a copy of the seed, since a run adds to it."""
    shutil.copy(SEED, tmp_path / "workflows.db")
    return tmp_path


def test_it_opens_read_only_and_has_no_pending_migration() -> None:
    with Store.open(SEED, read_only=True) as store:
        assert store.pending() == []
        assert store.check() == []
        assert store.counts()["active"] >= 4
        assert all(workflow.hostname == "maps.localhost" for workflow in store.workflows())


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("find zip code of CMU", "15213"),
        ("What is the ZIP code of the White House?", "20500"),
        ("zip code of MIT", "02139"),
        ("phone number of Andy Warhol Museum", search("Andy Warhol Museum")[0].phone),
        ("when is Duquesne University open?", place("duquesne-university").hours),
    ],
)
def test_it_answers_without_a_model(folder: Path, goal: str, answer: str) -> None:
    done = webagent("run", goal, "--site", "maps", "--json", cwd=folder)
    assert done.code == 0, done.err
    assert done.json["answer"] == answer
    assert done.json["llm"]["calls"] == 0
    assert done.json["policy"] == "replay"


def test_a_name_that_several_places_have_is_not_guessed(folder: Path) -> None:
    done = webagent("run", "find zip code of City Hall", "--site", "maps", "--json", cwd=folder)
    assert done.code == 1
    assert done.json["answer"] is None
    assert "which one is meant is not known" in done.err


def test_the_task_test_is_asked_also_of_a_replay(folder: Path) -> None:
    goal = "find zip code of CMU"
    done = webagent("run", goal, "--site", "maps", "--json", "--expect", '{"answer": "15213"}', cwd=folder)
    assert (done.code, done.json["verdict"]["judge"]) == (0, "expect")
    done = webagent("run", goal, "--site", "maps", "--json", "--expect", '{"answer": "99999"}', cwd=folder)
    assert (done.code, done.json["verdict"]["judge"]) == (1, "expect")


def test_memory_off_replays_nothing(folder: Path) -> None:
    done = webagent("run", "find zip code of CMU", "--site", "maps", "--memory", "off", cwd=folder)
    assert done.code == 3
