"""The actions an agent can say: their schema, and how a model's words become one."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from webagent.ids import clean_text
from webagent.masking import Masker

MAX_TEXT = 200_000
"""A reply longer than this (characters) is not looked at further."""


@dataclass(frozen=True)
class Tool:
    """One tool: its name, what it does, and its arguments as JSON schema properties."""

    name: str
    description: str
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The function definition of the Chat Completions API."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": {"thought": _THOUGHT, **self.properties},
                    "required": list(self.required),
                },
            },
        }


_THOUGHT = {"type": "string", "description": "why, in a sentence or two"}
_REF = {"type": "string", "description": "ref of an element in the newest observation, such as e9"}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


TOOLS: tuple[Tool, ...] = (
    Tool(
        "click",
        "Click an element.",
        {
            "ref": _REF,
            "button": {"type": "string", "enum": ["left", "right", "middle"]},
            "double": {"type": "boolean", "description": "double click"},
        },
        ("ref",),
    ),
    Tool(
        "type",
        "Type text into a field (without ref: into the focused element). Date, time, month, week, "
        "range and colour fields take ISO or number values.",
        {
            "ref": _REF,
            "text": _text("the text"),
            "submit": {"type": "boolean", "description": "press Enter afterwards"},
            "clear": {"type": "boolean", "description": "empty the field first (default true)"},
        },
        ("text",),
    ),
    Tool(
        "select",
        "Choose options of a list box by label or value; 'Group: Label' tells same labels apart.",
        {"ref": _REF, "options": {"type": "array", "items": {"type": "string"}}},
        ("ref", "options"),
    ),
    Tool(
        "press",
        "Press a key or chord, such as Enter, Escape, ArrowDown, Control+A.",
        {"key": _text("Playwright's key name"), "ref": _REF},
        ("key",),
    ),
    Tool("hover", "Move the mouse over an element.", {"ref": _REF}, ("ref",)),
    Tool(
        "scroll",
        "Scroll about a screenful: the page, or the box that ref is in.",
        {"direction": {"type": "string", "enum": ["up", "down", "left", "right"]}, "ref": _REF},
        ("direction",),
    ),
    Tool(
        "drag",
        "Drag an element onto another; dx and dy are pixels from the target's top left corner.",
        {"ref": _REF, "to_ref": _REF, "dx": {"type": "number"}, "dy": {"type": "number"}},
        ("ref", "to_ref"),
    ),
    Tool(
        "upload",
        "Give files to a file field or to any control that opens a file chooser.",
        {"ref": _REF, "paths": {"type": "array", "items": {"type": "string"}}},
        ("ref", "paths"),
    ),
    Tool("goto", "Open a URL in this tab.", {"url": _text("http or https URL")}, ("url",)),
    Tool("back", "Go back one page.", {}),
    Tool(
        "tab",
        "Open, switch to or close a tab; index counts from 1.",
        {
            "op": {"type": "string", "enum": ["new", "switch", "close"]},
            "index": {"type": "integer"},
            "url": _text("for new"),
        },
        ("op",),
    ),
    Tool(
        "wait",
        "Wait some seconds (at most 10), or until a text shows.",
        {"seconds": {"type": "number"}, "text": _text("the text to wait for")},
    ),
    Tool(
        "find",
        "Find plain text in the whole page, also in what the observation left out.",
        {"text": _text("the text")},
        ("text",),
    ),
    Tool(
        "dialog",
        "Answer the open dialog.",
        {"accept": {"type": "boolean"}, "text": _text("the answer to a prompt")},
        ("accept",),
    ),
    Tool(
        "workflow",
        "Carry out a workflow from memory as one action.",
        {
            "id": _text("the workflow's id"),
            "arguments": {"type": "object", "description": "a value for each variable"},
        },
        ("id", "arguments"),
    ),
    Tool(
        "ask",
        "Ask the person who started this task for help.",
        {"question": _text("the question")},
        ("question",),
    ),
    Tool(
        "stop",
        "End the task, with the answer if one was asked for; infeasible if it can't be done on this site.",
        {
            "answer": _text("the answer, as short as possible"),
            "status": {"type": "string", "enum": ["done", "infeasible"]},
        },
    ),
)
BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
ALWAYS = tuple(tool.name for tool in TOOLS if tool.name not in ("workflow", "ask"))
"""Tools that are offered in every prompt; `workflow` and `ask` only where they can work."""


@dataclass(frozen=True)
class Action:
    """One checked tool call. `arguments` hold no thought and no unknown keys."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    thought: str = ""

    @property
    def ref(self) -> str | None:
        """The element the action is about, if any."""
        value = self.arguments.get("ref")
        return value if isinstance(value, str) else None

    def as_object(self) -> dict[str, Any]:
        """The object of the plain-JSON form, without the thought: `{"action": "click", "ref": "e9"}`."""
        return {"action": self.tool, **self.arguments}

    def to_json(self) -> str:
        """What `steps.action` holds."""
        return json.dumps(self.as_object(), ensure_ascii=False)

    def masked(self, mask: Masker) -> "Action":
        """The same action without a secret in its texts."""
        return Action(self.tool, _masked(self.arguments, mask), mask(self.thought))

    def with_arguments(self, **changes: Any) -> "Action":
        """The same action with some arguments replaced."""
        return Action(self.tool, {**self.arguments, **changes}, self.thought)


def _masked(value: Any, mask: Masker) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(item, mask) for key, item in value.items()}
    return [_masked(item, mask) for item in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Malformed:
    """A reply that is no action; `message` goes back to the model (never the reply itself)."""

    message: str
    thought: str = ""
    tool: str = ""


Parsed = Action | Malformed


def parse_call(name: str, arguments: str | Mapping[str, Any]) -> Parsed:
    """A tool call of the API as an action; never raises."""
    if isinstance(arguments, str):
        if len(arguments) > MAX_TEXT:
            return Malformed(
                f"the arguments of {name!r:.60} are too long ({len(arguments)} characters)", tool=name
            )
        loaded = _loads(arguments or "{}")
        if not isinstance(loaded, dict):
            return Malformed(f"the arguments of {name!r:.60} are not a JSON object", tool=name)
        arguments = loaded
    return from_object({**arguments, "action": name})


def parse_text(text: str) -> Parsed:
    """The first JSON object of a text as an action; never raises. Thoughts between think tags are
    no actions, whatever JSON they hold."""
    if len(text) > MAX_TEXT:
        return Malformed(f"the reply is too long ({len(text)} characters); answer with one JSON object")
    spoken = _THINK.sub("", text)
    found = first_object(spoken)
    if found is None:
        return Malformed(
            'the reply holds no complete JSON object; answer with one such as {"action": "click", "ref": "e9"}'
        )
    parsed = from_object(found)
    if isinstance(parsed, Action) and not parsed.thought:
        before = spoken[: spoken.find("{")].strip().removesuffix("```json").strip("`\n ")
        return Action(parsed.tool, parsed.arguments, clean_text(before)[:4000])
    return parsed


def from_object(value: Mapping[str, Any]) -> Parsed:
    """`{"action": "click", "ref": "e9", "thought": "…"}` as an action; also the shape
    `{"name": "click", "arguments": {…}}` that small models write."""
    data = dict(value)
    name = data.pop("action", None)
    if name is None and "name" in data:
        name = data.pop("name")
        nested = data.pop("arguments", data.pop("parameters", {}))
        if isinstance(nested, dict):
            data = {**data, **nested}
    thought = clean_text(data.pop("thought", None) or "") if isinstance(data.get("thought", ""), str) else ""
    if not isinstance(name, str) or name not in BY_NAME:
        return Malformed(f"unknown action {name!r:.80}; the actions are: {', '.join(BY_NAME)}", thought)
    tool = BY_NAME[name]
    arguments: dict[str, Any] = {}
    for key, schema in tool.properties.items():
        if data.get(key) is None:
            continue
        checked, fault = _check(key, data[key], schema)
        if fault:
            return Malformed(f"{name}: {fault}", thought, name)
        arguments[key] = checked
    missing = [key for key in tool.required if key not in arguments]
    if missing:
        return Malformed(f"{name} needs {' and '.join(repr(key) for key in missing)}", thought, name)
    return Action(name, arguments, thought)


def _check(key: str, value: Any, schema: Mapping[str, Any]) -> tuple[Any, str]:
    """The value brought to its schema's type, or why it can't be."""
    kind = schema["type"]
    if kind == "string":
        return _check_string(key, value, schema)
    if kind == "array":
        items = [value] if isinstance(value, str | int) and not isinstance(value, bool) else value
        if not isinstance(items, list) or not all(isinstance(item, str | int) for item in items) or not items:
            return None, f"{key!r} must be a list of strings"
        return [clean_text(str(item)) for item in items], ""
    if kind == "object":
        if not isinstance(value, dict):
            return None, f"{key!r} must be an object"
        return {clean_text(str(k)): clean_text(str(v)) for k, v in value.items()}, ""
    if kind == "boolean":
        if isinstance(value, str) and value.lower() in ("true", "false"):
            value = value.lower() == "true"
        return (value, "") if isinstance(value, bool) else (None, f"{key!r} must be true or false")
    return _check_number(key, value, integer=kind == "integer")


def _check_string(key: str, value: Any, schema: Mapping[str, Any]) -> tuple[Any, str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None, f"{key!r} must be a string, not {json.dumps(value, default=str)[:60]}"
    value = clean_text(value)
    if "enum" in schema and value not in schema["enum"]:
        return None, f"{key!r} must be one of {', '.join(schema['enum'])}, not {value!r:.60}"
    if key in ("ref", "to_ref"):
        value = value.strip().removeprefix("[").removesuffix("]").removeprefix("ref=")
        if not REF.fullmatch(value):
            return None, f"{key!r} must be a ref such as e9, not {value!r:.60}"
    return value, ""


def _check_number(key: str, value: Any, *, integer: bool) -> tuple[Any, str]:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None, f"{key!r} must be a number, not {value!r:.60}"
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        return None, f"{key!r} must be a number"
    if integer:
        return (int(value), "") if value == int(value) else (None, f"{key!r} must be a whole number")
    return value, ""


REF = re.compile(r"(f\d+)?e\d+")
_THINK = re.compile(
    r"<(think|thinking|reasoning)>.*?(</\1>|\Z)|\A.*</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE
)
"""Thoughts in tags; also those whose opening tag stood in the prompt, as some chat templates have it."""


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _loads(text: str) -> Any:
    """JSON, or None where it is broken; NaN and infinities are broken."""
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        return None


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The complete JSON objects in a text, whatever stands between them; looked for at fifty places at most."""
    decoder = json.JSONDecoder(parse_constant=_reject_constant)
    start = text.find("{")
    for _ in range(50):
        if start < 0:
            return
        end = start + 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield value
        start = text.find("{", end)


def first_object(text: str) -> dict[str, Any] | None:
    """The first complete JSON object in a text, whatever stands around it."""
    return next(objects_in(text), None)
