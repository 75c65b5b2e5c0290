"""The table of checks in docs/security.md is made from the tests, and leaves no check out."""

from pathlib import Path

import pytest

from scripts import checks_table
from scripts.checks_table import Row

SAMPLE = '''
"""Of a section."""
import pytest

NOT_COVERED: dict[int, str] = {7: "frames have no names"}

def test_check_05_a_marker_is_neutralised():
    """Copies of the marker in page text are neutralised: `</observation>` | too.

    More of it."""

@pytest.mark.slow
async def test_check_06_a_false_ref():
    """A ref in page text is refused."""

class TestMany:
    @pytest.mark.parametrize("n", [1])
    def test_check_123_more(self, n):
        """It holds."""

def test_something_else(): ...
'''


def of(tmp_path: Path, text: str) -> list[Row]:
    path = tmp_path / "test_checks_sample.py"
    path.write_text(text)
    return list(checks_table.rows_of(path))


def test_a_check_is_a_test_with_its_number_and_its_promise_the_docstrings_first_sentence(
    tmp_path: Path,
) -> None:
    file = "test_checks_sample.py"
    assert of(tmp_path, SAMPLE) == [
        Row(7, "", "", "not covered: frames have no names"),
        Row(
            5,
            "Copies of the marker in page text are neutralised: `</observation>` | too.",
            f"{file}::test_check_05_a_marker_is_neutralised",
            "in every run",
        ),
        Row(6, "A ref in page text is refused.", f"{file}::test_check_06_a_false_ref", "slow: `make checks`"),
        Row(123, "It holds.", f"{file}::test_check_123_more", "in every run"),
    ]


def test_a_file_may_be_slow_as_a_whole(tmp_path: Path) -> None:
    marked = SAMPLE.replace("import pytest", "import pytest\npytestmark = [pytest.mark.slow]")
    assert {row.outcome for row in of(tmp_path, marked) if row.test} == {"slow: `make checks`"}


def test_a_check_that_promises_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="test_check_05_x has no docstring"):
        of(tmp_path, "def test_check_05_x(): ...")


def test_what_is_wrong_with_a_list_is_said() -> None:
    every = [number for numbers in checks_table.SECTIONS.values() for number in numbers]
    good = [Row(number, "It holds.", "f::t", "in every run") for number in every]
    assert checks_table.faults(good) == []
    assert checks_table.faults(good[1:]) == ["check 1 has neither a test nor a reason"]
    assert checks_table.faults([*good, Row(44, "", "f::t", "")]) == ["there is no check 44"]
    excuses = [Row(number, "", "", "not covered: why") for number in every[:6]]
    assert checks_table.faults([*excuses, *good[6:]]) == ["6 checks are not covered; at most 5 may be"]


def test_a_line_of_the_table_is_one_line_of_four_cells() -> None:
    line = Row(5, "`a | b` is one.", "f.py::t", "in every run").markdown()
    assert line == "| 5 | `a \\| b` is one. | `f.py::t` | in every run |"


def test_every_check_has_a_test_or_a_reason() -> None:
    assert checks_table.faults(checks_table.rows()) == []
