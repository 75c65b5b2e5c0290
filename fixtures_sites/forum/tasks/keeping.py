"""Tasks of a moderator."""

from typing import Any

from fixtures_sites.forum.belongings import MODERATED
from fixtures_sites.forum.tasks.square import SIGNED, THREADS, find, member, own, rows, sign_in, state, thread
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import button, choose, done, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("forum")
KEEPER = (3,)
BOARDS = ", ".join(f"'{name}'" for name in MODERATED)


def _reports() -> tuple[Any, ...]:
    return rows(
        "select r.*, p.text, u.name as author, t.title, b.name as board from reports r join posts p on p.id = r.item"
        " join users u on u.id = p.author join threads t on t.id = p.thread join boards b on b.id = t.board order by r.id"
    )


def _pair(dice: Dice) -> tuple[Any, Any]:
    """A report that author and thread single out, and another."""
    known = _reports()
    pairs = [(row["author"], row["title"]) for row in known]
    found = dice.pick([row for row in known if pairs.count((row["author"], row["title"])) == 1])
    return found, dice.pick(
        [row for row in known if row["title"] != found["title"] and row["author"] != found["author"]]
    )


def _queue(**decided: str) -> dict[str, Any]:
    """The test that these reports were decided so, and no others."""
    states = [{"id": row["id"], "state": decided.get(f"r{row['id']}", "open")} for row in _reports()]
    return state("queue", states)


def _row(report: Any) -> str:
    return f"by {report['author']} in {report['title']}"


@BOOK.template(f"Dismiss the report about the reply of {{author}} in “{{title}}”. ({SIGNED})", count=2)
def dismiss(dice: Dice) -> Case:
    """Sign in, open the queue, decide one."""
    who, (found, other) = member(dice, KEEPER), _pair(dice)
    way = [*sign_in(who), *own(who, "Reports")]
    return Case(
        {"author": found["author"], "title": found["title"], **who},
        _queue(**{f"r{found['id']}": "dismissed"}),
        [*way, button("Dismiss", row=_row(found)), done()],
        [*way, button("Dismiss", row=_row(other)), done()],
    )


@BOOK.template(
    f"Remove the reported reply of {{author}} in “{{title}}”. ({SIGNED})",
    f"As a moderator, decide the report on {{author}}'s reply in “{{title}}”: take the reply down. ({SIGNED})",
    count=2,
)
def remove(dice: Dice) -> Case:
    """Sign in, open the queue, remove one."""
    who, (found, _) = member(dice, KEEPER), _pair(dice)
    way = [*sign_in(who), *own(who, "Reports")]
    return Case(
        {"author": found["author"], "title": found["title"], **who},
        _queue(**{f"r{found['id']}": "removed"}),
        [*way, button("Remove", row=_row(found)), done()],
        [*way, button("Dismiss", row=_row(found)), done()],
    )


@BOOK.template(
    f"Lock the thread “{{title}}”. ({SIGNED})",
    f"Nobody may reply to “{{title}}” any more: lock it. ({SIGNED})",
    count=2,
)
def lock(dice: Dice) -> Case:
    """Sign in, search, open, lock."""
    who, found = member(dice, KEEPER), thread(dice, f"b.name in ({BOARDS}) and t.locked = 0 and t.pinned = 0")
    way = [*sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], **who},
        state("thread", {"locked": 1, "pinned": 0}, id=found["id"]),
        [*way, button("Lock thread"), done()],
        [*way, button("Pin thread"), done()],
    )


@BOOK.template(
    f"In {{board}}, unpin the pinned thread and pin “{{title}}” instead. ({SIGNED})", count=2, hard=True
)
def repin(dice: Dice) -> Case:
    """Sign in, open two threads, unpin and pin."""
    who, name = member(dice, KEEPER), dice.pick(MODERATED)
    old = rows(f"{THREADS} where b.name = ? and t.pinned = 1", name)[0]
    new = dice.pick(rows(f"{THREADS} where b.name = ? and t.pinned = 0 and t.locked = 0 order by t.id", name))
    way = [*sign_in(who), link(name), link(old["title"]), button("Unpin thread")]
    return Case(
        {"board": name, "title": new["title"], **who},
        state("pinned", [new["title"]], board=new["board_slug"]),
        [*way, *find(new["title"]), button("Pin thread"), done()],
        [*way, done()],
    )


@BOOK.template(
    f"Dismiss all open reports of the board {{board}}, and no others. ({SIGNED})", count=2, hard=True
)
def dismiss_all(dice: Dice) -> Case:
    """Sign in, filter the queue, decide each."""
    who, name = member(dice, KEEPER), dice.pick(MODERATED)
    found = [row for row in _reports() if row["board"] == name]
    each = [choose("Board", name), button("Show reports"), button("Dismiss")]
    way = [*sign_in(who), *own(who, "Reports")]
    return Case(
        {"board": name, **who},
        _queue(**{f"r{row['id']}": "dismissed" for row in found}),
        [*way, *each * len(found), done()],
        [*way, *each * (len(found) - 1), done()],
    )
