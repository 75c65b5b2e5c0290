"""Serve the fixture sites on one loopback port from a background thread."""

import errno
import json
import os
import socket
import threading
from http.client import HTTPConnection, HTTPException
from types import TracebackType
from typing import Self

import uvicorn

from fixtures_sites import SITES
from fixtures_sites.hosts import create_app

LOOPBACK = "127.0.0.1"


class PortInUseError(OSError):
    """The port asked for is taken by another program."""

    def __init__(self, port: int) -> None:
        super().__init__(errno.EADDRINUSE, f"port {port} on {LOOPBACK} is already in use; name another port")


class FixtureServer:
    """All fixture sites on 127.0.0.1 at `port` (0: a free one), from `start()` to `stop()`, as they
    are or in a variant of VARIANTS.

    Also a context manager. Raises PortInUseError (an OSError) when the port is taken, ValueError for
    a variant that there is not.
    """

    def __init__(self, port: int = 0, variant: str = "") -> None:
        self.port = port
        self.variant = variant
        self._running: tuple[_ThreadedServer, threading.Thread] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def url(self, site: str) -> str:
        """The start page of a site; raises ValueError for one that is not served."""
        if site not in SITES:
            raise ValueError(f"no fixture site {site!r}; there are {', '.join(SITES)}")
        return f"http://{site}.localhost:{self.port}/"

    def start(self) -> None:
        """Listen, and return once requests are answered."""
        if self._running:
            return
        app = create_app(self.variant)
        listener = _listen(self.port)
        self.port = listener.getsockname()[1]
        server = _ThreadedServer(
            uvicorn.Config(
                app, log_config=None, log_level="error", access_log=False,
                loop="asyncio", http="h11", ws="none", lifespan="off", timeout_graceful_shutdown=1,
            )
        )  # fmt: skip
        thread = threading.Thread(
            target=server.run, kwargs={"sockets": [listener]}, name=f"fixture-sites-{self.port}", daemon=True
        )
        thread.start()
        server.ready.wait()
        self._running = server, thread

    def stop(self) -> None:
        """Close the port and end the thread; nothing happens when it is not running."""
        if self._running:
            server, thread = self._running
            self._running = None
            server.should_exit = True
            thread.join()


class _ThreadedServer(uvicorn.Server):
    """A uvicorn server that tells other threads when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready.set()


def serving(port: int) -> tuple[str, ...]:
    """The sites that a fixture server on this loopback port has; empty when there is no such server."""
    connection = HTTPConnection(LOOPBACK, port, timeout=0.5)
    try:
        connection.request("GET", "/__health")
        answer = json.loads(connection.getresponse().read(4096))
    except (OSError, HTTPException, ValueError):
        return ()
    finally:
        connection.close()
    sites = answer.get("webagent_sites") if isinstance(answer, dict) else None
    return tuple(str(site) for site in sites) if isinstance(sites, list) else ()


def _listen(port: int) -> socket.socket:
    # asyncio turns Nagle off where the protocol is named: without it each page would take 40 ms more
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # elsewhere the option would let two programs share the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUseError(port) from error
        raise
    return listener
