"""What tasks on the back office are made of: records chosen by dice, and steps that many of them share."""

import sqlite3
from functools import cache
from typing import Any

from fixtures_sites.admin.app import MENU, SITE
from fixtures_sites.admin.seeded import STAFF
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, choose, click, confirm, fill, link

Row = sqlite3.Row
ADMIN, SALES, SUPPORT = (
    {"login": login, "password": password, "staff": name} for login, password, name, _ in STAFF
)
SIGNED = "sign in to the back office as {login} with the password {password}"
UNIQUE_NAME = "name in (select name from users group by name having count(*) = 1)"


@cache
def rows(sql: str, *values: Any) -> tuple[Row, ...]:
    """Rows of the seeded data."""
    return tuple(SITE.data.rows(sql, *values))


def one(sql: str, *values: Any) -> Any:
    """The first column of the first row."""
    return rows(sql, *values)[0][0]


def order(dice: Dice, condition: str = "1") -> Row:
    """An order of the back office's own customers that fits."""
    return dice.pick(rows(f"select * from orders where number > '110000' and {condition} order by number"))


def customer(dice: Dice, condition: str = "1") -> Row:
    """A customer who fits."""
    return dice.pick(rows(f"select * from users where id > 3 and {condition} order by id"))


def product(dice: Dice, condition: str = "p.enabled = 1") -> Row:
    """A product that fits; `category` is its category's name."""
    sql = "select p.*, c.name as leaf from products p join categories c on c.id = p.category"
    return dice.pick(rows(f"{sql} where {condition} order by p.id"))


def two(dice: Dice, condition: str = "p.enabled = 1") -> tuple[Row, Row]:
    """Two different products that fit."""
    first = product(dice, condition)
    while (second := product(dice, condition))["id"] == first["id"]:
        pass
    return first, second


def sign_in(who: dict[str, str] = ADMIN) -> list[Step]:
    """Sign in on the start page."""
    return [fill("User name", who["login"]), fill("Password", who["password"]), button("Sign in")]


def menu(page: str) -> list[Step]:
    """Open a page by the menu."""
    part = next(part for part, links in MENU.items() if page in dict(links))
    return [button(part), link(page)]


def to(page: str, who: dict[str, str] = ADMIN) -> list[Step]:
    """Sign in and open a page by the menu."""
    return [*sign_in(who), *menu(page)]


def keyword(text: str) -> list[Step]:
    """Search in a grid."""
    return [fill("Search by keyword", text, role="searchbox", submit=True)]


def filters(*fields: Step) -> list[Step]:
    """Open the filter panel, fill it, apply it."""
    return [button("Filters"), *fields, button("Apply filters")]


def open_order(number: str, who: dict[str, str] = ADMIN) -> list[Step]:
    """Sign in, search for an order, open it."""
    return [*to("Orders", who), *keyword(number), link(number)]


def open_customer(found: Row, who: dict[str, str] = ADMIN) -> list[Step]:
    """Sign in, search for a customer, open the page."""
    return [*to("All customers", who), *keyword(found["email"]), link(found["name"])]


def open_product(found: Row, who: dict[str, str] = ADMIN) -> list[Step]:
    """Sign in, search for a product, open it."""
    return [*to("Products", who), *keyword(found["sku"]), link(found["name"])]


def edit_row(found: Row, price: str = "", stock: int | None = None) -> list[Step]:
    """Search for a product in the grid and edit price or quantity in its row."""
    return [
        *keyword(found["sku"]), button("Edit", row=found["sku"]),
        *([fill("Price", price)] if price else []), *([fill("Quantity", stock)] if stock is not None else []),
        button("Save"),
    ]  # fmt: skip


def tick(*keys: Any) -> list[Step]:
    """Tick rows of a grid."""
    return [click("checkbox", f"Select {key}") for key in keys]


def apply(action: str, accept: bool = True) -> list[Step]:
    """Choose an action for the ticked rows, apply it, answer the question."""
    return [choose("Actions", action), button("Apply"), confirm(accept)]


def asked(question: str, wanted: Any, **values: Any) -> dict[str, Any]:
    """The test that the state answers a question so."""
    query = "&".join(f"{key}={value}" for key, value in values.items())
    return {"request": {"path": f"/__state/{question}{'?' if query else ''}{query}", "json": wanted}}


def order_is(number: str, **wanted: Any) -> dict[str, Any]:
    """The test that an order is so."""
    return asked("order", wanted, number=number)


def product_is(found: Row, **wanted: Any) -> dict[str, Any]:
    """The test that a product is so, and else unchanged."""
    same = {key: found[key] for key in ("name", "price", "stock", "enabled")}
    return asked("product", {**same, **wanted}, sku=found["sku"])
