"""Playwright's AI snapshot as text: its lines taken apart, and written as Playwright writes them."""

import re

from webagent.ids import clean_text

Parts = tuple[str, str, tuple[str, ...], str, str, bool]
"""Role, name, states, ref, text, and whether lines below belong to it."""


def split_snapshot(text: str) -> list[tuple[int, Parts]]:
    """The depth of each line and what stands in it: what can be told before the boxes are known."""
    split = []
    for raw in clean_text(text).split("\n"):
        stripped = raw.lstrip(" ")
        if stripped.startswith("- "):
            split.append(((len(raw) - len(stripped)) // 2, _parts_of(stripped[2:])))
    return split


_NAME = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_KEY = re.compile(rf"(/?[A-Za-z][\w-]*)(?: ({_NAME}))?((?: \[[^\]]*\])*)", re.ASCII | re.DOTALL)
_LINE = re.compile(rf"{_KEY.pattern}(?:(:)(?: (.*))?)?", re.ASCII | re.DOTALL)
_QUOTED = re.compile(r"'((?:[^']|'')*)'(?:(:)(?: (.*))?)?", re.DOTALL)


def _parts_of(content: str) -> Parts:
    if content.startswith("'"):
        quoted = _QUOTED.fullmatch(content)
        found = _KEY.fullmatch(quoted[1].replace("''", "'")) if quoted else None
    else:
        quoted = found = _LINE.fullmatch(content)
    if found is None or quoted is None:
        return "text", "", (), "", _unquote(content), False
    colon, value = (quoted[2], quoted[3]) if quoted is not found else (found[4], found[5])
    role, name, attributes = found[1], found[2], found[3]
    states, ref = _parse_attributes(attributes) if attributes else ((), "")
    return (
        role,
        _unquote(name) if name else "",
        states,
        ref,
        _unquote(value) if value else "",
        bool(colon) and not value,
    )


def _parse_attributes(attributes: str) -> tuple[tuple[str, ...], str]:
    """States and ref."""
    states = []
    ref = ""
    for attribute in attributes[2:-1].split("] ["):
        if attribute.startswith("ref="):
            ref = attribute[4:]
        else:
            states.append(attribute)
    return tuple(states), ref


_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))')
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _unquote(value: str) -> str:
    """A name (a JSON string) or a value (plain, or in Playwright's double quotes)."""
    if len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    if "\\" not in value:
        return value[1:-1]
    return clean_text(_ESCAPE.sub(_unescape, value[1:-1]))


def _unescape(found: re.Match[str]) -> str:
    if found[1]:
        return _LETTERS.get(found[1], found[1])
    return chr(int(found[2] or found[3], 16))


# Playwright's packages/isomorphic/yaml.ts, rule by rule. `\s` is JavaScript's there.
_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NEEDS_QUOTES = re.compile(
    rf"^[{_SPACE}]|[{_SPACE}]\Z|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\n\r{{}}`]|^-|:(?:[{_SPACE}]|\Z)"
    rf"|[{_SPACE}]#|^[&*\],?!>|@\"'#%\[]"
)
_NUMBER = re.compile(
    r"[-+]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|[-+]?\.(?i:inf|nan)"
)
_WORDS = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null", "~"])
_CONTROL = re.compile(r'[\\"\x00-\x1f\x7f-\x9f]')
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _needs_quotes(text: str) -> bool:
    if not text or _NEEDS_QUOTES.search(text):
        return True
    return _NUMBER.fullmatch(text) is not None or text.lower() in _WORDS


def quote_key(key: str) -> str:
    """A key as Playwright writes it in YAML: in single quotes where it must be quoted."""
    return "'" + key.replace("'", "''") + "'" if _needs_quotes(key) else key


def quote_value(value: str) -> str:
    """A value as Playwright writes it in YAML: in double quotes where it must be quoted."""
    if not _needs_quotes(value):
        return value
    return '"' + _CONTROL.sub(lambda c: _ESCAPES.get(c[0]) or f"\\x{ord(c[0]):02x}", value) + '"'
