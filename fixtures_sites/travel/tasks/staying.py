"""Tasks that book rooms, and keep or judge hotels."""

from datetime import date, timedelta

from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case
from fixtures_sites.travel.app import day
from fixtures_sites.travel.tasks.flying import person
from fixtures_sites.travel.tasks.shelf import (
    CARD,
    CARDS,
    SIGNED,
    account,
    coming,
    contact,
    hotel,
    member,
    menu,
    open_hotel,
    pay,
    placed,
    room,
    rows,
    search_hotels,
    sign_in,
    user_id,
)

BOOK = Book("travel")
TERMS = "I accept the conditions of the hotel"
GUEST = "{first} {last} ({email}, {phone})"


def guest(who: dict[str, str], arrival: str = "", request: str = "") -> list[Step]:
    """The guest's details."""
    steps = [
        fill("First name", who["first"]),
        fill("Last name", who["last"]),
        *contact(who["email"], who["phone"]),
    ]
    if arrival:
        steps.append(choose("Time of arrival", arrival))
    if request:
        steps.append(fill("Special requests (optional)", request))
    return [*steps, button("Continue")]


def settle(who: dict[str, str], card: str) -> list[Step]:
    """Pays for a room."""
    return [*pay(card, f"{who['first']} {who['last']}", TERMS), done()]


def days(dice: Dice) -> tuple[date, date]:
    """Arrival and departure."""
    first = coming(dice)
    return first, first + timedelta(days=dice.number(1, 6))


@BOOK.template(
    f"Book the {{room}} at {{hotel}} from {{day}} to {{later}} for two adults, in the name of {GUEST}; {CARD}.",
    f"I need the {{room}} at {{hotel}}, {{day}} to {{later}}, two adults. Guest: {GUEST}; {CARD}.",
    count=5,
    hard=True,
)
def book_room(dice: Dice) -> Case:
    """The whole way for a room."""
    found, (first, last), who, card = room(dice, "r.available > 3 and r.sleeps >= 2"), days(dice), person(dice), dice.pick(CARDS)  # fmt: skip

    def way(leaving: date) -> list[Step]:
        return [
            *search_hotels(found["hotel_name"], first, leaving), link(found["hotel_name"]),
            button("Reserve", row=found["name"]), *guest(who), *settle(who, card),
        ]  # fmt: skip

    wanted = {
        "hotel": found["hotel_name"],
        "room": found["name"],
        "checkin": str(first),
        "checkout": str(last),
        "rooms": 1,
    }
    return Case(
        {
            "room": found["name"],
            "hotel": found["hotel_name"],
            "day": day(first),
            "later": day(last),
            "card": card,
            **who,
        },
        placed(
            {
                **wanted,
                "adults": 2,
                "guest": f"{who['first']} {who['last']}",
                "email": who["email"],
                "card": card[-4:],
            }
        ),
        way(last),
        way(last + timedelta(days=1)),
    )


@BOOK.template(
    "Book two of the {room} at {hotel} from {day} to {later} for three adults and two children aged {one} and {two}; guest "
    + GUEST
    + f", arriving between 18:00 and 22:00, with the request “{{request}}”; {CARD}.",
    count=4,
    hard=True,
)
def book_family_rooms(dice: Dice) -> Case:
    """Steppers, ages that appear with the children, two rooms, a request."""
    found = room(dice, "r.available > 2 and r.sleeps >= 3")
    (first, last), who, card = days(dice), person(dice), dice.pick(CARDS)
    ages = (dice.number(1, 8), dice.number(9, 16))
    request = dice.pick(("Rooms next to each other, please.", "A cot, please.", "A quiet floor, please."))

    def way(*told_ages: int) -> list[Step]:
        return [
            *search_hotels(found["hotel_name"], first, last, 3, 2, told_ages), link(found["hotel_name"]),
            button("Reserve", row=found["name"]), *guest(who, "18:00 to 22:00", request), *settle(who, card),
        ]  # fmt: skip

    wanted = {
        "hotel": found["hotel_name"],
        "room": found["name"],
        "checkin": str(first),
        "checkout": str(last),
        "rooms": 2,
    }
    wanted |= {
        "adults": 3,
        "children": f"{ages[0]}, {ages[1]}",
        "arrival": "18:00 to 22:00",
        "request": request,
    }
    return Case(
        {"room": found["name"], "hotel": found["hotel_name"], "day": day(first), "later": day(last), "one": str(ages[0]),
         "two": str(ages[1]), "request": request, "card": card, **who},
        placed({**wanted, "card": card[-4:]}),
        way(*ages),
        way(ages[0], ages[1] + 1),
    )  # fmt: skip


@BOOK.template(
    "Find the cheapest hotel in {city} with {stars} stars or more and book its cheapest room that sleeps two, from {day} to {later}, two "
    f"adults, for {GUEST}; {CARD}.",
    count=4,
    hard=True,
)
def book_cheapest(dice: Dice) -> Case:
    """Filter, sort, open, reserve."""
    while True:
        city, stars = (
            dice.pick(rows("select distinct city from hotels order by city"))["city"],
            dice.pick((3, 4)),
        )
        known = rows("select * from hotels where city = ? and stars >= ? order by lowest", city, stars)
        if len(known) < 2 or known[0]["lowest"] == known[1]["lowest"]:
            continue
        fit = [
            rows("select * from rooms where hotel = ? and sleeps >= 2 order by price", one["id"])
            for one in known[:2]
        ]
        if (
            all(one and one[0]["available"] for one in fit)
            and [one["price"] for one in fit[0]].count(fit[0][0]["price"]) == 1
        ):
            break
    (first, last), who, card = days(dice), person(dice), dice.pick(CARDS)
    filters = [click("checkbox", f"{n} stars") for n in range(stars, 6)]

    def way(place: int) -> list[Step]:
        return [
            *search_hotels(city, first, last), *filters, choose("Sort by", "Price: low to high"), button("Apply filters"),
            link(known[place]["name"]), button("Reserve", row=fit[place][0]["name"]), *guest(who), *settle(who, card),
        ]  # fmt: skip

    wanted = {
        "hotel": known[0]["name"],
        "room": fit[0][0]["name"],
        "checkin": str(first),
        "checkout": str(last),
    }
    return Case(
        {"city": city, "stars": str(stars), "day": day(first), "later": day(last), "card": card, **who},
        placed({**wanted, "rooms": 1, "adults": 2, "card": card[-4:]}),
        way(0),
        way(1),
    )


def saved_by(who: dict[str, str]) -> list[str]:
    """Names of the hotels that someone has saved."""
    sql = "select h.name from saved s join hotels h on h.id = s.hotel where s.user = ? order by h.name"
    return [row["name"] for row in rows(sql, user_id(who))]


@BOOK.template(
    f"Save the hotel {{hotel}} for later. ({SIGNED})",
    f"Put {{hotel}} on my list of saved hotels. ({SIGNED})",
    count=4,
)
def save(dice: Dice) -> Case:
    """Sign in, search, save."""
    who, found = member(dice), hotel(dice)
    way = [*sign_in(who), *open_hotel(found["name"])]
    return Case(
        {"hotel": found["name"], **who},
        account(who, saved=sorted({*saved_by(who), found["name"]})),
        [*way, button("Save hotel"), done()],
        [*way, done()],
    )


@BOOK.template(f"Remove {{hotel}} from my saved hotels. ({SIGNED})", count=3)
def unsave(dice: Dice) -> Case:
    """Sign in, open the list, remove."""
    who = member(dice)
    out, other = dice.some(saved_by(who), 2)
    way = [*sign_in(who), *menu(who, "Saved hotels")]
    return Case(
        {"hotel": out, **who},
        account(who, saved=[name for name in saved_by(who) if name != out]),
        [*way, button("Remove", row=out), done()],
        [*way, button("Remove", row=other), done()],
    )


@BOOK.template(
    f"Review {{hotel}}: {{stars}} stars, title “{{title}}”, text “{{text}}”. ({SIGNED})",
    count=4,
)
def review(dice: Dice) -> Case:
    """Sign in, open, write."""
    who, found, stars = member(dice), hotel(dice), dice.number(2, 5)
    title = dice.pick(("A calm night", "Mixed feelings", "Worth the money"))
    text = dice.pick(("The room was clean and the desk was helpful.", "The bed was fine but the street was loud.",
                      "Breakfast was generous, the gym small."))  # fmt: skip

    def way(given: int) -> list[Step]:
        return [
            *sign_in(who), *open_hotel(found["name"]), link("Write a review"), click("radio", f"{given} stars"),
            fill("Title", title), fill("Your review", text), button("Publish review"), done(),
        ]  # fmt: skip

    wanted = {"hotel": found["name"], "rating": stars, "title": title, "text": text}
    return Case(
        {"hotel": found["name"], "stars": str(stars), "title": title, "text": text, **who},
        account(who, reviews=[wanted]),
        way(stars),
        way(stars - 1 if stars > 2 else 3),
    )
