"""A person shows how a task is done: a run in which they act, which is learned from like any other."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from webagent.browser.launch import Chromium
from webagent.browser.options import BrowserOptions
from webagent.browser.recording import RecordingSession
from webagent.episode import Ask
from webagent.errors import EnvironmentFault, first_line
from webagent.ids import scope_of
from webagent.interfaces import Decision, Verdict, View
from webagent.pipeline import Run
from webagent.result import RunResult
from webagent.secrets import placeholder
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Task
from webagent.trajectory import Outcome, Stop
from webagent.watcher import Watcher
from webagent.workflow import Workflow, variables_in
from webagent.workflow_text import render_workflow

DAY = 86_400.0
SHOWN = Verdict(True, "human", "shown by a person")
FINISH = "Do the task in the browser. When it is done press Enter here (or type the answer), or close the browser's window."
OFFERED = 5
"""Selected texts that are offered as the answer."""


def shown_settings(settings: Settings) -> Settings:
    """What a demonstration means by its settings: a person acts, judges and takes their time; where they
    go is their business."""
    domains = settings.allowed_domains or "*"
    return replace(
        settings, policy="human", judge="none", allowed_domains=domains, max_steps=10_000, timeout=10 * DAY
    )


@dataclass
class Demonstration:
    """Opens the browser at `start_url` and follows what a person does there, until they press Enter in
    the terminal (`ask`) or close the browser. An interruption ends it, stored and without a lesson."""

    task: Task
    start_url: str
    settings: Settings
    store: Store
    ask: Ask
    watcher: Watcher = field(default_factory=Watcher)
    browser: Chromium | None = None
    recording: RecordingSession | None = field(default=None, init=False)
    _line: asyncio.Future[str] | None = None
    _run: Run | None = None

    async def run(self) -> RunResult:
        """Raises UsageError and EnvironmentFault only before the person could begin."""
        self._run = Run(
            self.task,
            self.start_url,
            shown_settings(self.settings),
            self.store,
            self.watcher,
            self.browser,
            policy=self,
            open_session=self._opened,
            verdict=SHOWN,
        )
        running = asyncio.ensure_future(self._run.run())
        try:
            result = await asyncio.shield(running)
        except asyncio.CancelledError:
            if self.recording is None or self.recording.ended.is_set():
                running.cancel()
            else:
                self.recording.finish(interrupted=True)
            result = await running
        finally:
            if self._line is not None:
                self._line.cancel()
        self._tell(result)
        return result

    async def _opened(self, chromium: Chromium, options: BrowserOptions, start_url: str) -> RecordingSession:
        self.recording = await RecordingSession.open(chromium, options, start_url)
        self._line = asyncio.ensure_future(self.ask(FINISH))
        self._line.add_done_callback(self._on_line)
        return self.recording

    def _on_line(self, line: asyncio.Future[str]) -> None:
        """Enter in the terminal; where there is none, the window alone tells the end."""
        if not line.cancelled() and line.exception() is None and self.recording is not None:
            self.recording.finish()

    async def decide(self, view: View) -> Decision:
        """The person's next action, as `interfaces.Policy` wants it; at the end their answer."""
        assert self.recording is not None
        shown = self.recording.shown
        if shown is not None:
            outcome = Outcome("", posted=shown.posted)
            return Decision((shown.action,), by="human", outcome=outcome, target=shown.target)
        if self.recording.interrupted:
            raise asyncio.CancelledError
        answer = await self._answer()
        if not view.steps and answer is None:
            return Decision(given_up="nothing was shown", by="human")
        await self._connect_model()
        return Decision(stop=Stop(answer, by="human"), by="human")

    async def _answer(self) -> str | None:
        assert self.recording is not None
        texts = self.recording.selected[: -OFFERED - 1 : -1]
        selection = self.recording.selection or None
        question = answer_question(texts, selection)
        try:
            if self._line is not None and not self._line.done():
                self.watcher.told(question)
                return answer_of(await self._line, texts, selection)
            if self._line is not None and (said := self._line.result().strip()):
                return answer_of(said, texts, selection)
            return answer_of(await self.ask(question), texts, selection)
        except EOFError:
            return selection

    async def _connect_model(self) -> None:
        """A configured model helps to learn; where it can't, rules do."""
        if self._run is not None and self.settings.has_model and self.settings.memory == "online":
            try:
                await self._run.need_model()
            except EnvironmentFault as error:
                self.watcher.told(f"learned by rules alone: {first_line(error)}")

    def _tell(self, result: RunResult) -> None:
        """What was learned, what may change in it, and what is still needed for it."""
        recording = self.recording
        for name, url in recording.typed_secrets.items() if recording is not None else ():
            self.watcher.told(
                f"what was typed into a password field is kept as {placeholder(name)}; for a run put the line "
                f"{name}@{scope_of(url)}=… into the file that --secrets names"
            )
        for label in result.learned:
            workflow = self.store.workflow(label.partition("@")[0])
            for line in told_of(workflow) if workflow is not None else ():
                self.watcher.told(line)
        if result.verdict.success and not result.learned and self.settings.memory == "online":
            self.watcher.told(
                "no new workflow: it is known already, has no steps, or does not stay on one host"
            )


def answer_question(texts: list[str], selection: str | None) -> str:
    """What is asked at the end."""
    enter = f'Enter for the selected text "{selection}", - for none' if selection else "Enter for none"
    lines = [f"answer ({enter}{'; or a number of a text that was selected' if texts else ''}):"]
    return "\n".join([*lines, *(f"  {n}) {text}" for n, text in enumerate(texts, 1))])


def answer_of(line: str, texts: list[str], selection: str | None) -> str | None:
    """The answer that a line means; a number in quotes is itself."""
    said = line.strip()
    if said in ("", "-"):
        return None if said else selection
    if said.isdecimal() and 1 <= int(said) <= len(texts):
        return texts[int(said) - 1]
    return said[1:-1].strip() if len(said) > 2 and said[0] == said[-1] == '"' else said


def told_of(workflow: Workflow) -> Iterator[str]:
    """A learned workflow for the person who showed it: its text, what stays as it was shown, and whether
    another demonstration would help."""
    yield from render_workflow(workflow).splitlines()
    for step in workflow.steps:
        texts = [step.arguments.get("text", ""), *step.arguments.get("options", ())]
        for text in texts if step.tool in ("type", "select") else ():
            if text and not variables_in(str(text)) and not str(text).startswith("<secret:"):
                field = f" in {step.target.name!r}" if step.target and step.target.name else ""
                yield f"always {text!r}{field}: the goal does not name it"
    if workflow.reader is None and any(step.tool == "stop" and step.arguments for step in workflow.steps):
        yield "the answer was not found on the last page: reading it needs a person or a model"
    if len(workflow.origins) > 1:
        return
    names = ", ".join(f"{{{variable.name}}}" for variable in workflow.variables)
    known = (
        f"taken to change from goal to goal: {names}"
        if names
        else "taken to be the same each time: all of it"
    )
    yield f"{known}. Show it once more with other values, and it is known for certain"
