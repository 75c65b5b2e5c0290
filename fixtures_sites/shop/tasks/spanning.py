"""Tasks that need the map as well."""

from fixtures_sites.maps.place import Place
from fixtures_sites.maps.places import places, search
from fixtures_sites.seeded import Dice
from fixtures_sites.shop.seeded import STATES
from fixtures_sites.shop.tasks.buying import CARD, CARDS, address, ordered, pay
from fixtures_sites.shop.tasks.shelf import SIGNED, account, addresses, member, product, put, sign_in
from fixtures_sites.steps import Step, answer, button, choose, click, done, fill, link, visit
from fixtures_sites.tasks import Book, Case

BOOK = Book("shop")


def place(dice: Dice) -> Place:
    """A place on the map that its name alone finds, in a state that the shop delivers to."""
    while True:
        found = dice.pick(places())
        if found.state in STATES and len(search(found.name)) == 1:
            return found


def look_up(found: Place) -> list[Step]:
    """Open the place on the map, and come back."""
    return [
        visit("__MAPS__/"), fill("Search for a place", found.name, role="searchbox", submit=True), link(found.name),
        visit("/"),
    ]  # fmt: skip


@BOOK.template(
    f"Add the address of the {{place}} (look it up on the map) to my addresses, for {{name}}. ({SIGNED})",
    count=5,
    also=["maps"],
)
def address_of_place(dice: Dice) -> Case:
    """Read an address on the map, enter it in the shop."""
    who, found = member(dice), place(dice)
    wrong = f"{int(found.zip_code) + 1:05}"
    new = {
        "name": who["name"],
        "street": found.street,
        "city": found.city,
        "state": found.state,
        "zip": found.zip_code,
    }
    way = [*look_up(found), *sign_in(who), link("Addresses"), link("Add an address")]

    def end(code: str) -> list[Step]:
        return [
            *address(who["name"], found.street, found.city, found.state, code),
            button("Save address"),
            done(),
        ]

    return Case(
        {"place": found.name, **who},
        account(who, addresses=[*addresses(who), new]),
        [*way, *end(found.zip_code)],
        [*way, *end(wrong)],
    )


@BOOK.template(
    "Order the {product} as a guest (ana.cole@example.com) for Ana Cole at the {place}, whose address is on the map, by pickup "
    "point shipping; " + CARD + ".",
    count=5,
    also=["maps"],
    hard=True,
)
def order_to_place(dice: Dice) -> Case:
    """Read an address on the map, order to it."""
    item, found, card = product(dice), place(dice), dice.pick(CARDS)

    def way(method: str) -> list[Step]:
        return [
            *look_up(found), *put(item["name"]), link("Cart 1"), link("Checkout"), link("Continue as guest"),
            fill("E-mail address", "ana.cole@example.com"),
            *address("Ana Cole", found.street, found.city, found.state, found.zip_code), button("Continue"),
            click("radio", method), button("Continue"), *pay(card, "Ana Cole"), done(),
        ]  # fmt: skip

    wanted = {"street": found.street, "city": found.city, "zip": found.zip_code, "method": "Pickup point"}
    return Case(
        {"product": item["name"], "place": found.name, "card": card},
        ordered(item["name"], **wanted),
        way("Pickup point"),
        way("Standard"),
    )


@BOOK.template(
    "Send the shop a message from {email}, topic Other, that says: “Please deliver to” and then the full address of the {place} as "
    "the map has it.",
    count=4,
    also=["maps"],
)
def message_with_address(dice: Dice) -> Case:
    """Read an address on the map, write it to the shop."""
    found, email = place(dice), member(dice)["email"]
    form = [link("Contact us"), fill("E-mail address", email)]

    def end(text: str) -> list[Step]:
        return [*form, choose("Topic", "Other"),
                fill("Message", text), button("Send message"), done()]  # fmt: skip

    text = f"Please deliver to {found.address}"
    return Case(
        {"place": found.name, "email": email},
        {
            "request": {
                "path": "/__state/messages",
                "json": [{"email": email, "topic": "Other", "text": text}],
            }
        },
        [*look_up(found), *end(text)],
        [*look_up(found), *end(f"Please deliver to {found.name}")],
    )


@BOOK.template(
    "What is the phone number of the {place} on the map, and what does the {product} cost in the shop?",
    count=4,
    also=["maps"],
)
def phone_and_price(dice: Dice) -> Case:
    """Read on both."""
    item, found = product(dice), place(dice)
    price = f"${item['price'] / 100:,.2f}"
    way = [*look_up(found), fill("Search products", item["name"], role="searchbox", submit=True)]
    return Case(
        {"place": found.name, "product": item["name"]},
        {"answer_includes": [found.phone, price]},
        [*way, answer(f"{found.phone}, {price}")],
        [*way, answer(found.phone)],
    )
