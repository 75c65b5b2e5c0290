"""Takes a secret out of texts, however it is spelt there."""

import html
import json
import re
from collections.abc import Callable
from urllib.parse import quote, quote_plus

MASK = "••••••••"
"""What is kept of text that went into a password field."""
SHORT = 4
"""A secret of fewer characters is taken out as a whole word only: it would blot out half of a text."""

Masker = Callable[[str], str]


def masker(secret: str) -> Masker:
    """A function that replaces a secret: as it is, in URLs, in JSON and in HTML."""
    spellings = {
        secret,
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        html.escape(secret),
    }
    any_of = "|".join(
        re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True) if spelling
    )
    if not any_of:
        return str
    pattern = re.compile(rf"(?<!\w)(?:{any_of})(?!\w)" if len(secret) < SHORT else any_of)
    return lambda text: pattern.sub(MASK, text)
