"""What tasks on the host of repositories are made of: records chosen by dice, and shared steps."""

import sqlite3
from functools import cache
from typing import Any

from fixtures_sites.code.app import SITE
from fixtures_sites.code.seeded import ACCOUNTS
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, fill, link

Row = sqlite3.Row
SIGNED = "sign in as {username} with the password {password}"
SEEN = "visibility = 'public' and archived = 0"
"""Projects that everyone may see and that live."""


@cache
def rows(sql: str, *values: Any) -> tuple[Row, ...]:
    """Rows of the seeded data."""
    return tuple(SITE.data.rows(sql, *values))


def one(sql: str, *values: Any) -> Any:
    """The first column of the first row."""
    return rows(sql, *values)[0][0]


def project(dice: Dice, condition: str = "1") -> Row:
    """A project for everyone that fits."""
    return dice.pick(rows(f"select * from projects where {SEEN} and {condition} order by id"))


def member(dice: Dice) -> dict[str, str]:
    """Someone who can sign in."""
    username, password, name = dice.pick(ACCOUNTS)
    return {"username": username, "password": password, "name": name}


def user_id(who: dict[str, str]) -> int:
    """The number of someone who can sign in."""
    return 1 + [username for username, _, _ in ACCOUNTS].index(who["username"])


def project_of(dice: Dice, who: dict[str, str], low: int, high: int = 50, condition: str = "1") -> Row:
    """A living project in which someone has a role from `low` to `high`."""
    return dice.pick(
        rows(
            "select p.* from projects p join members m on m.project = p.id where m.user = ? and m.role between ? and ?"
            f" and p.archived = 0 and {condition} order by p.id",
            user_id(who), low, high,
        )
    )  # fmt: skip


def sign_in(who: dict[str, str]) -> list[Step]:
    """Sign in by the link in the header."""
    return [
        link("Sign in"),
        fill("Username or email", who["username"]),
        fill("Password", who["password"]),
        button("Sign in"),
    ]


def search(text: str) -> list[Step]:
    """Search for words."""
    return [fill("Search Foundry", text, role="searchbox", submit=True)]


def open_project(found: Row, section: str = "") -> list[Step]:
    """Search for a project, open it, and one of its sections."""
    return [*search(found["slug"]), link(found["path"]), *([link(section)] if section else [])]


def open_file(path: str) -> list[Step]:
    """From a folder to a file below it."""
    return [link(part) for part in path.split("/")]


def issue(dice: Dice, found: Row, condition: str = "state = 'open'") -> Row | None:
    """An issue of a project that fits, if there is one."""
    fitting = rows(f"select * from issues where project = ? and {condition} order by id", found["id"])
    return dice.pick(fitting) if fitting else None


def open_issue(found: Row, one_: Row) -> list[Step]:
    """Open a project's issue by its title."""
    tab = [link("Closed")] if one_["state"] == "closed" else []
    return [*open_project(found, "Issues"), *tab, link(one_["title"])]


def people(found: Row, condition: str = "1") -> tuple[Row, ...]:
    """The members of a project."""
    return rows(
        f"select u.*, m.role from members m join users u on u.id = m.user where m.project = ? and {condition} order by u.id",
        found["id"],
    )


def state(question: str, wanted: Any, **asked: Any) -> dict[str, Any]:
    """The test that the state answers a question so."""
    query = "&".join(f"{key}={value}" for key, value in asked.items())
    return {"request": {"path": f"/__state/{question}?{query}", "json": wanted}}


def issue_state(found: Row, one_: Row, **wanted: Any) -> dict[str, Any]:
    """The test that an issue is like this now."""
    return state("issue", wanted, path=found["path"], iid=one_["iid"])


def labels(one_: Row) -> list[str]:
    """The labels of an issue, in the order of the alphabet."""
    sql = "select l.name from issue_labels il join labels l on l.id = il.label where il.issue = ? order by l.name"
    return [row["name"] for row in rows(sql, one_["id"])]
