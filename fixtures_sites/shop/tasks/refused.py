"""Tasks that can't be done: the right end is to say so."""

from fixtures_sites.seeded import Dice
from fixtures_sites.shop.tasks.shelf import (
    PLAIN,
    SIGNED,
    kinds,
    member,
    open_order,
    open_product,
    orders,
    product,
    put,
    search,
    sign_in,
)
from fixtures_sites.steps import button, done, fill, infeasible, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("shop")
NEVER = {"infeasible": True}


@BOOK.template("Add the {product} to my cart.", count=4)
def no_such_product(dice: Dice) -> Case:
    """There is no such product."""
    name = f"{dice.pick(('Zorblax', 'Quentara', 'Ostrolux'))} {dice.pick(('Hover Kettle', 'Solar Tent', 'Paper Lamp', 'Echo Boots'))}"
    other = product(dice)
    return Case({"product": name}, NEVER, [*search(name), infeasible()], [*put(other["name"]), done()])


@BOOK.template("Put one {product} into the shopping cart.", count=4)
def out_of_stock(dice: Dice) -> Case:
    """It is out of stock."""
    found, other = product(dice, "stock = 0"), product(dice)
    return Case(
        {"product": found["name"]},
        NEVER,
        [*open_product(found["name"]), infeasible()],
        [*open_product(found["name"]), *put(other["name"]), done()],
    )


@BOOK.template(f"Cancel the order {{number}} for me. ({SIGNED})", count=4)
def too_late_to_cancel(dice: Dice) -> Case:
    """It was delivered long ago."""
    who = member(dice)
    order = dice.pick(orders(who, "status = 'Delivered'"))
    way = open_order(who, order["number"])
    return Case({"number": order["number"], **who}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template("Put the {product} into the cart with the coupon SPRING25.", count=3)
def expired_coupon(dice: Dice) -> Case:
    """The coupon has expired."""
    found = product(dice, f"{PLAIN} and price > 5000")
    way = [*put(found["name"]), link("Cart 1"), fill("Coupon code", "SPRING25"), button("Apply")]
    return Case({"product": found["name"]}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template("Add the {product} in {colour} to the cart.", count=4)
def no_such_colour(dice: Dice) -> Case:
    """It is not made in that colour."""
    found = product(dice, "stock > 9 and id in (select product from options where kind = 'Colour')"
                          " and id not in (select product from options where kind = 'Size')")  # fmt: skip
    colour = dice.pick(("Purple", "Orange", "Gold"))
    chosen = {"Colour": kinds(found["id"])["Colour"][0]}
    return Case(
        {"product": found["name"], "colour": colour.lower()},
        NEVER,
        [*open_product(found["name"]), infeasible()],
        [*put(found["name"], chosen), done()],
    )


@BOOK.template(f"What is the status of order {{number}} in my account? ({SIGNED})", count=3)
def not_my_order(dice: Dice) -> Case:
    """The account has no such order."""
    who = member(dice)
    number = str(dice.number(300000, 399999))
    way = [*sign_in(who), link("Orders")]
    return Case({"number": number, **who}, NEVER, [*way, link("Next page"), infeasible()], [*way, done()])
