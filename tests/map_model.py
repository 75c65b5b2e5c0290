"""What a sensible model says on the map site, and what it makes of a run that went well."""

import re
from typing import Any

from tests.endpoint import Request, observation_of, ref_of, text_of

LABELS = {"zip code": "ZIP code", "phone": "Phone", "opening hours": "Opening hours"}


def goal_of(request: Request) -> str:
    """The goal in the prompt."""
    return re.findall(r"<goal>\n(.*?)\n</goal>", text_of(request), re.DOTALL)[-1]


def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
    """Searches the place named at the end of the goal, opens the first result, reads the fact."""
    goal, page = goal_of(request), observation_of(request)
    place = goal.split(" of ")[-1].strip("?")
    label = next(label for words, label in LABELS.items() if words in goal.lower())
    fact = re.search(rf'term[^\n]*: {label}\n\s*- definition[^\n]*?: "?([^"\n]+)"?', page)
    if fact:
        return [("stop", {"answer": fact[1], "thought": "the fact is on the page"})]
    if 'list "Search results"' in page:
        results = page[page.index('list "Search results"') :]
        ref = re.search(r'link "[^"]+" [^\n]*?\[ref=(\w+)\]', results)
        assert ref
        return [("click", {"ref": ref[1], "thought": "the first result"})]
    return [
        (
            "type",
            {"ref": ref_of(request, "searchbox", "Search for a place"), "text": place, "thought": "search"},
        ),
        ("click", {"ref": ref_of(request, "button", "Search"), "thought": "go"}),
    ]


def workflows(request: Request) -> dict[str, Any]:
    """Two workflows, the second built on the first, each step citing the run."""
    text = text_of(request)
    lines = re.findall(
        r"(\S+#\d+): (?:role (\w+), name '([^']*)', )?action (\w+)(?:, argument '([^']*)')?", text
    )
    steps = {action + role: (label, role, name, argument) for label, role, name, action, argument in lines}
    typed, search, result, stop = (
        steps[key] for key in ("typesearchbox", "clickbutton", "clicklink", "stop")
    )

    def step(
        cited: Any, action: str, name: str | None = None, argument: str = "", state: str = ""
    ) -> dict[str, str]:
        label, role, own, _ = cited
        return {
            "state": state,
            "role": role,
            "name": own if name is None else name,
            "action": action,
            "argument": argument,
            "evidence": label,
        }

    variables = [{"name": "place", "description": "what to look for", "example": typed[3]}]
    found = {"name": "place-result", "description": "the place's full name", "example": result[2]}
    return {
        "workflows": [
            {
                "name": "find a place by its name",
                "description": "Given that you are on the map's start page, this workflow opens the page of a place.",
                "variables": [*variables, found],
                "steps": [
                    step(typed, "type", argument="{place}", state="the search box is on every page"),
                    step(search, "click"),
                    step(result, "click", name="{place-result}", state="results are listed, the best first"),
                ],
            },
            {
                "name": "find the zip code of a place",
                "description": "Given that you are on the map's start page, this workflow finds the zip code of a place.",
                "variables": variables,
                "steps": [
                    {
                        "state": "",
                        "role": "",
                        "name": "find a place by its name",
                        "action": "workflow",
                        "argument": "{place}",
                        "evidence": typed[0],
                    },
                    step(stop, "stop", argument="{zip-code}", state="the page lists the zip code"),
                ],
            },
        ]
    }
