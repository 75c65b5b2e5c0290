"""Tasks and success tests: what is taken, what is refused, and what the refusal says."""

import json
from typing import Any

import pytest

from webagent.errors import UsageError
from webagent.tasks import Expect, PageTest, RequestTest, parse_eval, parse_expect, parse_task, resolve


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"answer": "15213"}, Expect(answer=("15213",))),
        ({"answer": 15213}, Expect(answer=("15213",))),
        ({"answer": ["a", "b"]}, Expect(answer=("a", "b"))),
        ('{"answer": "15213"}', Expect(answer=("15213",))),
        ({"answer_includes": ["a", 2]}, Expect(answer_includes=("a", "2"))),
        ({"answer_includes": "a"}, Expect(answer_includes=("a",))),
        ({"answer_matches": r"^\d{5}$"}, Expect(answer_matches=r"^\d{5}$")),
        ({"url": "/place/1 |OR| /place/2?b=1"}, Expect(url="/place/1 |OR| /place/2?b=1")),
        ({"infeasible": True}, Expect(infeasible=True)),
        ({"infeasible": "true"}, Expect(infeasible=True)),
        ({"infeasible": False, "answer": "x"}, Expect(answer=("x",))),
        ({"page": [{"required": "hi"}]}, Expect(page=(PageTest(("hi",), locator="body"),))),
        (
            {"page": {"url": "last", "js": "location.hash", "required": ["#a", "b"]}},
            Expect(page=(PageTest(("#a", "b"), js="location.hash"),)),
        ),
        (
            {"page": [{"url": "/cart", "locator": "#sum", "required": 3}]},
            Expect(page=(PageTest(("3",), url="/cart", locator="#sum"),)),
        ),
        ({"page": [{"js": "x", "required": True}]}, Expect(page=(PageTest(("true",), js="x"),))),
        (
            {"request": {"path": "api/cart", "json": {"n": 1}}},
            Expect(request=(RequestTest("/api/cart", json={"n": 1}, has_json=True),)),
        ),
        (
            {"request": [{"method": "post", "url": "http://x/a", "body": [1], "status": 201}]},
            Expect(request=(RequestTest("http://x/a", "POST", [1], 201),)),
        ),
        (
            {"request": {"path": "/a", "json": None}},
            Expect(request=(RequestTest("/a", json=None, has_json=True),)),
        ),
    ],
)
def test_a_success_test_is_parsed(value: Any, expected: Expect) -> None:
    assert parse_expect(value) == expected


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, ["expect", "tests nothing", "answer_matches", "infeasible"]),
        ({"infeasible": False}, ["tests nothing"]),
        ({"anwser": "x"}, ["unknown key 'anwser'", "answer, answer_includes", "request"]),
        ("{", ["expect", "not JSON", "column 2"]),
        ('{"answer": \n "x",}', ["not JSON", "line 2"]),
        ("15213", ["must be an object", "15213"]),
        ('["a"]', ["must be an object"]),
        ('{"answer": NaN}', ["not JSON", "NaN"]),
        ("", ["not JSON"]),
        ("[" * 100_000, ["not JSON"]),
        ({"answer": True}, ["expect.answer", "must be text", "true"]),
        ({"answer": None}, ["expect.answer", "must be text", "null"]),
        ({"answer": {"a": 1}}, ["expect.answer", '{"a": 1}']),
        ({"answer": ""}, ["expect.answer", "is empty"]),
        ({"answer_includes": []}, ["expect.answer_includes", "empty list"]),
        ({"answer_includes": ["a", []]}, ["expect.answer_includes[2]", "[]"]),
        ({"answer_matches": "("}, ["expect.answer_matches", "'('", "unterminated"]),
        ({"answer_matches": ["a"]}, ["expect.answer_matches", "must be text"]),
        ({"url": 5.5, "answer": []}, ["expect.answer"]),
        ({"url": "a |OR| "}, ["expect.url", "empty alternative"]),
        ({"url": "http://[x/"}, ["expect.url", "not a URL", "http://[x/"]),
        ({"page": []}, ["expect.page", "list of objects"]),
        ({"page": ["body"]}, ["expect.page[1]", "must be an object", "body"]),
        ({"page": [{"locator": "a"}]}, ["expect.page[1]", "required"]),
        ({"page": [{"locator": "a", "js": "b", "required": "c"}]}, ["both locator and js"]),
        ({"page": [{"required": "c"}, {"selector": "a"}]}, ["expect.page[2]", "'selector'", "locator"]),
        ({"page": [{"required": ["c", None]}]}, ["expect.page[1].required[2]", "null"]),
        ({"request": {"json": 1}}, ["expect.request", "'path'", "'url'"]),
        ({"request": {"path": "/a"}}, ["expect.request", "'json'", "'status'"]),
        ({"request": {"path": "/a", "status": 99}}, ["expect.request.status", "99"]),
        ({"request": {"path": "/a", "status": "ok"}}, ["expect.request.status", "ok"]),
        ({"request": {"path": "/a", "method": "STEAL", "json": 1}}, ["method", "'STEAL'", "GET"]),
        ({"request": {"url": "ftp://a", "json": 1}}, ["expect.request.url", "ftp://a"]),
        ({"request": {"path": "/a", "url": "http://x", "json": 1}}, ["one of 'path'"]),
        ({"infeasible": 1}, ["expect.infeasible", "true or false", "1"]),
        ({"string_match": {}}, ["expect.string_match", "exact_match"]),
        ({"string_match": {"exact_match": None}}, ["expect.string_match.exact_match", "null"]),
        ({"program_html": [{"url": "last"}]}, ["expect.program_html[1].required_contents"]),
        ({"program_html": [{"url": "last", "required_contents": {"x": "y"}}]}, ["must_include"]),
        ({"eval": {"eval_types": []}}, ["expect.eval.eval_types"]),
        ({"eval": {"eval_types": ["string_match"]}}, ["expect.eval.reference_answers"]),
        ({"eval_types": ["url_match"]}, ["expect.reference_url"]),
        ({"url_match": ""}, ["expect.url_match"]),
    ],
)
def test_a_bad_success_test_is_refused_by_name(value: Any, words: list[str]) -> None:
    with pytest.raises(UsageError) as error:
        parse_expect(value)
    for word in words:
        assert word in str(error.value)
    assert "\n" not in str(error.value)


def test_a_task_has_its_fields() -> None:
    task = parse_task(
        {
            "id": 7,
            "goal": " find the zip code of CMU ",
            "site": "maps",
            "start_path": "search?q=cmu",
            "expect": {"answer": "15213"},
            "template": "zip",
            "max_steps": "12",
            "difficulty": "easy",
        }
    )
    assert (task.id, task.goal, task.site) == ("7", "find the zip code of CMU", "maps")
    assert task.start("http://maps.localhost:81/") == "http://maps.localhost:81/search?q=cmu"
    assert task.expect == Expect(answer=("15213",))
    assert (task.template, task.max_steps, task.extra) == ("zip", 12, {"difficulty": "easy"})


def test_absent_fields_and_nulls_are_alike() -> None:
    plain = parse_task({"id": "a", "goal": "g", "url": "http://x/"})
    nulls = {"expect": None, "template": None, "max_steps": None, "start_path": "", "site": None}
    assert parse_task({"id": "a", "goal": "g", "url": "http://x/", **nulls}) == plain
    assert plain.start() == "http://x/"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": None}, ["lacks 'id'"]),
        ({"goal": ""}, ["lacks 'goal'"]),
        ({"goal": "  "}, ["goal", "is empty"]),
        ({"goal": ["x"]}, ["goal", "must be text"]),
        ({"url": "http://x"}, ["both site and url"]),
        ({"site": None}, ["'site' or 'url'"]),
        ({"site": None, "url": "file:///etc/passwd"}, ["not an http(s) URL", "file:///etc/passwd"]),
        ({"start_path": "http://evil/"}, ["start_path", "http://evil/"]),
        ({"start_path": "//evil/"}, ["start_path", "//evil/"]),
        ({"max_steps": 0}, ["max_steps", "0"]),
        ({"max_steps": True}, ["max_steps", "true"]),
        ({"max_steps": "many"}, ["max_steps", "many"]),
        ({"max_steps": 2.5}, ["max_steps", "2.5"]),
        ({"expct": {"answer": "x"}}, ["'expct'", "did you mean 'expect'"]),
        ({"expect": {"page": [{"required": []}]}}, ["expect.page[1].required", "empty list"]),
        ({"expect": "{"}, ["expect", "not JSON"]),
    ],
)
def test_a_bad_task_is_refused_with_its_place(change: dict[str, Any], words: list[str]) -> None:
    value = {"id": "a", "goal": "g", "site": "maps", **change}
    with pytest.raises(UsageError) as error:
        parse_task(value, "line 3")
    assert str(error.value).startswith("line 3")
    for word in words:
        assert word in str(error.value)


def test_where_to_start_may_be_left_to_the_command_line() -> None:
    assert parse_task({"id": "a", "goal": "g"}, needs_start=False).start("http://x") == "http://x"


def test_a_task_that_is_no_object_is_refused() -> None:
    with pytest.raises(UsageError, match="task: must be an object"):
        parse_task(["goal"])  # type: ignore[arg-type]


CONFIG: dict[str, Any] = {
    "sites": ["gitlab", "reddit"],
    "task_id": 552,
    "require_login": True,
    "storage_state": "./.auth/gitlab.reddit_state.json",
    "start_url": "__GITLAB__/explore |AND| __REDDIT__",
    "geolocation": None,
    "intent_template": "Create a folder named {{directory}}",
    "instantiation_dict": {"directory": "news"},
    "intent": "Create a folder named news",
    "require_reset": False,
    "eval": {
        "eval_types": ["url_match", "program_html"],
        "reference_answers": None,
        "reference_url": "__GITLAB__/dashboard",
        "url_note": "GOLD in PRED",
        "program_html": [
            {
                "url": "__GITLAB__/news/-/raw/main/urls.txt",
                "locator": "",
                "required_contents": {"must_include": ["__REDDIT__/f/news/1 |OR| x"]},
            }
        ],
    },
    "intent_template_id": 84,
}


def test_a_webarena_config_is_taken_as_it_is() -> None:
    sites = {"gitlab": "http://git.test:8023/", "Reddit": "http://forum.test:9999"}
    task = parse_task(CONFIG, sites=sites)
    assert (task.id, task.goal, task.template) == ("552", "Create a folder named news", "84")
    assert task.start() == "http://git.test:8023/explore"
    assert task.tabs == ("http://forum.test:9999",)
    assert (task.sites, task.require_login) == (("gitlab", "reddit"), True)
    assert task.storage_state == "./.auth/gitlab.reddit_state.json"
    assert task.extra["instantiation_dict"] == {"directory": "news"}
    assert task.expect
    assert task.expect.webarena
    evaluation = task.expect.webarena
    assert evaluation.types == ("url_match", "program_html")
    assert evaluation.reference_url == "http://git.test:8023/dashboard"
    assert evaluation.program_html[0].url == "http://git.test:8023/news/-/raw/main/urls.txt"
    assert evaluation.program_html[0].required == {
        "must_include": ("http://forum.test:9999/f/news/1 |OR| x",)
    }


def test_a_webarena_config_of_an_unknown_site_names_the_site() -> None:
    task = parse_task(CONFIG)
    assert (task.site, task.url, task.start_path) == ("gitlab", "", "/explore")
    assert task.start("http://g") == "http://g/explore"
    assert task.expect
    assert task.expect.webarena
    assert task.expect.webarena.reference_url == "__GITLAB__/dashboard"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"start_url": None}, "start_url"),
        ({"start_url": "about:blank"}, "about:blank"),
        ({"task_id": None}, "task_id"),
        ({"intent": ""}, "intent"),
        ({"eval": {"reference_answers": {}}}, "eval.eval_types"),
        ({"eval": []}, None),
    ],
)
def test_a_broken_webarena_config_is_refused_by_name(change: dict[str, Any], word: str | None) -> None:
    if word is None:
        assert parse_task({**CONFIG, **change}).expect is None
        return
    with pytest.raises(UsageError, match=word):
        parse_task({**CONFIG, **change})


def test_task_zero_keeps_its_id() -> None:
    assert parse_task({**CONFIG, "task_id": 0}).id == "0"


def test_unknown_evaluators_stay_named() -> None:
    evaluation = parse_eval({"eval_types": ["page_image_query"]})
    assert evaluation.types == ("page_image_query",)


def test_webarena_evaluators_may_be_parts_of_expect() -> None:
    expect = parse_expect(
        {
            "string_match": {"must_include": ["a"], "fuzzy_match": "N/A"},
            "url_match": {"reference_url": "http://x/a", "url_note": "EXACT"},
            "program_html": {"url": "last", "locator": "", "required_contents": {"exact_match": ""}},
        }
    )
    evaluation = expect.webarena
    assert evaluation is not None
    assert evaluation.types == ("string_match", "url_match", "program_html")
    assert evaluation.answers == {"must_include": ("a",), "fuzzy_match": "N/A"}
    assert (evaluation.reference_url, evaluation.url_note) == ("http://x/a", "EXACT")


def test_placeholders_are_resolved_at_any_depth_and_longest_name_first() -> None:
    sites = {"shopping": "http://s", "shopping_admin": "http://a/admin"}
    value = {"a": ["__SHOPPING_ADMIN__/x", "__SHOPPING__ __MAP__"], "b": 1, "c": "func:f('__last_url__')"}
    assert resolve(value, sites) == {
        "a": ["http://a/admin/x", "http://s __MAP__"],
        "b": 1,
        "c": "func:f('__last_url__')",
    }


def test_json_and_object_give_the_same_test() -> None:
    value = {"answer": "x", "page": [{"url": "/a", "locator": "p", "required": ["y"]}]}
    assert parse_expect(json.dumps(value)) == parse_expect(value)
