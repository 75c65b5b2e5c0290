"""Tasks that need the shop or the map as well."""

from fixtures_sites.forum.tasks.square import SIGNED, THREADS, Row, find, member, rows, sign_in, state, wrote
from fixtures_sites.maps.place import Place
from fixtures_sites.maps.places import search as on_map
from fixtures_sites.seeded import Dice
from fixtures_sites.shop.tasks.shelf import in_cart, put
from fixtures_sites.shop.tasks.shelf import open_product as open_in_shop
from fixtures_sites.shop.tasks.shelf import rows as shop_rows
from fixtures_sites.steps import Step, answer, button, choose, click, done, fill, link, visit
from fixtures_sites.tasks import Book, Case

BOOK = Book("forum")
ASKED = "Anyone using the "


def _about_product(dice: Dice) -> tuple[Row, Row]:
    """An open thread about a product of the shop, and the product."""
    while True:
        found = dice.pick(rows(f"{THREADS} where t.title like '{ASKED}%' and t.locked = 0 order by t.id"))
        item = shop_rows(
            "select * from products where name = ?", found["title"].removeprefix(ASKED).rstrip("?")
        )
        single = rows(f"{THREADS} where t.board = ? and t.author = ?", found["board"], found["author"])
        if item and len(single) == 1:
            return found, item[0]


def _meetup(dice: Dice) -> tuple[Row, Place]:
    """An open thread about a meetup, and its place on the map."""
    found = dice.pick(rows(f"{THREADS} where t.text like 'We meet at %' and t.locked = 0 order by t.id"))
    return found, on_map(found["title"].split(" at ", 1)[1])[0]


def _money(cents: int) -> str:
    return f"${cents / 100:,.2f}"


def _see_place(place: Place) -> list[Step]:
    return [
        visit("__MAPS__/"), fill("Search for a place", place.name, role="searchbox", submit=True), link(place.name), visit("/"),
    ]  # fmt: skip


def _see_product(name: str) -> list[Step]:
    return [visit("__SHOP__/"), *open_in_shop(name), visit("/")]


def _reply(text: str) -> list[Step]:
    return [fill("Your reply", text), button("Post reply"), done()]


@BOOK.template(
    f"Look up in the shop what the {{product}} costs and reply to the thread “{{title}}” with “It is” and the price, such as"
    f" “It is $12.00”. ({SIGNED})",
    count=3,
    also=["shop"],
)
def price(dice: Dice) -> Case:
    """Read a price in the shop, write it in the forum."""
    who, (found, item) = member(dice), _about_product(dice)
    text = f"It is {_money(item['price'])}"
    way = [*_see_product(item["name"]), *sign_in(who), *find(found["title"])]
    return Case(
        {"product": item["name"], "title": found["title"], **who},
        wrote(who, {"thread": found["title"], "parent": None, "text": text}),
        [*way, *_reply(text)],
        [*way, *_reply(f"It is {_money(item['price'] + 100)}")],
    )


@BOOK.template(
    "{author} asks in the forum's board {board} about a product of the shop. Put one of it into the shop's cart.",
    "Find out which product {author} asks about in the board {board} of the forum, and add it to the cart of the shop.",
    count=4,
    also=["shop"],
)
def buy_it(dice: Dice) -> Case:
    """Read a name in the forum, put the product into the shop's cart."""
    (found, item), (_, other) = _about_product(dice), _about_product(dice)
    while other["name"] == item["name"]:
        _, other = _about_product(dice)
    look = [
        fill("Search the forum", "", role="searchbox", submit=True), fill("Author", found["author_name"]),
        choose("Board", found["board_name"]), button("Show results"), link(found["title"]), visit("__SHOP__/"),
    ]  # fmt: skip
    test = in_cart((item["name"], "", 1))["request"]
    return Case(
        {"author": found["author_name"], "board": found["board_name"]},
        {"request": {"url": f"__SHOP__{test['path']}", "json": test["json"]}},
        [*look, *put(item["name"]), done()],
        [*look, *put(other["name"]), done()],
    )


@BOOK.template(
    f"Send the author of the forum thread “{{title}}” a message with the subject “Item number” and the shop's item number of the"
    f" {{product}} as the text. ({SIGNED})",
    count=3,
    also=["shop"],
    hard=True,
)
def item_number(dice: Dice) -> Case:
    """Read an item number in the shop, send it to an author."""
    who, (found, item) = member(dice), _about_product(dice)
    way = [
        *_see_product(item["name"]), *sign_in(who), *find(found["title"]), link(found["author_name"], row="Started by"),
        link("Send a message"), fill("Subject", "Item number"),
    ]  # fmt: skip
    letter = {"recipient": found["author_name"], "subject": "Item number", "text": item["sku"]}
    end = [button("Send message"), done()]
    return Case(
        {"title": found["title"], "product": item["name"], **who},
        state("letters", {"sent": [letter]}, name=who["name"]),
        [*way, fill("Message", item["sku"]), *end],
        [*way, fill("Message", item["sku"][:-1]), *end],
    )


@BOOK.template(
    f"Reply to the forum thread “{{title}}” with the full address of the place, as the map has it, and nothing else. ({SIGNED})",
    count=4,
    also=["maps"],
)
def meetup_address(dice: Dice) -> Case:
    """Read an address on the map, write it in the forum."""
    who, (found, place) = member(dice), _meetup(dice)
    way = [*_see_place(place), *sign_in(who), *find(found["title"])]
    return Case(
        {"title": found["title"], **who},
        wrote(who, {"thread": found["title"], "parent": None, "text": place.address}),
        [*way, *_reply(place.address)],
        [*way, *_reply(place.street)],
    )


@BOOK.template(
    "{author} has announced a {what} in the forum's board Local Meetups. What is the phone number of the place, by the map?",
    "Find the phone number (the map has it) of the place where {author}'s {what} in Local Meetups takes place.",
    count=3,
    also=["maps"],
)
def meetup_phone(dice: Dice) -> Case:
    """Read a place in the forum, its phone number on the map."""
    while True:
        found, place = _meetup(dice)
        what = found["title"].split(" at ", 1)[0].lower()
        sql = f"{THREADS} where t.board = ? and t.author = ? and t.title like ?"
        if len(rows(sql, found["board"], found["author"], f"{what} at %")) == 1:
            break
    way = [
        fill("Search the forum", what, role="searchbox", submit=True), fill("Author", found["author_name"]),
        choose("Board", "Local Meetups"), button("Show results"), link(found["title"]), *_see_place(place),
    ]  # fmt: skip
    return Case(
        {"author": found["author_name"], "what": what},
        {"answer": place.phone},
        [*way, answer(place.phone)],
        [*way, answer(place.zip_code)],
    )


@BOOK.template(
    f"Announce a meetup: a thread in Local Meetups with the tag {{tag}}, the title “{{title}}”, and as its text the opening hours of the"
    f" {{place}} exactly as the map shows them. ({SIGNED})",
    count=3,
    also=["maps"],
    hard=True,
)
def announce(dice: Dice) -> Case:
    """Read opening hours on the map, start a thread with them."""
    who, (_, place) = member(dice), _meetup(dice)
    tag, title = (
        dice.pick(("games", "food", "hiking")),
        f"{dice.pick(('Chess', 'Poetry', 'Sketching', 'Choir'))} evening in {place.city}",
    )
    way = [
        *_see_place(place), *sign_in(who), link("New thread"), choose("Board", "Local Meetups"), fill("Title", title),
        fill("Text", place.hours),
    ]  # fmt: skip
    wanted = {"title": title, "text": place.hours, "board": "Local Meetups", "tags": [tag]}
    return Case(
        {"tag": tag, "title": title, "place": place.name, **who},
        wrote(who, threads=(wanted,)),
        [*way, click("checkbox", tag), button("Publish thread"), done()],
        [*way, button("Publish thread"), done()],
    )
