"""Tasks that book flights."""

from datetime import date, timedelta
from typing import Any

from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, answer, button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case
from fixtures_sites.travel.app import day
from fixtures_sites.travel.customers import SEEDED
from fixtures_sites.travel.fares import seat_taken
from fixtures_sites.travel.journey import Journey, Leg
from fixtures_sites.travel.references import reference
from fixtures_sites.travel.tasks.shelf import (
    CARD,
    CARDS,
    PEOPLE,
    SIGNED,
    airport,
    coming,
    contact,
    for_sale,
    member,
    no_extras,
    offered,
    oneway,
    passenger,
    pay,
    placed,
    route,
    rows,
    search,
    select,
    sign_in,
    told,
)
from fixtures_sites.travel.timetable import Offer

BOOK = Book("travel")
HOME = "o.country = d.country"
ABROAD = "o.country <> d.country"
WHO = "{title} {first} {last}, born on {born} ({email}, {phone})"
PLAIN = "no extra bags, no insurance, no seat"
FARES = ("Light", "Standard", "Flex")


def person(dice: Dice) -> dict[str, str]:
    """Someone to book for."""
    keys = ("title", "first", "last", "born", "email", "phone", "passport")
    return dict(zip(keys, dice.pick(PEOPLE), strict=True))


def adult(who: dict[str, str], nth: int = 0) -> list[Step]:
    """The fields of an adult."""
    return passenger(who["title"], who["first"], who["last"], who["born"], nth)


def legs(*wanted: tuple[Offer, str]) -> list[dict[str, Any]]:
    """Flights with fares, as the state tells them."""
    return [
        {"number": offer.flight["number"], "day": str(offer.day), "fare": fare.lower()}
        for offer, fare in wanted
    ]


def bookable(dice: Dice, condition: str = HOME, **more: Any) -> tuple[Journey, Offer]:
    """A search for one flight, and a flight that it finds, to which there is another."""
    while True:
        journey = oneway(*route(dice, condition), coming(dice), **more)
        found = for_sale(journey)
        if len(found) > 1:
            return journey, dice.pick(found)


def finish(card: str, who: dict[str, str]) -> list[Step]:
    """After the passengers: nothing more, and pay."""
    return [*no_extras(), button("Skip seat selection"), *pay(card, f"{who['first']} {who['last']}")]


@BOOK.template(
    f"Book flight {{number}} from {{origin}} to {{destination}} on {{day}}, one way, {{fare}} fare, for {WHO}; {PLAIN}; {CARD}.",
    f"Please get {WHO} a seat on {{number}}, {{origin}} to {{destination}}, {{day}}: one way, {{fare}} fare, {PLAIN}; {CARD}.",
    count=5,
    hard=True,
)
def book_oneway(dice: Dice) -> Case:
    """The whole way for one flight."""
    journey, wanted = bookable(dice)
    fare, who, card = dice.pick(FARES), person(dice), dice.pick(CARDS)
    other = "Flex" if fare != "Flex" else "Standard"

    def way(chosen: str) -> list[Step]:
        return [
            *search(journey), *select(journey, wanted, chosen), *adult(who), *contact(who["email"], who["phone"]),
            button("Continue"), *finish(card, who), done(),
        ]  # fmt: skip

    return Case(
        {**told(journey.legs[0]), "number": wanted.flight["number"], "fare": fare, "card": card, **who},
        placed({"legs": legs((wanted, fare)), "email": who["email"], "card": card[-4:], "insurance": 0,
                "travellers": [{"first": who["first"], "last": who["last"], "born": who["born"], "bags": 0}], "seats": []}),
        way(fare),
        way(other),
    )  # fmt: skip


@BOOK.template(
    f"Book a return trip from {{origin}} to {{destination}}: out on {{day}} with {{number}}, back on {{later}} with {{other}}, both "
    f"in the Standard fare, for {WHO}; {PLAIN}; {CARD}.",
    count=4,
    hard=True,
)
def book_return(dice: Dice) -> Case:
    """Two flights, each chosen from a list."""
    while True:
        origin, destination = route(dice, HOME)
        first = coming(dice)
        second = first + timedelta(days=dice.number(3, 20))
        journey = Journey(
            "return", (Leg(origin, destination, first), Leg(destination, origin, second)), 1, 0, 0, "economy"
        )
        out, home = for_sale(journey), for_sale(journey, 1)
        if len(out) > 1 and len(home) > 1:
            break
    who, card = person(dice), dice.pick(CARDS)
    there = dice.pick(out)
    again, wrong = dice.some(home, 2)

    def way(last: Offer) -> list[Step]:
        return [
            *search(journey), *select(journey, there, "Standard"), *select(journey, last, "Standard", 1), *adult(who),
            *contact(who["email"], who["phone"]), button("Continue"), *finish(card, who), done(),
        ]  # fmt: skip

    return Case(
        {**told(journey.legs[0]), "later": day(second), "number": there.flight["number"],
         "other": again.flight["number"], "card": card, **who},
        placed({"legs": legs((there, "Standard"), (again, "Standard")), "email": who["email"], "card": card[-4:]}),
        way(again),
        way(wrong),
    )  # fmt: skip


@BOOK.template(
    "Book flight {number} from {origin} to {destination} on {day} (one way, Standard fare) for a family of citizens of Canada: "
    "{title} {first} {last}, born {born}, passport {passport}; the child Mika {last}, born {child}, passport MK200318, and the "
    f"infant Lou {{last}}, born {{infant}}, passport LU260101 (titles Mx). Contact {{email}}, {{phone}}. {PLAIN.capitalize()}; {CARD}.",
    count=4,
    hard=True,
)
def book_family(dice: Dice) -> Case:
    """A child and an infant, with passports, as the flight goes abroad."""
    while True:
        leg = Leg(*route(dice, ABROAD), coming(dice))
        journey = Journey("oneway", (leg,), 1, 1, 1, "economy")
        if found := for_sale(journey):
            break
    wanted, who, card = dice.pick(found), person(dice), dice.pick(CARDS)
    child, infant = date(2019, 3, 14) + timedelta(days=dice.number(0, 300)), date(2025, 9, 3)
    papers = (who["passport"], "MK200318", "LU260101")

    def way(nation: str) -> list[Step]:
        fields = [*adult(who), *passenger("Mx", "Mika", who["last"], str(child), 1),
                  *passenger("Mx", "Lou", who["last"], str(infant), 2)]  # fmt: skip
        for nth, paper in enumerate(papers):
            fields += [fill("Passport number", paper, nth=nth), choose("Nationality", nation, nth=nth)]
        return [
            *search(journey), *select(journey, wanted, "Standard"), *fields, *contact(who["email"], who["phone"]),
            button("Continue"), *finish(card, who), done(),
        ]  # fmt: skip

    people = [
        {"kind": kind, "first": name, "born": born, "passport": paper, "nationality": "Canada"}
        for kind, name, born, paper in zip(
            ("adult", "child", "infant"), (who["first"], "Mika", "Lou"), (who["born"], str(child), str(infant)), papers, strict=True
        )
    ]  # fmt: skip
    return Case(
        {
            **told(leg),
            "number": wanted.flight["number"],
            "child": str(child),
            "infant": str(infant),
            "card": card,
            **who,
        },
        placed({"legs": legs((wanted, "Standard")), "travellers": people, "card": card[-4:]}),
        way("Canada"),
        way("United States"),
    )


@BOOK.template(
    f"Book {{number}} from {{origin}} to {{destination}} on {{day}}, one way in the {{fare}} fare, for {WHO}, with seat {{seat}}, one "
    f"extra bag and travel insurance; {CARD}. What is the booking reference?",
    count=4,
    hard=True,
)
def book_with_seat(dice: Dice) -> Case:
    """A bag, insurance and a seat from the map; the reference is read at the end."""
    journey, wanted = bookable(dice)
    fare, who, card, ref = dice.pick(FARES), person(dice), dice.pick(CARDS), reference(SEEDED + 1)
    free = [f"{row}{letter}" for row in range(4, 12) for letter in "ACDF"
            if not seat_taken(wanted.flight["id"], wanted.day, row, letter)]  # fmt: skip
    seat, wrong = dice.some(free, 2)

    def way(chosen: str) -> list[Step]:
        return [
            *search(journey), *select(journey, wanted, fare), *adult(who), *contact(who["email"], who["phone"]),
            button("Continue"), choose(f"Extra bags for {who['first']} {who['last']}", "1 bag"),
            click("radio", "Yes, protect my trip (recommended)"), button("Continue"), button(chosen), button("Continue"),
            *pay(card, f"{who['first']} {who['last']}"), answer(ref),
        ]  # fmt: skip

    return Case(
        {**told(journey.legs[0]), "number": wanted.flight["number"], "fare": fare, "seat": seat, "card": card, **who},
        {"answer": ref, **placed({"legs": legs((wanted, fare)), "insurance": 1, "card": card[-4:], "seats": [{"seat": seat}],
                                  "travellers": [{"first": who["first"], "bags": 1}]})},
        way(seat),
        way(wrong),
    )  # fmt: skip


@BOOK.template(
    "Book a multi-city trip for "
    + WHO
    + ": {origin} to {middle} on {day} with {number}, then {middle} to {destination} on {later} with {other}, in the Light fare; "
    f"{PLAIN}; {CARD}.",
    count=3,
    hard=True,
)
def book_multi(dice: Dice) -> Case:
    """The form for several flights."""
    while True:
        origin, middle = route(dice, HOME)
        onward = rows("select distinct destination from flights f where origin = ? and destination <> ? and exists"
                      " (select 1 from airports a join airports b on a.country = b.country where a.code = f.origin and b.code = f.destination)"
                      " order by 1", middle, origin)  # fmt: skip
        if not onward:
            continue
        first = coming(dice)
        second = first + timedelta(days=dice.number(2, 9))
        last = Leg(middle, dice.pick(onward)["destination"], second)
        journey = Journey("multi", (Leg(origin, middle, first), last), 1, 0, 0, "economy")
        one, two = for_sale(journey), for_sale(journey, 1)
        if one and len(two) > 1:
            break
    who, card, there = person(dice), dice.pick(CARDS), dice.pick(one)
    onwards, wrong = dice.some(two, 2)

    def way(second_flight: Offer) -> list[Step]:
        return [
            *search(journey), *select(journey, there, "Light"), *select(journey, second_flight, "Light", 1), *adult(who),
            *contact(who["email"], who["phone"]), button("Continue"), *finish(card, who), done(),
        ]  # fmt: skip

    return Case(
        {"origin": airport(origin), "middle": airport(middle), "destination": airport(last.destination), "day": day(first),
         "later": day(second), "number": there.flight["number"], "other": onwards.flight["number"], "card": card, **who},
        placed({"legs": legs((there, "Light"), (onwards, "Light")), "card": card[-4:]}),
        way(onwards),
        way(wrong),
    )  # fmt: skip


@BOOK.template(
    f"Book {{number}} from {{origin}} to {{destination}} on {{day}} (one way) in Business, Flex fare, with the promo code {{code}}, "
    f"for {WHO}; {PLAIN}; {CARD}.",
    count=3,
    hard=True,
)
def book_business(dice: Dice) -> Case:
    """Another cabin, and a promo code that is hidden until asked for."""
    journey, wanted = bookable(dice, cabin="business")
    who, card, code = person(dice), dice.pick(CARDS), dice.pick(("FLY20", "SUMMERFUN"))

    def way(*coupon: Step) -> list[Step]:
        return [
            *search(journey), *select(journey, wanted, "Flex"), *adult(who), *contact(who["email"], who["phone"]),
            button("Continue"), *no_extras(), button("Skip seat selection"), *coupon,
            *pay(card, f"{who['first']} {who['last']}"), done(),
        ]  # fmt: skip

    return Case(
        {**told(journey.legs[0]), "number": wanted.flight["number"], "code": code, "card": card, **who},
        placed(
            {"legs": [{**legs((wanted, "Flex"))[0], "cabin": "business"}], "promo": code, "card": card[-4:]}
        ),
        way(*PROMO, fill("Promo code", code)),
        way(),
    )


PROMO: list[Step] = [click("generic", "I have a promo code")]


@BOOK.template(
    f"Book me the cheapest direct flight from {{origin}} to {{destination}} on {{day}}, one way, Light fare; I travel alone, my details are "
    f"in my profile; {PLAIN}; {CARD}. ({SIGNED})",
    count=4,
    hard=True,
)
def book_as_member(dice: Dice) -> Case:
    """Sign in, find the cheapest, let the form be filled."""
    while True:
        journey = oneway(*route(dice, f"{HOME} and f.stops = 0"), coming(dice))
        direct = [one for one in offered(journey) if not one.flight["stops"]]
        if len(direct) > 1 and direct[0].left and direct[1].left and direct[0].price < direct[1].price:
            break
    who, card = member(dice), dice.pick(CARDS)

    def way(chosen: Offer) -> list[Step]:
        return [
            *sign_in(who), link("Flights"), *search(journey), *select(journey, chosen, "Light"), button("Fill in my details"),
            button("Continue"), *finish(card, who), done(),
        ]  # fmt: skip

    return Case(
        {**told(journey.legs[0]), "card": card, **who},
        placed({"legs": legs((direct[0], "Light")), "email": who["email"], "card": card[-4:],
                "travellers": [{"first": who["first"], "last": who["last"]}]}),
        way(direct[0]),
        way(direct[1]),
    )  # fmt: skip
