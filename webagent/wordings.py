"""Wordings: what goals that mean the same have in common, whatever polite or asking words they begin
with."""

import re

QUOTES = "\"'“”‘’«»`"

_POLITE = re.compile(
    r"(?:please|kindly|hey|hi|hello|ok|okay|so|(?:can|could|would|will) you|do you know|i wonder|let me know|"
    r"(?:tell|show|give) me|help me(?: to)?|i(?:'d|’d| would)? (?:need|want|like)(?: you)?(?: to)?(?: know)?)"
    r"(?:\s*[,:]\s*|\s+)",
    re.IGNORECASE,
)
_THANKS = re.compile(r"(?:\s*,\s*|\s+)(?:please|thanks|thank you|thx|for me)[.!?\s]*$", re.IGNORECASE)
_ASKING = re.compile(
    r"(?:what(?:['’]?s| is| are)|which is|find(?: out)?|look ?up|get|search(?: for)?|check|read|retrieve|know)\s+",
    re.IGNORECASE,
)
_INDIRECT = re.compile(r"(?:what|which)\s+(.+)\s+(?:is|are)", re.IGNORECASE | re.DOTALL)
_TURNED = re.compile(r"(where|when)\s+(.+?)\s+(is|are)\b(.*)", re.IGNORECASE | re.DOTALL)
_ENDING = ".?! \n\t"


def trimmed(text: str) -> str:
    """A goal without the punctuation at its end, white space folded."""
    return " ".join(text.split()).rstrip(_ENDING)


def without_politeness(text: str) -> str:
    """`Could you please tell me the price, thanks!` gives `the price`."""
    text = trimmed(text)
    while (found := _THANKS.search(text)) and found.start():
        text = trimmed(text[: found.start()])
    while (found := _POLITE.match(text)) and found.end() < len(text):
        text = text[found.end() :]
    return text


def what_is_asked(text: str) -> str:
    """A question or a request to look something up as the thing asked for: `what's the price of {x}?`
    and `find price of {x}` differ in an article alone."""
    text = without_politeness(text)
    while True:
        asking, indirect, turned = _ASKING.match(text), _INDIRECT.fullmatch(text), _TURNED.fullmatch(text)
        if asking and asking.end() < len(text):
            text = text[asking.end() :]
        elif indirect:
            text = indirect[1]
        elif turned:
            return f"{turned[1]} {turned[3]} {turned[2]}{turned[4]}"
        else:
            return text
