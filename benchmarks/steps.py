"""A whole task with an endpoint that answers at once: what a step costs besides the model, and memory."""

import json
from collections.abc import Iterator
from typing import Any

from benchmarks import trip
from benchmarks.measuring import (
    GYM,
    NAMES,
    OURS,
    SCRIPT,
    USE,
    Contender,
    Peak,
    Table,
    contenders,
    in_turns,
    median,
    tokens,
)  # fmt: skip
from tests.endpoint import ScriptedEndpoint
from webagent.sites import site_url

SCRIPT_BAR = 1.3
UNWAITED = "browsergym, no fixed wait"
LABELS = {
    **NAMES,
    UNWAITED: "BrowserGym without its fixed wait",
    SCRIPT: "hand-written script, same settling",
}


def measure(rounds: int) -> Iterator[Table]:
    """One table."""
    with site_url("maps") as url, contenders((SCRIPT, OURS, GYM, USE)) as asked:
        by = {one.name: one for one in asked}
        turns = {name: lambda one=one: carried_out(one, url) for name, one in by.items()}
        turns[UNWAITED] = lambda: carried_out(by[GYM], url, delay=0)
        for turn in turns.values():
            turn()  # warms up
        found = in_turns(rounds, turns)
    if len({one["answer"] for each in found.values() for one in each}) != 1:
        raise SystemExit(f"different answers: {[(name, each[0]['answer']) for name, each in found.items()]}")
    yield table(found, rounds)


def carried_out(one: Contender, url: str, **more: Any) -> dict[str, Any]:
    """Milliseconds a step, memory, and tokens of the prompts of one run."""
    script = trip.SCRIPTS.get(one.name)
    if script is None:
        with Peak(one.process.pid) as peak:
            told = one.ask("task", url=url, steps=trip.as_objects())
        return {
            "ms": told["seconds"] / len(trip.STEPS) * 1000,
            "mb": peak.most,
            "answer": told["answer"],
            "tokens": 0,
        }
    act = script()
    with ScriptedEndpoint(act, agent_output=act) as endpoint, Peak(one.process.pid) as peak:
        told = one.ask("task", url=url, steps=trip.as_objects(), endpoint=endpoint.base_url, **more)
    taken = (endpoint.times[-1] - endpoint.times[0]) / (len(endpoint.times) - 1)
    prompts = [tokens("".join(texts_of(request))) for request in endpoint.requests]
    return {"ms": taken * 1000, "mb": peak.most, "answer": told["answer"], "tokens": sum(prompts)}


def texts_of(request: Any) -> Iterator[str]:
    """All that a model would be given to read, pictures aside."""
    for key in ("tools", "response_format"):
        if request.get(key):
            yield json.dumps(request[key])
    for message in request["messages"]:
        content = message.get("content") or ""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        yield from (part["text"] for part in parts if part["type"] == "text")
        yield from (json.dumps(call["function"]) for call in message.get("tool_calls") or [])


def table(found: dict[str, list[dict[str, Any]]], rounds: int) -> Table:
    rows = []
    by_hand = median([one["ms"] for one in found[SCRIPT]])
    figures = {}
    for name, runs in found.items():
        ms, mb, read = (median([one[key] for one in runs]) for key in ("ms", "mb", "tokens"))
        rows.append(
            [LABELS[name], float(ms), f"{ms / by_hand:.2f}", float(mb), f"{read:,.0f}" if read else "-"]
        )
        figures[name] = {"ms": ms, "mb": mb, "tokens": read}
    note = (
        f"Medians of {rounds} runs in turns on the map site. A step is the time from one request to the endpoint, which answers "
        "at once, to the next: acting, settling, reading the page, making the prompt, storing the step. The script acts and "
        "settles, and reads nothing. Memory is that of the contender's process, Playwright's driver and the browser, shared pages "
        f"divided among them (BrowserGym has a second browser for its chat). Bar: {SCRIPT_BAR} times the script."
    )
    return Table(
        f"A task of {len(trip.STEPS) + 1} steps, the model's time aside",
        "steps",
        ["", "ms a step", "/ script", "peak memory, MB", "prompt tokens of the run"],
        rows,
        [note],
        figures,
    )  # fmt: skip
