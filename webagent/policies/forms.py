"""What stands in a form before it is sent: read from the observation, compared with what was entered."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from webagent.observation import Line, Observation, Target
from webagent.policies.elements import in_its_frame

MASKED = "•"
"""Of such characters is the text of a password field."""


@dataclass(frozen=True)
class Entered:
    """A field and what was put in: `values` typed or selected; empty where it was to be checked."""

    target: Target
    values: Sequence[str] = ()


def differs(observation: Observation, entered: Entered) -> str:
    """How the form differs from what was entered; empty where it does not, or the field is not there."""
    fitting = observation.matches(entered.target.role, entered.target.name)
    found = in_its_frame(observation, entered.target, fitting)
    if not found:
        return ""
    line = found[entered.target.nth] if entered.target.nth < len(found) else found[0]
    name = f'{line.role} "{entered.target.name}"'
    if not entered.values:
        return "" if "checked" in line.states else f"{name} is not chosen"
    options = [part for part in observation.subtree(line) if part.role == "option"]
    if options:
        return _options_differ(observation, options, entered.values, name)
    held = _held(observation, line)
    if set(held) == {MASKED} or _same(held, entered.values[0]):
        return ""
    return f'{name} holds "{held}", not "{entered.values[0]}"'


def _options_differ(
    observation: Observation, options: Sequence[Line], values: Sequence[str], name: str
) -> str:
    labels = {_bare(observation.label_of(option)) for option in options}
    chosen = {_bare(observation.label_of(option)) for option in options if "selected" in option.states}
    wanted = {
        _bare(value.rsplit(": ", 1)[-1]) if _bare(value) not in labels else _bare(value) for value in values
    }
    # an option may be named by its value, which the page does not show
    if wanted <= labels and not wanted <= chosen:
        return f"{name} has another choice than {', '.join(values)}"
    return ""


def _held(observation: Observation, line: Line) -> str:
    parts = [
        part.text if part is line else part.words for part in observation.subtree(line) if part.role[0] != "/"
    ]
    return " ".join(" ".join(parts).split())


def _same(held: str, typed: str) -> bool:
    """Fields format what is typed (`4125550100` becomes `(412) 555-0100`): letters and digits count."""
    return _bare(held) == _bare(typed)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold() or " ".join(text.split())
