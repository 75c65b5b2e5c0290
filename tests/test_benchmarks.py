"""What `make bench` writes, and what it reads; measuring itself is its own business."""

import json
import re
from html.parser import HTMLParser

import pytest

from benchmarks.__main__ import FIGURES, PAGE, written
from benchmarks.measuring import Table, exponent, in_turns, row_of
from benchmarks.pages import tickets


def test_a_table_takes_the_place_of_its_older_self_and_of_nothing_else() -> None:
    first = written("# Benchmarks\n", Table("Speed", "speed", ["what", "ms"], [["us", 1.5]]))
    both = written(first, Table("Size", "size", ["what", "MB"], [["us", 1234]], ["small"]))
    again = written(both, Table("Speed", "speed", ["what", "ms"], [["us", 1.25]]))

    assert again == both.replace("| us | 1.5 |", "| us | 1.25 |")
    assert "| us | 1,234 |" in again
    assert "python -m benchmarks size" in again


def test_the_page_shows_the_figures_that_were_measured() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for title, found in json.loads(FIGURES.read_text(encoding="utf-8")).items():
        block = re.search(
            f"<!-- {re.escape(title)} -->(.*?)<!-- end of {re.escape(title)} -->", page, re.DOTALL
        )
        assert block, title
        for row in found["rows"]:
            assert row_of(row) in block[1]


def test_everyone_has_a_turn_in_each_round_and_another_begins_it() -> None:
    order: list[str] = []
    found = in_turns(3, {name: lambda name=name: order.append(name) or name for name in "abc"})  # type: ignore[misc]
    assert "".join(order) == "abcbcacab"
    assert found == {name: [name] * 3 for name in "abc"}


@pytest.mark.parametrize("size", [50, 1000, 10_000])
def test_a_made_page_has_about_as_many_elements_as_were_asked_for(size: int) -> None:
    class Counter(HTMLParser):
        count = 0

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.count += tag not in ("html", "title", "style")

    counter = Counter()
    counter.feed(tickets(size))
    assert abs(counter.count - size) <= 15


def test_growth_from_first_to_last_is_one_exponent() -> None:
    assert exponent([10, 1000], [3.0, 300.0]) == pytest.approx(1)
    assert exponent([10, 1000], [3.0, 3.0]) == 0
