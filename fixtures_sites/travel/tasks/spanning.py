"""Tasks that need the map, the shop or the forum as well."""

from typing import Any

from fixtures_sites.forum.tasks import square
from fixtures_sites.maps.place import Place
from fixtures_sites.maps.places import places
from fixtures_sites.maps.places import search as search_map
from fixtures_sites.seeded import Dice
from fixtures_sites.shop.tasks import shelf as shop
from fixtures_sites.steps import Step, answer, button, choose, done, fill, link, visit
from fixtures_sites.tasks import Book, Case
from fixtures_sites.travel.app import day, money
from fixtures_sites.travel.tasks.flying import person
from fixtures_sites.travel.tasks.shelf import (
    CARD,
    CARDS,
    SIGNED,
    account,
    airport,
    coming,
    coming_days,
    coming_flight,
    for_sale,
    member,
    menu,
    offered,
    one,
    oneway,
    open_hotel,
    placed,
    room,
    route,
    rows,
    search,
    search_hotels,
    sign_in,
    take,
)
from fixtures_sites.travel.tasks.staying import GUEST, days, guest, settle

BOOK = Book("travel")


def place(dice: Dice, *, in_town: bool = False) -> Place:
    """A place that its name alone finds on the map; in a city with hotels if wanted."""
    towns = {row["city"] for row in rows("select distinct city from hotels")}
    while True:
        found = dice.pick(places())
        if len(search_map(found.name)) == 1 and (found.city in towns or not in_town):
            return found


def look_up(found: Place) -> list[Step]:
    """Open the place on the map, and come back."""
    return [
        visit("__MAPS__/"), fill("Search for a place", found.name, role="searchbox", submit=True), link(found.name),
        visit("/"),
    ]  # fmt: skip


def look_in_shop(name: str) -> list[Step]:
    """Find a product in the shop."""
    return [visit("__SHOP__/"), *shop.search(name)]


@BOOK.template(
    f"Set my postal address to the full address of {{place}}, as the map has it. ({SIGNED})",
    count=4,
    also=["maps"],
)
def address_from_map(dice: Dice) -> Case:
    """Read an address on the map, enter it in the profile."""
    who, found = member(dice), place(dice)
    way = [*look_up(found), *sign_in(who), *menu(who, "Profile")]
    return Case(
        {**who, "place": found.name},
        account(who, address=found.address),
        [*way, fill("Postal address", found.address), button("Save profile"), done()],
        [*way, fill("Postal address", found.name), button("Save profile"), done()],
    )


@BOOK.template(
    "How many hotels does Skyway have with {stars} stars in the city of {place} (look on the map where that is)?",
    "Look up on the map in which city {place} is. How many {stars}-star hotels can I book there?",
    count=4,
    also=["maps"],
)
def hotels_in_city_of(dice: Dice) -> Case:
    """Read the city on the map, count hotels there."""
    found, stars = place(dice, in_town=True), dice.pick((3, 4))
    count = one("select count(*) from hotels where city = ? and stars = ?", found.city, stars)
    way = [*look_up(found), *search_hotels(found.city, *coming_days())]
    return Case(
        {"place": found.name, "stars": str(stars)},
        {"answer": str(count)},
        [*way, answer(count)],
        [*way, answer(count + 1)],
    )


@BOOK.template(
    f"Book the {{room}} at {{hotel}} from {{day}} to {{later}} for two adults, guest {GUEST}, with the request “Please send a taxi to” "
    f"followed by the street of {{place}} as on the map (street and number only); {CARD}.",
    count=3,
    also=["maps"],
    hard=True,
)
def taxi_to_place(dice: Dice) -> Case:
    """Read a street on the map, book with a request."""
    found, item = place(dice), room(dice, "r.available > 3 and r.sleeps >= 2")
    (first, last), who, card = days(dice), person(dice), dice.pick(CARDS)

    def way(request: str) -> list[Step]:
        return [
            *look_up(found), *search_hotels(item["hotel_name"], first, last), link(item["hotel_name"]),
            button("Reserve", row=item["name"]), *guest(who, "", request), *settle(who, card),
        ]  # fmt: skip

    wanted = {"hotel": item["hotel_name"], "room": item["name"], "checkin": str(first), "checkout": str(last)}
    return Case(
        {"room": item["name"], "hotel": item["hotel_name"], "day": day(first), "later": day(last), "place": found.name,
         "card": card, **who},
        placed({**wanted, "request": f"Please send a taxi to {found.street}", "card": card[-4:]}),
        way(f"Please send a taxi to {found.street}"),
        way(f"Please send a taxi to {found.name}"),
    )  # fmt: skip


@BOOK.template(
    "Ask Skyway from {email}, topic Other: “Who can call” and then the phone number of {place} from the map.",
    count=3,
    also=["maps"],
)
def message_with_phone(dice: Dice) -> Case:
    """Read a phone number on the map, write it in a message."""
    found, email = place(dice), member(dice)["email"]

    def way(text: str) -> list[Step]:
        return [
            *look_up(found), link("Contact us"), fill("E-mail address", email), choose("Topic", "Other"), fill("Message", text),
            button("Send message"), done(),
        ]  # fmt: skip

    wanted = {"email": email, "topic": "Other", "text": f"Who can call {found.phone}"}
    return Case(
        {"place": found.name, "email": email},
        {"request": {"path": "/__state/messages", "json": [wanted]}},
        way(wanted["text"]),
        way(f"Who can call {found.name}"),
    )


@BOOK.template(
    "Create a price alert for {origin} to {destination}, e-mail {email}, with what the {product} costs in the shop (whole dollars, cents "
    "dropped) as the highest price.",
    count=4,
    also=["shop"],
)
def alert_at_price(dice: Dice) -> Case:
    """Read a price in the shop, enter it here."""
    item, (origin, destination), email = shop.product(dice), route(dice), member(dice)["email"]
    ceiling = item["price"] // 100

    def way(amount: int) -> list[Step]:
        return [
            *look_in_shop(item["name"]), visit("/"), link("Price alerts"), *take("From", origin, airport(origin)),
            *take("To", destination, airport(destination)), fill("Highest price", amount), fill("E-mail address", email),
            button("Create alert"), done(),
        ]  # fmt: skip

    wanted = {"email": email, "origin": origin, "destination": destination, "ceiling": ceiling}
    return Case(
        {
            "origin": airport(origin),
            "destination": airport(destination),
            "email": email,
            "product": item["name"],
        },
        {"request": {"path": "/__state/alerts", "json": [wanted]}},
        way(ceiling),
        way(ceiling + 1),
    )


@BOOK.template(
    f"Look how many people travel on my Skyway trip {{ref}}, and put as many of the {{product}} into the cart of the shop. ({SIGNED})",
    count=4,
    also=["shop"],
    hard=True,
)
def one_for_each(dice: Dice) -> Case:
    """Count travellers here, fill a cart there."""
    who, found = coming_flight(dice, ("light", "standard", "flex"))
    item = shop.product(dice)
    count = one(
        "select count(*) from travellers t join bookings b on b.id = t.booking where b.ref = ?", found["ref"]
    )
    way = [*sign_in(who), link(found["ref"]), visit("__SHOP__/")]
    cart: dict[str, Any] = {"lines": [{"name": item["name"], "quantity": count}]}
    return Case(
        {**who, "ref": found["ref"], "product": item["name"]},
        {"request": {"url": "__SHOP__/__state/cart", "json": cart}},
        [*way, *shop.put(item["name"], quantity=count), done()],
        [*way, *shop.put(item["name"], quantity=count + 1), done()],
    )


@BOOK.template(
    "What does the {product} cost in the shop, and what the cheapest one-way flight from {origin} to {destination} on {day} (one adult)?",
    count=3,
    also=["shop"],
)
def two_prices(dice: Dice) -> Case:
    """Read on both."""
    item = shop.product(dice)
    while True:
        journey = oneway(*route(dice), coming(dice))
        if for_sale(journey) and offered(journey)[0].left:
            break
    fare, cost = money(offered(journey)[0].price), f"${item['price'] / 100:,.2f}"
    leg = journey.legs[0]
    way = [*search(journey), *look_in_shop(item["name"])]
    return Case(
        {
            "product": item["name"],
            "origin": airport(leg.origin),
            "destination": airport(leg.destination),
            "day": day(leg.day),
        },
        {"answer_includes": [fare, cost]},
        [*way, answer(f"{cost} and {fare}")],
        [*way, answer(cost)],
    )


@BOOK.template(
    "What is the phone number of the hotel {hotel} at Skyway, and that of {place} on the map?",
    count=3,
    also=["maps"],
)
def two_phones(dice: Dice) -> Case:
    """Read on both."""
    found = place(dice)
    item = dice.pick(rows("select * from hotels order by id"))
    way = [*look_up(found), *open_hotel(item["name"])]
    return Case(
        {"hotel": item["name"], "place": found.name},
        {"answer_includes": [found.phone, item["phone"]]},
        [*way, answer(f"{item['phone']}, {found.phone}")],
        [*way, answer(item["phone"])],
    )


@BOOK.template(
    "Write to Skyway from {email}, topic Other: “Recommended by” and then the name of the member who began the thread “{title}” on the forum.",
    count=3,
    also=["forum"],
)
def message_with_author(dice: Dice) -> Case:
    """Read a name on the forum, write it in a message."""
    single = f"{square.OTHERS} and (select count(*) from threads x where x.title = t.title) = 1"
    found, email = square.thread(dice, single), member(dice)["email"]
    way = [visit("__FORUM__/"), *square.find(found["title"]), visit("/"), link("Contact us"), fill("E-mail address", email),
           choose("Topic", "Other")]  # fmt: skip
    wanted = {"email": email, "topic": "Other", "text": f"Recommended by {found['author_name']}"}
    return Case(
        {"title": found["title"], "email": email},
        {"request": {"path": "/__state/messages", "json": [wanted]}},
        [*way, fill("Message", wanted["text"]), button("Send message"), done()],
        [*way, fill("Message", f"Recommended by {square.stranger(dice)}!"), button("Send message"), done()],
    )


@BOOK.template(
    "Send {person} a message on the forum, subject “Hotel”, whose text is the phone number of the hotel {hotel} at Skyway and nothing else. "
    "(On the forum, " + square.SIGNED + ")",
    count=3,
    also=["forum"],
    hard=True,
)
def phone_for_friend(dice: Dice) -> Case:
    """Read a phone number here, write it in a letter there."""
    item, friend, who = (
        dice.pick(rows("select * from hotels order by id")),
        square.stranger(dice),
        square.member(dice),
    )
    way = [*open_hotel(item["name"]), visit("__FORUM__/"), *square.sign_in(who), link("Messages"), link("New message"),
           fill("To", friend), fill("Subject", "Hotel")]  # fmt: skip
    letter = {"recipient": friend, "subject": "Hotel", "text": item["phone"]}
    return Case(
        {**who, "person": friend, "hotel": item["name"]},
        {"request": {"url": f"__FORUM__/__state/letters?name={who['name']}", "json": {"sent": [letter]}}},
        [*way, fill("Message", item["phone"]), button("Send message"), done()],
        [*way, fill("Message", item["name"]), button("Send message"), done()],
    )
