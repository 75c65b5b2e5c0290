"""The travel site as a web application: which address is answered by which page."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from fixtures_sites.seeded import TODAY
from fixtures_sites.site import Site
from fixtures_sites.travel import booking, changes, flights, hotels, profile, service, trips
from fixtures_sites.travel.accounts import user_of
from fixtures_sites.travel.questions import QUESTIONS
from fixtures_sites.travel.seeded import build
from fixtures_sites.travel.timetable import duration
from fixtures_sites.travel.wording import PLANTED, WORDING

POST = ["POST"]
BOTH = ["GET", "POST"]


def shared(request: Request) -> Mapping[str, Any]:
    """What every page shows."""
    return {"user": user_of(request), "today": TODAY.isoformat()}


def money(amount: int) -> str:
    """Whole dollars as "$1,234"."""
    return f"-${-amount:,}" if amount < 0 else f"${amount:,}"


def day(value: date | str) -> str:
    """A date as "Fri, 3 July 2026"."""
    shown = date.fromisoformat(value) if isinstance(value, str) else value
    return f"{shown:%a}, {shown.day} {shown:%B %Y}"


SITE = Site(
    name="travel",
    folder=Path(__file__).parent,
    build=build,
    routes=[
        Route("/", flights.home),
        Route("/airports", flights.airports),
        Route("/flights/search", flights.search),
        Route("/flights/list", flights.results),
        Route("/flights/fares", flights.fares),
        Route("/flights/choose", flights.choose, methods=POST),
        Route("/book/{step}", booking.step, methods=BOTH),
        Route("/booked", booking.booked),
        Route("/hotels", hotels.home),
        Route("/destinations", hotels.destinations),
        Route("/hotels/search", hotels.search),
        Route("/hotel/{slug}", hotels.hotel),
        Route("/hotel/{slug}/reviews", hotels.reviews),
        Route("/hotel/{slug}/review", hotels.review, methods=BOTH),
        Route("/hotel/{slug}/save", hotels.save, methods=POST),
        Route("/hotel/{slug}/reserve", hotels.reserve, methods=POST),
        Route("/stay/guest", hotels.guest, methods=BOTH),
        Route("/stay/payment", hotels.payment, methods=BOTH),
        Route("/trips", trips.trips),
        Route("/find", trips.find, methods=BOTH),
        Route("/trip/{ref}", trips.trip),
        Route("/trip/{ref}/cancel", trips.cancel, methods=BOTH),
        Route("/trip/{ref}/change", changes.change, methods=BOTH),
        Route("/trip/{ref}/bags", trips.bags, methods=BOTH),
        Route("/trip/{ref}/check-in", trips.check_in, methods=BOTH),
        Route("/sign-in", profile.sign_in, methods=BOTH),
        Route("/sign-out", profile.sign_out, methods=POST),
        Route("/profile", profile.profile, methods=BOTH),
        Route("/points", profile.points),
        Route("/saved", profile.saved),
        Route("/alerts", profile.alerts, methods=BOTH),
        Route("/alerts/delete", profile.delete_alert, methods=POST),
        Route("/status", service.status),
        Route("/help", service.help_page),
        Route("/contact", service.contact, methods=BOTH),
        Route("/newsletter", service.newsletter, methods=POST),
    ],
    questions=QUESTIONS,
    wording=WORDING,
    planted=PLANTED,
    shared=shared,
    filters={"money": money, "day": day, "duration": duration},
)


def create_app(variant: str = "") -> Starlette:
    """The site with data of its own."""
    return SITE.create(variant)
