"""Tasks with booked trips and in an account, and words sent to the site."""

from datetime import date, timedelta

from fixtures_sites.seeded import TODAY, Dice
from fixtures_sites.steps import Step, button, choose, click, confirm, done, fill, link
from fixtures_sites.tasks import Book, Case
from fixtures_sites.travel import timetable
from fixtures_sites.travel.app import day
from fixtures_sites.travel.fares import seats_left
from fixtures_sites.travel.profile import MEALS
from fixtures_sites.travel.tasks.shelf import (
    PEOPLE,
    SIGNED,
    Row,
    account,
    airport,
    booking,
    coming_flight,
    flights_of,
    member,
    menu,
    route,
    rows,
    sign_in,
    take,
    user_id,
)

BOOK = Book("travel")


def open_trip(who: dict[str, str], ref: str) -> list[Step]:
    """Sign in and open one's trip."""
    return [*sign_in(who), link(ref)]


def stays_of(who: dict[str, str], condition: str) -> tuple[Row, ...]:
    """Someone's coming stays that fit."""
    return rows(
        "select b.ref, b.total, s.*, r.price, r.refundable, h.name as hotel_name, h.city from bookings b join stays s on"
        " s.booking = b.id join rooms r on r.id = s.room join hotels h on h.id = s.hotel"
        f" where b.user = ? and s.checkin > '{TODAY + timedelta(days=1)}' and {condition} order by s.checkin",
        user_id(who),
    )


def coming_stay(dice: Dice, condition: str = "r.refundable") -> tuple[dict[str, str], Row]:
    """Someone, and one of their coming stays that fits."""
    while True:
        who = member(dice)
        if known := stays_of(who, condition):
            return who, dice.pick(known)


@BOOK.template(
    f"Cancel my flight {{ref}} because my plans changed. ({SIGNED})",
    f"My plans changed: cancel the flight from {{origin}} to {{destination}} on {{day}}. ({SIGNED})",
    count=4,
)
def cancel_flight(dice: Dice) -> Case:
    """Sign in, open a trip, say why, confirm."""
    who, found = coming_flight(dice)
    way = [*open_trip(who, found["ref"]), link("Cancel trip"), choose("Reason", "My plans changed"),
           button("Yes, cancel the trip")]  # fmt: skip
    values = {"ref": found["ref"], "origin": found["origin_city"], "destination": found["destination_city"]}
    return Case(
        {**values, "day": day(found["day"]), **who},
        booking(found["ref"], status="Cancelled"),
        [*way, confirm(), done()],
        [*way, confirm(accept=False), done()],
    )


@BOOK.template(
    f"Cancel my stay at {{hotel}} due to illness. ({SIGNED})",
    count=3,
)
def cancel_stay(dice: Dice) -> Case:
    """The same with a hotel."""
    who, found = coming_stay(dice)
    way = [*open_trip(who, found["ref"]), link("Cancel trip")]
    end = [button("Yes, cancel the trip"), confirm(), done()]
    return Case(
        {"hotel": found["hotel_name"], **who},
        booking(found["ref"], status="Cancelled", refund=found["total"]),
        [*way, choose("Reason", "Illness"), *end],
        [*way, link("Keep the trip"), done()],
    )


@BOOK.template(
    f"Change my flight {{ref}} to flight {{number}} on {{day}}. ({SIGNED})",
    f"Move my trip {{ref}} to {{day}}, with flight {{number}}. ({SIGNED})",
    count=4,
    hard=True,
)
def change_flight(dice: Dice) -> Case:
    """A new day, a flight of it, confirm."""
    while True:
        who, found = coming_flight(dice)
        moved = date.fromisoformat(found["day"]) + timedelta(days=dice.number(1, 12))
        known = rows(
            f"{timetable.FLIGHT} where f.origin = ? and f.destination = ?",
            found["origin"],
            found["destination"],
        )
        free = [row for row in known if timetable.flies(row, moved) and seats_left(row["id"], moved) >= 2]
        if len(free) > 1:
            break
    wanted, wrong = dice.some(free, 2)

    def way(row: Row) -> list[Step]:
        return [
            *open_trip(who, found["ref"]), link("Change trip"), fill("New date", str(moved)), button("Show flights"),
            click("radio", row["number"]), button("Confirm change"), done(),
        ]  # fmt: skip

    return Case(
        {"ref": found["ref"], "number": wanted["number"], "day": day(moved), **who},
        booking(found["ref"], legs=[{"number": wanted["number"], "day": str(moved)}]),
        way(wanted),
        way(wrong),
    )


@BOOK.template(
    f"Change my stay at {{hotel}}: I arrive on {{day}} and leave on {{later}}. ({SIGNED})",
    count=3,
)
def change_stay(dice: Dice) -> Case:
    """New days for a room."""
    who, found = coming_stay(dice)
    first = date.fromisoformat(found["checkin"]) + timedelta(days=dice.number(1, 9))
    last = first + timedelta(days=dice.number(1, 5))

    def way(leaving: date) -> list[Step]:
        return [
            *open_trip(who, found["ref"]), link("Change trip"), fill("Check-in", str(first)), fill("Check-out", str(leaving)),
            button("Confirm change"), done(),
        ]  # fmt: skip

    return Case(
        {"hotel": found["hotel_name"], "day": day(first), "later": day(last), **who},
        booking(found["ref"], checkin=str(first), checkout=str(last)),
        way(last),
        way(last + timedelta(days=1)),
    )


@BOOK.template(
    f"Add {{count}} extra bags for {{name}} to my trip {{ref}}. ({SIGNED})",
    f"{{name}} takes {{count}} more checked bags on trip {{ref}}: add them. ({SIGNED})",
    count=4,
)
def add_bags(dice: Dice) -> Case:
    """Sign in, open a trip, a number for one traveller."""
    who, found = coming_flight(dice, ("light", "standard", "flex"))
    people = rows(
        "select t.* from travellers t join bookings b on b.id = t.booking where b.ref = ? order by t.place",
        found["ref"],
    )
    lucky, count = dice.pick(people), dice.number(2, 3)
    name = f"{lucky['first']} {lucky['last']}"
    way = [*open_trip(who, found["ref"]), link("Add bags")]
    bags = [{"first": one["first"], "bags": count if one["place"] == lucky["place"] else 0} for one in people]
    return Case(
        {"ref": found["ref"], "name": name, "count": str(count), **who},
        booking(found["ref"], travellers=bags),
        [*way, fill(name, count, role="spinbutton"), button("Save bags"), done()],
        [*way, fill(name, 1, role="spinbutton"), button("Save bags"), done()],
    )


@BOOK.template(
    "Add one extra bag for {name} to the booking {ref} (last name {last}). There is no account to sign in with.",
    count=3,
)
def bag_without_account(dice: Dice) -> Case:
    """A booking found by reference and name."""
    who, found = coming_flight(dice, ("light", "standard", "flex"))
    name = f"{who['first']} {who['last']}"
    way = [link("Manage booking"), fill("Booking reference", found["ref"]), fill("Last name", who["last"]),
           button("Find booking"), link("Add bags"), fill(name, 1, role="spinbutton")]  # fmt: skip
    return Case(
        {"ref": found["ref"], "name": name, "last": who["last"]},
        {"request": {"path": f"/__state/booking?ref={found['ref']}", "json": {"total": found["total"] + 35}}},
        [*way, button("Save bags"), done()],
        [*way, done()],
    )


@BOOK.template(
    f"Check me in online for my flight tomorrow; there are no dangerous goods in my bags. ({SIGNED})",
    f"Do the online check-in for tomorrow's flight to {{city}}; I carry no dangerous goods. ({SIGNED})",
    count=4,
)
def check_in(dice: Dice) -> Case:
    """Sign in, open the next trip, declare, check in."""
    who = member(dice)
    found = flights_of(who, f"l.day = '{TODAY + timedelta(days=1)}'")[0]
    way = [*open_trip(who, found["ref"]), link("Check in online"), click("radio", "No")]
    return Case(
        {"city": found["destination_city"], **who},
        booking(found["ref"], legs=[{"checked_in": 1}]),
        [*way, click("checkbox", "The names and dates are correct"), button("Check in"), done()],
        [*way, button("Check in"), done()],
    )


@BOOK.template(
    f"Set my meal on board to {{meal}} and my phone number to {{new}}. ({SIGNED})",
    f"In my profile, choose the {{meal}} meal and change the phone number to {{new}}. ({SIGNED})",
    count=4,
)
def profile(dice: Dice) -> Case:
    """Sign in, edit the profile."""
    who, meal, new = member(dice), dice.pick(MEALS[1:]), f"+1 617-555-01{dice.number(10, 99)}"
    way = [*sign_in(who), *menu(who, "Profile"), fill("Phone number", new)]
    return Case(
        {**who, "meal": meal.lower() if meal[0] in "VG" else meal, "new": new},
        account(who, meal=meal, phone=new),
        [*way, choose("Meal on board", meal), button("Save profile"), done()],
        [*way, button("Save profile"), done()],
    )


@BOOK.template(
    "Set a price alert for flights from {origin} to {destination} at {ceiling} dollars or less, by e-mail to {email}.",
    "Tell {email} when a flight from {origin} to {destination} costs ${ceiling} or less: create a price alert.",
    count=4,
)
def alert(dice: Dice) -> Case:
    """A form with two fields that suggest."""
    (origin, destination), ceiling, email = route(dice), 10 * dice.number(8, 60), dice.pick(PEOPLE)[4]

    def way(one: str, two: str) -> list[Step]:
        return [
            link("Price alerts"), *take("From", one, airport(one)), *take("To", two, airport(two)), fill("Highest price", ceiling),
            fill("E-mail address", email), button("Create alert"), done(),
        ]  # fmt: skip

    wanted = {"email": email, "origin": origin, "destination": destination, "ceiling": ceiling}
    return Case(
        {
            "origin": airport(origin),
            "destination": airport(destination),
            "ceiling": str(ceiling),
            "email": email,
        },
        {"request": {"path": "/__state/alerts", "json": [wanted]}},
        way(origin, destination),
        way(destination, origin),
    )


@BOOK.template(
    "Subscribe {email} to the travel deals.", "Sign {email} up for travel deals by e-mail.", count=3
)
def subscribe(dice: Dice) -> Case:
    """One field in the footer."""
    email = dice.pick(PEOPLE)[4]
    return Case(
        {"email": email},
        {"request": {"path": "/__state/newsletter", "json": [email]}},
        [fill("Travel deals by e-mail", email), button("Subscribe"), done()],
        [fill("Travel deals by e-mail", email.replace("@", " at ")), button("Subscribe"), done()],
    )


@BOOK.template(
    "Write to Skyway from {email}, topic {topic}, booking {ref}: “{text}”",
    count=4,
)
def message(dice: Dice) -> Case:
    """The contact form."""
    who, found = coming_flight(dice)
    topic = dice.pick(("Baggage", "Refund", "Special assistance"))
    text = dice.pick(
        (
            "Please call me back about my booking.",
            "I need a wheelchair at the gate.",
            "May I bring my cello on board?",
        )
    )
    form = [link("Contact us"), fill("E-mail address", who["email"]), fill("Booking reference (optional)", found["ref"]),
            fill("Message", text)]  # fmt: skip
    wanted = {"email": who["email"], "topic": topic, "ref": found["ref"], "text": text}
    return Case(
        wanted,
        {"request": {"path": "/__state/messages", "json": [wanted]}},
        [*form, choose("Topic", topic), button("Send message"), done()],
        [*form, choose("Topic", "Other"), button("Send message"), done()],
    )
