"""Recall and opening with many workflows.

    python benchmarks/memory_scale.py [--hosts 2000] [--each 50] [--recalls 300]

Prints milliseconds of opening the file and of recall (median, 95th percentile), and the largest memory
block in tokens, which must stay within its budget."""

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from webagent.memory import WorkflowMemory
from webagent.memory.recall import SHOWN_TOKENS
from webagent.observation import Target
from webagent.store import Store
from webagent.tokens import estimate_tokens
from webagent.workflow import AnswerReader, Variable, Workflow, WorkflowStep
from webagent.workflow_text import render_workflow

VERBS = ("find", "show", "compare", "order", "cancel", "rename", "export", "count", "share", "archive")
THINGS = [
    "invoice",
    "parcel",
    "ticket",
    "ward",
    "recipe",
    "lesson",
    "train",
    "meeting",
    "parking",
    "permit",
    "garden",
    "tariff",
    "licence",
]
FACTS = ["price", "date", "owner", "weight", "colour", "status", "route", "size", "number", "address"]


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


def main(hosts: int, each: int, recalls: int) -> None:
    """Builds the file, measures, prints."""
    rnd = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.db"
        with Store.open(path) as store, store.writing():
            for host in range(hosts):
                for n in range(each):
                    store.save_workflow(workflow(f"h{host}.test", n, rnd), [], "program", "benchmark")
        opening, recall, largest = [], [], 0
        for _ in range(11):
            began = time.perf_counter()
            with Store.open(path):
                opening.append(time.perf_counter() - began)
        with Store.open(path) as store:
            memory = WorkflowMemory(store)
            for _ in range(recalls):
                host = f"h{rnd.randrange(hosts)}.test"
                goal = f"please {rnd.choice(VERBS)} the {rnd.choice(FACTS)} of the {rnd.choice(THINGS)} Ann number {rnd.randrange(each)}"
                began = time.perf_counter()
                shown = memory.recall(host, goal).workflows
                recall.append(time.perf_counter() - began)
                largest = max(largest, sum(estimate_tokens(render_workflow(one)) for one in shown))
    recall.sort()
    sys.stdout.write(
        f"{hosts * each} workflows on {hosts} hostnames\n"
        f"open    {statistics.median(opening) * 1000:.1f} ms median (bar: 100)\n"
        f"recall  {statistics.median(recall) * 1000:.1f} ms median, {recall[int(len(recall) * 0.95)] * 1000:.1f} ms 95th percentile (bar: 20)\n"
        f"block   {largest} tokens at the most (budget: {SHOWN_TOKENS})\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--recalls", type=int, default=300)
    given = parser.parse_args()
    main(given.hosts, given.each, given.recalls)
