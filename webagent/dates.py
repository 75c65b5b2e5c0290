"""Dates in other spellings: what a goal says as what a field was given before."""

import re
from collections.abc import Iterator
from datetime import date, datetime

SPELLINGS = (
    "%Y-%m-%d", "%Y/%m/%d", "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y", "%A %B %d %Y", "%A %d %B %Y",
    "%a %b %d %Y", "%a %d %b %Y",
)  # fmt: skip
"""Spellings that can be read in one way alone."""
NUMERIC = ("%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y")
"""Spellings in which an example can tell day from month, where its day is beyond the twelfth."""
_ZERO = re.compile(r"(?<!\d)0(?=\d)")
LONGEST = 5
"""Words of a date, as in `Sunday, 3rd of May 2026`."""
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)


def spelt_like(value: str, example: str) -> str | None:
    """The date that `value` means, spelt as `example` is; None where either can't be told for sure:
    `May 3, 2026` like `2025-12-24` is `2026-05-03`, `05/03/2026` like it is nothing."""
    read = _read(value, SPELLINGS)
    spelling = _spelling_of(example)
    if len(read) != 1 or spelling is None:
        return None
    return read.pop().strftime(spelling)


def is_date(text: str) -> bool:
    """Whether a text is a date in any spelling known here, and nothing else."""
    return bool(_read(text, (*SPELLINGS, *NUMERIC)))


def spellings_of(text: str) -> list[str]:
    """All days that a text may mean, in all spellings known here, with and without their year and the
    zeros before small numbers; nothing for a text that is no date."""
    spelt: list[str] = []
    for day in sorted(_read(text, (*SPELLINGS, *NUMERIC))):
        spelt += [day.strftime(one) for one in (*SPELLINGS, *NUMERIC)]
        spelt += [day.strftime(one.replace(" %Y", "")) for one in SPELLINGS if " %Y" in one]
    return list(dict.fromkeys([*spelt, *(_ZERO.sub("", one) for one in spelt)]))


def said_in(goal: str, day: str) -> str:
    """The words of a goal that mean a day which a field was given in its own spelling (`May 3, 2026` for
    `2026-05-03`); empty where none do."""
    if _spelling_of(day) is None:
        return ""
    return next((text for text in _phrases(goal) if spelt_like(text, day) == day), "")


def dates_in(text: str) -> list[str]:
    """The phrases of a text that are dates in a spelling known here, the longest first."""
    found: list[str] = []
    for phrase in _phrases(text):
        if is_date(phrase) and not any(phrase in longer for longer in found):
            found.append(phrase)
    return found


def _phrases(text: str) -> Iterator[str]:
    """All runs of words that may be a date, longest first, without punctuation around them."""
    words = list(re.finditer(r"\S+", text))
    for size in range(LONGEST, 0, -1):
        for first, last in zip(words, words[size - 1 :], strict=False):
            yield text[first.start() : last.end()].strip(",.;:?!()\"'")


def _spelling_of(example: str) -> str | None:
    fitting = [one for one in (*SPELLINGS[:2], *NUMERIC) if _read(example, (one,))]
    return fitting[0] if len(fitting) == 1 else None


def _read(text: str, spellings: tuple[str, ...]) -> set[date]:
    plain = " ".join(_ORDINAL.sub("", text).replace(",", " ").replace(" of ", " ").split())
    found = set()
    for spelling in spellings:
        try:
            found.add(datetime.strptime(plain, spelling).date())  # noqa: DTZ007 - a day, no moment
        except ValueError:
            continue
    return found
