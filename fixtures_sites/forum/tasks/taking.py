"""Tasks that vote, save, follow, answer polls and report."""

from fixtures_sites.forum.tasks.square import (
    OTHERS,
    SIGNED,
    best,
    board,
    by,
    find,
    followed,
    has,
    kept,
    member,
    neighbour,
    options,
    own,
    reply,
    rows,
    sign_in,
    state,
    thread,
    user_id,
    votes,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("forum")
MAIN = "Started by"
"""Words of a thread's own box."""


@BOOK.template(
    f"Upvote the thread “{{title}}”. ({SIGNED})", f"Give my upvote to “{{title}}”. ({SIGNED})", count=2
)
def upvote(dice: Dice) -> Case:
    """Sign in, search, open, vote."""
    who, found = member(dice), thread(dice, f"{OTHERS} and t.id not in (select item from votes)")
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], **who},
        has(who, votes=votes(who, ("thread", found["id"], 1))),
        [*way, button("Upvote", row=MAIN), done()],
        [*way, button("Downvote", row=MAIN), done()],
    )


@BOOK.template(f"Downvote what {{author}} replied in “{{title}}”. ({SIGNED})", count=2)
def downvote_reply(dice: Dice) -> Case:
    """Sign in, search, open, vote on one reply."""
    who, found = member(dice), reply(dice)
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], "author": found["author_name"], **who},
        has(who, votes=votes(who, ("post", found["id"], -1))),
        [*way, button("Downvote", row=by(found)), done()],
        [*way, button("Downvote", row=by(neighbour(found))), done()],
    )


@BOOK.template(
    f"Take back my vote on the thread “{{title}}”. ({SIGNED})",
    f"I voted on “{{title}}”; withdraw that vote. ({SIGNED})",
    count=2,
)
def withdraw(dice: Dice) -> Case:
    """Sign in, search, open, press the arrow that is pressed."""
    who = member(dice)
    vote = dice.pick(rows("select * from votes where user = ? order by item", user_id(who)))
    found = thread(dice, f"t.id = {vote['item']}")
    pressed, other = ("Upvote", "Downvote")[:: vote["value"]]
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], **who},
        has(who, votes=votes(who, ("thread", found["id"], 0))),
        [*way, button(pressed, row=MAIN), done()],
        [*way, button(other, row=MAIN), done()],
    )


@BOOK.template(
    f"Save the thread “{{title}}” to my bookmarks. ({SIGNED})",
    f"Bookmark “{{title}}” for me. ({SIGNED})",
    count=2,
)
def save(dice: Dice) -> Case:
    """Sign in, search, open, save."""
    who = member(dice)
    found = thread(dice, f"{OTHERS} and t.id not in (select item from bookmarks)")
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], **who},
        has(who, bookmarks=kept(who, ("thread", found["id"]))),
        [*way, button("Save", row=MAIN), done()],
        [*way, button("Upvote", row=MAIN), done()],
    )


@BOOK.template(
    f"Save the reply by {{author}} in “{{title}}” to my bookmarks, not the thread. ({SIGNED})", count=2
)
def save_reply(dice: Dice) -> Case:
    """Sign in, search, open, save by the reply's menu."""
    who, found = member(dice), reply(dice, "t.id not in (select item from bookmarks)")
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], "author": found["author_name"], **who},
        has(who, bookmarks=kept(who, ("post", found["id"]))),
        [*way, button("More", row=options(found)), button("Save", row=options(found)), done()],
        [*way, button("Save", row=MAIN), done()],
    )


@BOOK.template(f"Remove “{{title}}” from my bookmarks. ({SIGNED})", count=2)
def unsave(dice: Dice) -> Case:
    """Sign in, open the bookmarks, remove one."""
    who = member(dice)
    known = rows(
        "select t.* from bookmarks k join threads t on t.id = k.item where k.user = ? order by t.id",
        user_id(who),
    )
    found, other = dice.some(known, 2)
    way = [*sign_in(who), *own(who, "Bookmarks")]
    return Case(
        {"title": found["title"], **who},
        has(who, bookmarks=kept(who, without=found["id"])),
        [*way, button("Unsave", row=found["title"]), done()],
        [*way, button("Unsave", row=other["title"]), done()],
    )


@BOOK.template(
    f"Follow the board {{board}}. ({SIGNED})",
    f"Add {{board}} to the boards that I follow. ({SIGNED})",
    count=2,
)
def follow_board(dice: Dice) -> Case:
    """Sign in, open a board, follow."""
    who = member(dice)
    known = followed(who, "board")
    while (place := board(dice))["name"] in known:
        pass
    way = [*sign_in(who), link(place["name"])]
    return Case(
        {"board": place["name"], **who},
        has(who, boards=sorted([*known, place["name"]])),
        [*way, button("Follow"), done()],
        [*way, done()],
    )


@BOOK.template(
    f"Stop following {{person}}. ({SIGNED})",
    f"I do not want to follow {{person}} any more. ({SIGNED})",
    count=2,
)
def unfollow_person(dice: Dice) -> Case:
    """Sign in, open who is followed, remove one."""
    who = member(dice)
    known = followed(who, "user")
    person, other = dice.some(known, 2)
    way = [*sign_in(who), *own(who, "Followed")]
    return Case(
        {"person": person, **who},
        has(who, people=[name for name in known if name != person], boards=followed(who, "board")),
        [*way, button("Unfollow", row=person), done()],
        [*way, button("Unfollow", row=other), done()],
    )


@BOOK.template(f"Follow the member who started the thread “{{title}}”. ({SIGNED})", count=2)
def follow_author(dice: Dice) -> Case:
    """Sign in, find the author of a thread, follow."""
    who, found = (
        member(dice),
        thread(
            dice,
            f"{OTHERS} and t.replies > 2 and t.author not in (select item from follows where kind = 'user')",
        ),
    )
    other = rows(
        "select u.name from posts p join users u on u.id = p.author where p.thread = ? and p.author not in (?, ?)",
        found["id"], found["author"], user_id(who),
    )  # fmt: skip
    way = [*sign_in(who), *find(found["title"])]
    wrong = link(other[0]["name"], row=f"{other[0]['name']} wrote") if other else link("Boards")
    return Case(
        {"title": found["title"], **who},
        has(who, people=sorted([*followed(who, "user"), found["author_name"]])),
        [*way, link(found["author_name"], row=MAIN), button("Follow"), done()],
        [*way, wrong, *([button("Follow")] if other else []), done()],
    )


@BOOK.template(f"Vote “{{option}}” in the poll of the thread “{{title}}”. ({SIGNED})", count=2)
def poll(dice: Dice) -> Case:
    """Sign in, search, open, choose, cast."""
    who, found = member(dice), thread(dice, "t.id in (select thread from polls where closes > '2026-06-15')")
    options = rows("select * from options where thread = ? order by id", found["id"])
    chosen, other = dice.some(options, 2)
    counts = [option["votes"] + (option["id"] == chosen["id"]) for option in options]
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], "option": chosen["text"], **who},
        state("thread", {"poll": {"votes": counts}}, id=found["id"]),
        [*way, click("radio", chosen["text"]), button("Cast vote"), done()],
        [*way, click("radio", other["text"]), button("Cast vote"), done()],
    )


@BOOK.template(f"Report the reply by {{author}} in “{{title}}” as “{{reason}}”. ({SIGNED})", count=2)
def report_reply(dice: Dice) -> Case:
    """Sign in, open the reply's menu, report."""
    who, found = member(dice), reply(dice)
    reason, other = dice.some(("Spam", "Rude or hateful", "Off topic", "Wrong board"), 2)
    way = [
        *sign_in(who),
        *find(found["title"]),
        button("More", row=options(found)),
        link("Report", row=options(found)),
    ]
    return Case(
        {"title": found["title"], "author": found["author_name"], "reason": reason, **who},
        state("reports", [{"kind": "post", "item": found["id"], "reason": reason}]),
        [*way, choose("Reason", reason), button("Send report"), done()],
        [*way, choose("Reason", other), button("Send report"), done()],
    )


@BOOK.template(
    f"Report the thread “{{title}}” to the moderators: the reason is something else, with the note “{{note}}”. ({SIGNED})",
    count=2,
)
def report_thread(dice: Dice) -> Case:
    """Sign in, search, open, report with a note."""
    who, found = member(dice), thread(dice)
    note = dice.pick(
        ("Same as last week's thread.", "The photo shows a car plate.", "Please move it to another board.")
    )
    way = [*sign_in(who), *find(found["title"]), link("Report", row=MAIN), choose("Reason", "Something else")]
    return Case(
        {"title": found["title"], "note": note, **who},
        state("reports", [{"kind": "thread", "item": found["id"], "reason": "Something else", "note": note}]),
        [*way, fill("Note (optional)", note), button("Send report"), done()],
        [*way, button("Send report"), done()],
    )


@BOOK.template(
    f"Upvote the thread with the most replies in the board {{board}}. ({SIGNED})", count=2, hard=True
)
def upvote_most_replies(dice: Dice) -> Case:
    """Sign in, sort a board, open the first, vote."""
    who = member(dice)
    taken = {row["item"] for row in rows("select item from votes")}
    while (
        not (found := best((place := board(dice))["id"], "t.replies"))
        or {row["id"] for row in found[:2]} & taken
    ):
        pass
    way = [*sign_in(who), link(place["name"]), link("Most replies")]
    first, second = found[0], found[1]
    return Case(
        {"board": place["name"], **who},
        has(who, votes=votes(who, ("thread", first["id"], 1))),
        [*way, link(first["title"]), button("Upvote", row=MAIN), done()],
        [*way, link(second["title"]), button("Upvote", row=MAIN), done()],
    )


@BOOK.template(
    f"Upvote every reply that {{author}} wrote in the thread “{{title}}”. ({SIGNED})", count=2, hard=True
)
def upvote_all(dice: Dice) -> Case:
    """Sign in, open a thread, vote on several replies."""
    who = member(dice)
    pair = dice.pick(rows(
        "select p.thread, u.name, t.title, group_concat(p.id) as posts from posts p join users u on u.id = p.author"
        " join threads t on t.id = p.thread where t.replies < 20 and t.locked = 0 and u.id > 4 group by p.thread, p.author"
        " having count(*) = 2 order by p.thread, p.author"))  # fmt: skip
    posts = [int(number) for number in pair["posts"].split(",")]
    way = [*sign_in(who), *find(pair["title"])]
    row = f"{pair['name']} wrote"
    return Case(
        {"title": pair["title"], "author": pair["name"], **who},
        has(who, votes=votes(who, *(("post", number, 1) for number in posts))),
        [*way, button("Upvote", row=row), button("Upvote", row=row, nth=1), done()],
        [*way, button("Upvote", row=row), done()],
    )
