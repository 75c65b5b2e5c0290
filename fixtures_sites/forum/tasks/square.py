"""What tasks on the forum are made of: records chosen by dice, and steps that many of them share."""

import sqlite3
from functools import cache
from typing import Any

from fixtures_sites.forum.accounts import ACCOUNTS
from fixtures_sites.forum.app import SITE
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, fill, link

Row = sqlite3.Row
Who = dict[str, str]
SIGNED = "sign in as {name} with the password {password}"
THREADS = (
    "select t.*, t.up - t.down as score, u.name as author_name, b.name as board_name, b.slug as board_slug from threads t"
    " join users u on u.id = t.author join boards b on b.id = t.board"
)
OTHERS = f"t.author > {len(ACCOUNTS)} and t.locked = 0"
"""Threads of those whom tasks do not log in as, which are open."""
REPLIES = (
    "select p.*, t.title, t.slug, t.board, b.name as board_name, u.name as author_name from posts p"
    " join threads t on t.id = p.thread join boards b on b.id = t.board join users u on u.id = p.author"
)
SINGLE = (
    f"p.author > {len(ACCOUNTS)} and t.locked = 0 and t.replies between 3 and 12"
    " and (select count(*) from posts q where q.thread = p.thread and q.author = p.author) = 1"
)
"""Replies that thread and author single out."""


@cache
def rows(sql: str, *values: Any) -> tuple[Row, ...]:
    """Rows of the seeded data."""
    return tuple(SITE.data.rows(sql, *values))


def one(sql: str, *values: Any) -> Any:
    """The first column of the first row."""
    return rows(sql, *values)[0][0]


def thread(dice: Dice, condition: str = OTHERS) -> Row:
    """A thread that fits."""
    return dice.pick(rows(f"{THREADS} where {condition} order by t.id"))


def reply(dice: Dice, condition: str = "1") -> Row:
    """A reply that its thread and author single out."""
    return dice.pick(rows(f"{REPLIES} where {SINGLE} and {condition} order by p.id"))


def neighbour(post: Row) -> Row:
    """Another reply in the same thread, of somebody else."""
    sql = f"{REPLIES} where p.thread = ? and p.author <> ? order by p.id"
    return rows(sql, post["thread"], post["author"])[0]


def board(dice: Dice) -> Row:
    """A board."""
    return dice.pick(rows("select * from boards order by id"))


def best(board_id: int, order: str, condition: str = "1") -> tuple[Row, ...]:
    """A board's threads in an order; no thread where the first two are level."""
    found = rows(f"{THREADS} where t.board = ? and {condition} order by {order} desc", board_id)
    level = len(found) < 3 or one(f"select {order} from threads t where id = ?", found[0]["id"]) == one(
        f"select {order} from threads t where id = ?", found[1]["id"]
    )
    return () if level else found


def member(dice: Dice, which: tuple[int, ...] = (0, 1, 2, 3)) -> Who:
    """Someone who has an account."""
    name, password, _ = ACCOUNTS[dice.pick(which)]
    return {"name": name, "password": password}


def user_id(who: Who) -> int:
    """The number of an account."""
    return int(one("select id from users where name = ?", who["name"]))


def stranger(dice: Dice) -> str:
    """The name of a member without a known password."""
    return str(dice.pick(rows("select name from users where id > ? order by id", len(ACCOUNTS)))["name"])


def sign_in(who: Who) -> list[Step]:
    """Sign in by the link in the header."""
    return [
        link("Sign in"),
        fill("User name", who["name"]),
        fill("Password", who["password"]),
        button("Sign in"),
    ]


def find(title: str) -> list[Step]:
    """Search for a thread and open it."""
    return [fill("Search the forum", title, role="searchbox", submit=True), link(title)]


def own(who: Who, item: str) -> list[Step]:
    """An entry of the menu under one's name."""
    return [button(who["name"]), link(item)]


def by(post: Row) -> str:
    """Words of a reply's own box."""
    return f"{post['author_name']} wrote"


def options(post: Row) -> str:
    """Words of the menu of a reply."""
    return f"Options of #{post['number']} by {post['author_name']}"


def state(name: str, wanted: Any, /, **asked: Any) -> dict[str, Any]:
    """The test that the state answers a question so."""
    query = "&".join(f"{key}={value}" for key, value in asked.items())
    return {"request": {"path": f"/__state/{name}" + (f"?{query}" if query else ""), "json": wanted}}


def has(who: Who, /, **wanted: Any) -> dict[str, Any]:
    """The test that the account holds this."""
    return state("member", wanted, name=who["name"])


def wrote(who: Who, *replies: dict[str, Any], threads: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """The test that the member wrote exactly these threads and replies."""
    return state("written", {"threads": list(threads), "replies": list(replies)}, name=who["name"])


def votes(who: Who, *changes: tuple[str, int, int]) -> list[dict[str, Any]]:
    """The votes of an account after changes (kind, item, value; 0 takes it back)."""
    known = {
        (row["kind"], row["item"]): row["value"]
        for row in rows("select kind, item, value from votes where user = ?", user_id(who))
    }
    known.update({(kind, item): value for kind, item, value in changes})
    return [
        {"kind": kind, "item": item, "value": value} for (kind, item), value in sorted(known.items()) if value
    ]


def kept(who: Who, *added: tuple[str, int], without: int = 0) -> list[dict[str, Any]]:
    """The bookmarks of an account, with some more or without one."""
    known = {
        (row["kind"], row["item"])
        for row in rows("select kind, item from bookmarks where user = ?", user_id(who))
    }
    return [{"kind": kind, "item": item} for kind, item in sorted(known | set(added)) if item != without]


def followed(who: Who, kind: str) -> list[str]:
    """The names of the boards or people that an account follows."""
    table = "boards" if kind == "board" else "users"
    sql = f"select x.name from follows f join {table} x on x.id = f.item where f.user = ? and f.kind = ? order by 1"
    return [row["name"] for row in rows(sql, user_id(who), kind)]
