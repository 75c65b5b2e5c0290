"""Action calls of BrowserGym and WebArena (`fill('386', 'mouthguard')`, `click [123]`) as actions of
ours. They are read as text and never carried out: only names and plain values are taken.

Their element ids belong to one page of one moment, so they are kept for reading, as `bid`."""

import ast
import re
import textwrap
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

MAX_CALLS = 10_000
"""Characters of one block of calls."""

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One call: the tool and arguments it means, its text, and its line within the block (from 0)."""

    tool: str
    arguments: Mapping[str, Any]
    source: str
    line: int


class CallFault(ValueError):
    """A call that can't be read; `line` is its line within the block, from 0."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def parse_calls(text: str) -> list[Call]:
    """The calls of a block. Raises CallFault."""
    if len(text) > MAX_CALLS:
        raise CallFault(f"a block of {len(text)} characters is no action")
    lines = text.splitlines()
    kept = textwrap.dedent("\n".join("" if line.strip().startswith("```") else line for line in lines))
    if any(_BRACKETS.fullmatch(line) for line in kept.splitlines()):
        return [_bracket_call(line.strip(), n) for n, line in enumerate(kept.splitlines()) if line.strip()]
    try:
        with warnings.catch_warnings():  # odd escapes in texts are no concern of the user's
            warnings.simplefilter("ignore")
            nodes = ast.parse(kept).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = (error.lineno or 1) - 1 if isinstance(error, SyntaxError) else 0
        shown = lines[line] if line < len(lines) else text
        raise CallFault(f"can't read the action {shown.strip()!r:.80}", line) from None
    return [_call(node, kept) for node in nodes]


_BRACKETS = re.compile(r"(\w+)\s*(\[.*\])")


def _bracket_call(line: str, number: int) -> Call:
    """WebArena's own form: `type [123] [text] [1]`."""
    found = _BRACKETS.fullmatch(line)
    if found is None:
        raise CallFault(f"can't read the action {line!r:.80}", number)
    values = re.findall(r"\[(.*?)\](?=\s*\[|\s*$)", found[2])
    return _meant(found[1], values, {}, line, number)


def _call(node: ast.stmt, text: str) -> Call:
    source = ast.get_source_segment(text, node) or ""
    line = node.lineno - 1
    value = node.value if isinstance(node, ast.Expr) else None
    if isinstance(value, ast.Name):
        return _meant(value.id, [], {}, source, line)
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        raise CallFault(f"{source!r:.80} is no action call", line)
    try:
        plain = [_value(item, text) for item in value.args]
        named = {item.arg: _value(item.value, text) for item in value.keywords if item.arg}
    except ValueError as error:
        raise CallFault(f"{source!r:.80}: {error}", line) from None
    if len(named) != len(value.keywords):
        raise CallFault(f"{source!r:.80}: an argument must be a plain value", line)
    return _meant(value.func.id, plain, named, source, line)


def _value(node: ast.expr, text: str) -> Any:
    """A text, number, truth value, None or list of these; `{variable}` without quotes is its text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(node.operand, text)
        if isinstance(number, int | float):
            return -number
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item, text) for item in node.elts]
    if isinstance(node, ast.Set):
        return ast.get_source_segment(text, node) or ""
    raise ValueError("an argument must be a plain value")


def _meant(name: str, plain: list[Any], named: Arguments, source: str, line: int) -> Call:
    if name not in _ACTIONS:
        raise CallFault(f"unknown action {name!r:.60} in {source!r:.80}", line)
    parameters, meaning = _ACTIONS[_LONE.get(name, name) if len(plain) == 1 and not named else name]
    names = parameters.split()
    if len(plain) > len(names) or any(key not in names for key in named):
        raise CallFault(f"{name} takes {', '.join(names) or 'no arguments'}; it is {source!r:.80}", line)
    said = {**dict(zip(names, plain, strict=False)), **named}
    tool, arguments = meaning(said)
    return Call(tool, {key: value for key, value in arguments.items() if value is not None}, source, line)


Meaning = Callable[[Arguments], tuple[str, Arguments]]


def _on(tool: str, **constants: Any) -> Meaning:
    """An action whose arguments are ours by another order."""
    return lambda said: (tool, {**constants, **_plain(said)})


def _plain(said: Arguments) -> Arguments:
    """Without the arguments that mean nothing to us, and texts as texts."""
    kept = {key: value for key, value in said.items() if not key.startswith("_")}
    texts = ("text", "key", "url", "answer")
    return {key: str(value) if key in texts else value for key, value in kept.items()}


def _clicked(said: Arguments) -> tuple[str, Arguments]:
    arguments = _plain(said)
    if arguments.get("button") == "left":
        del arguments["button"]
    return "click", arguments


def _scrolled(said: Arguments) -> tuple[str, Arguments]:
    if "direction" in said:
        return "scroll", {"direction": str(said["direction"]).removeprefix("direction=").strip()}
    right, down = (said.get(key) if isinstance(said.get(key), int | float) else 0 for key in ("dx", "dy"))
    direction = "down" if (down or 0) >= 0 else "up"
    if abs(right or 0) > abs(down or 0):
        direction = "right" if (right or 0) > 0 else "left"
    return "scroll", {"direction": direction, **said}


def _typed(said: Arguments) -> tuple[str, Arguments]:
    submit = str(said.pop("_enter", "1")) not in ("0", "False")
    return "type", {**_plain(said), **({"submit": True} if submit else {})}


def _chosen(said: Arguments) -> tuple[str, Arguments]:
    options = said.get("options", [])
    chosen = [str(option) for option in options] if isinstance(options, list) else [str(options)]
    return "select", {**said, "options": chosen}


def _uploaded(said: Arguments) -> tuple[str, Arguments]:
    paths = said.pop("paths", [])
    return "upload", {**said, "paths": [str(path) for path in paths] if isinstance(paths, list) else [paths]}


def _tab(said: Arguments) -> tuple[str, Arguments]:
    """Their tabs count from 0."""
    index = str(said.get("index"))
    number = int(index) if index.isdecimal() else None
    return "tab", {"op": "switch", "index": None if number is None else number + 1}


def _waited(said: Arguments) -> tuple[str, Arguments]:
    pause = said.get("_ms", 1000)
    return "wait", {"seconds": min(pause / 1000, 10) if isinstance(pause, int | float) else 1}


_ACTIONS: Mapping[str, tuple[str, Meaning]] = {
    "click": ("bid button _modifiers", _clicked),
    "dblclick": ("bid button _modifiers", lambda said: ("click", {**_clicked(said)[1], "double": True})),
    "check": ("bid", _on("click")),
    "uncheck": ("bid", _on("click")),
    "focus": ("bid", _on("click")),
    "hover": ("bid", _on("hover")),
    "fill": ("bid text _autocomplete", _on("type")),
    "type": ("bid text _enter", _typed),
    "clear": ("bid", _on("type", text="")),
    "press": ("bid key", _on("press")),
    "select_option": ("bid options", _chosen),
    "drag_and_drop": ("bid to_bid", _on("drag")),
    "upload_file": ("bid paths", _uploaded),
    "scroll": ("dx dy", _scrolled),
    "scroll one way": ("direction", _scrolled),
    "goto": ("url", _on("goto")),
    "go_back": ("", _on("back")),
    "go_forward": ("", _on("press", key="Alt+ArrowRight")),
    "new_tab": ("", _on("tab", op="new")),
    "tab_close": ("", _on("tab", op="close")),
    "close_tab": ("", _on("tab", op="close")),
    "tab_focus": ("index", _tab),
    "page_focus": ("index", _tab),
    "noop": ("_ms", _waited),
    "send_msg_to_user": ("answer", _on("stop")),
    "stop": ("answer", _on("stop")),
    "report_infeasible": ("answer", _on("stop", status="infeasible")),
    "keyboard_type": ("text", _on("type", clear=False)),
    "keyboard_insert_text": ("text", _on("type", clear=False)),
    "keyboard_press": ("key", _on("press")),
    "keyboard_down": ("key", _on("press")),
    "keyboard_up": ("key", _on("press")),
    "mouse_move": ("x y", _on("hover")),
    "mouse_click": ("x y button", _clicked),
    "mouse_down": ("x y button", _clicked),
    "mouse_up": ("x y button", _clicked),
    "mouse_dblclick": (
        "x y button",
        lambda said: ("click", {**_clicked(said)[1], "double": True}),
    ),
    "mouse_drag_and_drop": ("x y dx dy", _on("drag")),
    "mouse_upload_file": ("x y paths", _uploaded),
}
"""Each action: the names of its arguments (those with _ are not kept), and what it means to us."""
_LONE: Mapping[str, str] = {"press": "keyboard_press", "scroll": "scroll one way"}
"""What these mean with one argument, as in WebArena's `press [Enter]`."""
