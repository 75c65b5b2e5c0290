import pytest

from webagent.browser.resolve import find_again
from webagent.errors import ActionError
from webagent.observation import Observation, parse_snapshot


def page(text: str) -> Observation:
    return Observation("http://x/", lines=parse_snapshot(text))


LIST = """- list [ref=e1]:
  - listitem [ref=e2]:
    - text: Ana
    - button "Delete" [ref=e3]
  - listitem [ref=e4]:
    - text: Ben 1
    - button "Delete" [ref=e5]
- button "Save" [ref=e6]"""


def test_a_living_element_is_itself() -> None:
    assert find_again(page(LIST), page(LIST), "e6").ref == "e6"


def test_a_dead_ref_heals_by_role_and_name_where_one_fits() -> None:
    now = page(LIST.replace("e6", "e16"))
    assert find_again(page(LIST), now, "e6").ref == "e16"


def test_twins_heal_by_the_words_of_their_row_even_when_a_count_in_it_moved() -> None:
    now = page(LIST.replace("ref=e", "ref=e1").replace("Ben 1", "Ben 2"))
    assert find_again(page(LIST), now, "e5").ref == "e15"


def test_a_ref_that_now_stands_in_another_row_is_not_used() -> None:
    swapped = LIST.replace("Ana", "?").replace("Ben 1", "Ana").replace("?", "Ben 1")
    assert find_again(page(LIST), page(swapped), "e3").ref == "e5"


@pytest.mark.parametrize("change", [("Ana", "Cy"), ("Save", "Send")])
def test_what_is_gone_is_refused(change: tuple[str, str]) -> None:
    now = page(LIST.replace("ref=e", "ref=e1").replace(*change))
    with pytest.raises(ActionError, match="no longer"):
        find_again(page(LIST), now, "e3" if change[0] == "Ana" else "e6")


def test_twins_that_nothing_tells_apart_are_refused_once_they_died() -> None:
    before = page('- button "Go" [ref=e1]\n- button "Go" [ref=e2]')
    now = page('- button "Go" [ref=e3]\n- button "Go" [ref=e4]')
    with pytest.raises(ActionError, match="2 elements"):
        find_again(before, now, "e1")
    assert find_again(before, before, "e1").ref == "e1"
