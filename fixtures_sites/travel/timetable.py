"""Flights of a route on a day, priced, filtered and sorted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from starlette.datastructures import QueryParams

from fixtures_sites.seeded import NOW, TODAY
from fixtures_sites.state import Data
from fixtures_sites.travel.fares import party_price, price_of, seats_left
from fixtures_sites.travel.journey import Journey, Leg

FLIGHT = (
    "select f.*, a.name as airline_name, o.city as origin_city, d.city as destination_city, o.name as origin_name,"
    " d.name as destination_name, d.zone - o.zone as shift, o.country <> d.country as abroad from flights f"
    " join airlines a on a.code = f.airline join airports o on o.code = f.origin join airports d on d.code = f.destination"
)
STOPS = {"0": "Direct", "1": "1 stop", "2": "2 stops"}
TIMES = {
    "morning": ("Morning (before 12:00)", 0, 720),
    "afternoon": ("Afternoon (12:00 to 17:59)", 720, 1080),
    "evening": ("Evening (from 18:00)", 1080, 1440),
}


@dataclass(frozen=True)
class Offer:
    """A flight on a day; `price` is what one adult pays by the cheapest fare, `total` what all pay."""

    flight: Any
    day: date
    cabin: str
    price: int
    total: int
    left: int

    @property
    def departs(self) -> str:
        return _clock(self.flight["departs"])

    @property
    def arrives(self) -> str:
        return _clock(self._arrival)

    @property
    def days_later(self) -> int:
        """Days between the dates of departure and arrival, in local time."""
        return int(self._arrival // 1440)

    @property
    def duration(self) -> str:
        return duration(self.flight["minutes"])

    @property
    def stops(self) -> str:
        return STOPS[str(self.flight["stops"])]

    @property
    def _arrival(self) -> int:
        return int(self.flight["departs"] + self.flight["minutes"] + self.flight["shift"] * 60)


SORTS: Mapping[str, tuple[str, Callable[[Offer], Any]]] = {
    "price": ("Cheapest first", lambda offer: (offer.price, offer.flight["id"])),
    "duration": ("Fastest first", lambda offer: (offer.flight["minutes"], offer.price)),
    "departs": ("Earliest departure", lambda offer: (offer.flight["departs"], offer.price)),
    "latest": ("Latest departure", lambda offer: (-offer.flight["departs"], offer.price)),
}


def offers(data: Data, leg: Leg, journey: Journey) -> list[Offer]:
    """All flights of a leg, cheapest first; sold out ones too."""
    rows = data.rows(f"{FLIGHT} where f.origin = ? and f.destination = ?", leg.origin, leg.destination)
    found = [offer(row, leg.day, journey) for row in rows if flies(row, leg.day)]
    return sorted(
        (one for one in found if not (journey.direct and one.flight["stops"])), key=SORTS["price"][1]
    )


def flies(flight: Any, day: date) -> bool:
    """Whether a flight goes on a day that is still to come."""
    gone = day == TODAY and flight["departs"] < NOW.hour * 60 + 60
    return day >= TODAY and not gone and str(day.isoweekday()) in flight["days"]


def offer(flight: Any, day: date, journey: Journey) -> Offer:
    """A flight on a day as the party of a search may have it."""
    price = price_of(flight["base"], day, journey.cabin)
    left = seats_left(flight["id"], day)
    return Offer(
        flight,
        day,
        journey.cabin,
        price,
        party_price(price, journey.party),
        left if left >= journey.seats else 0,
    )


def flight_by(data: Data, number: object) -> Any:
    """A flight by its id; None where there is none."""
    return data.row(f"{FLIGHT} where f.id = ?", number)


def chosen(found: list[Offer], asked: QueryParams) -> list[Offer]:
    """Those that the filters of the address let through, in its order."""
    stops, airlines, time = asked.getlist("stops"), asked.getlist("airline"), asked.get("time", "")
    most = asked.get("max", "")
    low, high = TIMES[time][1:] if time in TIMES else (0, 1440)
    kept = [
        one
        for one in found
        if (not stops or str(one.flight["stops"]) in stops)
        and (not airlines or one.flight["airline"] in airlines)
        and low <= one.flight["departs"] < high
        and (not most.isdecimal() or len(most) > 6 or one.price <= int(most))
    ]
    return sorted(kept, key=SORTS[asked.get("sort", "") if asked.get("sort", "") in SORTS else "price"][1])


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def duration(minutes: int) -> str:
    """Minutes as "2h 05m"."""
    return f"{minutes // 60}h {minutes % 60:02}m"
