"""Seeded people: who has an account, and the trips that they have booked."""

import sqlite3
from datetime import date, timedelta
from typing import Any

from fixtures_sites.seeded import TODAY, Dice
from fixtures_sites.travel.fares import party_price, price_of
from fixtures_sites.travel.references import reference

ACCOUNTS = (
    ("olivia.hart@example.com", "green-comet-31", "Ms", "Olivia", "Hart", "+1 617-555-0133", "1988-04-12", "SW 204 118 077", "Silver"),
    ("daniel.okafor@example.com", "quiet-river-9", "Mr", "Daniel", "Okafor", "+1 206-555-0171", "1979-11-02", "SW 311 560 942", "Gold"),
    ("sofia.marin@example.com", "tall-lantern-64", "Ms", "Sofia", "Marin", "+1 305-555-0126", "1994-07-25", "SW 118 902 335", "Blue"),
    ("james.whitlock@example.com", "brass-button-17", "Mr", "James", "Whitlock", "+1 312-555-0184", "1966-01-30", "SW 450 023 681", "Silver"),
)  # fmt: skip
"""E-mail, password, title, first and last name, phone, birthday, member number, tier of those whom tasks log in as."""
COMPANIONS = (("Mr", "Adrian"), ("Ms", "Beatrice"), ("Ms", "Celia"), ("Mr", "Dominic"))
UPCOMING = (("standard", 25), ("light", 41), ("flex", 63), ("standard", 80))
"""Fares of coming flights, and the days from today to them."""
EARNED = ("Flight {}", "Hotel stay {}", "Partner purchase", "Welcome bonus")
SEEDED = 12 * len(ACCOUNTS)
"""How many bookings there are before anyone has been there."""


def build(database: sqlite3.Connection, dice: Dice) -> None:
    """Accounts, points and bookings."""
    for user, (email, password, title, first, last, phone, born, member, tier) in enumerate(ACCOUNTS, 1):
        database.execute(
            "insert into users (id, email, password, title, first, last, phone, born, member, tier)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (user, email, password, title, first, last, phone, born, member, tier),
        )
        for _ in range(12):
            text = dice.pick(EARNED).format(reference(dice.number(500, 900)))
            spent = dice.chance(0.2)
            database.execute(
                "insert into points (user, day, text, points) values (?, ?, ?, ?)",
                (user, dice.day(date(2025, 2, 1), date(2026, 6, 10)).isoformat(),
                 "Upgrade to Business" if spent else text, -50 * dice.number(20, 60) if spent else 50 * dice.number(5, 60)),
            )  # fmt: skip
        _trips(database, user, dice)
        hotels = dice.some(range(1, 300), 3)
        database.executemany("insert into saved values (?, ?)", [(user, hotel) for hotel in hotels])


def _trips(database: sqlite3.Connection, user: int, dice: Dice) -> None:
    flights = database.execute("select * from flights where days = '1234567' order by id").fetchall()
    for days_ago in sorted((dice.number(20, 500) for _ in range(3)), reverse=True):
        _flight(database, user, dice.pick(flights), TODAY - timedelta(days=days_ago), "standard", dice)
    near = dice.pick([row for row in flights if row["departs"] > 600])
    _flight(database, user, near, TODAY + timedelta(days=1), "standard", dice)
    for fare, ahead in UPCOMING:
        _flight(
            database, user, dice.pick(flights), TODAY + timedelta(days=ahead + dice.number(0, 9)), fare, dice
        )
    for days in (-dice.number(30, 400), dice.number(18, 35), dice.number(40, 75), dice.number(80, 120)):
        _stay(database, user, TODAY + timedelta(days=days), dice)


def _head(database: sqlite3.Connection, user: int, kind: str, day: date, total: int, dice: Dice) -> int:
    email, _, _, first, last, phone, *_ = ACCOUNTS[user - 1]
    number = int(database.execute("select count(*) from bookings").fetchone()[0]) + 1
    booked = min(TODAY, day) - timedelta(days=dice.number(3, 19))
    database.execute(
        "insert into bookings (id, ref, user, kind, status, booked, name, email, phone, total, card)"
        " values (?, ?, ?, ?, 'Confirmed', ?, ?, ?, ?, ?, ?)",
        (number, reference(number), user, kind, booked.isoformat(), f"{first} {last}", email, phone, total,
         str(dice.number(1000, 9999))),
    )  # fmt: skip
    return number


def _flight(database: sqlite3.Connection, user: int, flight: Any, day: date, fare: str, dice: Dice) -> None:
    _, _, title, first, last, _, born, *_ = ACCOUNTS[user - 1]
    people = [(title, first, last, born)]
    if dice.chance(0.5):
        people.append((*dice.pick(COMPANIONS), last, "1985-09-14"))
    total = party_price(price_of(flight["base"], day, "economy", fare), {"adult": len(people)})
    number = _head(database, user, "flight", day, total, dice)
    database.execute(
        "insert into legs (booking, place, flight, day, fare, cabin) values (?, 0, ?, ?, ?, 'economy')",
        (number, flight["id"], day.isoformat(), fare),
    )
    database.executemany(
        "insert into travellers (booking, place, kind, title, first, last, born) values (?, ?, 'adult', ?, ?, ?, ?)",
        [(number, place, *person) for place, person in enumerate(people)],
    )


def _stay(database: sqlite3.Connection, user: int, day: date, dice: Dice) -> None:
    rooms = database.execute("select * from rooms where sleeps >= 2 and available > 0 order by id").fetchall()
    room = dice.pick([row for row in rooms if row["refundable"]] if dice.chance(0.6) else rooms)
    nights = dice.number(1, 5)
    number = _head(database, user, "hotel", day, room["price"] * nights, dice)
    database.execute(
        "insert into stays values (?, ?, ?, ?, ?, 1, ?, '', '', '')",
        (
            number,
            room["hotel"],
            room["id"],
            day.isoformat(),
            (day + timedelta(days=nights)).isoformat(),
            dice.pick((1, 2)),
        ),
    )
