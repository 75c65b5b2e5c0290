"""The way from the browser to any server: what it relays, what it looks up, and which proxy lies beyond it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from tests.pages.kit import until
from webagent.boundary import Boundary
from webagent.browser.gateway import Gateway
from webagent.browser.names import Names
from webagent.browser.upstream import Routes
from webagent.errors import BrowserFault

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ANY = Boundary(("*",), listed=False)


@asynccontextmanager
async def server(handler: Handler) -> AsyncIterator[int]:
    """A server on loopback, and its port; its connections end with it."""
    opened: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await handler(reader, writer)

    running = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield running.sockets[0].getsockname()[1]
    finally:
        running.close()
        for writer in opened:
            writer.transport.abort()
        await asyncio.sleep(0)


@asynccontextmanager
async def gateway(boundary: Boundary = ANY, proxy: str = "") -> AsyncIterator[Gateway]:
    opened = Gateway(boundary, Routes(proxy))
    await opened.open()
    try:
        yield opened
    finally:
        await opened.close()


async def asked(to: Gateway, host: str, port: int) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
    """The reply code for a place, and the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(to.url.rpartition(":")[2]))
    writer.write(b"\x05\x01\x00")
    assert await reader.readexactly(2) == b"\x05\x00"
    name = host.encode()
    writer.write(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + port.to_bytes(2))
    return (await reader.readexactly(10))[1], reader, writer


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def test_bytes_go_both_ways_and_an_end_ends_both() -> None:
    async with server(echo) as port, gateway() as opened:
        code, reader, writer = await asked(opened, "some.localhost", port)
        assert code == 0
        sent = bytes(range(256)) * 20_000
        writer.write(sent)
        assert await reader.readexactly(len(sent)) == sent
        writer.close()
        await ended(opened)


async def ended(opened: Gateway) -> None:
    """Waits until no connection is left."""
    await until(lambda: not opened._ends)


async def test_a_reader_that_rests_stops_the_sender_and_nothing_piles_up() -> None:
    sent = 0
    stuck = asyncio.Event()

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        with suppress(TimeoutError):
            while sent < 100_000_000:
                writer.write(bytes(100_000))
                await asyncio.wait_for(writer.drain(), 0.5)
                sent += 100_000
        stuck.set()
        writer.transport.abort()

    async with server(pour) as port, gateway() as opened:
        _, _, writer = await asked(opened, "localhost", port)
        await asyncio.wait_for(stuck.wait(), 20)
        assert sent < 50_000_000
        writer.transport.abort()
        await ended(opened)


async def test_a_broken_connection_does_not_pass_for_a_whole_answer() -> None:
    async def break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        found = writer.get_extra_info("socket")
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        writer.transport.abort()

    async with server(break_off) as port, gateway() as opened:
        _, reader, writer = await asked(opened, "localhost", port)
        writer.write(b"x")
        with pytest.raises(ConnectionResetError):
            await reader.read()
        writer.close()
        await ended(opened)


@pytest.mark.parametrize(
    "said", [b"GET / HTTP/1.1\r\n\r\n", b"\x04\x01", b"\x05\x01\x02", b"\x05\x01\x00\x05\x02\x00\x01"]
)
async def test_who_speaks_another_language_is_hung_up_on(said: bytes) -> None:
    async with gateway() as opened:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(opened.url.rpartition(":")[2]))
        writer.write(said)
        with suppress(ConnectionResetError):
            assert await reader.read() in (b"", b"\x05\x00")
        writer.close()
        await ended(opened)


async def test_closing_ends_every_connection_and_every_lookup() -> None:
    async with server(echo) as port:
        async with gateway() as opened:
            _, reader, writer = await asked(opened, "localhost", port)
            waiting = asyncio.ensure_future(asked(opened, "no-such-host.invalid", 80))
        assert await reader.read() == b""
        await asyncio.gather(waiting, return_exceptions=True)
        assert not opened._ends
        writer.close()


@pytest.mark.parametrize(
    ("host", "word"),
    [("127.0.0.1", "ERR_CONNECTION_REFUSED"), ("no-such-host.invalid", "ERR_NAME_NOT_RESOLVED")],
)
async def test_the_reason_of_a_failure_is_told_in_the_browsers_words(host: str, word: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        async with gateway() as opened:
            code, _, writer = await asked(opened, host, port)
            assert code == 1
            assert opened.why(f"http://{host}:{port}/", "ERR_SOCKS_CONNECTION_FAILED") == word
            writer.close()


def proxied(seen: list[str], then: Handler) -> Handler:
    """An HTTP proxy for ada, whose password is `p@ss`; what it is asked goes to `seen`."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        seen.append(head)
        if "Proxy-Authorization: Basic YWRhOnBAc3M=" not in head:
            writer.write(b"HTTP/1.1 407 Who are you?\r\n\r\n")
            writer.close()
            return
        if head.startswith("CONNECT"):
            writer.write(b"HTTP/1.1 200 Come in\r\n\r\n")
        await then(reader, writer)

    return serve


async def test_a_proxy_beyond_is_asked_for_tunnels_and_makes_plain_requests_itself() -> None:
    seen: list[str] = []
    plain = b"GET /a?b HTTP/1.1\r\nHost: far.test\r\nConnection: keep-alive\r\nX: y\r\n\r\n"
    upgrade = b"GET /ws HTTP/1.1\r\nHost: far.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    async with server(proxied(seen, echo)) as port, gateway(proxy=f"ada:p%40ss@127.0.0.1:{port}") as opened:
        for place, said in ((443, b"\x16hello"), (8443, b"\x16hello"), (80, upgrade), (80, plain + b"body")):
            code, reader, writer = await asked(opened, "far.test", place)
            assert code == 0
            writer.write(said)
            wanted = b"body" if said.startswith(plain) else said
            assert await reader.readexactly(len(wanted)) == wanted
            writer.close()
        await ended(opened)
    assert [head.split("\r\n")[0] for head in seen] == [
        "CONNECT far.test:443 HTTP/1.1",
        "CONNECT far.test:8443 HTTP/1.1",
        "CONNECT far.test:80 HTTP/1.1",
        "GET http://far.test/a?b HTTP/1.1",
    ]
    assert "Connection: close" in seen[-1]
    assert "keep-alive" not in seen[-1]
    assert seen[-1].endswith("Host: far.test\r\nX: y\r\n\r\n")


async def test_what_a_proxy_beyond_refuses_is_told_and_what_is_denied_never_gets_there() -> None:
    seen: list[str] = []
    listed = Boundary(("far.test",))
    async with server(proxied(seen, echo)) as port, gateway(listed, f"http://127.0.0.1:{port}") as opened:
        code, _, writer = await asked(opened, "far.test", 443)
        assert code == 1
        assert opened.why("https://far.test/", "ERR_SOCKS_CONNECTION_FAILED") == "ERR_UNEXPECTED_PROXY_AUTH"
        writer.close()
        code, _, writer = await asked(opened, "evil.test", 443)
        assert code == 2
        writer.close()
    assert len(seen) == 1


async def test_a_socks_proxy_beyond_gets_the_password_and_the_name() -> None:
    seen: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        greeting = await reader.readexactly(2)
        await reader.readexactly(greeting[1])
        writer.write(b"\x05\x02")
        for _ in range(2):
            head = await reader.readexactly(2 if not seen else 1)
            seen.append(await reader.readexactly(head[-1]))
        writer.write(b"\x01\x00")
        head = await reader.readexactly(5)
        seen.append(await reader.readexactly(head[4]))
        await reader.readexactly(2)
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await echo(reader, writer)

    async with server(serve) as port, gateway(proxy=f"socks5://ada:p%40ss@127.0.0.1:{port}") as opened:
        code, reader, writer = await asked(opened, "far.test", 80)
        assert code == 0
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"
        writer.close()
    assert seen == [b"ada", b"p@ss", b"far.test"]


def test_this_machine_is_reached_through_a_proxy_on_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert Routes("").of(("far.test", 80)) is None
    assert Routes("http://127.0.0.1:1").of(("maps.localhost", 80))
    assert Routes("http://proxy.test:1").of(("maps.localhost", 80)) is None
    assert Routes("http://proxy.test:1").of(("127.0.0.1", 80)) is None
    assert Routes("http://proxy.test:1").of(("far.test", 80))
    monkeypatch.setenv("https_proxy", "http://proxy.test:3128")
    monkeypatch.setenv("no_proxy", "near.test")
    assert Routes("").of(("far.test", 443))
    assert Routes("").of(("far.test", 80)) is None
    assert Routes("").of(("near.test", 443)) is None
    assert Routes("").of(("localhost", 443)) is None
    monkeypatch.setenv("https_proxy", "gopher://proxy.test")
    with pytest.raises(BrowserFault, match="socks5://"):
        Routes("")


async def test_what_a_name_leads_to_is_looked_at_and_not_the_name_alone() -> None:
    where = {"page.test": "127.0.0.1", "cdn.test": "127.0.0.1", "cloud.test": "169.254.169.254"}

    async def resolve(host: str) -> tuple[str, ...]:
        return (where[host],)

    boundary = Boundary(("page.test", "cloud.test"), listed=False)
    async with server(echo) as port, gateway(boundary) as opened:
        opened._names = Names(resolve)
        for host, code in (("cdn.test", 2), ("cloud.test", 2), ("page.test", 0), ("cdn.test", 0)):
            said, _, writer = await asked(opened, host, port)
            assert said == code, host
            writer.close()
