"""Tasks that need the map or the shop as well."""

from fixtures_sites.admin.tasks.shelf import (
    ADMIN,
    SALES,
    SIGNED,
    Row,
    asked,
    edit_row,
    filters,
    menu,
    one,
    open_order,
    order,
    order_is,
    product_is,
    rows,
    sign_in,
    two,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.shop.seeded import ACCOUNTS
from fixtures_sites.shop.tasks.shelf import open_product as open_in_shop
from fixtures_sites.shop.tasks.shelf import sign_in as sign_in_to_shop
from fixtures_sites.shop.tasks.spanning import look_up, place
from fixtures_sites.steps import Step, button, choose, done, fill, link, visit
from fixtures_sites.tasks import Book, Case

BOOK = Book("admin")


def _shop(*steps: Step) -> list[Step]:
    return [visit("__SHOP__/"), *steps, visit("/")]


@BOOK.template(
    f"Send order {{number}} to the {{place}} instead: change the street, city, state and ZIP code of its address to what the map"
    f" has. ({SIGNED})",
    count=5, also=["maps"], hard=True,
)  # fmt: skip
def address_from_map(dice: Dice) -> Case:
    """Read an address on the map, enter it in an order."""
    found, where = order(dice, "status in ('Processing', 'Pending')"), place(dice)

    def way(code: str) -> list[Step]:
        return [
            *look_up(where), *open_order(found["number"], SALES), link("Edit address"), fill("Street", where.street),
            fill("City", where.city), choose("State", where.state), fill("ZIP code", code), button("Save order address"), done(),
        ]  # fmt: skip

    wanted = {
        "recipient": found["recipient"],
        "street": where.street,
        "city": where.city,
        "state": where.state,
        "zip": where.zip_code,
    }
    return Case(
        {"number": found["number"], "place": where.name, **SALES}, order_is(found["number"], **wanted),
        way(where.zip_code), way(f"{(int(where.zip_code) + 1) % 100000:05}"),
    )  # fmt: skip


@BOOK.template(
    f"Set the phone number of our store to that of the {{place}} on the map. ({SIGNED})",
    count=4,
    also=["maps"],
)
def store_phone(dice: Dice) -> Case:
    """Read a number on the map, enter it in the settings."""
    where = place(dice)

    def way(phone: str) -> list[Step]:
        return [
            *look_up(where),
            *sign_in(),
            *menu("Store information"),
            fill("Phone", phone),
            button("Save"),
            done(),
        ]

    return Case(
        {"place": where.name, **ADMIN}, asked("store", [{"name": "Hearth & Field", "phone": where.phone}]),
        way(where.phone), way("+1 503-555-0101"),
    )  # fmt: skip


@BOOK.template(
    f"Let the block “{{title}}” say: Visit us next to the {{place}}, and then a comma, a space and the street of that place as the map"
    f" has it. ({SIGNED})",
    count=3, also=["maps"],
)  # fmt: skip
def block_with_street(dice: Dice) -> Case:
    """Read a street on the map, write it into a block."""
    where, found = place(dice), dice.pick(rows("select * from blocks order by id"))
    text = f"Visit us next to the {where.name}, {where.street}"

    def way(body: str) -> list[Step]:
        return [
            *look_up(where),
            *sign_in(),
            *menu("Blocks"),
            link(found["title"]),
            fill("Content", body),
            button("Save"),
            done(),
        ]

    pattern = [{"body": text}]
    return Case(
        {"title": found["title"], "place": where.name, **ADMIN}, asked("blocks", pattern, slug=found["slug"]),
        way(text), way(f"{text}, {where.city}"),
    )  # fmt: skip


@BOOK.template(
    f"In the back office, give the {{product}} the price that the {{other}} has in the shop. ({SIGNED})",
    f"Look up in the shop what the {{other}} costs, and set the price of the {{product}} to the same in the back office. ({SIGNED})",
    count=4, also=["shop"],
)  # fmt: skip
def price_from_shop(dice: Dice) -> Case:
    """Read a price in the shop, edit it in the grid."""
    found, other = two(dice)

    def way(cents: int) -> list[Step]:
        return [
            *_shop(*open_in_shop(other["name"])),
            *sign_in(),
            *menu("Products"),
            *edit_row(found, f"{cents / 100:.2f}"),
            done(),
        ]

    return Case(
        {"product": found["name"], "other": other["name"], **ADMIN}, product_is(found, price=other["price"]),
        way(other["price"]), way(found["price"] + 100),
    )  # fmt: skip


def _newest(product: Row) -> Row:
    return rows(
        "select * from reviews where product = ? and status = 'Approved' order by day desc, id desc",
        product["id"],
    )[0]


@BOOK.template(
    f"Find out in the shop who wrote the newest review of the {{product}}, and reject that review in the back office. ({SIGNED})",
    count=4, also=["shop"], hard=True,
)  # fmt: skip
def reject_newest(dice: Dice) -> Case:
    """Read a review in the shop, find it in the back office, reject it."""
    sql = (
        "select p.* from products p join reviews r on r.product = p.id where r.status = 'Approved' and p.enabled = 1 group by p.id"
        " having count(distinct r.day) = count(*) and count(*) between 2 and 3 order by p.id"
    )
    found = dice.pick(rows(sql))
    newest = _newest(found)
    older = one("select id from reviews where product = ? and status = 'Approved' order by day", found["id"])

    def way(number: int) -> list[Step]:
        return [
            *_shop(*open_in_shop(found["name"])), *sign_in(), *menu("Reviews"), *filters(fill("Product", found["name"])),
            link(str(number)), choose("Status", "Rejected"), button("Save"), done(),
        ]  # fmt: skip

    return Case(
        {"product": found["name"], **ADMIN},
        asked("reviews", {"rejected": [newest["id"]]}),
        way(newest["id"]),
        way(older),
    )


@BOOK.template(
    "Sign in to the shop as {email} with the password {secret} and find the number of the newest order. Then sign in to the back"
    " office as {login} with the password {password} and add the note “{text}” to that order, without notifying the customer.",
    count=3, also=["shop"], hard=True,
)  # fmt: skip
def note_on_newest(dice: Dice) -> Case:
    """Read an order's number in the shop, write on it in the back office."""
    user = dice.number(1, 3)
    email, secret, name, _ = ACCOUNTS[user - 1]
    newest, before = rows("select * from orders where user = ? order by day desc limit 2", user)
    text = dice.pick(
        ("Called about delivery.", "Wants a receipt.", "Asked for a gift box.", "Is away until Friday.")
    )
    who = {"email": email, "password": secret, "name": name}

    def way(number: str) -> list[Step]:
        return [
            *_shop(*sign_in_to_shop(who), link("Orders")),
            *open_order(number, SALES),
            fill("Comment", text),
            button("Add note"),
            done(),
        ]

    return Case(
        {**SALES, "email": email, "secret": secret, "text": text},
        order_is(newest["number"], notes=[{"text": text, "told": 0}]), way(newest["number"]), way(before["number"]),
    )  # fmt: skip
