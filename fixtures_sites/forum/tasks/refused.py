"""Tasks that can't be done: the right end is to say so."""

from fixtures_sites.forum.accounts import ACCOUNTS
from fixtures_sites.forum.tasks.square import (
    SIGNED,
    find,
    member,
    neighbour,
    one,
    reply,
    rows,
    sign_in,
    stranger,
    thread,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import answer, button, done, fill, infeasible, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("forum")
NEVER = {"infeasible": True}


@BOOK.template("Who started the thread “{title}”?", count=2)
def no_such_thread(dice: Dice) -> Case:
    """There is no such thread."""
    title = f"{dice.pick(('Repairing', 'Painting', 'Selling'))} my {dice.pick(('zeppelin hangar', 'glass trombone', 'lunar sundial'))}"
    way = [fill("Search the forum", title, role="searchbox", submit=True)]
    return Case({"title": title}, NEVER, [*way, infeasible()], [*way, answer(stranger(dice))])


@BOOK.template(f"Reply “Me too” to the thread “{{title}}”. ({SIGNED})", count=2)
def locked(dice: Dice) -> Case:
    """The thread is locked."""
    who, found = member(dice, (0, 1, 2)), thread(dice, "t.locked = 1")
    way = [*sign_in(who), *find(found["title"])]
    return Case({"title": found["title"], **who}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template(f"Change what {{author}} wrote in “{{title}}” to “Never mind”. ({SIGNED})", count=2)
def not_mine(dice: Dice) -> Case:
    """Somebody else wrote it."""
    who, found = member(dice, (0, 1, 2)), reply(dice)
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], "author": found["author_name"], **who},
        NEVER,
        [*way, infeasible()],
        [*way, fill("Your reply", "Never mind"), button("Post reply"), done()],
    )


@BOOK.template(f"Start a thread in the board {{board}} with the title “Hello everyone”. ({SIGNED})", count=2)
def no_such_board(dice: Dice) -> Case:
    """There is no such board."""
    who, name = member(dice), dice.pick(("Falconry", "Beekeeping", "Opera", "Submarines"))
    way = [*sign_in(who), link("Boards")]
    return Case({"board": name, **who}, NEVER, [*way, infeasible()], [*way, link("Books"), done()])


@BOOK.template(f"Vote “{{option}}” in the poll of “{{title}}”. ({SIGNED})", count=2)
def closed_poll(dice: Dice) -> Case:
    """The poll is closed."""
    who, found = member(dice), thread(dice, "t.id in (select thread from polls where closes < '2026-06-15')")
    option = dice.pick(rows("select text from options where thread = ? order by id", found["id"]))["text"]
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], "option": option, **who}, NEVER, [*way, infeasible()], [*way, done()]
    )


@BOOK.template(f"Send {{person}} a private message that says “Call me”. ({SIGNED})", count=2)
def no_such_member(dice: Dice) -> Case:
    """There is no such member."""
    who, person = (
        member(dice),
        f"{dice.pick(('zephyr', 'quartz', 'umber'))}_{dice.pick(('walrus', 'ibex', 'newt'))}",
    )
    way = [
        *sign_in(who), link("Messages"), link("New message"), fill("To", person), fill("Subject", "Call me"),
        fill("Message", "Call me"), button("Send message"),
    ]  # fmt: skip
    return Case({"person": person, **who}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template(
    "Create an account with the user name {name}, exactly so, and the e-mail new.member@example.com.", count=2
)
def taken_name(dice: Dice) -> Case:
    """The user name is taken."""
    name = dice.pick(ACCOUNTS)[0]
    way = [
        link("Sign up"),
        fill("User name", name),
        fill("E-mail address", "new.member@example.com"),
        button("Create account"),
    ]
    return Case({"name": name}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template("What did {name} reply in the thread “{title}”?", count=2)
def no_reply_there(dice: Dice) -> Case:
    """The member wrote nothing there."""
    found = reply(dice)
    while True:
        name = stranger(dice)
        if not one(
            "select count(*) from posts p join users u on u.id = p.author where p.thread = ? and u.name = ?",
            found["thread"],
            name,
        ):
            break
    way = find(found["title"])
    return Case(
        {"name": name, "title": found["title"]},
        NEVER,
        [*way, infeasible()],
        [*way, answer(neighbour(found)["text"])],
    )
