"""A model's words as actions: what is taken, what is refused, and that nothing raises."""

import pytest

from webagent.actions import Action, Malformed, from_object, parse_call, parse_text

CLICK = Action("click", {"ref": "e9"})


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "click", "ref": "e9"}',
        '```json\n{"action": "click", "ref": "e9"}\n```',
        '{"action": "click", "ref": "e9"} {"action": "click", "ref": "e1"}',
        '<think>{"action": "click", "ref": "e1"}</think>{"action": "click", "ref": "e9"}',
        'I could do {"action": "click", "ref": "e1"} but no.\n</think>\n{"action": "click", "ref": "e9"}',
        '{"name": "click", "arguments": {"ref": "e9"}}',
        '{"action": "click", "ref": "[ref=e9]", "extra": [1]}',
    ],
)
def test_the_first_object_outside_of_thoughts_is_the_action(text: str) -> None:
    parsed = parse_text(text)
    assert isinstance(parsed, Action)
    assert (parsed.tool, dict(parsed.arguments)) == ("click", {"ref": "e9"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I click e9.",
        '{"action": "click", "ref": "e9"',
        '{"action": "click"}',
        '{"action": "click", "ref": ["e9"]}',
        '{"action": "click", "ref": "button"}',
        '{"action": "fly", "ref": "e9"}',
        '{"action": "wait", "seconds": NaN}',
        '{"action": "scroll", "direction": "sideways"}',
        '<think>{"action": "click", "ref": "e9"}',
        '{"action": "click", "ref": "e9"}' + "x" * 3_000_000,
        "[" * 100_000,
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_action_is_said_to_be_none_in_few_words(text: str) -> None:
    parsed = parse_text(text)
    assert isinstance(parsed, Malformed)
    assert len(parsed.message) < 400


def test_a_lone_surrogate_is_replaced() -> None:
    parsed = from_object({"action": "type", "text": "a\ud83d", "thought": "\udc00"})
    assert isinstance(parsed, Action)
    assert (parsed.arguments["text"], parsed.thought) == ("a\ufffd", "\ufffd")


def test_words_for_truth_and_numbers_are_taken() -> None:
    parsed = parse_call("type", '{"text": 5, "submit": "true", "clear": false}')
    assert isinstance(parsed, Action)
    assert parsed.arguments == {"text": "5", "submit": True, "clear": False}
