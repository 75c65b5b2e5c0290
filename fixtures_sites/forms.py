"""What a browser sent with a form: its fields, checked, with a message beside each that is wrong."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

from fixtures_sites.visit import visit_of

MOST = 100_000
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


class Form:
    """The fields of a form by name; `errors` gathers what is wrong with them."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        self._fields = fields
        self.errors: dict[str, str] = {}

    @property
    def ok(self) -> bool:
        """Whether nothing wrong was found so far."""
        return not self.errors

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def text(self, name: str, default: str = "") -> str:
        """A field without the spaces around it."""
        return self._fields.get(name, [default])[0].strip()

    def texts(self, name: str) -> list[str]:
        """All values of a field that may be there several times, such as checkboxes."""
        return [value.strip() for value in self._fields.get(name, [])]

    def need(self, name: str, message: str) -> str:
        """A field that must not be empty."""
        value = self.text(name)
        self.check(name, bool(value), message)
        return value

    def need_match(self, name: str, pattern: str | re.Pattern[str], message: str) -> str:
        """A field whose whole text must fit a pattern."""
        value = self.text(name)
        self.check(name, re.fullmatch(pattern, value) is not None, message)
        return value

    def whole(self, name: str, low: int, high: int, message: str) -> int:
        """A whole number within bounds; `low` where it is none."""
        value = self.text(name)
        fits = value.isdecimal() and len(value) < 10 and low <= int(value) <= high
        self.check(name, fits, message)
        return int(value) if fits else low

    def check(self, name: str, holds: bool, message: str) -> None:
        """Notes the message for a field where what must hold does not; the first one stays."""
        if not holds:
            self.errors.setdefault(name, message)


async def form_of(request: Request) -> Form:
    """The form that was sent. Raises HTTPException 403 where it lacks the session's hidden token."""
    body = (await request.body())[:MOST].decode("utf-8", "replace")
    form = Form(parse_qs(body, keep_blank_values=True))
    if form.text("token") != visit_of(request).token:
        raise HTTPException(403, "This form is out of date. Go back, load the page again and send it anew.")
    return form


def own_path(path: str) -> str:
    """The path when it stays on this site, else the start page."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"
