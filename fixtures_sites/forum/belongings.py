"""What belongs to those whom tasks log in as: letters, notifications, bookmarks, drafts; and polls and reports."""

import json
import sqlite3
from datetime import timedelta
from importlib.resources import files
from typing import Any

from fixtures_sites.forum.accounts import ACCOUNTS
from fixtures_sites.seeded import NOW, Dice

SUBJECTS = (
    ("Your photo of the workbench", "Would you mind if I used it in our newsletter?"),
    ("Spare ticket", "I have a spare ticket for the book fair on the 20th. Interested?"),
    ("Re: your question", "The part number you asked for is {n}. They had three left."),
    ("Carpool to the meetup", "I drive on Saturday and have {m} free seats. We leave at 9."),
    ("Thank you", "Your advice saved me a lot of money. Thank you!"),
    ("Trade?", "Would you trade it for mine and ${n}?"),
    ("Meeting point changed", "The meeting point has changed to gate {m}. Please tell the others."),
    ("Wrong link in your guide", "The second link in your guide is dead. The new code is {n}."),
    ("Dinner plans", "Table for {m} at seven. Does that suit you?"),
    ("Old magazine scans", "I found the issue from 19{n}. Do you still want it?"),
)
DRAFTS = (
    ("Notes on sharpening", "Start with the coarse stone and stop earlier than you think."),
    ("Packing list for a weekend", "Everything must fit into one bag."),
    ("What I learned from returns", "Keep the box for a month."),
    ("Quiet places to read", "The second floor is best before noon."),
    ("A plea for plain names", "Call things what they are."),
)
REASONS = ("Spam", "Rude or hateful", "Off topic", "Wrong board", "Something else")
MODERATED = ("Coffee", "Home Network", "Hiking")


def give(database: sqlite3.Connection, dice: Dice) -> None:
    """Writes all of it."""
    people = range(len(ACCOUNTS) + 1, database.execute("select max(id) from users").fetchone()[0] + 1)
    threads = [row[0] for row in database.execute("select id from threads order by id")]
    for user in range(1, len(ACCOUNTS) + 1):
        _letters(database, user, people, dice)
        _notifications(database, user, dice)
        _lists(database, user, people, threads, dice)
    _polls(database, threads, dice)
    _reports(database, people, dice)
    database.execute("update threads set locked = 1 where id % 41 = 0")
    database.execute("update threads set pinned = 1 where id in (select min(id) from threads group by board)")


def _before(hours: int) -> str:
    return (NOW - timedelta(hours=hours)).strftime("%Y-%m-%d %H:%M")


def _letters(database: sqlite3.Connection, user: int, people: range, dice: Dice) -> None:
    rows = []
    hours = 900
    others = dice.some(people, len(SUBJECTS) + 4)
    for place, (subject, text) in enumerate([*dice.some(SUBJECTS, len(SUBJECTS)), *SUBJECTS[:4]]):
        hours -= dice.number(20, 60)
        full = text.replace("{n}", str(dice.number(21, 99))).replace("{m}", str(dice.number(2, 9)))
        sent = place >= len(SUBJECTS)
        pair = (user, others[place]) if sent else (others[place], user)
        rows.append(
            (*pair, f"Re: {subject}" if sent else subject, full, _before(hours), int(sent or place < 7))
        )
    database.executemany(
        "insert into messages (sender, recipient, subject, text, sent, read) values (?, ?, ?, ?, ?, ?)", rows
    )


def _notifications(database: sqlite3.Connection, user: int, dice: Dice) -> None:
    """Of the newest replies to what the person wrote."""
    found = database.execute(
        "select p.author, 'replied to your thread', p.thread, p.id, p.created from posts p join threads t on t.id = p.thread"
        " where t.author = ?1 and p.author <> ?1 and p.parent is null"
        " union all select p.author, 'answered your reply', p.thread, p.id, p.created from posts p join posts q on q.id = p.parent"
        " where q.author = ?1 and p.author <> ?1 order by 5 desc, 4 limit 14",
        (user,),
    ).fetchall()
    rows = [(user, *row, int(place > dice.number(3, 6))) for place, row in enumerate(found)]
    database.executemany(
        "insert into notifications (user, actor, what, thread, post, created, read) values (?, ?, ?, ?, ?, ?, ?)",
        rows[::-1],
    )


def _lists(database: sqlite3.Connection, user: int, people: range, threads: list[int], dice: Dice) -> None:
    boards = [(user, "board", board) for board in dice.some(range(1, 21), 5)]
    members = [(user, "user", other) for other in dice.some(people, 5)]
    database.executemany("insert into follows values (?, ?, ?)", boards + members)
    kept = [(user, "thread", thread) for thread in dice.some(threads, 6)]
    database.executemany("insert into bookmarks values (?, ?, ?)", kept)
    voted = [(user, "thread", thread, dice.pick((1, 1, -1))) for thread in dice.some(threads, 8)]
    database.executemany("insert into votes values (?, ?, ?, ?)", voted)
    for title, text in dice.some(DRAFTS, 3):
        database.execute(
            "insert into drafts (user, board, title, text, tags, saved) values (?, ?, ?, ?, '', ?)",
            (user, dice.number(1, 20), title, text, _before(dice.number(30, 300))),
        )


def _polls(database: sqlite3.Connection, threads: list[int], dice: Dice) -> None:
    known: list[list[str]] = json.loads((files(__package__) / "data" / "words.json").read_text("utf-8"))[
        "polls"
    ]
    for place, thread in enumerate(threads[5::14]):
        question, *options = known[place % len(known)]
        closes = "2026-05-31" if place % 5 == 4 else "2026-07-31"
        database.execute("insert into polls values (?, ?, ?)", (thread, question, closes))
        votes = dice.some(range(3, 240), len(options))
        rows: list[Any] = [(thread, text, count) for text, count in zip(options, votes, strict=True)]
        database.executemany("insert into options (thread, text, votes) values (?, ?, ?)", rows)


def _reports(database: sqlite3.Connection, people: range, dice: Dice) -> None:
    """Open reports on the boards that the last account moderates."""
    for name in MODERATED:
        board = database.execute("select id from boards where name = ?", (name,)).fetchone()[0]
        database.execute("insert into moderators values (?, ?)", (board, len(ACCOUNTS)))
        posts = database.execute(
            "select p.id from posts p join threads t on t.id = p.thread where t.board = ? and p.author > ? order by p.id",
            (board, len(ACCOUNTS)),
        ).fetchall()
        for hours, (post,) in enumerate(dice.some(posts, 5), 3):
            database.execute(
                "insert into reports (user, kind, item, reason, note, created) values (?, 'post', ?, ?, ?, ?)",
                (dice.pick(people), post, dice.pick(REASONS), dice.pick(("", "Please have a look.", "Again the same.")), _before(hours * 5)),
            )  # fmt: skip
