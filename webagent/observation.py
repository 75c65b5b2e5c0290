"""The page as the agent reads it: the lines of Playwright's AI snapshot, parsed once."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from webagent.ids import clean_text

INTERACTIVE = frozenset(
    "button link textbox searchbox combobox checkbox radio switch slider spinbutton option menuitem "
    "menuitemcheckbox menuitemradio tab treeitem listbox".split()
)
"""Roles that a person can do something with."""


@dataclass(frozen=True)
class Line:
    """One line of the snapshot. `role` is `text` for bare text and `/url`, `/placeholder` … for
    properties, whose value is `text`. `box` is x, y, width, height in the viewport, where known."""

    index: int
    parent: int
    depth: int
    role: str
    name: str = ""
    states: tuple[str, ...] = ()
    ref: str = ""
    text: str = ""
    box: tuple[float, float, float, float] | None = None

    @property
    def interactive(self) -> bool:
        """True for controls, and for anything a script made clickable."""
        return bool(self.ref) and (self.role in INTERACTIVE or "cursor=pointer" in self.states)

    @property
    def words(self) -> str:
        """Name and text together, as a person reads them."""
        return f"{self.name} {self.text}".strip()

    def render(self) -> str:
        """The line as Playwright writes it, with its indentation."""
        key = self.role
        if self.name:
            key += f" {json.dumps(self.name, ensure_ascii=False)}"
        for state in self.states:
            key += f" [{state}]"
        if self.ref:
            key += f" [ref={self.ref}]"
        if _needs_quotes(key):
            key = "'" + key.replace("'", "''") + "'"
        value = f": {_quote_value(self.text)}" if self.text else ""
        return f"{'  ' * self.depth}- {key}{value}"


@dataclass(frozen=True)
class Dialog:
    """An open confirm or prompt (kind), its message and a prompt's default value."""

    kind: str
    message: str
    default: str = ""


@dataclass(frozen=True)
class Target:
    """Finds an element another day: role and name, which of several twins (`nth`, from 0), and what
    stands around it: the heading above, the words of its row, its position under that heading."""

    role: str
    name: str = ""
    nth: int = 0
    heading: str = ""
    row: str = ""
    position: int = 0

    def as_object(self) -> dict[str, str | int]:
        """Its fields without the empty ones, for JSON."""
        return {key: value for key, value in self.__dict__.items() if value or key == "role"}


@dataclass(frozen=True)
class Observation:
    """What the agent sees of the browser at one moment. `lines` are the whole page; what is shown
    of them is decided where the prompt is made. `events` happened since the last observation;
    `find` is a text asked for, whose matches are to be shown."""

    url: str
    title: str = ""
    tab: int = 1
    tabs: int = 1
    lines: tuple[Line, ...] = ()
    events: tuple[str, ...] = ()
    dialog: Dialog | None = None
    find: str = ""
    viewport: tuple[int, int] = (1280, 720)

    @cached_property
    def by_ref(self) -> dict[str, Line]:
        return {line.ref: line for line in self.lines if line.ref}

    @cached_property
    def page_text(self) -> str:
        """All lines as text: what is stored, once for each hash."""
        return "\n".join(line.render() for line in self.lines)

    @cached_property
    def hash(self) -> str:
        """Of URL, title and page text."""
        data = f"{self.url}\n{self.title}\n{self.page_text}".encode()
        return hashlib.sha256(data).hexdigest()[:20]

    def children(self, line: Line) -> Iterator[Line]:
        """The lines directly below one."""
        for other in self.lines[line.index + 1 :]:
            if other.depth <= line.depth:
                return
            if other.parent == line.index:
                yield other

    def subtree(self, line: Line) -> Sequence[Line]:
        """A line and all below it."""
        end = line.index + 1
        while end < len(self.lines) and self.lines[end].depth > line.depth:
            end += 1
        return self.lines[line.index : end]

    def ancestors(self, line: Line) -> Iterator[Line]:
        """From the parent upwards."""
        while line.parent >= 0:
            line = self.lines[line.parent]
            yield line

    def words_of(self, line: Line) -> str:
        """All that can be read at a line and below it."""
        parts = [part.words for part in self.subtree(line) if not part.role.startswith("/")]
        return " ".join(part for part in parts if part)

    def heading_above(self, line: Line) -> str:
        """The words of the nearest heading before a line."""
        for other in reversed(self.lines[: line.index]):
            if other.role == "heading":
                return self.words_of(other)
        return ""

    def row_of(self, line: Line) -> str:
        """The words of the row or list item around a line; empty where it stands in none."""
        for other in self.ancestors(line):
            if other.role in ("row", "listitem", "article"):
                return self.words_of(other)[:200]
        return ""

    def label_of(self, line: Line) -> str:
        """The accessible name, or the words inside of an element that has none."""
        return line.name or self.words_of(line)[:120]

    def target(self, ref: str) -> Target | None:
        """What finds this element again another day; None for an unknown ref."""
        line = self.by_ref.get(ref)
        if line is None:
            return None
        name = self.label_of(line)
        heading = self.heading_above(line)
        twins = [other.ref for other in self.lines if other.ref and self._fits(other, line.role, name)]
        peers = [other.ref for other in self._under(heading, line.role)]
        return Target(
            role=line.role,
            name=name,
            nth=twins.index(ref) if ref in twins else 0,
            heading=heading,
            row=self.row_of(line) if len(twins) > 1 else "",
            position=peers.index(ref) if ref in peers else 0,
        )

    def matches(self, role: str, name: str) -> list[Line]:
        """Elements with this role and name, in page order."""
        return [line for line in self.lines if line.ref and self._fits(line, role, name)]

    def _fits(self, line: Line, role: str, name: str) -> bool:
        return line.role == role and self.label_of(line) == name

    def _under(self, heading: str, role: str) -> list[Line]:
        return [
            line
            for line in self.lines
            if line.ref and line.role == role and self.heading_above(line) == heading
        ]


def parse_snapshot(text: str) -> tuple[Line, ...]:
    """The lines of `page.aria_snapshot(mode="ai", boxes=…)`. Keys are parsed by their quotes, so
    that page text which looks like a ref stays text."""
    lines: list[Line] = []
    stack: list[int] = []
    for raw in clean_text(text).split("\n"):
        stripped = raw.lstrip(" ")
        if not stripped.startswith("- "):
            continue
        depth = (len(raw) - len(stripped)) // 2
        del stack[depth:]
        line = _parse_line(stripped[2:], len(lines), stack[-1] if stack else -1, depth)
        lines.append(line)
        stack.append(line.index)
    return tuple(lines)


_KEY = re.compile(
    r'(?P<role>/?[\w-]+)(?: (?P<name>"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)*/))?(?P<attributes>(?: \[[^\]]*\])*)'
)
_ATTRIBUTE = re.compile(r"\[([^\]]*)\]")


def _parse_line(content: str, index: int, parent: int, depth: int) -> Line:
    key, value = _split_key(content)
    found = _KEY.fullmatch(key)
    if found is None:
        return Line(index, parent, depth, "text", text=_unquote_value(content))
    name = found["name"] or ""
    states: list[str] = []
    ref = ""
    box: tuple[float, float, float, float] | None = None
    for attribute in _ATTRIBUTE.findall(found["attributes"]):
        if attribute.startswith("ref="):
            ref = attribute[4:]
        elif attribute.startswith("box="):
            x, y, width, height = (float(part) for part in attribute[4:].split(","))
            box = (x, y, width, height)
        else:
            states.append(attribute)
    return Line(
        index,
        parent,
        depth,
        found["role"],
        _unquote_name(name),
        tuple(states),
        ref,
        _unquote_value(value),
        box,
    )


def _split_key(content: str) -> tuple[str, str]:
    """Key and value of one YAML line; a key in single quotes may hold `: `."""
    if content.startswith("'"):
        end = 1
        while end < len(content):
            if content[end] == "'":
                if content[end + 1 : end + 2] != "'":
                    break
                end += 1
            end += 1
        key = content[1:end].replace("''", "'")
        return key, content[end + 1 :].removeprefix(":").strip()
    found = _KEY.match(content)
    end = found.end() if found else 0
    if content[end:] == "" or content[end : end + 1] == ":":
        return content[:end], content[end:].removeprefix(":").strip()
    return content, ""


def _unquote_name(name: str) -> str:
    if name.startswith('"'):
        return str(json.loads(name, strict=False))
    return name


def _unquote_value(value: str) -> str:
    if len(value) >= 2 and value.startswith('"') and value.endswith('"'):
        try:
            return clean_text(str(json.loads(value, strict=False)))
        except ValueError:
            return _HEX.sub(lambda found: chr(int(found[1], 16)), value[1:-1])
    if len(value) >= 2 and value.startswith("'") and value.endswith("'"):
        return value[1:-1].replace("''", "'")
    return value


_HEX = re.compile(r"\\x([0-9a-fA-F]{2})")
_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`\d.~=+][^\x00-\x1f\x7f]*")


def _needs_quotes(key: str) -> bool:
    return ": " in key or " #" in key or key.endswith(":")


def _quote_value(value: str) -> str:
    """As Playwright quotes YAML scalars: plain where that is safe, else JSON."""
    plain = (
        _PLAIN.fullmatch(value)
        and ": " not in value
        and " #" not in value
        and not value.endswith((":", " "))
        and value.lower() not in ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
    )
    return value if plain else json.dumps(value, ensure_ascii=False)
