"""What tasks on the travel site are made of: records chosen by dice, and steps that many of them share."""

import sqlite3
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any

from fixtures_sites.seeded import TODAY, Dice
from fixtures_sites.steps import Step, button, choose, click, fill, link
from fixtures_sites.travel import timetable
from fixtures_sites.travel.app import SITE, day, money
from fixtures_sites.travel.customers import ACCOUNTS
from fixtures_sites.travel.fares import CABINS
from fixtures_sites.travel.journey import Journey, Leg, airport_label

Row = sqlite3.Row
SIGNED = "sign in as {email} with the password {password}"
CARDS = ("4242 4242 4242 4242", "5555 5555 5555 4444", "4000 0566 5566 5556")
CARD = "pay by card {card}, valid until 11/28, security code 321"
PEOPLE = (
    ("Ms", "Nora", "Blake", "1990-05-17", "nora.blake@example.com", "+1 503-555-0111", "XK402918"),
    ("Mr", "Omar", "Reyes", "1984-12-03", "omar.reyes@example.com", "+1 253-555-0190", "PL771203"),
    ("Ms", "Lena", "Fox", "1972-08-29", "lena.fox@example.com", "+1 608-555-0148", "ZC190447"),
    ("Mr", "Theo", "Grant", "1998-02-11", "theo.grant@example.com", "+1 512-555-0175", "HB663081"),
    ("Dr", "Iris", "Novak", "1969-10-20", "iris.novak@example.com", "+1 412-555-0159", "QT508826"),
)
"""Title, first and last name, birthday, e-mail, phone and passport of those whom tasks book for."""


@cache
def rows(sql: str, *values: Any) -> tuple[Row, ...]:
    """Rows of the seeded data."""
    return tuple(SITE.data.rows(sql, *values))


def one(sql: str, *values: Any) -> Any:
    """The first column of the first row."""
    return rows(sql, *values)[0][0]


def airport(code: str) -> str:
    """An airport as its field shows it."""
    return airport_label(SITE.data, code)


def coming(dice: Dice, first: int = 5, last: int = 100) -> date:
    """A day from `first` to `last` days ahead."""
    return TODAY + timedelta(days=dice.number(first, last))


def route(dice: Dice, condition: str = "1") -> tuple[str, str]:
    """Origin and destination of some flights that fit."""
    found = dice.pick(rows(f"{timetable.FLIGHT} where {condition} order by f.id"))
    return found["origin"], found["destination"]


def oneway(origin: str, destination: str, when: date, adults: int = 1, cabin: str = "economy") -> Journey:
    """A search for one flight."""
    return Journey("oneway", (Leg(origin, destination, when),), adults, 0, 0, cabin)


def offered(journey: Journey, place: int = 0) -> list[timetable.Offer]:
    """What the list of a leg shows, cheapest first."""
    return timetable.offers(SITE.data, journey.legs[place], journey)


def for_sale(journey: Journey, place: int = 0) -> list[timetable.Offer]:
    """The same without what is sold out."""
    return [offer for offer in offered(journey, place) if offer.left]


def told(leg: Leg) -> dict[str, str]:
    """A leg for a goal."""
    return {"origin": airport(leg.origin), "destination": airport(leg.destination), "day": day(leg.day)}


def take(name: str, text: str, label: str, nth: int = 0) -> list[Step]:
    """Types into a field that suggests, and takes a suggestion."""
    return [fill(name, text, role="combobox", nth=nth), click("option", label)]


def pick_day(name: str, when: date, shown: date = TODAY) -> list[Step]:
    """Picks a day in the pop-up calendar, which opens at the month of `shown`."""
    months = (when.year - shown.year) * 12 + when.month - shown.month
    return [
        click("textbox", name),
        *[button("Next month") for _ in range(months)],
        button(f"{when.day} {when:%B %Y}"),
    ]


def party(journey: Journey) -> list[Step]:
    """Sets passengers and cabin, where they are not one adult in economy."""
    steps: list[Step] = [button("+", row="Adults")] * (journey.adults - 1)
    steps += [button("+", row="Children")] * journey.children + [button("+", row="Infants")] * journey.infants
    if journey.cabin != "economy":
        steps.append(choose("Cabin", CABINS[journey.cabin][0]))
    return [button("1 adult, Economy"), *steps, button("Done")] if steps else []


def search(journey: Journey) -> list[Step]:
    """Fills the search form for flights and sends it."""
    if journey.trip == "multi":
        steps = [click("radio", "Multi-city"), *[button("Add another flight")] * (len(journey.legs) - 2)]
        for place, leg in enumerate(journey.legs):
            steps += take("From", leg.origin, airport(leg.origin), place)
            steps += take("To", leg.destination, airport(leg.destination), place)
            steps.append(fill("Departure", str(leg.day), nth=place))
    else:
        first = journey.legs[0]
        steps = [click("radio", "One way")] if journey.trip == "oneway" else []
        steps += take("From", first.origin, airport(first.origin)) + take(
            "To", first.destination, airport(first.destination)
        )
        steps += pick_day("Departure", first.day)
        if journey.trip == "return":
            steps += pick_day("Return date", journey.legs[1].day, first.day)
    return [*steps, *party(journey), button("Search flights")]


def select(journey: Journey, offer: timetable.Offer, fare: str, place: int = 0) -> list[Step]:
    """Takes a flight of the list, with a fare."""
    shown = [one.flight["id"] for one in offered(journey, place)]
    more = [button(f"Show {len(shown) - 5} more flights")] if shown.index(offer.flight["id"]) >= 5 else []
    return [*more, link("Select", row=f"· {offer.flight['number']}"), button(f"Choose {fare}")]


def contact(email: str, phone: str) -> list[Step]:
    """The contact fields."""
    return [fill("E-mail address", email), fill("Phone number", phone)]


def passenger(title: str, first: str, last: str, born: str, nth: int = 0) -> list[Step]:
    """The fields of one passenger."""
    return [
        choose("Title", title, nth=nth), fill("First name", first, nth=nth), fill("Last name", last, nth=nth),
        fill("Date of birth", born, nth=nth),
    ]  # fmt: skip


def pay(card: str, holder: str, terms: str = "I accept the conditions of carriage") -> list[Step]:
    """Payment."""
    return [
        fill("Card number", card), fill("Name on card", holder), fill("Expiry date", "11/28"), fill("Security code", "321"),
        click("checkbox", terms), button("Pay now"),
    ]  # fmt: skip


def no_extras() -> list[Step]:
    """Neither bags nor insurance."""
    return [click("radio", "No, I will travel without insurance"), button("Continue")]


def placed(*wanted: dict[str, Any]) -> dict[str, Any]:
    """The test that these bookings were made, and no others."""
    return {"request": {"path": "/__state/placed", "json": list(wanted)}}


def booking(ref: str, **wanted: Any) -> dict[str, Any]:
    """The test that a booking holds this."""
    return {"request": {"path": f"/__state/booking?ref={ref}", "json": wanted}}


def member(dice: Dice) -> dict[str, str]:
    """Someone who has an account."""
    email, password, _, first, last, phone, *_ = dice.pick(ACCOUNTS)
    return {"email": email, "password": password, "first": first, "last": last, "phone": phone}


def user_id(who: dict[str, str]) -> int:
    """The number of an account."""
    return int(one("select id from users where email = ?", who["email"]))


def sign_in(who: dict[str, str]) -> list[Step]:
    """Sign in by the link in the header: then the trips are shown."""
    return [
        link("Sign in"), fill("E-mail address", who["email"]), button("Continue"), fill("Password", who["password"]),
        button("Sign in"),
    ]  # fmt: skip


def menu(who: dict[str, str], name: str) -> list[Step]:
    """A page of the menu below one's name."""
    return [button(f"{who['first']} {who['last']}"), link(name)]


def account(who: dict[str, str], **wanted: Any) -> dict[str, Any]:
    """The test that an account holds this."""
    return {"request": {"path": f"/__state/account?email={who['email']}", "json": wanted}}


def flights_of(who: dict[str, str], condition: str) -> tuple[Row, ...]:
    """Someone's booked flights that fit; `day`, `fare`, `departs` … are the flight's."""
    return rows(
        "select b.ref, b.total, l.day, l.fare, f.*, o.city as origin_city, d.city as destination_city from bookings b"
        " join legs l on l.booking = b.id join flights f on f.id = l.flight join airports o on o.code = f.origin"
        f" join airports d on d.code = f.destination where b.user = ? and {condition} order by l.day",
        user_id(who),
    )


def coming_flight(dice: Dice, fares: Sequence[str] = ("standard", "flex")) -> tuple[dict[str, str], Row]:
    """Someone, and one of their coming flights with one of these fares, not open for check-in."""
    who = member(dice)
    known = f"l.day > '{TODAY + timedelta(days=5)}' and l.fare in ({', '.join(repr(fare) for fare in fares)})"
    return who, dice.pick(flights_of(who, known))


def hotel(dice: Dice, condition: str = "1") -> Row:
    """A hotel that fits."""
    return dice.pick(rows(f"select * from hotels where {condition} order by id"))


def room(dice: Dice, condition: str = "r.available > 3 and r.sleeps = 2") -> Row:
    """A room that fits, with its hotel's name and city, the only one of its name there."""
    return dice.pick(
        rows(
            "select r.*, h.name as hotel_name, h.city, h.slug from rooms r join hotels h on h.id = r.hotel"
            f" where {condition} order by r.id"
        )
    )


def search_hotels(
    place: str,
    checkin: date,
    checkout: date,
    adults: int = 2,
    rooms_wanted: int = 1,
    ages: Sequence[int] = (),
) -> list[Step]:
    """Fills the search form for hotels and sends it."""
    steps = [
        link("Hotels"),
        *take("Destination", place, place),
        fill("Check-in", str(checkin)),
        fill("Check-out", str(checkout)),
    ]
    inside = [button("+", row="Rooms")] * (rooms_wanted - 1)
    inside += [button("+" if adults > 2 else "−", row="Adults")] * abs(adults - 2)
    inside += [button("+", row="Children")] * len(ages)
    inside += [choose(f"Age of child {n}", str(age)) for n, age in enumerate(ages, 1)]
    if inside:
        steps += [button("1 room, 2 adults"), *inside, button("Done")]
    return [*steps, button("Search hotels")]


def open_hotel(name: str) -> list[Step]:
    """Search for a hotel by name, and open it."""
    first, last = coming_days()
    return [*search_hotels(name, first, last), link(name)]


def coming_days() -> tuple[date, date]:
    """Some days, where it does not matter which."""
    return TODAY + timedelta(days=30), TODAY + timedelta(days=31)


def price(amount: int) -> list[str]:
    """Ways to say an amount."""
    return [money(amount), str(amount)]
