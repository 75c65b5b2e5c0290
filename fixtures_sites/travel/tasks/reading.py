"""Tasks that look something up."""

from datetime import timedelta

from fixtures_sites.seeded import TODAY, Dice
from fixtures_sites.steps import answer, button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case
from fixtures_sites.travel.app import SITE, day, money
from fixtures_sites.travel.bookings import cancel_fee
from fixtures_sites.travel.fares import party_price, price_of
from fixtures_sites.travel.service import status_of
from fixtures_sites.travel.tasks.shelf import (
    SIGNED,
    coming,
    coming_days,
    coming_flight,
    flights_of,
    for_sale,
    hotel,
    member,
    menu,
    offered,
    one,
    oneway,
    open_hotel,
    price,
    room,
    route,
    rows,
    search,
    search_hotels,
    sign_in,
    told,
    user_id,
)
from fixtures_sites.travel.timetable import duration

BOOK = Book("travel")


@BOOK.template(
    "What does the cheapest one-way flight from {origin} to {destination} on {day} cost for one adult in economy?",
    "I want to fly one way from {origin} to {destination} on {day}. Find the lowest price for one adult.",
    "How much is the cheapest economy flight (one way, one adult) from {origin} to {destination} on {day}?",
    count=6,
)
def cheapest_flight(dice: Dice) -> Case:
    """Search, read the first."""
    while True:
        journey = oneway(*route(dice), coming(dice))
        found = for_sale(journey)
        if len(found) > 1 and offered(journey)[0].left and found[0].price < found[1].price:
            break
    way = search(journey)
    return Case(
        told(journey.legs[0]),
        {"answer": price(found[0].price)},
        [*way, answer(money(found[0].price))],
        [*way, answer(money(found[1].price))],
    )


@BOOK.template(
    "What is the number of the cheapest direct flight from {origin} to {destination} on {day} (one way, one adult)?",
    "Which direct flight from {origin} to {destination} on {day} is the cheapest? Answer its flight number.",
    count=4,
)
def cheapest_direct(dice: Dice) -> Case:
    """Search, filter, read."""
    while True:
        journey = oneway(*route(dice, "f.stops = 0"), coming(dice))
        direct = [one for one in offered(journey) if not one.flight["stops"]]
        if (
            len(direct) > 1
            and direct[0].left
            and direct[0].price < direct[1].price
            and len(direct) < len(offered(journey))
        ):
            break
    number, other = direct[0].flight["number"], direct[1].flight["number"]
    way = [*search(journey), click("checkbox", "Direct"), button("Apply filters")]
    return Case(told(journey.legs[0]), {"answer": number}, [*way, answer(number)], [*way, answer(other)])


@BOOK.template(
    "How long does the fastest flight from {origin} to {destination} on {day} take? Answer like 3h 05m.",
    count=4,
)
def fastest(dice: Dice) -> Case:
    """Search, sort, read."""
    while True:
        journey = oneway(*route(dice), coming(dice))
        times = sorted({one.flight["minutes"] for one in offered(journey)})
        if len(times) > 2:
            break
    way = [*search(journey), choose("Sort by", "Fastest first"), button("Apply filters")]
    return Case(
        told(journey.legs[0]),
        {"answer": duration(times[0])},
        [*way, answer(duration(times[0]))],
        [*way, answer(duration(times[1]))],
    )


@BOOK.template(
    "Which aircraft is used for flight {number} from {origin} to {destination} on {day}?",
    "What type of plane flies {number} from {origin} to {destination} on {day}?",
    count=4,
)
def aircraft(dice: Dice) -> Case:
    """Search, open the details, read."""
    while True:
        journey = oneway(*route(dice), coming(dice))
        found = offered(journey)[:5]
        wanted = dice.pick(found) if found else None
        other = next(
            (
                o.flight["aircraft"]
                for o in found
                if wanted and o.flight["aircraft"] != wanted.flight["aircraft"]
            ),
            "",
        )
        if wanted and other:
            break
    number = wanted.flight["number"]
    way = [*search(journey), button("Flight details", row=f"· {number}")]
    return Case(
        {**told(journey.legs[0]), "number": number},
        {"answer": wanted.flight["aircraft"]},
        [*way, answer(wanted.flight["aircraft"])],
        [*way, answer(other)],
    )


@BOOK.template(
    "What do two adults and one child pay together for flight {number} from {origin} to {destination} on {day} in the {fare} "
    "fare, economy?",
    count=4,
)
def fare_for_family(dice: Dice) -> Case:
    """Search with a party, open the fares, read."""
    while True:
        base = oneway(*route(dice), coming(dice), 2)
        journey = type(base)("oneway", base.legs, 2, 1, 0, "economy")
        found = [one for one in offered(journey)[:5] if one.left]
        if found:
            break
    wanted, fare = dice.pick(found), dice.pick(("Standard", "Flex"))
    total = party_price(price_of(wanted.flight["base"], wanted.day, "economy", fare.lower()), journey.party)
    number = wanted.flight["number"]
    way = [*search(journey), link("Select", row=f"· {number}")]
    return Case(
        {**told(journey.legs[0]), "number": number, "fare": fare},
        {"answer": price(total)},
        [*way, answer(money(total))],
        [*way, answer(money(wanted.total))],
    )


@BOOK.template(
    "From which gate does flight {number} leave today?", "What is the gate of flight {number} today?", count=4
)
def gate(dice: Dice) -> Case:
    """Flight status."""
    found = dice.pick(rows("select * from flights order by id"))
    right = f"{'ABCD'[found['id'] % 4]}{found['id'] % 37 + 1}"
    way = [link("Flight status"), fill("Flight number", found["number"]), button("Show status")]
    wrong = f"{'ABCD'[(found['id'] + 1) % 4]}{found['id'] % 37 + 1}"
    return Case({"number": found["number"]}, {"answer": right}, [*way, answer(right)], [*way, answer(wrong)])


@BOOK.template("Is flight {number} on time today? Answer its status as the site says it.", count=3)
def flight_status(dice: Dice) -> Case:
    """Flight status."""
    found = dice.pick(rows("select * from flights order by id"))
    right = status_of(found["id"])
    way = [link("Flight status"), fill("Flight number", found["number"]), button("Show status")]
    wrong = "On time" if right != "On time" else "Boarding"
    return Case({"number": found["number"]}, {"answer": right}, [*way, answer(right)], [*way, answer(wrong)])


@BOOK.template(
    "What is the phone number of the hotel {hotel}?",
    "Find the phone number of {hotel}.",
    count=4,
)
def hotel_phone(dice: Dice) -> Case:
    """Search, open, read."""
    found = hotel(dice)
    way = open_hotel(found["name"])
    return Case(
        {"hotel": found["name"]},
        {"answer": found["phone"]},
        [*way, answer(found["phone"])],
        [*way, answer(f"{found['phone'][:-1]}x")],
    )


@BOOK.template(
    "Which hotel in {city} with free cancellation and {amenity} is the cheapest?",
    "Name the cheapest hotel in {city} that has {amenity} and offers free cancellation.",
    count=4,
)
def cheapest_hotel(dice: Dice) -> Case:
    """Search, filter, sort, read."""
    while True:
        city = dice.pick(rows("select distinct city from hotels order by city"))["city"]
        amenity = dice.pick(("Pool", "Gym", "Spa", "Parking", "Bar", "Restaurant"))
        known = rows("select * from hotels where city = ? and amenities like ? and free_cancellation order by lowest", city, f"%{amenity}%")  # fmt: skip
        if len(known) > 1 and known[0]["lowest"] < known[1]["lowest"]:
            break
    way = [
        *search_hotels(city, *coming_days()),
        click("checkbox", "Free cancellation"),
        click("checkbox", amenity),
    ]
    way += [choose("Sort by", "Price: low to high"), button("Apply filters")]
    return Case(
        {"city": city, "amenity": {"Gym": "a gym", "Pool": "a pool"}.get(amenity, amenity.lower())},
        {"answer": known[0]["name"]},
        [*way, answer(known[0]["name"])],
        [*way, answer(known[1]["name"])],
    )


@BOOK.template("How many {stars}-star hotels are there in {city}?", count=4)
def count_hotels(dice: Dice) -> Case:
    """Search, filter, count."""
    city = dice.pick(rows("select distinct city from hotels order by city"))["city"]
    stars = dice.pick((3, 4))
    count = one("select count(*) from hotels where city = ? and stars = ?", city, stars)
    way = [*search_hotels(city, *coming_days()), click("checkbox", f"{stars} stars"), button("Apply filters")]
    return Case(
        {"city": city, "stars": str(stars)},
        {"answer": str(count)},
        [*way, answer(count)],
        [*way, answer(count + 1)],
    )


@BOOK.template(
    "What do {nights} nights from {day} in the {room} of {hotel} cost in total for two adults?",
    count=4,
)
def stay_price(dice: Dice) -> Case:
    """Search with days, open, read."""
    found, nights, first = room(dice), dice.number(2, 6), coming(dice)
    total = found["price"] * nights
    way = [
        *search_hotels(found["hotel_name"], first, first + timedelta(days=nights)),
        link(found["hotel_name"]),
    ]
    return Case(
        {"hotel": found["hotel_name"], "room": found["name"], "nights": str(nights), "day": day(first)},
        {"answer": price(total)},
        [*way, answer(money(total))],
        [*way, answer(money(found["price"]))],
    )


@BOOK.template(
    "Who wrote the review “{title}” of {hotel}?", "Which guest gave {hotel} the review “{title}”?", count=4
)
def reviewer(dice: Dice) -> Case:
    """Search, open, wait for the reviews, read."""
    while True:
        found = hotel(dice, "reviews > 1")
        told = rows("select * from reviews where hotel = ? order by id", found["id"])
        wanted = dice.pick(told)
        if sum(other["title"] == wanted["title"] for other in told) == 1:
            break
    other = next(row["author"] for row in told if row["author"] != wanted["author"])
    way = open_hotel(found["name"])
    return Case(
        {"hotel": found["name"], "title": wanted["title"]},
        {"answer": wanted["author"]},
        [*way, answer(wanted["author"])],
        [*way, answer(other)],
    )


@BOOK.template("Open the page of the hotel {hotel}.", "Show me the hotel {hotel}.", count=3)
def show_hotel(dice: Dice) -> Case:
    """Search, open."""
    found, other = hotel(dice), hotel(dice)
    stay = "checkin=2026-07-15&checkout=2026-07-16&rooms=1&adults=2&children=0"
    return Case(
        {"hotel": found["name"]},
        {"url": f"/hotel/{found['slug']} |OR| /hotel/{found['slug']}?{stay}"},
        [*open_hotel(found["name"]), done()],
        [*open_hotel(other["name"]), done()],
    )


@BOOK.template(f"How many points do I have? ({SIGNED})", f"What is my balance of points? ({SIGNED})", count=3)
def balance(dice: Dice) -> Case:
    """Sign in, open the points."""
    who = member(dice)
    total = one("select sum(points) from points where user = ?", user_id(who))
    way = [*sign_in(who), *menu(who, "Points")]
    return Case(
        who,
        {"answer": [f"{total:,}", str(total), f"{total:,} points"]},
        [*way, answer(total)],
        [*way, answer(total + 50)],
    )


@BOOK.template(
    f"What is the booking reference of my flight to {{city}} on {{day}}? ({SIGNED})",
    f"I fly to {{city}} on {{day}}. Find the reference of that booking. ({SIGNED})",
    count=4,
)
def reference_of(dice: Dice) -> Case:
    """Sign in, read the list."""
    who = member(dice)
    known = flights_of(who, f"l.day > '{TODAY}'")
    found, other = dice.some(known, 2)
    way = sign_in(who)
    return Case(
        {**who, "city": found["destination_city"], "day": day(found["day"])},
        {"answer": found["ref"]},
        [*way, answer(found["ref"])],
        [*way, answer(other["ref"])],
    )


@BOOK.template(
    f"What would I get back if I cancelled my trip {{ref}}? Do not cancel it. ({SIGNED})",
    count=4,
)
def refund(dice: Dice) -> Case:
    """Sign in, open a trip, look at what cancelling costs, and leave it at that."""
    while True:
        who, found = coming_flight(dice, ("standard",))
        fee = cancel_fee(SITE.data, rows("select * from bookings where ref = ?", found["ref"])[0])
        back = found["total"] - fee
        if back != fee:
            break
    way = [*sign_in(who), link(found["ref"]), link("Cancel trip")]
    status = {"request": {"path": f"/__state/booking?ref={found['ref']}", "json": {"status": "Confirmed"}}}
    return Case(
        {**who, "ref": found["ref"]},
        {"answer": price(back), **status},
        [*way, answer(money(back))],
        [*way, answer(money(fee))],
    )
