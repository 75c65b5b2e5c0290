"""What members wrote, as HTML; and moments, told from today."""

import re
from datetime import datetime

from markupsafe import Markup, escape

from fixtures_sites.seeded import NOW

LINK = re.compile(r"https?://[^\s<>\"']+|@[a-z][a-z0-9_]{2,19}|\*\*[^*\n]+\*\*")


def prose(text: str) -> Markup:
    """Paragraphs, quotations (lines after `>`), links, names after @ and **bold**."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.replace("\r", "").strip()):
        lines = block.split("\n")
        quoted = [line.lstrip("> ") for line in lines if line.startswith(">")]
        plain = [line for line in lines if not line.startswith(">")]
        if quoted:
            blocks.append(f"<blockquote>{_inline(' '.join(quoted))}</blockquote>")
        if plain:
            blocks.append(f"<p>{'<br>'.join(_inline(line) for line in plain)}</p>")
    return Markup("".join(blocks))  # all of it went through escape()


def _inline(text: str) -> str:
    parts, end = [], 0
    for found in LINK.finditer(text):
        parts.append(str(escape(text[end : found.start()])))
        word = str(escape(found[0]))
        if word.startswith("@"):
            parts.append(f'<a href="/u/{word[1:]}">{word}</a>')
        elif word.startswith("*"):
            parts.append(f"<strong>{word[2:-2]}</strong>")
        else:
            parts.append(f'<a href="{word}" rel="nofollow">{word}</a>')
        end = found.end()
    return "".join([*parts, str(escape(text[end:]))])


def ago(moment: str) -> str:
    """How long ago it was: "5 minutes ago", "3 days ago", "on 2026-01-31"."""
    minutes = int((NOW - datetime.strptime(moment, "%Y-%m-%d %H:%M")).total_seconds() // 60)  # noqa: DTZ007 - no zone
    if minutes < 1:
        return "just now"
    for size, unit, most in ((1, "minute", 60), (60, "hour", 48), (1440, "day", 21)):
        if minutes < size * most:
            count = minutes // size
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return f"on {moment[:10]}"
