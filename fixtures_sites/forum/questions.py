"""What tasks may ask of the forum's state."""

from collections.abc import Mapping
from typing import Any

from fixtures_sites.forum import talk
from fixtures_sites.site import Question
from fixtures_sites.state import Data

Asked = Mapping[str, str]


def _user(data: Data, name: str) -> Any:
    return data.row("select * from users where name = ?", name)


def thread(data: Data, asked: Asked) -> Any:
    """The thread of this `id`."""
    row = talk.thread(data, asked.get("id", ""))
    return row and _thread(data, row)


def _thread(data: Data, row: Any) -> dict[str, Any]:
    poll = talk.poll(data, row["id"], None)
    keys = ("title", "text", "score", "locked", "pinned", "gone")
    return {
        **{key: row[key] for key in keys},
        "board": row["board_name"],
        "author": row["author_name"],
        "tags": sorted((row["tags"] or "").split(",")) if row["tags"] else [],
        "poll": poll and {
            "question": poll["question"], "closes": poll["closes"],
            "options": [option["text"] for option in poll["options"]],
            "votes": [option["votes"] for option in poll["options"]],
        },
    }  # fmt: skip


def member(data: Data, asked: Asked) -> Any:
    """All that is kept of the member with this `name`."""
    user = _user(data, asked.get("name", ""))
    if user is None:
        return None
    keys = (
        "email",
        "password",
        "about",
        "avatar",
        "location",
        "mail_replies",
        "mail_messages",
        "mail_digest",
        "born",
    )
    number = user["id"]
    sql = "select {} from follows f join {} x on x.id = f.item where f.user = ? and f.kind = ? order by 1"
    return {
        **{key: user[key] for key in keys},
        "boards": [row[0] for row in data.rows(sql.format("x.name", "boards"), number, "board")],
        "people": [row[0] for row in data.rows(sql.format("x.name", "users"), number, "user")],
        "bookmarks": data.objects(
            "select kind, item from bookmarks where user = ? order by kind, item", number
        ),
        "votes": data.objects(
            "select kind, item, value from votes where user = ? order by kind, item", number
        ),
        "drafts": data.objects(
            "select d.title, d.text, b.name as board from drafts d left join boards b on b.id = d.board where d.user = ? order by d.id",
            number,
        ),
        "unread": data.value("select count(*) from notifications where user = ? and read = 0", number),
    }


def written(data: Data, asked: Asked) -> Any:
    """The threads and replies that the member with this `name` wrote in this session, oldest first."""
    user = _user(data, asked.get("name", ""))
    number, today = user["id"] if user else 0, "2026-06-15 10:00"
    threads = data.rows(
        f"{talk.CARD} where t.author = ? and t.created = ? and t.gone = '' order by t.id", number, today
    )
    replies = data.rows(
        f"{talk.REPLY} where p.author = ? and p.created = ? and p.gone = '' order by p.id", number, today
    )
    return {
        "threads": [_thread(data, row) for row in threads],
        "replies": [
            {"thread": row["title"], "parent": row["parent"], "text": row["text"].replace("\r", "")}
            for row in replies
        ],
    }


def post(data: Data, asked: Asked) -> Any:
    """The reply of this `id`."""
    row = talk.post(data, asked.get("id", ""))
    return row and {key: row[key] for key in ("text", "score", "gone", "edited")}


def letters(data: Data, asked: Asked) -> Any:
    """The letters that the member with this `name` sent in this session, and the subjects in the inbox."""
    user = _user(data, asked.get("name", ""))
    number = user["id"] if user else 0
    return {
        "sent": data.objects(
            "select u.name as recipient, m.subject, m.text from messages m join users u on u.id = m.recipient"
            " where m.sender = ? and m.sent = '2026-06-15 10:00' order by m.id",
            number,
        ),
        "inbox": [
            row[0]
            for row in data.rows(
                "select subject from messages where recipient = ? and hidden = 0 order by id", number
            )
        ],
    }


def reports(data: Data, _asked: Asked) -> Any:
    """The reports made in this session."""
    return data.objects(
        "select kind, item, reason, note from reports where created = '2026-06-15 10:00' order by id"
    )


def queue(data: Data, _asked: Asked) -> Any:
    """The state of every seeded report, in order."""
    return data.objects("select id, state from reports where created <> '2026-06-15 10:00' order by id")


def pinned(data: Data, asked: Asked) -> Any:
    """The titles of the pinned threads of the board with this slug as `board`."""
    sql = "select title from threads t join boards b on b.id = t.board where b.slug = ? and t.pinned = 1 order by t.id"
    return [row["title"] for row in data.rows(sql, asked.get("board", ""))]


QUESTIONS: Mapping[str, Question] = {
    "thread": thread,
    "member": member,
    "written": written,
    "post": post,
    "letters": letters,
    "reports": reports,
    "queue": queue,
    "pinned": pinned,
}
