"""Actions as a person types them, one line each: `click e9`, `type e4 "some text" --submit`."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.actions import BY_NAME, REF, Action, Malformed, Parsed, from_object, parse_text

FORMS: Mapping[str, tuple[str, ...]] = {
    "click": ("ref",),
    "type": ("ref", "text"),
    "select": ("ref", "options"),
    "press": ("key", "ref"),
    "hover": ("ref",),
    "scroll": ("direction", "ref"),
    "drag": ("ref", "to_ref"),
    "upload": ("ref", "paths"),
    "goto": ("url",),
    "back": (),
    "tab": ("op", "index"),
    "wait": ("text",),
    "find": ("text",),
    "dialog": ("accept", "text"),
    "workflow": ("id",),
    "ask": ("question",),
    "stop": ("answer",),
}
"""The arguments that are typed without their names, in order; all others are `--name value`."""
_ANSWERS = {
    "accept": "true",
    "yes": "true",
    "ok": "true",
    "dismiss": "false",
    "no": "false",
    "cancel": "false",
}
_PLAIN = re.compile(r"[\w./:@%+,=~?&#-]+")
_NUMBER = re.compile(r"\d+(\.\d+)?")


def parse_line(line: str) -> Parsed:
    """A typed line, or the JSON form, as an action."""
    if line.lstrip().startswith("{"):
        return parse_text(line)
    try:
        name, *words = shlex.split(line) or [""]
    except ValueError as error:
        return Malformed(f'the line can\'t be read ({error}); put text with quotes in it between "…"')
    if name not in FORMS:
        return Malformed(f"unknown action {name!r:.40}; the actions are: {', '.join(FORMS)}")
    if name == "workflow":
        pairs = dict(word.partition("=")[::2] for word in words[1:])
        return from_object({"action": name, "id": words[0] if words else None, "arguments": pairs})
    plain, named = _named(name, words)
    if isinstance(named, Malformed):
        return named
    placed = _placed(name, plain)
    return placed if isinstance(placed, Malformed) else from_object({"action": name, **placed, **named})


def _named(name: str, words: Sequence[str]) -> tuple[list[str], dict[str, Any] | Malformed]:
    """The words that stand alone, and the arguments given as `--name value`; `--` ends the latter."""
    properties = BY_NAME[name].properties
    plain: list[str] = []
    named: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        key = word[2:].replace("-", "_")
        if word == "--":
            return [*plain, *rest], named
        if not word.startswith("--"):
            plain.append(word)
        elif key not in properties:
            known = ", ".join(f"--{one}" for one in properties) or "none"
            return plain, Malformed(
                f"{name} has no {word}; it has {known} (text that begins so comes after --)"
            )
        elif properties[key]["type"] == "boolean":
            named[key] = rest.pop(0) if rest and rest[0] in ("true", "false") else True
        elif not rest:
            return plain, Malformed(f"{word} needs a value")
        else:
            named[key] = rest.pop(0)
    return plain, named


def _placed(name: str, words: Sequence[str]) -> dict[str, Any] | Malformed:
    """The words that stand alone as the arguments that they are by their places."""
    names = list(FORMS[name])
    words = list(words)
    if name == "type" and words and not REF.fullmatch(words[0]):
        names = ["text"]
    elif name == "tab" and words[:1] == ["new"]:
        names = ["op", "url"]
    elif name == "wait" and len(words) == 1 and _NUMBER.fullmatch(words[0]):
        names = ["seconds"]
    elif name == "dialog" and words:
        words[0] = _ANSWERS.get(words[0].lower(), words[0])
    given: dict[str, Any] = dict(zip(names, words, strict=False))
    if names and BY_NAME[name].properties[names[-1]]["type"] == "array" and len(words) >= len(names):
        given[names[-1]] = words[len(names) - 1 :]
    elif len(words) > len(names):
        if not names or names[-1] not in ("text", "answer", "question"):
            return Malformed(f"{name} takes no {words[len(names)]!r:.40}; {usage(name)}")
        given[names[-1]] = " ".join(words[len(names) - 1 :])
    return given


def line_of(action: Action) -> str:
    """An action as a person would type it; the JSON form where a line can't say it."""
    given = dict(action.arguments)
    words = [action.tool]
    names = FORMS[action.tool]
    if action.tool == "type" and "ref" not in given:
        names = ("text",)
    for name in names:
        if name not in given:
            break
        value = given.pop(name)
        words += [_word(part) for part in (value if isinstance(value, list) else [value])]
    for name, value in given.items():
        words += [f"--{name}", *([] if value is True else [_word(value)])]
    line = " ".join(words)
    plain = Action(action.tool, action.arguments)
    return line if "\n" not in line and parse_line(line) == plain else plain.to_json()


def _word(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def usage(name: str) -> str:
    """How an action is typed: `type [REF] TEXT [--submit] [--clear true|false]`."""
    tool = BY_NAME[name]
    parts = [name]
    for key in FORMS[name]:
        shown = _shown(key, tool.properties[key])
        parts.append(shown if key in tool.required else f"[{shown}]")
    for key, schema in tool.properties.items():
        if key in FORMS[name] or schema["type"] == "object":
            continue
        parts.append(f"[--{key}{_value(key, schema)}]")
    return " ".join(parts)


def _value(key: str, schema: Mapping[str, Any]) -> str:
    """What is typed after `--key`: of a boolean only that which it is not anyway."""
    if schema["type"] == "boolean":
        return " false" if "default true" in schema.get("description", "") else ""
    return f" {_shown(key, schema)}"


def _shown(key: str, schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(schema["enum"])
    if schema["type"] == "boolean":
        return "accept|dismiss"
    return f"{key.upper().rstrip('S')}…" if schema["type"] == "array" else key.upper()


HELP = "\n".join(["the actions:", *(f"  {usage(name)}" for name in FORMS if name not in ("workflow", "ask"))])
"""All actions that a person can type."""
EXAMPLES = 'click e9 · type e4 "some text" --submit · select e5 "Dark red" · stop "the answer"'
