"""A model's words as actions: what is taken, what is refused, and that nothing raises."""

from webagent.actions import Action, parse_call

CLICK = Action("click", {"ref": "e9"})


def test_words_for_truth_and_numbers_are_taken() -> None:
    parsed = parse_call("type", '{"text": 5, "submit": "true", "clear": false}')
    assert isinstance(parsed, Action)
    assert parsed.arguments == {"text": "5", "submit": True, "clear": False}
