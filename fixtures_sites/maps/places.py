"""All places of the map and the questions one can ask about them: what pages and tests use."""

import json
from functools import cache
from importlib.resources import files

from fixtures_sites.maps.finding import Index, nearest
from fixtures_sites.maps.place import CATEGORIES, Place
from fixtures_sites.maps.routing import MODES, Mode, Route, Turn, find_route
from fixtures_sites.maps.seeded import seeded_places
from fixtures_sites.slugs import slugify

__all__ = [
    "CATEGORIES",
    "MODES",
    "Mode",
    "Place",
    "Route",
    "Turn",
    "candidates",
    "nearby",
    "place",
    "places",
    "route",
    "search",
]


@cache
def places() -> tuple[Place, ...]:
    """Every place: well-known ones with their true addresses, then made-up ones."""
    rows = json.loads((files(__package__) / "data" / "landmarks.json").read_text("utf-8"))
    landmarks = tuple(
        Place(**{**row, "slug": slugify(row["name"]), "aliases": tuple(row["aliases"])}) for row in rows
    )
    return landmarks + seeded_places(landmarks)


def place(slug: str) -> Place:
    """The place at `/place/<slug>`; raises KeyError when there is none."""
    return _by_slug()[slug]


def search(query: str) -> list[Place]:
    """Places for a query, best first; see `finding.Index.search`."""
    return _index().search(query)


def candidates(query: str) -> list[Place]:
    """Places that a From or To field may mean; one when it is clear."""
    return _index().candidates(query)


def nearby(origin: Place, category: str = "") -> list[tuple[Place, float]]:
    """Other places (of a category) and their distance in km as the crow flies, nearest first."""
    return nearest(places(), origin, category)


def route(start: Place, end: Place, mode: str) -> Route:
    """The way by `car`, `bicycle` or `foot`."""
    return find_route(start, end, mode, places())


@cache
def _by_slug() -> dict[str, Place]:
    return {known.slug: known for known in places()}


@cache
def _index() -> Index:
    return Index(places())
