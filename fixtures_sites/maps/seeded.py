"""Made-up places of real cities: the same ones on every machine, consistent with one another."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from fixtures_sites.maps.place import Place
from fixtures_sites.seeded import Dice
from fixtures_sites.slugs import slugify

SEED = 20240613
SPREAD = 0.007  # degrees from the middle of a neighbourhood, about 800 m

_WORDS = (
    "Copper", "Juniper", "Marigold", "Willow", "Harbor", "Cedar", "Amber", "Foxglove", "Granite", "Sparrow",
    "Maple", "Lantern", "Thistle", "Orchard", "Saffron", "Clover", "Ivory", "Quarry", "Linden", "Heron",
    "Birch", "Velvet", "Meadow", "Anchor", "Poppy", "Walnut Hill", "Stonebridge", "Rosewood", "Ember", "Larkspur",
)  # fmt: skip
_OWNERS = (
    "Marlowe's",
    "Okafor's",
    "Delgado's",
    "Whitfield's",
    "Tanaka's",
    "Novak's",
    "Rinaldi's",
    "Haddad's",
)


@dataclass(frozen=True)
class _Area:
    """A neighbourhood: one ZIP code, a middle, and its streets."""

    zip_code: str
    lat: float
    lon: float
    streets: tuple[str, ...]


def seeded_places(landmarks: Sequence[Place]) -> tuple[Place, ...]:
    """About 40 places a city; names and addresses of the landmarks are not used again."""
    taken = {(known.street, known.city) for known in landmarks}
    slugs = {known.slug for known in landmarks}
    return tuple(
        place
        for index, city in enumerate(_data("cities.json"))
        for place in _city_places(city, Dice(SEED + index), landmarks, taken, slugs)
    )


def _city_places(
    city: dict[str, Any],
    dice: Dice,
    landmarks: Sequence[Place],
    taken: set[tuple[str, str]],
    slugs: set[str],
) -> Iterator[Place]:
    areas = [_Area(a["zip_code"], a["lat"], a["lon"], tuple(a["streets"])) for a in city["areas"]]
    known = {
        name
        for landmark in landmarks
        if (landmark.city, landmark.state) == (city["name"], city["state"])
        for name in (landmark.name, *landmark.aliases)
    }
    names = [(kind, name) for kind in _data("kinds.json") for name in _names(kind, city["name"], dice, known)]
    for number, (kind, name) in enumerate(names):
        area = areas[number % len(areas)]
        yield Place(
            slug=_free_slug(f"{name} {city['name']} {city['state']}", slugs),
            name=name,
            aliases=(),
            category=kind["category"],
            street=_free_address(area, city["name"], dice, taken),
            city=city["name"],
            state=city["state"],
            zip_code=area.zip_code,
            phone=f"+1 {city['area_code']}-555-{100 + number:04d}",
            hours=dice.pick(kind["hours"]),
            website=f"https://{slugify(name)}.example/{slugify(city['name'])}",
            lat=round(area.lat + dice.between(-SPREAD, SPREAD), 4),
            lon=round(area.lon + dice.between(-SPREAD, SPREAD), 4),
        )


def _names(kind: dict[str, Any], city: str, dice: Dice, known: set[str]) -> Iterator[str]:
    """The chains' names as they are, then single ones that the city has not yet."""
    for chain in kind["chains"]:
        name = chain.format(city=city)
        if name not in known:
            yield name
    made = 0
    while made < kind["single"]:
        owner = dice.number(0, 3) == 0
        name = f"{dice.pick(_OWNERS if owner else _WORDS)} {dice.pick(kind['nouns'])}"
        if name not in known:
            known.add(name)
            made += 1
            yield name


def _free_address(area: _Area, city: str, dice: Dice, taken: set[tuple[str, str]]) -> str:
    while True:
        street = f"{dice.number(101, 3899)} {dice.pick(area.streets)}"
        if (street, city) not in taken:
            taken.add((street, city))
            return street


def _free_slug(text: str, slugs: set[str]) -> str:
    slug = base = slugify(text)
    number = 2
    while slug in slugs:
        slug, number = f"{base}-{number}", number + 1
    slugs.add(slug)
    return slug


def _data(name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((files(__package__) / "data" / name).read_text("utf-8"))
    return loaded
