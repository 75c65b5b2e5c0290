"""A person at a browser, played by Playwright's own mouse and keyboard, whose events are trusted."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from webagent.browser.launch import Chromium
from webagent.browser.recording import RecordingSession
from webagent.demonstration import Demonstration
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Task
from webagent.trajectory import Step, Trajectory
from webagent.watcher import Watcher

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page


@dataclass
class Person:
    """What a person sees and does. They act on what they see: before each action the page has come to
    rest and was observed."""

    recording: RecordingSession

    @property
    def page(self) -> "Page":
        """The tab in front."""
        return self.recording._stage.page

    async def sees(self, text: str) -> None:
        """Waits until the page was observed with this text in it."""
        for _ in range(400):
            page = self.recording._stage.tabs.current
            seen = self.recording._looks.newest(page)
            if page is not None and seen is not None and text in seen.page_text:
                return
            await self.recording._stage.pause(0.05)
        raise AssertionError(f"{text!r} was not observed: {seen.page_text if seen else 'nothing'}")

    async def click(self, what: "Locator", **how: object) -> None:
        """A click in the middle of an element, by the mouse."""
        x, y = await self._middle(what)
        await what.page.mouse.click(x, y, **how)  # type: ignore[arg-type]

    async def points_at(self, what: "Locator") -> None:
        """The mouse rests on an element."""
        x, y = await self._middle(what)
        await self.page.mouse.move(x - 3, y)
        await self.page.mouse.move(x, y)

    async def _middle(self, what: "Locator") -> tuple[float, float]:
        await what.scroll_into_view_if_needed()
        box = await what.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    async def types(self, what: "Locator", text: str) -> None:
        """Clicks into a field and types."""
        await self.click(what)
        await self.page.keyboard.type(text)

    async def presses(self, key: str) -> None:
        await self.page.keyboard.press(key)

    async def selects(self, what: "Locator") -> None:
        """Selects an element's text with the mouse."""
        await what.select_text()
        for _ in range(400):
            if self.recording.selection:
                return
            await self.recording._stage.pause(0.05)
        raise AssertionError("nothing was selected")


Showing = Callable[[Person], Awaitable[None]]


@dataclass
class Told(Watcher):
    """Watches what the person is told."""

    lines: list[str] = field(default_factory=list)

    def told(self, text: str) -> None:
        self.lines.append(text)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass
class Shown:
    """A demonstration that came to its end."""

    result: RunResult
    trajectory: Trajectory
    told: Told

    @property
    def actions(self) -> list[dict[str, object]]:
        """Tool, role, name and arguments of each step, without refs."""
        return [action_of(step) for step in self.trajectory.steps]


def action_of(step: Step) -> dict[str, object]:
    """A step as a person would tell it."""
    given = {key: value for key, value in step.action.arguments.items() if key not in ("ref", "to_ref")}
    target = {"role": step.target.role, "name": step.target.name} if step.target else {}
    return {"action": step.action.tool, **target, **given}


async def demonstrated(
    chromium: Chromium,
    folder: Path,
    url: str,
    show: Showing,
    goal: str = "do it",
    answers: Sequence[str] = ("",),
) -> Shown:
    """A person shows a task, presses Enter, and answers what they are asked."""
    done = asyncio.Event()
    replies = iter(answers)

    async def ask(question: str) -> str:
        if not done.is_set():
            await done.wait()
            return ""
        return next(replies)

    told = Told()
    with Store.open(folder / "workflows.db") as store:
        showing = Demonstration(Task(id="", goal=goal), url, Settings(url=url), store, ask, told, chromium)
        running = asyncio.ensure_future(showing.run())
        while showing.recording is None and not running.done():
            await asyncio.wait({running}, timeout=0.02)
        try:
            if showing.recording is not None:
                await show(Person(showing.recording))
        finally:
            done.set()
            result = await running
        return Shown(result, store.trajectory(result.run_id), told)
