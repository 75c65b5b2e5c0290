"""Routes between two places by car, by bicycle and on foot, with their turns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fixtures_sites.maps.distance import bearing_degrees, distance_text, great_circle_km, time_text
from fixtures_sites.maps.place import Place

TOWN_KM = 12.0  # a longer way leaves the streets for a long-distance road
EDGE_KM = 1.2  # what is left of the streets at each end of such a way


@dataclass(frozen=True)
class Mode:
    """A way to travel: how much longer than the crow's its way is, and how fast it goes.

    `speeds` are (km up to which it holds, km/h): town, outskirts, open road.
    """

    name: str
    factor: float
    speeds: tuple[tuple[float, float], ...]
    long_way: str


MODES: dict[str, Mode] = {
    "car": Mode("Car", 1.35, ((6, 26), (30, 55), (float("inf"), 92)), "the interstate"),
    "bicycle": Mode("Bicycle", 1.25, ((float("inf"), 16),), "the long-distance cycle route"),
    "foot": Mode("On foot", 1.2, ((float("inf"), 5),), "the long-distance footpath"),
}


@dataclass(frozen=True)
class Turn:
    """One line of the instructions; the last one, the arrival, has no distance."""

    text: str
    distance_text: str


@dataclass(frozen=True)
class Route:
    """The way from one place to another; the way back is as long."""

    distance_km: float
    minutes: int
    distance_text: str
    time_text: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class _Road:
    """A road that the route takes; `side` is where one turns onto it, empty when straight on."""

    name: str
    side: str = ""
    long: bool = False


def find_route(start: Place, end: Place, mode: str, places: Sequence[Place]) -> Route:
    """The route by a key of MODES; `places` lend their streets to the turns.

    Raises KeyError for another mode.
    """
    way = MODES[mode]
    km = round(great_circle_km(start, end) * way.factor, 2)
    minutes = max(1, round(_hours(km, way) * 60))
    return Route(km, minutes, distance_text(km), time_text(minutes), _turns(start, end, way, km, places))


def _hours(km: float, way: Mode) -> float:
    hours, done = 0.0, 0.0
    for limit, speed in way.speeds:
        part = min(km, limit) - done
        if part <= 0:
            break
        hours, done = hours + part / speed, done + part
    return hours


def _turns(start: Place, end: Place, way: Mode, km: float, places: Sequence[Place]) -> tuple[Turn, ...]:
    bearing = bearing_degrees(start, end)
    roads = [_Road(_street(start)), *_roads_between(start, end, way, km, places)]
    if _street(end) not in ("", roads[-1].name):
        roads.append(_Road(_street(end), "left" if (int(bearing) + len(roads)) % 2 else "right"))
    town_roads = sum(not road.long for road in roads)
    long_roads = len(roads) - town_roads
    town_km = EDGE_KM if long_roads else km / town_roads
    lines = [f"Head {_compass(bearing)}" + (f" on {roads[0].name}" if roads[0].name else "")]
    lines += [
        f"Turn {road.side} onto {road.name}" if road.side else f"Take {road.name}" for road in roads[1:]
    ]
    lengths = [km - town_km * town_roads if road.long else town_km for road in roads]
    turns = (Turn(line, distance_text(length)) for line, length in zip(lines, lengths, strict=True))
    return (*turns, Turn(f"Arrive at {end.name}", ""))


def _roads_between(
    start: Place, end: Place, way: Mode, km: float, places: Sequence[Place]
) -> Iterator[_Road]:
    """In town the streets of places beside the way, about one a kilometre; else the long-distance way."""
    if km > TOWN_KM:
        yield _Road(f"{way.long_way} toward {end.city}", long=True)
        return
    legs = min(7, max(2, round(km)))
    last = _street(start)
    for leg in range(1, legs - 1):
        part = leg / (legs - 1)
        lat, lon = start.lat + (end.lat - start.lat) * part, start.lon + (end.lon - start.lon) * part
        near = min(places, key=lambda place: (abs(place.lat - lat) + abs(place.lon - lon), place.slug))
        name = _street(near)
        if name not in ("", last, _street(end)):
            yield _Road(name, _side(start, end, near))
            last = name


def _side(start: Place, end: Place, beside: Place) -> str:
    """The side of the straight line from start to end on which a place lies."""
    east, north = end.lon - start.lon, end.lat - start.lat
    cross = east * (beside.lat - start.lat) - north * (beside.lon - start.lon)
    return "left" if cross > 0 else "right"


def _street(place: Place) -> str:
    """The street without its house number; empty when the address has no number (a square, a pier)."""
    match = re.fullmatch(r"\d+ (.+)", place.street)
    return match[1] if match else ""


def _compass(bearing: float) -> str:
    points = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
    return points[round(bearing / 45) % 8]
