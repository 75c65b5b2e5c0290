"""What a batch has to do: which task, which time, and what a batch before it has done already."""

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Task

TELLING = (
    "site",
    "url",
    "policy",
    "model",
    "memory",
    "memory_exclude_task",
    "memory_source",
    "judge",
    "max_steps",
)
"""Options that make a batch another one where they differ; `--resume` wants the same."""


@dataclass(frozen=True)
class Attempt:
    """One task of a batch, carried out for the `repeat`th time, from 1."""

    task: Task
    repeat: int

    @property
    def place(self) -> tuple[str, int]:
        return self.task.id, self.repeat


@dataclass(frozen=True)
class Plan:
    """The stored batch, and what of it is still to be done, in order; `done` counts the rest, and `failed`
    those of them that were no success."""

    batch_id: str
    attempts: Sequence[Attempt]
    done: int = 0
    failed: int = 0


def attempts_of(
    tasks: Sequence[Task], *, repeat: int = 1, shuffle: bool = False, seed: int = 0
) -> list[Attempt]:
    """Every task once, then all of them again, in the file's order, or each pass in an order of its own
    that the seed decides."""
    attempts: list[Attempt] = []
    for number in range(1, repeat + 1):
        order = list(tasks)
        if shuffle:
            random.Random(f"{seed}/{number}").shuffle(order)
        attempts += [Attempt(task, number) for task in order]
    return attempts


def planned(
    store: Store, file: str, attempts: Sequence[Attempt], settings: Settings, *, resume: bool = False
) -> Plan:
    """A new batch; with `resume` the newest one of the same tasks and options, without the attempts that
    have a verdict (a new one where there is none)."""
    digest = _digest(attempts, settings)
    batch_id = store.newest_batch(digest) if resume else None
    if batch_id is None:
        return Plan(store.start_batch(file, digest), attempts)
    judged = store.judged_places(batch_id)
    left = [attempt for attempt in attempts if attempt.place not in judged]
    failed = sum(success is not True for success in judged.values())
    return Plan(batch_id, left, len(judged), failed)


def _digest(attempts: Sequence[Attempt], settings: Settings) -> str:
    """The same for the same tasks in any order, as often, with the same options."""
    tasks = sorted(_text([asdict(attempt.task), attempt.repeat]) for attempt in attempts)
    options = {name: getattr(settings, name) for name in TELLING}
    return hashlib.sha256(_text([tasks, options]).encode()).hexdigest()[:20]


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
