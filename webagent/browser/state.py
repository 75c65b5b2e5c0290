"""Cookies and storage of a session, kept in a file."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from webagent.errors import BrowserFault

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext


async def keep_state(context: "BrowserContext", path: str | Path) -> None:
    """Writes cookies, local storage and IndexedDB to a file that only its owner can read. Raises
    BrowserFault where the browser is gone, OSError."""
    from playwright.async_api import Error

    try:
        state = await context.storage_state(indexed_db=True)
    except Error as error:
        raise BrowserFault("the browser was gone before its state could be kept") from error
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.chmod(path, 0o600)  # one that was there keeps its mode otherwise
        json.dump(state, file)
