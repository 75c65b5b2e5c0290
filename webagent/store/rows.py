"""Rows of runs and steps, and what they stand for."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from webagent.actions import Action
from webagent.observation import Observation, Target
from webagent.store.bodies import from_object, object_of
from webagent.store.connection import Row
from webagent.trajectory import Outcome, Step

RUN_COLUMNS = [
    "id",
    "goal",
    "site",
    "hostname",
    "start_url",
    "status",
    "answer",
    "success",
    "judge",
    "reason",
    "policy",
    "model",
    "steps",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "cost_usd",
    "seconds",
    "started_at",
    "ended_at",
]
"""What others may query, in order (SPEC section 5); `run()` gives the other columns after them."""
_HIDDEN = ("process", "final_seen")


def step_columns(step: Step) -> dict[str, Any]:
    """What a step's row holds that a page or a model said."""
    seen = step.observation
    return {
        "url": seen.url,
        "title": seen.title,
        "seen": around(seen),
        "thought": step.action.thought,
        "action": step.action.as_object(),
        "role": step.target.role if step.target else None,
        "name": step.target.name if step.target else None,
        "target": object_of(step.target) if step.target else None,
        "error": step.outcome.error,
        "result": step.outcome.message,
    }


def around(seen: Observation) -> dict[str, Any]:
    """What an observation holds besides URL, title and text."""
    rest = object_of(replace(seen, title="", lines=()))
    return {name: value for name, value in rest.items() if name != "url"}


def step_of(row: Row, seen: Observation) -> Step:
    """The step of a row."""
    said = json.loads(row["action"])
    action = Action(said.pop("action"), said, row["thought"])
    return Step(
        n=row["n"],
        action=action,
        observation=seen,
        outcome=Outcome(row["result"], row["error"], bool(row["changed"]), posted=bool(row["posted"])),
        target=from_object(Target, json.loads(row["target"])) if row["target"] else None,
        by=row["by"],
        workflow=row["workflow"],
        seconds=row["seconds"],
        asked=row.get("asked") or "",
    )


def run_row(row: Mapping[str, Any]) -> Row:
    """A run's row as it is given to others: SPEC's columns first, JSON columns as objects."""
    rest = {name: value for name, value in row.items() if name not in RUN_COLUMNS and name not in _HIDDEN}
    listed = {name: row[name] for name in RUN_COLUMNS}
    parsed = {name: loaded(row.get(name)) for name in ("stop", "evidence")}
    return {**listed, **rest, **parsed, **{name: truth(row.get(name)) for name in ("success", "supported")}}


def truth(value: Any) -> bool | None:
    """A column of 0, 1 and null."""
    return None if value is None else bool(value)


def loaded(text: str | None) -> Any:
    """A column of JSON."""
    return None if text is None else json.loads(text)
