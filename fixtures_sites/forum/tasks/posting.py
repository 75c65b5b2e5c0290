"""Tasks that write: threads, polls, replies, drafts, and their editing and deleting."""

from typing import Any

from fixtures_sites.forum.tasks.square import (
    SIGNED,
    THREADS,
    Who,
    board,
    by,
    find,
    has,
    member,
    neighbour,
    own,
    reply,
    rows,
    sign_in,
    state,
    thread,
    user_id,
    wrote,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, choose, click, confirm, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("forum")
TOPICS = (
    ("Looking for a quiet weekend project", "Two days, few tools, no noise. What would you do?"),
    ("What did you learn the hard way?", "Mine: measure twice. Yours?"),
    ("Small thanks to this board", "You saved me weeks. Nothing more to say."),
    ("First question from a newcomer", "I read the rules. Where do I begin?"),
    ("Weekly check-in, middle of June", "Tell us what you worked on this week."),
    ("Best purchase below fifty dollars", "One item, one reason, no links please."),
)
REMARKS = (
    "I had the same problem last spring.",
    "Please post a photo when it is done.",
    "Does anyone know whether it works in winter?",
    "Two of mine broke within a year.",
    "The manual says otherwise, page 12.",
)
POLLS = (
    ("When do you have time for this?", ("In the morning", "At noon", "At night")),
    ("How many do you own?", ("None", "One", "More than one")),
    ("Where did you buy yours?", ("In a shop", "Online", "From a friend")),
)


def _form(place: str, title: str, text: str) -> list[Step]:
    return [link("New thread"), choose("Board", place), fill("Title", title), fill("Text", text)]


@BOOK.template(
    f"Start a thread in {{board}} with the title “{{title}}” and the text “{{text}}”. ({SIGNED})",
    f"Post in the board {{board}}: title “{{title}}”, text “{{text}}”. ({SIGNED})",
    count=2,
)
def new_thread(dice: Dice) -> Case:
    """Sign in, fill a form, publish."""
    who, place, other, (title, text) = (
        member(dice),
        board(dice)["name"],
        board(dice)["name"],
        dice.pick(TOPICS),
    )
    while other == place:
        other = board(dice)["name"]
    wanted = {"title": title, "text": text, "board": place, "tags": [], "poll": None}
    return Case(
        {**wanted, **who},
        wrote(who, threads=(wanted,)),
        [*sign_in(who), *_form(place, title, text), button("Publish thread"), done()],
        [*sign_in(who), *_form(other, title, text), button("Publish thread"), done()],
    )


@BOOK.template(
    f"Start a thread in {{board}}, tagged {{tag}} and {{second}}: title “{{title}}”, text “{{text}}”. ({SIGNED})",
    count=2,
)
def tagged_thread(dice: Dice) -> Case:
    """The same with tags."""
    who, place, (title, text) = member(dice), board(dice), dice.pick(TOPICS)
    tags = sorted(
        row["name"] for row in dice.some(rows("select name from tags where board = ?", place["id"]), 2)
    )
    wanted = {"title": title, "text": text, "board": place["name"], "tags": tags}
    way = [*sign_in(who), *_form(place["name"], title, text), click("checkbox", tags[0])]
    return Case(
        {**wanted, "tag": tags[0], "second": tags[1], **who},
        wrote(who, threads=(wanted,)),
        [*way, click("checkbox", tags[1]), button("Publish thread"), done()],
        [*way, button("Publish thread"), done()],
    )


@BOOK.template(
    f"Start a thread in {{board}}: title “{{title}}”, text “{{text}}”, and a poll that asks “{{question}}” with the answers {{answers}}"
    f" and closes on {{closes}}. ({SIGNED})",
    count=2,
    hard=True,
)
def poll_thread(dice: Dice) -> Case:
    """The same with a poll."""
    who, place, (title, text) = member(dice), board(dice)["name"], dice.pick(TOPICS)
    (question, answers), closes = dice.pick(POLLS), dice.pick(("2026-06-30", "2026-07-15", "2026-08-01"))
    wanted: dict[str, Any] = {"title": title, "text": text, "board": place}
    wanted["poll"] = {"question": question, "closes": closes, "options": list(answers)}
    way = [
        *sign_in(who), *_form(place, title, text), button("Add a poll"), fill("Question", question),
        *(fill(f"Answer {number}", words) for number, words in enumerate(answers, 1)),
    ]  # fmt: skip
    told = ", ".join(f"“{words}”" for words in answers)
    return Case(
        {
            "title": title,
            "text": text,
            "board": place,
            "question": question,
            "answers": told,
            "closes": closes,
            **who,
        },
        wrote(who, threads=(wanted,)),
        [*way, fill("Closes on", closes), button("Publish thread"), done()],
        [*way, fill("Closes on", "2026-09-30"), button("Publish thread"), done()],
    )


@BOOK.template(
    f"Reply to the thread “{{title}}”: “{{text}}” ({SIGNED})",
    f"Write “{{text}}” under the thread “{{title}}”, as an answer to nobody in particular. ({SIGNED})",
    count=2,
)
def reply_to_thread(dice: Dice) -> Case:
    """Sign in, search, open, write."""
    who, found, text = member(dice), thread(dice), dice.pick(REMARKS)
    way = [*sign_in(who), *find(found["title"]), fill("Your reply", text)]
    return Case(
        {"title": found["title"], "text": text, **who},
        wrote(who, {"thread": found["title"], "parent": None, "text": text}),
        [*way, button("Post reply"), done()],
        [*way, done()],
    )


@BOOK.template(f"Answer the reply of {{author}} in “{{title}}” directly with “{{text}}”. ({SIGNED})", count=2)
def nested(dice: Dice) -> Case:
    """Sign in, search, open, answer one reply."""
    who, found, text = member(dice), reply(dice), dice.pick(REMARKS)
    way = [*sign_in(who), *find(found["title"])]
    end = [fill("Your reply", text), button("Post reply"), done()]
    return Case(
        {"title": found["title"], "author": found["author_name"], "text": text, **who},
        wrote(who, {"thread": found["title"], "parent": found["id"], "text": text}),
        [*way, link("Reply", row=by(found)), *end],
        [*way, link("Reply", row=by(neighbour(found))), *end],
    )


@BOOK.template(
    f"Quote the reply of {{author}} in “{{title}}” and post it without adding words. ({SIGNED})", count=2
)
def quote(dice: Dice) -> Case:
    """Sign in, search, open, quote one reply."""
    who, found = member(dice), reply(dice)
    other = neighbour(found)
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], "author": found["author_name"], **who},
        wrote(who, {"thread": found["title"], "parent": found["id"], "text": f"> {found['text']}"}),
        [*way, link("Quote", row=by(found)), button("Post reply"), done()],
        [*way, link("Quote", row=by(other)), button("Post reply"), done()],
    )


def _own_reply(who: Who, dice: Dice) -> Any:
    """A reply of the account that its thread singles out."""
    sql = (
        "select p.*, t.title from posts p join threads t on t.id = p.thread where p.author = ? and t.replies < 15 and t.gone = ''"
        " and (select count(*) from posts q where q.thread = p.thread and q.author = p.author) = 1 order by p.id"
    )
    return dice.pick(rows(sql, user_id(who)))


@BOOK.template(
    f"Change my reply in the thread “{{title}}” to “{{text}}”. ({SIGNED})",
    f"My reply in “{{title}}” is wrong; it must read “{{text}}”. ({SIGNED})",
    count=2,
)
def edit_reply(dice: Dice) -> Case:
    """Sign in, search, open, edit."""
    who, text = member(dice), dice.pick(REMARKS)
    found = _own_reply(who, dice)
    way = [*sign_in(who), *find(found["title"]), link("Edit", row=f"{who['name']} wrote")]
    return Case(
        {"title": found["title"], "text": text, **who},
        state("post", {"text": text, "gone": ""}, id=found["id"]),
        [*way, fill("Text", text), button("Save changes"), done()],
        [*way, fill("Text", text), link("Cancel"), done()],
    )


@BOOK.template(f"Delete my reply in the thread “{{title}}”. ({SIGNED})", count=2)
def delete_reply(dice: Dice) -> Case:
    """Sign in, search, open, delete, confirm in a dialog."""
    who = member(dice)
    found = _own_reply(who, dice)
    way = [*sign_in(who), *find(found["title"]), button("Delete", row=f"{who['name']} wrote")]
    return Case(
        {"title": found["title"], **who},
        state("post", {"gone": "deleted"}, id=found["id"]),
        [*way, confirm(), done()],
        [*way, confirm(accept=False), done()],
    )


@BOOK.template(f"Replace the text of my thread “{{title}}” by “{{text}}”. ({SIGNED})", count=2)
def edit_thread(dice: Dice) -> Case:
    """Sign in, search, open, edit."""
    who, text = member(dice), dice.pick(TOPICS)[1]
    found = thread(dice, f"t.author = {user_id(who)}")
    way = [*sign_in(who), *find(found["title"]), link("Edit", row="Started by"), fill("Text", text)]
    return Case(
        {"title": found["title"], "text": text, **who},
        state("thread", {"text": text, "title": found["title"]}, id=found["id"]),
        [*way, button("Save changes"), done()],
        [*way, link("Cancel"), done()],
    )


@BOOK.template(
    f"Delete my newest thread. ({SIGNED})", f"Remove the thread that I started last. ({SIGNED})", count=2
)
def delete_newest(dice: Dice) -> Case:
    """Sign in, open one's profile, delete, confirm on a page."""
    who = member(dice)
    found = rows(f"{THREADS} where t.author = ? order by t.created desc, t.id desc", user_id(who))
    way = [*sign_in(who), *own(who, "Profile")]
    end = [link("Delete", row="Started by"), button("Yes, delete it"), done()]
    return Case(
        who,
        state("thread", {"gone": "deleted"}, id=found[0]["id"]),
        [*way, link(found[0]["title"]), *end],
        [*way, link(found[1]["title"]), *end],
    )


def _drafts(who: Who) -> list[dict[str, Any]]:
    sql = "select d.title, d.text, b.name as board from drafts d join boards b on b.id = d.board where d.user = ? order by d.id"
    return [dict(row) for row in rows(sql, user_id(who))]


@BOOK.template(
    f"Save a draft for {{board}} with the title “{{title}}” and the text “{{text}}”, but do not publish it. ({SIGNED})",
    count=2,
)
def save_draft(dice: Dice) -> Case:
    """Sign in, fill a form, save."""
    who, place, (title, text) = member(dice), board(dice)["name"], dice.pick(TOPICS)
    way = [*sign_in(who), *_form(place, title, text)]
    draft = {"title": title, "text": text, "board": place}
    return Case(
        {**draft, **who},
        has(who, drafts=[*_drafts(who), draft]),
        [*way, button("Save draft"), done()],
        [*way, button("Publish thread"), done()],
    )


@BOOK.template(f"Publish my draft “{{title}}” in the board {{board}}. ({SIGNED})", count=2)
def publish_draft(dice: Dice) -> Case:
    """Sign in, open a draft, choose another board, publish."""
    who = member(dice)
    draft = dice.pick(_drafts(who))
    while (place := board(dice)["name"]) == draft["board"]:
        pass
    way = [*sign_in(who), *own(who, "Drafts"), link(draft["title"])]
    return Case(
        {"title": draft["title"], "board": place, **who},
        wrote(who, threads=({"title": draft["title"], "text": draft["text"], "board": place},)),
        [*way, choose("Board", place), button("Publish thread"), done()],
        [*way, button("Publish thread"), done()],
    )


@BOOK.template(f"Delete my draft “{{title}}”. ({SIGNED})", count=2)
def delete_draft(dice: Dice) -> Case:
    """Sign in, open the drafts, delete, confirm in a dialog."""
    who = member(dice)
    draft = dice.pick(_drafts(who))
    way = [*sign_in(who), *own(who, "Drafts"), button("Delete", row=draft["title"])]
    return Case(
        {"title": draft["title"], **who},
        has(who, drafts=[other for other in _drafts(who) if other != draft]),
        [*way, confirm(), done()],
        [*way, confirm(accept=False), done()],
    )


@BOOK.template(
    f"In {{board}}, reply “{{text}}” to the thread with the highest score of all time. ({SIGNED})",
    count=2,
    hard=True,
)
def reply_to_best(dice: Dice) -> Case:
    """Sign in, sort a board, open the first, write."""
    who, text = member(dice), dice.pick(REMARKS)
    while True:
        place = board(dice)
        found = rows(f"{THREADS} where t.board = ? order by score desc", place["id"])
        if found[0]["score"] > found[1]["score"] and not any(
            row["locked"] or row["pinned"] for row in found[:2]
        ):
            break
    way = [*sign_in(who), link(place["name"]), link("Top")]
    end = [fill("Your reply", text), button("Post reply"), done()]
    return Case(
        {"board": place["name"], "text": text, **who},
        wrote(who, {"thread": found[0]["title"], "parent": None, "text": text}),
        [*way, link(found[0]["title"]), *end],
        [*way, link(found[1]["title"]), *end],
    )
