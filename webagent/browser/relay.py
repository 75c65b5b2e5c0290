"""Two connections of which each says what the other hears."""

import asyncio
import socket
import struct
from collections.abc import Callable

MOST_WAITING = 256 * 1024
"""Bytes that wait for a slow reader; then its other end is not read from."""
_RESET = struct.pack("ii", 1, 0)


class End(asyncio.Protocol):
    """One end of a relayed connection; what comes in goes out at `other`. `gone` is told of its end."""

    def __init__(self, gone: Callable[["End"], None]) -> None:
        self.transport: asyncio.Transport | None = None
        self.other: End | None = None
        self._gone = gone

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.set_write_buffer_limits(MOST_WAITING)
        self.transport = transport

    def send(self, data: bytes) -> None:
        """Says something to the peer."""
        if self.transport is not None:
            self.transport.write(data)

    def data_received(self, data: bytes) -> None:
        if self.other is not None:
            self.other.send(data)

    def pause_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        other, self.other, self.transport = self.other, None, None
        self._gone(self)
        if other is not None and other.transport is not None:
            other.other = None
            if isinstance(error, ConnectionResetError):
                reset(other.transport)
            else:
                other.transport.resume_reading()  # one that rests would not hear that its peer has gone
                other.transport.close()

    def drop(self) -> None:
        """Ends the connection at once, if there is one."""
        if self.transport is not None:
            self.transport.abort()
        self._gone(self)


def joined(one: End, other: End) -> None:
    """From now on each says what the other hears."""
    one.other, other.other = other, one


def reset(transport: asyncio.Transport) -> None:
    """Breaks a connection off, so that what came does not pass for a whole answer."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    transport.abort()
