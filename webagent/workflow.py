"""Workflows: reusable routines of a hostname, with the example's values replaced by variables."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.ids import one_line
from webagent.observation import Target

VARIABLE = re.compile(r"\{([a-z][a-z0-9_-]*)\}")
NAME_LIMIT = 80
"""Characters of a control's name, heading or row that are kept."""


@dataclass(frozen=True)
class Variable:
    """A value that differs from run to run; `in_goal` tells that the goal names it. `kind` is text,
    number, date or choice, the last one with the `choices` known."""

    name: str
    description: str = ""
    example: str = ""
    in_goal: bool = True
    kind: str = "text"
    choices: Sequence[str] = ()


@dataclass(frozen=True)
class WorkflowStep:
    """One step. `tool` is an action of `actions.TOOLS`, `workflow` (a call) or `stop`; strings in
    `target` and `arguments` may hold `{variable}`. `expect` is the path pattern of the page that
    it leads to, `page` that of the page it starts on (empty where not known); `opens` tells that it
    leads to a new tab. `changes` marks what must never be done twice. `evidence` is the `run_id#step`
    it came from."""

    tool: str
    target: Target | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    state: str = ""
    page: str = ""
    expect: str = ""
    changes: bool = False
    evidence: str = ""
    opens: bool = False


@dataclass(frozen=True)
class AnswerReader:
    """Reads an answer from a page: the first capture group of `pattern` on the words of the element
    found by `role`, `label` (the words just before it, such as the term of a definition), `heading`,
    and `frame` as in a target. `examples` are answers it was learned from."""

    role: str = ""
    label: str = ""
    heading: str = ""
    name: str = ""
    pattern: str = "(.+)"
    examples: tuple[str, ...] = ()
    frame: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Workflow:
    """One version of a workflow. `goals` are goal templates (`find zip code of {place}`) that bind
    its variables; `reader` reads its answer, where it ends a task that has one. `learned` is online
    (after a run), offline (from stored runs) or import."""

    id: str
    version: int
    hostname: str
    name: str
    description: str
    steps: Sequence[WorkflowStep]
    variables: Sequence[Variable] = ()
    goals: Sequence[str] = ()
    start: str = ""
    reader: AnswerReader | None = None
    status: str = "candidate"
    source: str = "rule"
    owner: str = "program"
    learned: str = "online"
    success_weight: float = 0.0
    failure_weight: float = 0.0
    uses: int = 0
    origins: Sequence[str] = ()

    @property
    def label(self) -> str:
        """`id@version`, as results and prompts name it."""
        return f"{self.id}@{self.version}"


def kept_name(text: str) -> str:
    """What is kept of the words of a page by which a control is found again: one line, nothing unseen,
    and not much of it."""
    return one_line(text, NAME_LIMIT)


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with its variables replaced by values; unknown variables stay."""
    return VARIABLE.sub(lambda found: values.get(found[1], found[0]), text)


def variables_in(text: str) -> list[str]:
    """Names of the variables in a text, in order, each once."""
    return list(dict.fromkeys(VARIABLE.findall(text)))


Lookup = Callable[[str], "Workflow | None"]
"""Finds a workflow by its id."""


def expand(workflow: Workflow, lookup: Lookup, _above: tuple[str, ...] = ()) -> list[WorkflowStep] | None:
    """The steps with every call replaced by the callee's steps, its variables filled with the
    caller's; the stop stays only at the end. None where a callee is gone or calls in a circle."""
    if workflow.id in _above:
        return None
    steps: list[WorkflowStep] = []
    for step in workflow.steps:
        if step.tool != "workflow":
            steps.append(step)
            continue
        callee = lookup(step.arguments.get("id", ""))
        inner = expand(callee, lookup, (*_above, workflow.id)) if callee else None
        if inner is None:
            return None
        given: Mapping[str, str] = step.arguments.get("arguments", {})
        values = {**_renamed(inner, given, steps), **given}
        steps += [filled(part, values) for part in inner if part.tool != "stop"]
    return steps


def _renamed(
    inner: Sequence[WorkflowStep], given: Mapping[str, str], before: Sequence[WorkflowStep]
) -> dict[str, str]:
    """Other names for the callee's own variables that the caller's earlier steps use already: a
    second search has another result than the first."""
    used = set(variables_of(before))
    names = {}
    for name in variables_of(inner):
        fresh, n = name, 2
        while name not in given and fresh in used:
            fresh, n = f"{name}-{n}", n + 1
        if fresh != name:
            names[name] = f"{{{fresh}}}"
    return names


def variables_of(steps: Sequence[WorkflowStep]) -> list[str]:
    """Names of the variables that steps use, each once."""
    texts = []
    for step in steps:
        if step.target is not None:
            texts += [step.target.name, step.target.heading, step.target.row]
        texts.append(json.dumps(fill_any(dict(step.arguments), {}), ensure_ascii=False))
    return list(dict.fromkeys(name for text in texts for name in variables_in(text)))


def filled(step: WorkflowStep, values: Mapping[str, str]) -> WorkflowStep:
    """The step with its variables replaced by values."""
    target = step.target
    if target is not None:
        target = replace(
            target,
            name=fill(target.name, values),
            heading=fill(target.heading, values),
            row=fill(target.row, values),
        )
    arguments = {key: fill_any(value, values) for key, value in step.arguments.items()}
    return replace(step, target=target, arguments=arguments)


def fill_any(value: Any, values: Mapping[str, str]) -> Any:
    """`fill` for every string in a value of JSON's shapes."""
    if isinstance(value, str):
        return fill(value, values)
    if isinstance(value, Mapping):
        return {key: fill_any(part, values) for key, part in value.items()}
    if isinstance(value, Sequence):
        return [fill_any(part, values) for part in value]
    return value


def shape_of(steps: Sequence[WorkflowStep]) -> tuple[tuple[str, ...], ...]:
    """What makes two workflows the same: tools, roles, constant names and arguments; variables are
    all alike, and how the answer is read does not count."""
    return tuple(
        (
            step.tool,
            step.target.role if step.target else "",
            VARIABLE.sub("{}", step.target.name) if step.target else "",
            VARIABLE.sub("{}", json.dumps(fill_any(dict(step.arguments), {}), sort_keys=True)),
        )
        for step in steps
        if step.tool != "stop"
    )
