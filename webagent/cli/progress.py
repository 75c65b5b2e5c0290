"""What a person sees of a batch, on stderr: a bar on a terminal, else a line as each run ends."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from webagent.batch import Done, Plan
from webagent.cli.say import say
from webagent.interfaces import Usage
from webagent.log import listening, record
from webagent.terminal import printable

WORDS = {True: ("success", "green"), False: ("failure", "red"), None: ("not judged", "yellow")}
MOST_NAMED = 20
"""Failed runs that the summary names."""


def bar() -> Progress:
    """A bar on stderr with room for words (`told`); disabled where that is no terminal."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal or listening(),
    )


@contextmanager
def counting(name: str, total: int) -> Iterator[Callable[[str], None]]:
    """A bar while many things are done; what it gives is called as each ends, with words for the bar."""
    with bar() as shown:
        row = shown.add_task(name, total=total, told="")
        yield lambda told: shown.update(row, advance=1, told=told)


class BatchView:
    """Counts successes, tokens and cost; with `as_json` each result goes to stdout as an object in a line."""

    def __init__(self, plan: Plan, jobs: int, *, as_json: bool) -> None:
        self._plan = plan
        self._as_json = as_json
        self._began = time.monotonic()
        self._done: list[Done] = []
        self._usage = Usage()
        self._bar = bar()
        total = len(plan.attempts) + plan.done
        self._row = self._bar.add_task(plan.batch_id, total=total, completed=plan.done, told="")
        already = f", {plan.done} of them done before" if plan.done else ""
        self._say(f"batch {plan.batch_id}: {total} run{'s' * (total != 1)}{already}, {jobs} at a time")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def finished(self, done: Done) -> None:
        """Tells of one run that ended."""
        self._done.append(done)
        self._usage += done.result.usage
        self._bar.update(self._row, advance=1, told=self._told())
        if self._as_json:
            place = {"task": done.attempt.task.id, "repeat": done.attempt.repeat}
            click.echo(json.dumps({**done.result.as_object(), **place}, ensure_ascii=False))
            sys.stdout.flush()
        if listening():
            record("info", "batch.run_ended", **_told_of(done))
        elif self._bar.disable:
            self._say(self._line(done))

    def _line(self, done: Done) -> str:
        result, plan = done.result, self._plan
        place = plan.done + len(self._done)
        word = WORDS[result.verdict.success][0] if result.status != "interrupted" else "interrupted"
        answer = f" · {printable(result.answer, 60)}" if result.answer else ""
        return (
            f"{place:>4}/{len(plan.attempts) + plan.done} {word:<10} {printable(done.attempt.task.id, 40)}{answer} · "
            f"{result.steps} steps by {result.policy}, {result.seconds:.1f} s"
        )

    def _told(self) -> str:
        tokens = self._usage.prompt_tokens + self._usage.completion_tokens
        good = (
            sum(done.result.verdict.success is True for done in self._done)
            + self._plan.done
            - self._plan.failed
        )
        cost = f" · ${self._usage.cost_usd:.4f}" if self._usage.cost_usd else ""
        return f"{good} good · {tokens:,} tokens{cost}"

    def summary(self, ended: str) -> None:
        """The last lines: how many went well, what it took, which did not, and why it ended early."""
        results = [done.result for done in self._done]
        count = {
            success: sum(r.verdict.success is success for r in results) for success in (True, False, None)
        }
        seconds = time.monotonic() - self._began
        self._bar.stop()
        self._say(
            f"{count[True]} of {len(results)} succeeded, {count[False]} failed, {count[None]} not judged; "
            f"{sum(r.steps for r in results)} steps, {self._usage.calls} model calls, "
            f"{self._usage.prompt_tokens + self._usage.completion_tokens} tokens"
            + (f", {self._usage.cost_usd:.4f} USD" if self._usage.cost_usd else "")
            + f"; {seconds:.1f} s, {60 * len(results) / max(seconds, 0.001):.1f} runs a minute"
        )
        bad = [done for done in self._done if done.result.verdict.success is not True]
        for done in bad[:MOST_NAMED]:
            why = done.result.reason or done.result.verdict.reason
            self._say(f"  {printable(done.attempt.task.id, 60)} ({done.result.run_id}): {printable(why)}")
        if len(bad) > MOST_NAMED:
            self._say(f"  … and {len(bad) - MOST_NAMED} more; `webagent runs list` shows them")
        left = len(self._plan.attempts) - len(self._done)
        if ended:
            self._say(f"ended early: {ended}; {left} runs were not begun; --resume goes on")

    def _say(self, text: str) -> None:
        say(text, "batch")


def _told_of(done: Done) -> dict[str, Any]:
    result = done.result
    return {
        "task": done.attempt.task.id,
        "repeat": done.attempt.repeat,
        "run_id": result.run_id,
        "status": result.status,
        "success": result.verdict.success,
        "reason": result.reason or result.verdict.reason,
    }
