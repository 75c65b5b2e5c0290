"""Playwright's trace.zip without secrets."""

import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any

from webagent.masking import MASK, begun
from webagent.secrets import Secrets

PICTURES = (".png", ".jpeg", ".jpg", ".gif", ".webp", ".ico", ".avif", ".woff", ".woff2", ".ttf", ".otf")
"""Files that a site serves to everyone: kept as they are, where no secret's bytes are in them."""
TYPING = re.compile(r"(?i)type|insertText|press|fill")
"""Playwright's calls whose text is what was typed, also a letter at a time."""
_HELD = re.compile(r'("__playwright_value_":\s*)("(?:[^"\\]|\\.)*")')


def write_without(secrets: Secrets, source: Path, target: Path) -> None:
    """Copies a trace: texts masked, files that can be neither read as text nor taken for pictures left
    out. Only its owner can read the copy."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with (
        zipfile.ZipFile(source) as old,
        os.fdopen(descriptor, "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            cleaned = _cleaned(name, old.read(name), secrets)
            if cleaned is not None:
                new.writestr(secrets.mask(name), cleaned)


def _cleaned(name: str, data: bytes, secrets: Secrets) -> bytes | None:
    if name.lower().endswith(PICTURES):
        text = data.decode("latin-1")
        spelt = [one.value.encode().decode("latin-1") for one in secrets.known]
        return None if any(value in text for value in spelt) else data
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if not name.endswith(".trace"):
        return secrets.mask(text).encode()
    text = secrets.mask("\n".join(_event(line, secrets) for line in text.split("\n")))
    for one in secrets.known:
        text = re.sub(begun(one.value), MASK, text)
    return text.encode()


def _event(line: str, secrets: Secrets) -> str:
    """One event. What fields held while a secret was typed is its beginning, which no search for the
    whole finds; so is what a page made of it meanwhile, of which the first half is let pass."""
    if TYPING.search(line[:2000]) and line.startswith("{"):
        line = json.dumps(_untyped(json.loads(line)), ensure_ascii=False)
    return _HELD.sub(lambda held: held[1] + json.dumps(_whole(json.loads(held[2]), secrets)), line)


def _untyped(event: dict[str, Any]) -> dict[str, Any]:
    """The event of a call without a single letter that it typed."""
    params = event.get("params")
    if isinstance(params, dict) and TYPING.search(str(event.get("method", ""))):
        texts = {key: MASK for key in ("text", "value") if key in params and len(str(params[key])) < 2}
        return {**event, "params": {**params, **texts}, "title": MASK} if texts else event
    return event


def _whole(held: str, secrets: Secrets) -> str:
    return MASK if held and any(one.value.startswith(held) for one in secrets.known) else held
