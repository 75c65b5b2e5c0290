"""One request of a browser session: who it is, its data, and what the site remembers of it."""

import hashlib
import json
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import cast

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fixtures_sites.state import Data, States

COOKIE = "arena_state"
KEY = "arena_key"
"""Where the scope holds the key of the browser session."""


class Keyed:
    """Gives each browser session a key by a cookie; below it the key is in the scope."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/static/"):
            await self._app(scope, receive, send)
            return
        known = _key_in(Headers(scope=scope).get("cookie", ""))
        scope[KEY] = known or secrets.token_hex(8)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and not known:
                value = f"{COOKIE}={scope[KEY]}; Path=/; HttpOnly; SameSite=Lax"
                MutableHeaders(scope=message).append("set-cookie", value)
            await send(message)

        await self._app(scope, receive, send_with_cookie)


class Visit:
    """The browser session behind a request. What it remembers (a log-in, a notice to show once) is
    part of its state and goes with it."""

    def __init__(self, states: States, key: str) -> None:
        self.key = key
        self.data: Data = states.of(key)
        self._states = states

    @property
    def token(self) -> str:
        """What every form of this session carries."""
        return hashlib.sha256(self.key.encode()).hexdigest()[:24]

    def remembered(self, name: str) -> str:
        """A remembered value; empty where there is none."""
        return str(self.data.value("select value from session where name = ?", name) or "")

    def remember(self, name: str, value: str) -> None:
        """Keeps a value under a name."""
        self.data.change("insert or replace into session values (?, ?)", name, value)

    def forget(self, name: str) -> None:
        """Drops a value, if there is one."""
        if self.remembered(name):
            self.data.change("delete from session where name = ?", name)

    def tell(self, text: str, kind: str = "status") -> None:
        """A message for the next page that is shown; `kind` is status or alert."""
        self.remember("told", json.dumps([*self._told(), [kind, text]]))

    def told(self) -> list[tuple[str, str]]:
        """The messages to show now, as (kind, text); they are shown once."""
        messages = self._told()
        self.forget("told")
        return messages

    def reset(self) -> None:
        """Back to the seeded data."""
        self._states.drop(self.key)

    def _told(self) -> list[tuple[str, str]]:
        return [(kind, text) for kind, text in json.loads(self.remembered("told") or "[]")]


def visit_of(request: Request) -> Visit:
    """The visit that a request belongs to."""
    return Visit(cast(States, request.app.state.states), request.scope.get(KEY, ""))


def _key_in(header: str) -> str:
    try:
        cookie = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return cookie.value[:64] if cookie else ""
