"""Which options of a list box are meant by the words of a model."""

from collections.abc import Mapping, Sequence
from typing import Any

from webagent.errors import ActionError

Choice = Mapping[str, Any]
"""index, label, value, group, disabled, selected."""


class Ambiguous(ActionError):
    """No option, or more than one, fits; the choices are listed in an event."""


def choose(choices: Sequence[Choice], wanted: Sequence[str]) -> list[int]:
    """The indexes of the wanted options. Raises Ambiguous where one of them fits none or several."""
    return [_one(choices, text) for text in wanted]


def _one(choices: Sequence[Choice], text: str) -> int:
    readings = (
        lambda choice, words: full_label(choice) == words,
        lambda choice, words: choice["label"] == words,
        lambda choice, words: choice["value"] == words and words != "",
        lambda choice, words: _folded(full_label(choice)) == _folded(words),
        lambda choice, words: _folded(choice["label"]) == _folded(words),
        lambda choice, words: _folded(choice["value"]) == _folded(words) and words != "",
    )
    clean = " ".join(text.split())
    for fits in readings:
        found = [choice for choice in choices if fits(choice, clean)]
        able = [choice for choice in found if not choice["disabled"]]
        if len(able) == 1:
            return int(able[0]["index"])
        if len(able) > 1:
            raise Ambiguous(
                f"nothing selected: {len(able)} options fit; name one with its group, or by its value"
            )
        if found:
            raise Ambiguous("nothing selected: that option is disabled")
    raise Ambiguous("nothing selected: no option has that label or value")


def _folded(text: str) -> str:
    words = " ".join(text.split()).casefold()
    group, colon, label = words.partition(":")
    return f"{group.strip()}: {label.strip()}" if colon else words


def full_label(choice: Choice) -> str:
    """`Group: Label`, or the label of an option without a group."""
    return f"{choice['group']}: {choice['label']}" if choice["group"] else str(choice["label"])
