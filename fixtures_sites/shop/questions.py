"""What tasks may ask of the shop's state."""

from collections.abc import Mapping
from typing import Any

from fixtures_sites.shop import basket
from fixtures_sites.site import Question
from fixtures_sites.state import Data

SEEDED_ORDERS = "200000"
"""Numbers of orders placed in a session are above this one."""


def cart(data: Data, _asked: Mapping[str, str]) -> Any:
    """The lines of the cart, and the coupon."""
    coupon = data.value("select value from session where name = 'coupon'")
    return {
        "lines": [{key: line[key] for key in ("name", "options", "quantity")} for line in basket.lines(data)],
        "coupon": coupon,
    }


def placed(data: Data, _asked: Mapping[str, str]) -> Any:
    """The orders placed in this session, oldest first."""
    rows = data.rows("select number from orders where number > ? order by number", SEEDED_ORDERS)
    return [_order(data, row["number"]) for row in rows]


def order(data: Data, asked: Mapping[str, str]) -> Any:
    """The order of this `number`."""
    return _order(data, asked.get("number", ""))


def account(data: Data, asked: Mapping[str, str]) -> Any:
    """All that is kept of the person with this `email`."""
    email = asked.get("email", "")
    user = data.row("select * from users where email = ?", email)
    if user is None:
        return None
    return {
        **{key: user[key] for key in ("name", "phone", "password", "newsletter")},
        "addresses": data.objects(
            "select name, street, city, state, zip, preferred from addresses where user = ? order by id",
            user["id"],
        ),
        "wishes": [
            row["name"]
            for row in data.rows(
                "select p.name from wishes w join products p on p.id = w.product where w.user = ? order by p.name",
                user["id"],
            )
        ],
        "reviews": data.objects(
            "select p.name as product, r.rating, r.title, r.text from reviews r join products p on p.id = r.product"
            " where r.user = ? order by r.id",
            user["id"],
        ),
    }


def messages(data: Data, _asked: Mapping[str, str]) -> Any:
    """What was sent by the contact form."""
    return data.objects("select email, topic, number, text from messages order by id")


def newsletter(data: Data, _asked: Mapping[str, str]) -> Any:
    """The addresses that subscribed."""
    return [row["email"] for row in data.rows("select email from newsletter order by email")]


def returns(data: Data, _asked: Mapping[str, str]) -> Any:
    """The returns asked for."""
    return data.objects(
        "select r.number, p.name as product, r.reason, r.note from returns r join order_lines l on l.id = r.line"
        " join products p on p.id = l.product order by r.id"
    )


def votes(data: Data, asked: Mapping[str, str]) -> Any:
    """Votes for the reviews of the product called `slug`, by author."""
    rows = data.rows(
        "select r.author, r.helpful from reviews r join products p on p.id = r.product where p.slug = ?",
        asked.get("slug", ""),
    )
    return {row["author"]: row["helpful"] for row in rows}


def _order(data: Data, number: str) -> Any:
    row = data.row("select * from orders where number = ?", number)
    if row is None:
        return None
    keys = ("number", "email", "status", "method", "recipient", "street", "city", "state", "zip", "card", "coupon",
            "gift_note", "total")  # fmt: skip
    lines = data.objects(
        "select p.name, l.options, l.quantity from order_lines l join products p on p.id = l.product"
        " where l.number = ? order by l.id",
        number,
    )
    return {**{key: row[key] for key in keys}, "lines": lines}


QUESTIONS: Mapping[str, Question] = {
    "cart": cart,
    "placed": placed,
    "order": order,
    "account": account,
    "messages": messages,
    "newsletter": newsletter,
    "returns": returns,
    "votes": votes,
}
