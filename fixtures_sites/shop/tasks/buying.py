"""Tasks that fill the cart and place orders."""

from typing import Any

from fixtures_sites.seeded import Dice
from fixtures_sites.shop.tasks.shelf import (
    PLAIN,
    SIGNED,
    in_cart,
    kinds,
    member,
    open_category,
    open_order,
    order_lines,
    orders,
    product,
    put,
    rows,
    told,
    user_id,
)
from fixtures_sites.steps import Step, answer, button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("shop")
CARDS = ("4242 4242 4242 4242", "5555 5555 5555 4444", "4000 0566 5566 5556")
GUESTS = (
    ("Nora Blake", "nora.blake@example.com", "12 Elm Street", "Portland", "OR", "97205"),
    ("Omar Reyes", "omar.reyes@example.com", "480 Harbor Road", "Tacoma", "WA", "98402"),
    ("Lena Fox", "lena.fox@example.com", "77 Mill Lane", "Madison", "WI", "53703"),
    ("Theo Grant", "theo.grant@example.com", "5 Station Road", "Austin", "TX", "78701"),
)
ADDRESS = ("recipient", "street", "city", "state", "zip")


@BOOK.template("Put the {product} into my cart.", "Add one {product} to the cart.", count=5)
def add_to_cart(dice: Dice) -> Case:
    """Search, open, add."""
    found, other = product(dice), product(dice)
    return Case(
        {"product": found["name"]},
        in_cart((found["name"], "", 1)),
        [*put(found["name"]), done()],
        [*put(other["name"]), done()],
    )


@BOOK.template("Add the {product} to my cart: {options}.", count=6)
def add_with_options(dice: Dice) -> Case:
    """Search, open, choose, add."""
    found = product(dice, "stock > 9 and id in (select product from options)")
    offered = kinds(found["id"])
    chosen = {kind: dice.pick(values) for kind, values in offered.items()}
    kind = next(iter(offered))
    wrong = {**chosen, kind: next(value for value in offered[kind] if value != chosen[kind])}
    return Case(
        {"product": found["name"], "options": told(chosen).lower()},
        in_cart((found["name"], told(chosen), 1)),
        [*put(found["name"], chosen), done()],
        [*put(found["name"], wrong), done()],
    )


@BOOK.template("I need {count} of the {product}; put them into the cart.", count=4)
def add_several(dice: Dice) -> Case:
    """Search, open, set the quantity, add."""
    found, count = product(dice, "stock > 12 and id not in (select product from options)"), dice.number(2, 9)
    return Case(
        {"product": found["name"], "count": str(count)},
        in_cart((found["name"], "", count)),
        [*put(found["name"], quantity=count), done()],
        [*put(found["name"]), done()],
    )


@BOOK.template("Add the {product} and {count} of the {other} to the cart.", count=4)
def add_two(dice: Dice) -> Case:
    """The same twice."""
    one, two = dice.some(rows(f"select * from products where {PLAIN} order by id"), 2)
    count = dice.number(2, 4)
    return Case(
        {"product": one["name"], "other": two["name"], "count": str(count)},
        in_cart((one["name"], "", 1), (two["name"], "", count)),
        [*put(one["name"]), *put(two["name"], quantity=count), done()],
        [*put(one["name"]), *put(two["name"]), done()],
    )


@BOOK.template("Put the {product} into the cart and apply the coupon {code}.", count=4)
def coupon(dice: Dice) -> Case:
    """Add, open the cart, enter a code."""
    found, code = (
        product(dice, f"{PLAIN} and price > 10000"),
        dice.pick(("WELCOME10", "SUMMER20", "FREESHIP", "TAKE15")),
    )
    way = [*put(found["name"]), link("Cart 1")]
    return Case(
        {"product": found["name"], "code": code},
        in_cart((found["name"], "", 1), coupon=code),
        [*way, fill("Coupon code", code), button("Apply"), done()],
        [*way, fill("Coupon code", f"{code}X"), button("Apply"), done()],
    )


@BOOK.template(
    "Add the cheapest of the {category} that is in stock and rated 4 stars or more to the cart.",
    count=4,
    hard=True,
)
def cheapest_good(dice: Dice) -> Case:
    """Filter, sort, open the first, add."""
    while True:
        leaf = dice.pick(
            rows(
                "select * from categories where parent is not null and id not in (select category from products where id in (select product from options)) order by id"
            )
        )
        sql = "select * from products where category = ? and rating >= 4 and stock > 0 order by price, id"
        found = rows(sql, leaf["id"])
        if len(found) > 1 and found[0]["price"] < found[1]["price"]:
            break
    way = [
        *open_category(leaf["name"]),
        choose("Sort by", "Price: low to high"),
        click("radio", "4 stars and up"),
    ]
    way += [click("checkbox", "In stock only"), button("Show results")]
    return Case(
        {"category": leaf["name"].lower()},
        in_cart((found[0]["name"], "", 1)),
        [*way, link(found[0]["name"]), button("Add to cart"), done()],
        [*way, link(found[1]["name"]), button("Add to cart"), done()],
    )


@BOOK.template(
    f"Put all that I bought with order {{number}} into the cart again, but not the {{product}}. ({SIGNED})",
    count=4,
)
def buy_again_without(dice: Dice) -> Case:
    """Sign in, open an order, buy it again, take a line out."""
    while True:
        who = member(dice)
        order = dice.pick(orders(who))
        lines = order_lines(order["number"])
        if len(lines) > 1:
            break
    out = dice.pick(lines)
    kept = [(line["name"], line["options"], line["quantity"]) for line in lines if line["id"] != out["id"]]
    way = [*open_order(who, order["number"]), button("Buy again")]
    return Case(
        {"number": order["number"], "product": out["name"], **who},
        in_cart(*kept),
        [*way, button("Remove", row=out["name"]), done()],
        [*way, button("Remove", row=kept[0][0]), done()],
    )


def ordered(name: str, **wanted: Any) -> dict[str, Any]:
    """The test that one order was placed, for one product, with these properties."""
    lines = [{"name": name, "options": "", "quantity": wanted.pop("quantity", 1)}]
    return {"request": {"path": "/__state/placed", "json": [{"lines": lines, **wanted}]}}


def pay(card: str, holder: str) -> list[Step]:
    """Payment, and the order at the end."""
    return [
        fill("Card number", card), fill("Name on card", holder), fill("Expiry date", "12/28"), fill("Security code", "123"),
        button("Continue"), click("checkbox", "I accept the terms and conditions"), button("Place order"),
    ]  # fmt: skip


def address(name: str, street: str, city: str, state: str, code: str) -> list[Step]:
    """The fields of an address."""
    return [
        fill("Full name", name), fill("Street and number", street), fill("City", city), choose("State", state),
        fill("ZIP code", code),
    ]  # fmt: skip


CARD = "pay by card {card}, valid until 12/28, security code 123"


@BOOK.template(
    "Order the {product} as a guest: to {name} ({email}), {street}, {city}, {state} {zip}, by {method} shipping; "
    + CARD
    + ".",
    count=5,
    hard=True,
)
def guest_order(dice: Dice) -> Case:
    """The whole way from search to an order."""
    found, card = product(dice), dice.pick(CARDS)
    name, email, *place = dice.pick(GUESTS)
    street, city, state, code = place
    method = dice.pick(("Standard", "Express", "Pickup point"))
    other = "Express" if method != "Express" else "Standard"

    def way(shipping: str) -> list[Step]:
        return [
            *put(found["name"]), link("Cart 1"), link("Checkout"), link("Continue as guest"), fill("E-mail address", email),
            *address(name, street, city, state, code), button("Continue"), click("radio", shipping), button("Continue"),
            *pay(card, name), done(),
        ]  # fmt: skip

    values = {"name": name, "email": email, "street": street, "city": city, "state": state, "zip": code}
    wanted = {
        "recipient": name,
        "email": email,
        "street": street,
        "zip": code,
        "method": method,
        "card": card[-4:],
    }
    return Case(
        {"product": found["name"], "method": method.lower(), "card": card, **values},
        ordered(found["name"], **wanted),
        way(method),
        way(other),
    )


@BOOK.template(
    f"Order the {{product}} to my address in {{city}} by express; {CARD}. ({SIGNED})",
    count=4,
    hard=True,
)
def member_order(dice: Dice) -> Case:
    """Sign in, order to the address that is not the default."""
    found, who, card = product(dice), member(dice), dice.pick(CARDS)
    home = rows("select * from addresses where user = ? and preferred = 0", user_id(who))[0]
    saved = f"{home['name']}, {home['street']}, {home['city']}, {home['state']} {home['zip']}"

    def way(*choice: Step) -> list[Step]:
        return [
            *put(found["name"]), link("Cart 1"), link("Checkout"), link("Sign in to check out"),
            fill("E-mail address", who["email"]), fill("Password", who["password"]), button("Sign in"), *choice,
            button("Continue"), click("radio", "Express"), button("Continue"), *pay(card, who["name"]), done(),
        ]  # fmt: skip

    return Case(
        {"product": found["name"], "city": home["city"], "card": card, **who},
        ordered(found["name"], email=who["email"], street=home["street"], method="Express", card=card[-4:]),
        way(click("radio", saved)),
        way(),
    )


@BOOK.template(
    "Send {count} of the {product} as a gift to {name} ({email}), {street}, {city}, {state} {zip}: standard shipping, the gift "
    "note “{note}”, the coupon WELCOME10; " + CARD + ". What is the order number?",
    count=4,
    hard=True,
)
def gift_order(dice: Dice) -> Case:
    """A guest's order with a coupon and a note."""
    found, card, count = product(dice), dice.pick(CARDS), dice.number(2, 4)
    name, email, street, city, state, code = dice.pick(GUESTS)
    note = dice.pick(("Happy birthday!", "Get well soon", "Thank you for everything", "With love from us"))

    def way(*coupon_steps: Step) -> list[Step]:
        return [
            *put(found["name"], quantity=count), link(f"Cart {count}"), *coupon_steps, link("Checkout"), link("Continue as guest"),
            fill("E-mail address", email), *address(name, street, city, state, code), button("Continue"),
            click("radio", "Standard"), fill("Gift note (optional)", note), button("Continue"), *pay(card, name),
            answer("200017"),
        ]  # fmt: skip

    values = {"name": name, "email": email, "street": street, "city": city, "state": state, "zip": code}
    wanted = {
        "recipient": name,
        "coupon": "WELCOME10",
        "gift_note": note,
        "quantity": count,
        "method": "Standard",
    }
    return Case(
        {"product": found["name"], "count": str(count), "note": note, "card": card, **values},
        {"answer": "200017", **ordered(found["name"], **wanted)},
        way(fill("Coupon code", "WELCOME10"), button("Apply")),
        way(),
    )
