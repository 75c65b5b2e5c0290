"""The travel site's data as it is before anyone has been there."""

import json
import sqlite3
from datetime import date
from functools import cache
from importlib.resources import files
from math import asin, cos, radians, sin, sqrt
from typing import Any

from fixtures_sites.seeded import Dice
from fixtures_sites.slugs import slugify
from fixtures_sites.travel import customers

SEED = 20250302
PAIRS = 105
PER_ROUTE = 8
HOTELS_PER_CITY = 10
HOTEL_CITIES = (
    "Boston", "New York", "Philadelphia", "Washington", "Pittsburgh", "Chicago", "Atlanta", "Miami", "Denver", "Las Vegas",
    "Los Angeles", "San Francisco", "Seattle", "Portland", "Honolulu", "Toronto", "Montreal", "Cancun", "London", "Edinburgh",
    "Dublin", "Paris", "Amsterdam", "Berlin", "Vienna", "Barcelona", "Lisbon", "Rome", "Copenhagen", "Tokyo", "Singapore",
)  # fmt: skip
AMERICAN = ("United States", "Canada", "Mexico")
Row = tuple[Any, ...]


@cache
def vocabulary() -> dict[str, Any]:
    """Names of airlines, hotels and the like."""
    loaded: dict[str, Any] = json.loads((files(__package__) / "data" / "words.json").read_text("utf-8"))
    return loaded


@cache
def airports() -> tuple[Row, ...]:
    """Code, city, name, country, latitude, longitude, hours from UTC."""
    return tuple(
        tuple(row) for row in json.loads((files(__package__) / "data" / "airports.json").read_text("utf-8"))
    )


def build(database: sqlite3.Connection) -> None:
    """Writes all of it into an empty database."""
    database.executescript((files(__package__) / "schema.sql").read_text("utf-8"))
    dice = Dice(SEED)
    database.execute("begin")
    database.executemany("insert into airports values (?, ?, ?, ?, ?, ?, ?)", airports())
    database.executemany("insert into airlines values (?, ?)", vocabulary()["airlines"])
    database.executemany("insert into flights values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _flights(dice))
    _hotels(database, dice)
    customers.build(database, dice)
    database.execute("commit")


def _flights(dice: Dice) -> list[Row]:
    made: list[Row] = []
    pairs: set[tuple[str, str]] = set()
    numbers: set[str] = set()
    while len(pairs) < PAIRS:
        one, two = dice.pick(airports()), dice.pick(airports())
        apart = one[1] != two[1] and (one[3] in AMERICAN or two[3] in AMERICAN or dice.chance(0.4))
        if not apart or (one[0], two[0]) in pairs or (two[0], one[0]) in pairs:
            continue
        pairs.add((one[0], two[0]))
        for origin, destination in ((one, two), (two, one)):
            flying = dice.some(vocabulary()["airlines"], 5)
            for _ in range(PER_ROUTE):
                made.append(_flight(len(made) + 1, origin, destination, dice.pick(flying), numbers, dice))
    return made


def _flight(number: int, origin: Row, destination: Row, airline: Row, numbers: set[str], dice: Dice) -> Row:
    km = _distance(origin, destination)
    stops = dice.pick((0, 0, 0, 1, 1, 2) if km < 6000 else (0, 0, 1, 1, 1, 2))
    minutes = 5 * round((35 + km / 13.5 + stops * dice.number(80, 190)) / 5)
    base = int((55 + km * 0.085) * dice.between(0.8, 1.3) * (1, 0.85, 0.75)[stops])
    while (name := f"{airline[0]} {dice.number(100, 4999)}") in numbers:
        pass
    numbers.add(name)
    away = [row for row in airports() if row[1] not in (origin[1], destination[1])]
    near = sorted(away, key=lambda row: _distance(origin, row) + _distance(row, destination))[:6]
    via = ", ".join(row[0] for row in dice.some(near, stops))
    days = "1234567" if dice.chance(0.75) else "".join(sorted(dice.some("1234567", 5)))
    craft = dice.pick(vocabulary()["widebodies" if km > 5000 else "aircraft"])
    return (
        number,
        name,
        airline[0],
        origin[0],
        destination[0],
        5 * dice.number(66, 276),
        minutes,
        stops,
        via,
        days,
        base,
        craft,
    )


@cache
def _distance(one: Row, two: Row) -> float:
    """Kilometres as the crow flies."""
    lat, lon, other_lat, other_lon = (radians(value) for value in (one[4], one[5], two[4], two[5]))
    half = sin((lat - other_lat) / 2) ** 2 + cos(lat) * cos(other_lat) * sin((lon - other_lon) / 2) ** 2
    return 12742 * asin(sqrt(half))


def _hotels(database: sqlite3.Connection, dice: Dice) -> None:
    hotels: list[Row] = []
    rooms: list[Row] = []
    reviews: list[Row] = []
    taken: set[str] = set()
    countries = {row[1]: row[3] for row in airports()}
    for city in HOTEL_CITIES:
        for _ in range(HOTELS_PER_CITY):
            number = len(hotels) + 1
            while (
                name := f"{dice.pick(vocabulary()['first'])} {dice.pick(vocabulary()['kinds'])} {city}"
            ) in taken:
                pass
            taken.add(name)
            stars = dice.pick((2, 3, 3, 3, 4, 4, 4, 5))
            own = _rooms(number, stars, dice)
            rooms += own
            told = _reviews(number, dice)
            reviews += told
            rating = round(sum(row[2] for row in told) / len(told), 1)
            hotels.append((*_hotel(number, name, city, stars, dice), rating, len(told), min(row[4] for row in own),
                           ", ".join(sorted(dice.some(vocabulary()["amenities"], dice.number(3, 7)))),
                           f"+1 555-{dice.number(200, 989)}-{1000 + number}", countries[city]))  # fmt: skip
    database.executemany(
        "insert into hotels (id, slug, name, chain, city, street, stars, distance, free_cancellation, description,"
        f" rating, reviews, lowest, amenities, phone, country) values ({_holes(16)})",
        hotels,
    )
    database.executemany(
        "insert into rooms (hotel, name, beds, sleeps, price, breakfast, refundable, available)"
        f" values ({_holes(8)})", rooms,
    )  # fmt: skip
    database.execute(
        "update hotels set free_cancellation = exists (select 1 from rooms where hotel = hotels.id and refundable)"
    )
    database.executemany(
        f"insert into reviews (hotel, author, rating, title, text, day) values ({_holes(6)})", reviews
    )


def _hotel(number: int, name: str, city: str, stars: int, dice: Dice) -> Row:
    words = vocabulary()
    return (
        number, slugify(name), name, dice.pick(words["chains"]), city,
        f"{dice.number(1, 480)} {dice.pick(words['streets'])}", stars, dice.number(1, 89) / 10, 0,
        f"{dice.pick(words['intros'])} {dice.pick(words['closers'])}",
    )  # fmt: skip


def _rooms(hotel: int, stars: int, dice: Dice) -> list[Row]:
    standard = int((38 + stars * 27) * dice.between(0.75, 1.6))
    kinds = sorted(dice.some(vocabulary()["rooms"], dice.pick((2, 3, 3, 4))), key=lambda kind: float(kind[3]))
    refunds = dice.chance(0.6)
    return [
        (hotel, name, beds, sleeps, int(standard * share) + dice.number(0, 9), int(dice.chance(0.4)),
         int(refunds and dice.chance(0.6)), 0 if dice.chance(0.06) else dice.number(1, 9))
        for name, beds, sleeps, share in kinds
    ]  # fmt: skip


def _reviews(hotel: int, dice: Dice) -> list[Row]:
    count = dice.number(6, 9) if dice.chance(0.1) else dice.pick((1, 2, 2, 3))
    lean = dice.pick(("554", "5443", "4432", "5544"))
    made = []
    for author in dice.some(vocabulary()["people"], count):
        stars = dice.pick(lean)
        title, text = dice.pick(vocabulary()["reviews"][stars])
        day = dice.day(date(2025, 1, 1), date(2026, 6, 10)).isoformat()
        made.append((hotel, author, int(stars), title, text, day))
    return made


def _holes(count: int) -> str:
    return ", ".join("?" * count)
