"""A browser session without a browser: requests to a fixture site, with its cookie kept."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode


@dataclass(frozen=True)
class Page:
    """What a site answered."""

    status: int
    text: str
    location: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Visitor:
    """Asks a site at `port`; redirects of forms are followed."""

    def __init__(self, port: int, site: str) -> None:
        self._port = port
        self._host = f"{site}.localhost:{port}"
        self._cookies: dict[str, str] = {}

    def get(self, path: str) -> Page:
        """A page."""
        return self._ask("GET", path)

    def post(self, path: str, fields: Mapping[str, str] | None = None) -> Page:
        """Sends a form as it is, and shows where that leads."""
        page = self._ask("POST", path, urlencode(fields or {}))
        return self.get(page.location) if page.status == 303 else page

    def send(self, path: str, fields: Mapping[str, str] | None = None) -> Page:
        """Sends a form with the session's hidden token."""
        found = re.search(r'name="token" value="(\w+)"', self.get("/").text)
        assert found
        return self.post(path, {**(fields or {}), "token": found[1]})

    def _ask(self, method: str, path: str, body: str | None = None) -> Page:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=20)
        headers = {
            "Host": self._host,
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
        }
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            for name, value in response.getheaders():
                if name.lower() == "set-cookie":
                    key, _, content = value.split(";")[0].partition("=")
                    self._cookies[key] = content
            text = response.read().decode()
            return Page(response.status, text, response.getheader("location") or "")
        finally:
            connection.close()
