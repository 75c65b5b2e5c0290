"""Ten goals on the map site with a small local model, without and with memory, at equal budgets.

    python -m benchmarks.local_model MODEL.gguf [--goals 10] [--max-steps 8] [--threads N]

Needs the extra `local`. Takes minutes a goal on two cores. Prints a line a run, then a table: how many
runs were judged a success by the task's own test, and how many replies held no usable action."""

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.interfaces import Completion
from webagent.llm import ModelOptions, OpenAIModel
from webagent.pipeline import Run
from webagent.settings import Settings
from webagent.sites import site_url
from webagent.store import Store
from webagent.tasks import Task, read_tasks

ARMS = ("off", "read")


class Counting(OpenAIModel):
    """The model, with the replies to its prompts for actions kept."""

    replies: list[Completion]

    async def act(self, *arguments: object) -> Completion:
        """As OpenAIModel.act."""
        completion = await super().act(*arguments)  # type: ignore[arg-type]
        self.replies.append(completion)
        return completion


async def run_all(
    model: Counting, tasks: Sequence[Task], folder: Path, max_steps: int
) -> list[dict[str, object]]:
    """Every task in every arm; one row a run."""
    rows: list[dict[str, object]] = []
    with site_url("maps") as url:
        async with open_browser(BrowserOptions()) as browser:
            for task in tasks:
                for arm in ARMS:
                    rows.append(await run_one(model, browser, task, arm, url, folder, max_steps))
                    sys.stdout.write(json.dumps(rows[-1]) + "\n")
                    sys.stdout.flush()
    return rows


async def run_one(
    model: Counting, browser: Chromium, task: Task, arm: str, url: str, folder: Path, max_steps: int
) -> dict[str, object]:
    """One run and what came of it."""
    settings = Settings(
        site="maps", policy="llm", memory=arm, judge="expect", max_steps=max_steps, timeout=1200,
        observation_tokens=500, base_url="local", no_lessons=True,
    )  # fmt: skip
    model.replies = []
    with Store.open(folder / f"{arm}.db") as store:
        result = await Run(task, url, settings, store, browser=browser, model=model).run()
        bad = sum("usable" in reason for reason in [result.reason])
    return {
        "goal": task.goal, "memory": arm, "success": result.verdict.success, "answer": result.answer,
        "status": result.status, "steps": result.steps, "replies": len(model.replies),
        "ended_malformed": bad, "seconds": round(result.seconds, 1), "reason": result.reason,
    }  # fmt: skip


async def main(path: Path, goals: int, max_steps: int, threads: int | None) -> None:
    """Runs the comparison and prints it."""
    tasks = read_tasks(Path(str(resources.files("fixtures_sites").joinpath("maps/tasks.jsonl"))))[:goals]
    model = await Counting.open(ModelOptions(model=str(path), request_timeout=900, threads=threads))
    try:
        with tempfile.TemporaryDirectory() as name:
            shutil.copy(Path(__file__).parent.parent / "workflows.db", Path(name) / "read.db")
            rows = await run_all(model, tasks, Path(name), max_steps)  # type: ignore[arg-type]
    finally:
        await model.close()
    for arm in ARMS:
        mine = [row for row in rows if row["memory"] == arm]
        won = sum(row["success"] is True for row in mine)
        bad = sum(int(str(row["ended_malformed"])) for row in mine)
        steps = sum(int(str(row["steps"])) for row in mine)
        sys.stdout.write(
            f"memory {arm}: {won} of {len(mine)} succeeded, {steps} steps, {bad} runs ended by malformed replies\n"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--goals", type=int, default=10)
    parser.add_argument("--max-steps", type=int, default=8)
    parser.add_argument("--threads", type=int, default=None)
    given = parser.parse_args()
    asyncio.run(main(given.model, given.goals, given.max_steps, given.threads))
