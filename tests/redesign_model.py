"""What a sensible model does on the redesigned map site: one call a reply, as the page demands."""

import re
from typing import Any

from tests.endpoint import Request, observation_of, ref_of, text_of
from tests.map_model import goal_of

LABELS = {
    "zip code": "Postal code", "phone": "Telephone", "opening hours": "Open",
    "distance": "Length", "travel time": "Duration",
}  # fmt: skip
MODES = {"car": "Car", "bicycle": "Bicycle", "foot": "On foot"}


def fact(request: Request) -> str:
    """What the goal asks for, where the page in the prompt has it."""
    label = next(label for words, label in LABELS.items() if words in goal_of(request))
    row = rf'rowheader "{label}"[^\n]*\n\s*- cell[^\n]*(?:\n\s*- link)? "([^"]+)"'
    found = re.search(row, text_of(request)[-20_000:])
    return found[1] if found else ""


def answer(request: Request) -> dict[str, Any]:
    """The reply to an `answer` call."""
    return {"answer": fact(request), "quote": fact(request)}


def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
    """The next step of a trip or of a search."""
    goal, page = goal_of(request), observation_of(request)
    if "rowheader" in page and fact(request):
        return [("stop", {"answer": fact(request)})]
    trip = re.search(r"from (.+) to (.+) (?:by|on) (\w+)", goal)
    if trip is not None:
        return _trip(request, page, *trip.groups())
    if 'list "Places found"' in page:
        link = re.search(r'link "[^"]+" [^\n]*?\[ref=(\w+)\]', page[page.index('list "Places found"') :])
        assert link
        return [("click", {"ref": link[1]})]
    place = goal.split(" of ", 1)[1]
    if place not in page:
        return [("type", {"ref": ref_of(request, "searchbox", "What are you looking for?"), "text": place})]
    return [("click", {"ref": ref_of(request, "button", "Explore")})]


def _trip(request: Request, page: str, start: str, end: str, mode: str) -> list[tuple[str, dict[str, Any]]]:
    if "Starting point" not in page:
        return [("click", {"ref": ref_of(request, "link", "Plan a trip")})]
    if f'option "{MODES[mode]}" [selected]' not in page:
        ref = ref_of(request, "combobox", "Means of travel")
        return [("select", {"ref": ref, "options": [MODES[mode]]})]
    for field, value in (("Starting point", start), ("Destination", end)):
        if value not in page:
            return [("type", {"ref": ref_of(request, "textbox", field), "text": value})]
    return [("click", {"ref": ref_of(request, "button", "Show route")})]
