"""Pages that are read: made ones of a given size, and some of the arena's."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle

from tests.pages.kit import serving
from webagent.sites import Sites

STATES = ("open", "in review", "waiting for the customer", "closed")
PEOPLE = ("Ana Ferreira", "Bo Lindqvist", "Chidi Okafor", "Dana Novak", "Emre Yıldız")
STYLE = """
body { font: 14px sans-serif; margin: 0 } header, form, footer { display: flex; gap: 12px; padding: 8px 16px }
table { border-collapse: collapse; width: 100% } td, th { padding: 4px 8px; text-align: left; border-bottom: 1px solid #ddd }
.tag { border-radius: 8px; background: #eef; padding: 0 6px }
"""
HEAD = """<header><a href="/">Tracker</a><nav><a href="/inbox">Inbox</a> <a href="/reports">Reports</a>
<a href="/settings">Settings</a></nav></header><h1>All tickets</h1>
<form><label for="q">Search</label><input id="q" type="search" name="q"><label for="s">State</label>
<select id="s"><option>any</option><option>open</option><option>closed</option></select>
<label><input type="checkbox"> only mine</label><button type="button">Filter</button></form>"""
ROW = """<tr><td><input type="checkbox" aria-label="Choose ticket {n}"></td><td><a href="/t/{n}">Ticket {n}: {title}</a></td>
<td><span class="tag">{state}</span></td><td>{who}</td><td><time>2026-{month:02d}-{day:02d}</time></td>
<td><button type="button">Edit</button><button type="button">Close</button></td></tr>"""
IN_HEAD, IN_ROW = 21, 13
"""Elements of these parts, with the table around the rows."""
TITLES = (
    "printer is offline",
    "invoice shows the old address",
    "cannot reset my password",
    "report is empty",
)


def tickets(elements: int) -> str:
    """A table of tickets, of about so many elements."""
    count = max(1, round((elements - IN_HEAD) / IN_ROW))
    told = zip(range(count), cycle(TITLES), cycle(STATES), cycle(PEOPLE), strict=False)
    rows = "".join(
        ROW.format(n=1000 + n, title=title, state=state, who=who, month=n % 12 + 1, day=n % 28 + 1)
        for n, title, state, who in told
    )
    return (
        f"<!doctype html><html lang=en><title>Tickets</title><style>{STYLE}</style>{HEAD}"
        f"<table><tbody>{rows}</tbody></table></html>"
    )


ARENA = {
    "map search": ("maps", "search?q=park"),
    "shop list": ("shop", "search?q=shirt"),
    "forum": ("forum", ""),
    "code search": ("code", "search?q=fix"),
    "travel": ("travel", ""),
}


@contextmanager
def served(sizes: tuple[int, ...], arena: Mapping[str, tuple[str, str]] = ARENA) -> Iterator[dict[str, str]]:
    """Addresses by name until the block ends."""
    made = {f"/{size}": tickets(size) for size in sizes}
    with serving(made) as site, Sites() as sites:
        yield {
            **{f"{size:,} elements": site.url(f"/{size}") for size in sizes},
            **{name: sites.url(where) + path for name, (where, path) in arena.items()},
        }
