"""The site's data as it is before anyone has been there."""

import json
import sqlite3
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from fixtures_sites.code import planned
from fixtures_sites.code.roles import DEVELOPER, GUEST, MAINTAINER, OWNER, REPORTER
from fixtures_sites.code.sources import Plan, files_of, manifest, settings, sha
from fixtures_sites.seeded import TODAY, Dice

SEED = 20250312
PEOPLE = 80
ACCOUNTS = (
    ("mayachen", "river-stone-19", "Maya Chen"),
    ("jonasweber", "copper-lantern-5", "Jonas Weber"),
    ("amaraokafor", "quiet-meadow-73", "Amara Okafor"),
    ("leosantos", "paper-kite-21", "Leo Santos"),
)
"""User name, password and name of those whom tasks sign in as: users 1 to 4."""
FILE_PAGES = (("home", "Home"), ("release-process", "Release process"), ("on-call", "On call"))


@dataclass
class Rows:
    """Rows to insert, by table."""

    tables: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)

    def add(self, table: str, *values: Any) -> int:
        """Takes a row; its place in the table, counted from 1."""
        rows = self.tables.setdefault(table, [])
        rows.append(values)
        return len(rows)


@cache
def words() -> dict[str, Any]:
    """Vocabulary for everything that is made up."""
    loaded: dict[str, Any] = json.loads((files(__package__) / "data" / "words.json").read_text("utf-8"))
    return loaded


def build(database: sqlite3.Connection) -> None:
    """Writes all of it into an empty database."""
    database.executescript((files(__package__) / "schema.sql").read_text("utf-8"))
    dice, rows = Dice(SEED), Rows()
    usernames = _people(rows, dice)
    _projects(rows, dice, usernames)
    _snippets(rows, dice)
    _tokens(rows, dice)
    database.execute("begin")
    for table, values in rows.tables.items():
        columns, holes = COLUMNS[table], ", ".join("?" * len(values[0]))
        database.executemany(f"insert into {table} ({columns}) values ({holes})", values)
    database.execute("commit")


COLUMNS = {
    "users": "id, username, name, email, password, bio, location, company, status, joined",
    "groups": "id, slug, name, description, visibility",
    "group_members": "grp, user, role",
    "projects": "id, namespace, slug, path, name, description, language, license, topics, visibility, archived, stars,"
    " forks, created, updated",
    "members": "project, user, role, since",
    "stars": "user, project",
    "files": "project, branch, path, content, commit_id",
    "commits": "id, project, branch, sha, author, title, at, paths",
    "branches": "project, name, protected",
    "tags": "project, name, commit_id, message",
    "releases": "project, tag, title, notes, at",
    "labels": "id, project, name, color, description",
    "milestones": "id, project, title, description, due, state",
    "issues": "id, project, iid, title, body, author, assignee, milestone, state, created, updated, due",
    "issue_labels": "issue, label",
    "merges": "id, project, iid, title, body, author, assignee, reviewer, source, target, state, draft, conflicts,"
    " created, updated, merged_by",
    "approvals": "merge, user",
    "comments": "kind, target, author, body, at",
    "snippets": "author, title, description, filename, content, visibility, created",
    "wiki": "project, slug, title, content, author, updated",
    "tokens": "user, name, scopes, expires, created",
    "todos": "user, project, kind, target, action, by, at",
}


def _people(rows: Rows, dice: Dice) -> list[str]:
    vocabulary = words()
    made = [(name, username, password) for username, password, name in ACCOUNTS]
    names = [f"{first} {last}" for first in vocabulary["first"] for last in vocabulary["last"]]
    made += [(name, name.replace(" ", "").lower(), "") for name in dice.some(names, PEOPLE - len(ACCOUNTS))]
    for number, (name, username, password) in enumerate(made, 1):
        rows.add(
            "users", number, username, name, f"{username}@example.com", password, dice.pick(vocabulary["bios"]),
            dice.pick(vocabulary["places"]), dice.pick(vocabulary["companies"]), dice.pick(vocabulary["statuses"]),
            dice.day(date(2019, 1, 1), date(2025, 3, 1)).isoformat(),
        )  # fmt: skip
    return [username for _, username, _ in made]


def _projects(rows: Rows, dice: Dice, usernames: list[str]) -> None:
    groups = json.loads((files(__package__) / "data" / "projects.json").read_text("utf-8"))
    number = 0
    for place, group in enumerate(groups, 1):
        if group["slug"]:
            rows.add("groups", place, group["slug"], group["name"], group["description"], "public")
            for user in (1 + place % 4, 1 + (place + 1) % 4):
                rows.add("group_members", place, user, MAINTAINER if user == 1 + place % 4 else DEVELOPER)
            for user in dice.some(range(5, PEOPLE + 1), 5):
                rows.add("group_members", place, user, dice.pick((GUEST, REPORTER, DEVELOPER, OWNER)))
        for slug, language, description in group["projects"]:
            number += 1
            owner = dice.number(5, PEOPLE)
            if not group["slug"]:
                owner = 1 + number % 4 if number < 57 else owner
            namespace = group["slug"] or usernames[owner - 1]
            _project(rows, dice, number, namespace, (slug, language, description), owner, usernames)


def _project(
    rows: Rows,
    dice: Dice,
    number: int,
    namespace: str,
    what: tuple[str, str, str],
    owner: int,
    usernames: list[str],
) -> None:
    slug, language, description = what
    vocabulary = words()
    license_ = dice.pick(vocabulary["licenses"])
    created = dice.day(date(2021, 1, 1), date(2024, 12, 1))
    plan = Plan(slug, language, description, license_, f"{dice.number(1, 6)}.{dice.number(0, 12)}.{dice.number(0, 9)}",
                usernames[owner - 1])  # fmt: skip
    team = _team(rows, dice, number, owner, personal=namespace == usernames[owner - 1])
    everyone = [user for user, role in team if role >= DEVELOPER]
    last = _history(rows, dice, number, plan, everyone, created)
    visibility = "private" if number % 9 == 5 else "public"
    topics = ", ".join(sorted({language.lower(), *dice.some(vocabulary["modules"], 2)}))
    rows.add(
        "projects", number, namespace, slug, f"{namespace}/{slug}", slug, description, language, license_, topics,
        visibility, int(number % 20 == 13), dice.number(3, 60) ** 2 // 2 + number, dice.number(0, 60),
        created.isoformat(), last,
    )  # fmt: skip
    for user in range(1, 5):
        if dice.chance(0.12):
            rows.add("stars", user, number)
    people = [user for user, _ in team]
    planned.plan(rows, dice, number, people, everyone, slug, vocabulary)
    _wiki(rows, dice, number, usernames, everyone)


def _team(rows: Rows, dice: Dice, project: int, owner: int, *, personal: bool) -> list[tuple[int, int]]:
    """Who is a member. Of the people tasks sign in as, each project has a maintainer, a developer and a
    reporter."""
    roles = {owner: OWNER}
    for step, role in ((0, MAINTAINER), (1, DEVELOPER), (2, REPORTER)):
        if not (personal and step == 2):
            roles.setdefault(1 + (project + step) % 4, role)
    for user in dice.some(range(5, PEOPLE + 1), dice.number(4, 8)):
        roles.setdefault(user, dice.pick((GUEST, REPORTER, DEVELOPER, DEVELOPER, DEVELOPER, MAINTAINER)))
    for user, role in roles.items():
        rows.add("members", project, user, role, dice.day(date(2024, 1, 1), date(2026, 5, 1)).isoformat())
    return list(roles.items())


def _history(rows: Rows, dice: Dice, project: int, plan: Plan, people: list[int], created: date) -> str:
    """Files, commits, branches, tags and releases; the time of the last commit."""
    vocabulary = words()
    content = files_of(plan, dice, vocabulary)
    paths = sorted(content)
    count = dice.number(22, 44)
    days = sorted(dice.number(2, (TODAY - created).days) for _ in range(count))[::-1]
    touched: dict[str, int] = {}
    first, at = _commit(rows, dice, project, "", people, "Initial commit", created, paths), ""
    touched = dict.fromkeys(paths, first)
    for ago in days:
        changed = dice.some(paths, dice.pick((1, 1, 2, 3)))
        at = (TODAY - timedelta(days=ago)).isoformat()
        commit = _commit(rows, dice, project, "", people, _message(dice), date.fromisoformat(at), changed)
        touched.update(dict.fromkeys(changed, commit))
    for path in paths:
        rows.add("files", project, "main", path, content[path], touched[path])
    rows.add("branches", project, "main", 1)
    for _ in range(3):
        _branch(rows, dice, project, plan, people)
    _tags(rows, dice, project, plan, first, count)
    return at


def _commit(
    rows: Rows,
    dice: Dice,
    project: int,
    branch: str,
    people: list[int],
    title: str,
    day: date,
    paths: list[str],
) -> int:
    number = len(rows.tables.get("commits", ())) + 1
    at = f"{day.isoformat()} {dice.number(7, 19):02}:{dice.number(0, 59):02}"
    rows.add(
        "commits",
        number,
        project,
        branch,
        sha(project, number),
        dice.pick(people),
        title,
        at,
        "\n".join(sorted(paths)),
    )
    return number


def _message(dice: Dice) -> str:
    vocabulary = words()
    return str(dice.pick(vocabulary["commits"])).format(
        noun=dice.pick(vocabulary["nouns"]), module=dice.pick(vocabulary["modules"])
    )


def _branch(rows: Rows, dice: Dice, project: int, plan: Plan, people: list[int]) -> None:
    """A branch of its own with other settings and another version."""
    vocabulary = words()
    known = {row[1] for row in rows.tables["branches"] if row[0] == project}
    name = "main"
    while name in known:
        name = str(dice.pick(vocabulary["branches"])).format(
            noun=dice.pick(vocabulary["nouns"]), module=dice.pick(vocabulary["modules"])
        )
    rows.add("branches", project, name, 0)
    path, content = manifest(plan, f"{dice.number(7, 9)}.{dice.number(0, 12)}.{dice.number(0, 9)}-dev")
    for changed, text in ((path, content), ("config/settings.yml", settings(dice, vocabulary["regions"]))):
        day = TODAY - timedelta(days=dice.number(1, 40))
        commit = _commit(rows, dice, project, name, people, _message(dice), day, [changed])
        rows.add("files", project, name, changed, text, commit)


def _tags(rows: Rows, dice: Dice, project: int, plan: Plan, first: int, count: int) -> None:
    major = int(plan.version.split(".")[0])
    names = [f"v{major}.{minor}.0" for minor in range(3)] + [
        f"v{plan.version.split('.')[0]}.3.{dice.number(1, 9)}"
    ]
    commits = sorted(dice.some(range(first, first + count), len(names)))
    for place, (name, commit) in enumerate(zip(names, commits, strict=True)):
        message = dice.pick(words()["notes"])
        rows.add("tags", project, name, commit, message)
        if place:
            at = rows.tables["commits"][commit - 1][6]
            rows.add(
                "releases",
                project,
                name,
                f"{plan.name} {name[1:]}",
                f"{message}\n\n- {_message(dice)}\n- {_message(dice)}",
                at,
            )


def _wiki(rows: Rows, dice: Dice, project: int, usernames: list[str], people: list[int]) -> None:
    duty, weekday = dice.pick(people), dice.pick(("Monday", "Tuesday", "Wednesday", "Thursday"))
    texts = (
        "Welcome to the wiki. Start with the **release process**.",
        (
            f"Releases are cut every second {weekday}. The release manager is @{usernames[duty - 1]}.\n\n1. Freeze the main branch\n"
            f"2. Tag the commit\n3. Wait {dice.number(2, 9) * 15} minutes for the pipeline"
        ),
        (
            f"The on-call phone rings for {dice.number(2, 9) * 5} seconds before it goes to the next person. Handover is at"
            f" {dice.number(7, 18)}:00."
        ),
    )
    for (slug, title), text in zip(FILE_PAGES, texts, strict=True):
        rows.add(
            "wiki",
            project,
            slug,
            title,
            text,
            dice.pick(people),
            dice.day(date(2025, 1, 1), date(2026, 6, 1)).isoformat(),
        )


def _snippets(rows: Rows, dice: Dice) -> None:
    for place in range(24):
        title, filename, content = words()["snippets"][place % 8]
        author = 1 + place % 4 if place < 8 else dice.number(5, PEOPLE)
        suffix = ("", " (shorter)", " (old version)")[place // 8]
        rows.add("snippets", author, title + suffix, "", filename, content, "public",
                 dice.day(date(2024, 1, 1), date(2026, 6, 1)).isoformat())  # fmt: skip


def _tokens(rows: Rows, dice: Dice) -> None:
    for user in range(1, 5):
        for name in dice.some(("laptop", "ci-runner", "backup-script", "old-phone", "editor-plugin"), 3):
            until = TODAY + timedelta(days=dice.number(20, 300))
            rows.add("tokens", user, name, dice.pick(("api", "read_api", "read_repository")), until.isoformat(),
                     (TODAY - timedelta(days=dice.number(5, 60))).isoformat())  # fmt: skip
