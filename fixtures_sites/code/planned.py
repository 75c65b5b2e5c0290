"""Seeded labels, milestones, issues and merge requests of a project, with what people said about them."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Protocol

from fixtures_sites.seeded import TODAY, Dice

PLACES = (
    "Andy Warhol Museum", "Phipps Conservatory and Botanical Gardens", "New England Aquarium", "Griffith Observatory",
    "Space Needle", "Coit Tower", "Fenway Park", "Exploratorium", "Museum of Pop Culture", "Getty Center",
)  # fmt: skip
"""Well-known places of the map that issues of the map's makers name."""


class Rows(Protocol):
    """Where rows go."""

    tables: dict[str, list[tuple[Any, ...]]]

    def add(self, table: str, *values: Any) -> int:
        """Takes a row; its place in the table, counted from 1."""
        ...


def plan(
    rows: Rows,
    dice: Dice,
    project: int,
    people: Sequence[int],
    committers: Sequence[int],
    slug: str,
    words: dict[str, Any],
) -> None:
    """All of a project."""
    labels = _labels(rows, dice, project, words)
    milestones = _milestones(rows, dice, project)
    titles = _titles(dice, words, 11 + project % 6)
    if slug in ("place-index", "opening-hours"):
        named = PLACES[:5] if slug == "place-index" else PLACES[5:]
        titles = [f"Entry of the {name} is out of date" for name in named] + titles
    for iid, title in enumerate(titles, 1):
        _issue(rows, dice, (project, iid, title), people, labels, milestones, words)
    for iid in range(1, 4 + (project % 3 == 0)):
        _merge(rows, dice, project, iid, committers, words)


def _labels(rows: Rows, dice: Dice, project: int, words: dict[str, Any]) -> list[int]:
    kept = sorted(dice.some(range(len(words["labels"])), 8))
    if 0 not in kept:
        kept = [0, *kept[1:]]
    made = []
    for place in kept:
        number = len(rows.tables.get("labels", ())) + 1
        rows.add("labels", number, project, *words["labels"][place])
        made.append(number)
    return made


def _milestones(rows: Rows, dice: Dice, project: int) -> list[int]:
    made = []
    start = dice.number(1, 8)
    for place, offset in enumerate((-90, 20, 80)):
        number = len(rows.tables.get("milestones", ())) + 1
        due = TODAY + timedelta(days=offset + dice.number(0, 30))
        state = "closed" if place == 0 else "active"
        rows.add(
            "milestones",
            number,
            project,
            f"{start}.{place}",
            dice.pick(words_of(place)),
            due.isoformat(),
            state,
        )
        made.append(number)
    return made


def words_of(place: int) -> tuple[str, ...]:
    """What is said of a milestone: past, current or next."""
    return (
        ("Done.", "Shipped."),
        ("Stability first.", "Fewer bugs."),
        ("New features.", "Ideas for later."),
    )[place]


def _titles(dice: Dice, words: dict[str, Any], count: int) -> list[str]:
    made: dict[str, None] = {}
    while len(made) < count:
        kind = dice.number(1, 10)
        if kind < 7:
            title = " ".join(dice.pick(words[name]) for name in ("subjects", "problems", "circumstances"))
        elif kind < 10:
            title = f"Add {dice.pick(words['features'])} to {dice.pick(words['targets'])}"
        else:
            title = f"Document {dice.pick(words['topics'])}"
        made[title] = None
    return list(made)


def _issue(
    rows: Rows, dice: Dice, head: tuple[int, int, str], people: Sequence[int], labels: list[int],
    milestones: list[int], words: dict[str, Any],
) -> None:  # fmt: skip
    project, iid, title = head
    number = len(rows.tables.get("issues", ())) + 1
    created = date(2024, 9, 1) + timedelta(days=min(iid * 36 + dice.number(0, 30), 640))
    is_open = dice.chance(0.62)
    milestone = dice.pick(milestones[1:] if is_open else milestones) if dice.chance(0.5) else None
    due = (TODAY + timedelta(days=dice.number(-10, 60))).isoformat() if is_open and dice.chance(0.35) else ""
    at = f"{created.isoformat()} {dice.number(8, 18):02}:{dice.number(0, 59):02}"
    updated = created + timedelta(days=dice.number(0, (TODAY - created).days))
    assignee = dice.pick(people) if dice.chance(0.6) else None
    author = dice.pick(people)
    rows.add(
        "issues", number, project, iid, title, dice.pick(words["bodies"]), author, assignee, milestone,
        "open" if is_open else "closed", at, f"{updated.isoformat()} 19:30", due,
    )  # fmt: skip
    for label in dice.some(labels, dice.pick((0, 1, 1, 2))):
        rows.add("issue_labels", number, label)
    _comments(rows, dice, "issue", number, people, created, words)
    if is_open and assignee is not None and assignee < 5:
        rows.add("todos", assignee, project, "issue", number, "assigned you", author, at)


def _merge(
    rows: Rows, dice: Dice, project: int, iid: int, people: Sequence[int], words: dict[str, Any]
) -> None:
    number = len(rows.tables.get("merges", ())) + 1
    state = ("open", "open", "merged", dice.pick(("closed", "open")))[iid - 1]
    own = [row[1] for row in rows.tables["branches"] if row[0] == project and row[1] != "main"]
    source = own[iid - 1] if iid < 3 else f"{dice.pick(words['nouns'])}-{dice.pick(words['verbs'])}"
    if state == "open" and source not in own:
        rows.add("branches", project, source, 0)
    author, other = dice.some(people, 2) if len(people) > 1 else (people[0], people[0])
    created = TODAY - timedelta(days=dice.number(4, 120))
    title = str(dice.pick(words["commits"])).format(
        noun=dice.pick(words["nouns"]), module=dice.pick(words["modules"])
    )
    conflicts = int(state == "open" and iid == 2 and dice.chance(0.5))
    draft = int(state == "open" and not conflicts and dice.chance(0.15))
    rows.add(
        "merges", number, project, iid, title, f"What it does: {title.lower()}.\n\n{dice.pick(words['notes'])}", author,
        dice.pick(people), other, source, "main", state, draft, conflicts, f"{created.isoformat()} 11:20",
        f"{(created + timedelta(days=3)).isoformat()} 15:00", other if state == "merged" else None,
    )  # fmt: skip
    if state == "merged" or (iid == 1 and dice.chance(0.4)):
        rows.add("approvals", number, other)
    _comments(rows, dice, "merge", number, people, created, words)
    if state == "open" and other < 5:
        rows.add(
            "todos",
            other,
            project,
            "merge",
            number,
            "asked you for a review",
            author,
            f"{created.isoformat()} 11:20",
        )


def _comments(
    rows: Rows, dice: Dice, kind: str, target: int, people: Sequence[int], since: date, words: dict[str, Any]
) -> None:
    days = sorted(dice.number(0, (TODAY - since).days) for _ in range(dice.pick((0, 1, 1, 2, 4))))
    for text, days_later in zip(dice.some(words["comments"], len(days)), days, strict=True):
        at = (since + timedelta(days=days_later)).isoformat()
        rows.add(
            "comments",
            kind,
            target,
            dice.pick(people),
            text,
            f"{at} {dice.number(8, 18):02}:{dice.number(0, 59):02}",
        )
