"""The JavaScript that runs in pages, read once from the files beside this module."""

from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


@cache
def function(name: str) -> str:
    """The source of one function of `scripts/`."""
    return (_HERE / "scripts" / f"{name}.js").read_text(encoding="utf-8")


@cache
def init_scripts() -> tuple[str, ...]:
    """Scripts that run first in every document, in order."""
    files = [_HERE / "settle_script.js", _HERE / "page_script.js"]
    return tuple(file.read_text(encoding="utf-8") for file in files if file.exists())
