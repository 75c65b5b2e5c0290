"""Addresses of hosts, looked up beside the event loop and kept for a minute."""

import asyncio
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

from webagent.boundary import PUBLIC, is_local_name, kind_of
from webagent.hosts import is_address

KEPT = 60.0
"""Seconds that Chromium keeps an answer too."""
MOST = 1000
"""Hosts kept; a page may ask for any number."""
AT_A_TIME = 16
Resolve = Callable[[str], Awaitable[tuple[str, ...]]]
LOCAL = ("127.0.0.1", "::1")


class Names:
    """What a run's hosts resolve to. A host that once had a public address has no other kind later: a page's
    own name can't be turned into a way to this machine (DNS rebinding)."""

    def __init__(self, resolve: Resolve | None = None, kept: float = KEPT) -> None:
        self._resolve = resolve or _resolved
        self._kept = kept
        self._known: dict[str, tuple[float, asyncio.Future[tuple[str, ...]]]] = {}
        self._public: set[str] = set()
        self._room = asyncio.Semaphore(AT_A_TIME)

    async def addresses(self, host: str) -> tuple[str, ...]:
        """All addresses of a host in its normal form, the best first. Raises OSError where it has none."""
        if is_local_name(host):
            return LOCAL
        if is_address(host):
            return (host,)
        now = time.monotonic()
        known = self._known.get(host)
        if known is None or now - known[0] >= self._kept or (known[1].done() and known[1].exception()):
            if len(self._known) >= MOST:
                self._known.clear()
            known = self._known[host] = (now, asyncio.ensure_future(self._looked_up(host)))
            known[1].add_done_callback(_seen)  # whoever asked may have gone by then
        return await asyncio.shield(known[1])

    async def _looked_up(self, host: str) -> tuple[str, ...]:
        async with self._room:
            found = await self._resolve(host)
        public = tuple(one for one in found if kind_of(one) == PUBLIC)
        if public:
            self._public.add(host)
        return public if host in self._public else found

    def close(self) -> None:
        """Waits for nothing any more."""
        for _, answer in self._known.values():
            answer.cancel()
        self._known.clear()


def _seen(answer: "asyncio.Future[tuple[str, ...]]") -> None:
    if not answer.cancelled():
        answer.exception()


async def _resolved(host: str) -> tuple[str, ...]:
    """The resolver's answer. It is waited for in a thread that a program's end does not wait for: a resolver
    that is silent may take half a minute."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[tuple[str, ...]] = loop.create_future()

    def tell(found: tuple[str, ...], error: OSError | None) -> None:
        if not answer.done():
            answer.set_exception(error) if error else answer.set_result(found)

    def ask() -> None:
        found: tuple[str, ...] = ()
        error: OSError | None = None
        try:
            entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            found = tuple(dict.fromkeys(str(entry[4][0]) for entry in entries))
        except OSError as failed:
            error = failed
        except UnicodeError as failed:  # a label of more than 63 characters
            error = OSError(str(failed))
        with suppress(RuntimeError):  # the loop may have ended meanwhile
            loop.call_soon_threadsafe(tell, found, error)

    threading.Thread(target=ask, name=f"lookup {host[:40]}", daemon=True).start()
    return await answer
