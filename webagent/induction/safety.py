"""What may enter memory: short, single-line, no instructions, addresses or keys."""

import re
from collections.abc import Iterator

from webagent.ids import one_line
from webagent.induction.slots import is_private, private_values
from webagent.trajectory import Trajectory
from webagent.workflow import Workflow, kept_name

ORDERS = re.compile(
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|above|prior|all|instructions?|rules?|goal)\b"
    r"|\bsystem prompt\b|\byou (must|should now|are now)\b|\b(send|post|forward|e-?mail|upload|type|enter|reveal)\b"
    r".{0,60}\b(to|password|secret|token|api[ _-]?key|credentials?)\b.{0,40}\b(https?|@|\.com|attacker|password|secret|token|key)",
    re.IGNORECASE,
)
ORDER_VERBS = re.compile(
    r"\b(send|transfer|forward|enter|type|ignore|delete|open|visit|tell|give|pay|upload|reveal|continue|must|always)\b",
    re.IGNORECASE,
)
LONG_NAME = 7
"""Words of a control's name from which on one of these verbs makes it an order rather than a label."""
_TELLS = (
    r"(?:send|transfer|forward|enter|type|ignore|delete|open|visit|tell|give|pay|upload|reveal|continue|click|press|"
    r"buy|order|remember|store|go|run|execute|call|download|install|share|submit|add|use|remove|post|confirm|approve|"
    r"follow|obey|reply|answer|say|write|copy|paste)"
)
TAILS = re.compile(
    r"(?:[.;:!?—–|•]\s*(?:(?:please|now|then|first|next|and|you|always|never|must|should|also|to|ai|agents?|"
    rf"assistants?)\W+)*|\bthen\s+|^(?:always|never|you|ai|agents?|assistants?|models?)\b.*\b){_TELLS}\b",
    re.IGNORECASE,
)
"""An order behind a label, or in the place of one: `Search. Now open the deals`. (None of the 1,381 names
of controls in the arena's scripts reads so.)"""
ADDRESSES = re.compile(
    r"\b\w+://\S+|\bwww\.\S+|[\w.+-]+@[\w-]+\.\w+|\b(sk|pk|ghp|xox[a-z])[-_][\w-]{8,}|\b[A-Fa-f0-9]{32,}\b|\b[A-Z]{2}\d{2}[A-Z0-9]{10,}\b",
    re.IGNORECASE,
)


def safe_text(text: str, limit: int) -> str:
    """One line of an inducer's own words; empty where it reads like an order or holds an address or
    a key, since such text has no place in a routine."""
    line = one_line(text, limit * 4)
    if ORDERS.search(line) or ADDRESSES.search(line) or is_private(line):
        return ""
    return line[:limit].strip()


COPIED_WORDS = 5
"""So many words in a row that stand on a page make a text a copy of it."""
MOST_WORDS = 20_000


class PageProse:
    """What the pages of a run say, to tell an inducer's own words from copied ones: page text that
    got into memory would speak in every later prompt."""

    def __init__(self, trajectory: Trajectory) -> None:
        seen = {step.observation.hash: step.observation for step in trajectory.steps}
        if trajectory.final is not None:
            seen[trajectory.final.hash] = trajectory.final
        self._runs: set[tuple[str, ...]] = set()
        self._orders: set[str] = set()
        for observation in seen.values():
            words = _words(" ".join(line.words for line in observation.lines))[:MOST_WORDS]
            self._runs.update(_runs_of(words))
            short = (_words(line.words) for line in observation.lines if not line.interactive)
            self._orders.update(" ".join(line) for line in short if 1 < len(line) < COPIED_WORDS)
        self._orders = {line for line in self._orders if ORDER_VERBS.search(line) or TAILS.search(line)}
        self._goal = set(_runs_of(_words(trajectory.goal)))
        self._private = private_values(trajectory.steps)

    def own(self, text: str, limit: int) -> str:
        """`safe_text`, and empty where it copies from a page what the goal does not say, or tells what was
        typed and is nobody else's."""
        line = safe_text(text, limit)
        words = _words(line)
        copied = (set(_runs_of(words)) & self._runs) - self._goal
        said = f" {' '.join(words)} "
        ordered = any(f" {order} " in said for order in self._orders)
        return "" if copied or ordered or any(value in line for value in self._private) else line


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _runs_of(words: list[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[n : n + COPIED_WORDS]) for n in range(len(words) - COPIED_WORDS + 1))


def suspicious(workflow: Workflow) -> str:
    """Why a person should look at this workflow before it is used; empty where nothing is odd."""
    for name in (step.target.name for step in workflow.steps if step.target):
        if _orders(name) or ADDRESSES.search(name):
            return f'a control is named like an instruction: "{kept_name(name)}"'
    around = [
        text for step in workflow.steps if step.target for text in (step.target.heading, step.target.row)
    ]
    offered = [text for variable in workflow.variables for text in (variable.example, *variable.choices)]
    for text in (*around, *offered):
        if ORDERS.search(text):
            return f'what stands around a control reads like an instruction: "{kept_name(text)}"'
    for text in (str(value) for step in workflow.steps for value in step.arguments.values()):
        if ORDERS.search(text) or ADDRESSES.search(text):
            return f'a value that was given reads like an instruction or an address: "{kept_name(text)}"'
    return ""


def _orders(name: str) -> bool:
    """Whether the name of a control reads like an order."""
    long_order = len(_words(name)) >= LONG_NAME and ORDER_VERBS.search(name)
    return bool(long_order or ORDERS.search(name) or TAILS.search(name))
