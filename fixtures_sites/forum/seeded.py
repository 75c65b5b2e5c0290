"""The forum's data as it is before anyone has been there: people, boards, threads, replies."""

import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from fixtures_sites.forum import belongings
from fixtures_sites.forum.accounts import ACCOUNTS
from fixtures_sites.seeded import NOW, Dice
from fixtures_sites.slugs import slugify

SEED = 20240905
PEOPLE = 150
PER_BOARD = 23
FAILED_TITLES = 200
MINUTE = "%Y-%m-%d %H:%M"


@cache
def data(name: str) -> Any:
    """A file of words."""
    return json.loads((files(__package__) / "data" / name).read_text("utf-8"))


def build(database: sqlite3.Connection) -> None:
    """Writes all of it into an empty database."""
    database.executescript((files(__package__) / "schema.sql").read_text("utf-8"))
    dice = Dice(SEED)
    database.execute("begin")
    _people(database, dice)
    _boards(database, dice)
    _threads(database, dice)
    _posts(database, dice)
    belongings.give(database, dice)
    database.execute("commit")


def _people(database: sqlite3.Connection, dice: Dice) -> None:
    words = data("words.json")
    rows = [
        (name, email, password, "2023-04-0" + str(place), words["abouts"][place], "", place)
        for place, (name, password, email) in enumerate(ACCOUNTS, 1)
    ]
    names = {f"{first}_{second}" for first in words["first"] for second in words["second"]}
    for name in dice.some(sorted(names), PEOPLE - len(ACCOUNTS)):
        whole = f"{name}{dice.number(2, 98)}" if dice.chance(0.3) else name
        joined = dice.day(date(2019, 3, 1), date(2025, 5, 31)).isoformat()
        rows.append((whole, f"{name}@example.org", f"unknown-{name}", joined, dice.pick(words["abouts"]),
                     dice.pick(words["places"]), len(rows) + 1))  # fmt: skip
    database.executemany(
        "insert into users (name, email, password, joined, about, location, id) values (?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _boards(database: sqlite3.Connection, dice: Dice) -> None:
    for number, board in enumerate(data("boards.json"), 1):
        database.execute(
            "insert into boards values (?, ?, ?, ?, ?, ?)",
            (
                number,
                slugify(board["name"]),
                board["name"],
                board["group"],
                board["about"],
                dice.number(800, 48000),
            ),
        )
        database.executemany("insert into tags values (?, ?)", [(number, tag) for tag in board["tags"]])
        seen = dice.some(range(len(ACCOUNTS) + 1, PEOPLE + 1), 2)
        database.executemany("insert into moderators values (?, ?)", [(number, user) for user in seen])


def _threads(database: sqlite3.Connection, dice: Dice) -> None:
    rows, tags, taken = [], [], set()
    written = [
        (number, title, text, board["tags"])
        for number, board in enumerate(data("boards.json"), 1)
        for title, text in _written(number, board, dice)
    ]
    for board, title, text, offered in dice.some(written, len(written)):
        if title in taken:
            continue
        taken.add(title)
        rows.append((slugify(title)[:60], board, _author(dice), title, text))
        tags.append(sorted(dice.some(offered, dice.pick((0, 1, 1, 1, 2)))))
    moments = sorted(_moment(dice) for _ in rows)
    database.executemany(
        "insert into threads (id, slug, board, author, title, text, created, last, up, down) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, *row, moment, moment, *_votes(dice, 600)) for number, (row, moment) in enumerate(zip(rows, moments, strict=True), 1001)],
    )  # fmt: skip
    database.executemany(
        "insert into thread_tags values (?, ?)",
        [(number, tag) for number, chosen in enumerate(tags, 1001) for tag in chosen],
    )


def _written(number: int, board: dict[str, Any], dice: Dice) -> Iterator[tuple[str, str]]:
    """Title and text of a board's threads."""
    words, elsewhere = data("words.json"), data("elsewhere.json")
    kinds = {title: kind for kind, titles in words["titles"].items() for title in titles}
    pairs = [(title, subject) for title in kinds for subject in board["subjects"]]
    for title, subject in dice.some(pairs, PER_BOARD):
        sentences = [*dice.some(words["bodies"][kinds[title]], 2), dice.pick(words["ends"])]
        yield said(title, subject, dice), said(" ".join(sentences), subject, dice)
    for name, product in elsewhere["products"]:
        if name == board["name"]:
            text = f"The shop has the {product} and I keep looking at it. Is the price fair? Who owns one?"
            yield f"Anyone using the {product}?", text
    if board["name"] == "Local Meetups":
        for place, subject in zip(elsewhere["places"], board["subjects"] * 3, strict=False):
            hour = dice.number(5, 8)
            where = f"We meet at {place}, {hour} PM, and stay for two hours. Look it up on the map; it is easy to miss."
            yield f"{subject.capitalize()} at {place}", f"{where} Newcomers are welcome."


def said(pattern: str, subject: str, dice: Dice) -> str:
    """A pattern with its subject and a number, as a person would write it."""
    text = pattern.replace("{s}", subject).replace(
        "{n}", str(dice.pick((3, 4, 6, 8, 9, 12, 15, 18, 24, 30, 45, 60, 90)))
    )
    text = re.sub(r"\b([aA]) (?=[aeioAEIO])", r"\1n ", text)
    return text[0].upper() + text[1:]


def _author(dice: Dice) -> int:
    """Those whom tasks log in as write more than others."""
    return dice.number(1, len(ACCOUNTS)) if dice.chance(0.06) else dice.number(1, PEOPLE)


def _moment(dice: Dice) -> str:
    reach = dice.pick((6, 28, 28, 90, 360, 360, 360))
    return (NOW - timedelta(minutes=dice.number(3 * 60, reach * 24 * 60))).strftime(MINUTE)


def _votes(dice: Dice, most: int) -> tuple[int, int]:
    """Ups and downs: few have many; some are disputed."""
    up = 1 + int(most * dice.between(0, 1) ** 5)
    return up, int(up * dice.pick((0, 0.02, 0.05, 0.1, 0.1, 0.3, 0.8, 1.3)))


def _posts(database: sqlite3.Connection, dice: Dice) -> None:
    rows: list[tuple[Any, ...]] = []
    totals = []
    subjects = {number: board["subjects"] for number, board in enumerate(data("boards.json"), 1)}
    found = database.execute("select id, board, title, created from threads order by id").fetchall()
    for thread, board, title, created in found:
        about = next((subject for subject in subjects[board] if subject in title.lower()), "one")
        added = _replies(thread, about, datetime.strptime(created, MINUTE), len(rows) + 1, dice)  # noqa: DTZ007 - no zone
        rows += added
        totals.append((len(added), added[-1][6] if added else created, thread))
    database.executemany(
        "insert into posts (id, thread, number, parent, author, text, created, up, down) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    database.executemany("update threads set replies = ?, last = ? where id = ?", totals)


def _replies(thread: int, subject: str, created: datetime, first: int, dice: Dice) -> list[tuple[Any, ...]]:
    words = data("words.json")
    count = dice.pick((0, 1, 2, 3, 4, 5, 5, 6, 7, 8)) if dice.chance(0.94) else dice.number(22, 55)
    room = min(int((NOW - created).total_seconds() // 60) - 30, 9 * 24 * 60)
    minutes = sorted(dice.number(2, room) for _ in range(count))
    made: list[tuple[Any, ...]] = []
    for number, minute in enumerate(minutes, 1):
        parent = dice.pick(made)[0] if made and dice.chance(0.45) else None
        if parent is None:
            text = f"{dice.pick(words['openers'])} {dice.pick(words['facts'])} {dice.pick(words['closers'])}"
        else:
            text = dice.pick(words["answers"])
        moment = (created + timedelta(minutes=minute)).strftime(MINUTE)
        made.append((first + number - 1, thread, number, parent, _author(dice), said(text, subject, dice), moment, *_votes(dice, 80)))  # fmt: skip
    return made
