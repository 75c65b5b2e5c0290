"""Which values of a routine are variables: by the goals that name them, and by what differs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from webagent.binding import named_in, with_kind
from webagent.dates import is_date
from webagent.masking import MASK
from webagent.observation import Line
from webagent.secrets import PLACEHOLDER
from webagent.trajectory import Step
from webagent.workflow import Variable, kept_name

Slot = tuple[int, str]
"""Step of the routine (from 0) and the field: `name` (of its control) or an argument's key."""

CHOICES = frozenset(
    {
        "radio",
        "option",
        "link",
        "checkbox",
        "menuitem",
        "menuitemradio",
        "tab",
        "treeitem",
        "cell",
        "gridcell",
        "listitem",
        "switch",
    }
)
"""Roles whose name may be a value that the goal chose; a button's name hardly ever is."""

GROUPS = frozenset({"radiogroup", "group", "listbox", "menu", "tablist"})
CHOSEN = frozenset({"radio", "option", "menuitemradio", "tab"})
"""Roles whose peers are all the choices there are."""
MOST_CHOICES = 60
"""A longer list is one to search in, not one to choose from."""

_STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "for",
        "of",
        "in",
        "on",
        "to",
        "by",
        "your",
        "our",
        "my",
        "enter",
        "type",
        "search",
        "find",
        "select",
        "choose",
        "please",
        "here",
        "any",
        "all",
        "field",
        "box",
        "value",
        "e",
        "g",
    ]
)


@dataclass
class Variables:
    """Variables found, and the slots they fill. `names` are wishes for slots, from a model or an
    earlier version."""

    names: Mapping[Slot, str] = field(default_factory=dict)
    known: dict[str, Variable] = field(default_factory=dict)
    slots: dict[Slot, str] = field(default_factory=dict)
    values: list[dict[str, str]] = field(default_factory=list)

    def add(
        self,
        slot: Slot,
        seen: Sequence[str],
        base: str,
        *,
        in_goal: bool,
        choices: Sequence[str] = (),
        private: bool = False,
    ) -> None:
        """A variable for this slot; slots with the same values in every run share one. Of a `private` one
        no example is kept."""
        folded = [value.casefold() for value in seen]
        for name in self.known:
            if [run[name].casefold() for run in self.values] == folded:
                self.slots[slot] = name
                return
        name = self._free(self.names.get(slot) or base)
        example = "" if private or is_private(seen[0]) else seen[0] if in_goal else kept_name(seen[0])
        self.known[name] = with_kind(Variable(name, example=example, in_goal=in_goal), seen, choices)
        self.slots[slot] = name
        for run, value in zip(self.values, seen, strict=True):
            run[name] = value

    def _free(self, base: str) -> str:
        name, n = base, 2
        while name in self.known:
            name, n = f"{base}-{n}", n + 1
        return name


PRIVATE = re.compile(r"[\w.+-]+@[\w-]+\.\w+|(?:\d[ -]?){6,}|" + MASK)
"""E-mail addresses, card numbers, one-time codes, masked passwords."""


PRIVATE_FIELD = re.compile(
    r"\b(one[- ]?time|verification|security|sms|2fa|mfa)[ -]?(code|number|pin|answer|token)?\b"
    r"|\b(otp|totp|pin|cvv2?|cvc2?|csc|iban|passcode|passphrase|password|ssn)\b|\b(card|account)[ -]number\b",
    re.IGNORECASE,
)
"""Names of fields whose content is nobody else's, whatever it looks like."""


def _asks_private(step: Step) -> bool:
    return step.target is not None and PRIVATE_FIELD.search(step.target.name) is not None


def is_private(value: str) -> bool:
    """Whether a typed value belongs to a person and has no place in memory, not even as an example."""
    return bool(PRIVATE.search(value)) and not is_date(value)


def private_values(steps: Sequence[Step]) -> set[str]:
    """What was typed in a run and belongs to a person."""
    typed = ((step, str(step.action.arguments.get("text", "")).strip()) for step in steps)
    return {text for step, text in typed if text and (_asks_private(step) or is_private(text))}


def slots_of(routine: Sequence[Step]) -> Iterator[tuple[Slot, str]]:
    """Every value of a routine that might be a variable; the name of a secret is none, since it stands
    for the same in every run."""
    for n, step in enumerate(routine):
        texts = {"name": step.target.name} if step.target is not None and step.target.name else {}
        arguments = step.action.arguments
        if "text" in arguments:
            texts["text"] = str(arguments["text"])
        texts |= {
            f"options.{place}": str(option) for place, option in enumerate(arguments.get("options", ()))
        }
        yield from (((n, key), text) for key, text in texts.items() if not PLACEHOLDER.search(text))


def find_variables(
    goals: Sequence[str], routines: Sequence[Sequence[Step]], names: Mapping[Slot, str] | None = None
) -> Variables:
    """The variables of routines of the same shape, one for each goal. Where several goals differ,
    a value that stays the same is none; with one goal, what it names is one."""
    variables = Variables(names or {}, values=[{} for _ in goals])
    distinct = len({goal.casefold() for goal in goals}) > 1
    columns = [dict(slots_of(routine)) for routine in routines]
    for slot, first in columns[0].items():
        seen = [column.get(slot, "") for column in columns]
        step = routines[0][slot[0]]
        same = all(value.casefold() == first.casefold() for value in seen)
        in_goal = all(named_in(value, goal) for value, goal in zip(seen, goals, strict=True))
        private = slot[1] == "text" and (_asks_private(step) or any(map(is_private, seen)))
        wished = slot in variables.names or private
        if distinct and same and not private:
            continue
        if in_goal and (wished or _may_be_chosen(step, slot)):
            choices = choices_of([routine[slot[0]] for routine in routines], slot, seen)
            base = _base_name(step, slot)
            variables.add(slot, seen, base, in_goal=True, choices=choices, private=private)
        elif (
            not same or wished or (slot[1] == "name" and _is_result(step, routines[0][: slot[0]], variables))
        ):
            base = _result_name(variables, step, slot)
            variables.add(slot, seen, base, in_goal=False, private=private)
    return variables


def choices_of(peers: Sequence[Step], slot: Slot, seen: Sequence[str]) -> list[str]:
    """The choices that the runs' pages offered for a slot, and the values chosen; none where the
    control offers no closed list."""
    offered: list[str] = []
    for step in peers:
        line = step.observation.by_ref.get(step.action.ref or "")
        if line is None:
            return []
        if slot[1].startswith("options") or (slot[1] == "text" and line.role == "combobox"):
            options = [part for part in step.observation.subtree(line) if part.role == "option"]
        elif slot[1] == "name" and line.role in CHOSEN:
            options = _peers(step, line)
        else:
            return []
        offered += [step.observation.label_of(option) for option in options]
    if not offered or len(set(offered)) > MOST_CHOICES:
        return []
    by_words: dict[str, str] = {}
    for value in (*offered, *seen):
        by_words.setdefault(value.casefold(), value)
    return [value for value in by_words.values() if value]


def _peers(step: Step, line: Line) -> list[Line]:
    """The elements of a line's role in its group; where there is no group, under its heading."""
    page = step.observation
    group = next((other for other in page.ancestors(line) if other.role in GROUPS), None)
    if group is not None:
        return [part for part in page.subtree(group) if part.role == line.role]
    heading = page.heading_above(line)
    return [part for part in page.lines if part.role == line.role and page.heading_above(part) == heading]


def _may_be_chosen(step: Step, slot: Slot) -> bool:
    if slot[1] != "name":
        return True
    return step.target is not None and step.target.role in CHOICES


def _is_result(step: Step, before: Sequence[Step], variables: Variables) -> bool:
    """A control in a list or table, not there before something was typed: one run's search result,
    not a name that another run will find."""
    if step.target is None or step.target.role not in CHOICES or not step.action.ref:
        return False
    line = step.observation.by_ref.get(step.action.ref)
    if line is None or not step.observation.row_of(line):
        return False
    typed = [
        n for (n, key), name in variables.slots.items() if key == "text" and variables.known[name].in_goal
    ]
    first = before[typed[0]].observation if typed else None
    return first is not None and not first.matches(step.target.role, step.target.name)


def _base_name(step: Step, slot: Slot) -> str:
    """A variable's name from its field's name: `Search for a place` gives `place`."""
    if slot[1] == "name":
        group = _group_name(step)
        return slug(group) or (step.target.role if step.target else "choice")
    return slug(step.target.name if step.target else "") or "value"


def _group_name(step: Step) -> str:
    line = step.observation.by_ref.get(step.action.ref or "")
    if line is None:
        return ""
    groups = (other for other in step.observation.ancestors(line) if other.role in GROUPS)
    return next((other.name for other in groups if other.name), "")


def _result_name(variables: Variables, step: Step, slot: Slot) -> str:
    if slot[1] != "name":
        return _base_name(step, slot)
    typed = [name for name, variable in variables.known.items() if variable.in_goal]
    return f"{typed[-1]}-result" if typed else "choice"


def slug(text: str) -> str:
    """The last two telling words of a text as a variable's name (`Search for a place` gives
    `place`), or its last word where none tells (`To`); empty where there are no words."""
    words = re.findall(r"[a-z][a-z0-9]*", text.lower())
    telling = [word for word in words if word not in _STOP_WORDS]
    return "-".join(telling[-2:] or words[-1:])[:30].strip("-")
