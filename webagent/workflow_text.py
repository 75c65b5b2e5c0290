"""A workflow as text: what a person reads and edits, and what the prompt shows."""

from collections.abc import Iterator, Mapping, Sequence

from webagent.workflow import NAME_LIMIT, Lookup, Workflow, WorkflowStep, filled

DEEPEST = 3
"""Calls within calls that are shown."""


def render_workflow(workflow: Workflow, lookup: Lookup | None = None) -> str:
    """Heading, description, variables, numbered steps (`[role] name — state -> ACTION: argument`); with
    `lookup`, the steps of what it calls stand below each call, as 1.1, 1.2 …"""
    runs = workflow.success_weight + workflow.failure_weight
    evidence = f" · {round(workflow.success_weight, 1):g} of {round(runs, 1):g} runs" if runs else ""
    lines = [f"# {workflow.name}  ({workflow.label} · {workflow.hostname}{evidence})", workflow.description]
    if workflow.variables:
        lines.append("variables: " + ", ".join(_variable(v.name, v.example) for v in workflow.variables))
    steps = list(_numbered(workflow.steps, "", lookup))
    left = [f"{number} {_left(step)}" for number, step in steps]
    width = min(max((len(text) for text in left), default=0), 72)
    lines += [f"{text:<{width}}  -> {_right(step)}" for text, (_, step) in zip(left, steps, strict=True)]
    return "\n".join(lines)


def _numbered(
    steps: Sequence[WorkflowStep], prefix: str, lookup: Lookup | None
) -> Iterator[tuple[str, WorkflowStep]]:
    for n, step in enumerate(steps, 1):
        yield (f"{prefix}{n}" if prefix else f"{n}."), step
        callee = lookup(step.arguments.get("id", "")) if lookup and step.tool == "workflow" else None
        if callee is not None and prefix.count(".") < DEEPEST:
            given = step.arguments.get("arguments", {})
            inner = [filled(part, given) for part in callee.steps if part.tool != "stop"]
            yield from _numbered(inner, f"{prefix}{n}.", lookup)


def _variable(name: str, example: str) -> str:
    return f'{{{name}}} e.g. "{example}"' if example else f"{{{name}}}"


def _left(step: WorkflowStep) -> str:
    state = f" — {step.state}" if step.state else ""
    if step.tool == "workflow":
        given: Mapping[str, str] = step.arguments.get("arguments", {})
        name = step.arguments.get("name") or step.arguments.get("id", "")
        return f"{name} ({', '.join(given.values())}){state}"
    if step.target is None:
        return f"[page]{state}"
    name = f" {step.target.name[:NAME_LIMIT]}" if step.target.name else ""
    return f"[{step.target.role}]{name}{state}"


def _right(step: WorkflowStep) -> str:
    if step.tool == "stop":
        answer = step.arguments.get("answer")
        return f"STOP {answer}" if answer else "STOP"
    argument = argument_text(step.tool, step.arguments)
    return f"{step.tool.upper()}: {argument}" if argument else step.tool.upper()


MAIN_ARGUMENT: Mapping[str, str] = {
    "type": "text",
    "select": "options",
    "press": "key",
    "scroll": "direction",
    "goto": "url",
    "upload": "paths",
    "wait": "text",
    "find": "text",
    "tab": "op",
    "dialog": "text",
}
"""The argument of each action that a reader wants to see."""


def argument_text(tool: str, arguments: Mapping[str, object]) -> str:
    """The argument of an action that a reader wants to see: the text typed, the options chosen."""
    value = arguments.get(MAIN_ARGUMENT.get(tool, ""), "")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(str(part) for part in value)
    return str(value)
