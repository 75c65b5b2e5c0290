"""Every action can be typed in one line, and an action is shown as the line that makes it."""

import pytest

from webagent.action_line import FORMS, HELP, line_of, parse_line
from webagent.actions import ALWAYS, BY_NAME, Action, Malformed

LINES = [
    ("click e9", Action("click", {"ref": "e9"})),
    ("click f1e9 --button right --double", Action("click", {"ref": "f1e9", "button": "right", "double": True})),
    ('type e4 "some text"', Action("type", {"ref": "e4", "text": "some text"})),
    ('type e4 "say \\"hi\\" \\\\ don\'t" --submit', Action("type", {"ref": "e4", "text": 'say "hi" \\ don\'t', "submit": True})),
    ("type e4 x --clear false", Action("type", {"ref": "e4", "text": "x", "clear": False})),
    ('type ""', Action("type", {"text": ""})),
    ('select e5 "Dark red" Blue', Action("select", {"ref": "e5", "options": ["Dark red", "Blue"]})),
    ("press Control+A", Action("press", {"key": "Control+A"})),
    ("press Enter e4", Action("press", {"key": "Enter", "ref": "e4"})),
    ("hover e2", Action("hover", {"ref": "e2"})),
    ("scroll down", Action("scroll", {"direction": "down"})),
    ("scroll up e2", Action("scroll", {"direction": "up", "ref": "e2"})),
    ("drag e1 e2 --dx 5 --dy -7.5", Action("drag", {"ref": "e1", "to_ref": "e2", "dx": 5, "dy": -7.5})),
    ("upload e3 a.txt 'b c.txt'", Action("upload", {"ref": "e3", "paths": ["a.txt", "b c.txt"]})),
    ("goto http://x.com/?a=1&b=2#c", Action("goto", {"url": "http://x.com/?a=1&b=2#c"})),
    ("back", Action("back")),
    ("tab switch 2", Action("tab", {"op": "switch", "index": 2})),
    ("tab new http://x.com/", Action("tab", {"op": "new", "url": "http://x.com/"})),
    ("wait 2.5", Action("wait", {"seconds": 2.5})),
    ('wait "all done"', Action("wait", {"text": "all done"})),
    ("find zip", Action("find", {"text": "zip"})),
    ("dialog accept", Action("dialog", {"accept": True})),
    ('dialog accept "my name"', Action("dialog", {"accept": True, "text": "my name"})),
    ("dialog dismiss", Action("dialog", {"accept": False})),
    ("workflow wf_1 place=CMU", Action("workflow", {"id": "wf_1", "arguments": {"place": "CMU"}})),
    ('ask "which one?"', Action("ask", {"question": "which one?"})),
    ("stop", Action("stop")),
    ('stop "the answer"', Action("stop", {"answer": "the answer"})),
    ("stop --status infeasible", Action("stop", {"status": "infeasible"})),
]  # fmt: skip


@pytest.mark.parametrize(("line", "action"), LINES)
def test_a_line_is_an_action_and_the_action_a_line(line: str, action: Action) -> None:
    assert parse_line(line) == action
    assert parse_line(line_of(action)) == action
    if action.tool != "workflow":
        assert not line_of(action).startswith("{")


def test_words_without_quotes_are_one_text() -> None:
    assert parse_line("type e4 two words") == Action("type", {"ref": "e4", "text": "two words"})
    assert parse_line("type two words") == Action("type", {"text": "two words"})
    assert parse_line("stop it is 15213") == Action("stop", {"answer": "it is 15213"})
    assert parse_line("find zip code") == Action("find", {"text": "zip code"})


def test_text_that_looks_like_an_option_comes_after_two_dashes_or_as_json() -> None:
    action = Action("type", {"ref": "e4", "text": "--submit"})
    assert parse_line("type e4 -- --submit") == action
    assert parse_line('{"action": "type", "ref": "e4", "text": "--submit"}') == action
    assert parse_line(line_of(action)) == action


@pytest.mark.parametrize(
    "text", ["a\nb", "tab\there", "“quoted”", "$HOME `x` !", "{", "", " ", "e4", "é\u2028", "'"]
)
def test_any_text_comes_back_as_it_was(text: str) -> None:
    for action in (Action("type", {"ref": "e4", "text": text}), Action("stop", {"answer": text})):
        assert parse_line(line_of(action)) == action
        assert "\n" not in line_of(action)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "unknown action"),
        ("clikc e9", "unknown action 'clikc'"),
        ("click", "click needs 'ref'"),
        ("click nine", "'ref' must be a ref such as e9"),
        ("click e9 e8", "click takes no 'e8'"),
        ("click e9 --fast", "click has no --fast; it has --ref, --button, --double"),
        ("click e9 --button", "--button needs a value"),
        ("click e9 --button up", "'button' must be one of left, right, middle"),
        ("type e4 don't", 'put text with quotes in it between "…"'),
        ("scroll sideways", "'direction' must be one of"),
        ("back now", "back takes no 'now'"),
        ("dialog maybe", "'accept' must be true or false"),
        ("tab switch x", "'index' must be a number"),
        ('{"action": "click"', "no complete JSON object"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_in_words(line: str, said: str) -> None:
    parsed = parse_line(line)
    assert isinstance(parsed, Malformed)
    assert said in parsed.message


def test_help_lists_every_action_that_is_always_there_with_all_its_arguments() -> None:
    assert set(FORMS) == set(BY_NAME)
    for name in ALWAYS:
        line = next(line for line in HELP.splitlines() if line.split()[0] == name)
        assert all(
            key in line or key.upper().rstrip("S") in line or "enum" in schema or schema["type"] == "boolean"
            for key, schema in BY_NAME[name].properties.items()
        )
    assert "  type [REF] TEXT [--submit] [--clear false]" in HELP
