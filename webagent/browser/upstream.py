"""The proxy that connections go through beyond the gateway: that of `--proxy-server`, or the system's."""

import asyncio
import base64
import re
import ssl
import urllib.request
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from webagent.boundary import is_on_this_machine
from webagent.browser.relay import MOST_WAITING, End, reset
from webagent.errors import BrowserFault
from webagent.hosts import HOW_TO_NAME_A_PROXY, Place, proxy_place

Gone = Callable[[End], None]


class Unreachable(OSError):
    """The proxy did not connect; `reason` is Chromium's word for it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Routes:
    """Which proxy a connection takes. Raises BrowserFault for an address that is none of a proxy."""

    def __init__(self, proxy_server: str = "") -> None:
        self._given = Upstream(proxy_server, "--proxy-server") if proxy_server else None
        self._system: dict[str, Upstream] = {}
        if not proxy_server:
            for scheme, url in urllib.request.getproxies().items():
                if scheme in ("http", "https", "all"):
                    self._system[scheme] = Upstream(url, "the system's proxy")

    def of(self, place: Place) -> "Upstream | None":
        """The proxy for a place; None where it is reached directly. This machine is, unless the proxy is on it."""
        local = is_on_this_machine(place[0])
        if self._given is not None:
            return self._given if not local or is_on_this_machine(self._given.host) else None
        if not self._system or local or urllib.request.proxy_bypass(place[0]):
            return None
        return self._system.get("https" if place[1] == 443 else "http") or self._system.get("all")


class Upstream:
    """An HTTP(S) or SOCKS proxy, as `scheme://user:password@host:port`."""

    def __init__(self, url: str, name: str) -> None:
        place = proxy_place(url)
        if place is None:
            raise BrowserFault(f"{name} is none that can be used: {HOW_TO_NAME_A_PROXY}")
        self.host, self._port = place
        self._parts = urlsplit(url if "://" in url else f"http://{url}")

    async def connect(self, place: Place, gone: Gone) -> End:
        """An end of a connection to a place. Raises OSError, TimeoutError."""
        if self._parts.scheme.startswith("socks"):
            return await self._by_socks(place, gone)
        tls = ssl.create_default_context() if self._parts.scheme == "https" else None
        loop = asyncio.get_running_loop()
        try:
            _, end = await loop.create_connection(
                lambda: _HttpEnd(gone, place, self._authorization()), self.host, self._port, ssl=tls
            )
        except OSError as error:
            raise Unreachable("ERR_PROXY_CONNECTION_FAILED") from error
        if place[1] == 443:
            await end.tunnel()
        return end

    def _authorization(self) -> str:
        if self._parts.username is None:
            return ""
        pair = f"{unquote(self._parts.username)}:{unquote(self._parts.password or '')}"
        return f"Proxy-Authorization: Basic {base64.b64encode(pair.encode()).decode()}\r\n"

    async def _by_socks(self, place: Place, gone: Gone) -> End:
        from python_socks import ProxyError
        from python_socks.async_.asyncio import Proxy

        proxy = Proxy.from_url(self._parts.geturl(), rdns=True)
        try:
            connected = await proxy.connect(*place)
        except OSError as error:
            raise Unreachable("ERR_PROXY_CONNECTION_FAILED") from error
        except ProxyError as error:
            raise Unreachable("ERR_TUNNEL_CONNECTION_FAILED") from error
        _, end = await asyncio.get_running_loop().create_connection(lambda: End(gone), sock=connected)
        return end


class _HttpEnd(End):
    """The end at an HTTP proxy. What the browser says first tells what it is: TLS and WebSockets go through
    a tunnel, a plain request is one that the proxy itself makes."""

    def __init__(self, gone: Gone, place: Place, authorization: str) -> None:
        super().__init__(gone)
        host = f"[{place[0]}]" if ":" in place[0] else place[0]
        self._place = f"{host}:{place[1]}"
        self._netloc = host if place[1] == 80 else self._place
        self._authorization = authorization
        self._held = b""
        self._answer = b""
        self._open = False
        self._tunnel: asyncio.Future[None] | None = None

    def tunnel(self) -> "asyncio.Future[None]":
        """Asks for a tunnel; done once it is there. Raises Unreachable."""
        self._tunnel = asyncio.get_running_loop().create_future()
        self._tunnel.add_done_callback(lambda tunnel: tunnel.cancelled() or tunnel.exception())
        head = f"CONNECT {self._place} HTTP/1.1\r\nHost: {self._place}\r\n{self._authorization}\r\n"
        super().send(head.encode())
        return self._tunnel

    def send(self, data: bytes) -> None:
        if self._open:
            super().send(data)
            return
        self._held += data
        if self._tunnel is not None:
            return
        head, end, _ = self._held.partition(b"\r\n\r\n")
        if self._held[0] == 0x16 or (end and re.search(rb"(?mi)^upgrade: *websocket", head)):
            self.tunnel()
        elif end:
            self._held = self._rewritten(head) + self._held[len(head) :]
            self._release()
        elif len(self._held) > MOST_WAITING and self.transport is not None:
            reset(self.transport)

    def _rewritten(self, head: bytes) -> bytes:
        """A request's head as proxies want it: with the whole address, and the last of its connection, so
        that none can follow that was not rewritten."""
        first, _, fields = head.partition(b"\r\n")
        method, _, rest = first.partition(b" ")
        fields = re.sub(rb"(?mi)^(proxy-)?connection:.*\r?\n?", b"", fields + b"\r\n").removesuffix(b"\r\n")
        start = method + b" http://" + self._netloc.encode() + rest
        return start + b"\r\nConnection: close\r\n" + self._authorization.encode() + fields

    def _release(self) -> None:
        self._open = True
        held, self._held = self._held, b""
        super().send(held)

    def data_received(self, data: bytes) -> None:
        if self._open or self._tunnel is None:
            super().data_received(data)
            return
        self._answer += data
        head, end, rest = self._answer.partition(b"\r\n\r\n")
        if not end:
            return
        status = head.split(b" ", 2)[1:2]
        if status == [b"200"]:
            self._release()
            self._tunnel.set_result(None)
            super().data_received(rest)
            return
        refused = "ERR_UNEXPECTED_PROXY_AUTH" if status == [b"407"] else "ERR_TUNNEL_CONNECTION_FAILED"
        self._tunnel.set_exception(Unreachable(refused))
        if self.transport is not None:
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if self._tunnel is not None and not self._tunnel.done():
            self._tunnel.set_exception(Unreachable("ERR_TUNNEL_CONNECTION_FAILED"))
        super().connection_lost(error)
