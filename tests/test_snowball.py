"""Memory on the arena's map site: what a model that needs its workflows does with and without them."""

import json
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fixtures_sites.tasks import ArenaTask, split
from tests.commands import webagent
from tests.endpoint import Request, ScriptedEndpoint, observation_of, ref_of, text_of
from tests.map_model import goal_of

pytestmark = pytest.mark.slow

LIMIT = 112
STREAM = split("stream", ("maps",))[:LIMIT]
BY_GOAL = {task.goal: task for task in STREAM}
SHAPE = ["type searchbox", "click button", "click link", "stop "]


def is_lookup(task: ArenaTask) -> bool:
    """Whether its solution is to search a place, open it, and tell something of it."""
    shape = [f"{step['action']} {step.get('role', '')}" for step in task.solution]
    return shape == SHAPE and "answer" in task.solution[-1]


LOOKUPS = [task for task in STREAM if is_lookup(task)]
FIRST = {task.template: task.id for task in reversed(LOOKUPS)}
"""The first task of each template, which the model solves by luck."""


def name_of(template: str) -> str:
    """What its workflow is called; two templates of one routine have one workflow."""
    fact = template.partition(".")[2].removesuffix("-of-alias").replace("-", " ")
    return f"look up {fact} of a place"


def needing(request: Request) -> Any:
    """Solves a task only with its template's workflow in the prompt; the first of a template by luck."""
    task = BY_GOAL[goal_of(request)]
    known = re.search(r"<workflows>(.*?)</workflows>", text_of(request), re.DOTALL)
    lucky = FIRST.get(task.template) == task.id
    if not is_lookup(task) or not (lucky or (known and name_of(task.template) in known[1])):
        return [("stop", {"answer": "I don't know", "thought": "nothing tells me how"})]
    page, place = observation_of(request), str(task.solution[2]["name"])
    if f'heading "{place}" [level=1]' in page:
        return [("stop", {"answer": task.solution[-1]["answer"], "thought": "it is on the page"})]
    if 'list "Search results"' in page:
        return [("click", {"ref": ref_of(request, "link", place), "thought": "this place"})]
    box = ref_of(request, "searchbox", "Search for a place")
    return [
        ("type", {"ref": box, "text": task.solution[0]["text"], "thought": "search"}),
        ("click", {"ref": ref_of(request, "button", "Search"), "thought": "go"}),
    ]


def induced(request: Request) -> dict[str, Any]:
    """The workflow of a run that went well, named by its template."""
    text = text_of(request)
    task = next(task for goal, task in BY_GOAL.items() if goal in text)
    cited = re.findall(r"(\S+#\d+): (?:role (\w+), name '([^']*)', )?action (\w+)", text)
    labels = {action + role: (label, role, name) for label, role, name, action in cited}
    typed, search, opened, stop = (
        labels[key] for key in ("typesearchbox", "clickbutton", "clicklink", "stop")
    )

    def step(of: tuple[str, str, str], action: str, name: str, argument: str = "") -> dict[str, str]:
        return {
            "state": "",
            "role": of[1],
            "name": name,
            "action": action,
            "argument": argument,
            "evidence": of[0],
        }

    variables = [("place", task.solution[0]["text"]), ("result", task.solution[2]["name"])]
    if variables[0][1] == variables[1][1]:
        variables.pop()
    return {
        "workflows": [
            {
                "name": name_of(task.template),
                "description": "Given that you are on the map, this tells what is known of a place.",
                "variables": [
                    {"name": name, "description": "a place", "example": value} for name, value in variables
                ],
                "steps": [
                    step(typed, "type", typed[2], "{place}"),
                    step(search, "click", search[2]),
                    step(opened, "click", "{" + variables[-1][0] + "}"),
                    step(stop, "stop", "", "{fact}"),
                ],
            }
        ]
    }


def solved(folder: Path) -> dict[str, set[str]]:
    """The tasks solved, by arm."""
    found: dict[str, set[str]] = {}
    for line in (folder / "runs.jsonl").read_text().splitlines():
        each = json.loads(line)
        found.setdefault(each["arm"], set())
        if each["success"]:
            found[each["arm"]].add(each["task"])
    return found


def changed(path: Path, statement: str) -> None:
    """A database after one statement."""
    database = sqlite3.connect(path)
    with database:
        database.execute(statement)
    database.close()


@pytest.mark.timeout(900)
def test_memory_snowballs_online_and_nothing_else_does(tmp_path: Path) -> None:
    repeated = Counter(task.template for task in LOOKUPS)
    assert sum(count - 1 for count in repeated.values()) >= 10, "else there is nothing to learn for"

    def bench(folder: str, *arguments: str) -> dict[str, set[str]]:
        common = [
            "--sites",
            "maps",
            "--limit",
            str(LIMIT),
            "--out",
            folder,
            "--max-steps",
            "8",
            "--jobs",
            "2",
        ]
        done = webagent(
            "bench", "arena", "--base-url", endpoint.base_url, *common, *arguments, cwd=tmp_path, timeout=600
        )
        assert done.code == 0, done.err
        return solved(tmp_path / folder)

    with ScriptedEndpoint(needing, workflows=induced) as endpoint:
        fresh = bench("fresh", "--arms", "off,read,online")
        # an arm never sees what came from the task itself: here nobody knows where it came from
        learned, elsewhere = tmp_path / "learned.db", tmp_path / "elsewhere.db"
        shutil.copy(tmp_path / "fresh" / "online-1.db", learned)
        changed(learned, "DELETE FROM workflow_origins")
        shutil.copy(learned, elsewhere)
        changed(elsewhere, "UPDATE workflows SET hostname = 'forum.localhost'")
        foreign = bench("foreign", "--arms", "read", "--memory-from", str(elsewhere))
        known = bench("known", "--arms", "read", "--memory-from", str(learned))

    lucky, all_lookups = set(FIRST.values()), {task.id for task in LOOKUPS}
    assert fresh["off"] == lucky
    assert fresh["read"] == lucky, "empty memory"
    assert foreign["read"] == lucky, "another host's memory"
    for learned_by in (fresh["online"], known["read"]):
        assert lucky < learned_by <= all_lookups
        assert len(learned_by) >= 0.8 * len(all_lookups), "other wordings of a goal may miss its workflow"
    order = [task.id for task in LOOKUPS]
    half = len(order) // 2
    rates = [
        sum(task in fresh["online"] for task in part) / len(part) for part in (order[:half], order[half:])
    ]
    assert rates[1] > len(lucky) / len(order), "the curve goes on rising"
    table = (tmp_path / "fresh" / "table.md").read_text()
    assert "online" in table
    assert (tmp_path / "fresh" / "plots" / "snowball.svg").exists()


@pytest.mark.timeout(900)
def test_two_benchmarks_with_the_same_seed_give_the_same_table(tmp_path: Path) -> None:
    tables = []
    with ScriptedEndpoint(needing, workflows=induced) as endpoint:
        for folder in ("one", "two"):
            arguments = [
                "--sites",
                "maps",
                "--limit",
                "40",
                "--out",
                folder,
                "--max-steps",
                "8",
                "--jobs",
                "3",
            ]
            done = webagent(
                "bench", "arena", "--base-url", endpoint.base_url, *arguments, cwd=tmp_path, timeout=400
            )
            assert done.code == 0, done.err
            tables.append((tmp_path / folder / "table.md").read_text())
    assert tables[0] == tables[1]
    assert "replay" in tables[0]
    ids = []
    for folder in ("one", "two"):
        with closing(sqlite3.connect(tmp_path / folder / "online-1.db")) as database:
            ids.append(database.execute("SELECT id, version, name FROM workflows ORDER BY n").fetchall())
    assert ids[0] == ids[1] != [], "prompts have them"
