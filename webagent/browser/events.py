"""What happened between two observations, as the lines an observation shows at its top."""

import json
import re
from urllib.parse import urlsplit

from webagent.ids import clean_text
from webagent.masking import Masker

MOST = 25
"""Events of one observation; a page that floods says so in one line."""


def quoted(text: str, limit: int = 160) -> str:
    """Text of a page in JSON quotes, on one line, shortened."""
    words = re.sub(r"\s+", " ", clean_text(text)).strip()
    if len(words) > limit:
        words = words[: limit - 1] + "…"
    return json.dumps(words, ensure_ascii=False)


def short_url(url: str, base: str = "") -> str:
    """A URL in quotes: path and query alone where it is on the host of `base`."""
    try:
        parts, here = urlsplit(url), urlsplit(base)
    except ValueError:
        return quoted(url, 120)
    if base and parts.netloc == here.netloc:
        url = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return quoted(url, 120)


LONGEST = 300
"""Characters of one event."""


class Events:
    """Collects events until the next observation takes them, without secrets."""

    def __init__(self, mask: Masker = str) -> None:
        self.mask = mask
        self._lines: list[str] = []
        self._more = 0

    def quoted(self, text: str, limit: int = 160) -> str:
        """Text of a page for an event: masked before it is shortened, which would leave a part of a
        secret that nothing finds."""
        return quoted(self.mask(text), limit)

    def add(self, line: str) -> None:
        """One event; a repeated one is kept once, a flood is counted."""
        line = clean_text(self.mask(line))[:LONGEST]
        if line in self._lines:
            return
        if len(self._lines) >= MOST:
            self._more += 1
        else:
            self._lines.append(line)

    def take(self) -> tuple[str, ...]:
        """All events since the last call."""
        lines = tuple(self._lines)
        if self._more:
            lines += (f"{self._more} more events",)
        self._lines, self._more = [], 0
        return lines
