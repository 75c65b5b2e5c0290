"""Moving a booked trip: another flight of the same route, other days in the same room."""

from datetime import date
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import form_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.travel import bookings, timetable
from fixtures_sites.travel.fares import FARES, price_of, seats_left
from fixtures_sites.travel.holders import for_holders, is_open
from fixtures_sites.travel.journey import LAST_DAY, day_of
from fixtures_sites.visit import visit_of


@for_holders
async def change(request: Request, booking: Any) -> Response:
    """The form to move a trip to other days."""
    if not is_open(request, booking):
        visit_of(request).tell("This trip can't be changed any more.", "alert")
        return go(f"/trip/{booking['ref']}")
    return await (_change_flight if booking["kind"] == "flight" else _change_stay)(request, booking)


async def _change_flight(request: Request, booking: Any) -> Response:
    """First the day, then which flight of it."""
    visit = visit_of(request)
    legs = bookings.legs(visit.data, booking["id"])
    leg = next((one for one in legs if str(one["place"]) == request.query_params.get("leg", "")), legs[0])
    fee = FARES[leg["fare"]].change_fee
    if fee is None:
        visit.tell(f"The {FARES[leg['fare']].name} fare can't be changed.", "alert")
        return go(f"/trip/{booking['ref']}")
    day = day_of(request.query_params.get("day", ""))
    count = sum(one["kind"] != "infant" for one in bookings.travellers(visit.data, booking["id"]))
    offered = _changes(request, leg, day, fee, count) if day and TODAY < day <= LAST_DAY else []
    form = await form_of(request) if request.method == "POST" else None
    taken = next((one for one in offered if form and str(one[0]["id"]) == form.text("flight")), None)
    if taken and day:
        _move(request, booking, leg, day, taken)
        return go(f"/trip/{booking['ref']}")
    if form:
        form.check("flight", False, "Choose a flight.")
    return render(
        request, "change.html", 422 if form else 200,
        booking=booking, legs=legs, leg=leg, fee=fee, day=day, offered=offered, form=form,
    )  # fmt: skip


def _move(request: Request, booking: Any, leg: Any, day: date, taken: tuple[Any, int]) -> None:
    visit, (flight, cost) = visit_of(request), taken
    visit.data.change(
        "update legs set flight = ?, day = ? where id = ?", flight["id"], day.isoformat(), leg["leg_id"]
    )
    visit.data.change("delete from seats where booking = ? and leg = ?", booking["id"], leg["place"])
    visit.data.change("update bookings set total = total + ? where id = ?", cost, booking["id"])
    visit.tell(f"Your flight was changed to {flight['number']} on {day.isoformat()}.")


def _changes(request: Request, leg: Any, day: date, fee: int, count: int) -> list[tuple[Any, int]]:
    """Flights of the same route on a day, each with what the change to it costs: fee and difference."""
    sql = f"{timetable.FLIGHT} where f.origin = ? and f.destination = ? order by f.departs"
    rows = visit_of(request).data.rows(sql, leg["origin"], leg["destination"])
    paid = price_of(leg["base"], date.fromisoformat(leg["day"]), leg["cabin"], leg["fare"])
    return [
        (row, (fee + max(0, price_of(row["base"], day, leg["cabin"], leg["fare"]) - paid)) * count)
        for row in rows
        if timetable.flies(row, day) and seats_left(row["id"], day) >= count
    ]


async def _change_stay(request: Request, booking: Any) -> Response:
    visit = visit_of(request)
    stay = bookings.stay(visit.data, booking["id"])
    if not stay["refundable"]:
        visit.tell("This rate can't be changed.", "alert")
        return go(f"/trip/{booking['ref']}")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        first, last = day_of(form.text("checkin")), day_of(form.text("checkout"))
        form.check("checkin", first is not None and first > TODAY, "Choose a day of arrival that is to come.")
        form.check(
            "checkout",
            first is not None and last is not None and last > first,
            "Check-out must be after check-in.",
        )
        if form.ok and first and last:
            visit.data.change("update stays set checkin = ?, checkout = ? where booking = ?", str(first), str(last), booking["id"])  # fmt: skip
            visit.data.change("update bookings set total = ? where id = ?", stay["price"] * stay["rooms"] * (last - first).days, booking["id"])  # fmt: skip
            visit.tell("Your stay was changed.")
            return go(f"/trip/{booking['ref']}")
    return render(request, "change_stay.html", 422 if form else 200, booking=booking, stay=stay, form=form)
