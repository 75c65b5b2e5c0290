"""Tasks that need the map or the shop as well."""

from fixtures_sites.code.planned import PLACES
from fixtures_sites.code.tasks.desk import (
    SIGNED,
    issue,
    issue_state,
    member,
    open_issue,
    open_project,
    project,
    rows,
    sign_in,
    state,
)
from fixtures_sites.maps.place import Place
from fixtures_sites.maps.places import places, search
from fixtures_sites.seeded import Dice
from fixtures_sites.shop.money import money
from fixtures_sites.shop.tasks import shelf
from fixtures_sites.steps import Step, answer, button, done, fill, link, visit
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")


def _place(dice: Dice) -> Place:
    """A place on the map that its name alone finds."""
    while True:
        found = dice.pick(places())
        if len(search(found.name)) == 1:
            return found


def _look_up(name: str) -> list[Step]:
    """Open a place on the map, and come back."""
    return [
        visit("__MAPS__/"),
        fill("Search for a place", name, role="searchbox", submit=True),
        link(name),
        visit("/"),
    ]


def _in_shop(name: str) -> list[Step]:
    """Search for a product in the shop, and come back."""
    return [visit("__SHOP__/"), fill("Search products", name, role="searchbox", submit=True), visit("/")]


@BOOK.template(
    f"One of the open issues of {{path}} says that the entry of the {{place}} is out of date. Comment on it with the phone number that the map has"
    f" for the place, as “Phone: …”. ({SIGNED})",
    count=4,
    also=["maps"],
)
def phone_for_issue(dice: Dice) -> Case:
    """Read on the map, write under an issue."""
    who = member(dice)
    chosen = dice.pick(
        rows(
            "select i.*, p.path, p.slug from issues i join projects p on p.id = i.project where i.title like 'Entry of the%' and i.state = 'open'"
            " and p.visibility = 'public' order by i.id"
        )
    )
    name = next(name for name in PLACES if name in chosen["title"])
    (place,) = [found for found in places() if found.name == name]
    way = [*_look_up(name), *sign_in(who), *open_issue(chosen, chosen)]

    def end(text: str) -> list[Step]:
        return [fill("Comment", text), button("Add comment"), done()]

    text = f"Phone: {place.phone}"
    return Case(
        {"path": chosen["path"], "place": name, **who},
        issue_state(chosen, chosen, comments=[{"author": who["username"], "body": text}]),
        [*way, *end(text)],
        [*way, *end(f"Phone: {place.zip_code}")],
    )


@BOOK.template(
    f"Report an issue in {{path}} titled “Wrong address: {{place}}”; the description is the full address that the map shows for it. ({SIGNED})",
    count=4,
    also=["maps"],
)
def address_report(dice: Dice) -> Case:
    """Read on the map, fill a form."""
    who, found, place = member(dice), project(dice, "namespace = 'cartography'"), _place(dice)
    title = f"Wrong address: {place.name}"
    way = [
        *_look_up(place.name),
        *sign_in(who),
        *open_project(found, "Issues"),
        link("New issue"),
        fill("Title", title),
    ]

    def end(text: str) -> list[Step]:
        return [fill("Description", text), button("Create issue"), done()]

    return Case(
        {"path": found["path"], "place": place.name, **who},
        state("issues", [{"title": title, "body": place.address}], path=found["path"], new=1),
        [*way, *end(place.address)],
        [*way, *end(place.name)],
    )


@BOOK.template(
    f"Set the location in my profile to the city in which the map has the {{place}} (only the city). ({SIGNED})",
    count=3,
    also=["maps"],
)
def city_of_place(dice: Dice) -> Case:
    """Read on the map, change the profile."""
    who, place = member(dice), _place(dice)
    way = [*_look_up(place.name), *sign_in(who), button("Account menu"), link("Edit profile")]

    def end(text: str) -> list[Step]:
        return [fill("Location", text), button("Update profile settings"), done()]

    return Case(
        {"place": place.name, **who},
        state("person", {"location": place.city}, user=who["username"]),
        [*way, *end(place.city)],
        [*way, *end(place.street)],
    )


@BOOK.template(
    f"Open an issue in hearth/storefront with the title “Check the price of {{product}}” and, as its description, the price the shop asks for it now,"
    f" such as $12.99. ({SIGNED})",
    count=4,
    also=["shop"],
)
def price_report(dice: Dice) -> Case:
    """Read in the shop, fill a form."""
    who, item = member(dice), shelf.product(dice, "list_price is not null")
    (found,) = rows("select * from projects where path = 'hearth/storefront'")
    title = f"Check the price of {item['name']}"
    way = [
        *_in_shop(item["name"]),
        *sign_in(who),
        *open_project(found, "Issues"),
        link("New issue"),
        fill("Title", title),
    ]

    def end(cents: int) -> list[Step]:
        return [fill("Description", money(cents)), button("Create issue"), done()]

    return Case(
        {"product": item["name"], **who},
        state("issues", [{"title": title, "body": money(item["price"])}], path=found["path"], new=1),
        [*way, *end(item["price"])],
        [*way, *end(item["list_price"])],
    )


@BOOK.template(
    "How many stars does {path} have on Foundry, and what does the {product} cost in the shop?",
    count=3,
    also=["shop"],
)
def stars_and_price(dice: Dice) -> Case:
    """Read on both."""
    item, found = shelf.product(dice), project(dice)
    price = money(item["price"])
    way = [*_in_shop(item["name"]), *open_project(found)]
    return Case(
        {"path": found["path"], "product": item["name"]},
        {"answer_includes": [str(found["stars"]), price]},
        [*way, answer(f"{found['stars']} stars, {price}")],
        [*way, answer(price)],
    )


@BOOK.template(
    f"Comment on the issue “{{title}}” of {{path}}: “Send it to” and then the ZIP code of the {{place}} as the map has it. ({SIGNED})",
    count=3,
    also=["maps"],
    hard=True,
)
def zip_for_issue(dice: Dice) -> Case:
    """Read on the map, write under an issue."""
    who, place = member(dice), _place(dice)
    while True:
        found = project(dice, "namespace = 'hearth'")
        chosen = issue(dice, found)
        if chosen is not None:
            break
    way = [*_look_up(place.name), *sign_in(who), *open_issue(found, chosen)]

    def end(code: str) -> list[Step]:
        return [fill("Comment", f"Send it to {code}"), button("Add comment"), done()]

    text = f"Send it to {place.zip_code}"
    return Case(
        {"path": found["path"], "title": chosen["title"], "place": place.name, **who},
        issue_state(found, chosen, comments=[{"author": who["username"], "body": text}]),
        [*way, *end(place.zip_code)],
        [*way, *end(place.phone)],
    )
