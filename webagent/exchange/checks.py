"""What an imported workflow has to be: small, of known actions, on its own hostname. Text that reads
like an instruction, or holds an address or a key, is kept for a person to look at: its workflow comes
in quarantined."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from webagent.ids import one_line, scope_of
from webagent.induction.safety import ADDRESSES, ORDERS
from webagent.masking import MASK
from webagent.store.bodies import object_of
from webagent.workflow import VARIABLE, Workflow, WorkflowStep
from webagent.workflow_parse import argument_fault, is_variable

MAX_BYTES = 50_000
"""A workflow larger than this, as JSON, is no routine."""
MAX_PATTERN = 400
"""Characters of a goal or a pattern."""
MAX_VARIABLES = 10
"""Variables of one goal: each more makes a goal that does not fit slower to refuse."""
_WIDE = re.compile(r"\.[*+]")
_HOST = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'<>]+", re.IGNORECASE)
_REF = re.compile(r"(?:f\d+)?e\d+")
_PASSWORD = re.compile(r"\bpass ?(?:word|phrase|code)s?\b|\bpasswd\b|\bPIN\b|\bsecret\b", re.IGNORECASE)
_SECRET = re.compile(r"<secret:[^<>]+>")
_MARKS = re.compile(r"</?\s*(workflows?|lessons?|goal|observation|system)\b[^<>]{0,80}>", re.IGNORECASE)


def fault_of(workflow: Workflow) -> tuple[int | None, str]:
    """What is wrong with a workflow, and with which step (from 0; None: with the whole); an empty text
    where nothing is."""
    size = len(json.dumps(object_of(workflow), ensure_ascii=False).encode(errors="replace"))
    if size > MAX_BYTES:
        return None, f"{workflow.name!r:.80} is too large: {size} bytes, at most {MAX_BYTES}"
    if not workflow.name.strip():
        return None, "a workflow needs a name"
    if not workflow.steps:
        return None, f"{workflow.name!r:.80} has no steps"
    if scope_of(f"http://{workflow.hostname}/") != workflow.hostname:
        return None, f"{workflow.hostname!r:.80} is no hostname"
    for text in (workflow.name, workflow.description, *(step.state for step in workflow.steps)):
        if " ".join(text.split()) != one_line(text, len(text)) or "\n" in text:
            return None, f"{text!r:.80} has line breaks or control characters"
    fault = _pattern_fault(workflow)
    if fault:
        return None, fault
    for place, step in enumerate(workflow.steps):
        fault = argument_fault(step.tool, step.arguments) or _foreign(step, workflow.hostname)
        fault = fault or _password(step)
        if fault:
            return place, fault
    return None, ""


def written_fault(workflow: Workflow) -> tuple[int | None, str]:
    """`fault_of` for what a person or another program wrote as text: a ref there is that of one
    snapshot, which no other page knows."""
    for place, step in enumerate(workflow.steps):
        name = step.target.name if step.target else ""
        if _REF.fullmatch(name):
            return place, f"{name} is a handle of one snapshot; write what the control is called"
    return fault_of(workflow)


def _password(step: WorkflowStep) -> str:
    """Whether a step would type a password that is written in it."""
    name = step.target.name if step.target else ""
    text = str(step.arguments.get("text", ""))
    masked = not text.strip(MASK[0])
    if masked or VARIABLE.search(text) or _SECRET.search(text) or not _PASSWORD.search(name):
        return ""
    return f'a workflow holds no password; type "{{password}}" or "<secret:NAME>" into {name!r:.80}'


def _pattern_fault(workflow: Workflow) -> str:
    """Whether goals or the reader's pattern could be slow to match: both are turned loose on text."""
    for goal in workflow.goals:
        if len(goal) > MAX_PATTERN or len(VARIABLE.findall(goal)) > MAX_VARIABLES:
            return f"a goal has at most {MAX_PATTERN} characters and {MAX_VARIABLES} variables; it is {goal!r:.80}"
    pattern = workflow.reader.pattern if workflow.reader else "(.+)"
    try:
        groups = re.compile(pattern).groups
    except (re.error, RecursionError, OverflowError):
        groups = 0
    bare = re.sub(r"\\.", "", pattern, flags=re.DOTALL)
    if (
        groups != 1
        or len(pattern) > MAX_PATTERN
        or re.search(r"\)[*+{]", bare)
        or len(_WIDE.findall(bare)) > 4
    ):
        return f"the reader's pattern is none that this program makes: {pattern!r:.80}"
    return ""


def _foreign(step: WorkflowStep, hostname: str) -> str:
    """Where a step would leave the hostname."""
    url = step.arguments.get("url")
    if isinstance(url, str) and not _stays(url, hostname):
        return f"{step.tool} leads to {url!r:.80}, outside {hostname}"
    for text in (*_texts(step.arguments), step.page, step.expect):
        for found in _HOST.finditer(text):
            if not _stays(found[0], hostname):
                return f"a step of {hostname} can't name {found[0]!r:.80}, which is elsewhere"
    return ""


def _stays(url: str, hostname: str) -> bool:
    if is_variable(url) or (url[:1] in "/?#" and not url.startswith(("//", "/\\"))):
        return True
    host = scope_of(f"http:{url}" if url.startswith("//") else url)
    return url.lower().startswith(("http://", "https://", "//")) and (
        host == hostname or host.endswith(f".{hostname}")
    )


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value of JSON's shapes."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _texts(part)


def suspicion(workflow: Workflow) -> str:
    """Why a person should look at a workflow before it is used; empty where nothing is odd."""
    told = [workflow.name, workflow.description, *(v.description for v in workflow.variables)]
    for step in workflow.steps:
        told.append(step.state)
        if step.target is not None:
            told += [step.target.name, step.target.heading, step.target.row]
    for text in told:
        if ORDERS.search(text) or ADDRESSES.search(text) or _MARKS.search(text):
            return f"it reads like an instruction, or holds an address or a key: {one_line(text, 80)!r}"
    for text in [*(part for step in workflow.steps for part in _texts(step.arguments)), *workflow.goals]:
        if ORDERS.search(text) or _MARKS.search(text):
            return f"it reads like an instruction: {one_line(text, 80)!r}"
    return ""
