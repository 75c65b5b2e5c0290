"""Reading a page: milliseconds, tokens, and the share of what can be used in view that is told of."""

import re
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.measuring import (
    GYM,
    NAMES,
    OURS,
    SCRIPT,
    USE,
    Contender,
    Table,
    contenders,
    in_turns,
    median,
    tokens,
)
from benchmarks.pages import served

SIZES = (50, 1_000, 10_000)
INLINE = re.compile(r"^\s*InlineTextBox .*\n?", re.MULTILINE)
"""Lines that BrowserGym leaves in: what its authors' Chromium may not have told."""
RAW_BAR, TOKEN_BAR = 1.15, 0.5


def measure(rounds: int) -> Iterator[Table]:
    """Two tables: milliseconds, then tokens and shares."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    with served(SIZES) as pages, contenders((SCRIPT, OURS, GYM, USE)) as asked:
        for name, url in pages.items():
            found[name] = page_read(asked, url, rounds)
            sys.stderr.write(f"read: {name}\n")
    yield times(found, rounds)
    yield texts(found)


def page_read(asked: list[Contender], url: str, rounds: int) -> dict[str, dict[str, Any]]:
    """For each contender its median milliseconds, its text's tokens and its share of one page."""
    for one in asked:
        one.ask("open", url=url)
        one.ask("read")  # the first after a load costs everyone more

    def turn(one: Contender) -> Any:
        one.ask("nudge")
        return one.ask("read")

    read = in_turns(rounds, {one.name: lambda one=one: turn(one) for one in asked})
    return {one.name: result(one, read[one.name]) for one in asked}


def result(one: Contender, read: list[dict[str, Any]]) -> dict[str, Any]:
    text = read[-1]["text"]
    known, there = one.ask("share", text=text)
    return {
        "ms": median([each["ms"] for each in read]),
        "page_ms": median([each.get("page_ms", each["ms"]) for each in read]),
        "tokens": tokens(text),
        "lean": tokens(INLINE.sub("", text)),
        "told": known,
        "in view": there,
    }


def times(found: dict[str, dict[str, dict[str, Any]]], rounds: int) -> Table:
    """Milliseconds; ours with and without cutting the page to its budget."""
    rows = []
    for page, by in found.items():
        raw, ours = by[SCRIPT]["ms"], by[OURS]
        best = min(by[GYM]["ms"], by[USE]["ms"])
        row = [page, raw, ours["page_ms"], ours["ms"], by[GYM]["ms"], by[USE]["ms"]]
        rows.append([*row, f"{ours['page_ms'] / raw:.2f}", f"{ours['ms'] / best:.2f}"])
    note = (
        f"Medians of {rounds} readings, in turns, each after a small change of the page. Without screenshots and "
        "fixed waits, which the peers' agents add. "
        f"Bars: {RAW_BAR} times raw up to 1,000 elements; a third of the best peer at 10,000."
    )
    return Table(
        "Reading a page, milliseconds",
        "reading",
        ["page", "raw `aria_snapshot`", "webagent, whole page", "and cut for the prompt", NAMES[GYM], NAMES[USE],
         "webagent / raw", "cut / best peer"],
        rows,
        [note],
        {page: {name: one["ms"] for name, one in by.items()} | {"page": by[OURS]["page_ms"]} for page, by in found.items()},
    )  # fmt: skip


def texts(found: dict[str, dict[str, dict[str, Any]]]) -> Table:
    """Tokens and shares."""
    order = (SCRIPT, OURS, GYM, USE)
    rows = []
    for page, by in found.items():
        cells = [f"{by[name]['tokens']:,} ({by[name]['told']}/{by[name]['in view']})" for name in order]
        ratios = [by[OURS]["tokens"] / by[GYM][kind] for kind in ("tokens", "lean")]
        rows.append([page, *cells, *(f"{ratio:.2f}" for ratio in ratios)])
    note = (
        "Tokens by o200k_base; in brackets how many of the elements in view that HTML makes usable (links, buttons, fields, "
        "roles, tabindex, onclick) the text names so that they can be used. webagent's text is cut to its default "
        f"4,000 tokens (its own count), browser-use's to 40,000 characters. Bar: {TOKEN_BAR} of BrowserGym's, with all in view. "
        "Of BrowserGym's lines up to a third are InlineTextBox lines, which repeat the text above them and which "
        "other versions of Chromium may leave out, so the ratio is given without them too."
    )
    return Table(
        "Reading a page, tokens and what can be used in view",
        "reading",
        ["page", "raw `aria_snapshot`", *(NAMES[name] for name in order[1:]), "webagent / BrowserGym",
         "without its InlineTextBox lines"],
        rows,
        [note],
        found,
    )  # fmt: skip
