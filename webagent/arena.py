"""The arena: counts of its tasks, and their scripts run through the product, judged by test or by a model."""

import asyncio
import random
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fixtures_sites import SITES
from fixtures_sites.server import FixtureServer
from fixtures_sites.tasks import ArenaTask, arena_tasks, book
from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.errors import EnvironmentFault, UsageError, first_line
from webagent.llm import OpenAIModel
from webagent.pipeline import Run
from webagent.policies.scripted import Line, ScriptedPolicy
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Task, parse_task, resolve

SOLUTION, NEAR_MISS, CUT = "solution", "near-miss", "cut"
"""Scripts of a task; `cut` is its solution without the last thing that it does, or without its answer."""
PATIENCE = 20
"""Waits for an element that a page brings late."""
MOST_STEPS = 120


@dataclass(frozen=True)
class Script:
    """One script to run: a task and which of its three."""

    task: ArenaTask
    kind: str

    @property
    def name(self) -> str:
        return f"{self.task.id} {self.kind}"

    @property
    def steps(self) -> Sequence[dict[str, Any]]:
        if self.kind == NEAR_MISS:
            return self.task.near_miss
        return self.task.solution if self.kind == SOLUTION else _cut(self.task.solution)


def _cut(solution: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    *acts, stop = solution
    return [*acts[:-1], stop] if set(stop) == {"action"} else [*acts, {"action": "stop"}]


@dataclass(frozen=True)
class Played:
    """What came of a script. `passed`: a solution was judged a success, or another script was carried out
    to its end and judged a failure. `truth` is what the task's own test says, `said` what the judge did."""

    script: Script
    passed: bool
    reason: str
    seconds: float
    truth: bool | None = None
    said: bool | None = None


def counts(sites: Sequence[str] = SITES) -> dict[str, Any]:
    """How many sites, tasks and templates there are, how many tasks span sites or can't be done."""
    tasks = arena_tasks(sites)
    return {
        "sites": len(sites),
        "tasks": len(tasks),
        "templates": len({task.template for task in tasks}),
        "cross_site": sum(len(task.sites) > 1 for task in tasks),
        "infeasible": sum(task.infeasible for task in tasks),
        "by_site": {site: sum(task.site == site for task in tasks) for site in sites},
    }


def chosen_sites(names: str) -> tuple[str, ...]:
    """Sites from a list with commas; all for an empty one. Raises UsageError for one that is none."""
    wanted = tuple(name.strip() for name in names.split(",") if name.strip())
    for name in wanted:
        if name not in SITES:
            raise UsageError(f"--sites: no fixture site {name!r}; there are {', '.join(SITES)}")
    return tuple(dict.fromkeys(wanted)) or SITES


def scripts(
    kinds: Iterable[str],
    sites: Sequence[str] = SITES,
    *,
    only: str = "",
    shuffle: bool = False,
    seed: int = 0,
    sample: int = 0,
) -> list[Script]:
    """The scripts of these kinds, task by task: those whose task's id has `only` in it; with `shuffle`
    in an order by the seed, with `sample` only so many tasks, spread over the templates."""
    tasks = [task for task in arena_tasks(sites) if only in task.id]
    if sample:
        step = max(1, len(tasks) // sample)
        tasks = tasks[seed % step :: step][:sample]
    found = [Script(task, kind) for task in tasks for kind in kinds]
    if shuffle:
        random.Random(seed).shuffle(found)
    return found


def parsed(task: ArenaTask, url: Callable[[str], str]) -> Task:
    """The task for a run; `url` gives the address of a site, which `__SHOP__` and the like stand for."""
    return parse_task(resolve(task.as_object(), _addresses(url)), task.id)


def _addresses(url: Callable[[str], str]) -> dict[str, str]:
    return {site.upper(): url(site).rstrip("/") for site in SITES}


async def play(
    wanted: Sequence[Script],
    *,
    jobs: int,
    told: Callable[[Played], None],
    variant: str = "",
    judge: OpenAIModel | None = None,
) -> list[Played]:
    """Runs scripts, `jobs` at a time in one browser, each in a session of its own; `told` hears of each
    as it ends. With a `judge` it is that model which judges, as on a site without tests. Raises
    EnvironmentFault where browser or sites can't be started."""
    waiting = list(reversed(wanted))
    played: list[Played] = []

    async def work(stage: "_Stage") -> None:
        while waiting:
            script = waiting.pop()
            try:
                done = await stage.play(script)
            except Exception as error:  # noqa: BLE001  a fault of ours must not cost the other scripts
                fault = f"webagent's own fault: {type(error).__name__}: {first_line(error)}"
                done = Played(script, passed=False, reason=fault, seconds=0.0)
            played.append(done)
            told(done)

    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "arena.db") as store:
        server = FixtureServer(variant=variant)
        try:
            server.start()
        except OSError as error:
            raise EnvironmentFault(f"the fixture sites could not be served: {error}") from error
        try:
            async with open_browser(BrowserOptions()) as browser, asyncio.TaskGroup() as group:
                for _ in range(jobs):
                    group.create_task(work(_Stage(server, store, browser, judge)))
        finally:
            server.stop()
    return played


@dataclass
class _Stage:
    """Where scripts are played."""

    server: FixtureServer
    store: Store
    browser: Chromium
    judge: OpenAIModel | None = None

    async def play(self, script: Script) -> Played:
        task = parsed(script.task, self.server.url)
        start = task.start(self.server.url(task.site))
        settings = Settings(
            site=task.site,
            memory="off",
            judge="llm" if self.judge else "expect",
            max_steps=MOST_STEPS,
            timeout=300.0,
            allowed_domains=",".join(f"{site}.localhost" for site in script.task.sites),
        )
        policy = ScriptedPolicy(
            [self._line(step, start) for step in script.steps],
            nuisances=[pair for site in script.task.sites for pair in book(site).nuisances],
            patience=PATIENCE,
        )
        blind = replace(task, expect=None) if self.judge else task
        run = Run(blind, start, settings, self.store, browser=self.browser, policy=policy, model=self.judge)
        run.score = task.expect
        return _played(script, await run.run())

    def _line(self, step: dict[str, Any], start: str) -> Line:
        """The step with an address where it has a path."""
        url = str(step.get("url", ""))
        if url.startswith("/"):
            url = "/".join(start.split("/")[:3]) + url
        line: dict[str, object] = dict(
            resolve({**step, **({"url": url} if url else {})}, _addresses(self.server.url))
        )
        return line


def _played(script: Script, result: RunResult) -> Played:
    stopped = result.status in ("done", "infeasible")
    right = script.kind == SOLUTION
    reason = result.verdict.reason if stopped else result.reason or result.verdict.reason
    truth = result.scored.success if result.scored else None
    passed = stopped and result.verdict.success is right
    return Played(script, passed, reason, result.seconds, truth, result.verdict.success)
