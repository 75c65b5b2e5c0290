"""`webagent run`."""

import asyncio
import json
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

from webagent.cli.options import SettingsCommand, settings_of, shared_options
from webagent.cli.say import complain, say, warn
from webagent.cli.signals import end_by_sigterm
from webagent.cli.view import live_view
from webagent.demonstration import Demonstration
from webagent.episode import Ask
from webagent.errors import UsageError, WebagentError
from webagent.ids import web_url
from webagent.pipeline import Run
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.sites import site_url
from webagent.store import Store
from webagent.tasks import Expect, Task, parse_expect


@click.command(cls=SettingsCommand)
@click.argument("goal")
@shared_options
def run(goal: str, **values: Any) -> int:
    """One task, start to verdict to induction."""
    settings = settings_of(values)
    start = starting_at(goal, settings)
    expect = expected(settings)
    with ExitStack() as stack:
        url = stack.enter_context(start)
        store = stack.enter_context(Store.open(Path(settings.db), secrets=settings.mask))
        store.mark_interrupted()
        task = Task(id="", goal=goal.strip(), site=settings.site or "", expect=expect)
        return carried_out(Run(task, url, settings, store, live_view(), ask=person_for(settings)))


def starting_at(goal: str, settings: Settings) -> AbstractContextManager[str]:
    """The start URL, whose fixture site is served until the block ends. Raises UsageError where no goal
    or no start was given."""
    if not goal.strip():
        raise UsageError(
            'the goal is empty; say what to do, as in: webagent run "find zip code of CMU" --site maps'
        )
    if not (settings.site or settings.url):
        raise UsageError("where should it start? Give --site NAME (see `webagent sites list`) or --url URL")
    return nullcontext(web_url(settings.url)) if settings.url else site_url(settings.site or "")


def expected(settings: Settings) -> Expect | None:
    """The success test of `--expect`. Raises UsageError where there is none that the judge needs."""
    expect = parse_expect(settings.expect, "--expect") if settings.expect else None
    if settings.judge == "expect" and expect is None:
        raise UsageError('--judge expect needs --expect JSON, such as \'{"answer": "42"}\'')
    warn_of_price(settings, settings.max_cost, "--max-cost")
    return expect


def warn_of_price(settings: Settings, limit: float | None, flag: str) -> None:
    """A limit in dollars can't hold where tokens have no price."""
    if limit is not None and settings.price is None:
        warn(f"{flag} can't hold without --price: the cost of a call is not known")


def carried_out(run: Run | Demonstration) -> int:
    """Carries out a run and tells its result, as `--json` wants it; the exit code."""
    with faults_masked(run.settings):
        result = asyncio.run(interruptible(run))
    if run.settings.json:
        click.echo(json.dumps(result.as_object(), ensure_ascii=False))
    elif result.answer is not None:
        click.echo(result.answer)
    if result.fault:
        complain(result.fault)
    return result.exit_code


@contextmanager
def faults_masked(settings: Settings) -> Iterator[None]:
    """Faults tell no secret, nor do their tracebacks: what caused them (Playwright's errors quote what
    was typed) is shown here, with --verbose, and then dropped."""
    try:
        yield
    except WebagentError as error:
        if not settings.secret_values:
            raise
        mask = settings.secret_values.mask
        if settings.verbose:
            click.echo(mask(traceback.format_exc()), err=True)
        raise type(error)(mask(str(error))) from None


async def interruptible(run: Run | Demonstration) -> RunResult:
    """The run, ended in good order by SIGTERM as by Ctrl-C."""
    end_by_sigterm()
    return await run.run()


def person_for(settings: Settings) -> Ask | None:
    """A person to ask, where one is there."""
    return person() if _asks(settings) else None


def _asks(settings: Settings) -> bool:
    """Whether a person is there who may be asked; who acts, judges or steps as one is there for certain."""
    if settings.policy == "human" or settings.judge == "ask" or settings.step or settings.pause_on_error:
        return True
    wanted = settings.confirm != "none" or not settings.json
    return wanted and sys.stdin.isatty() and sys.stderr.isatty()


def person() -> Ask:
    """Puts a question on stderr and reads a line of the terminal, without stopping the browser. A question may be
    answered elsewhere: a line that comes while none is open answers none."""
    answer: asyncio.Future[str] | None = None
    reading = False

    def settle(line: str) -> None:
        nonlocal reading
        reading = False
        if answer is not None and not answer.done():
            answer.set_result(line)

    async def ask(question: str) -> str:
        nonlocal answer, reading
        say(question, "question")
        loop = asyncio.get_running_loop()
        answer = loop.create_future()
        if not reading:
            reading = True
            # a daemon, not to_thread: asyncio would wait for the line when the run is interrupted
            threading.Thread(
                target=lambda: loop.call_soon_threadsafe(settle, sys.stdin.readline()), daemon=True
            ).start()
        line = await answer
        if not line:
            raise EOFError
        return line.strip()

    return ask
