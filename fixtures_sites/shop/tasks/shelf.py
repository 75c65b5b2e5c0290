"""What tasks on the shop are made of: records chosen by dice, and steps that many of them share."""

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from fixtures_sites.seeded import Dice
from fixtures_sites.shop.app import SITE
from fixtures_sites.shop.seeded import ACCOUNTS
from fixtures_sites.steps import Step, button, choose, click, fill, link

Row = sqlite3.Row
PLAIN = "stock > 9 and id not in (select product from options)"
"""Products that can be bought without a choice."""
SIGNED = "sign in as {email} with the password {password}"


@cache
def rows(sql: str, *values: Any) -> tuple[Row, ...]:
    """Rows of the seeded data."""
    return tuple(SITE.data.rows(sql, *values))


def one(sql: str, *values: Any) -> Any:
    """The first column of the first row."""
    return rows(sql, *values)[0][0]


def product(dice: Dice, condition: str = PLAIN) -> Row:
    """A product that fits."""
    return dice.pick(rows(f"select * from products where {condition} order by id"))


def kinds(number: int) -> dict[str, list[str]]:
    """The choices of a product."""
    found: dict[str, list[str]] = {}
    for row in rows("select kind, value from options where product = ? order by rowid", number):
        found.setdefault(row["kind"], []).append(row["value"])
    return found


def search(text: str) -> list[Step]:
    """Search for words."""
    return [fill("Search products", text, role="searchbox", submit=True)]


def open_product(name: str) -> list[Step]:
    """Search for a product and open it."""
    return [*search(name), link(name)]


def open_category(name: str) -> list[Step]:
    """Open a category by the menu."""
    return [button("Departments"), link(name)]


def put(name: str, chosen: dict[str, str] | None = None, quantity: int = 1) -> list[Step]:
    """Put a product into the cart."""
    steps = open_product(name)
    for kind, value in (chosen or {}).items():
        steps.append(click("radio", value) if kind == "Colour" else choose(kind, value))
    if quantity > 1:
        steps.append(fill("Quantity", quantity, role="spinbutton"))
    return [*steps, button("Add to cart")]


def told(chosen: dict[str, str]) -> str:
    """Choices as the cart shows them."""
    return ", ".join(f"{kind}: {value}" for kind, value in chosen.items())


def in_cart(*lines: tuple[str, str, int], coupon: str | None = None) -> dict[str, Any]:
    """The test that the cart holds exactly these (name, options, quantity)."""
    wanted = [{"name": name, "options": options, "quantity": count} for name, options, count in lines]
    return {"request": {"path": "/__state/cart", "json": {"lines": wanted, "coupon": coupon}}}


def member(dice: Dice) -> dict[str, str]:
    """Someone who has an account."""
    email, password, name, phone = dice.pick(ACCOUNTS)
    return {"email": email, "password": password, "name": name, "phone": phone}


def user_id(who: dict[str, str]) -> int:
    """The number of an account."""
    return int(one("select id from users where email = ?", who["email"]))


def sign_in(who: dict[str, str]) -> list[Step]:
    """Sign in by the link in the header."""
    return [
        link("Sign in"),
        fill("E-mail address", who["email"]),
        fill("Password", who["password"]),
        button("Sign in"),
    ]


def account(who: dict[str, str], **wanted: Any) -> dict[str, Any]:
    """The test that an account holds this."""
    return {"request": {"path": f"/__state/account?email={who['email']}", "json": wanted}}


def orders(who: dict[str, str], condition: str = "1") -> tuple[Row, ...]:
    """Someone's orders, newest first."""
    return rows(f"select * from orders where user = ? and {condition} order by number desc", user_id(who))


def open_order(who: dict[str, str], number: str) -> list[Step]:
    """Sign in and open an order, which may be on the second page."""
    place = [row["number"] for row in orders(who)].index(number)
    return [*sign_in(who), link("Orders"), *([link("Next page")] if place >= 8 else []), link(number)]


def order_lines(number: str) -> tuple[Row, ...]:
    """What was ordered."""
    return rows(
        "select l.*, p.name from order_lines l join products p on p.id = l.product where l.number = ? order by l.id",
        number,
    )


def fields(values: Sequence[tuple[str, str]]) -> list[Step]:
    """Fill text fields."""
    return [fill(name, value) for name, value in values]


def addresses(who: dict[str, str]) -> list[dict[str, object]]:
    """Someone's saved addresses, as the state tells them."""
    keys = ("name", "street", "city", "state", "zip", "preferred")
    known = rows("select * from addresses where user = ? order by id", user_id(who))
    return [{key: row[key] for key in keys} for row in known]
