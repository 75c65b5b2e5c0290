"""What makes seeded data the same on every machine: dice, and the day that every site takes for today."""

import random
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TypeVar

TODAY = date(2026, 6, 15)
NOW = datetime(2026, 6, 15, 10, 0)  # noqa: DTZ001 - no zone: the sites show it as it is

T = TypeVar("T")


class Dice:
    """Repeatable choices; only `random()` of the generator is the same in every Python."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[int(self._random() * len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """`count` of the items (all, where there are fewer), none twice, in a new order."""
        left = list(items)
        return [left.pop(int(self._random() * len(left))) for _ in range(min(count, len(left)))]

    def chance(self, share: float) -> bool:
        """True in this share of the calls."""
        return self._random() < share

    def between(self, low: float, high: float) -> float:
        """A number from `low` up to `high`."""
        return low + self._random() * (high - low)

    def day(self, first: date, last: date) -> date:
        """A day from `first` to `last`, both included."""
        return first + timedelta(days=self.number(0, (last - first).days))
