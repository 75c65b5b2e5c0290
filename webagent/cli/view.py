"""What a person sees of a run while it happens, on stderr."""

import sys

import click

from webagent.interfaces import Memory
from webagent.log import listening
from webagent.result import RunResult
from webagent.terminal import printable
from webagent.trajectory import Step
from webagent.watcher import Watcher
from webagent.workflow_text import argument_text


def live_view() -> Watcher:
    """What shows a run on stderr; nothing where records go there instead."""
    return Watcher() if listening() else LiveView()


class LiveView(Watcher):
    """A line for what was thought, one for what was done and what came of it; colours only on a
    terminal."""

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None:
        self._say(f"run {run_id}: {printable(goal)}", bold=True)
        self._say(f"  at {printable(url)}")

    def stepped(self, step: Step) -> None:
        if step.action.thought:
            self._say(f"  {printable(step.action.thought, 300)}", dim=True)
        target = f" {step.target.role} {printable(step.target.name, 60)!r}" if step.target else ""
        argument = argument_text(step.action.tool, step.action.arguments)
        said = f": {printable(argument, 80)}" if argument else ""
        by = f" ({step.by})" if step.by != "llm" else ""
        self._say(f"{step.n:>3}. {step.action.tool}{target}{said}{by}")
        if step.outcome.error:
            self._say(f"     failed: {printable(step.outcome.error)}", fg="red")
        elif step.outcome.message:
            self._say(f"     {printable(step.outcome.message)}", dim=True)

    def told(self, text: str) -> None:
        self._say(f"  {printable(text, 300)}", dim=True)

    def finished(self, result: RunResult) -> None:
        """The last lines: verdict, cost, memory."""
        success = result.verdict.success
        words = {True: ("success", "green"), False: ("failure", "red"), None: ("not judged", "yellow")}
        word, colour = words[success]
        why = result.verdict.reason or result.reason
        self._say(f"{word} (judge: {result.verdict.judge}): {printable(why, 300)}", fg=colour, bold=True)
        usage = result.usage
        self._say(
            f"{result.status}, {result.steps} steps by {result.policy}, {result.seconds:.1f} s, "
            f"{usage.calls} model calls, {usage.prompt_tokens + usage.completion_tokens} tokens"
        )
        for word, labels in (("followed", result.followed), ("learned", result.learned)):
            if labels:
                self._say(f"{word}: {', '.join(labels)}")

    def _say(self, text: str, **style: object) -> None:
        click.echo(click.style(text, **style) if sys.stderr.isatty() else text, err=True)  # type: ignore[arg-type]
