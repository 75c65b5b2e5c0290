"""How one observation becomes the text that the model sees, cut to a budget by rule.

What is dropped, first to last: rows of long lists far from view (beyond the first three); the ends
of long texts; what is off-screen, farthest first; text in view that nothing can be done with. Never
dropped while anything else is left: what can be acted on in view, the focused element, dialogs,
alerts and status lines, invalid fields, headings (those of a dropped row go with it). If even that
is too much, names are shortened, then what is farthest from the focus goes. Wherever lines are left
out a line says how many.

Cut before that, as noise: wrappers without name, text or state around a single element (or around
several, where no other such group is beside them), groups of rows, what stands beside a field and
says its name again, `[cursor=pointer]` of roles that say it already, and the `/url` of links that
have words (`find` shows it).
"""

import json
import re
import unicodedata
from collections.abc import Sequence

from webagent.ids import clean_text
from webagent.observation import Observation
from webagent.page_cut import fitted
from webagent.page_find import find_lines
from webagent.page_tree import PageTree, shorten
from webagent.snapshot_text import quote_key, quote_value
from webagent.tokens import cost, estimate_tokens

__all__ = ["estimate_tokens", "neutralise", "render"]

URL_LENGTH = 500
TITLE_LENGTH = 200
EVENT_LENGTH = 500
FIND_TIMES, FIND_MOST = 6, 20_000
"""Matches may take so many times the budget, and so many tokens: all of them, but on pages where nearly
every line is one."""

_TAGS = ("observation", "workflows", "lessons", "goal", "secrets")
_OPENERS = re.compile("[<＜﹤ᐸ]")
_ALIKE = str.maketrans("аеорсѕіԝѵɡοανρκωıʟո", "aeopcsiwvgoavpkwiln")
_ESCAPED = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|[bfnrt])")
_STARTS = " /\\owlgsOWLGS"
_LOOK_AHEAD = 400


def neutralise(text: str) -> str:
    """Text in which nothing reads as one of the prompt's own tags: the `<` of what looks like one
    becomes `‹`, all else stays."""
    parts: list[str] = []
    done = 0
    for found in _OPENERS.finditer(text):
        if _reads_as_tag(text[found.end() : found.end() + _LOOK_AHEAD]):
            parts += [text[done : found.start()], "‹"]
            done = found.end()
    return "".join([*parts, text[done:]])


def _reads_as_tag(after: str) -> bool:
    if after[:1].isascii() and after[:1].isprintable() and after[:1] not in _STARTS:
        return False  # most of them, and cheaply
    word = ""
    for char in unicodedata.normalize("NFKD", _ESCAPED.sub("", after)).casefold().translate(_ALIKE):
        if unicodedata.category(char)[0] in "CZM" or (not word and char in "/\\⁄∕"):
            continue
        word += char
        if word in _TAGS:
            return True
        if not any(tag.startswith(word) for tag in _TAGS):
            return False
    return len(after) == _LOOK_AHEAD  # a flood of invisible characters


def _attribute(text: str, limit: int) -> str:
    """Text inside an HTML attribute's quotes, of at most `limit` characters as it stands there."""
    text = clean_text(text)
    kept = limit
    while len(quoted := _escape(shorten(text, kept))) > limit and kept > 1:
        kept = kept * 3 // 4
    return quoted


def _escape(text: str) -> str:
    text = text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    return neutralise(_BREAKS.sub(lambda found: f"&#{ord(found[0])};", text))


_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def render(observation: Observation, budget: int) -> str:
    """The `<observation>` element, of about `budget` tokens; what was asked for by `find` comes
    on top of that (at most twice the budget)."""
    url = _attribute(observation.url, min(URL_LENGTH, max(40, budget // 2)))
    title = _attribute(observation.title, min(TITLE_LENGTH, max(20, budget // 4)))
    head = f'<observation url="{url}" title="{title}" tabs="{observation.tab}/{observation.tabs}">'
    if observation.dialog is not None:
        lines = [_dialog_line(observation, budget)]
    else:
        room = budget * 100 - cost(head) - cost("</observation>")
        lines = _event_lines(observation.events, room // 2)
        room -= sum(cost(line) for line in lines) + _LINE_END * (len(lines) + 2)
        page = PageTree(observation)
        if observation.find:
            lines += find_lines(page, observation.find, min(budget * FIND_TIMES, FIND_MOST) * 100)
        lines += fitted(page, room)
    body = neutralise(clean_text("\n".join(lines)))
    return f"{head}\n{body}\n</observation>" if body else f"{head}\n</observation>"


_LINE_END = cost("\n")


def _dialog_line(observation: Observation, budget: int) -> str:
    dialog = observation.dialog
    assert dialog is not None
    limit = max(80, budget // 3)
    key = quote_key(f"dialog {_json(shorten(dialog.message, limit))} [kind={dialog.kind}]")
    return (
        f"- {key}: {quote_value(shorten(dialog.default, limit))}" if dialog.kind == "prompt" else f"- {key}"
    )


def _event_lines(events: Sequence[str], room: int) -> list[str]:
    """The newest events that fit, in their order."""
    lines: list[str] = []
    for event in reversed(events):
        line = f"- event: {shorten(_BREAKS.sub(' ', clean_text(event)), EVENT_LENGTH)}"
        room -= cost(line) + _LINE_END
        if room < 0 and lines:
            return [f"- event: … {len(events) - len(lines)} earlier events", *lines]
        lines.insert(0, line)
    return lines


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
