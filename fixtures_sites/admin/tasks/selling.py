"""Tasks that change orders and customers."""

from fixtures_sites.admin.seeded import CARRIERS, GROUPS, REASONS
from fixtures_sites.admin.tasks.shelf import (
    ADMIN,
    SALES,
    SIGNED,
    SUPPORT,
    UNIQUE_NAME,
    Row,
    apply,
    asked,
    customer,
    filters,
    keyword,
    one,
    open_customer,
    open_order,
    order,
    order_is,
    rows,
    tick,
    to,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.shop.money import money
from fixtures_sites.steps import Step, button, choose, click, confirm, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("admin")
REMARKS = (
    "Customer called, wants delivery in the morning.", "Address checked by phone.", "Leave the parcel with the neighbour.",
    "Gift, no invoice in the box.", "Fragile: use the double box.",
)  # fmt: skip


@BOOK.template(
    f"Set the status of order {{number}} to {{status}}. ({SIGNED})",
    f"Order {{number}} should be {{status}} now; change its status. ({SIGNED})",
)
def change_status(dice: Dice) -> Case:
    """Open an order, choose, confirm."""
    found = order(dice, "status in ('Shipped', 'Pending', 'On hold')")
    status = {"Shipped": "Delivered", "Pending": "Processing", "On hold": "Pending"}[found["status"]]
    way = [*open_order(found["number"], SALES), choose("Status", status)]
    return Case(
        {"number": found["number"], "status": status, **SALES}, order_is(found["number"], status=status),
        [*way, button("Change status"), done()], [*way, done()],
    )  # fmt: skip


@BOOK.template(
    f"Order {{number}} went out with {{carrier}}, tracking number {{tracking}}. Enter that. ({SIGNED})",
    f"Ship order {{number}} with {{carrier}}, tracking {{tracking}}. ({SIGNED})",
    count=5,
)
def add_tracking(dice: Dice) -> Case:
    """Open an order, fill a form."""
    found, carrier = order(dice, "status = 'Processing'"), dice.pick(CARRIERS)
    tracking = f"{dice.number(10**9, 10**10 - 1)}"
    wrong = next(other for other in CARRIERS if other != carrier)

    def way(by: str) -> list[Step]:
        return [
            *open_order(found["number"], SALES),
            choose("Carrier", by),
            fill("Tracking number", tracking),
            button("Ship"),
            done(),
        ]

    return Case(
        {"number": found["number"], "carrier": carrier, "tracking": tracking, **SALES},
        order_is(found["number"], carrier=carrier, tracking=tracking), way(carrier), way(wrong),
    )  # fmt: skip


@BOOK.template(f"Create the invoice of order {{number}}. ({SIGNED})", count=4)
def invoice(dice: Dice) -> Case:
    """Open an order, press a button."""
    found = order(dice, "invoice = '' and status in ('Pending', 'Processing')")
    number = found["number"]
    other = order(dice, f"invoice = '' and status in ('Pending', 'Processing') and number <> '{number}'")
    return Case(
        {"number": number, **SALES}, order_is(number, invoice=f"INV-{number}"),
        [*open_order(number, SALES), button("Invoice"), done()], [*open_order(other["number"], SALES), button("Invoice"), done()],
    )  # fmt: skip


@BOOK.template(
    f"Refund {{amount}} of order {{number}}; reason: {{reason}}. ({SIGNED})",
    f"Give the customer of order {{number}} {{amount}} back ({{reason}}). ({SIGNED})",
    count=5,
)
def refund_part(dice: Dice) -> Case:
    """Open an order, fill a form, confirm."""
    found, reason = order(dice, "status = 'Delivered' and refunded = 0 and total > 6000"), dice.pick(REASONS)
    amount = dice.number(5, 40) * 100 + dice.pick((0, 50))
    form = [*open_order(found["number"]), link("Refund")]
    end = [choose("Reason", reason), button("Submit refund"), confirm(), done()]
    return Case(
        {"number": found["number"], "amount": money(amount), "reason": reason.lower(), **ADMIN},
        order_is(found["number"], refunds=[{"amount": amount, "reason": reason}]),
        [*form, fill("Amount", f"{amount / 100:.2f}"), *end], [*form, *end],
    )  # fmt: skip


@BOOK.template(f"Refund order {{number}} in full because of “{{reason}}”. ({SIGNED})", count=3)
def refund_all(dice: Dice) -> Case:
    """The same with the amount that stands there."""
    found, reason = order(dice, "status = 'Shipped' and refunded = 0"), dice.pick(REASONS)
    form = [*open_order(found["number"]), link("Refund"), choose("Reason", reason), button("Submit refund")]
    return Case(
        {"number": found["number"], "reason": reason, **ADMIN},
        order_is(found["number"], status="Refunded", refunds=[{"amount": found["total"], "reason": reason}]),
        [*form, confirm(), done()], [*form, confirm(False), done()],
    )  # fmt: skip


@BOOK.template(
    f"Cancel order {{number}}. ({SIGNED})",
    f"The customer no longer wants order {{number}}; cancel it. ({SIGNED})",
)
def cancel(dice: Dice) -> Case:
    """Open an order, press a button, confirm."""
    found = order(dice, "status in ('Pending', 'Processing', 'On hold')")
    way = [*open_order(found["number"], SALES), button("Cancel order")]
    return Case(
        {"number": found["number"], **SALES}, order_is(found["number"], status="Cancelled"),
        [*way, confirm(), done()], [*way, confirm(False), done()],
    )  # fmt: skip


@BOOK.template(f"Put the orders {{one}} and {{two}} on hold. ({SIGNED})", count=3)
def hold_two(dice: Dice) -> Case:
    """Filter, tick, choose an action, confirm."""
    found = rows(
        "select number from orders where number > '110000' and status = 'Pending' order by day desc, number desc limit 15"
    )
    first, second = dice.some([row["number"] for row in found], 2)
    held = [row["number"] for row in rows("select number from orders where status = 'On hold'")]
    way = [*to("Orders", SALES), *filters(choose("Status", "Pending"))]
    return Case(
        {"one": first, "two": second, **SALES}, asked("statuses", sorted({*held, first, second}), status="On%20hold"),
        [*way, *tick(first, second), *apply("Hold"), done()], [*way, *tick(first), *apply("Hold"), done()],
    )  # fmt: skip


@BOOK.template(
    f"Release all orders that are on hold. ({SIGNED})",
    f"Take every order off hold again. ({SIGNED})",
    count=2,
    hard=True,
)
def unhold_all(dice: Dice) -> Case:
    """Filter, tick all, choose an action, confirm."""
    del dice
    first = one("select number from orders where status = 'On hold' order by day desc, number desc")
    way = [*to("Orders", SALES), *filters(choose("Status", "On hold"))]
    return Case(
        dict(SALES), asked("statuses", [], status="On%20hold"),
        [*way, click("checkbox", "Select all"), *apply("Unhold"), done()], [*way, *tick(first), *apply("Unhold"), done()],
    )  # fmt: skip


@BOOK.template(f"Add this note to order {{number}}: “{{text}}” {{told}}. ({SIGNED})", count=4)
def order_note(dice: Dice) -> Case:
    """Open an order, write, tick or not."""
    found, text, told = order(dice), dice.pick(REMARKS), dice.number(0, 1)
    way = [*open_order(found["number"], SUPPORT), fill("Comment", text)]
    ticked, plain = (
        [click("checkbox", "Notify customer by e-mail"), button("Add note"), done()],
        [button("Add note"), done()],
    )
    return Case(
        {"number": found["number"], "text": text, "told": "Notify the customer" if told else "Do not notify the customer",
         **SUPPORT},
        order_is(found["number"], notes=[{"text": text, "told": told}]),
        [*way, *(ticked if told else plain)], [*way, *(plain if told else ticked)],
    )  # fmt: skip


@BOOK.template(f"The customer {{name}} has a new phone number: {{phone}}. Save it. ({SIGNED})", count=4)
def customer_phone_new(dice: Dice) -> Case:
    """Open a customer, change a field, save."""
    found, phone = customer(dice, UNIQUE_NAME), f"+1 {dice.number(202, 979)}-555-{dice.number(1000, 9999)}"
    way = [*open_customer(found, SALES), fill("Phone", phone)]
    return Case(
        {"name": found["name"], "phone": phone, **SALES},
        asked("customer", {"name": found["name"], "email": found["email"], "phone": phone, "grp": found["grp"]}, id=found["id"]),
        [*way, button("Save customer"), done()], [*way, done()],
    )  # fmt: skip


@BOOK.template(
    f"Move {{name}} to the customer group {{group}}. ({SIGNED})",
    f"{{name}} should be in the group {{group}}. ({SIGNED})",
    count=4,
)
def customer_group(dice: Dice) -> Case:
    """Open a customer, choose, save."""
    found = customer(dice, UNIQUE_NAME)
    group, wrong = dice.some([one for one in GROUPS if one != found["grp"]], 2)
    way = open_customer(found, SALES)
    return Case(
        {"name": found["name"], "group": group, **SALES}, asked("customer", {"grp": group, "phone": found["phone"]}, id=found["id"]),
        [*way, choose("Group", group), button("Save customer"), done()],
        [*way, choose("Group", wrong), button("Save customer"), done()],
    )  # fmt: skip


@BOOK.template(f"Block the customer with the e-mail address {{email}}. ({SIGNED})", count=3)
def block(dice: Dice) -> Case:
    """Open a customer, press a button, confirm on a page."""
    found = customer(dice, "blocked = 0")
    way = [*open_customer(found, SALES), link("Block customer")]
    return Case(
        {"email": found["email"], **SALES}, asked("customer", {"blocked": 1}, id=found["id"]),
        [*way, button("Yes, block"), done()], [*way, link("No, go back"), done()],
    )  # fmt: skip


@BOOK.template(f"Write the note “{{text}}” on the customer {{name}}. ({SIGNED})", count=3)
def customer_note(dice: Dice) -> Case:
    """Open a customer, write."""
    found, text = (
        customer(dice, UNIQUE_NAME),
        dice.pick(("Prefers e-mail.", "Asked for a catalogue.", "Pays by bank transfer.", "Speaks Spanish.")),
    )
    way = [*open_customer(found, SUPPORT), fill("Comment", text)]
    return Case(
        {"name": found["name"], "text": text, **SUPPORT}, asked("customer", {"notes": [text]}, id=found["id"]),
        [*way, button("Add note"), done()], [*way, done()],
    )  # fmt: skip


@BOOK.template(
    f"Put these two customers into the group {{group}}: {{one}} and {{two}}. ({SIGNED})", count=3, hard=True
)
def group_two(dice: Dice) -> Case:
    """Search twice, tick, choose an action, confirm."""
    group = dice.pick(("VIP", "Retailer", "Wholesale"))
    first, second = (
        customer(dice, f"{UNIQUE_NAME} and grp = 'General'"),
        customer(dice, f"{UNIQUE_NAME} and grp = 'General'"),
    )
    known = [row["id"] for row in rows("select id from users where grp = ?", group)]

    def move(found: Row) -> list[Step]:
        return [*keyword(found["email"]), *tick(found["id"]), *apply(f"Assign to {group}")]

    return Case(
        {"group": group, "one": first["name"], "two": second["name"], **SALES},
        asked("group", sorted({*known, first["id"], second["id"]}), name=group),
        [*to("All customers", SALES), *move(first), *move(second), done()], [*to("All customers", SALES), *move(first), done()],
    )  # fmt: skip
