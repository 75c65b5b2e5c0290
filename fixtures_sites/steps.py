"""Words for scripted steps: what a person would do, by role and name of a control.

Each gives the object that the scripted policy plays. Where several controls have the name, `row` holds
words of the row, list item or article that is meant, else `nth` (from 0) counts them."""

from typing import Any

Step = dict[str, Any]


def click(role: str, name: str, *, row: str = "", nth: int = 0) -> Step:
    """Clicks a control."""
    return _at({"action": "click"}, role, name, row, nth)


def link(name: str, *, row: str = "", nth: int = 0) -> Step:
    """Follows a link."""
    return click("link", name, row=row, nth=nth)


def button(name: str, *, row: str = "", nth: int = 0) -> Step:
    """Presses a button."""
    return click("button", name, row=row, nth=nth)


def fill(
    name: str, text: str | float, *, role: str = "textbox", row: str = "", nth: int = 0, submit: bool = False
) -> Step:
    """Types into a field; with `submit` Enter is pressed after it."""
    step: Step = {"action": "type", "text": str(text), **({"submit": True} if submit else {})}
    return _at(step, role, name, row, nth)


def choose(name: str, option: str, *, role: str = "combobox", row: str = "", nth: int = 0) -> Step:
    """Chooses an option of a list box."""
    return _at({"action": "select", "options": [option]}, role, name, row, nth)


def press(key: str) -> Step:
    """Presses a key in the focused element."""
    return {"action": "press", "key": key}


def visit(path: str) -> Step:
    """Goes to a path of the site, or to `__ADMIN__/path` of the site called admin."""
    return {"action": "goto", "url": path}


def back() -> Step:
    """Goes back a page."""
    return {"action": "back"}


def confirm(accept: bool = True) -> Step:
    """Answers an open dialog of the browser."""
    return {"action": "dialog", "accept": accept}


def answer(text: str | float) -> Step:
    """Ends with an answer."""
    return {"action": "stop", "answer": str(text)}


def done() -> Step:
    """Ends without an answer."""
    return {"action": "stop"}


def infeasible() -> Step:
    """Ends because it can't be done."""
    return {"action": "stop", "status": "infeasible"}


def _at(step: Step, role: str, name: str, row: str, nth: int) -> Step:
    placed: Step = {"role": role, "name": name}
    if row:
        placed["row"] = row
    if nth:
        placed["nth"] = nth
    return {**step, **placed}
