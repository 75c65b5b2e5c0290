"""Booked trips: the list, one of them, and what can be done with it: change, cancel, check in, add bags."""

from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import form_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.travel import bookings, timetable
from fixtures_sites.travel.accounts import for_members, user_of
from fixtures_sites.travel.fares import BAG, CABINS, FARES, price_of, seats_left
from fixtures_sites.travel.journey import LAST_DAY, day_of
from fixtures_sites.visit import visit_of

TABS = ("Upcoming", "Past", "Cancelled")
CHECK_IN_DAYS = 2
Handler = Callable[[Request, Any], Awaitable[Response]]


@for_members
async def trips(request: Request, user: Any) -> Response:
    """One's trips, by tab."""
    data = visit_of(request).data
    tab = request.query_params.get("tab", "Upcoming")
    rows = data.rows("select * from bookings where user = ? order by id", user["id"])
    shown = [(booking, bookings.first_day(data, booking)) for booking in rows]
    kept = sorted(
        ((b, day) for b, day in shown if _tab(b, day) == tab), key=lambda one: (one[1], one[0]["id"])
    )
    told = [(booking, day, _title(request, booking)) for booking, day in kept]
    return render(request, "trips.html", trips=told, tab=tab, tabs=TABS)


def _tab(booking: Any, day: date) -> str:
    return "Cancelled" if booking["status"] == "Cancelled" else "Past" if day < TODAY else "Upcoming"


def _title(request: Request, booking: Any) -> str:
    data = visit_of(request).data
    if booking["kind"] == "hotel":
        return str(bookings.stay(data, booking["id"])["name"])
    legs = bookings.legs(data, booking["id"])
    return f"{legs[0]['origin_city']} to {legs[0 if len(legs) < 2 else 1]['origin_city' if len(legs) > 1 else 'destination_city']}"


def for_holders(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A page of a booking, for its owner and for who has found it by reference and name."""

    async def page(request: Request) -> Response:
        visit, user = visit_of(request), user_of(request)
        found = bookings.by_ref(visit.data, request.path_params["ref"])
        own = found is not None and (user is not None and found["user"] == user["id"])
        fresh = found is not None and str(found["id"]) == visit.remembered("booked")
        if found is None or not (own or fresh or visit.remembered("found") == found["ref"]):
            raise HTTPException(404, f"You have no booking {request.path_params['ref']}.")
        return await handler(request, found)

    return page


async def find(request: Request) -> Response:
    """Finds a booking by its reference and the last name on it."""
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        visit = visit_of(request)
        ref = form.need("ref", "Enter the booking reference.")
        last = form.need("last", "Enter the last name.")
        found = bookings.by_ref(visit.data, ref)
        right = found is not None and found["name"].split()[-1].lower() == last.lower()
        form.check("ref", right or not form.ok, "We found no booking with this reference and name.")
        if form.ok and found is not None:
            visit.remember("found", found["ref"])
            return go(f"/trip/{found['ref']}")
    return render(request, "find.html", 422 if form else 200, form=form)


@for_holders
async def trip(request: Request, booking: Any) -> Response:
    """All about one booking."""
    data = visit_of(request).data
    return render(
        request, "trip.html",
        booking=booking, legs=bookings.legs(data, booking["id"]), travellers=bookings.travellers(data, booking["id"]),
        seats=bookings.seats(data, booking["id"]), stay=bookings.stay(data, booking["id"]), fares=FARES, cabins=CABINS,
        upcoming=_is_open(request, booking), check_in=_check_in_legs(request, booking),
    )  # fmt: skip


def _is_open(request: Request, booking: Any) -> bool:
    return booking["status"] == "Confirmed" and bookings.first_day(visit_of(request).data, booking) > TODAY


def _check_in_legs(request: Request, booking: Any) -> list[Any]:
    """Its flights that are open for check-in."""
    if booking["status"] != "Confirmed":
        return []
    latest = (TODAY + timedelta(days=CHECK_IN_DAYS)).isoformat()
    legs = bookings.legs(visit_of(request).data, booking["id"])
    return [leg for leg in legs if TODAY.isoformat() < leg["day"] <= latest and not leg["checked_in"]]


@for_holders
async def cancel(request: Request, booking: Any) -> Response:
    """Says what cancelling costs, and cancels."""
    visit = visit_of(request)
    path = f"/trip/{booking['ref']}"
    if not _is_open(request, booking):
        visit.tell("This trip can't be cancelled any more.", "alert")
        return go(path)
    fee = bookings.cancel_fee(visit.data, booking)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        form.check("reason", bool(form.text("reason")), "Choose a reason.")
        if form.ok:
            visit.data.change(
                "update bookings set status = 'Cancelled', refund = ? where id = ?",
                booking["total"] - fee,
                booking["id"],
            )
            visit.tell(f"Booking {booking['ref']} was cancelled. Refund: ${booking['total'] - fee}.")
            return go(path)
    return render(request, "cancel.html", 422 if form else 200, booking=booking, fee=fee, form=form)


@for_holders
async def change(request: Request, booking: Any) -> Response:
    """The form to move a trip to another day: first the day, then, for a flight, which one."""
    visit = visit_of(request)
    if not _is_open(request, booking):
        visit.tell("This trip can't be changed any more.", "alert")
        return go(f"/trip/{booking['ref']}")
    if booking["kind"] == "hotel":
        return await _change_stay(request, booking)
    legs = bookings.legs(visit.data, booking["id"])
    leg = legs[min(len(legs) - 1, int(request.query_params.get("leg", "0")[:1] or 0))]
    fee = FARES[leg["fare"]].change_fee
    if fee is None:
        visit.tell(f"The {FARES[leg['fare']].name} fare can't be changed.", "alert")
        return go(f"/trip/{booking['ref']}")
    day = day_of(request.query_params.get("day", ""))
    count = sum(one["kind"] != "infant" for one in bookings.travellers(visit.data, booking["id"]))
    offered = _changes(request, leg, day, fee, count) if day and TODAY < day <= LAST_DAY else []
    if request.method == "GET":
        return render(
            request, "change.html", booking=booking, leg=leg, fee=fee, day=day, offered=offered, count=count
        )
    form = await form_of(request)
    taken = next((one for one in offered if str(one[0]["id"]) == form.text("flight")), None)
    if taken is None or day is None:
        visit.tell("Choose a flight.", "alert")
        return go(f"/trip/{booking['ref']}/change")
    flight, cost = taken
    visit.data.change(
        "update legs set flight = ?, day = ? where id = ?", flight["id"], day.isoformat(), leg["leg_id"]
    )
    visit.data.change("delete from seats where booking = ? and leg = ?", booking["id"], leg["place"])
    visit.data.change("update bookings set total = total + ? where id = ?", cost, booking["id"])
    visit.tell(f"Your flight was changed to {flight['number']} on {day.isoformat()}.")
    return go(f"/trip/{booking['ref']}")


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


@for_holders
async def bags(request: Request, booking: Any) -> Response:
    """Adds checked bags for a traveller."""
    visit = visit_of(request)
    if booking["kind"] != "flight" or not _is_open(request, booking):
        raise HTTPException(404, "Bags can't be added to this booking.")
    people = [one for one in bookings.travellers(visit.data, booking["id"]) if one["kind"] != "infant"]
    legs = len(bookings.legs(visit.data, booking["id"]))
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        wanted = [
            form.whole(f"bags{one['place']}", one["bags"], 3, "Bags can be added, not taken away.")
            for one in people
        ]
        if form.ok:
            more = sum(count - one["bags"] for count, one in zip(wanted, people, strict=True))
            for count, one in zip(wanted, people, strict=True):
                visit.data.change("update travellers set bags = ? where id = ?", count, one["id"])
            visit.data.change(
                "update bookings set total = total + ? where id = ?", more * BAG * legs, booking["id"]
            )
            visit.tell(f"Your bags were saved. We charged ${more * BAG * legs}.")
            return go(f"/trip/{booking['ref']}")
    return render(
        request, "bags.html", 422 if form else 200, booking=booking, people=people, bag=BAG, form=form
    )


@for_holders
async def check_in(request: Request, booking: Any) -> Response:
    """Online check-in: declarations, then boarding passes."""
    visit = visit_of(request)
    legs = _check_in_legs(request, booking)
    if not legs:
        visit.tell("Online check-in opens 48 hours before departure.", "alert")
        return go(f"/trip/{booking['ref']}")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        form.check(
            "goods",
            form.text("goods") == "no",
            "Say that your bags hold no dangerous goods; with them, check in at the airport.",
        )
        form.check("correct", "correct" in form, "Confirm that the details are correct.")
        if form.ok:
            visit.data.change("update legs set checked_in = 1 where id = ?", legs[0]["leg_id"])
            visit.tell("You are checked in.")
            return go(f"/trip/{booking['ref']}")
    people = bookings.travellers(visit.data, booking["id"])
    return render(
        request, "check_in.html", 422 if form else 200, booking=booking, leg=legs[0], people=people, form=form
    )
