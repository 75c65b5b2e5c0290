"""An action as a person would say it, and page text that can't play tricks where it is shown."""

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from webagent.actions import Action
from webagent.observation import Target

_TRICKS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    """The text with characters that turn or hide what stands around them spelt out: `⟨U+202E⟩`."""
    return _TRICKS.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def in_words(action: Action, target: Target | None) -> str:
    """`Type “cmu” into the searchbox “Search”, then Enter`."""
    arguments, what = action.arguments, _element(action, target)
    said = _WORDS.get(action.tool)
    if said is None:
        return _called(action)
    text = said.format_map(_Blanks(arguments, what))
    extras = [words for key, words in (("double", "twice"), ("submit", "then Enter")) if arguments.get(key)]
    if arguments.get("button", "left") != "left":
        extras.append(f"with the {arguments['button']} button")
    if arguments.get("clear") is False:
        extras.append("after what is there")
    return _one_line(", ".join([text, *extras]))


_WORDS = {
    "click": "Click {element}",
    "type": "Type {text} into {element}",
    "select": "Select {options} in {element}",
    "press": "Press {key} on {element}",
    "hover": "Point at {element}",
    "scroll": "Scroll {direction} {element}",
    "drag": "Drag {element} onto {to_ref}",
    "upload": "Upload {paths} to {element}",
    "goto": "Go to {url}",
    "back": "Go back",
    "find": "Find {text}",
    "ask": "Ask a person: {question}",
}
_PLAIN = frozenset({"key", "direction", "url", "to_ref", "question"})


class _Blanks(dict[str, str]):
    """What the gaps of a sentence are filled with."""

    def __init__(self, arguments: Mapping[str, Any], element: str) -> None:
        super().__init__(element=element)
        for key, value in arguments.items():
            values = value if isinstance(value, list) else [value]
            self[key] = ", ".join(str(one) if key in _PLAIN else f"“{one}”" for one in values)

    def __missing__(self, key: str) -> str:
        return "…"


def _element(action: Action, target: Target | None) -> str:
    if target is not None:
        name = f" “{target.name}”" if target.name else ""
        twin = f" (the {target.nth + 1}. of its name)" if target.nth else ""
        return f"the {target.role}{name}{twin}"
    if action.ref:
        return action.ref
    return "the page" if action.tool == "scroll" else "the focused element"


def _called(action: Action) -> str:
    """Tools whose arguments say it all: `Tab switch, index 2`."""
    said = [
        str(value) if key == "op" else f"{key} {value if isinstance(value, str) else json.dumps(value)}"
        for key, value in action.arguments.items()
    ]
    return _one_line(" ".join([action.tool.capitalize(), ", ".join(said)]).strip())


def _one_line(text: str) -> str:
    kept = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text)
    line = " ".join(kept.split())
    return line if len(line) <= 300 else line[:299] + "…"
