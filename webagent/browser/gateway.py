"""The only way from a browser to any server: a SOCKS 5 server on loopback that knows the run's boundary.

It decides by connection, on the host and port that the browser asks for and on the address they have, so
what a page sends plays no part in it, and nothing of HTTP is read or changed."""

import asyncio
import logging
import socket
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any

from webagent.boundary import CHROMIUM_SERVICES, LOOPBACK, Boundary, kind_of
from webagent.browser.names import Names
from webagent.browser.relay import End, joined, reset
from webagent.browser.upstream import Routes, Unreachable
from webagent.hosts import Place, lists, normal_host, place_of

CONNECT_SECONDS = 30.0
HEAD_START = 0.25
"""Seconds that one address of a host is given before the next is tried beside it (RFC 8305)."""
MOST_KEPT = 500
"""Hosts that are remembered as denied or failed."""
BLOCKED = "ERR_BLOCKED_BY_CLIENT"
"""Chromium's word for what was denied."""
_DONE, _FAILED, _DENIED = 0, 1, 2
_log = logging.getLogger(__name__)


class Denied(Exception):
    """The boundary is in the way."""


class Gateway:
    """Listens on a loopback port of its own until it is closed; `boundary` may be exchanged meanwhile.
    `denied` are the hosts (or `host:port`, where only the port is the matter) that were kept out."""

    def __init__(self, boundary: Boundary, routes: Routes) -> None:
        self._routes = routes
        self._names = Names()
        self._ends: set[End] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._port = 0
        self.confine(boundary)

    def confine(self, boundary: Boundary) -> None:
        """Begins a run with this boundary."""
        self.boundary = boundary
        self.denied: dict[str, None] = {}
        self._failed: dict[Place, str] = {}
        self._home: set[str] = set()

    async def open(self) -> None:
        """Begins to listen."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Asking(self), "127.0.0.1", 0, backlog=512)
        self._port = self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        """Its address, as browsers want it."""
        return f"socks5://127.0.0.1:{self._port}"

    def why(self, url: str, reason: str) -> str:
        """The reason of a failed request: Chromium only knows that its proxy did not connect."""
        place = place_of(url)
        if place and self._failed.get(place) == BLOCKED:
            return BLOCKED
        if "ERR_SOCKS" not in reason:
            return reason
        last = next(reversed(self._failed.values()), reason)
        return self._failed.get(place, last) if place else last

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Runs something until it is done or the gateway closes."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def keep(self, end: End) -> End:
        """An end of a connection, which is closed with the gateway."""
        self._ends.add(end)
        return end

    def forget(self, end: End) -> None:
        """An end that has come to its own."""
        self._ends.discard(end)

    async def reach(self, place: Place) -> tuple[int, End | None]:
        """The SOCKS reply for a place, and the end of a connection to it where there is one."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                end = await self._reached(place)
        except Denied:
            self._deny(place)
            return _DENIED, None
        except (OSError, TimeoutError) as error:
            self._note(place, _net_error(error))
            _log.debug("failed %s:%d %r", *place, error)
            return _FAILED, None
        self._failed.pop(place, None)
        _log.debug("passed %s:%d", *place)
        return _DONE, self.keep(end)

    async def _reached(self, place: Place) -> End:
        """Raises Denied, OSError, TimeoutError."""
        host, port = place
        if not host or not self.boundary.passes(place):
            raise Denied
        upstream = self._routes.of(place)
        if upstream is not None:
            return await upstream.connect(place, self.forget)
        found = await self._names.addresses(host)
        open_ones = [one for one in found if self.boundary.reaches(place, one, self._home)]
        if found and not open_ones:
            raise Denied
        if lists(place, self.boundary.allowed):
            self._home.update(map(kind_of, open_ones))
        connected = await _first_connected(open_ones, port)
        loop = asyncio.get_running_loop()
        _, end = await loop.create_connection(lambda: End(self.forget), sock=connected)
        return end

    def _deny(self, place: Place) -> None:
        _log.debug("denied %s:%d", *place)
        self._note(place, BLOCKED)
        if not lists(place, CHROMIUM_SERVICES) and len(self.denied) < MOST_KEPT:
            self.denied[self.boundary.entry(place)] = None

    def _note(self, place: Place, reason: str) -> None:
        self._failed.pop(place, None)
        if len(self._failed) >= MOST_KEPT:
            self._failed.clear()
        self._failed[place] = reason

    async def close(self) -> None:
        """Ends all connections and stops to listen."""
        if self._server is None:
            return
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for end in list(self._ends):
            if end.transport is not None:
                end.transport.abort()
        self._names.close()
        await self._server.wait_closed()
        self._server = None


class _Asking(asyncio.Protocol):
    """A browser's connection until it is told where it leads (RFC 1928, without authentication)."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._heard = b""
        self._greeted = False
        self._task: asyncio.Task[None] | None = None
        self._end = gateway.keep(End(gateway.forget))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._end.connection_made(transport)
        transport.write(b"\x05\x00")  # the only answer there is; said before it is asked for, it saves a wait

    def data_received(self, data: bytes) -> None:
        self._heard += data
        if self._task is None and not (self._greets() and self._asks()):
            reset(self._transport)

    def _greets(self) -> bool:
        """False where this is no SOCKS 5 client."""
        heard = self._heard
        if self._greeted or (heard[:1] == b"\x05" and len(heard) < 2 + (heard[1:2] or b"\xff")[0]):
            return True
        if heard[:1] != b"\x05" or 0 not in heard[2 : 2 + heard[1]]:
            return False
        self._greeted = True
        self._heard = heard[2 + heard[1] :]
        return True

    def _asks(self) -> bool:
        """False where something else than a connection is asked for."""
        heard = self._heard
        if self._greeted and not b"\x05\x01".startswith(heard[:2]):
            return False
        if not self._greeted or len(heard) < 5:
            return True
        lengths = {1: 4, 3: 1 + heard[4], 4: 16}
        if heard[3] not in lengths:
            return False
        end = 4 + lengths[heard[3]]
        if len(heard) < end + 2:
            return True
        place = _place(heard[3], heard[4:end], int.from_bytes(heard[end : end + 2]))
        self._heard = heard[end + 2 :]
        self._task = self._gateway.spawn(self._answer(place))
        return True

    async def _answer(self, place: Place) -> None:
        reply, far = await self._gateway.reach(place)
        self._transport.write(bytes([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]))
        if far is None:
            self._transport.close()
            return
        joined(self._end, far)
        self._transport.set_protocol(self._end)
        if self._heard:
            self._end.data_received(self._heard)

    def connection_lost(self, error: Exception | None) -> None:
        if self._task is not None:
            self._task.cancel()
        self._end.connection_lost(error)


def _place(kind: int, said: bytes, port: int) -> Place:
    if kind == 3:
        return normal_host(said[1:].decode("ascii", "replace")), port
    return normal_host(socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6, said)), port


def _net_error(error: BaseException) -> str:
    """Chromium's word for why a connection failed."""
    if isinstance(error, Unreachable):
        return error.reason
    words = {
        socket.gaierror: "ERR_NAME_NOT_RESOLVED",
        ConnectionRefusedError: "ERR_CONNECTION_REFUSED",
        ConnectionResetError: "ERR_CONNECTION_RESET",
        TimeoutError: "ERR_CONNECTION_TIMED_OUT",
    }
    return next((word for kind, word in words.items() if isinstance(error, kind)), "ERR_ADDRESS_UNREACHABLE")


async def _first_connected(addresses: Sequence[str], port: int) -> socket.socket:
    """The first connection to one of the addresses ("happy eyeballs"). Raises OSError."""
    error: BaseException = socket.gaierror("no address")
    waiting: set[asyncio.Task[socket.socket]] = set()
    try:
        for address in addresses:
            last = address == addresses[-1]
            if kind_of(address) == LOOPBACK and not last:  # refused at once, if at all
                with suppress(OSError):
                    return await _connected(address, port)
                continue
            waiting.add(asyncio.ensure_future(_connected(address, port)))
            while waiting:
                done, waiting = await asyncio.wait(
                    waiting, timeout=None if last else HEAD_START, return_when=asyncio.FIRST_COMPLETED
                )
                connected = [one.result() for one in done if one.exception() is None]
                for late in connected[1:]:
                    late.close()
                if connected:
                    return connected[0]
                error = next((found for one in done if (found := one.exception())), error)
                if not last:
                    break
        raise error
    finally:
        for one in waiting:
            one.cancel()
            one.add_done_callback(_let_go)


def _let_go(attempt: "asyncio.Task[socket.socket]") -> None:
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result().close()


async def _connected(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        opened.setblocking(False)
        await asyncio.get_running_loop().sock_connect(opened, (address, port))
    except BaseException:
        opened.close()
        raise
    return opened
