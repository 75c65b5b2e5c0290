"""The arms of `webagent bench arena`: what is run, and what is shown of it."""

import asyncio
import json
import random
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from webagent.batch import Starts
from webagent.bench import Bench, Result, Trial, arms_named
from webagent.bench.results import PLAN_FILE
from webagent.cli.options import settings_of
from webagent.cli.progress import bar
from webagent.cli.say import say
from webagent.cli.signals import end_by_sigterm
from webagent.errors import EnvironmentFault, UsageError
from webagent.sites import Sites
from webagent.tasks import Task


def run_arms(sites: Sequence[str], values: dict[str, Any], *, as_json: bool) -> int:
    """Runs the arms and writes the folder; the exit code: 0 where every run could be carried out, else 3."""
    from webagent.bench.report import check_extra, write

    own = {name: values.pop(name) for name in
           ("sites", "arms", "seeds", "seed", "split", "limit", "variant", "memory_from", "out", "jobs")}  # fmt: skip
    settings = settings_of(values)
    arms = arms_named(own["arms"])
    if not settings.has_model:
        raise EnvironmentFault(
            "the arms need a model: --model and --base-url, OPENAI_API_KEY, or --model FILE.gguf"
        )
    check_extra()
    folder: Path = own["out"]
    plan = {
        "benchmark": "arena",
        "sites": list(sites),
        "arms": [arm.name for arm in arms],
        "memory_from": str(own["memory_from"] or ""),
        **{name: own[name] for name in ("split", "seeds", "limit", "variant")},
        **{
            name: getattr(settings, name) for name in ("model", "judge", "max_steps", "max_tokens", "timeout")
        },
    }
    _keep_plan(folder, plan)
    with ExitStack() as stack:
        served = stack.enter_context(Sites(own["variant"] or ""))
        tasks = _tasks(own["split"], sites, own["limit"], served)
        trials = [
            Trial(arm, seed, _ordered(tasks, seed)) for seed in range(1, own["seeds"] + 1) for arm in arms
        ]
        view = stack.enter_context(_View(len(tasks) * len(trials), as_json=as_json))
        bench = Bench(folder, settings, Starts(served), own["jobs"], own["memory_from"], view.told)
        results = asyncio.run(_interruptible(bench, trials))
    if results:
        about = {
            "title": "The arena",
            **{name: _words(value) for name, value in plan.items() if name != "benchmark"},
        }
        text = write(results, folder, about)
        click.echo(text, nl=False, err=as_json)
        say(f"{folder / 'report.html'}")
    if bench.ended:
        say(f"ended early: {bench.ended}; the same command goes on")
    return 130 if bench.ended == "interrupted" else 3 if bench.ended else 0


def _tasks(split: str, sites: Sequence[str], limit: int | None, served: Sites) -> list[Task]:
    from fixtures_sites.tasks import split as tasks_of_split
    from webagent.arena import parsed

    tasks = [parsed(task, served.url) for task in tasks_of_split(split, sites)][:limit]
    if not tasks:
        raise UsageError(f"the split {split} has no task on {', '.join(sites)}")
    return tasks


def _ordered(tasks: Sequence[Task], seed: int) -> Sequence[Task]:
    """The split's own order for the first seed, and others for the others; the same for every arm."""
    order = list(tasks)
    if seed > 1:
        random.Random(seed).shuffle(order)
    return order


def _keep_plan(folder: Path, plan: dict[str, Any]) -> None:
    """What the folder is a benchmark of. Raises UsageError where it is another one's."""
    path = folder / PLAN_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists():
            known = json.loads(path.read_text("utf-8"))
            other = [name for name in plan if known.get(name) != plan[name]]
            if other:
                raise UsageError(
                    f"{folder} holds another benchmark (other {', '.join(other)}); name a new folder with --out"
                )
        path.write_text(json.dumps(plan, indent=1) + "\n", "utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"--out {str(folder)!r} can't be used: {error}") from error


def _words(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


async def _interruptible(bench: Bench, trials: Sequence[Trial]) -> list[Result]:
    end_by_sigterm()
    try:
        return await bench.run(trials)
    except asyncio.CancelledError:
        bench.ended = "interrupted"
        return []


class _View:
    """A bar on a terminal, a line for each result elsewhere; results as JSON Lines on stdout if wanted."""

    def __init__(self, total: int, *, as_json: bool) -> None:
        self._as_json = as_json
        self._bar = bar()
        self._row = self._bar.add_task("bench", total=total, told="")
        self._good: dict[str, list[bool]] = {}

    def __enter__(self) -> "_View":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def told(self, result: Result) -> None:
        self._good.setdefault(result.arm, []).append(result.success)
        told = " · ".join(f"{arm} {sum(each)}/{len(each)}" for arm, each in self._good.items())
        self._bar.update(self._row, advance=1, told=told)
        if self._as_json:
            click.echo(result.line(), nl=False)
        if self._bar.disable:
            word = "success" if result.success else "failure"
            say(f"{result.arm} {result.seed} {result.place:>4} {word:<8} {result.task}", "bench")
