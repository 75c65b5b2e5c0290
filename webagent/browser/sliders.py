"""Sets sliders that are built from other elements, by the keys that they hear."""

from webagent.browser.stage import Element, Stage, plain_reason
from webagent.browser.values import for_field
from webagent.errors import ActionError

ROUNDS = 6
MOST_PRESSES = 400


async def slide(stage: Stage, element: Element, text: str) -> str:
    """Moves a slider to a number, or as near as its keys go; what it holds then. Raises ActionError."""
    from playwright.async_api import Error

    wanted = for_field("range", text)
    if not wanted:
        raise ActionError(f"{element.line.ref} is a slider: type a number")
    try:
        await element.locator.focus(timeout=1000)
        return f"{await _approach(stage, element, float(wanted)):g}"
    except Error as error:
        raise ActionError(f"not moved: {plain_reason(error)}") from error


async def _approach(stage: Stage, element: Element, wanted: float) -> float:
    """One press tells how far a key goes; the others follow at once, then what is left over."""
    held = await _held(stage, element)
    for _ in range(ROUNDS):
        if held == wanted:
            break
        key = "ArrowRight" if wanted > held else "ArrowLeft"
        await stage.page.keyboard.press(key)
        after = await _held(stage, element)
        step = abs(after - held)
        if not step:
            raise ActionError(f"{element.line.ref} is a slider that hears no arrow keys; drag it")
        if abs(after - wanted) >= abs(held - wanted):
            return after
        for _ in range(min(MOST_PRESSES, int(abs(wanted - after) / step + 0.001))):
            await stage.page.keyboard.press(key)
        held = await _held(stage, element)
    return held


async def _held(stage: Stage, element: Element) -> float:
    held = await stage.run(element, "slider")
    if held is None:
        raise ActionError(
            f"{element.line.ref} is a slider that does not say where it stands; press keys or drag it"
        )
    return float(held)
