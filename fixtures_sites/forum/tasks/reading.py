"""Tasks that find something out."""

from fixtures_sites.forum import talk
from fixtures_sites.forum.tasks.square import (
    OTHERS,
    REPLIES,
    SIGNED,
    THREADS,
    best,
    board,
    find,
    member,
    neighbour,
    one,
    reply,
    rows,
    sign_in,
    stranger,
    thread,
    user_id,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import answer, button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("forum")


@BOOK.template(
    "Who started the thread “{title}”?", "I need the user name of whoever opened “{title}”.", count=2
)
def author(dice: Dice) -> Case:
    """Search, open, read."""
    found = thread(dice, f"{OTHERS} and t.replies > 2")
    wrong = one(f"{REPLIES} where p.thread = ? and p.author <> ? order by p.id", found["id"], found["author"])
    other = one("select u.name from posts p join users u on u.id = p.author where p.id = ?", wrong)
    way = find(found["title"])
    return Case(
        {"title": found["title"]},
        {"answer": found["author_name"]},
        [*way, answer(found["author_name"])],
        [*way, answer(other)],
    )


@BOOK.template("How many replies does the thread “{title}” have?", "Count the replies to “{title}”.", count=2)
def reply_count(dice: Dice) -> Case:
    """Search, open, read."""
    found = thread(dice, "t.replies > 20")
    way = find(found["title"])
    return Case(
        {"title": found["title"]},
        {"answer": str(found["replies"])},
        [*way, answer(found["replies"])],
        [*way, answer(20)],
    )


@BOOK.template(
    "In the thread “{title}”, what does {author} say to have paid?",
    "How much did {author} pay, as they tell in “{title}”?",
    count=2,
)
def paid(dice: Dice) -> Case:
    """Search, open, read one reply."""
    found = reply(dice, "p.text like '%I paid $%' and p.number < 12")
    price = found["text"].split("paid $")[1].split(" ")[0]
    way = find(found["title"])
    return Case(
        {"title": found["title"], "author": found["author_name"]},
        {"answer": [f"${price}", price]},
        [*way, answer(f"${price}")],
        [*way, answer(f"${int(price) + 5}")],
    )


@BOOK.template("Whom did {author} answer in the thread “{title}”?", count=2)
def answered(dice: Dice) -> Case:
    """Search, open, follow who answers whom."""
    found = reply(dice, "p.parent is not null")
    whom = one("select u.name from posts p join users u on u.id = p.author where p.id = ?", found["parent"])
    way = find(found["title"])
    return Case(
        {"title": found["title"], "author": found["author_name"]},
        {"answer": whom},
        [*way, answer(whom)],
        [*way, answer(found["author_name"])],
    )


@BOOK.template(
    "Which thread of the board {board} has the highest score of the past year?",
    "What is the title of the best rated thread of the past year in {board}?",
    count=2,
)
def top_of_board(dice: Dice) -> Case:
    """Open a board, sort, read."""
    while not (
        found := best((place := board(dice))["id"], "t.up - t.down", "t.created >= '2025-06-15 10:00'")
    ):
        pass
    way = [link(place["name"]), link("Top"), choose("Period", "Past year"), button("Show")]
    return Case(
        {"board": place["name"]},
        {"answer": found[0]["title"]},
        [*way, answer(found[0]["title"])],
        [*way, answer(found[1]["title"])],
    )


@BOOK.template(
    "Which thread in {board} has the most replies?",
    "Find the most discussed thread of the board {board}.",
    count=2,
)
def most_replies(dice: Dice) -> Case:
    """Open a board, sort, read."""
    while not (found := best((place := board(dice))["id"], "t.replies")):
        pass
    way = [link(place["name"]), link("Most replies")]
    return Case(
        {"board": place["name"]},
        {"answer": found[0]["title"]},
        [*way, answer(found[0]["title"])],
        [*way, answer(found[1]["title"])],
    )


@BOOK.template("Which thread in {board} is the most controversial one of all time?", count=2)
def disputed(dice: Dice) -> Case:
    """Open a board, sort, read."""
    order = talk.SORTS["controversial"][1].removesuffix(" desc")
    while (
        not (found := best((place := board(dice))["id"], order)) or found[0]["pinned"] or found[1]["pinned"]
    ):
        pass
    way = [link(place["name"]), link("Controversial")]
    return Case(
        {"board": place["name"]},
        {"answer": found[0]["title"]},
        [*way, answer(found[0]["title"])],
        [*way, answer(found[1]["title"])],
    )


@BOOK.template(
    "Which of the boards about {kind} has the most members?",
    "Name the largest board in the group {kind}.",
    count=2,
)
def largest_board(dice: Dice) -> Case:
    """Open the list of boards, compare."""
    kind = dice.pick(("Home", "Life", "Outdoors", "Making", "Technology"))
    found = rows("select name from boards where kind = ? order by members desc", kind)
    way = [link("Boards")]
    return Case(
        {"kind": kind},
        {"answer": found[0]["name"]},
        [*way, answer(found[0]["name"])],
        [*way, answer(found[1]["name"])],
    )


@BOOK.template("Who moderates the board {board}? Name all.", count=2)
def moderators(dice: Dice) -> Case:
    """Open a board, read its side."""
    place = board(dice)
    sql = "select name from users where id in (select user from moderators where board = ?) order by name"
    names = [row["name"] for row in rows(sql, place["id"])]
    way = [link(place["name"])]
    return Case(
        {"board": place["name"]},
        {"answer_includes": names},
        [*way, answer(", ".join(names))],
        [*way, answer(names[0])],
    )


@BOOK.template(
    "Since when is the author of “{title}” a member of the forum?",
    "On which day did the person who started “{title}” join?",
    count=2,
)
def joined(dice: Dice) -> Case:
    """Search, open, open the author."""
    found = thread(dice)
    day = one("select joined from users where id = ?", found["author"])
    way = [*find(found["title"]), link(found["author_name"], row="Started by")]
    return Case(
        {"title": found["title"]}, {"answer": day}, [*way, answer(day)], [*way, answer(found["created"][:10])]
    )


@BOOK.template("How many replies by {name} have the word “{word}” in them?", count=2)
def replies_with_word(dice: Dice) -> Case:
    """Search by author and word, in replies."""
    while True:
        name, word = stranger(dice), dice.pick(("weekend", "cheap", "photo", "paid", "mine", "months"))
        sql = f"select count(*) from ({REPLIES} where u.name = ? and p.text like ?)"
        if count := one(sql, name, f"%{word}%"):
            break
    way = [fill("Search the forum", word, role="searchbox", submit=True), fill("Author", name)]
    total = one(f"select count(*) from ({REPLIES} where u.name = ?)", name)
    return Case(
        {"name": name, "word": word},
        {"answer": str(count)},
        [*way, click("radio", "Replies"), button("Show results"), answer(count)],
        [*way, button("Show results"), answer(total if total != count else 0)],
    )


@BOOK.template("How many threads were opened in {board} from {first} to {last}?", count=2)
def threads_between(dice: Dice) -> Case:
    """Search a board by days."""
    while True:
        place, month = board(dice), dice.pick((4, 5))
        first, last = f"2026-0{month}-01", f"2026-0{month}-{30 + month % 2}"
        sql = "select count(*) from threads where board = ? and substr(created, 1, 10) between ? and ?"
        if count := one(sql, place["id"], first, last):
            break
    total = one("select count(*) from threads where board = ?", place["id"])
    way = [
        fill("Search the forum", "", role="searchbox", submit=True), choose("Board", place["name"]), fill("Posted from", first),
        fill("Posted until", last),
    ]  # fmt: skip
    return Case(
        {"board": place["name"], "first": first, "last": last},
        {"answer": str(count)},
        [*way, button("Show results"), answer(count)],
        [*way, answer(total)],
    )


@BOOK.template(
    "Which answer leads in the poll of the thread “{title}”?",
    "See what most people chose in the poll at “{title}”.",
    count=2,
)
def poll_leader(dice: Dice) -> Case:
    """Search, open, look at the results."""
    found = thread(dice, "t.id in (select thread from polls where closes > '2026-06-15')")
    options = rows("select text from options where thread = ? order by votes desc", found["id"])
    way = [*find(found["title"]), button("Show results")]
    return Case(
        {"title": found["title"]},
        {"answer": options[0]["text"]},
        [*way, answer(options[0]["text"])],
        [*way, answer(options[1]["text"])],
    )


@BOOK.template(
    "Show the threads of {board} with the tag {tag}, the best of all time first.",
    "Open the board {board} with only the threads tagged {tag}, sorted by top.",
    count=2,
)
def tagged(dice: Dice) -> Case:
    """Open a board, choose a tag, sort."""
    place = board(dice)
    tag = dice.pick(rows("select name from tags where board = ? order by name", place["id"]))["name"]
    way = [link(place["name"]), link(tag)]
    return Case(
        {"board": place["name"], "tag": tag},
        {"url": f"/b/{place['slug']}?tag={tag}&sort=top"},
        [*way, link("Top"), done()],
        [*way, link("New"), done()],
    )


@BOOK.template(
    "In which thread did {name} reply last?",
    "Where is the newest reply of {name}? Give the thread's title.",
    count=2,
)
def last_reply(dice: Dice) -> Case:
    """Find a member, open the replies."""
    while True:
        found = thread(dice)
        sql = f"{REPLIES} where p.author = ? order by p.created desc, p.id desc"
        known = rows(sql, found["author"])
        if len(known) > 1 and known[0]["title"] != known[1]["title"]:
            break
    name = found["author_name"]
    way = [
        fill("Search the forum", "", role="searchbox", submit=True), fill("Author", name, submit=True), link(name),
        link(f"Replies ({len(known)})"),
    ]  # fmt: skip
    return Case(
        {"name": name},
        {"answer": known[0]["title"]},
        [*way, answer(known[0]["title"])],
        [*way, answer(known[1]["title"])],
    )


@BOOK.template(f"Who sent me the message “{{subject}}”? ({SIGNED})", count=2)
def sender(dice: Dice) -> Case:
    """Sign in, find a message."""
    who = member(dice)
    sql = "select m.*, u.name from messages m join users u on u.id = m.sender where m.recipient = ? order by m.sent desc"
    found = rows(sql, user_id(who))
    letter, other = dice.some(found[:8], 2)
    way = [*sign_in(who), link("Messages")]
    return Case(
        {"subject": letter["subject"], **who},
        {"answer": letter["name"]},
        [*way, link(letter["subject"]), answer(letter["name"])],
        [*way, link(other["subject"]), answer(other["name"])],
    )


@BOOK.template(
    "Which of the two has more points in “{title}”: the reply by {author} or the one by {other}? Name the member.",
    count=2,
)
def more_points(dice: Dice) -> Case:
    """Search, open, compare two replies."""
    while True:
        found = reply(dice)
        other = neighbour(found)
        scores = {post["author_name"]: post["up"] - post["down"] for post in (found, other)}
        single = (
            one(
                "select count(*) from posts where thread = ? and author = ?", found["thread"], other["author"]
            )
            == 1
        )
        if single and len(set(scores.values())) == 2:
            break
    more, less = sorted(scores, key=lambda name: -scores[name])
    way = find(found["title"])
    return Case(
        {"title": found["title"], "author": found["author_name"], "other": other["author_name"]},
        {"answer": more},
        [*way, answer(more)],
        [*way, answer(less)],
    )


@BOOK.template("How many threads has {name} started, and since when are they a member?", count=2, hard=True)
def record(dice: Dice) -> Case:
    """Find a member, read two facts."""
    found = thread(dice)
    name = found["author_name"]
    count = len(rows(f"{THREADS} where t.author = ? order by t.id", found["author"]))
    day = one("select joined from users where id = ?", found["author"])
    way = [
        fill("Search the forum", "", role="searchbox", submit=True),
        fill("Author", name, submit=True),
        link(name),
    ]
    return Case(
        {"name": name},
        {"answer_includes": [str(count), day]},
        [*way, answer(f"{count} threads, member since {day}")],
        [*way, answer(f"member since {day.replace('-', '/')}")],
    )
