"""The back office's data before anyone has been there: the shop's own, and what its customers left behind."""

import json
import sqlite3
from collections import Counter
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from fixtures_sites.seeded import TODAY, Dice
from fixtures_sites.shop.seeded import CITIES, FREE_FROM, SHIPPING, STREETS
from fixtures_sites.shop.seeded import build as build_shop

SEED = 20250119
CUSTOMERS = 240
ORDERS = 620
FIRST_ORDER = 110001
GROUPS = ("General", "Wholesale", "VIP", "Retailer")
STATUSES = ("Pending", "Processing", "On hold", "Shipped", "Delivered", "Cancelled", "Refunded")
CARRIERS = ("UPS", "FedEx", "USPS", "DHL")
REASONS = ("Damaged in transit", "Wrong item", "Changed mind", "Arrived late", "Missing parts")
ROLES = {
    "Administrator": ("sales", "customers", "catalog", "marketing", "content", "system"),
    "Sales": ("sales", "customers"),
    "Content": ("content", "marketing"),
    "Support": ("notes",),
}
"""What those who have a role may change; all may look."""
STAFF = (
    ("admin", "lantern-desk-19", "Ingrid Holm", "Administrator"),
    ("t.okafor", "copper-kettle-3", "Tobi Okafor", "Sales"),
    ("support", "quiet-harbor-55", "Mia Lund", "Support"),
)
"""Login, password, name, role of those whom tasks sign in as."""


@cache
def _words() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((files(__package__) / "data" / "words.json").read_text("utf-8"))
    return loaded


def build(database: sqlite3.Connection) -> None:
    """Writes all of it into an empty database."""
    build_shop(database)
    database.executescript((files(__package__) / "schema.sql").read_text("utf-8"))
    dice = Dice(SEED)
    database.execute("begin")
    _customers(database, dice)
    _orders(database, dice)
    _catalogue(database, dice)
    _reviews(database, dice)
    _terms(database, dice)
    _office(database, dice)
    database.execute("commit")


def _customers(database: sqlite3.Connection, dice: Dice) -> None:
    taken: set[str] = set()
    rows: list[tuple[Any, ...]] = []
    while len(rows) < CUSTOMERS:
        first, last = dice.pick(_words()["first"]), dice.pick(_words()["last"])
        if (name := f"{first} {last}") in taken:
            continue
        taken.add(name)
        email = f"{first}.{last}@{dice.pick(('example.com', 'example.org', 'example.net'))}".lower()
        group = dice.pick(("General", "General", "General", "General", *GROUPS))
        joined = dice.day(date(2023, 1, 1), date(2026, 6, 1)).isoformat()
        phone = f"+1 {dice.number(202, 979)}-555-{dice.number(1000, 9999)}"
        rows.append((email, name, phone, dice.number(0, 1), group, int(dice.chance(0.03)), joined))
    database.executemany(
        "insert into users (email, password, name, phone, newsletter, grp, blocked, joined)"
        " values (?, '', ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _status(dice: Dice, age: int) -> str:
    if age <= 6:
        return dice.pick(("Pending", "Processing", "Processing", "On hold"))
    if age <= 14:
        return dice.pick(("Processing", "Shipped", "Shipped", "Delivered"))
    return dice.pick(("Delivered",) * 8 + ("Cancelled", "Refunded"))


def _orders(database: sqlite3.Connection, dice: Dice) -> None:
    database.execute("update orders set invoice = 'INV-' || number where status in ('Shipped', 'Delivered')")
    people = database.execute("select id, email, name from users where id > 3").fetchall()
    prices = dict(database.execute("select id, price from products").fetchall())
    popular = dice.some(sorted(prices), 70)
    ages = sorted((int(dice.between(0, 1) ** 1.5 * 520) for _ in range(ORDERS)), reverse=True)
    heads, lines, refunds = [], [], []
    for number, age in enumerate(ages, FIRST_ORDER):
        user, email, name = dice.pick(people)
        subtotal = 0
        for product in {
            dice.pick(popular) if dice.chance(0.5) else dice.number(1, len(prices))
            for _ in range(dice.pick((1, 1, 2, 3)))
        }:
            quantity = dice.pick((1, 1, 1, 2, 3))
            lines.append((str(number), product, "", quantity, prices[product]))
            subtotal += prices[product] * quantity
        method = dice.pick(tuple(SHIPPING))
        shipping = 0 if method == "Standard" and subtotal >= FREE_FROM else SHIPPING[method]
        day, status = (TODAY - timedelta(days=age)), _status(dice, age)
        total = subtotal + shipping
        billed = status in ("Shipped", "Delivered", "Refunded") or (
            status == "Processing" and dice.chance(0.5)
        )
        sent = status in ("Shipped", "Delivered", "Refunded")
        carrier, tracking = (dice.pick(CARRIERS), f"{dice.number(10**9, 10**10 - 1)}") if sent else ("", "")
        back = 0
        if status == "Refunded" or (status == "Delivered" and dice.chance(0.04)):
            back = total if status == "Refunded" else subtotal // 2
            when = min(day + timedelta(days=dice.number(4, 20)), TODAY).isoformat()
            refunds.append((str(number), back, dice.pick(REASONS), when))
        city, state, code = dice.pick(CITIES)
        street = f"{dice.number(10, 990)} {dice.pick(STREETS)}"
        heads.append(
            (str(number), user, email, day.isoformat(), status, subtotal, shipping, total, method, name, street, city,
             state, code, str(dice.number(1000, 9999)), carrier, tracking, f"INV-{number}" if billed else "", back)
        )  # fmt: skip
    database.executemany(
        "insert into orders (number, user, email, day, status, subtotal, discount, shipping, total, method, recipient,"
        " street, city, state, zip, card, carrier, tracking, invoice, refunded)"
        " values (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        heads,
    )
    database.executemany(
        "insert into order_lines (number, product, options, quantity, price) values (?, ?, ?, ?, ?)", lines
    )
    database.executemany("insert into refunds (number, amount, reason, day) values (?, ?, ?, ?)", refunds)


def _catalogue(database: sqlite3.Connection, dice: Dice) -> None:
    count = database.execute("select count(*) from products").fetchone()[0]
    off = dice.some(range(1, count + 1), 24)
    database.executemany("update products set enabled = 0 where id = ?", [(number,) for number in off])
    database.executemany(
        "insert into attributes (name, vals, filterable) values (?, ?, ?)",
        [(name, ", ".join(values), dice.number(0, 1)) for name, values in _words()["attributes"].items()],
    )


def _reviews(database: sqlite3.Connection, dice: Dice) -> None:
    count = database.execute("select count(*) from products").fetchone()[0]
    rows = []
    for product, author in zip(
        dice.some(range(1, count + 1), 44), dice.some(_words()["nicknames"], 44), strict=True
    ):
        rating, title, text = dice.pick(_words()["pending"])
        day = dice.day(TODAY - timedelta(days=12), TODAY).isoformat()
        rows.append((product, author, rating, title, text, day))
    database.executemany(
        "insert into reviews (product, author, rating, title, text, day, status) values (?, ?, ?, ?, ?, ?, 'Pending')",
        rows,
    )


def _terms(database: sqlite3.Connection, dice: Dice) -> None:
    months = [f"{2025 + n // 12}-{n % 12 + 1:02}" for n in range(18)]
    rows = []
    for term in _words()["terms"]:
        base, results = dice.number(3, 90), dice.pick((0, *range(3, 60)))
        rows += [(term, month, base + dice.number(0, 60), results) for month in months]
    database.executemany("insert into terms values (?, ?, ?, ?)", rows)


def _office(database: sqlite3.Connection, dice: Dice) -> None:
    words = _words()
    staff: list[tuple[Any, ...]] = [
        (login, password, name, f"{login}@hearthfield.example", role, 1)
        for login, password, name, role in STAFF
    ]
    for name, role in words["staff"]:
        login = f"{name[0]}.{name.split()[-1]}".lower()
        staff.append((login, "", name, f"{login}@hearthfield.example", role, int(dice.chance(0.85))))
    database.executemany(
        "insert into staff (login, password, name, email, role, active) values (?, ?, ?, ?, ?, ?)", staff
    )
    for table in ("pages", "blocks"):
        database.executemany(
            f"insert into {table} (slug, title, body, active) values (?, ?, ?, ?)",
            [(slug, title, body, int(active)) for slug, title, body, active in words[table]],
        )
    database.executemany(
        "insert into methods (name, price, days, active) values (?, ?, ?, 1)",
        [(name, price, days) for (name, price), days in zip(SHIPPING.items(), (5, 2, 4), strict=True)],
    )
    database.executemany(
        "insert into taxes (state, rate, shipping_too) values (?, ?, ?)",
        [(state, f"{dice.number(16, 38) / 4:.2f}", dice.number(0, 1)) for state in words["taxed"]],
    )
    database.execute(
        "insert into store values (1, 'Hearth & Field', 'hello@hearthfield.example', '+1 503-555-0100',"
        " '18 Mill Lane', 'Portland', 'OR', '97205', 'Mon-Fri 9:00-17:00', ?)",
        (FREE_FROM,),
    )
    database.executemany(
        "insert into coupons (code, kind, value, minimum, until, text, since, active, used) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*row, dice.number(0, 400)) for row in words["coupons"]],
    )
    _activity(database, dice, [row[0] for row in staff])
    known = Counter(row[0] for row in staff)
    assert max(known.values()) == 1


def _activity(database: sqlite3.Connection, dice: Dice, logins: list[str]) -> None:
    numbers = [
        row[0]
        for row in database.execute("select number from orders where number >= '110500' order by number")
    ]
    skus = [row[0] for row in database.execute("select sku from products order by id limit 400")]
    minutes = sorted(dice.number(30, 40_000) for _ in range(180))
    rows = []
    for back, number, sku in zip(
        minutes, dice.some(numbers, 120) + numbers[:60], dice.some(skus, 180), strict=True
    ):
        day = TODAY - timedelta(days=back // 1440)
        time = f"{day.isoformat()} {8 + back % 10:02}:{back % 60:02}"
        what = dice.pick(
            (f"Changed the price of {sku}", f"Changed the stock of {sku}", f"Added a note to order {number}",
             f"Printed the invoice of order {number}", f"Disabled {sku}", "Signed in")
        )  # fmt: skip
        rows.append((time, dice.pick(logins), what))
    rows.sort()
    database.executemany("insert into activity (time, login, what) values (?, ?, ?)", rows)
