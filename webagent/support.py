"""Whether what a run saw bears its answer out: the observation and the line that say it.

An answer is *supported* where an observation of the run says it: word for word (case, punctuation and
currency signs apart; numbers and dates in any spelling), or each part of a list somewhere, or, of a
sentence, every fact in it: the numbers, names and quoted words that the goal did not say already. It is
*derived* (`supported` None) where no page could say it: yes or no, a number that the goal asks to be
counted or reckoned, N/A, a report that something was done. All other answers are *unsupported*: the model
had them from elsewhere."""

import hashlib
import re
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from webagent.dates import dates_in, spellings_of
from webagent.observation import Line, Observation
from webagent.trajectory import Trajectory
from webagent.words import COMMON

SHORT = 6
"""Words up to which all of an answer is taken for facts."""
LONGEST_LINE = 400
"""Characters of a line that are kept."""
LONG_NUMBER = 7
"""Digits from which on a number is looked for however it is set."""

_TOKEN = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*|[^\W\d_]+")
_PARTS = re.compile(r"\s*(?:[,;|•\n]|\band\b|\bund\b|\s/\s|\s[-–—]\s|&)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!\A)\b[A-ZÀ-ÞА-Я](?:[\w'’-]*[a-zß-ÿа-я][\w'’-]*|[\w'’-]{3,})")
_QUOTED = re.compile(r"[\"“„«‘]([^\"“”„«»‘’]{1,200})[\"”“»’]")
_YES_NO = re.compile(
    r"(?:yes|no|true|false|none|nothing|nobody|never|n/?a|not (?:found|available|applicable|possible)|unknown|ja|nein|oui|non|"
    r"sí|si|não|sim|done|ok(?:ay)?|success(?:ful(?:ly)?)?|no (?:results?|matches|such \w+|\w+ (?:found|available)))[.!]?",
    re.IGNORECASE,
)
_RECKONED = re.compile(
    r"\bhow (?:many|much (?:more|less|cheaper|longer|higher|lower))\b|\b(?:number of|total|sum|average|mean|median|"
    r"difference|percentage|ratio|combined|altogether|in all|count|counting|wie viele|anzahl|summe|gesamt|durchschnitt|"
    r"combien de|cuánt[oa]s|quant[ei]|quantos)\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"\b(?:added|removed|deleted|created|changed|updated|saved|set|submitted|sent|posted|placed|ordered|booked|bought|"
    r"cancell?ed|uploaded|downloaded|subscribed|registered|logged|opened|closed|merged|completed?|finished|done|seen|viewed|visited|looked|read|shown|"
    r"clicked|pressed|typed|selected|searched|scrolled|moved|dragged|played|solved|reached|"
    r"successful(?:ly)?|unable|could ?n[o']t|cannot|can't|impossible|no longer|there (?:is|are) no)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Support:
    """`supported` is None where the answer is derived; `url` and `observation` (its text's hash) say where the
    first `line` that bears it out was seen, empty where there is none."""

    supported: bool | None
    url: str = ""
    line: str = ""
    observation: str = ""

    @property
    def word(self) -> str:
        """supported, derived or unsupported."""
        return {True: "supported", None: "derived", False: "unsupported"}[self.supported]

    def as_object(self) -> dict[str, str] | None:
        """The evidence as programs read it; None where there is no line."""
        return {"url": self.url, "line": self.line, "observation": self.observation} if self.line else None


def support_of(trajectory: Trajectory) -> Support | None:
    """What bears the run's answer out; None where it gave none, or no page of it was kept."""
    answer = (trajectory.answer or "").strip()
    seen = _observations(trajectory)
    if not answer or not any(seen):
        return None
    found = _said(answer, seen) or _listed(answer, seen)
    if found is not None:
        return found
    if _YES_NO.fullmatch(answer):
        return Support(None)
    return _facts_supported(answer, trajectory.goal, seen)


def text_hash(page: Observation) -> str:
    """The hash that the text of a page is stored under."""
    return hashlib.sha256(page.page_text.encode()).hexdigest()[:20]


class _Seen:
    """One observation, as its words can be looked up, one after the other, over the ends of lines too."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation

    @cached_property
    def _lines(self) -> Sequence[tuple[str, Line | str]]:
        """What each line says, and the line."""
        page = self.observation
        found: list[tuple[str, Line | str]] = [(line.words, line) for line in page.lines]
        found += [(event, f"- event: {event}") for event in page.events]
        if page.dialog is not None:
            said = f"{page.dialog.message} {page.dialog.default}"
            found.append((said, f"- dialog: {said}"))
        return [one for one in (*found, (page.title, f"title: {page.title}"), (page.url, page.url)) if one[0]]

    @cached_property
    def _words(self) -> tuple[str, list[int]]:
        """All words and numbers, a blank between them, and where those of each line begin."""
        texts = "\n".join(text.replace("\n", " ") for text, _ in self._lines)
        parts = [" ".join(_spelt(line)) for line in _folded(texts).split("\n")]
        return f" {' '.join(parts)} ", list(accumulate((len(part) + 1 for part in parts), initial=1))

    def __bool__(self) -> bool:
        return bool(self._lines)

    def find(self, words: str) -> str:
        """The line, or lines, where these words stand next to each other; empty where they do nowhere."""
        everything, begins = self._words
        at = everything.find(words)
        if at < 0:
            return ""
        first, last = bisect(begins, at + 1) - 1, bisect(begins, at + len(words) - 1) - 1
        if first == last:
            return _quoted(self._lines[first][1])
        return " ".join(text for text, _ in self._lines[first : last + 1])

    def digits(self, digits: str) -> str:
        """The line in which these digits follow each other, whatever stands between them."""
        lines = (line for text, line in self._lines if digits in re.sub(r"\D", "", text))
        return next(map(_quoted, lines), "")


def _quoted(line: Line | str) -> str:
    """The line without what means nothing another day."""
    return line if isinstance(line, str) else replace(line, ref="", states=(), opens=False, depth=0).render()


def _observations(trajectory: Trajectory) -> list[_Seen]:
    """Every page once, newest first."""
    pages = [trajectory.final] if trajectory.final else []
    pages += [step.observation for step in reversed(trajectory.steps)]
    return [_Seen(page) for page in {(page.hash, page.events): page for page in pages}.values()]


def _said(text: str, seen: Sequence[_Seen]) -> Support | None:
    """A text that an observation says, in this or another spelling of a date."""
    for spelt in (text, *spellings_of(text)):
        words = _spaced(spelt)
        if not words.strip():
            continue
        digits = _long_number(spelt)
        for one in seen:
            line = one.find(words) or (one.digits(digits) if digits else "")
            if line:
                page = one.observation
                return Support(True, page.url, line[:LONGEST_LINE], text_hash(page))
    return None


def _long_number(text: str) -> str:
    """The digits of a long number, such as a phone's; empty for any other text."""
    digits = re.sub(r"\D", "", text)
    return "" if len(digits) < LONG_NUMBER or re.search(r"[^\W\d_]", text) else digits


def _listed(answer: str, seen: Sequence[_Seen]) -> Support | None:
    """A list each of whose parts is said somewhere."""
    parts = [part for part in _PARTS.split(answer) if _spaced(part).strip()]
    if len(parts) < 2:
        return None
    found = [_said(part, seen) for part in parts]
    if not all(found):
        return None
    return next(one for one in found if one is not None)


def _facts_supported(answer: str, goal: str, seen: Sequence[_Seen]) -> Support:
    known = set(_tokens(goal))
    facts = [fact for fact in _facts(answer) if not set(_tokens(fact)) <= known]
    reckoned = _RECKONED.search(goal) is not None
    if reckoned:
        facts = [fact for fact in facts if not fact[0].isdigit()]
    if not facts:
        return Support(None if reckoned or _REPORT.search(answer) or not _is_short(answer) else False)
    found = [_said(fact, seen) for fact in facts]
    if all(found):
        first = next(one for one in found if one is not None)
        return Support(None) if reckoned else first
    if _REPORT.search(answer) and not any(char.isdigit() for char in answer) and not _QUOTED.search(answer):
        return Support(None)
    return Support(False)


def _facts(answer: str) -> Iterator[str]:
    """What of an answer can be looked up: its dates, numbers, names and quoted words; all words of a short
    one without a number."""
    if _is_short(answer) and not re.search(r"\d", answer):
        yield from (token for token in _TOKEN.findall(answer) if token.casefold() not in COMMON)
        return
    for day in dates_in(answer):
        yield day
        answer = answer.replace(day, " ", 1)
    yield from (found[0] for found in _NUMBER.finditer(answer))
    yield from _QUOTED.findall(answer)
    yield from _NAME.findall(_QUOTED.sub(" ", answer))


def _is_short(answer: str) -> bool:
    return len(_TOKEN.findall(answer)) <= SHORT


def _spaced(text: str) -> str:
    """The words and numbers of a text, one blank before, between and after them."""
    return f" {' '.join(_tokens(text))} "


def _tokens(text: str) -> list[str]:
    return _spelt(_folded(text))


def _folded(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _spelt(folded: str) -> list[str]:
    return [token if token.isalnum() else _number(token) for token in _TOKEN.findall(folded)]


def _number(token: str) -> str:
    """A number in one spelling: `1,234.50`, `1.234,50` and `1234.5` are the same, `02139` keeps its zero."""
    token = re.sub(r"['’\s]", "", token)
    marks = re.findall(r"[.,]", token)
    if not marks:
        return token
    last = marks[-1]
    grouped = re.fullmatch(r"\d{1,3}(,\d{3})+|\d{1,3}(\.\d{3}){2,}", token) is not None
    if grouped or (len(marks) > 1 and len(set(marks)) == 1):
        return re.sub(r"[.,]", "", token) if grouped else token
    whole, _, part = token.rpartition(last)
    part = part.rstrip("0")
    return re.sub(r"[.,]", "", whole) + (f".{part}" if part else "")
