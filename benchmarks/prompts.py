"""Prompts along a task: how large they get, and how much of each a provider's prefix cache can serve."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from benchmarks.measuring import OURS, TOKENIZER, Contender, Table, contenders, median, tokens
from benchmarks.pages import ARENA, served
from tests.endpoint import Request, ScriptedEndpoint, observation_of

BAR = 0.85
FROM = 3
"""The bar holds from this step on."""
COUNT = 15
LINK = re.compile(r'link "([^"]+)" \[ref=(\w+)\]')


def measure(rounds: int) -> Iterator[Table]:
    """One table; what is counted is the same each time, so once is enough."""
    with served((), ARENA) as pages, contenders((OURS,)) as (ours,):
        yield table({name: prompts(ours, url) for name, url in pages.items()})


def prompts(ours: Contender, url: str) -> list[str]:
    """The prompts of a run that opens one link after the other on a site."""
    known: set[str] = set()

    def act(request: Request) -> Any:
        if len(endpoint.acts) >= COUNT:
            return [("stop", {"answer": "seen", "thought": "That was all there is to see."})]
        for name, ref in LINK.findall(observation_of(request)):
            if name not in known:
                known.add(name)
                return [("click", {"ref": ref, "thought": f"What the goal asks for may be behind {name}."})]
        return [("back", {"thought": "Nothing new here, so back to where there was more."})]

    with ScriptedEndpoint(act) as endpoint:
        ours.ask("task", url=url, steps=[], endpoint=endpoint.base_url)
        return [text_of(request) for request in endpoint.acts]


def text_of(request: Mapping[str, Any]) -> str:
    """A request in the order in which a provider's cache compares it."""
    return json.dumps([request.get("tools"), request["messages"]], ensure_ascii=False)


def prefix(one: str, other: str) -> int:
    """Characters that two prompts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def shares(texts: list[str]) -> list[float]:
    """For each prompt but the first, the share of its tokens that it begins with like the one before."""
    return [tokens(now[: prefix(before, now)]) / tokens(now) for before, now in pairwise(texts)]


def table(found: Mapping[str, list[str]]) -> Table:
    rows = []
    figures = {}
    for name, texts in found.items():
        sizes, share = [tokens(text) for text in texts], shares(texts)
        late = share[FROM - 2 :]
        rows.append(
            [name, len(texts), *(sizes[n] for n in (0, 2, 7, -1)), f"{min(late):.0%}", f"{median(late):.0%}"]
        )
        figures[name] = {"tokens": sizes, "shares": share}
    note = (
        f"A run that opens one link after the other. Tokens of tools and messages by {TOKENIZER}. The stable prefix is the share of "
        f"a prompt that it begins with like the one before. Bar: {BAR:.0%} of each from step {FROM} on."
    )
    return Table(
        f"Prompts of {COUNT} steps",
        "prompts",
        ["site", "prompts", "tokens, 1st", "3rd", "8th", "last", "least stable prefix from the 3rd", "median"],
        rows,
        [note],
        figures,
    )  # fmt: skip
