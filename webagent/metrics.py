"""Scores: an answer, a URL, a page's content or a JSON value against what a task expects.

Two families. Our own tests (`answer_score`, `includes_score`, `matches_score`, `url_score`,
`contents_score`, `json_score`) forgive how an answer is written and are strict about what it says.
WebArena's (`string_match`, `url_match`, `html_match`) give the official evaluators' scores
(https://github.com/web-arena-x/webarena, evaluation_harness/evaluators.py), quirks included; where
those ask an LLM, or run a helper that we lack, the score is undecided."""

import html
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qs, urljoin, urlsplit

from webagent.ids import scope_of

OR = " |OR| "
References = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class Score:
    """0 to 1, or None where it can't be decided by rule; `reason` is one line."""

    value: float | None
    reason: str


def combine(scores: Iterable[Score]) -> Score:
    """All must hold: the product. A zero decides even where another score is undecided."""
    given = list(scores)
    if not given:
        return Score(None, "nothing to test")
    for wanted in (0.0, None):
        for score in given:
            if score.value == wanted:
                return score
    value = math.prod(score.value for score in given if score.value is not None)
    return Score(value, "; ".join(score.reason for score in given))


def quoted(text: str, limit: int = 80) -> str:
    """A text in quotes, on one line, shortened: as reasons give it."""
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 1] + "…")


def _score(holds: bool, test: str, got: str) -> Score:
    return Score(float(holds), f"{test}: {'holds' if holds else f'got {got}'}")


# --- our own tests -----------------------------------------------------------------------------

_QUOTES = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—−", '\'\'\'\'""""""------')
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")


def normalise(text: str) -> str:
    """An answer without what does not matter: Unicode form, case, runs of white space, typographic
    quotes and dashes, quotes around it, a full stop or exclamation mark at its end, commas that
    group thousands. Articles and punctuation inside stay: they tell answers apart."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    whole = text = " ".join(text.split())
    before = ""
    while text != before:
        before = text
        text = text.rstrip(".!;,").strip()
        for quote in "\"'`":
            if len(text) > 1 and text[0] == text[-1] == quote:
                text = text[1:-1].strip()
    # Of a mere "!" or "..." something must be left: nothing would be in every text.
    return _THOUSANDS.sub(lambda found: found[0].replace(",", ""), text) or whole


def includes(part: str, text: str) -> bool:
    """Whether a normalised text has the other in it; a number is not found inside a longer one."""
    part = normalise(part)
    before = r"(?<!\d)(?<!\d[.,])" if part[:1].isdigit() else ""
    after = r"(?!\d)(?![.,]\d)" if part[-1:].isdigit() else ""
    return re.search(f"{before}{re.escape(part)}{after}", normalise(text)) is not None


def answer_score(expected: Sequence[str], answer: str | None) -> Score:
    """1 where the normalised answer is one of those expected."""
    test = f"answer {' or '.join(quoted(text) for text in expected)}"
    if answer is None:
        return Score(0.0, f"{test}: no answer was given")
    return _score(normalise(answer) in {normalise(text) for text in expected}, test, quoted(answer))


def includes_score(expected: Sequence[str], answer: str | None) -> Score:
    """1 where each text (`a |OR| b`: one of the two) is in the answer."""
    return contents_score(expected, answer, "answer_includes", "no answer was given")


def contents_score(expected: Sequence[str], text: str | None, test: str, absent: str = "nothing") -> Score:
    """1 where each text is in `text`; the first that is not is named."""
    for part in expected:
        if text is None:
            return Score(0.0, f"{test} {quoted(part)}: {absent}")
        if not any(includes(choice, text) for choice in part.split(OR)):
            return Score(0.0, f"{test} {quoted(part)}: got {quoted(text)}")
    return Score(1.0, f"{test}: holds")


def matches_score(pattern: str, answer: str | None) -> Score:
    """1 where the regular expression is found in the answer as given (`^`, `$`, `(?i)` as wanted)."""
    test = f"answer_matches {quoted(pattern)}"
    if answer is None:
        return Score(0.0, f"{test}: no answer was given")
    return _score(re.search(pattern, answer.strip()) is not None, test, quoted(answer))


_BARE_HOST = re.compile(r"[^/?#\s]+:\d+(?=[/?#]|$)|localhost(?=/|$)|[\w-]+(\.[\w-]+)+(?=/)")


def url_score(expected: str, url: str, base_url: str = "") -> Score:
    """1 where the URL is one of those expected (`a |OR| b`): same host (as memory tells hosts
    apart: no scheme, no `www.`, no port where names differ), same path but for a slash at its end,
    each query parameter of the expected one with its values, in any order, others allowed; the
    fragment only where one is expected. A path is taken from `base_url`."""
    got = _split(url)
    holds = any(_same_url(_absolute(choice.strip(), base_url), got) for choice in expected.split("|OR|"))
    return _score(holds, f"url {quoted(expected, 200)}", quoted(url, 200))


def _split(url: str) -> SplitResult:
    """The parts of a URL; all empty where it is broken."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _absolute(expected: str, base_url: str) -> SplitResult:
    if _BARE_HOST.match(expected):
        return urlsplit(f"//{expected}")
    if expected.startswith("/") and urlsplit(base_url).path.strip("/"):
        return urlsplit(base_url.rstrip("/") + expected)
    return urlsplit(urljoin(base_url, expected))


def _same_url(expected: SplitResult, got: SplitResult) -> bool:
    if expected.netloc:
        scheme = got.scheme if not expected.scheme else expected.scheme
        if scope_of(f"{scheme}://{expected.netloc}") != scope_of(got.geturl()):
            return False
    if expected.path.rstrip("/") != got.path.rstrip("/"):
        return False
    wanted = parse_qs(expected.query, keep_blank_values=True)
    there = parse_qs(got.query, keep_blank_values=True)
    if any(sorted(values) != sorted(there.get(key, [])) for key, values in wanted.items()):
        return False
    return not expected.fragment or expected.fragment == got.fragment


def json_score(expected: Any, value: Any, test: str = "json") -> Score:
    """1 where `value` has all that is expected: objects may have more keys, lists must be as long
    and in the same order, all else equal (true is not 1, "1" is not 1)."""
    return _score(_has(expected, value), f"{test} {_short(expected)}", _short(value))


def _short(value: Any, limit: int = 120) -> str:
    written = json.dumps(value, ensure_ascii=False, default=str)
    return written if len(written) <= limit else written[: limit - 1] + "…"


def _has(expected: Any, value: Any) -> bool:
    if isinstance(expected, Mapping):
        return isinstance(value, Mapping) and all(
            key in value and _has(content, value[key]) for key, content in expected.items()
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(expected) == len(value)
            and all(_has(*pair) for pair in zip(expected, value, strict=True))
        )
    if isinstance(expected, bool) or isinstance(value, bool):
        return expected is value
    return bool(expected == value)


# --- WebArena's evaluators ---------------------------------------------------------------------


def clean_answer(text: str) -> str:
    """White space around it and one pair of quotes go, case goes."""
    text = text.strip()
    for quote in "'\"":
        if text.startswith(quote) and text.endswith(quote):
            return text[1:-1].lower()
    return text.lower()


def exact_match(reference: str, text: str) -> bool:
    """Equal after `clean_answer`."""
    return clean_answer(reference) == clean_answer(text)


def must_include(reference: str, text: str, *, tokenize: bool = False) -> bool:
    """The reference is in the text; with `tokenize`, a reference of one character must be a word of
    its own (0 is not in 10). ` |OR| ` between alternatives, as for page contents."""
    cleaned = clean_answer(text)
    for choice in reference.split(OR):
        part = clean_answer(choice)
        found = part in _tokens(cleaned) if tokenize and len(part) == 1 else part in cleaned
        if found:
            return True
    return False


_SENTENCE_STOP = re.compile(r"([\w%)\]}>\"'])([.])(?=\s+[^\sa-z]|[\])}>\"'\s]*$)")
_SEPARATE = re.compile(
    r"\.{2,}|[;@#$%&?!*\[\](){}<>\"`«»“”„‘]|--|[:,](?=\D|$)"
    r"|'(?:s|m|d|ll|re|ve)(?=\W|$)|'(?=\W|$)|'(?=(?!m|t|s|d|n)\w\b)"
)


def _tokens(text: str) -> list[str]:
    """Words as nltk's `word_tokenize` splits lower-case English, as far as one character alone is
    concerned: a number keeps its decimal point, and its full stop before a lower-case word."""
    text = _SENTENCE_STOP.sub(r"\1 \2 ", text)
    return _SEPARATE.sub(lambda found: f" {found[0]} ", text).split()


def string_match(references: References, answer: str | None, note: str = "") -> Score:
    """WebArena's `string_match` over its `reference_answers`. Undecided where the official one asks
    an LLM: a `fuzzy_match` that is not literally there, an "N/A" (`note`: the reason expected)."""
    given = clean_answer(answer or "")
    return combine(_approach(name, value, given, note) for name, value in references.items())


def _approach(name: str, value: str | Sequence[str], answer: str, note: str) -> Score:
    wanted = [value] if isinstance(value, str) else list(value)
    if name in ("exact_match", "one_of"):
        test = f"{name} {' or '.join(quoted(part) for part in wanted)}"
        return _score(any(exact_match(part, answer) for part in wanted), test, quoted(answer))
    if name == "must_include":
        alone = len(wanted) == 1
        missing = [part for part in wanted if not must_include(part, answer, tokenize=alone)]
        return _score(not missing, f"must_include {quoted((missing or wanted or [''])[0])}", quoted(answer))
    if name == "must_exclude":
        alone = len(wanted) == 1
        there = [part for part in wanted if must_include(part, answer, tokenize=alone)]
        return _score(not there, f"must_exclude {quoted((there or wanted or [''])[0])}", quoted(answer))
    if name == "fuzzy_match":
        if value == "N/A":
            return _unachievable(answer, note)
        return combine(fuzzy_match(part, answer) for part in wanted)
    return Score(None, f"undecided: {name!r:.40} is no approach of string_match that can be decided by rule")


def fuzzy_match(reference: str, answer: str) -> Score:
    """Decided where the answer is empty or the reference itself; else it takes an LLM."""
    test = f"fuzzy_match {quoted(reference, 200)}"
    if not answer:
        return _score(not reference, test, "no answer")
    if normalise(reference) == normalise(answer):
        return Score(1.0, f"{test}: holds")
    return Score(None, f"undecided: {test} takes an LLM; got {quoted(answer)}")


def _unachievable(answer: str, note: str) -> Score:
    if exact_match("N/A", answer):
        return Score(1.0, "fuzzy_match 'N/A': holds")
    why = f" because {quoted(note, 200)}" if note else ""
    return Score(None, f"undecided: whether the answer says that it can't be done{why}; got {quoted(answer)}")


def url_match(reference: str, url: str, rule: str = "GOLD in PRED") -> Score:
    """WebArena's `url_match`: the host and path of a reference (` |OR| ` between several) is in that
    of the URL, and each query parameter that the references name has one of their values."""
    test = f"url_match {quoted(reference, 200)}"
    choices = [choice.rstrip("/") for choice in reference.split(OR)]
    got = url.rstrip("/")
    if rule == "EXACT":  # VisualWebArena's
        return _score(got in choices, test, quoted(url, 200))
    if rule != "GOLD in PRED":
        return Score(None, f"undecided: unknown url_note {rule!r:.60}")
    wanted: dict[str, set[str]] = {}
    for choice in choices:
        for key, values in parse_qs(_split(choice).query).items():
            wanted.setdefault(key, set()).update(values)
    there = parse_qs(_split(got).query)
    holds = any(_host_and_path(choice) in _host_and_path(got) for choice in choices) and all(
        values.intersection(there.get(key, [])) for key, values in wanted.items()
    )
    return _score(holds, test, quoted(url, 200))


def _host_and_path(url: str) -> str:
    parts = _split(url)
    return (parts.netloc + parts.path).rstrip("/")


def html_match(required: References, content: str) -> Score:
    """WebArena's `required_contents` against what a locator gave: `exact_match` or, where that is
    not there, `must_include` (` |OR| ` between alternatives); entities are decoded first."""
    content = html.unescape(content)
    if "exact_match" in required:
        value = required["exact_match"]
        wanted = value if isinstance(value, str) else " ".join(value)
        return _score(exact_match(wanted, content), f"exact_match {quoted(wanted)}", quoted(content))
    name = "must_include" if "must_include" in required else "must_exclude"
    if name not in required:
        return Score(None, f"undecided: required_contents {', '.join(map(repr, required))} is not known")
    value = required[name]
    parts = [value] if isinstance(value, str) else list(value)
    wrong = [part for part in parts if must_include(part, content) == (name == "must_exclude")]
    return _score(not wrong, f"{name} {quoted((wrong or parts or [''])[0])}", quoted(content))


_POST_URL = re.compile(r"""\s*reddit_get_post_url\(\s*['"]__last_url__['"]\s*\)\s*""")
_MEMBER_ROLE = re.compile(
    r"""\s*gitlab_get_project_memeber_role\(\s*__page__\s*,\s*['"]([^'"]*)['"]\s*\)\s*"""
)


def helper_url(program: str, last_url: str) -> str | None:
    """The address that a `func:` URL of `program_html` stands for; None for helpers that need what
    we don't have (a shop's administrator account)."""
    if not _POST_URL.fullmatch(program.removeprefix("func:")):
        return None
    parts = urlsplit(last_url)
    names = parts.path.split("/")
    if len(names) < 4 or names[1] != "f":
        return last_url
    return f"{parts.scheme}://{parts.netloc}/f/{names[2]}/{names[3]}/"


def helper_script(program: str) -> str | None:
    """The script that a `func:` locator of `program_html` stands for, or None as above."""
    found = _MEMBER_ROLE.fullmatch(program.removeprefix("func:"))
    if found is None:
        return None
    return (
        "(() => { const names = [...document.querySelectorAll("
        "\"td[data-label='Account'] span.gl-avatar-labeled-sublabel\")];"
        f" const n = names.findIndex(name => name.outerText === {json.dumps('@' + found[1])});"
        ' return document.querySelectorAll("td.col-max-role span")[n].outerText; })()'
    )
