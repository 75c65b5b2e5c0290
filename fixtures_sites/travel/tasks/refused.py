"""Tasks that can't be done: the right end is to say so."""

from datetime import timedelta

from fixtures_sites.seeded import Dice
from fixtures_sites.steps import button, done, fill, infeasible, link
from fixtures_sites.tasks import Book, Case
from fixtures_sites.travel.app import day
from fixtures_sites.travel.fares import seat_taken
from fixtures_sites.travel.journey import Journey, Leg
from fixtures_sites.travel.seeded import airports
from fixtures_sites.travel.tasks.flying import adult, bookable, person
from fixtures_sites.travel.tasks.owning import coming_stay, open_trip
from fixtures_sites.travel.tasks.shelf import (
    SIGNED,
    coming,
    coming_days,
    coming_flight,
    contact,
    no_extras,
    oneway,
    rows,
    search,
    search_hotels,
    select,
    told,
)

BOOK = Book("travel")
NEVER = {"infeasible": True}


@BOOK.template("Book me a seat on a flight from {origin} to {destination} on {day}, one way.", count=3)
def no_such_route(dice: Dice) -> Case:
    """Nobody flies there."""
    while True:
        one, two = (row[0] for row in dice.some(airports(), 2))
        if not rows("select 1 from flights where origin = ? and destination = ?", one, two):
            break
    journey = oneway(one, two, coming(dice))
    way = search(journey)
    return Case(told(journey.legs[0]), NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template(f"Move my flight {{ref}} to {{day}}. ({SIGNED})", count=3)
def fare_forbids_change(dice: Dice) -> Case:
    """The Light fare can't be changed."""
    who, found = coming_flight(dice, ("light",))
    way = [*open_trip(who, found["ref"]), link("Change trip")]
    return Case(
        {"ref": found["ref"], "day": day(coming(dice, 100, 160)), **who},
        NEVER,
        [*way, infeasible()],
        [*way, done()],
    )


@BOOK.template(f"Move my stay at {{hotel}} to {{day}}, same number of nights. ({SIGNED})", count=3)
def rate_forbids_change(dice: Dice) -> Case:
    """The rate can't be changed."""
    who, found = coming_stay(dice, "not r.refundable")
    way = [*open_trip(who, found["ref"]), link("Change trip")]
    return Case(
        {"hotel": found["hotel_name"], "day": day(coming(dice)), **who},
        NEVER,
        [*way, infeasible()],
        [*way, done()],
    )


@BOOK.template(
    "Book seat {seat} on flight {number} from {origin} to {destination} on {day} (one way, Standard fare) for {title} {first} {last}, born "
    "{born} ({email}, {phone}). No other seat will do.",
    count=3,
    hard=True,
)
def seat_is_taken(dice: Dice) -> Case:
    """Someone else has the seat."""
    journey, wanted = bookable(dice)
    who = person(dice)
    seats = [(f"{row}{letter}", seat_taken(wanted.flight["id"], wanted.day, row, letter))
             for row in range(4, 12) for letter in "ACDF"]  # fmt: skip
    seat = dice.pick([name for name, taken in seats if taken])
    other = dice.pick([name for name, taken in seats if not taken])
    way = [*search(journey), *select(journey, wanted, "Standard"), *adult(who), *contact(who["email"], who["phone"]),
           button("Continue"), *no_extras()]  # fmt: skip
    return Case(
        {**told(journey.legs[0]), "number": wanted.flight["number"], "seat": seat, **who},
        NEVER,
        [*way, infeasible()],
        [*way, button(other), button("Continue"), done()],
    )


@BOOK.template(
    "Find flights from {origin} to {destination} on {day}, one way, for one adult with two infants on the lap, and tell me the lowest price.",
    count=3,
)
def too_many_infants(dice: Dice) -> Case:
    """One infant for each adult."""
    journey, _ = bookable(dice)
    leg: Leg = journey.legs[0]
    one_infant = Journey("oneway", (leg,), 1, 0, 1, "economy")
    way = [button("1 adult, Economy"), button("+", row="Infants")]
    return Case(told(leg), NEVER, [*way, infeasible()], [*search(one_infant), done()])


@BOOK.template(f"Check me in online for my flight {{ref}} on {{day}}. ({SIGNED})", count=3)
def check_in_not_open(dice: Dice) -> Case:
    """Check-in opens two days before."""
    who, found = coming_flight(dice, ("light", "standard", "flex"))
    way = open_trip(who, found["ref"])
    return Case(
        {"ref": found["ref"], "day": day(found["day"]), **who}, NEVER, [*way, infeasible()], [*way, done()]
    )


@BOOK.template("Book the {room} at {hotel} for the night of {day}, two adults.", count=3)
def sold_out_room(dice: Dice) -> Case:
    """No such room is left."""
    found = dice.pick(
        rows(
            "select r.*, h.name as hotel_name from rooms r join hotels h on h.id = r.hotel where available = 0 order by r.id"
        )
    )
    first = coming(dice)
    way = [*search_hotels(found["hotel_name"], first, first + timedelta(days=1)), link(found["hotel_name"])]
    return Case(
        {"room": found["name"], "hotel": found["hotel_name"], "day": day(first)},
        NEVER,
        [*way, infeasible()],
        [*way, done()],
    )


@BOOK.template("Find me a hotel in {city} for two adults from {day} and tell me its name.", count=3)
def no_hotels_there(dice: Dice) -> Case:
    """The site has no hotels in that town."""
    city, first = dice.pick(("Reykjavik", "Nairobi", "Lima", "Oulu", "Bergen")), coming(dice)
    way = [link("Hotels"), fill("Destination", city, role="combobox"), fill("Check-in", str(first)),
           fill("Check-out", str(first + timedelta(days=1))), button("Search hotels")]  # fmt: skip
    other = search_hotels("Lisbon", *coming_days())
    return Case({"city": city, "day": day(first)}, NEVER, [*way, infeasible()], [*other, done()])


@BOOK.template("Show me the booking {ref} of {first} {last}. There is no account to sign in with.", count=3)
def wrong_name(dice: Dice) -> Case:
    """Reference and name do not go together."""
    who, found = coming_flight(dice)
    stranger = person(dice)
    way = [link("Manage booking"), fill("Booking reference", found["ref"])]
    return Case(
        {"ref": found["ref"], "first": stranger["first"], "last": stranger["last"]},
        NEVER,
        [*way, fill("Last name", stranger["last"]), button("Find booking"), infeasible()],
        [*way, fill("Last name", who["last"]), button("Find booking"), done()],
    )
