"""The plain text of the AWM research code (Wang et al., 2024, "Agent Workflow Memory"), in both forms:
`## name`, a description and `[role]  name -> ACTION: argument` lines (Mind2Web), and titled pairs of
`<think>` and `<action>` with blank lines *between steps* (WebArena).

Headings tell workflows from trajectories (`Query …`, `Concrete Examples`); the latter are skipped, and
named. WebArena's steps carry element ids of one moment instead of roles and names: they can be shown
to a model, and are not replayable, so none of these workflows has a goal."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.errors import UsageError
from webagent.exchange.calls import Call, CallFault, parse_calls
from webagent.exchange.text import STATE_LIMIT, action_text, marked, stable_id
from webagent.ids import one_line
from webagent.observation import Target
from webagent.workflow import Workflow, WorkflowStep
from webagent.workflow_parse import Written, declared_variables, looks_like_step, parse_step, with_variables


@dataclass(frozen=True)
class Reading:
    """The workflows of a text, and the titles of the trajectories in it."""

    workflows: Sequence[Written]
    skipped: Sequence[str]


def read_awm(text: str, hostname: str, where: str) -> Reading:
    """Raises UsageError naming `where`, the line and what is wrong with it."""
    reader = _Reader(text.splitlines())
    try:
        blocks = reader.read()
    except _Fault as fault:
        raise UsageError(f"{where} line {fault.line}: {fault}") from None
    if not blocks:
        raise UsageError(f"{where} line 1: no workflow of AWM's forms (`## name` or `Workflow 1: name`)")
    workflows = [block for block in blocks if not block.example]
    empty = next((block for block in workflows if not block.steps), None)
    if empty is not None:
        raise UsageError(f"{where} line {empty.line}: {empty.title!r:.80} has no step")
    written = [_workflow(block, hostname) for block in _distinct(workflows)]
    return Reading(written, [block.title for block in blocks if block.example])


def write_awm(workflow: Workflow, steps: Sequence[WorkflowStep]) -> str:
    """The Mind2Web form of a workflow, with these steps (its calls replaced); states have no place in it."""
    lines = [f"## {workflow.name}", workflow.description]
    for step in steps:
        if step.tool == "workflow":
            lines.append(f"{step.arguments.get('name', '')} -> WORKFLOW")
        else:
            role, name = (step.target.role, step.target.name) if step.target else ("page", "")
            lines.append(f"[{role}]  {one_line(name, 1000)} -> {action_text(step)}")
    return "\n".join(lines) + "\n"


def is_awm(text: str) -> bool:
    """Whether a text has AWM's marks: tags of actions, its section titles, or bare steps under `##`."""
    if _TAG.search(text) or any(_SECTION.fullmatch(line.strip()) for line in text.splitlines()):
        return True
    lines = [line.strip() for line in text.splitlines()]
    steps = [line for line in lines if looks_like_step(line)]
    return bool(steps) and all(line.startswith("[") for line in steps) and "\n## " in f"\n{text}"


class _Fault(ValueError):
    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class _Block:
    """A titled part of the text."""

    title: str
    line: int
    example: bool
    description: list[str] = field(default_factory=list)
    steps: list[WorkflowStep] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


_TAG = re.compile(r"<(think|action)>", re.IGNORECASE)
_SECTION = re.compile(
    r"#*\s*(?:(summary|extracted) workflows|(concrete examples|examples))\s*:?", re.IGNORECASE
)
_EXAMPLE = re.compile(r"(?:#+\s*)?(?:query|task)\b[^:]{0,20}:\s*(.*)", re.IGNORECASE)
_TITLE = re.compile(r"(?:#+\s*)?workflow\s*\d*\s*:\s*(.+)|#+\s+(.+)", re.IGNORECASE)
_IGNORED = re.compile(r"actions:|website:.*", re.IGNORECASE)


class _Reader:
    """Reads blocks line by line. Blank lines mean nothing: they stand between steps as well."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)
        self._at = 0
        self._examples = False
        self._think = ""
        self._blocks: list[_Block] = []
        self._open: _Block | None = None

    def read(self) -> list[_Block]:
        while self._at < len(self._lines):
            line = self._lines[self._at].strip()
            tag = _TAG.match(line)
            if tag:
                self._tagged(tag[1].lower())
                continue
            if line:
                self._line(line)
            self._at += 1
        return self._blocks

    def _line(self, line: str) -> None:
        section, example, title = _SECTION.fullmatch(line), _EXAMPLE.fullmatch(line), _TITLE.fullmatch(line)
        if section:
            self._examples, self._open = section[2] is not None, None
        elif example:
            self._begin(example[1], example=True)
        elif title:
            self._begin(title[1] or title[2], example=self._examples)
        elif _IGNORED.fullmatch(line):
            return
        elif looks_like_step(line):
            self._step(line)
        elif self._open is not None and not self._open.steps:
            self._open.description.append(line)
        elif _TAG.match(self._next_line()):
            self._begin(line, example=self._examples)
        elif self._open is not None and not self._open.example:
            raise _Fault(f"expected a step or a heading; it is {line!r:.80}", self._at + 1)

    def _begin(self, title: str, *, example: bool) -> None:
        self._think = ""
        self._open = _Block(one_line(title, 100), self._at + 1, example)
        self._blocks.append(self._open)

    def _next_line(self) -> str:
        later = (self._lines[at].strip() for at in range(self._at + 1, len(self._lines)))
        return next((line for line in later if line), "")

    def _step(self, line: str) -> None:
        if self._open is None:
            raise _Fault("a step before any heading", self._at + 1)
        if self._open.example:
            return
        try:
            step = parse_step(with_variables(line), ())
        except ValueError as error:
            raise _Fault(str(error), self._at + 1) from None
        self._add(step, self._at + 1)

    def _add(self, step: WorkflowStep, line: int) -> None:
        assert self._open is not None
        self._open.steps.append(step)
        self._open.lines.append(line)

    def _tagged(self, tag: str) -> None:
        """Reads `<tag>…</tag>`, which may be of several lines, and leaves the place behind it."""
        first, inside = self._at, []
        close = re.compile(f"</{tag}>", re.IGNORECASE)
        text = self._lines[first].strip()[len(tag) + 2 :]
        while True:
            end = close.search(text)
            part = text[: end.start()] if end else text
            if _TAG.search(part) or (end is None and self._at + 1 == len(self._lines)):
                raise _Fault(f"<{tag}> is not closed", first + 1)
            inside.append(part)
            if end:
                break
            self._at += 1
            text = self._lines[self._at]
        rest = text[end.end() :]
        if rest.strip():
            self._lines[self._at] = rest
        else:
            self._at += 1
        if tag == "think":
            self._think = "\n".join(inside).strip()
        elif self._open is None:
            raise _Fault("an action before any heading", first + 1)
        elif not self._open.example:
            self._calls("\n".join(inside), first + 1)

    def _calls(self, text: str, line: int) -> None:
        try:
            calls = parse_calls(with_variables(text))
        except CallFault as fault:
            raise _Fault(str(fault), line + fault.line) from None
        if not calls:
            raise _Fault("an empty action", line)
        for call in calls:
            self._add(_step_of(call, self._think), line + call.line)
            self._think = ""


def _step_of(call: Call, thought: str) -> WorkflowStep:
    """The step of a call. An id that is a word is all that is known of the element's name."""
    arguments: dict[str, Any] = dict(call.arguments)
    target = None
    if "bid" in arguments:
        bid = str(arguments["bid"])
        is_word = re.fullmatch(r"[a-zA-Z]*\d+", bid) is None
        target = Target("", bid if is_word else "")
        if is_word:
            del arguments["bid"]
    return WorkflowStep(call.tool, target, arguments, one_line(with_variables(thought), STATE_LIMIT))


def _distinct(blocks: Sequence[_Block]) -> Iterator[_Block]:
    """Same titles told apart."""
    seen: dict[str, int] = {}
    for block in blocks:
        seen[block.title] = seen.get(block.title, 0) + 1
        again = seen[block.title]
        yield replace(block, title=f"{block.title} ({again})") if again > 1 else block


def _workflow(block: _Block, hostname: str) -> Written:
    workflow = Workflow(
        id=stable_id(hostname, block.title),
        version=0,
        hostname=hostname,
        name=block.title,
        description=one_line(with_variables(" ".join(block.description)), 1000),
        steps=marked(block.steps),
        variables=declared_variables(block.steps, None, None),
        source="import",
        learned="import",
    )
    return Written(workflow, block.line, tuple(block.lines), told_goals=True)
