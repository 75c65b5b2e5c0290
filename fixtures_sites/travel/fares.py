"""What a flight costs on a day, in a cabin, by a fare; what fares allow. All amounts in whole dollars."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from fixtures_sites.seeded import TODAY

CABINS: Mapping[str, tuple[str, int]] = {
    "economy": ("Economy", 100),
    "premium": ("Premium Economy", 160),
    "business": ("Business", 280),
}
"""Name and per cent of the base price."""
KINDS: Mapping[str, tuple[str, int]] = {
    "adult": ("Adult", 100),
    "child": ("Child", 75),
    "infant": ("Infant", 10),
}
"""Name and per cent of an adult's price."""
BAG = 35
INSURANCE = 29
"""For each traveller."""
PROMOTIONS: Mapping[str, int] = {"FLY20": 20, "SUMMERFUN": 50}
"""Codes and the dollars that they take off."""
EXPIRED = ("EASTER15", "SPRING30")
BY_WEEKDAY = (100, 92, 90, 96, 115, 104, 112)
ROWS = 12
EXIT_ROW = 7
LETTERS = "ABCDEF"
FRONT = 29
"""What a seat in the first three rows costs, by any fare."""


@dataclass(frozen=True)
class Fare:
    """A fare class: what it adds to the price, bags within it, what a seat costs, and the fees to
    change and to cancel; None where that can't be done."""

    key: str
    name: str
    extra: int
    bags: int
    seat: int
    change_fee: int | None
    cancel_fee: int | None


FARES: Mapping[str, Fare] = {
    fare.key: fare
    for fare in (
        Fare("light", "Light", 0, 0, 12, None, None),
        Fare("standard", "Standard", 40, 1, 0, 60, 90),
        Fare("flex", "Flex", 110, 1, 0, 0, 0),
    )
}


def price_of(base: int, day: date, cabin: str, fare: str = "light") -> int:
    """What one adult pays for a flight on a day."""
    season = 110 if day.month in (7, 8, 12) else 100
    near = 125 if (day - TODAY).days < 14 else 100
    seat = base * BY_WEEKDAY[day.weekday()] * season * near * CABINS[cabin][1] // 100**4
    return seat + FARES[fare].extra


def party_price(price: int, party: Mapping[str, int]) -> int:
    """What all pay where an adult pays `price`; `party` counts them by kind."""
    return sum(count * (price * KINDS[kind][1] // 100) for kind, count in party.items())


def seats_left(flight: int, day: date) -> int:
    """Seats that are still for sale; now and then none."""
    mixed = (flight * 7919 + day.toordinal() * 104729) % 1009
    return 0 if mixed % 29 == 0 else 1 + mixed % 9 if mixed % 5 == 0 else 9


def seat_taken(flight: int, day: date, row: int, letter: str) -> bool:
    """Whether someone else has the seat."""
    place = row * 6 + LETTERS.index(letter)
    return (flight * 31 + day.toordinal() * 17 + place * place * 37 + place * 11) % 101 % 10 < 4


def seat_price(row: int, fare: str) -> int:
    """What choosing a seat costs."""
    return FRONT if row <= 3 else FARES[fare].seat


def seat_kind(letter: str) -> str:
    """Where in its row a seat is."""
    return {"A": "window", "F": "window", "B": "middle", "E": "middle"}.get(letter, "aisle")
