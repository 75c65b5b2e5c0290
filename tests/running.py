"""Whole runs in the tests' own process, in a browser that they share: what the command line does, without
the second that a process takes to begin."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from tests.endpoint import ScriptedEndpoint
from webagent.browser.launch import Chromium
from webagent.pipeline import Run
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import parse_task
from webagent.watcher import Watcher

DATABASE = "workflows.db"


class Hearing(Watcher):
    """A watcher that remembers what was told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def told(self, text: str) -> None:
        self.lines.append(text)


def settings_at(endpoint: ScriptedEndpoint, url: str, **given: Any) -> Settings:
    """Settings of a run that neither uses memory nor asks a judge, unless `given` says so."""
    common: Mapping[str, Any] = {"model": "scripted", "memory": "off", "judge": "none", "policy": "llm"}
    settings = Settings(**{**common, "url": url, "base_url": endpoint.base_url, **given})
    settings.check()
    return settings


async def carried_out(
    chromium: Chromium | None,
    endpoint: ScriptedEndpoint,
    url: str,
    folder: Path,
    *,
    goal: str = "press the buttons",
    task: Mapping[str, Any] | None = None,
    watcher: Watcher | None = None,
    **given: Any,
) -> RunResult:
    """The result of one run; its database is in the folder."""
    settings = settings_at(endpoint, url, **given)
    made = parse_task({"id": "t", "goal": goal, "url": url, **(task or {})}, "task")
    with Store.open(folder / DATABASE, secrets=settings.mask) as store:
        return await Run(made, url, settings, store, watcher or Watcher(), browser=chromium).run()


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """What the database of a folder holds."""
    return list(Database(folder / DATABASE)[table].rows)
