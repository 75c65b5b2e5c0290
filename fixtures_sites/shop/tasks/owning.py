"""Tasks in an account, and words sent to the shop and to other customers."""

from fixtures_sites.seeded import Dice
from fixtures_sites.shop.tasks.buying import GUESTS, address
from fixtures_sites.shop.tasks.shelf import (
    SIGNED,
    account,
    addresses,
    fields,
    member,
    open_order,
    open_product,
    order_lines,
    orders,
    product,
    rows,
    sign_in,
    user_id,
)
from fixtures_sites.steps import button, choose, click, confirm, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("shop")
PLACES = (
    ("14 Orchard Way", "Boulder", "CO", "80302"),
    ("903 Lake Shore Drive", "Albany", "NY", "12207"),
    ("61 Fountain Square", "Omaha", "NE", "68102"),
    ("2200 Desert Road", "Tucson", "AZ", "85701"),
    ("8 Lighthouse Lane", "Savannah", "GA", "31401"),
)


def _wishes(who: dict[str, str]) -> list[str]:
    sql = "select p.name from wishes w join products p on p.id = w.product where w.user = ? order by p.name"
    return [row["name"] for row in rows(sql, user_id(who))]


@BOOK.template(f"Put the {{product}} on my wish list. ({SIGNED})", count=4)
def wish(dice: Dice) -> Case:
    """Sign in, search, add."""
    who, found = member(dice), product(dice, "1")
    way = [*sign_in(who), *open_product(found["name"])]
    return Case(
        {"product": found["name"], **who},
        account(who, wishes=sorted({*_wishes(who), found["name"]})),
        [*way, button("Add to wish list"), done()],
        [*way, done()],
    )


@BOOK.template(f"Take the {{product}} off my wish list. ({SIGNED})", count=4)
def unwish(dice: Dice) -> Case:
    """Sign in, open the list, remove."""
    who = member(dice)
    known = _wishes(who)
    out, other = dice.some(known, 2)
    way = [*sign_in(who), link("Wish list")]
    return Case(
        {"product": out, **who},
        account(who, wishes=[name for name in known if name != out]),
        [*way, button("Remove", row=out), done()],
        [*way, button("Remove", row=other), done()],
    )


@BOOK.template("Subscribe {email} to the newsletter.", count=3)
def subscribe(dice: Dice) -> Case:
    """One field in the footer."""
    email = dice.pick(GUESTS)[1]
    return Case(
        {"email": email},
        {"request": {"path": "/__state/newsletter", "json": [email]}},
        [fill("Newsletter", email), button("Subscribe"), done()],
        [fill("Newsletter", email.replace("@", " at ")), button("Subscribe"), done()],
    )


@BOOK.template("Write to the shop from {email} about order {number}, topic {topic}: “{text}”", count=4)
def message(dice: Dice) -> Case:
    """The contact form."""
    email, topic = dice.pick(GUESTS)[1], dice.pick(("Order", "Return", "Payment"))
    number = str(dice.number(104200, 105100))
    text = dice.pick(
        (
            "Where is my parcel? It is late.",
            "The invoice is missing from the parcel.",
            "Please call me back today.",
        )
    )
    form = [*fields([("E-mail address", email), ("Order number (optional)", number), ("Message", text)])]
    wanted = {"email": email, "topic": topic, "number": number, "text": text}
    return Case(
        wanted,
        {"request": {"path": "/__state/messages", "json": [wanted]}},
        [link("Contact us"), *form, choose("Topic", topic), button("Send message"), done()],
        [link("Contact us"), *form, button("Send message"), done()],
    )


@BOOK.template(
    f"Cancel my order {{number}}. ({SIGNED})",
    "I no longer want order {number}: cancel it. (" + SIGNED + ")",
    count=5,
)
def cancel(dice: Dice) -> Case:
    """Sign in, open an order, cancel, confirm."""
    who = member(dice)
    order = dice.pick(orders(who, "status = 'Processing'"))
    way = [*open_order(who, order["number"]), link("Cancel order")]
    return Case(
        {"number": order["number"], **who},
        {"request": {"path": f"/__state/order?number={order['number']}", "json": {"status": "Cancelled"}}},
        [*way, button("Yes, cancel it"), done()],
        [*way, link("Keep the order"), done()],
    )


@BOOK.template(
    f"Register a return of the {{product}} from order {{number}}; the reason is “{{reason}}”. ({SIGNED})",
    count=4,
)
def send_back(dice: Dice) -> Case:
    """Sign in, open an order, return a line."""
    who = member(dice)
    order = dice.pick(orders(who, "status = 'Delivered'"))
    line = dice.pick(order_lines(order["number"]))
    reason, other = dice.some(("Damaged", "Wrong size", "Not as described", "Changed my mind"), 2)
    way = [*open_order(who, order["number"]), link("Return item", row=line["name"])]
    wanted = {"number": order["number"], "product": line["name"], "reason": reason}
    return Case(
        {**wanted, "reason": reason, **who},
        {"request": {"path": "/__state/returns", "json": [wanted]}},
        [*way, choose("Reason", reason), button("Register return"), done()],
        [*way, choose("Reason", other), button("Register return"), done()],
    )


@BOOK.template(
    f"Review the {{product}}: {{stars}} stars, title “{{title}}”, text “{{text}}”. ({SIGNED})", count=4
)
def review(dice: Dice) -> Case:
    """Sign in, open a product, write."""
    who, found = member(dice), product(dice, "1")
    stars, title, text = dice.pick(
        (
            (5, "My best buy this year", "I use it every single morning."),
            (4, "Almost perfect", "It is great, but it came in a dented box."),
            (2, "Expected more", "It stopped working after three weeks."),
            (3, "Does what it should", "Neither good nor bad, it just works."),
        )
    )
    words = fields([("Title", title), ("Your review", text)])
    way = [*sign_in(who), *open_product(found["name"]), link("Write a review")]
    wanted = {"product": found["name"], "rating": stars, "title": title, "text": text}
    return Case(
        {**wanted, "stars": str(stars), **who},
        account(who, reviews=[wanted]),
        [*way, click("radio", f"{stars} stars"), *words, button("Publish review"), done()],
        [*way, click("radio", "1 star"), *words, button("Publish review"), done()],
    )


@BOOK.template("Mark the review by {author} of the {product} as helpful.", count=4)
def vote(dice: Dice) -> Case:
    """Open a product, find a review, vote."""
    found = product(dice, "reviews between 3 and 5")
    known = rows("select * from reviews where product = ? order by day desc, id", found["id"])
    chosen, other = dice.some(known, 2)
    way = open_product(found["name"])
    test = {"path": f"/__state/votes?slug={found['slug']}", "json": {chosen["author"]: chosen["helpful"] + 1}}
    return Case(
        {"author": chosen["author"], "product": found["name"]},
        {"request": test},
        [*way, button("Helpful", row=f"by {chosen['author']} on"), done()],
        [*way, button("Helpful", row=f"by {other['author']} on"), done()],
    )


@BOOK.template(
    f"Add a new address to my account: {{street}}, {{city}}, {{state}} {{zip}}, for {{name}}. ({SIGNED})",
    count=4,
)
def new_address(dice: Dice) -> Case:
    """Sign in, open addresses, fill a form."""
    who, (street, city, state, code) = member(dice), dice.pick(PLACES)
    new = {"name": who["name"], "street": street, "city": city, "state": state, "zip": code}
    way = [*sign_in(who), link("Addresses"), link("Add an address")]
    return Case(
        {**who, **new},
        account(who, addresses=[*addresses(who), new]),
        [*way, *address(who["name"], street, city, state, code), button("Save address"), done()],
        [*way, *address(who["name"], street, city, state, code[:4]), button("Save address"), done()],
    )


@BOOK.template(
    f"I moved within {{city}}: change the street of my address there to {{street}}. ({SIGNED})", count=4
)
def moved(dice: Dice) -> Case:
    """Sign in, edit one of two addresses."""
    who, street = (
        member(dice),
        f"{dice.number(2, 980)} {dice.pick(('Juniper Court', 'Foundry Street', 'Old Post Road'))}",
    )
    known = addresses(who)
    place = dice.number(0, 1)
    changed = [{**one, "street": street} if number == place else one for number, one in enumerate(known)]
    way = [*sign_in(who), link("Addresses")]
    edit = [fill("Street and number", street), button("Save address"), done()]
    return Case(
        {"city": str(known[place]["city"]), "street": street, **who},
        account(who, addresses=changed),
        [*way, link("Edit", row=str(known[place]["city"])), *edit],
        [*way, link("Edit", row=str(known[1 - place]["city"])), *edit],
    )


@BOOK.template(f"Make my address in {{city}} the default one. ({SIGNED})", count=3)
def default_address(dice: Dice) -> Case:
    """Sign in, change the default."""
    who = member(dice)
    first, second = addresses(who)
    way = [*sign_in(who), link("Addresses")]
    return Case(
        {"city": str(second["city"]), **who},
        account(who, addresses=[{**first, "preferred": 0}, {**second, "preferred": 1}]),
        [*way, button("Make default"), done()],
        [*way, link("Edit", row=str(second["city"])), button("Save address"), done()],
    )


@BOOK.template(f"Delete my address in {{city}}. ({SIGNED})", count=4)
def delete_address(dice: Dice) -> Case:
    """Sign in, delete, confirm in a dialog."""
    who, place = member(dice), dice.number(0, 1)
    known = addresses(who)
    way = [*sign_in(who), link("Addresses"), button("Delete", row=str(known[place]["city"]))]
    return Case(
        {"city": str(known[place]["city"]), **who},
        account(who, addresses=[known[1 - place]]),
        [*way, confirm(), done()],
        [*way, confirm(accept=False), done()],
    )


@BOOK.template(f"My new phone number is {{new}}; change it in my profile. ({SIGNED})", count=4)
def phone(dice: Dice) -> Case:
    """Sign in, edit the profile."""
    who, new = member(dice), f"+1 {dice.number(201, 989)}-555-0{dice.number(100, 199)}"
    way = [*sign_in(who), link("Profile"), fill("Phone number", new)]
    return Case(
        {"new": new, **who},
        account(who, phone=new, newsletter=0),
        [*way, button("Save profile"), done()],
        [*way, click("checkbox", "Send me the newsletter"), button("Save profile"), done()],
    )


@BOOK.template(f"Change my password to {{new}}. ({SIGNED})", count=3)
def password(dice: Dice) -> Case:
    """Sign in, fill three fields."""
    who, new = (
        member(dice),
        f"{dice.pick(('amber', 'cobalt', 'velvet'))}-{dice.pick(('fox', 'otter', 'heron'))}-{dice.number(10, 99)}",
    )
    way = [
        *sign_in(who),
        link("Change password"),
        fill("Current password", who["password"]),
        fill("New password", new),
    ]
    return Case(
        {"new": new, **who},
        account(who, password=new),
        [*way, fill("Repeat new password", new), button("Change password"), done()],
        [*way, fill("Repeat new password", f"{new}x"), button("Change password"), done()],
    )
