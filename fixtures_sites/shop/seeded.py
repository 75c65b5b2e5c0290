"""The shop's data as it is before anyone has been there."""

import json
import sqlite3
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from fixtures_sites.seeded import TODAY, Dice
from fixtures_sites.slugs import slugify, words

SEED = 20240711
PER_LEAF = 38
CITIES = (
    ("Portland", "OR", "97205"), ("Madison", "WI", "53703"), ("Austin", "TX", "78701"),
    ("Burlington", "VT", "05401"), ("Savannah", "GA", "31401"), ("Boulder", "CO", "80302"),
    ("Tacoma", "WA", "98402"), ("Albany", "NY", "12207"), ("Omaha", "NE", "68102"), ("Tucson", "AZ", "85701"),
)  # fmt: skip
STATES = tuple(
    sorted({state for _, state, _ in CITIES} | {"CA", "FL", "IL", "MA", "MI", "MN", "NC", "NJ", "OH", "PA"})
)
STREETS = ("Maple Street", "Harbor Road", "Cedar Avenue", "Mill Lane", "Station Road", "Hillcrest Drive")
SHIPPING = {"Standard": 495, "Express": 1295, "Pickup point": 295}
"""Methods and their prices in cents."""
FREE_FROM = 7500
"""Standard shipping is free from this subtotal, in cents."""
COUPONS = (
    ("WELCOME10", "percent", 10, 0, "2026-12-31", "10% off your order"),
    ("SUMMER20", "percent", 20, 10000, "2026-08-31", "20% off orders from $100"),
    ("FREESHIP", "shipping", 0, 0, "2026-12-31", "Free shipping"),
    ("TAKE15", "amount", 1500, 6000, "2026-09-30", "$15 off orders from $60"),
    ("SPRING25", "percent", 25, 0, "2026-05-31", "25% off your order"),
)
ACCOUNTS = (
    ("emma.larsen@example.com", "sunny-harbor-42", "Emma Larsen", "+1 503-555-0142"),
    ("marcus.bell@example.com", "blue-kettle-7", "Marcus Bell", "+1 608-555-0199"),
    ("priya.nair@example.com", "paper-moon-88", "Priya Nair", "+1 512-555-0117"),
)
"""E-mail, password, name, phone of those whom tasks log in as."""
STATUSES = ("Delivered", "Delivered", "Delivered", "Cancelled")


@cache
def _words() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((files(__package__) / "data" / "words.json").read_text("utf-8"))
    return loaded


def build(database: sqlite3.Connection) -> None:
    """Writes all of it into an empty database."""
    database.executescript((files(__package__) / "schema.sql").read_text("utf-8"))
    dice = Dice(SEED)
    database.execute("begin")
    _brands(database)
    _catalogue(database, dice)
    _reviews(database, dice)
    database.executemany("insert into coupons values (?, ?, ?, ?, ?, ?)", COUPONS)
    _people(database, dice)
    _orders(database, dice)
    database.execute("commit")


def _brands(database: sqlite3.Connection) -> None:
    names = _words()["brands"]
    database.executemany(
        "insert into brands values (?, ?, ?)", [(n, slugify(name), name) for n, name in enumerate(names, 1)]
    )


def _catalogue(database: sqlite3.Connection, dice: Dice) -> None:
    departments = json.loads((files(__package__) / "data" / "departments.json").read_text("utf-8"))
    category = product = 0
    rows: dict[str, list[tuple[Any, ...]]] = {"categories": [], "products": [], "options": [], "facts": []}
    taken: set[str] = set()
    for department in departments:
        category += 1
        parent = category
        rows["categories"].append((parent, slugify(department["name"]), department["name"], None))
        for leaf in department["leaves"]:
            category += 1
            rows["categories"].append((category, slugify(leaf["name"]), leaf["name"], parent))
            for _ in range(PER_LEAF):
                product += 1
                rows["products"].append(
                    _product(product, category, leaf, f"{leaf['name']} {department['name']}", dice, taken)
                )
                rows["options"] += _options(product, leaf["options"], dice)
                rows["facts"] += [
                    (product, name, dice.pick(_words()["facts"][name])) for name in leaf["facts"]
                ]
    for table, values in rows.items():
        holes = ", ".join("?" * len(values[0]))
        columns = f" ({PRODUCT})" if table == "products" else ""
        database.executemany(f"insert into {table}{columns} values ({holes})", values)


PRODUCT = "id, slug, sku, name, brand, category, price, list_price, stock, released, description, search"


def _product(
    number: int, category: int, leaf: dict[str, Any], kinds: str, dice: Dice, taken: set[str]
) -> tuple[Any, ...]:
    vocabulary = _words()
    while True:
        brand = dice.number(1, len(vocabulary["brands"]))
        noun = dice.pick(leaf["nouns"])
        name = f"{vocabulary['brands'][brand - 1]} {dice.pick(vocabulary['series'])} {noun}"
        if name not in taken:
            break
    taken.add(name)
    low, high = leaf["price"]
    price = int(low * (high / low) ** dice.between(0, 1)) * 100 + dice.pick((99, 95, 50, 0))
    listed = int(price * dice.pick((1.15, 1.25, 1.4))) // 100 * 100 + 99 if dice.chance(0.2) else None
    stock = 0 if dice.chance(0.08) else dice.number(1, 4) if dice.chance(0.15) else dice.number(5, 120)
    return (
        number, slugify(name), f"{slugify(noun)[:3].upper()}-{10000 + number * 7}", name, brand, category, price,
        listed, stock, dice.day(date(2022, 1, 1), date(2026, 6, 1)).isoformat(),
        f"{dice.pick(vocabulary['intros'])} {dice.pick(vocabulary['closers'])}", " ".join(words(f"{name} {kinds}")),
    )  # fmt: skip


def _options(product: int, kinds: dict[str, Any], dice: Dice) -> Iterator[tuple[Any, ...]]:
    for kind, values in kinds.items():
        chosen = dice.some(_words()["colours"], values) if isinstance(values, int) else values
        yield from ((product, kind, value, place) for place, value in enumerate(chosen))


def _reviews(database: sqlite3.Connection, dice: Dice) -> None:
    words = _words()
    rows, totals = [], []
    for (product,) in database.execute("select id from products").fetchall():
        count = dice.number(8, 24) if dice.chance(0.04) else dice.pick((0, 1, 1, 2, 2, 3))
        lean = dice.pick(("554", "5543", "5443", "4321"))
        stars = [int(dice.pick(lean)) for _ in range(count)]
        for rating, author in zip(stars, dice.some(words["people"], count), strict=True):
            title, text = dice.pick(words["reviews"][str(rating)])
            day = dice.day(date(2024, 6, 1), date(2026, 6, 10)).isoformat()
            rows.append((product, author, rating, title, text, day, dice.number(0, 25)))
        totals.append((round(sum(stars) / count, 1) if count else 0, count, product))
    database.executemany(
        "insert into reviews (product, author, rating, title, text, day, helpful) values (?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    database.executemany("update products set rating = ?, reviews = ? where id = ?", totals)


def _people(database: sqlite3.Connection, dice: Dice) -> None:
    for user, (email, password, name, phone) in enumerate(ACCOUNTS, 1):
        database.execute(
            "insert into users (id, email, password, name, phone) values (?, ?, ?, ?, ?)",
            (user, email, password, name, phone),
        )
        for preferred, (city, state, code) in zip((1, 0), dice.some(CITIES, 2), strict=True):
            street = f"{dice.number(10, 990)} {dice.pick(STREETS)}"
            database.execute(
                "insert into addresses (user, name, street, city, state, zip, preferred) values (?, ?, ?, ?, ?, ?, ?)",
                (user, name, street, city, state, code, preferred),
            )
        wished = dice.some(range(1, 1300), 4)
        database.executemany("insert into wishes values (?, ?)", [(user, product) for product in wished])


def _orders(database: sqlite3.Connection, dice: Dice) -> None:
    number = 104200
    for user in range(1, len(ACCOUNTS) + 1):
        email, name, home = (
            ACCOUNTS[user - 1][0],
            ACCOUNTS[user - 1][2],
            database.execute(
                "select street, city, state, zip from addresses where user = ?", (user,)
            ).fetchone(),
        )
        days = sorted((dice.number(20, 700) for _ in range(12)), reverse=True)
        for place, days_ago in enumerate([*days, 5, 3, 1]):
            number += dice.number(3, 40)
            status = (
                ("Shipped", "Processing", "Processing")[place - 12] if place >= 12 else dice.pick(STATUSES)
            )
            day = (TODAY - timedelta(days=days_ago)).isoformat()
            _order(database, dice, (str(number), user, email, day, status, name, *home))


def _order(database: sqlite3.Connection, dice: Dice, head: tuple[Any, ...]) -> None:
    number, user, email, day, status, *place = head
    subtotal = 0
    for product in dice.some(range(1, 1500), dice.pick((1, 1, 2, 3))):
        price = database.execute("select price from products where id = ?", (product,)).fetchone()[0]
        quantity = dice.pick((1, 1, 1, 2, 3))
        kinds = database.execute(
            "select kind, value from options where product = ? and position = 0", (product,)
        ).fetchall()
        options = ", ".join(f"{kind}: {value}" for kind, value in kinds)
        database.execute(
            "insert into order_lines (number, product, options, quantity, price) values (?, ?, ?, ?, ?)",
            (number, product, options, quantity, price),
        )
        subtotal += price * quantity
    method = dice.pick(tuple(SHIPPING))
    shipping = 0 if method == "Standard" and subtotal >= FREE_FROM else SHIPPING[method]
    database.execute(
        "insert into orders (number, user, email, day, status, subtotal, discount, shipping, total, method,"
        " recipient, street, city, state, zip, card) values (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (number, user, email, day, status, subtotal, shipping, subtotal + shipping, method, *place,
         str(dice.number(1000, 9999))),
    )  # fmt: skip
