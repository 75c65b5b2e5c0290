"""The results of a benchmark: one line for each run, in one folder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from webagent.errors import UsageError
from webagent.result import RunResult
from webagent.tasks import Task

RUNS_FILE = "runs.jsonl"
PLAN_FILE = "bench.json"


@dataclass(frozen=True)
class Result:
    """One run: which task, at which `place` of its arm's stream (from 1), and what came of it. `success` is
    what the task's own test says, `judged` what the run's judge said, which decides what is learned."""

    arm: str
    seed: int
    place: int
    task: str
    template: str
    site: str
    success: bool
    judged: bool | None
    status: str
    answer: str | None
    reason: str
    policy: str
    steps: int
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: float | None
    seconds: float
    llm_seconds: float
    run_id: str
    given: Sequence[str] = ()
    followed: Sequence[str] = ()
    learned: Sequence[str] = ()

    @property
    def tokens(self) -> int:
        """Of all calls of the run: acting, judging, learning."""
        return self.prompt_tokens + self.completion_tokens

    @classmethod
    def of(cls, arm: str, seed: int, place: int, task: Task, result: RunResult) -> Self:
        usage = result.usage
        scored = result.scored or result.verdict
        return cls(
            arm=arm,
            seed=seed,
            place=place,
            task=task.id,
            template=task.template or task.id,
            site=task.site,
            success=scored.success is True,
            judged=result.verdict.success,
            status=result.status,
            answer=result.answer,
            reason=scored.reason or result.reason,
            policy=result.policy,
            steps=result.steps,
            calls=usage.calls,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=usage.cost_usd,
            seconds=round(result.seconds, 3),
            llm_seconds=round(usage.seconds, 3),
            run_id=result.run_id,
            given=tuple(result.given),
            followed=tuple(result.followed),
            learned=tuple(result.learned),
        )

    def line(self) -> str:
        """The result as a line of the file."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"


_NAMES = frozenset(field.name for field in fields(Result))


def read_runs(path: Path) -> list[Result]:
    """The results in a file; an unfinished last line, which a killed process leaves, is dropped. Raises
    UsageError naming the file and the line."""
    try:
        lines = path.read_text("utf-8").split("\n")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} can't be read: {error}") from error
    results = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            results.append(Result(**_known(json.loads(line))))
        except (ValueError, TypeError) as error:
            raise UsageError(f"{path} line {number} is no result of a benchmark: {error}") from error
    return results


def _known(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return {name: item for name, item in value.items() if name in _NAMES}


def read_folder(folder: Path) -> list[Result]:
    """All results of a benchmark's folder. Raises UsageError for a folder that is none."""
    results = read_runs(folder / RUNS_FILE)
    if not results:
        raise UsageError(
            f"{folder} holds no results; `webagent bench arena --out {folder}` writes {RUNS_FILE}"
        )
    return results
