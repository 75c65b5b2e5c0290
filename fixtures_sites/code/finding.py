"""Lists of projects, issues and merge requests: what a person searches, filters and sorts by."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fixtures_sites.code.access import visible
from fixtures_sites.slugs import words
from fixtures_sites.state import Data

PROJECT_SORTS = {
    "updated": ("Last updated", "p.updated desc, p.id"),
    "stars": ("Most stars", "p.stars desc, p.id"),
    "name": ("Name", "p.slug, p.id"),
    "created": ("Last created", "p.created desc, p.id"),
    "oldest": ("Oldest created", "p.created, p.id"),
}
ISSUE_SORTS = {
    "created": ("Created date", "i.created desc, i.id desc"),
    "oldest": ("Oldest created", "i.created, i.id"),
    "updated": ("Updated date", "i.updated desc, i.id desc"),
    "due": ("Due date", "i.due = '', i.due, i.id"),
    "comments": ("Most comments", "comments desc, i.id"),
    "title": ("Title", "i.title, i.id"),
}
STATES = {
    "open": "i.state = 'open'",
    "closed": "i.state = 'closed'",
    "merged": "i.state = 'merged'",
    "all": "1",
}


@dataclass
class Where:
    """An SQL condition that grows, with its values."""

    parts: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def add(self, condition: str, *values: Any) -> None:
        """One more condition that must hold."""
        self.parts.append(condition)
        self.values += values

    @property
    def sql(self) -> str:
        return " and ".join(self.parts) or "1"


def projects_where(asked: Mapping[str, str], user: Any) -> Where:
    """Projects by the words, the language, and whose they are."""
    where = Where([visible(user)])
    for word in words(asked.get("q", ""))[:6]:
        where.add("(p.path || ' ' || p.name || ' ' || p.description || ' ' || p.topics) like ?", f"%{word}%")
    if language := asked.get("language", ""):
        where.add("p.language = ?", language)
    if topic := asked.get("topic", ""):
        where.add("(', ' || p.topics || ',') like ?", f"%, {topic},%")
    if asked.get("archived") != "1":
        where.add("p.archived = 0")
    return where


def projects(
    data: Data, where: Where, sort: str = "updated", limit: int = 20, offset: int = 0
) -> list[sqlite3.Row]:
    """A part of a list of projects."""
    order = PROJECT_SORTS.get(sort, PROJECT_SORTS["updated"])[1]
    return data.rows(
        f"select p.* from projects p where {where.sql} order by {order} limit ? offset ?",
        *where.values, limit, offset,
    )  # fmt: skip


def issues_where(asked: Mapping[str, str], project: int) -> Where:
    """Issues of a project by state, words, people, label, milestone and due date."""
    where = Where(["i.project = ?"], [project])
    for word in words(asked.get("search", ""))[:6]:
        where.add("(i.title || ' ' || i.body) like ?", f"%{word}%")
    for name, column in (("author", "i.author"), ("assignee", "i.assignee")):
        value = asked.get(name, "")
        if value == "none":
            where.add(f"{column} is null")
        elif value:
            where.add(f"{column} = (select id from users where username = ?)", value)
    if label := asked.get("label", ""):
        where.add(
            "exists (select 1 from issue_labels il join labels l on l.id = il.label where il.issue = i.id and l.name = ?)",
            label,
        )
    if milestone := asked.get("milestone", ""):
        if milestone == "none":
            where.add("i.milestone is null")
        else:
            where.add(
                "i.milestone = (select id from milestones where project = ? and title = ?)",
                project,
                milestone,
            )
    due = {
        "overdue": "i.due < '2026-06-15'",
        "month": "i.due between '2026-06-15' and '2026-07-15'",
        "any": "1",
    }
    if asked.get("due", "") in due:
        where.add(f"i.due <> '' and {due[asked['due']]}")
    return where


def counts(data: Data, table: str, where: Where) -> dict[str, int]:
    """How many there are in each state, under the other filters."""
    rows = data.rows(
        f"select i.state, count(*) from {table} i where {where.sql} group by i.state", *where.values
    )
    found = {row[0]: int(row[1]) for row in rows}
    return {**found, "all": sum(found.values())}


def issues(data: Data, where: Where, state: str, sort: str, limit: int, offset: int) -> list[dict[str, Any]]:
    """A part of a list of issues, each with its labels."""
    order = ISSUE_SORTS.get(sort, ISSUE_SORTS["created"])[1]
    found = data.objects(
        "select i.*, a.name as author_name, s.name as assignee_name, m.title as milestone_title,"
        " (select count(*) from comments c where c.kind = 'issue' and c.target = i.id) as comments"
        " from issues i join users a on a.id = i.author left join users s on s.id = i.assignee"
        " left join milestones m on m.id = i.milestone"
        f" where {where.sql} and {STATES.get(state, STATES['open'])} order by {order} limit ? offset ?",
        *where.values, limit, offset,
    )  # fmt: skip
    return [{**issue, "labels": labels_of(data, issue["id"])} for issue in found]


def labels_of(data: Data, issue: int) -> list[sqlite3.Row]:
    """The labels of an issue by name."""
    return data.rows(
        "select l.* from issue_labels il join labels l on l.id = il.label where il.issue = ? order by l.name",
        issue,
    )
