"""A task of ten steps on the map site, and what a scripted model says to each contender's prompts."""

import re
from collections.abc import Callable
from typing import Any

from benchmarks.measuring import GYM, OURS, USE
from tests.endpoint import Request, observation_of, ref_of, text_of

STEPS = (
    ("click", "button", "Reject all", ""),
    ("type", "searchbox", "Search for a place", "MIT"),
    ("click", "button", "Search", ""),
    ("click", "link", "Massachusetts Institute of Technology", ""),
    ("click", "link", "Directions", ""),
    ("type", "textbox", "From", "MIT"),
    ("type", "textbox", "To", "Harvard University"),
    ("click", "radio", "Bicycle", ""),
    ("click", "button", "Get directions", ""),
)
"""Tool, role, name, text. The answer, which is the tenth, is the distance."""
IN_HTML = {
    "searchbox": r"\[(\d+)\]<input[^\n>]*type=search",
    "From": r"\[(\d+)\]<input[^\n>]*id=from",
    "To": r"\[(\d+)\]<input[^\n>]*id=to",
    "Bicycle": r"\[(\d+)\]<input[^\n>]*type=radio[^\n]*\n\s*Bicycle",
}
"""How browser-use shows what its HTML does not name; all else is a tag and, on the next line, its text."""


def as_objects() -> list[dict[str, str]]:
    """The steps as a contender is told them."""
    return [dict(zip(("tool", "role", "name", "text"), step, strict=True)) for step in STEPS]


def for_ours() -> Callable[[Request], Any]:
    """Tool calls."""
    steps = iter(STEPS)

    def act(request: Request) -> Any:
        for tool, role, name, text in steps:
            more = {"text": text} if text else {}
            return [(tool, {"ref": ref_of(request, role, name), **more, "thought": f"{name} comes next"})]
        return [("stop", {"answer": distance(observation_of(request)), "thought": "there it is"})]

    return act


def for_gym() -> Callable[[Request], Any]:
    """Lines of BrowserGym's action language."""
    steps = iter(STEPS)

    def act(request: Request) -> Any:
        page = text_of(request)
        for tool, role, name, text in steps:
            found = re.search(rf"\[(\w+)\] {role} '{re.escape(name)}'", page)
            assert found, f"no {role} {name} in\n{page}"
            return f"fill({found[1]!r}, {text!r})" if tool == "type" else f"click({found[1]!r})"
        return f"answer:{distance(page)}"

    return act


def for_browser_use() -> Callable[[Request], Any]:
    """The JSON that its agent asks for."""
    steps = iter(STEPS)

    def act(request: Request) -> Any:
        page = text_of(request).rpartition("<browser_state>")[2]
        for tool, role, name, text in steps:
            found = re.search(in_html(role, name), page)
            assert found, f"no {role} {name} in\n{page}"
            index = int(found[1])
            return said(
                {"input": {"index": index, "text": text}} if tool == "type" else {"click": {"index": index}}
            )
        return said({"done": {"text": distance(page), "success": True, "files_to_display": []}})

    return act


def in_html(role: str, name: str) -> str:
    tag = {"link": "a", "button": "button"}.get(role, "")
    return IN_HTML.get(name) or IN_HTML.get(role) or rf"\[(\d+)\]<{tag}[^\n]*\n\s*{re.escape(name)}\n"


def said(action: dict[str, Any]) -> dict[str, Any]:
    """A reply of browser-use's model."""
    return {"thinking": "", "evaluation_previous_goal": "", "memory": "", "next_goal": "", "action": [action]}


def distance(page: str) -> str:
    """The distance as any of them shows it."""
    found = re.search(r"Distance\b[\s\S]*?\b([0-9.]+ (?:km|m|miles|mi))\b", page)
    assert found, f"no distance in\n{page}"
    return found[1]


SCRIPTS = {OURS: for_ours, GYM: for_gym, USE: for_browser_use}
