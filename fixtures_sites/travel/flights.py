"""Pages to find flights: the search form, results, fares."""

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fixtures_sites.forms import Form, form_of
from fixtures_sites.site import go, render
from fixtures_sites.travel import timetable
from fixtures_sites.travel.fares import CABINS, FARES, party_price, price_of
from fixtures_sites.travel.journey import (
    LAST_DAY,
    MOST_LEGS,
    TRIPS,
    Journey,
    airport_label,
    asked_of,
    journey_of,
)
from fixtures_sites.visit import Visit, visit_of

DEALS = 6


async def home(request: Request) -> Response:
    """The search form and a few cheap flights."""
    return _search_page(request, None)


def _search_page(request: Request, form: Form | None) -> Response:
    data = visit_of(request).data
    deals = data.rows(
        f"{timetable.FLIGHT} where f.stops = 0 and f.id % 40 = 3 order by f.base, f.id limit ?", DEALS
    )
    asked = form or asked_of(request)
    labels = {name: airport_label(data, asked.text(name)) for name in _airport_fields()}
    return render(
        request, "flights.html", 422 if form else 200,
        form=form, asked=asked, labels=labels, trips=TRIPS, cabins=CABINS, deals=deals, legs=MOST_LEGS,
        last_day=LAST_DAY.isoformat(),
    )  # fmt: skip


def _airport_fields() -> list[str]:
    return [
        "from",
        "to",
        *(f"{name}{number}" for number in range(1, MOST_LEGS + 1) for name in ("from", "to")),
    ]


async def airports(request: Request) -> Response:
    """Airports whose code, city or name begins with what is typed, as JSON."""
    typed = request.query_params.get("q", "").strip().lower()[:40]
    rows = visit_of(request).data.rows(
        "select * from airports where lower(code) = ?1 or lower(city) like ?2 or lower(name) like ?2"
        " or lower(country) like ?2 order by lower(code) <> ?1, city, code limit 7",
        typed,
        f"{typed}%",
    )
    return JSONResponse(
        [{"value": f"{r['city']} ({r['code']})", "more": f"{r['name']}, {r['country']}"} for r in rows]
    )


async def search(request: Request) -> Response:
    """The page of results for a leg; the results come late."""
    form = asked_of(request)
    journey = journey_of(visit_of(request).data, form)
    if journey is None:
        return _search_page(request, form)
    place = _place(request, journey)
    leg = journey.legs[place]
    data = visit_of(request).data
    found = timetable.offers(data, leg, journey)
    prices = [one.price for one in found]
    return render(
        request, "flight_results.html",
        journey=journey, place=place, leg=leg, asked=request.query_params, sorts=timetable.SORTS, stops=timetable.STOPS,
        times=timetable.TIMES, airlines=sorted({(one.flight["airline_name"], one.flight["airline"]) for one in found}),
        low=min(prices, default=0), high=max(prices, default=0), known=_known(request, journey),
        origin=airport_label(data, leg.origin), destination=airport_label(data, leg.destination),
        popup=place == 0 and not visit_of(request).remembered("drops"),
    )  # fmt: skip


async def results(request: Request) -> Response:
    """The list of results: a piece of a page."""
    journey = journey_of(visit_of(request).data, asked_of(request))
    if journey is None:
        raise HTTPException(404, "This search is not complete.")
    place = _place(request, journey)
    found = timetable.offers(visit_of(request).data, journey.legs[place], journey)
    kept = timetable.chosen(found, request.query_params)
    return render(request, "flight_list.html", offers=kept, total=len(found), journey=journey, place=place)


async def fares(request: Request) -> Response:
    """The fare classes of one flight."""
    visit = visit_of(request)
    journey = journey_of(visit.data, asked_of(request))
    if journey is None:
        return go("/")
    place = _place(request, journey)
    found = _offer(visit, journey, place, request.query_params.get("flight", ""))
    prices = [
        (fare, price_of(found.flight["base"], found.day, journey.cabin, key)) for key, fare in FARES.items()
    ]
    shown = [(fare, price, party_price(price, journey.party)) for fare, price in prices]
    return render(request, "fares.html", journey=journey, place=place, offer=found, fares=shown)


async def choose(request: Request) -> Response:
    """Takes a flight with a fare for a leg; on to the next leg, or to the booking."""
    form = await form_of(request)
    visit = visit_of(request)
    journey = journey_of(visit.data, asked_of(request))
    if journey is None or form.text("fare") not in FARES:
        return go("/")
    place = _place(request, journey)
    found = _offer(visit, journey, place, form.text("flight"))
    taken = [*_known(request, journey)[:place], {"flight": found.flight["id"], "fare": form.text("fare")}]
    visit.remember("journey", json.dumps({"query": journey.query, "legs": taken}))
    visit.forget("booking")
    if place + 1 < len(journey.legs):
        return go(f"/flights/search?{journey.query}&leg={place + 1}")
    return go("/book/passengers")


def _place(request: Request, journey: Journey) -> int:
    """The leg that the address is about; those before it must have been chosen."""
    wanted = request.query_params.get("leg", "0")
    place = int(wanted) if wanted in ("1", "2", "3") else 0
    return min(place, len(_known(request, journey)), len(journey.legs) - 1)


def _known(request: Request, journey: Journey) -> list[dict[str, Any]]:
    kept = json.loads(visit_of(request).remembered("journey") or "{}")
    legs: list[dict[str, Any]] = kept["legs"] if kept.get("query") == journey.query else []
    return legs


def _offer(visit: Visit, journey: Journey, place: int, number: str) -> timetable.Offer:
    flight = timetable.flight_by(visit.data, number)
    leg = journey.legs[place]
    if flight is None or (flight["origin"], flight["destination"]) != (leg.origin, leg.destination):
        raise HTTPException(404, "There is no such flight.")
    found = timetable.offer(flight, leg.day, journey)
    if not timetable.flies(flight, leg.day) or not found.left:
        raise HTTPException(404, "This flight is not for sale on that day.")
    return found
