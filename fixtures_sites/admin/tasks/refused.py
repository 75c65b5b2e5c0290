"""Tasks that can't be done: the right end is to say so."""

from fixtures_sites.admin.tasks.shelf import (
    ADMIN,
    SALES,
    SIGNED,
    SUPPORT,
    edit_row,
    keyword,
    open_order,
    order,
    product,
    to,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import answer, button, choose, done, fill, infeasible, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("admin")
NEVER = {"infeasible": True}


@BOOK.template(f"Cancel order {{number}}. ({SIGNED})", count=3)
def cancel_delivered(dice: Dice) -> Case:
    """It was delivered; there is no such button."""
    found = order(dice, "status = 'Delivered' and refunded = 0")
    way = open_order(found["number"], SALES)
    return Case({"number": found["number"], **SALES}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template(f"Enter the tracking number {{tracking}} (UPS) for order {{number}}. ({SIGNED})", count=3)
def ship_cancelled(dice: Dice) -> Case:
    """It was cancelled."""
    found = order(dice, "status = 'Cancelled'")
    way = open_order(found["number"], SALES)
    return Case(
        {"number": found["number"], "tracking": f"{dice.number(10**9, 10**10 - 1)}", **SALES}, NEVER,
        [*way, infeasible()], [*way, fill("Comment", "Shipped with UPS."), button("Add note"), done()],
    )  # fmt: skip


@BOOK.template(f"Refund order {{number}} in full, reason “Changed mind”. ({SIGNED})", count=3)
def refund_unpaid(dice: Dice) -> Case:
    """It has no invoice, so there is nothing to refund, and it can't be invoiced."""
    found = order(dice, "status = 'Cancelled'")
    way = open_order(found["number"])
    return Case({"number": found["number"], **ADMIN}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template(f"What is the grand total of order {{number}}? ({SIGNED})", count=3)
def no_such_order(dice: Dice) -> Case:
    """There is no such order."""
    number = str(dice.number(310000, 389999))
    way = [*to("Orders"), *keyword(number)]
    return Case({"number": number, **ADMIN}, NEVER, [*way, infeasible()], [*way, answer("$0.00")])


@BOOK.template(
    f"Change the price of the {{product}} to ${{price}}. ({SIGNED}; do not use another account)", count=3
)
def not_allowed(dice: Dice) -> Case:
    """The role may not."""
    found, new = product(dice), f"{dice.number(15, 240)}.50"
    way = [*to("Products", SUPPORT), *edit_row(found, new)]
    return Case(
        {"product": found["name"], "price": new, **SUPPORT}, NEVER, [*way, infeasible()], [*way, done()]
    )


@BOOK.template(f"Change the phone number of our customer {{name}} to +1 503-555-0188. ({SIGNED})", count=3)
def no_such_customer(dice: Dice) -> Case:
    """There is no such customer."""
    name = f"{dice.pick(('Zebulon', 'Philomena', 'Aloysius'))} {dice.pick(('Crankshaw', 'Featherby', 'Ottoline'))}"
    way = [*to("All customers", SALES), *keyword(name)]
    return Case({"name": name, **SALES}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template(f"Move the {{product}} to the category {{category}}. ({SIGNED})", count=2)
def no_such_category(dice: Dice) -> Case:
    """There is no such category."""
    found, category = product(dice), dice.pick(("Submarines", "Typewriters", "Telescopes"))
    way = [*to("Products"), *keyword(found["sku"]), link(found["name"])]
    return Case(
        {"product": found["name"], "category": category, **ADMIN}, NEVER, [*way, infeasible()],
        [*way, choose("Category", "Kettles"), button("Save"), done()],
    )  # fmt: skip
