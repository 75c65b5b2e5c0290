"""The page as the agent reads it: the lines of Playwright's AI snapshot, parsed once."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from webagent.masking import Masker
from webagent.snapshot_text import Parts, quote_key, quote_value, split_snapshot

INTERACTIVE = frozenset(
    {
        "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "slider", "spinbutton",
        "option", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "treeitem", "listbox",
    }
)  # fmt: skip
"""Roles that a person can do something with."""

LABEL_LENGTH = 120
"""A nameless element is called by this many characters of the words in it."""


Box = tuple[float, float, float, float]
"""x, y, width and height."""


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
    box: Box | None = None
    opens: bool = False
    """True where lines below belong to it: Playwright ends such a line with a colon."""
    frame: str = ""
    """The selector that finds an iframe in its document; empty where that is not known."""

    @property
    def interactive(self) -> bool:
        """True for controls, and for anything a script made clickable."""
        return bool(self.ref) and (self.role in INTERACTIVE or "cursor=pointer" in self.states)

    @property
    def words(self) -> str:
        """Name and text together, as a person reads them."""
        return f"{self.name} {self.text}".strip()

    def render(self) -> str:
        """The line as Playwright writes it, with its indentation and without its box."""
        first = line_text(self.depth, key_of(self.role, self.name, self.states, self.ref))
        if self.text or self.role == "text" or self.role.startswith("/"):
            return f"{first}: {quote_value(self.text)}"
        return first + ":" if self.opens else first


def key_of(role: str, name: str, states: Sequence[str], ref: str) -> str:
    """What stands before a line's colon."""
    key = f"{role} {json.dumps(name, ensure_ascii=False)}" if name else role
    cursor = ""
    for state in states:
        if state.startswith("cursor="):
            cursor += f" [{state}]"
        else:
            key += f" [{state}]"
    return f"{key} [ref={ref}]{cursor}" if ref else key + cursor


def line_text(depth: int, key: str) -> str:
    """A line's key in its place."""
    return f"{'  ' * depth}- {quote_key(key)}"


@dataclass(frozen=True)
class Dialog:
    """An open confirm or prompt (kind), its message and a prompt's default value."""

    kind: str
    message: str
    default: str = ""


@dataclass(frozen=True)
class Target:
    """Finds an element another day: role and name, which of several twins (`nth`, from 0), and what
    stands around it: the heading above, the words of its row, its position under that heading, and the
    selectors of the frames that it is in, outermost first (None where they are not known)."""

    role: str
    name: str = ""
    nth: int = 0
    heading: str = ""
    row: str = ""
    position: int = 0
    frame: tuple[str, ...] | None = None

    def as_object(self) -> dict[str, str | int | tuple[str, ...]]:
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
    secrets: tuple[str, ...] = ()
    """Names of the secrets that may be typed here."""

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

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """For each line the index just behind its subtree."""
        ends = [len(self.lines)] * len(self.lines)
        open_lines: list[Line] = []
        for line in self.lines:
            while open_lines and open_lines[-1].depth >= line.depth:
                ends[open_lines.pop().index] = line.index
            open_lines.append(line)
        return tuple(ends)

    @cached_property
    def _headings(self) -> tuple[int, ...]:
        """For each line the index of the nearest heading before it, or -1: headings in a frame are
        above nothing outside of it."""
        found: list[int] = []
        frames: list[int] = []
        newest = {-1: -1}
        for line in self.lines:
            inside = line.parent >= 0 and self.lines[line.parent].role == "iframe"
            frames.append(line.parent if inside else frames[line.parent] if line.parent >= 0 else -1)
            found.append(newest.setdefault(frames[-1], found[frames[-1]] if frames[-1] >= 0 else -1))
            if line.role == "heading":
                newest[frames[-1]] = line.index
        return tuple(found)

    def masked(self, mask: Masker) -> "Observation":
        """The same observation without a secret, wherever the page or an event shows it."""
        if mask(self.page_text) == self.page_text and mask(self.url + self.title) == self.url + self.title:
            return replace(self, events=tuple(map(mask, self.events)), find=mask(self.find))
        lines = tuple(replace(line, name=mask(line.name), text=mask(line.text)) for line in self.lines)
        events = tuple(map(mask, self.events))
        title, url, find = mask(self.title), mask(self.url), mask(self.find)
        return replace(self, lines=lines, events=events, title=title, url=url, find=find)

    def children(self, line: Line) -> Iterator[Line]:
        """The lines directly below one."""
        at = line.index + 1
        while at < self.ends[line.index]:
            yield self.lines[at]
            at = self.ends[at]

    def subtree(self, line: Line) -> Sequence[Line]:
        """A line and all below it."""
        return self.lines[line.index : self.ends[line.index]]

    def ancestors(self, line: Line) -> Iterator[Line]:
        """From the parent upwards."""
        while line.parent >= 0:
            line = self.lines[line.parent]
            yield line

    def frame_of(self, line: Line) -> tuple[str, ...] | None:
        """The selectors of the frames around a line, outermost first; None where one is not known."""
        found = tuple(other.frame for other in self.ancestors(line) if other.role == "iframe")[::-1]
        return found if all(found) else None

    def words_of(self, line: Line, limit: int = 0) -> str:
        """All that can be read at a line and below it; no more than `limit` characters, if given."""
        parts: list[str] = []
        size = 0
        for index in range(line.index, self.ends[line.index]):
            part = self.lines[index]
            if part.role.startswith("/") or not part.words:
                continue
            parts.append(part.words)
            size += len(part.words) + 1
            if limit and size > limit:
                break
        words = " ".join(parts)
        return words[:limit] if limit else words

    def heading_above(self, line: Line) -> str:
        """The words of the nearest heading before a line."""
        return self._heading_words.get(self._headings[line.index], "")

    @cached_property
    def _heading_words(self) -> dict[int, str]:
        return {line.index: self.words_of(line) for line in self.lines if line.role == "heading"}

    def row_of(self, line: Line) -> str:
        """The words of the row or list item around a line; empty where it stands in none."""
        for other in self.ancestors(line):
            if other.role in ("row", "listitem", "article"):
                return self.words_of(other, 200)
        return ""

    def label_of(self, line: Line) -> str:
        """The accessible name, or the words inside of an element that has none."""
        return line.name or self.words_of(line, LABEL_LENGTH)

    def target(self, ref: str) -> Target | None:
        """What finds this element again another day; None for an unknown ref."""
        line = self.by_ref.get(ref)
        if line is None:
            return None
        name = self.label_of(line)
        heading = self.heading_above(line)
        frame = self.frame_of(line)
        fitting = self.matches(line.role, name)
        twins = [other.ref for other in fitting if frame is None or self.frame_of(other) == frame]
        peers = [other.ref for other in self._under(heading, line.role)]
        return Target(
            role=line.role,
            name=name,
            nth=twins.index(ref) if ref in twins else 0,
            heading=heading,
            row=self.row_of(line) if len(twins) > 1 else "",
            position=peers.index(ref) if ref in peers else 0,
            frame=frame,
        )

    def matches(self, role: str, name: str) -> list[Line]:
        """Elements with this role and name, in page order."""
        return [line for line in self.lines if line.ref and line.role == role and self._is_called(line, name)]

    def _is_called(self, line: Line, name: str) -> bool:
        """Whether this is the line's label; told by the first words where that is enough."""
        if line.name:
            return line.name == name
        for index in range(line.index, self.ends[line.index]):
            part = self.lines[index]
            if part.words and not part.role.startswith("/"):
                first = part.words[:LABEL_LENGTH]
                return name.startswith(first) and self.label_of(line) == name
        return not name

    def _under(self, heading: str, role: str) -> list[Line]:
        below = {index for index, words in self._heading_words.items() if words == heading}
        if not heading:
            below.add(-1)
        return [
            line
            for line in self.lines
            if line.role == role and line.ref and self._headings[line.index] in below
        ]


def parse_snapshot(
    text: str, boxes: Mapping[str, Sequence[float]] = MappingProxyType({})
) -> tuple[Line, ...]:
    """The lines of `page.aria_snapshot(mode="ai")`, with the boxes of elements by their refs; their
    `render` gives the same text again. Keys are parsed by their quotes, so that page text which looks
    like a ref stays text; a line that is none of Playwright's becomes a `text`."""
    return lines_of(split_snapshot(text), boxes)


def lines_of(split: Sequence[tuple[int, Parts]], boxes: Mapping[str, Sequence[float]]) -> tuple[Line, ...]:
    """The lines that a split snapshot stands for."""
    lines: list[Line] = []
    stack: list[tuple[int, int]] = []
    for index, (depth, (role, name, states, ref, text, opens)) in enumerate(split):
        while stack and stack[-1][0] >= depth:
            stack.pop()
        parent = stack[-1][1] if stack else -1
        given = boxes.get(ref) if ref else None
        box = (given[0], given[1], given[2], given[3]) if given else None
        lines.append(Line(index, parent, depth, role, name, states, ref, text, box, opens))
        stack.append((depth, index))
    return tuple(lines)
