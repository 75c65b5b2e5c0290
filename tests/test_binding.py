"""Binding without a model: other wordings, typed slots, and what is too doubtful to act on."""

import pytest

from webagent.binding import Binding, bind, binding
from webagent.memory.closest import closest
from webagent.wordings import what_is_asked, without_politeness
from webagent.workflow import Variable, Workflow, WorkflowStep

ASKS = (WorkflowStep("stop", None, {"answer": "{answer}"}),)
ZIP = Workflow(
    "wf_zip", 1, "maps", "find zip code of a place", "", ASKS,
    (Variable("place", example="CMU"),),
    ("find zip code of {place}", "what's the zip code for {place}?"),
)  # fmt: skip
OPEN = Workflow(
    "wf_open", 1, "maps", "opening hours of a place", "", ASKS,
    (Variable("place"),), ("when is {place} open?", "where is {place}?"),
)  # fmt: skip
WAY = Workflow(
    "wf_way", 1, "maps", "distance by a travel", "", ASKS,
    (Variable("from"), Variable("to"), Variable("travel", kind="choice", choices=("Car", "Bicycle", "On foot"))),
    ("find the distance from {from} to {to} by {travel}", "find the distance from {from} to {to} {travel}"),
)  # fmt: skip
CANCEL = Workflow(
    "wf_cancel", 1, "shop", "cancel an order", "", (WorkflowStep("click"), WorkflowStep("stop")),
    (Variable("order", example="17", kind="number"),), ("cancel order {order}",),
)  # fmt: skip


@pytest.mark.parametrize(
    ("goal", "place"),
    [
        ("find zip code of CMU", "CMU"),
        ("FIND  the ZIP code of “CMU”?", "CMU"),
        ("please find the zip-code of CMU", "CMU"),
        ("Can you tell me the zip code of the White House?", "White House"),
        ("Hi, could you please find out what the zip code of MIT is?", "MIT"),
        ("I need the zip code for Fenway Park, please.", "Fenway Park"),
        ("I'd like to know the zip code of Museum of Fine Arts, Boston", "Museum of Fine Arts, Boston"),
        ("What is Coit Tower's zip code?", "Coit Tower"),
        ("What’s the zip code for the Space Needle?!", "Space Needle"),
        (
            "zip code of Phipps Conservatory and Botanical Gardens",
            "Phipps Conservatory and Botanical Gardens",
        ),
    ],
)
def test_another_wording_of_a_question_is_bound(goal: str, place: str) -> None:
    assert bind(ZIP, goal) == {"place": place}


@pytest.mark.parametrize(
    "goal", ["tell me when MIT is open", "when's MIT open", "where is MIT", "do you know where MIT is?"]
)
def test_a_turned_question_is_bound(goal: str) -> None:
    assert bind(OPEN, goal) == {"place": "MIT"}


@pytest.mark.parametrize(
    "goal",
    [
        "delete the zip code of CMU",
        "find zip code of the museum nearest to MIT",
        "find the zip code of every library",
        "find zip code of MIT and then post it",
        "find zip codes",
        "find zip code of",
    ],
)
def test_what_may_mean_something_else_is_not_bound(goal: str) -> None:
    assert bind(ZIP, goal) is None


@pytest.mark.parametrize(
    ("goal", "travel"),
    [
        ("find the distance from MIT to Duquesne University by car", "Car"),
        ("what is the distance from MIT to Duquesne University on foot?", "On foot"),
        ("distance from MIT to Duquesne University by foot", "On foot"),
    ],
)
def test_a_choice_tells_where_the_value_before_it_ends(goal: str, travel: str) -> None:
    assert bind(WAY, goal) == {"from": "MIT", "to": "Duquesne University", "travel": travel}


def doubts(workflow: Workflow, goal: str) -> set[str]:
    found = binding(workflow, goal)
    assert isinstance(found, Binding)
    assert not found.sure
    return set(found.doubts)


def test_a_value_that_is_no_choice_or_no_number_is_doubtful() -> None:
    assert doubts(WAY, "find the distance from MIT to BU by broomstick") == {"travel"}
    assert doubts(CANCEL, "cancel order of lamps") == {"order"}
    assert doubts(WAY, "find the distance from Road to Nowhere to Rome by car") == {"from", "to"}


def test_asking_words_are_dropped_only_where_an_answer_is_wanted() -> None:
    assert bind(CANCEL, "Please cancel order 17, thanks!") == {"order": "17"}
    assert bind(CANCEL, "find out: cancel order 17") is None
    assert binding(CANCEL, "check cancel order 17") is None


def test_politeness_alone_is_not_cut_to_nothing() -> None:
    assert without_politeness("please") == "please"
    assert what_is_asked("Could you tell me the price, thanks!") == "the price"


def test_the_closest_workflow_says_what_it_could_not_bind() -> None:
    found = closest([ZIP, OPEN, WAY], "find the distance from MIT to BU by broomstick")
    assert found is not None
    assert found.told.startswith("closest: distance by a travel; could not bind {travel}")
    found = closest([ZIP, OPEN, WAY], "I am writing to MIT, which zip code do I put?")
    assert found is not None
    assert found.told == "closest: find zip code of a place; could not bind {place}"
    assert closest([ZIP, OPEN, WAY], "buy a lamp") is None


def arrival() -> Workflow:
    day = Variable("day", kind="date", example="2025-12-24")
    return Workflow("wf", 1, "hotel", "book", "", (), (day,), ("book a room for {day}",))


@pytest.mark.parametrize(
    "said",
    ["2026-05-03", "May 3, 2026", "3 May 2026", "May 3rd, 2026", "3rd of May 2026", "Sunday, May 3, 2026",
     "2026/05/03", "3 may, 2026"],
)  # fmt: skip
def test_a_date_in_another_spelling_is_what_the_field_took_before(said: str) -> None:
    assert bind(arrival(), f"book a room for {said}") == {"day": "2026-05-03"}


@pytest.mark.parametrize(
    "said", ["05/03/2026", "tomorrow", "May 3", "May 32, 2026", "next Friday", "3.5.2026"]
)
def test_a_date_that_can_be_read_in_two_ways_or_none_is_doubted(said: str) -> None:
    assert bind(arrival(), f"book a room for {said}") is None
    found = binding(arrival(), f"book a room for {said}")
    assert found is not None
    assert "no date like 2025-12-24" in found.doubts["day"]


def test_dates_go_into_fields_of_other_spellings_where_their_example_is_clear() -> None:
    for example, written in (("24.12.2025", "03.05.2026"), ("12/24/2025", "05/03/2026"), ("24/12/2025", "03/05/2026")):  # fmt: skip
        day = Variable("day", kind="date", example=example)
        known = Workflow("wf", 1, "hotel", "book", "", (), (day,), ("book a room for {day}",))
        assert bind(known, "book a room for May 3, 2026") == {"day": written}
    unclear = Variable("day", kind="date", example="03/04/2025")
    known = Workflow("wf", 1, "hotel", "book", "", (), (unclear,), ("book a room for {day}",))
    assert bind(known, "book a room for May 3, 2026") is None
