"""Workflows: reusable routines of a hostname, with the example's values replaced by variables."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webagent.observation import Target

VARIABLE = re.compile(r"\{([a-z][a-z0-9_-]*)\}")


@dataclass(frozen=True)
class Variable:
    """A value that differs from run to run; `in_goal` tells that the goal names it."""

    name: str
    description: str = ""
    example: str = ""
    in_goal: bool = True


@dataclass(frozen=True)
class WorkflowStep:
    """One step. `tool` is an action of `actions.TOOLS`, `workflow` (a call) or `stop`; strings in
    `target` and `arguments` may hold `{variable}`. `expect` is the path pattern of the page that
    it leads to, `page` that of the page it starts on (empty where not known). `changes` marks what
    must never be done twice. `evidence` is the `run_id#step` it came from."""

    tool: str
    target: Target | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    state: str = ""
    page: str = ""
    expect: str = ""
    changes: bool = False
    evidence: str = ""


@dataclass(frozen=True)
class AnswerReader:
    """Reads an answer from a page: the first capture group of `pattern` on the words of the element
    found by `role`, `label` (the words just before it, such as the term of a definition), and
    `heading`. `examples` are answers it was learned from."""

    role: str = ""
    label: str = ""
    heading: str = ""
    name: str = ""
    pattern: str = "(.+)"
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Workflow:
    """One version of a workflow. `goals` are goal templates (`find zip code of {place}`) that bind
    its variables; `reader` reads its answer, where it ends a task that has one."""

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
    success_weight: float = 0.0
    failure_weight: float = 0.0
    uses: int = 0
    origins: Sequence[str] = ()

    @property
    def label(self) -> str:
        """`id@version`, as results and prompts name it."""
        return f"{self.id}@{self.version}"


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with its variables replaced by values; unknown variables stay."""
    return VARIABLE.sub(lambda found: values.get(found[1], found[0]), text)


def variables_in(text: str) -> list[str]:
    """Names of the variables in a text, in order, each once."""
    return list(dict.fromkeys(VARIABLE.findall(text)))
