"""Hotels: what a search for them asks for, which fit, and what their rooms cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from fixtures_sites.forms import Form
from fixtures_sites.seeded import TODAY
from fixtures_sites.state import Data
from fixtures_sites.travel.journey import day_of

SORTS: Mapping[str, tuple[str, str]] = {
    "popular": ("Our picks", "reviews desc, rating desc, id"),
    "price": ("Price: low to high", "lowest, id"),
    "price-desc": ("Price: high to low", "lowest desc, id"),
    "rating": ("Guest rating", "rating desc, reviews desc, id"),
    "stars": ("Stars: most first", "stars desc, lowest, id"),
    "distance": ("Distance from the centre", "distance, id"),
}
MOST_NIGHTS = 28
MOST_ROOMS = 5
MOST_GUESTS = 12


@dataclass(frozen=True)
class Stay:
    """Which days, how many rooms, for whom; `ages` are the children's."""

    checkin: date
    checkout: date
    rooms: int
    adults: int
    ages: tuple[int, ...] = ()

    @property
    def nights(self) -> int:
        return (self.checkout - self.checkin).days

    @property
    def query(self) -> str:
        """The query of an address that says the same."""
        said: dict[str, Any] = {
            "checkin": self.checkin,
            "checkout": self.checkout,
            "rooms": self.rooms,
            "adults": self.adults,
        }
        return urlencode(
            {**said, "children": len(self.ages), **{f"age{n}": age for n, age in enumerate(self.ages)}}
        )

    @property
    def told(self) -> str:
        """In words."""
        parts = [_counted(self.nights, "night"), _counted(self.rooms, "room"), _counted(self.adults, "adult")]
        if self.ages:
            parts.append("1 child" if len(self.ages) == 1 else f"{len(self.ages)} children")
        return ", ".join(parts)


def stay_of(form: Form) -> Stay | None:
    """The stay that a form asks for; None where it has errors."""
    checkin, checkout = day_of(form.text("checkin")), day_of(form.text("checkout"))
    form.check("checkin", checkin is not None, "Choose the day of arrival.")
    form.check("checkout", checkout is not None, "Choose the day of departure.")
    if checkin and checkout:
        form.check("checkin", checkin >= TODAY, "This day has passed.")
        form.check("checkout", checkout > checkin, "Check-out must be after check-in.")
        form.check(
            "checkout", checkout - checkin <= timedelta(days=MOST_NIGHTS), "A stay is at most 28 nights."
        )
    rooms = form.whole("rooms", 1, MOST_ROOMS, "Choose 1 to 5 rooms.") if "rooms" in form else 1
    adults = form.whole("adults", 1, MOST_GUESTS, "Choose 1 to 12 adults.") if "adults" in form else 2
    children = form.whole("children", 0, 6, "Choose up to 6 children.") if "children" in form else 0
    form.check("rooms", rooms <= adults, "Each room needs an adult.")
    ages = tuple(form.whole(f"age{n}", 0, 17, "Choose the age of each child.") for n in range(children))
    if not form.ok or checkin is None or checkout is None:
        return None
    return Stay(checkin, checkout, rooms, adults, ages)


def find(data: Data, place: str, asked: QueryParams) -> list[Any]:
    """Hotels of a city, or whose name has these words, that the filters of the address let through."""
    where, values = "(city = ? collate nocase or name like ?)", [place, f"%{place}%"]
    stars = [value for value in asked.getlist("stars") if value in ("2", "3", "4", "5")]
    if stars:
        where += f" and stars in ({', '.join(stars)})"
    for amenity in asked.getlist("amenity"):
        where += " and ', ' || amenities || ', ' like ?"
        values.append(f"%, {amenity}, %")
    if asked.get("free") == "1":
        where += " and free_cancellation"
    if asked.get("rating", "") in ("3", "4"):
        where += f" and rating >= {asked['rating']}"
    if asked.get("max", "").isdecimal():
        where += " and lowest <= cast(? as integer)"
        values.append(asked["max"])
    sort = asked.get("sort", "") if asked.get("sort", "") in SORTS else "popular"
    return data.rows(f"select * from hotels where {where} order by {SORTS[sort][1]}", *values)


def rooms_of(data: Data, hotel: int) -> list[Any]:
    """The room types of a hotel, cheapest first."""
    return data.rows("select * from rooms where hotel = ? order by price, id", hotel)


def fits(room: Any, stay: Stay) -> bool:
    """Whether enough of these rooms are free, and all guests fit in."""
    enough = room["available"] >= stay.rooms
    return bool(enough and room["sleeps"] * stay.rooms >= stay.adults + len(stay.ages))


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
