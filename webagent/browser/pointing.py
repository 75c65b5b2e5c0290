"""Actions of the mouse: click, hover, drag."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from webagent.actions import Action
from webagent.browser.scripts import function
from webagent.browser.stage import Element, Stage, plain_reason
from webagent.errors import ActionError

if TYPE_CHECKING:
    from playwright.async_api import FloatRect

PATIENCE_MS = 1000
"""How long a covered or moving element is waited for."""
DRAG_MS = 3000
SHORT_MS = 350
"""After so long it is looked whether the element is there still."""
REBUILT_TRIES = 5
DRAWN_SECONDS = 0.5


async def click(stage: Stage, action: Action) -> str:
    """Clicks as a person would: where something transparent or the control's own label lies over
    it, the click goes through that."""
    given = action.arguments
    element = await stage.element(given["ref"])
    how = {"button": given.get("button", "left"), "click_count": 2 if given.get("double") else 1}
    await press_at(stage, element, how)
    return "double-clicked" if given.get("double") else "clicked"


async def press_at(stage: Stage, element: Element, how: Mapping[str, Any]) -> None:
    """One click on an element. Raises ActionError."""
    from playwright.async_api import Error, TimeoutError

    try:
        for patience in (SHORT_MS, PATIENCE_MS - SHORT_MS):
            try:
                await element.locator.click(timeout=patience, **how)
                return
            except TimeoutError as error:
                if _was_done(error):
                    return
                reason = plain_reason(error)
            if not await element.locator.count():
                await _click_rebuilt(stage, element, how)
                return
        await _click_anyway(stage, element, how, reason)
    except Error as error:
        raise ActionError(f"not clicked: {plain_reason(error)}") from error


async def _click_rebuilt(stage: Stage, element: Element, how: Mapping[str, Any]) -> None:
    """One click on an element that the page replaces faster than it could come to rest: found again
    and clicked where it is now. Raises ActionError where it can't be found, or slips away each time."""
    from playwright.async_api import TimeoutError

    for _ in range(REBUILT_TRIES):
        element = await stage.again(element)
        try:
            await element.locator.click(force=True, timeout=SHORT_MS, **how)
            return
        except TimeoutError as error:
            if _was_done(error):
                return
    raise ActionError(f"not clicked: the page replaces {element.line.ref} again and again")


def _was_done(error: BaseException) -> bool:
    """True where the click went out and only its end was not awaited: it must not be repeated. What something
    intercepted was kept from the page by Playwright, so the last that its log tells counts."""
    told = [line.strip().removeprefix("- ") for line in str(error).splitlines()]
    for line in reversed(told):
        if line == "performing click action" or line.endswith("intercepts pointer events"):
            return not line.endswith("intercepts pointer events")
    return False


async def _click_anyway(stage: Stage, element: Element, how: Mapping[str, Any], reason: str) -> None:
    """After a blocked click: goes through a cover that is see-through or the element's own, beside
    one that leaves a part free, and refuses otherwise."""
    from playwright.async_api import Error, TimeoutError

    if reason == "the element is disabled":
        raise ActionError(f"not clicked: {reason}")
    cover = await stage.run(element, "cover")
    state = cover["state"]
    if state == "covered":
        raise _covered(stage, element, cover)
    try:
        if state == "outside":
            raise ActionError(f"not clicked: {reason}")
        if state == "label":
            handle = await element.locator.evaluate_handle(
                "e => [...e.labels].find((one) => one.getBoundingClientRect().width > 0)"
            )
            label = handle.as_element()
            if label is not None:
                await label.click(timeout=PATIENCE_MS, **how)
            return
        patient = state == "free" and reason == "it took too long"
        await element.locator.click(
            force=not patient, position=cover["position"], timeout=PATIENCE_MS * (3 if patient else 1), **how
        )
    except TimeoutError as error:
        if not _was_done(error):
            raise ActionError(f"not clicked: {plain_reason(error)}") from error
    except Error as error:
        raise ActionError(f"not clicked: {plain_reason(error)}") from error


def _covered(stage: Stage, element: Element, cover: Mapping[str, Any]) -> ActionError:
    what = str(cover["role"] or cover["tag"])
    if cover["words"]:
        stage.events.add(
            f"{element.line.ref} is covered by {what} {stage.events.quoted(str(cover['words']))}"
        )
    return ActionError(f"not clicked: {element.line.ref} is covered by another element ({what})")


async def hover(stage: Stage, action: Action) -> str:
    """Moves the real mouse over an element."""
    from playwright.async_api import Error, TimeoutError

    element = await stage.element(action.arguments["ref"])
    try:
        try:
            await element.locator.hover(timeout=PATIENCE_MS)
        except TimeoutError:
            await element.locator.hover(timeout=PATIENCE_MS, force=True)
    except Error as error:
        raise ActionError(f"not hovered: {plain_reason(error)}") from error
    return "the mouse is over it"


async def drag(stage: Stage, action: Action) -> str:
    """Drags with the real mouse, which also makes the events of HTML drag and drop."""
    from playwright.async_api import Error

    given = action.arguments
    source = await stage.element(given["ref"])
    target = await stage.element(given["to_ref"])
    mouse = stage.page.mouse
    try:
        await source.locator.scroll_into_view_if_needed(timeout=DRAG_MS)
        start = _middle(stage, await source.locator.bounding_box(timeout=DRAG_MS))
        await mouse.move(*start)
        await mouse.down()
        try:
            await mouse.move(start[0] + 4, start[1] + 4, steps=2)
            await _drawn(stage)
            await target.locator.scroll_into_view_if_needed(timeout=DRAG_MS)
            box = await target.locator.bounding_box(timeout=DRAG_MS)
            end = _drop_point(stage, box, given)
            await mouse.move(*end, steps=12)
            await _drawn(stage)
            await mouse.move(*end)
            await _drawn(stage)
        finally:
            await mouse.up()
    except Error as error:
        raise ActionError(f"not dragged: {plain_reason(error)}") from error
    return "dragged"


async def _drawn(stage: Stage) -> None:
    """Lets the page draw: lists that are sorted by a pointer look where it is once a frame."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stage.page.evaluate(function("drawn")), DRAWN_SECONDS)


def _middle(stage: Stage, box: "FloatRect | None") -> tuple[float, float]:
    """The middle of the visible part of a box."""
    if box is None:
        raise ActionError("not dragged: the element is not visible")
    width, height = stage.reading.viewport
    left, right = max(0.0, box["x"]), min(float(width), box["x"] + box["width"])
    upper, lower = max(0.0, box["y"]), min(float(height), box["y"] + box["height"])
    if right <= left or lower <= upper:
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    return (left + right) / 2, (upper + lower) / 2


def _drop_point(stage: Stage, box: "FloatRect | None", given: Mapping[str, Any]) -> tuple[float, float]:
    x, y = _middle(stage, box)
    if box is not None and given.get("dx") is not None:
        x = box["x"] + given["dx"]
    if box is not None and given.get("dy") is not None:
        y = box["y"] + given["dy"]
    return x, y
