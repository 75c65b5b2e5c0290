"""What the model is shown: the messages of one turn, most stable first."""

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from webagent.interfaces import Memory, Message
from webagent.secrets import PLACEHOLDER, placeholder
from webagent.trajectory import Step
from webagent.workflow_text import render_workflow


@cache
def prompt_file(name: str) -> str:
    """A text of `webagent/prompts/`, without its last newline."""
    return resources.files("webagent").joinpath("prompts", f"{name}.md").read_text("utf-8").rstrip("\n")


@cache
def prompt_hash(*names: str) -> str:
    """Twelve hex digits that change when one of these prompt files does."""
    data = "\x00".join(prompt_file(name) for name in names)
    return hashlib.sha256(data.encode()).hexdigest()[:12]


def system_message() -> Message:
    """The fixed instructions."""
    return {"role": "system", "content": prompt_file("system")}


def memory_text(memory: Memory) -> str:
    """The memory blocks, or nothing where there is no memory to show."""
    blocks = []
    if memory.workflows:
        texts = [render_workflow(workflow, memory.callees.get) for workflow in memory.workflows]
        shown = "\n\n".join(map(_harmless, texts))
        blocks.append(f"<workflows>\n{prompt_file('memory')}\n\n{shown}\n</workflows>")
    if memory.lessons:
        shown = "\n".join(f"- {_harmless(lesson)}" for lesson in memory.lessons)
        blocks.append(f"<lessons>\n{prompt_file('lessons')}\n\n{shown}\n</lessons>")
    return "\n".join(blocks)


def _harmless(text: str) -> str:
    """Text that can't close its block or open another one; names of secrets stay as they are."""
    kept = PLACEHOLDER.sub(lambda found: f"\x00{found[1]}\x00", text.replace("\x00", ""))
    return re.sub("\x00(.*?)\x00", lambda found: placeholder(found[1]), kept.replace("<", "‹"))


def secrets_text(names: Sequence[str]) -> str:
    """What is said of the secrets that may be typed here, or nothing where there are none."""
    if not names:
        return ""
    listed = ", ".join(map(placeholder, names))
    return f"\n<secrets>\n{prompt_file('secrets')}\n\n{listed}\n</secrets>"


def head_messages(goal: str, memory: Memory, secrets: Sequence[str] = ()) -> list[Message]:
    """Instructions, memory, goal with the names of the secrets for this host: they change with it, as
    the memory does."""
    messages = [system_message()]
    remembered = memory_text(memory)
    if remembered:
        messages.append({"role": "user", "content": remembered})
    messages.append({"role": "user", "content": f"<goal>\n{_harmless(goal)}\n</goal>{secrets_text(secrets)}"})
    return messages


def step_messages(step: Step) -> list[Message]:
    """A step as the tool call that it was, and what came of it."""
    arguments: dict[str, Any] = dict(step.action.arguments)
    if step.action.thought:
        arguments = {"thought": step.action.thought, **arguments}
    call_id = f"call_{step.n}"
    result = step.outcome.message if step.outcome.ok else f"error: {step.outcome.error}"
    if step.by != "llm" and not step.outcome.skipped:
        result = f"(done by {step.by}) {result}"
    function = {"name": step.action.tool, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": call_id, "content": result},
    ]


def note_message(notes: Sequence[str]) -> Message:
    """Words of the harness to the model."""
    return {"role": "user", "content": "\n".join(f"note: {note}" for note in notes)}


def observation_message(shown: str) -> Message:
    """The newest observation, as `shown.render` made it."""
    return {"role": "user", "content": shown}
