"""Scores of answers, URLs, contents and JSON: our own, and WebArena's."""

from typing import Any

import pytest

from webagent import metrics
from webagent.metrics import Score


@pytest.mark.parametrize(
    ("expected", "answer", "value"),
    [
        ("15213", "15213", 1),
        ("15213", " 15213.\n", 1),
        ("15213", '"15213"', 1),
        ("15213", "“15213”", 1),
        ("15213", "15212", 0),
        ("15213", "PA 15213", 0),
        ("15213", "", 0),
        ("15213", None, 0),
        ("Carnegie  Mellon", "CARNEGIE MELLON", 1),
        ("Café", "Cafe\u0301", 1),
        ("1,234", "1234", 1),
        ("1,234,567.5", "1234567.5", 1),
        ("1,23", "123", 0),
        ("1, 234", "1234", 0),
        ("3.5", "35", 0),
        ("-5", "5", 0),
        ("5–7", "5-7", 1),
        ("The Who", "Who", 0),
        ("C++", "C", 0),
        ("yes!", "Yes", 1),
        ("!", "", 0),
        ("...", "!", 0),
        ("Ο ΟΔΟΣ", "ο οδος", 1),
    ],
)
def test_answers_are_equal_after_normalisation(expected: str, answer: str | None, value: int) -> None:
    score = metrics.answer_score([expected], answer)
    assert score.value == value
    assert "\n" not in score.reason


def test_one_of_several_answers_is_enough() -> None:
    assert metrics.answer_score(["a", "b"], "B").value == 1
    score = metrics.answer_score(["a", "b"], "c")
    assert score == Score(0.0, "answer 'a' or 'b': got 'c'")


@pytest.mark.parametrize(
    ("part", "text", "found"),
    [
        ("CMU", "the cmu campus", True),
        ("5", "15213", False),
        ("5", "room 5.", True),
        ("5", "5.99", False),
        ("$5", "$5.99", False),
        ("5 min", "25 min", False),
        ("234", "1,234", False),
        ("1234", "it costs 1,234 dollars", True),
        ("15213", "15213-3890", True),
        ("cat", "category", True),
        ("two  words", "TWO\nwords", True),
        ("!", "nothing", False),
    ],
)
def test_numbers_are_not_found_inside_longer_ones(part: str, text: str, found: bool) -> None:
    assert metrics.includes(part, text) is found


@pytest.mark.parametrize(
    ("expected", "answer", "value"),
    [
        (["a", "b"], "b and a", 1),
        (["a", "x"], "b and a", 0),
        (["x |OR| b"], "b and a", 1),
        (["a"], None, 0),
    ],
)
def test_all_parts_must_be_included(expected: list[str], answer: str | None, value: int) -> None:
    assert metrics.includes_score(expected, answer).value == value


def test_the_missing_part_is_named() -> None:
    score = metrics.includes_score(["Fifth Avenue", "15213"], "5000 Fifth Avenue")
    assert score.reason == "answer_includes '15213': got '5000 Fifth Avenue'"


@pytest.mark.parametrize(
    ("pattern", "answer", "value"),
    [
        (r"\d{5}", "PA 15213", 1),
        (r"^\d{5}$", " 15213 ", 1),
        (r"^\d{5}$", "PA 15213", 0),
        ("(?i)CMU", "cmu", 1),
        ("CMU", "cmu", 0),
        (".", None, 0),
    ],
)
def test_a_pattern_is_searched_in_the_answer(pattern: str, answer: str | None, value: int) -> None:
    assert metrics.matches_score(pattern, answer).value == value


BASE = "http://maps.localhost:8931"


@pytest.mark.parametrize(
    ("expected", "url", "value"),
    [
        ("/place/1", f"{BASE}/place/1", 1),
        ("/place/1", f"{BASE}/place/1/", 1),
        ("/place/1", f"{BASE}/place/12", 0),
        ("/place/1", f"{BASE}/place/1/edit", 0),
        ("/place/1", "http://evil.test/place/1", 0),
        ("/", BASE, 1),
        ("/place/1 |OR| /place/2", f"{BASE}/place/2", 1),
        ("/place/1|OR|/place/2", f"{BASE}/place/2", 1),
        ("/s?a=1&b=2", f"{BASE}/s?b=2&a=1", 1),
        ("/s?a=1&b=2", f"{BASE}/s?b=2&a=1&page=1", 1),
        ("/s?a=1&b=2", f"{BASE}/s?a=1", 0),
        ("/s?a=1", f"{BASE}/s?a=2", 0),
        ("/s?a=1&a=2", f"{BASE}/s?a=2&a=1", 1),
        ("/s?a=1", f"{BASE}/s?a=2&a=1", 0),
        ("/s?a=", f"{BASE}/s?a=", 1),
        ("/s?a=", f"{BASE}/s", 0),
        ("/s?q=a%20b", f"{BASE}/s?q=a+b", 1),
        ("/s", f"{BASE}/s?a=1", 1),
        ("/a?x=1 |OR| /b", f"{BASE}/b", 1),
        ("/a#top", f"{BASE}/a#top", 1),
        ("/a#top", f"{BASE}/a", 0),
        ("/a", f"{BASE}/a#top", 1),
        ("http://maps.localhost/a", f"{BASE}/a", 1),
        ("https://www.maps.localhost/a", f"{BASE}/a", 1),
        ("maps.localhost/a", f"{BASE}/a", 1),
        ("maps.localhost:8931", f"{BASE}/", 1),
        ("http://127.0.0.1:1/a", "http://127.0.0.1:2/a", 0),
        ("a/b", f"{BASE}/a/b", 1),
        ("/a", "about:blank", 0),
        ("/a", "http://[broken", 0),
    ],
)
def test_a_url_fits_whatever_the_order_of_its_query(expected: str, url: str, value: int) -> None:
    assert metrics.url_score(expected, url, BASE).value == value


def test_a_path_is_below_the_sites_own_path() -> None:
    assert metrics.url_score("/orders", "http://s.test/admin/orders", "http://s.test/admin/").value == 1
    assert metrics.url_score("/orders", "http://s.test/orders", "http://s.test/admin").value == 0


@pytest.mark.parametrize(
    ("expected", "value", "score"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, 1),
        ({"a": {"b": "x"}}, {"a": {"b": "x", "c": 1}}, 1),
        ({"a": 1}, {"a": 2}, 0),
        ({"a": None}, {}, 0),
        ({"a": None}, {"a": None}, 1),
        ([1, 2], [1, 2], 1),
        ([1, 2], [2, 1], 0),
        ([1], [1, 2], 0),
        ([{"a": 1}], [{"a": 1, "b": 2}], 1),
        ([], [], 1),
        ([], {}, 0),
        (1, True, 0),
        (True, 1, 0),
        (False, None, 0),
        (1, 1.0, 1),
        ("1", 1, 0),
        ({"a": 1}, "text", 0),
        ({}, {"a": 1}, 1),
        (None, None, 1),
    ],
)
def test_json_has_what_is_expected(expected: Any, value: Any, score: int) -> None:
    assert metrics.json_score(expected, value).value == score


def test_all_scores_must_hold_and_zero_decides_first() -> None:
    yes, no, unknown = Score(1.0, "yes"), Score(0.0, "no"), Score(None, "unknown")
    assert metrics.combine([yes, unknown, no]) == no
    assert metrics.combine([yes, unknown, yes]) == unknown
    assert metrics.combine([yes, yes]) == Score(1.0, "yes; yes")
    assert metrics.combine([]).value is None
    assert metrics.combine([Score(0.5, "a"), Score(0.5, "b")]).value == 0.25


# --- WebArena ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (" A b ", "a b"),
        ("'A'", "a"),
        ('"A"', "a"),
        ('"A', '"a'),
        ("' A'", " a"),
        ("\"'A'\"", "'a'"),
        ("", ""),
        ("'", ""),
    ],
)
def test_answers_are_cleaned_as_the_official_evaluator_does(text: str, cleaned: str) -> None:
    assert metrics.clean_answer(text) == cleaned


@pytest.mark.parametrize(
    ("references", "answer", "value"),
    [
        ({"exact_match": "Quest Lumaflex™ Band"}, "quest lumaflex™ band", 1),
        ({"exact_match": "15213"}, "'15213'", 1),
        ({"exact_match": "15213"}, "15213.", 0),
        ({"exact_match": "N/A"}, "n/a", 1),
        ({"exact_match": "x"}, None, 0),
        ({"must_include": ["a b", "c"]}, "C, then A B", 1),
        ({"must_include": ["a b", "d"]}, "C, then A B", 0),
        ({"must_include": ["ab"]}, "cabs", 1),
        ({"must_include": ["0"]}, "10", 0),
        ({"must_include": ["0"]}, "0", 1),
        ({"must_include": ["0"]}, "there are 0 reviews", 1),
        ({"must_include": ["0"]}, "There are 0.", 1),
        ({"must_include": ["0"]}, "(0)", 1),
        ({"must_include": ["0"]}, "0, none", 1),
        ({"must_include": ["0"]}, "$0", 1),
        ({"must_include": ["0"]}, "0%", 1),
        ({"must_include": ["0"]}, "0.5", 0),
        ({"must_include": ["0"]}, "0,5", 0),
        ({"must_include": ["0"]}, "a-0", 0),
        ({"must_include": ["0"]}, "It is 0. they said so", 0),
        ({"must_include": ["0"]}, "count:0", 0),
        ({"must_include": ["0"]}, "count: 0", 1),
        ({"must_include": ["0", "1"]}, "10", 1),
        ({"must_include": ["x |OR| y"]}, "only y here", 1),
        ({"must_include": ["x |OR| z"]}, "only y here", 0),
        ({"must_exclude": ["x"]}, "only y here", 1),
        ({"must_exclude": ["here", "x"]}, "only y here", 0),
        ({"one_of": ["x", "y"]}, "Y", 1),
        ({"one_of": ["x", "y"]}, "z", 0),
        ({"fuzzy_match": ["No airport"]}, "no airport.", 1),
        ({"fuzzy_match": ["No airport"]}, "none at all", None),
        ({"fuzzy_match": ["No airport"]}, "", 0),
        ({"fuzzy_match": [""]}, "", 1),
        ({"fuzzy_match": ["a", "b"]}, "a", None),
        ({"fuzzy_match": "N/A"}, "N/A", 1),
        ({"fuzzy_match": "N/A"}, "there is no such product", None),
        ({"must_include": ["q"], "fuzzy_match": ["x"]}, "y", 0),
        ({"must_include": ["y"], "fuzzy_match": ["x"]}, "y", None),
        ({"required_values": [">= 3"]}, "4", None),
        ({}, "4", None),
    ],
)
def test_string_match_scores_as_the_official_evaluator(
    references: Any, answer: str, value: int | None
) -> None:
    score = metrics.string_match(references, answer)
    assert score.value == value
    assert "\n" not in score.reason


def test_what_takes_an_llm_says_so() -> None:
    score = metrics.string_match({"fuzzy_match": ["No airport"]}, "none at all")
    assert score.reason == "undecided: fuzzy_match 'No airport' takes an LLM; got 'none at all'"
    score = metrics.string_match({"fuzzy_match": "N/A"}, "sold out", "no such product")
    assert "no such product" in score.reason


GIT = "http://git.test:8023"


@pytest.mark.parametrize(
    ("reference", "url", "value"),
    [
        (f"{GIT}/a", f"{GIT}/a", 1),
        (f"{GIT}/a", f"{GIT}/a/", 1),
        (f"{GIT}/a/", f"{GIT}/a", 1),
        (f"{GIT}/a", f"{GIT}/abc/d", 1),  # GOLD in PRED: as the official one has it
        (f"{GIT}/a/b", f"{GIT}/a", 0),
        (f"{GIT}/a", f"http://proxy.test/?u={GIT}/a", 0),
        (f"{GIT}/a?x=1&y=2", f"{GIT}/a?y=2&x=1&z=3", 1),
        (f"{GIT}/a?x=1&y=2", f"{GIT}/a?y=2", 0),
        (f"{GIT}/a?x=", f"{GIT}/a", 1),
        (f"{GIT}/a?x=1 |OR| {GIT}/b?x=2", f"{GIT}/b?x=1", 1),  # values of all references count
        (f"{GIT}/a |OR| {GIT}/b", f"{GIT}/b", 1),
        (f"{GIT}/a |OR| {GIT}/b?x=1", f"{GIT}/a", 0),
        (f"{GIT}/a", "https://git.test:8023/a", 1),
        ("", f"{GIT}/a", 1),
    ],
)
def test_url_match_scores_as_the_official_evaluator(reference: str, url: str, value: int) -> None:
    assert metrics.url_match(reference, url).value == value


def test_other_rules_of_url_match() -> None:
    assert metrics.url_match(f"{GIT}/a", f"{GIT}/a/", "EXACT").value == 1
    assert metrics.url_match(f"{GIT}/a", f"{GIT}/a/b", "EXACT").value == 0
    assert metrics.url_match(f"{GIT}/a", f"{GIT}/a", "PRED in GOLD").value is None


@pytest.mark.parametrize(
    ("required", "content", "value"),
    [
        ({"exact_match": "A & B"}, "a &amp; b", 1),
        ({"exact_match": ""}, "", 1),
        ({"exact_match": ""}, "x", 0),
        ({"must_include": ["x", "y |OR| z"]}, "<p>X z</p>", 1),
        ({"must_include": ["x", "y |OR| z"]}, "<p>X</p>", 0),
        ({"must_include": ["0"]}, "10", 1),  # no words in pages: as the official one has it
        ({"must_include": []}, "", 1),
        ({"must_exclude": ["x"]}, "y", 1),
        ({"must_exclude": ["x"]}, "x", 0),
        ({"other": "x"}, "x", None),
    ],
)
def test_contents_score_as_the_official_evaluator(required: Any, content: str, value: int | None) -> None:
    assert metrics.html_match(required, content).value == value


@pytest.mark.parametrize(
    ("program", "last", "url"),
    [
        (
            "func:reddit_get_post_url('__last_url__')",
            "http://r.test/f/books/12/title?x",
            "http://r.test/f/books/12/",
        ),
        ("func:reddit_get_post_url('__last_url__')", "http://r.test/user/x/y", "http://r.test/user/x/y"),
        ("func:reddit_get_post_url('__last_url__')", "http://r.test/f", "http://r.test/f"),
        ("func:shopping_get_latest_order_url()", "http://r.test/f", None),
        ("func:__import__('os').getcwd()", "http://r.test/f", None),
    ],
)
def test_helpers_that_need_no_account_are_known(program: str, last: str, url: str | None) -> None:
    assert metrics.helper_url(program, last) == url


def test_the_role_of_a_member_is_a_script_with_the_name_as_data() -> None:
    script = metrics.helper_script("func:gitlab_get_project_memeber_role(__page__, 'yjlou')")
    assert script is not None
    assert '"@yjlou"' in script
    assert metrics.helper_script("func:shopping_get_sku_latest_review_author('B006H52HBC')") is None
