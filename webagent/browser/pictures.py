"""What must not be seen in a picture of a page: secrets that it shows."""

import asyncio
from typing import TYPE_CHECKING

from webagent.secrets import Secrets

if TYPE_CHECKING:
    from playwright.async_api import Frame, Locator, Page

_VALUES = "(all) => all.map((one) => [one.type, `${one.value} ${one.placeholder || ''}`])"


async def to_cover(page: "Page", secrets: Secrets) -> "list[Locator]":
    """The elements that show a secret, for Playwright to paint over. Values are looked for on this side
    or by Playwright's own scripts: the page's never get to see them. Raises Playwright's Error."""
    if not secrets:
        return []
    found = await asyncio.gather(*(_in_frame(frame, secrets) for frame in page.frames))
    return [locator for locators in found for locator in locators]


async def _in_frame(frame: "Frame", secrets: Secrets) -> "list[Locator]":
    from playwright.async_api import Error

    texts = [frame.get_by_text(value) for value in dict.fromkeys(one.value for one in secrets.known)]
    fields = frame.locator("input, textarea")
    try:
        values = await fields.evaluate_all(_VALUES)
    except Error:
        return texts  # the frame went
    shown = [n for n, (kind, text) in enumerate(values) if kind != "password" and secrets.mask(text) != text]
    return [*texts, *(fields.nth(n) for n in shown)]
