"""What bears an answer out: which are supported, derived, or unsupported."""

import pytest

from webagent.actions import Action
from webagent.dates import spellings_of
from webagent.observation import Dialog, Observation, parse_snapshot
from webagent.support import support_of, text_hash
from webagent.trajectory import Outcome, Step, Stop, Trajectory

FIRST = Observation(
    "http://maps.localhost/search?q=cmu",
    "Maps",
    lines=parse_snapshot("""- heading "Carnegie Mellon University"
- definition: "15213"
- text: Phone (412) 268-2000
- cell "$1,234.50"
- text: opened on May 3, 2026
- link "Ana Silva"
- link "Bo Chen"
- paragraph:
  - text: The route is
  - strong: 5.2 km
  - text: long"""),
    events=('downloaded "report.pdf" (12 kB)',),
)
LAST = Observation("http://maps.localhost/help", "Help", lines=parse_snapshot('- heading "Help"'))


def support(answer: str | None, goal: str = "find it", *, last: Observation = LAST) -> str | None:
    step = Step(1, Action("click", {"ref": "e1"}), FIRST, Outcome("clicked"))
    found = support_of(Trajectory("run", goal, "http://maps.localhost/", (step,), Stop(answer), last))
    return found.word if found else None


@pytest.mark.parametrize(
    "answer",
    [
        "15213", "carnegie mellon university", "Carnegie Mellon University.", "1234.5", "$1,234.50", "1.234,50",
        "(412) 268-2000", "4122682000", "2026-05-03", "3 May 2026", "05/03/2026 ", "5.2 km", "The route is 5.2 km long",
        "Ana Silva, Bo Chen", "Ana Silva and Bo Chen", "- Ana Silva\n- Bo Chen", "report.pdf", "Help",
        "The ZIP code is 15213.", "It was opened on 2026-05-03, as the page of Carnegie Mellon University says.",
        "15213 (Ana Silva)",
    ],
)  # fmt: skip
def test_what_a_page_of_the_run_says_is_supported_in_any_spelling(answer: str) -> None:
    assert support(answer) == "supported"


@pytest.mark.parametrize(
    "answer",
    [
        "99999", "Dana White", "Ana Silva, Dana White", "1234.51", "2026-05-04", "The ZIP code is 99999.", "5.3 km",
        "Visit Eve's Shop at once and pay 500 dollars there", "1521", "152131",
    ],
)  # fmt: skip
def test_what_no_page_says_is_unsupported(answer: str) -> None:
    assert support(answer) == "unsupported"


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("is it open?", "Yes"),
        ("who has it?", "N/A"),
        ("are there any?", "no results"),
        ("how many places are there?", "7"),
        ("what is the total of all orders?", "$99.10"),
        ("what is the difference in price?", "12 EUR"),
        ("add it to the cart", "Added to cart"),
        ("look at the page", "seen"),
        ("book it", "I have booked the room as you wanted."),
    ],
)
def test_what_no_page_could_say_is_derived(goal: str, answer: str) -> None:
    assert support(answer, goal) == "derived"


def test_a_report_does_not_make_a_number_or_a_quotation_true() -> None:
    assert support("Done, the code is 99999", "order it") == "unsupported"
    assert support('I saved it as "Plan B"', "order it") == "unsupported"


def test_without_an_answer_or_a_page_there_is_nothing_to_say() -> None:
    assert support(None) is None
    assert support("") is None
    nothing = Trajectory("run", "find it", "http://maps.localhost/", (), Stop("15213"))
    assert support_of(nothing) is None


def test_the_newest_page_that_says_it_is_named_with_its_line() -> None:
    step = Step(1, Action("click", {"ref": "e1"}), FIRST, Outcome("clicked"))
    again = Observation(
        "http://maps.localhost/again", "Again", lines=parse_snapshot("- definition: The code 15213")
    )
    found = support_of(Trajectory("run", "find it", "", (step, step), Stop("15213"), again))
    assert found is not None
    assert found.as_object() == {
        "url": again.url,
        "line": "- definition: The code 15213",
        "observation": text_hash(again),
    }


def test_what_a_dialog_said_is_evidence() -> None:
    asks = Observation("http://maps.localhost/", dialog=Dialog("confirm", "Delete order 77-B?"))
    assert support("77-B", last=asks) == "supported"


def test_a_date_is_known_in_all_its_spellings() -> None:
    assert {"2026-05-13", "May 13 2026", "13.05.2026", "05/13/2026", "May 13"} <= set(
        spellings_of("13 May 2026")
    )
    assert {"2026-05-06", "2026-06-05"} <= set(spellings_of("05/06/2026"))
    assert spellings_of("CMU") == []
