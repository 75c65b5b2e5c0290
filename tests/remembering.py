"""What a run does to memory, without a browser: stored, judged, learned from as the pipeline does."""

import asyncio
from typing import Any

from tests.pages_text import HOST
from webagent.ids import scope_of
from webagent.interfaces import Completion, Usage, Verdict
from webagent.memory import Learner
from webagent.store import RunRow, Store
from webagent.trajectory import Trajectory
from webagent.workflow import Workflow

SHOP = scope_of(HOST)
REAL, SAID = Verdict(True, "expect", "holds"), Verdict(True, "llm", "looks right")
FAILED = Verdict(False, "expect", "wrong")


def kept(store: Store, run: Trajectory, verdict: Verdict, task: str = "") -> Trajectory:
    """Stores a run as the pipeline does."""
    store.start_run(RunRow(run.run_id, run.goal, SHOP, run.start_url, task=task or None))
    for one in run.steps:
        store.add_step(run.run_id, one)
    store.finish_run(run)
    store.add_verdict(run.run_id, verdict)
    return run


def learn(store: Store, run: Trajectory, verdict: Verdict = REAL, given: tuple[str, ...] = ()) -> list[str]:
    """A whole run's effect on memory, by rule."""
    kept(store, run, verdict)
    learner = Learner(store)
    learned = asyncio.run(learner.learn(run, verdict))
    learner.credit(run, verdict, given, weigh=True)
    return list(learned.labels)


def only(store: Store) -> Workflow:
    """The one live workflow of the shop."""
    (workflow,) = store.workflows(SHOP)
    return workflow


class Model:
    """Answers `lessons` and `workflows` calls with what it was given."""

    usage = Usage()
    name = "m"

    def __init__(self, **answers: Any) -> None:
        self.answers = answers

    async def act(self, messages: Any, tools: Any) -> Completion:
        raise AssertionError

    async def ask(self, name: str, messages: Any, schema: Any) -> Any:
        return self.answers.get(name)

    async def close(self) -> None:
        """Nothing."""
