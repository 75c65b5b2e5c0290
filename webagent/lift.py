"""What a workflow is worth: success rates of the runs that followed it and of those that did not, and
their difference with its uncertainty.

The interval is Newcombe's hybrid of two Wilson intervals without continuity correction (method 10 of
R. G. Newcombe, Statistics in Medicine 17, 1998, pp. 873–890): it holds for few runs and for rates of
0 and 1, where the usual one has no width."""

import math
from dataclasses import dataclass

Z = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True)
class Tally:
    """Runs with a verdict, and how many of them were successes."""

    successes: int
    runs: int

    @property
    def rate(self) -> float | None:
        """0 to 1; None without runs."""
        return self.successes / self.runs if self.runs else None


@dataclass(frozen=True)
class Lift:
    """A difference of success rates (-1 to 1) and the 95 % interval around it."""

    difference: float
    low: float
    high: float


def wilson(tally: Tally) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson's score; 0 to 1 without runs, which is to know nothing."""
    if not tally.runs:
        return 0.0, 1.0
    rate, n = tally.successes / tally.runs, tally.runs
    middle = rate + Z * Z / (2 * n)
    spread = Z * math.sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n))
    scale = 1 + Z * Z / n
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def lift(followed: Tally, others: Tally) -> Lift | None:
    """How much better the runs that followed a workflow did; None where either group has no runs."""
    if followed.rate is None or others.rate is None:
        return None
    difference = followed.rate - others.rate
    (low, high), (other_low, other_high) = wilson(followed), wilson(others)
    below = math.hypot(followed.rate - low, other_high - others.rate)
    above = math.hypot(high - followed.rate, others.rate - other_low)
    return Lift(difference, max(-1.0, difference - below), min(1.0, difference + above))
