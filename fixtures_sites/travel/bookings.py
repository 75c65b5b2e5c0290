"""Bookings as they are stored: added, found, and all that belongs to one."""

from datetime import date
from typing import Any

from fixtures_sites.seeded import TODAY
from fixtures_sites.state import Data
from fixtures_sites.travel.fares import FARES
from fixtures_sites.travel.references import reference
from fixtures_sites.travel.timetable import FLIGHT


def add(data: Data, kind: str, user: Any, **said: Any) -> int:
    """Stores the head of a booking, with `name`, `email`, `phone`, `total`, `card` …; its number."""
    number = int(data.value("select max(id) from bookings")) + 1
    values = {
        "id": number, "ref": reference(number), "user": user["id"] if user else None, "kind": kind, "status": "Confirmed",
        "booked": TODAY.isoformat(), **said,
    }  # fmt: skip
    holes = ", ".join("?" * len(values))
    data.change(f"insert into bookings ({', '.join(values)}) values ({holes})", *values.values())
    if user:
        data.change(
            "insert into points (user, day, text, points) values (?, ?, ?, ?)",
            user["id"], TODAY.isoformat(), f"Booking {values['ref']}", said["total"],
        )  # fmt: skip
    return number


def by_number(data: Data, number: object) -> Any:
    """A booking by its number; None where there is none."""
    return data.row("select * from bookings where id = ?", number)


def by_ref(data: Data, ref: str) -> Any:
    """A booking by its reference; None where there is none."""
    return data.row("select * from bookings where ref = ?", ref.strip().upper())


def legs(data: Data, number: int) -> list[Any]:
    """Its flights in order, each with the flight's own facts."""
    return data.rows(
        f"select l.*, f.* , l.id as leg_id, l.day as day from legs l join ({FLIGHT}) f on f.id = l.flight"
        " where l.booking = ? order by l.place",
        number,
    )


def travellers(data: Data, number: int) -> list[Any]:
    """Its travellers in order."""
    return data.rows("select * from travellers where booking = ? order by place", number)


def seats(data: Data, number: int) -> dict[tuple[int, int], str]:
    """Chosen seats by the places of leg and traveller."""
    rows = data.rows("select leg, traveller, seat from seats where booking = ?", number)
    return {(row["leg"], row["traveller"]): row["seat"] for row in rows}


def stay(data: Data, number: int) -> Any:
    """Its stay with hotel and room."""
    return data.row(
        "select s.*, h.name, h.slug, h.city, h.street, h.phone as hotel_phone, r.name as room_name, r.refundable, r.price,"
        " r.breakfast from stays s join hotels h on h.id = s.hotel join rooms r on r.id = s.room where s.booking = ?",
        number,
    )


def first_day(data: Data, booking: Any) -> date:
    """The day of its first flight, or of arrival."""
    table, name = ("legs", "day") if booking["kind"] == "flight" else ("stays", "checkin")
    found = data.value(f"select min({name}) from {table} where booking = ?", booking["id"])
    return date.fromisoformat(found)


def cancel_fee(data: Data, booking: Any) -> int:
    """What cancelling costs: a fee for each traveller and flight, all of it where the fare or rate gives
    nothing back."""
    if booking["kind"] == "hotel":
        return 0 if stay(data, booking["id"])["refundable"] else int(booking["total"])
    fees = [FARES[leg["fare"]].cancel_fee for leg in legs(data, booking["id"])]
    if None in fees:
        return int(booking["total"])
    people = len(travellers(data, booking["id"]))
    return min(int(booking["total"]), sum(fee or 0 for fee in fees) * people)
