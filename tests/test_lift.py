"""The lift of a workflow and its interval, against the figures of Newcombe's paper."""

import pytest

from webagent.lift import Tally, lift, wilson


@pytest.mark.parametrize(
    ("followed", "others", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_the_interval_is_that_of_newcombes_table_ii(
    followed: tuple[int, int], others: tuple[int, int], low: float, high: float
) -> None:
    found = lift(Tally(*followed), Tally(*others))
    assert found is not None
    assert found.difference == pytest.approx(followed[0] / followed[1] - others[0] / others[1])
    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_without_runs_in_one_group_there_is_no_lift() -> None:
    assert lift(Tally(0, 0), Tally(1, 2)) is None
    assert lift(Tally(1, 2), Tally(0, 0)) is None
    assert wilson(Tally(0, 0)) == (0.0, 1.0)


def test_more_runs_make_the_interval_narrower() -> None:
    few, many = (lift(Tally(3 * n, 4 * n), Tally(n, 4 * n)) for n in (1, 100))
    assert few is not None
    assert many is not None
    assert few.high - few.low > 3 * (many.high - many.low)
