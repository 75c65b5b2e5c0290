"""Runs the arms: each arm and seed is one stream of tasks with a memory of its own."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from webagent.batch import Attempt, Batch, Done, Limits, Starts, planned
from webagent.bench.arms import Arm
from webagent.bench.results import RUNS_FILE, Result, read_runs
from webagent.browser.pool import BrowserPool
from webagent.configured import browser_options, model_options
from webagent.ids import same_ids
from webagent.llm import ModelPool
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Expect, Task


@dataclass(frozen=True)
class Trial:
    """One arm with one seed: a stream of tasks, in its order."""

    arm: Arm
    seed: int
    tasks: Sequence[Task]

    @property
    def name(self) -> str:
        return f"{self.arm.name}-{self.seed}"


@dataclass
class Bench:
    """Runs trials, at most `jobs` streams side by side; within a stream one task after the other, so that
    what a run may have learned from is the same each time. `memory` is a database that each arm with memory
    begins with a copy of; without it memory is empty. `told` hears of each result. Results that the folder
    has already are not made again."""

    folder: Path
    settings: Settings
    starts: Starts
    jobs: int = 1
    memory: Path | None = None
    told: Callable[[Result], None] = lambda result: None
    ended: str = ""
    _score: dict[str, Expect | None] = field(default_factory=dict)

    async def run(self, trials: Sequence[Trial]) -> list[Result]:
        """All results, the old ones too, in the order of trials and places."""
        self._old = read_runs(self.folder / RUNS_FILE)
        room = asyncio.Semaphore(self.jobs)

        async def one(trial: Trial) -> None:
            async with room:
                await self._stream(trial)

        async with (
            BrowserPool(browser_options(self.settings)) as self._pool,
            ModelPool(model_options(self.settings)) as self._models,
            asyncio.TaskGroup() as group,
        ):
            for trial in trials:
                group.create_task(one(trial))
        order = {(trial.arm.name, trial.seed): place for place, trial in enumerate(trials)}
        results = [each for each in read_runs(self.folder / RUNS_FILE) if (each.arm, each.seed) in order]
        return sorted(results, key=lambda each: (order[each.arm, each.seed], each.place))

    async def _stream(self, trial: Trial) -> None:
        done = {each.place for each in self._old if (each.arm, each.seed) == (trial.arm.name, trial.seed)}
        left = [(place, task) for place, task in enumerate(trial.tasks, 1) if place not in done]
        if not left or self.ended:
            return
        path = self.folder / f"{trial.name}.db"
        if self.memory is not None and trial.arm.memory != "off" and not path.exists():
            shutil.copy(self.memory, path)
        settings = trial.arm.settings(self.settings, str(path))
        places = {task.id: place for place, task in left}
        self._score |= {task.id: task.expect for _, task in left}

        def finished(done: Done) -> None:
            if not done.result.fault and done.result.status != "interrupted":
                self._keep(trial, places[done.attempt.task.id], done)

        with Store.open(path) as store:
            store.mark_interrupted()
            attempts = [Attempt(self._blind(task), 1) for _, task in left]
            plan = planned(store, trial.name, attempts, settings)
            batch = Batch(plan, settings, store, self.starts, Limits(), finished, seed=trial.seed)
            batch.score = lambda task: self._score[task.id]
            batch.pool, batch.models = self._pool, self._models
            with same_ids(f"{trial.name} {store.counts()}"):
                await batch.run()
        if batch.crashes:
            raise ExceptionGroup("some of the runs crashed", batch.crashes)
        self.ended = self.ended or batch.ended

    def _blind(self, task: Task) -> Task:
        """Where the model judges, it must not see the test, which would tell it the answer."""
        return replace(task, expect=None) if self.settings.judge in ("llm", "none") else task

    def _keep(self, trial: Trial, place: int, done: Done) -> None:
        result = Result.of(trial.arm.name, trial.seed, place, done.attempt.task, done.result)
        with (self.folder / RUNS_FILE).open("a", encoding="utf-8") as file:
            file.write(result.line())
        self.told(result)
