"""What a search for flights asks for: legs, party and cabin, read from the address and checked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from starlette.requests import Request

from fixtures_sites.forms import Form
from fixtures_sites.seeded import TODAY
from fixtures_sites.state import Data
from fixtures_sites.travel.fares import CABINS

MOST_LEGS = 4
MOST_TRAVELLERS = 9
LAST_DAY = TODAY + timedelta(days=330)
TRIPS = {"return": "Return", "oneway": "One way", "multi": "Multi-city"}


@dataclass(frozen=True)
class Leg:
    """From one airport to another (codes) on a day."""

    origin: str
    destination: str
    day: date


@dataclass(frozen=True)
class Journey:
    """A search for flights."""

    trip: str
    legs: tuple[Leg, ...]
    adults: int
    children: int
    infants: int
    cabin: str
    direct: bool = False

    @property
    def party(self) -> Mapping[str, int]:
        """Travellers by kind."""
        return {"adult": self.adults, "child": self.children, "infant": self.infants}

    @property
    def seats(self) -> int:
        """How many need a seat."""
        return self.adults + self.children

    @property
    def told(self) -> str:
        """The party and cabin in words."""
        names = {
            "adult": ("adult", "adults"),
            "child": ("child", "children"),
            "infant": ("infant", "infants"),
        }
        parts = [f"{count} {names[kind][count != 1]}" for kind, count in self.party.items() if count]
        return f"{', '.join(parts)}, {CABINS[self.cabin][0]}"

    @property
    def query(self) -> str:
        """The query of its address."""
        said: dict[str, str | int] = {"trip": self.trip}
        if self.trip == "multi":
            for number, leg in enumerate(self.legs, 1):
                said |= {
                    f"from{number}": leg.origin,
                    f"to{number}": leg.destination,
                    f"day{number}": str(leg.day),
                }
        else:
            first = self.legs[0]
            said |= {"from": first.origin, "to": first.destination, "depart": str(first.day)}
            if self.trip == "return":
                said["return"] = str(self.legs[1].day)
        said |= {
            "adults": self.adults,
            "children": self.children,
            "infants": self.infants,
            "cabin": self.cabin,
        }
        return urlencode({**said, **({"direct": "1"} if self.direct else {})})


def asked_of(request: Request) -> Form:
    """The query of the address as a form, so that mistakes stand beside its fields."""
    asked = request.query_params
    return Form({key: asked.getlist(key) for key in asked})


def journey_of(data: Data, form: Form) -> Journey | None:
    """The search that a form asks for; None where it has errors."""
    trip = form.text("trip", "return")
    legs = _many(data, form) if trip == "multi" else _there_and_back(data, form, trip)
    adults = _count(form, "adults", 1)
    children, infants = _count(form, "children", 0), _count(form, "infants", 0)
    form.check(
        "adults",
        adults + children + infants <= MOST_TRAVELLERS,
        "At most nine passengers can be booked together.",
    )
    form.check(
        "infants",
        infants <= adults,
        "Each infant needs an adult’s lap: there are more infants than adults.",
    )
    cabin = form.text("cabin", "economy")
    form.check("cabin", cabin in CABINS, "Choose a cabin.")
    form.check("trip", trip in TRIPS, "Choose return, one way or multi-city.")
    if not form.ok:
        return None
    return Journey(trip, tuple(legs), adults, children, infants, cabin, "direct" in form)


def _count(form: Form, name: str, least: int) -> int:
    if name not in form:
        return least
    return form.whole(name, least, MOST_TRAVELLERS, f"Choose how many {name} travel.")


def _there_and_back(data: Data, form: Form, trip: str) -> list[Leg]:
    there = _leg(data, form, ("from", "to", "depart"))
    if trip != "return":
        return [there]
    again = _day(form, "return", "Choose the day of your return.")
    form.check("return", again >= there.day or "depart" in form.errors, "The return is before the departure.")
    return [there, Leg(there.destination, there.origin, again)]


def _many(data: Data, form: Form) -> list[Leg]:
    legs: list[Leg] = []
    for number in range(1, MOST_LEGS + 1):
        names = (f"from{number}", f"to{number}", f"day{number}")
        if number <= 2 or any(form.text(name) for name in names):
            leg = _leg(data, form, names)
            early = bool(legs) and leg.day < legs[-1].day
            form.check(names[2], not early, f"Flight {number} leaves before flight {number - 1}.")
            legs.append(leg)
    return legs


def _leg(data: Data, form: Form, names: tuple[str, str, str]) -> Leg:
    origin, destination = airport_of(data, form.text(names[0])), airport_of(data, form.text(names[1]))
    form.check(names[0], bool(origin), "Choose an airport from the list to fly from.")
    form.check(names[1], bool(destination), "Choose an airport from the list to fly to.")
    form.check(
        names[1], not origin or origin != destination, "Choose another airport than the one you fly from."
    )
    return Leg(origin, destination, _day(form, names[2], "Choose the day of departure."))


def _day(form: Form, name: str, missing: str) -> date:
    day = day_of(form.text(name))
    form.check(name, day is not None, missing)
    if day is None:
        return TODAY
    form.check(name, day >= TODAY, "This day has passed.")
    form.check(name, day <= LAST_DAY, "Flights are on sale for 330 days only.")
    return day


def day_of(text: str) -> date | None:
    """A day written as 2026-07-31; None for anything else."""
    try:
        return date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    except ValueError:
        return None


def airport_of(data: Data, text: str) -> str:
    """The code of the airport that is meant: by its code, a suggestion's text, or a city that has one
    airport only. Empty where it is not clear."""
    found = re.search(r"\(([A-Z]{3})\)$", text)
    code = found[1] if found else text.upper()
    if data.value("select 1 from airports where code = ?", code):
        return code
    rows = data.rows(
        "select code from airports where lower(city) = ? or lower(name) = ?", text.lower(), text.lower()
    )
    return rows[0]["code"] if len(rows) == 1 else ""


def airport_label(data: Data, code: str) -> str:
    """An airport as its field shows it, such as "Boston (BOS)"."""
    city = data.value("select city from airports where code = ?", code)
    return f"{city} ({code})" if city else code
