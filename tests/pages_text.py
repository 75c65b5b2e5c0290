"""Observations and trajectories written by hand, for tests of memory that need no browser."""

import re
from collections.abc import Sequence

from webagent.actions import Action
from webagent.observation import Line, Observation, parse_snapshot
from webagent.trajectory import Outcome, Step, Stop, Trajectory

HOST = "http://shop.test"


def boxed_lines(text: str) -> tuple[Line, ...]:
    """The lines of a snapshot whose elements may tell their boxes after their refs: `[ref=e1]
    [box=x,y,width,height]`."""
    told = re.findall(r"\[ref=(\w+)\](?: \[cursor=pointer\])? \[box=([-\d,]+)\]", text)
    boxes = {ref: [float(number) for number in box.split(",")] for ref, box in told}
    return parse_snapshot(re.sub(r" \[box=[-\d,]+\]", "", text), boxes)


def page(path: str, *lines: str, host: str = HOST) -> Observation:
    """A page of these snapshot lines; refs e1, e2, … are added to lines that say `[ref]`."""
    numbered, n = [], 0
    for line in lines:
        if "[ref]" in line:
            n += 1
            line = line.replace("[ref]", f"[ref=e{n}]")
        numbered.append(line)
    return Observation(url=host + path, title="Shop", lines=parse_snapshot("\n".join(numbered)))


def step(
    n: int, seen: Observation, tool: str, role: str = "", name: str = "", error: str = "", **arguments: object
) -> Step:
    """A step on the element with this role and name."""
    target = None
    if role:
        line = seen.matches(role, name)[0]
        arguments = {"ref": line.ref, **arguments}
        target = seen.target(line.ref)
    return Step(n, Action(tool, arguments, "because"), seen, Outcome("" if error else "done", error), target)


def start(host: str = HOST) -> Observation:
    return page(
        "/",
        '- heading "Home" [level=1] [ref]',
        '- searchbox "Search" [ref]',
        '- button "Go" [ref]',
        host=host,
    )


def results(query: str, names: Sequence[str], host: str = HOST) -> Observation:
    rows = [line for name in names for line in ("  - listitem [ref]:", f'    - link "{name}" [ref]')]
    return page(
        f"/search?q={query}",
        f'- heading "Results for {query}" [level=1] [ref]',
        '- searchbox "Search" [ref]',
        '- list "Results" [ref]:',
        *rows,
        host=host,
    )


def item(name: str, facts: dict[str, str], host: str = HOST) -> Observation:
    rows = [
        line
        for term, value in facts.items()
        for line in (f"  - term [ref]: {term}", f'  - definition [ref]: "{value}"')
    ]
    slug = name.lower().replace(" ", "-")
    return page(f"/item/{slug}", f'- heading "{name}" [level=1] [ref]', "- generic [ref]:", *rows, host=host)


FACTS = ("Price", "Weight", "Colour")


def facts_of(name: str) -> dict[str, str]:
    """Facts that differ from item to item."""
    seed = sum(map(ord, name))
    return {
        "Price": f"{seed % 90 + 10}.{seed % 10}0",
        "Weight": f"{seed % 700 + 3} g",
        "Colour": f"hue {seed % 50}",
    }


def found(
    run_id: str, name: str, fact: str = "Price", goal: str = "", host: str = HOST, answer: str | None = None
) -> Trajectory:
    """A run that searches an item, opens it, and reads a fact."""
    home, listed, page_ = (
        start(host),
        results(name, [name, f"{name} Case"], host),
        item(name, facts_of(name), host),
    )
    steps = (
        step(1, home, "type", "searchbox", "Search", text=name),
        step(2, home, "click", "button", "Go"),
        step(3, listed, "click", "link", name),
    )
    return Trajectory(
        run_id,
        goal or f"find the {fact.lower()} of {name}",
        host + "/",
        steps,
        Stop(facts_of(name)[fact] if answer is None else answer),
        page_,
        "done",
    )
