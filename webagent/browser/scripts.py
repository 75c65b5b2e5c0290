"""The JavaScript that runs in pages, read once from the files beside this module."""

import secrets
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_NAMES = {
    "__webagent_page": "p",
    "__WEBAGENT_KEY__": "k",
    "__webagent_report": "r",
    "__webagent_ask": "a",
    "__webagent_tell": "t",
    "__webagent_mark": "m",
    "__webagent_done": "d",
    "__webagent_again": "b",
}
"""Names in the scripts that stand for properties of `window` or for events; no page can know what they
become."""


PROBE = "__WEBAGENT_PROBE__"
"""Stands for probe.js in other scripts."""
PAGE_ENGINE = "webagent-page"
"""Name of the selector engine that selects a page's body (scripts/page.js)."""


@cache
def _word() -> str:
    return secrets.token_hex(6)


def _read(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if PROBE in text:
        text = text.replace(PROBE, function("probe"))
    for name, prefix in _NAMES.items():
        text = text.replace(name, f"_{prefix}{_word()}")
    return text


@cache
def function(name: str) -> str:
    """The source of one function of `scripts/`."""
    return _read(_HERE / "scripts" / f"{name}.js")


LENDING = ("listening", "hovering", "naming", "lending")
"""The parts of the script that lends roles and names, in their order."""


@cache
def lending() -> str:
    """The script that lends roles and names to controls that only scripts know, for one snapshot."""
    parts = "\n".join(_read(_HERE / "lending" / f"{part}.js") for part in LENDING)
    return f'(() => {{\n"use strict";\n{parts}}})();'


@cache
def init_scripts() -> tuple[str, ...]:
    """Scripts that run first in every document, in order: what lending.js lends to elements is not seen
    by the observers made after it."""
    return lending(), _read(_HERE / "settle_script.js")


@cache
def record_script() -> str:
    """The script of a demonstration, which runs after the init scripts."""
    return _read(_HERE / "record_script.js")


def private_name(name: str) -> str:
    """What a name of the scripts has become."""
    return f"_{_NAMES[name]}{_word()}"
