"""What is in the cart and what it costs."""

import sqlite3
from dataclasses import dataclass

from fixtures_sites.seeded import TODAY
from fixtures_sites.shop.money import money
from fixtures_sites.shop.seeded import FREE_FROM, SHIPPING
from fixtures_sites.state import Data

MOST = 10
"""Of one product in the cart."""


@dataclass(frozen=True)
class Totals:
    """Amounts in cents."""

    subtotal: int
    discount: int
    shipping: int

    @property
    def total(self) -> int:
        return self.subtotal - self.discount + self.shipping


def lines(data: Data) -> list[sqlite3.Row]:
    """The cart, in the order in which things were added."""
    return data.rows(
        "select l.id, l.quantity, l.options, l.product, p.name, p.slug, p.price, p.stock, l.quantity * p.price as amount"
        " from cart l join products p on p.id = l.product order by l.id"
    )


def add(data: Data, product: int, chosen: str, quantity: int) -> int:
    """Puts a product into the cart, to what is there of it; how many there are now."""
    row = data.row("select id, quantity from cart where product = ? and options = ?", product, chosen)
    if row is None:
        data.change(
            "insert into cart (product, options, quantity) values (?, ?, ?)", product, chosen, quantity
        )
        return quantity
    now = min(MOST, int(row["quantity"]) + quantity)
    data.change("update cart set quantity = ? where id = ?", now, row["id"])
    return now


def totals(data: Data, code: str = "", method: str = "Standard") -> Totals:
    """What the cart costs with a coupon that is known to hold and a way of shipping."""
    subtotal = sum(line["amount"] for line in lines(data))
    coupon = data.row("select * from coupons where code = ?", code) if code else None
    discount, free = 0, method == "Standard" and subtotal >= FREE_FROM
    if coupon is not None:
        if coupon["kind"] == "percent":
            discount = round(subtotal * coupon["value"] / 100)
        elif coupon["kind"] == "amount":
            discount = min(subtotal, coupon["value"])
        free = free or coupon["kind"] == "shipping"
    return Totals(subtotal, discount, 0 if free or not subtotal else SHIPPING[method])


def refusal(data: Data, code: str) -> str:
    """Why a coupon can't be used now; empty where it can."""
    coupon = data.row("select * from coupons where code = ?", code)
    if coupon is None:
        return f"The coupon code {code or '(empty)'} is not valid."
    if coupon["until"] < TODAY.isoformat():
        return f"The coupon code {code} expired on {coupon['until']}."
    if sum(line["amount"] for line in lines(data)) < coupon["minimum"]:
        return f"The coupon code {code} needs an order of {money(coupon['minimum'])} or more."
    return ""
