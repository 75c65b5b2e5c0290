"""What people wrote, as HTML; and times as they say them."""

import re
from datetime import date

from markdown_it import MarkdownIt
from markupsafe import Markup

from fixtures_sites.seeded import TODAY

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_KEPT = re.compile(r"(<pre>.*?</pre>|<code.*?</code>|<a .*?</a>|<[^>]+>)", re.DOTALL)
_PERSON = re.compile(r"(?<![\w@])@([a-z][a-z0-9]+)")
_NUMBER = re.compile(r"(?<![\w&])([#!])(\d+)\b")


def markdown(text: str, project: str = "") -> Markup:
    """Markdown as HTML, headings one step lower, with links to @people and to #issues and !merge
    requests of the project."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    parts = _KEPT.split(html)
    parts[::2] = [_linked(part, project) for part in parts[::2]]
    return Markup("".join(parts))


def _linked(text: str, project: str) -> str:
    text = _PERSON.sub(r'<a href="/\1">@\1</a>', text)
    if not project:
        return text
    kinds = {"#": "issues", "!": "merge_requests"}
    return _NUMBER.sub(
        lambda found: f'<a href="/{project}/-/{kinds[found[1]]}/{found[2]}">{found[0]}</a>', text
    )


def ago(at: str) -> str:
    """A day or time as people say it: "3 days ago"."""
    days = (TODAY - date.fromisoformat(at[:10])).days
    for length, unit in ((365, "year"), (30, "month"), (7, "week"), (1, "day")):
        if days >= length:
            count = days // length
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "today" if days == 0 else "in the future"
