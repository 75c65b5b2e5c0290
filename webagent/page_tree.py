"""The lines of a page that are worth showing, as a tree.

Cut as noise: wrappers without name, text or state around a single element, or around several where
beside them there is no other such group, groups of rows, what stands beside a field and says its
name again, `[cursor=pointer]` of roles that say it already, and the `/url` of links that have words.
A text that is all an element holds moves into the element's line. Refs and order stay as they are.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from webagent.observation import INTERACTIVE, Line, Observation, key_of, line_text
from webagent.snapshot_text import quote_value

URL_LENGTH = 100
WRAPPERS = frozenset({"generic", "paragraph", "listitem"})
"""Roles that say nothing where they hold a single element and have no name."""
LABELLED = frozenset(
    {"textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "switch"}
)
"""Fields, which are named by what is written beside them."""


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, the last one `…` where some are missing."""
    return text if len(text) <= limit else text[: max(1, limit - 1)].rstrip() + "…"


MOST_EXCERPTS = 3


def excerpt(text: str, limit: int, around: str) -> str:
    """The text within `limit` characters: what stands around another text, where that is in it."""
    if len(text) <= limit or not around:
        return shorten(text, limit)
    found = re.finditer(re.escape(around).replace(r"\ ", r"\s+"), text, re.IGNORECASE)
    places = [match.start() for match, _ in zip(found, range(MOST_EXCERPTS), strict=False)]
    if not places or places[-1] + len(around) < limit:
        return shorten(text, limit)
    room = limit // len(places)
    parts: list[str] = []
    end = 0
    for place in places:
        start = max(end, place - room // 3)
        parts.append(("" if start == end else "…") + text[start : start + room])
        end = start + room
    return "".join(parts) + ("…" if end < len(text) else "")


class PageTree:
    """A node is a line that can be shown. Arrays go by line index; -1 is the root."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.lines = observation.lines
        count = len(self.lines)
        self.parent = [-1] * count
        self.hidden = bytearray(count)
        """Wrappers, properties, and texts that moved into their element's line."""
        self.text: dict[int, str] = {}
        self.properties: dict[int, list[Line]] = {}
        self.kids: dict[int, list[int]] = {-1: []}
        self.place = [0] * count
        """A node's index among its parent's kids."""
        self._build()
        self.before = [0, *accumulate(1 - hidden for hidden in self.hidden)]
        """How many nodes stand before a line."""

    def _build(self) -> None:
        self._hide_labels()
        below = Counter(
            line.parent for line in self.lines if line.role[0] != "/" and not self.hidden[line.index]
        )
        telling = {line.parent for line in self.lines if _needs_its_group(line)}
        groups = Counter(line.parent for line in self.lines if _is_group(line, below[line.index]))
        for line in self.lines:
            index, above = line.index, line.parent
            if self.hidden[index]:
                continue
            if line.role[0] == "/":
                self.hidden[index] = 1
                if self._is_useful(line):
                    self.properties.setdefault(above, []).append(line)
                continue
            parent = above if above < 0 or not self.hidden[above] else self.parent[above]
            self.parent[index] = parent
            alone = groups[above] == 1 and index not in telling and _is_group(line, below[index])
            if alone or _is_wrapper(line, below[index]):
                self.hidden[index] = 1
            elif (
                line.role == "text"
                and above >= 0
                and above == parent
                and self._takes_text(above, below[above])
            ):
                self.hidden[index] = 1
                self.text[above] = line.text
            else:
                siblings = self.kids.setdefault(parent, [])
                self.place[index] = len(siblings)
                siblings.append(index)

    def _hide_labels(self) -> None:
        """Hides what says a field's name right before it, or right behind it in the same element; whoever
        looks for it is led to the field."""
        spoken = [line for line in self.lines if line.role in LABELLED or line.words or not line.opens]
        spoken = [line for line in spoken if line.role[0] != "/"]
        for before, line in pairwise(spoken):
            if line.role in LABELLED and _labels(before, line):
                self._lead(before, line)
            elif before.role in LABELLED and _labels(line, before) and line.parent == before.parent:
                self._lead(line, before)

    def _lead(self, label: Line, field: Line) -> None:
        self.hidden[label.index] = 1
        self.parent[label.index] = field.index

    def _takes_text(self, index: int, below: int) -> bool:
        return below == 1 and not self.lines[index].text and index not in self.properties

    def _is_useful(self, line: Line) -> bool:
        """Whether a property says what its element does not."""
        if line.role != "/url" or line.parent < 0:
            return True
        if line.text.startswith(("mailto:", "tel:")):
            return True
        return not self.observation.words_of(self.lines[line.parent], 1)

    def block(self, index: int, depth: int, limit: int, *, urls: bool = False, around: str = "") -> list[str]:
        """The text lines of one node: its own, then its properties. What is too long is cut at its end,
        or to what stands around a text."""
        line = self.lines[index]
        shown = self.properties.get(index, [])
        if urls:
            shown = [other for other in self.observation.children(line) if other.role[0] == "/"]
        states: Sequence[str] = line.states
        if line.role in INTERACTIVE:
            states = [state for state in states if state != "cursor=pointer"]
        text = excerpt(self.text.get(index, line.text), limit, around)
        first = line_text(depth, key_of(line.role, excerpt(line.name, limit, around), states, line.ref))
        if not shown:
            if text or line.role == "text":
                return [f"{first}: {quote_value(text)}"]
            return [first + ":" if index in self.kids else first]
        below = [f"{line_text(depth + 1, p.role)}: {quote_value(shorten(p.text, URL_LENGTH))}" for p in shown]
        if text:
            below.append(f"{line_text(depth + 1, 'text')}: {quote_value(shorten(text, URL_LENGTH))}")
        return [first + ":", *below]

    @cached_property
    def longest(self) -> int:
        """Characters of the longest name or text, addresses aside."""
        return max(
            (max(len(line.name), len(line.text)) for line in self.lines if line.role[0] != "/"), default=0
        )

    def nodes_in(self, start: int, end: int) -> int:
        """How many nodes the lines from start to end are."""
        return self.before[end] - self.before[start]


def _is_wrapper(line: Line, below: int) -> bool:
    if line.name or line.text or line.states:
        return False
    return (line.role in WRAPPERS and below == 1) or (line.role == "rowgroup" and below > 0)


def _is_group(line: Line, below: int) -> bool:
    """Whether a line only keeps several elements together, as every page's body does."""
    if line.role != "generic" or below < 2 or line.name or line.text:
        return False
    return not line.states or (line.parent < 0 and line.states == ("active",))


def _needs_its_group(line: Line) -> bool:
    """Whether a line is part of a running text, or a control that only what is around it names."""
    named = line.name or (line.text if line.role not in LABELLED else "")
    return line.role == "text" or (line.interactive and not named)


def _labels(line: Line, field: Line) -> bool:
    return (
        line.role in ("text", "generic") and line.text == field.name != "" and not (line.states or line.opens)
    )
