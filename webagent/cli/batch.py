"""`webagent batch`."""

import asyncio
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from webagent.batch import Batch, Limits, Starts, attempts_of, planned
from webagent.cli.options import SettingsCommand, settings_of, shared_options
from webagent.cli.progress import BatchView
from webagent.cli.run import faults_masked, person_for, warn_of_price
from webagent.cli.signals import end_by_sigterm
from webagent.errors import UsageError
from webagent.settings import Settings
from webagent.sites import Sites
from webagent.store import Store
from webagent.tasks import Task, parse_expect, read_tasks


@click.command(cls=SettingsCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True, metavar="N",
              help="runs at a time", envvar="WEBAGENT_JOBS")  # fmt: skip
@click.option("--per-host", type=click.IntRange(1), metavar="N", envvar="WEBAGENT_PER_HOST",
              help="runs at a time that start on one hostname  [default: as many as --jobs]")  # fmt: skip
@click.option("--resume", is_flag=True,
              help="go on with the newest batch of the same tasks and options: what has no verdict")  # fmt: skip
@click.option("--repeat", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="carry out all tasks so often")  # fmt: skip
@click.option("--shuffle", is_flag=True, help="in an order that --seed decides, another one each time")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N",
              help="decides --shuffle, and goes to the model")  # fmt: skip
@click.option("--batch-timeout", type=click.FloatRange(0, min_open=True), metavar="S",
              help="seconds for the whole batch")  # fmt: skip
@click.option("--batch-tokens", type=click.IntRange(1), metavar="N", help="tokens for the whole batch")
@click.option("--batch-cost", type=click.FloatRange(0, min_open=True), metavar="USD",
              help="US dollars for the whole batch; holds only with --price")  # fmt: skip
@shared_options
def batch(file: Path, **values: Any) -> int:
    """A file of tasks: JSON Lines, a JSON list, YAML or CSV. Each run has a browser session of its own; all
    use one memory. Ctrl-C stops it in good order, and --resume goes on.

    With --jobs 1 each run sees what all runs before it have taught (the order for papers). With more, a run
    sees what had been learned when it began, and so not what the runs beside it learn."""
    own = {name: values.pop(name) for name in _OWN}
    settings = settings_of(values)
    _check(settings, own["jobs"])
    warn_of_price(settings, settings.max_cost, "--max-cost")
    warn_of_price(settings, own["batch_cost"], "--batch-cost")
    limits = Limits(
        own["jobs"], own["per_host"], own["batch_timeout"], own["batch_tokens"], own["batch_cost"]
    )
    with ExitStack() as stack:
        starts = Starts(stack.enter_context(Sites()), settings.site or "", settings.url or "")
        tasks = _tasks(file, settings, starts)
        attempts = attempts_of(tasks, repeat=own["repeat"], shuffle=own["shuffle"], seed=own["seed"])
        store = stack.enter_context(Store.open(Path(settings.db), secrets=settings.mask))
        store.mark_interrupted()
        plan = planned(store, str(file), attempts, settings, resume=own["resume"])
        view = stack.enter_context(BatchView(plan, limits.jobs, as_json=settings.json))
        one = Batch(plan, settings, store, starts, limits, view.finished, seed=own["seed"])
        one.ask = person_for(settings) if limits.jobs == 1 else None
        with faults_masked(settings):
            code = asyncio.run(_carried_out(one))
        view.summary(one.ended)
        if one.crashes:
            raise ExceptionGroup("some of the runs crashed", one.crashes)
        return code


_OWN = (
    "jobs",
    "per_host",
    "resume",
    "repeat",
    "shuffle",
    "seed",
    "batch_timeout",
    "batch_tokens",
    "batch_cost",
)


def _check(settings: Settings, jobs: int) -> None:
    """Raises UsageError for options that several runs at a time can't share."""
    if jobs == 1:
        return
    one_alone = {
        "--user-data-dir": settings.user_data_dir,
        "--cdp-endpoint": settings.cdp_endpoint,
        "--save-storage-state": settings.save_storage_state,
        "--policy human": settings.policy == "human",
        "--judge ask": settings.judge == "ask",
    }
    for flag, given in one_alone.items():
        if given:
            raise UsageError(f"{flag} is for one run at a time; leave --jobs at 1")


def _tasks(file: Path, settings: Settings, starts: Starts) -> list[Task]:
    """The tasks of the file, with the command's success test where they have none of their own."""
    expect = parse_expect(settings.expect, "--expect") if settings.expect else None

    def check(task: Task) -> None:
        starts.url(task)
        starts.hosts(task)
        if settings.judge == "expect" and not (task.expect or expect):
            raise UsageError("--judge expect needs an expect in each task, or --expect for all")

    tasks = read_tasks(file, needs_start=not (settings.site or settings.url), check=check)
    return [task if task.expect else replace(task, expect=expect) for task in tasks]


async def _carried_out(batch: Batch) -> int:
    """The exit code: 0 where every run was judged a success, 3 where the environment kept the batch from
    being carried out, 130 after Ctrl-C or SIGTERM, else 1."""
    end_by_sigterm()
    try:
        done = await batch.run()
    except asyncio.CancelledError:
        batch.ended = "interrupted"
        return 130
    if batch.stuck:
        return 3
    every = not batch.ended and all(one.result.verdict.success is True for one in done)
    return 0 if every and batch.plan.failed == 0 else 1
