"""The database as it grows: 100 to 1,000,000 steps, 100 to 100,000 workflows."""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.measuring import Table, exponent, median
from webagent.actions import Action
from webagent.memory import WorkflowMemory
from webagent.memory.recall import SHOWN_TOKENS
from webagent.observation import Line, Observation, Target
from webagent.store import RunRow, Store
from webagent.tokens import estimate_tokens
from webagent.trajectory import Outcome, Step
from webagent.workflow import AnswerReader, Variable, Workflow, WorkflowStep
from webagent.workflow_text import render_workflow

STEPS = (100, 10_000, 1_000_000)
WORKFLOWS = (100, 10_000, 100_000)
A_RUN = 20
"""Steps of a run."""
ON_A_HOST = 50
"""Workflows of a hostname."""
TEXTS = 997
"""Different pages that the runs saw."""
VERBS = ("find", "show", "compare", "order", "cancel", "rename", "export", "count", "share", "archive")
THINGS = (
    "invoice",
    "parcel",
    "ticket",
    "ward",
    "recipe",
    "lesson",
    "train",
    "meeting",
    "permit",
    "garden",
    "tariff",
)
FACTS = ("price", "date", "owner", "weight", "colour", "status", "route", "size", "number", "address")
OPEN_BAR, RECALL_BAR = 100.0, 20.0


def measure(rounds: int) -> Iterator[Table]:
    """Two tables: runs and steps, then workflows."""
    yield grown(
        "A database of runs, milliseconds",
        STEPS,
        [timed_steps(count, max(rounds, 10)) for count in STEPS],
        "steps",
        f"Runs of {A_RUN} steps. A step is stored when it is on the disk.",
    )
    yield grown(
        "A database of workflows, milliseconds",
        WORKFLOWS,
        [timed_workflows(count, max(rounds, 10)) for count in WORKFLOWS],
        "workflows",
        f"{ON_A_HOST} workflows on each hostname. Bars at the most: {OPEN_BAR:g} ms to open, {RECALL_BAR:g} ms to recall.",
    )


def grown(title: str, sizes: Sequence[int], found: list[dict[str, float]], of: str, note: str) -> Table:
    """A row for each thing that is done."""
    rows = []
    for name in found[0]:
        costs = [one[name] for one in found]
        growth = f"{exponent(sizes, costs):.2f}" if costs[0] else "-"
        rows.append([name, *map(float, costs), growth])
    figures = {str(size): one for size, one in zip(sizes, found, strict=True)}
    notes = [f"{note} The exponent is the growth from first to last: 0 none, 1 as the size."]
    return Table(
        title, "database", ["", *(f"{size:,} {of}" for size in sizes), "exponent"], rows, notes, figures
    )


def ms(work: Callable[[], Any], times: int) -> float:
    """Median milliseconds of a piece of work."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return median(taken)


def step(n: int, text: int) -> Step:
    """A step of a run, on one of so many pages."""
    lines = tuple(
        Line(index, -1, 0, "link", f"{THINGS[index % len(THINGS)]} {text}-{index}", ref=f"e{index}")
        for index in range(30)
    )
    seen = Observation("http://shop.test/list", "List", lines=lines)
    action = Action("click", {"ref": "e3"}, "this one looks right")
    return Step(n, action, seen, Outcome("clicked"), Target("link", lines[3].name), seconds=0.1)


def timed_steps(count: int, times: int) -> dict[str, float]:
    """Milliseconds by name with so many steps."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        pages = [step(1, text) for text in range(min(TEXTS, count))]
        runs = count // A_RUN
        with Store.open(path) as store, store.writing():
            for n in range(runs):
                started(
                    store,
                    run := f"run{n:07}",
                    f"find the {FACTS[n % len(FACTS)]} of {THINGS[n % len(THINGS)]} {n}",
                )
                for at in range(A_RUN):
                    store.add_step(run, replace(pages[(n * A_RUN + at) % len(pages)], n=at + 1))
                store.end_run(run, status="done")
        found = {"open the file": ms(lambda: Store.open(path).close(), times)}
        with Store.open(path) as store:
            started(store, "new", "one more")
            place = iter(range(1, 10_000))
            found["store a step"] = ms(lambda: store.add_step("new", step(next(place), 7)), times * 3)
            found["list the newest 50 runs"] = ms(lambda: store.run_rows(limit=50), times)
            found["read one run"] = ms(lambda: store.trajectory(f"run{runs // 2:07}"), times)
            found["mark what was interrupted"] = ms(store.mark_interrupted, times)
        return {**found, "size of the file, MB": path.stat().st_size / 1e6}


def started(store: Store, run: str, goal: str) -> None:
    store.start_run(RunRow(run, goal, "shop.test", "http://shop.test/"))


def workflow(host: str, n: int, rnd: random.Random) -> Workflow:
    """One of a hostname's workflows."""
    goal = f"{rnd.choice(VERBS)} the {rnd.choice(FACTS)} of the {rnd.choice(THINGS)} {{name}} number {n}"
    steps = tuple(
        WorkflowStep(tool, Target(role, name), arguments, state="the page shows it", page="/")
        for tool, role, name, arguments in (
            ("type", "searchbox", "Search", {"text": "{name}"}),
            ("click", "button", "Go", {}),
            ("click", "link", "{name}", {}),
            ("stop", "definition", "Value: {value}", {"answer": "{value}"}),
        )
    )
    status = "active" if rnd.random() < 0.7 else "candidate"
    return Workflow(
        f"wf_{host}_{n}", 0, host, goal.replace("{name}", "a name"), f"Given that you are at /, {goal}.", steps,
        (Variable("name", "what it is called", "Ann"),), (goal,), "/", AnswerReader("definition", "Value"), status,
    )  # fmt: skip


def timed_workflows(count: int, times: int) -> dict[str, float]:
    """Milliseconds by name with so many workflows. Ends the program where more is shown than may be."""
    rnd = random.Random(1)
    hosts = max(1, count // ON_A_HOST)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workflows.db"
        with Store.open(path) as store, store.writing():
            for n in range(count):
                store.save_workflow(
                    workflow(f"h{n % hosts}.test", n // hosts, rnd), [], "program", "benchmark"
                )
        found = {"open the file": ms(lambda: Store.open(path).close(), times)}
        with Store.open(path) as store:
            memory = WorkflowMemory(store)

            def recall() -> None:
                words = f"{rnd.choice(VERBS)} the {rnd.choice(FACTS)} of the {rnd.choice(THINGS)}"
                shown = memory.recall(
                    f"h{rnd.randrange(hosts)}.test", f"please {words} Ann number {rnd.randrange(50)}"
                )
                size = sum(estimate_tokens(render_workflow(one)) for one in shown.workflows)
                if size > SHOWN_TOKENS:
                    raise SystemExit(
                        f"{size} tokens of workflows in a prompt, where {SHOWN_TOKENS} are allowed"
                    )

            found["recall for a goal"] = ms(recall, times * 10)
            found["save a workflow"] = ms(
                lambda: store.save_workflow(
                    workflow("h0.test", rnd.randrange(10**9), rnd), [], "program", "benchmark"
                ),
                times,
            )
        return {**found, "size of the file, MB": path.stat().st_size / 1e6}
