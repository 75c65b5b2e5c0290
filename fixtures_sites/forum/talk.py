"""Threads and replies as pages show them: chosen, sorted, counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from fixtures_sites.seeded import NOW
from fixtures_sites.state import Data

CARD = (
    "select t.*, t.up - t.down as score, b.name as board_name, b.slug as board_slug, u.name as author_name,"
    " (select group_concat(tag, ',') from thread_tags g where g.thread = t.id) as tags,"
    " exists (select 1 from polls where thread = t.id) as has_poll"
    " from threads t join boards b on b.id = t.board join users u on u.id = t.author"
)
REPLY = (
    "select p.*, p.up - p.down as score, u.name as author_name, u.avatar as avatar, q.number as parent_number,"
    " v.name as parent_name, t.title, t.slug, t.locked, b.name as board_name, b.slug as board_slug"
    " from posts p join users u on u.id = p.author join threads t on t.id = p.thread join boards b on b.id = t.board"
    " left join posts q on q.id = p.parent left join users v on v.id = q.author"
)
SORTS: Mapping[str, tuple[str, str]] = {
    "hot": ("Hot", "t.up - t.down + 40 * julianday(t.created) desc"),
    "new": ("New", "t.created desc"),
    "active": ("Active", "t.last desc"),
    "top": ("Top", "t.up - t.down desc"),
    "controversial": (
        "Controversial",
        "min(t.up, t.down) * 1.0 * (t.up + t.down) / max(t.up, t.down, 1) desc",
    ),
    "replies": ("Most replies", "t.replies desc"),
}
"""Key, name and order of the ways to sort threads."""
PERIODS = {
    "week": ("Past week", 7),
    "month": ("Past month", 30),
    "year": ("Past year", 365),
    "all": ("All time", 0),
}
"""Key, name and days of the periods that `top` and `controversial` look back."""
REPLY_SORTS: Mapping[str, tuple[str, str]] = {
    "old": ("Oldest first", "p.number"),
    "new": ("Newest first", "p.number desc"),
    "top": ("Best first", "p.up - p.down desc, p.number"),
    "controversial": (
        "Most disputed",
        "min(p.up, p.down) * 1.0 * (p.up + p.down) / max(p.up, p.down, 1) desc, p.number",
    ),
}
FOUND_SORTS = {
    "newest": ("Newest", "created desc, id desc"),
    "oldest": ("Oldest", "created, id"),
    "score": ("Highest score", "score desc, id desc"),
}


@dataclass(frozen=True)
class Wanted:
    """Which threads, in which order."""

    sort: str = "hot"
    period: str = "all"
    where: str = "1"
    values: Sequence[Any] = field(default_factory=tuple)
    pinned_first: bool = False

    def narrowed(self, where: str, *values: Any) -> "Wanted":
        """Only those that fit this too."""
        return Wanted(
            self.sort, self.period, f"{self.where} and {where}", (*self.values, *values), self.pinned_first
        )

    @property
    def condition(self) -> str:
        """The whole condition in SQL."""
        days = PERIODS[self.period][1] if self.sort in ("top", "controversial") else 0
        since = (NOW - timedelta(days=days)).strftime("%Y-%m-%d %H:%M")
        return f"t.gone = '' and {self.where}" + (f" and t.created >= '{since}'" if days else "")

    @classmethod
    def of(cls, asked: Mapping[str, str], *, pinned_first: bool = False) -> "Wanted":
        """What an address asks for; the usual where it asks for what there is not."""
        sort, period = asked.get("sort", "hot"), asked.get("period", "all")
        return cls(
            sort if sort in SORTS else "hot",
            period if period in PERIODS else "all",
            pinned_first=pinned_first,
        )


def count(data: Data, wanted: Wanted) -> int:
    """How many threads there are."""
    return int(data.value(f"select count(*) from threads t where {wanted.condition}", *wanted.values))


def listed(data: Data, wanted: Wanted, limit: int, offset: int = 0) -> list[Any]:
    """Threads in their order."""
    first = "t.pinned desc, " if wanted.pinned_first else ""
    return data.rows(
        f"{CARD} where {wanted.condition} order by {first}{SORTS[wanted.sort][1]}, t.id desc limit ? offset ?",
        *wanted.values, limit, offset,
    )  # fmt: skip


def thread(data: Data, number: Any) -> Any:
    """The thread with this number; None where there is none."""
    return data.row(f"{CARD} where t.id = ?", number)


def post(data: Data, number: Any) -> Any:
    """The reply with this number; None where there is none."""
    return data.row(f"{REPLY} where p.id = ?", number)


def replies(data: Data, number: int, sort: str) -> list[tuple[int, Any]]:
    """A thread's replies with their depth: answers stand below what they answer."""
    order = REPLY_SORTS[sort][1]
    below: dict[Any, list[Any]] = {}
    for row in data.rows(f"{REPLY} where p.thread = ? order by {order}", number):
        below.setdefault(row["parent"], []).append(row)
    found: list[tuple[int, Any]] = []
    waiting = [(0, row) for row in reversed(below.get(None, []))]
    while waiting:
        depth, row = waiting.pop()
        found.append((depth, row))
        waiting += [(depth + 1, child) for child in reversed(below.get(row["id"], []))]
    return found


def poll(data: Data, number: int, user: Any) -> dict[str, Any] | None:
    """A thread's poll with its options, and which the user chose."""
    found = data.row("select * from polls where thread = ?", number)
    if found is None:
        return None
    options = data.rows("select * from options where thread = ? order by id", number)
    chosen = user and data.value(
        "select option from ballots where user = ? and thread = ?", user["id"], number
    )
    return {
        "question": found["question"],
        "closes": found["closes"],
        "open": found["closes"] >= NOW.date().isoformat(),
        "options": options,
        "total": sum(option["votes"] for option in options),
        "chosen": chosen,
    }


def marks(data: Data, user: Any, kind: str) -> dict[str, Any]:
    """How the user voted on threads or replies, and which are bookmarked."""
    if user is None:
        return {"votes": {}, "kept": set()}
    votes = data.rows("select item, value from votes where user = ? and kind = ?", user["id"], kind)
    kept = data.rows("select item from bookmarks where user = ? and kind = ?", user["id"], kind)
    return {"votes": {row["item"]: row["value"] for row in votes}, "kept": {row["item"] for row in kept}}


def follows(data: Data, user: Any, kind: str, item: int) -> bool:
    """Whether the user follows this board or person."""
    sql = "select 1 from follows where user = ? and kind = ? and item = ?"
    return user is not None and bool(data.value(sql, user["id"], kind, item))
