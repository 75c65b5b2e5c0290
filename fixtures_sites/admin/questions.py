"""What tasks may ask of the back office's state."""

from collections.abc import Mapping
from typing import Any

from fixtures_sites.admin.records import ENTITIES
from fixtures_sites.site import Question
from fixtures_sites.state import Data


def order(data: Data, asked: Mapping[str, str]) -> Any:
    """The order of this `number`, with its notes and refunds."""
    number = asked.get("number", "")
    row = data.row("select * from orders where number = ?", number)
    if row is None:
        return None
    keys = (
        "number",
        "status",
        "carrier",
        "tracking",
        "invoice",
        "refunded",
        "recipient",
        "street",
        "city",
        "state",
        "zip",
    )
    return {
        **{key: row[key] for key in keys},
        "notes": data.objects("select text, told from order_notes where number = ? order by id", number),
        "refunds": data.objects("select amount, reason from refunds where number = ? order by id", number),
    }


def customer(data: Data, asked: Mapping[str, str]) -> Any:
    """The customer of this `id`, with the notes."""
    row = data.row(
        "select id, name, email, phone, grp, blocked, newsletter from users where id = ?", asked.get("id", "")
    )
    if row is None:
        return None
    notes = data.rows("select text from customer_notes where user = ? order by id", row["id"])
    return {**dict(row), "notes": [note["text"] for note in notes]}


def product(data: Data, asked: Mapping[str, str]) -> Any:
    """The product with this `sku`."""
    row = data.row(
        "select p.name, p.sku, p.price, p.list_price, p.stock, p.enabled, p.description, c.name as category"
        " from products p join categories c on c.id = p.category where p.sku = ?",
        asked.get("sku", ""),
    )
    return None if row is None else dict(row)


def disabled(data: Data, _asked: Mapping[str, str]) -> Any:
    """The SKUs of all products that are disabled."""
    return [row["sku"] for row in data.rows("select sku from products where enabled = 0 order by id")]


def review(data: Data, asked: Mapping[str, str]) -> Any:
    """The review of this `id`."""
    row = data.row("select id, title, author, rating, status from reviews where id = ?", asked.get("id", ""))
    return None if row is None else dict(row)


def reviews(data: Data, _asked: Mapping[str, str]) -> Any:
    """The numbers of the reviews that wait, and of those that were rejected."""
    return {
        status.lower(): [
            row["id"] for row in data.rows("select id from reviews where status = ? order by id", status)
        ]
        for status in ("Pending", "Rejected")
    }


def statuses(data: Data, asked: Mapping[str, str]) -> Any:
    """The numbers of all orders with this `status`."""
    rows = data.rows("select number from orders where status = ? order by number", asked.get("status", ""))
    return [row["number"] for row in rows]


def group(data: Data, asked: Mapping[str, str]) -> Any:
    """The numbers of all customers in the group called `name`."""
    return [
        row["id"]
        for row in data.rows("select id from users where grp = ? order by id", asked.get("name", ""))
    ]


def mails(data: Data, _asked: Mapping[str, str]) -> Any:
    """The e-mails sent to many."""
    return data.objects("select grp, subject, text, recipients from mails order by id")


def exports(data: Data, _asked: Mapping[str, str]) -> Any:
    """The exports that were made."""
    return data.objects("select what, since, until from exports order by id")


def _records(table: str, names: tuple[str, ...]) -> Question:
    def answer(data: Data, asked: Mapping[str, str]) -> Any:
        """The records of a kind, or those whose fields are as asked."""
        given = {name: value for name, value in asked.items() if name in names}
        where = " and ".join(f"{name} = ?" for name in given) or "1"
        return data.objects(
            f"select {', '.join(names)} from {table} where {where} order by rowid", *given.values()
        )

    return answer


QUESTIONS: Mapping[str, Question] = {
    "order": order,
    "customer": customer,
    "product": product,
    "disabled": disabled,
    "review": review,
    "reviews": reviews,
    "statuses": statuses,
    "group": group,
    "mails": mails,
    "exports": exports,
    **{one.table: _records(one.table, tuple(field.name for field in one.fields)) for one in ENTITIES},
}
