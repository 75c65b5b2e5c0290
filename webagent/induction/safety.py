"""What may enter memory: short, single-line, no instructions, addresses or keys."""

import re

from webagent.ids import clean_text
from webagent.workflow import Workflow

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f​-‏‪-‮⁠-⁩﻿]+")

ORDERS = re.compile(
    r"\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|above|prior|all|instructions?|rules?|goal)\b"
    r"|\bsystem prompt\b|\byou (must|should now|are now)\b|\b(send|post|forward|e-?mail|upload|type|enter|reveal)\b"
    r".{0,60}\b(to|password|secret|token|api[ _-]?key|credentials?)\b.{0,40}\b(https?|@|\.com|attacker|password|secret|token|key)",
    re.IGNORECASE,
)
ADDRESSES = re.compile(
    r"\b\w+://\S+|\bwww\.\S+|[\w.+-]+@[\w-]+\.\w+|\b(sk|pk|ghp|xox[a-z])[-_][\w-]{8,}|\b[A-Fa-f0-9]{32,}\b",
    re.IGNORECASE,
)


def one_line(text: str, limit: int) -> str:
    """The text on one line, without control or invisible characters, cut to `limit`."""
    return " ".join(_CONTROL.sub(" ", clean_text(text)).split())[:limit].strip()


def safe_text(text: str, limit: int) -> str:
    """One line of an inducer's own words; empty where it reads like an order or holds an address or
    a key, since such text has no place in a routine."""
    line = one_line(text, limit * 4)
    if ORDERS.search(line) or ADDRESSES.search(line):
        return ""
    return line[:limit].strip()


def suspicious(workflow: Workflow) -> str:
    """Why a person should look at this workflow before it is used; empty where nothing is odd."""
    for step in workflow.steps:
        name = step.target.name if step.target else ""
        if ORDERS.search(name) or ADDRESSES.search(name):
            return f'a control is named like an instruction: "{one_line(name, 80)}"'
    return ""
