"""Carries out a plan: several runs at a time in one process, each in a browser session of its own."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from webagent.batch.plan import Attempt, Plan
from webagent.batch.starts import Starts
from webagent.browser.launch import Chromium
from webagent.browser.pool import BrowserPool
from webagent.configured import browser_options, model_options
from webagent.episode import Ask
from webagent.errors import BrowserFault, EnvironmentFault, first_line
from webagent.ids import new_run_id, scope_of
from webagent.interfaces import Policy, Usage, Verdict
from webagent.llm import ModelPool
from webagent.pipeline import Run
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Expect, Task
from webagent.watcher import Watcher

FAULTS_IN_A_ROW = 5
"""So many runs in a row that the environment ended stop the batch: an endpoint that is down would else
fail every task that is left. One that refused the key stops it at once."""


@dataclass(frozen=True)
class Limits:
    """What a batch may use: runs at a time, runs at a time on one hostname, seconds, tokens and US dollars
    for all runs together. None is no limit."""

    jobs: int = 1
    per_host: int | None = None
    timeout: float | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Done:
    """One attempt and what came of it."""

    attempt: Attempt
    result: RunResult


@dataclass
class Batch:
    """Carries out the attempts of `plan`, at most `limits.jobs` at a time, in its order. `starts` says where
    tasks begin; `finished` hears of each attempt as it ends. `pool` lends the browsers where several batches
    run side by side; else the batch has its own.

    Memory in a batch: a run recalls what is in the database as it begins, and what a run learned is there
    as soon as that run has ended. So with one job each run sees all that came before it in the order of
    the file (the order for papers); with N jobs it does not see the up to N - 1 runs beside it."""

    plan: Plan
    settings: Settings
    store: Store
    starts: Starts
    limits: Limits = field(default_factory=Limits)
    finished: Callable[[Done], None] = lambda done: None
    watcher: Watcher = field(default_factory=Watcher)
    policy: Callable[[Task], Policy] | None = None
    score: Callable[[Task], Expect | None] = lambda task: None
    ask: Ask | None = None
    seed: int | None = None
    pool: BrowserPool | None = None
    models: ModelPool | None = None
    ended: str = ""
    stuck: bool = False
    crashes: list[Exception] = field(default_factory=list)
    _spent: Usage = field(default_factory=Usage)
    _unpriced: bool = False
    _faults: int = 0

    async def run(self) -> list[Done]:
        """All attempts that were begun, in the order of their ends; `ended` says why not all of them were,
        where something stopped the batch, `stuck` that it was the environment. A cancellation ends the runs in
        flight, which are stored as interrupted, and is raised once they are. `crashes` are faults of ours: each
        cost the run that it happened in, and is for the caller to raise."""
        self._began = time.monotonic()
        self._left = list(self.plan.attempts)
        self._busy: Counter[str] = Counter()
        self._freed = asyncio.Condition()
        self._all: list[Done] = []
        async with AsyncExitStack() as stack:
            pool, models = self.pool, self.models
            if pool is None:
                pool = await stack.enter_async_context(BrowserPool(browser_options(self.settings)))
            if models is None:
                models = await stack.enter_async_context(ModelPool(model_options(self.settings)))
            self._pool, self._models = pool, models
            workers = min(self.limits.jobs, len(self._left))
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._work())
        return self._all

    async def _work(self) -> None:
        while (attempt := await self._next()) is not None:
            hostname = scope_of(self.starts.url(attempt.task))
            try:
                done = Done(attempt, await self._attempted(attempt))
            finally:
                async with self._freed:
                    self._busy[hostname] -= 1
                    self._freed.notify_all()
            self._count(done)

    async def _next(self) -> Attempt | None:
        """The first attempt whose hostname has room; None where none is left or the batch is over."""
        async with self._freed:
            while self._left and not self._over():
                for attempt in self._left:
                    hostname = scope_of(self.starts.url(attempt.task))
                    if self.limits.per_host is None or self._busy[hostname] < self.limits.per_host:
                        self._left.remove(attempt)
                        self._busy[hostname] += 1
                        return attempt
                await self._freed.wait()
        return None

    def _over(self) -> bool:
        limits, spent = self.limits, self._spent
        tokens = spent.prompt_tokens + spent.completion_tokens
        if limits.timeout is not None and time.monotonic() - self._began >= limits.timeout:
            self.ended = f"the batch's time of {limits.timeout:g} s is over"
        elif limits.tokens is not None and tokens >= limits.tokens:
            self.ended = f"the batch's {limits.tokens} tokens are used ({tokens})"
        elif limits.cost is not None and self._unpriced:
            self.ended = "the batch's cost is not known, since the endpoint reports no tokens"
        elif limits.cost is not None and (spent.cost_usd or 0.0) >= limits.cost:
            self.ended = f"the batch's {limits.cost:g} USD are used ({spent.cost_usd:.4f})"
        return bool(self.ended)

    def _count(self, done: Done) -> None:
        result = done.result
        self._spent += result.usage
        priced = not result.usage.calls or result.usage.cost_usd is not None
        self._unpriced = self._unpriced or (bool(self.settings.price) and not priced)
        self._faults = self._faults + 1 if result.fault else 0
        if result.lasting and not self.ended:
            self.stuck = True
            self.ended = f"no other run would fare better: {result.fault}"
        elif self._faults >= FAULTS_IN_A_ROW and not self.ended:
            self.stuck = True
            self.ended = f"{self._faults} runs in a row could not be carried out: {result.fault}"
        self._all.append(done)
        self.finished(done)

    async def _attempted(self, attempt: Attempt) -> RunResult:
        """The result of an attempt. Where the browser died under a run that failed and had sent nothing,
        another run of the same browser may have killed it: it is tried once more, in a browser alone."""
        try:
            async with self._pool.browser() as chromium:
                before = chromium.starts
                result = await self._once(attempt, chromium)
                if result.verdict.success is True or self._sent(result.run_id):
                    return result
                if chromium.starts == before and await chromium.answers():
                    return result
        except BrowserFault as error:
            return _not_begun(self._run_of(attempt, None), error)
        return await self._once(attempt, None)

    def _sent(self, run_id: str) -> bool:
        return any(step["posted"] for step in self.store.steps(run_id))

    def _run_of(self, attempt: Attempt, chromium: Chromium | None) -> Run:
        task, run_id = attempt.task, new_run_id()
        return Run(
            task,
            self.starts.url(task),
            self._settings_for(task, run_id),
            self.store,
            self.watcher,
            browser=chromium,
            policy=self.policy(task) if self.policy else None,
            ask=self.ask,
            connect=partial(self._models.model, self.seed),
            on_start=lambda started: self.store.add_batch_run(self.plan.batch_id, attempt.place, started),
            run_id=run_id,
            score=self.score(task),
        )

    async def _once(self, attempt: Attempt, chromium: Chromium | None) -> RunResult:
        run = self._run_of(attempt, chromium)
        try:
            result = await run.run()
        except EnvironmentFault as error:
            return _not_begun(run, error)
        except Exception as error:  # noqa: BLE001  a fault of ours must not cost the other runs
            self.crashes.append(error)
            told = EnvironmentFault(f"webagent's own fault: {type(error).__name__}: {first_line(error)}")
            self.store.end_run(run.run_id, status="error", end_reason=str(told))
            return _not_begun(run, told)
        if result.status == "interrupted":
            self.finished(Done(attempt, result))
            raise asyncio.CancelledError
        return result

    def _settings_for(self, task: Task, run_id: str) -> Settings:
        """The batch's settings as they are for one run: where it starts, which hosts its task spans, its
        own folder, and no more time and tokens than the batch has left."""
        settings, limits = self.settings, self.limits
        given: dict[str, Any] = {}
        if task.site or task.url:
            given = {"site": task.site or None, "url": task.url or None}
        if task.storage_state:
            given["storage_state"] = task.storage_state
        if settings.output_dir:
            given["output_dir"] = str(Path(settings.output_dir) / run_id)
        if not settings.domains:
            given["allowed_domains"] = ",".join(self.starts.hosts(task)) or None
        timeout, tokens = settings.timeout, settings.max_tokens
        if limits.timeout is not None:
            timeout = min(timeout, max(limits.timeout - (time.monotonic() - self._began), 0.1))
        if limits.tokens is not None:
            left = limits.tokens - self._spent.prompt_tokens - self._spent.completion_tokens
            tokens = left if tokens is None else min(tokens, left)
        return replace(settings, **given, timeout=timeout, max_tokens=tokens)


def _not_begun(run: Run, error: EnvironmentFault) -> RunResult:
    """The result of a run that could not begin; nothing of it is stored, so that `--resume` tries it again."""
    mask = run.settings.mask
    reason = mask(first_line(error))
    return RunResult(
        run_id=run.run_id,
        goal=mask(run.task.goal),
        site=run.task.site or None,
        hostname=scope_of(run.start_url),
        status="error",
        answer=None,
        url=mask(run.start_url),
        verdict=Verdict(None, "none", f"not begun: {reason}"),
        policy="llm" if run.settings.policy != "replay" else "replay",
        steps=0,
        usage=Usage(),
        seconds=0.0,
        browser_seconds=0.0,
        reason=reason,
        fault=reason,
        lasting=error.lasting,
    )
