"""Booked trips: the list, one of them, and what can be done with it: cancel, check in, add bags."""

from datetime import date, timedelta
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import form_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.travel import bookings
from fixtures_sites.travel.accounts import for_members
from fixtures_sites.travel.fares import BAG, CABINS, FARES
from fixtures_sites.travel.holders import for_holders, is_open
from fixtures_sites.visit import visit_of

TABS = ("Upcoming", "Past", "Cancelled")
CHECK_IN_DAYS = 2


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
    first = bookings.legs(data, booking["id"])[0]
    return f"{first['origin_city']} to {first['destination_city']}"


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
        upcoming=is_open(request, booking), check_in=_check_in_legs(request, booking),
    )  # fmt: skip


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
    if not is_open(request, booking):
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
async def bags(request: Request, booking: Any) -> Response:
    """Adds checked bags for a traveller."""
    visit = visit_of(request)
    if booking["kind"] != "flight" or not is_open(request, booking):
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
