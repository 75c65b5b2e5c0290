"""A foreign server: whatever reaches it, a mere connection or datagram too, is in its log."""

import socket
import socketserver
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

ANSWERS = {
    "script": "text/javascript",
    "worker": "text/javascript",
    "css": "text/css",
    "events": "text/event-stream",
}


class Canary:
    """Listens on 127.0.0.1, and on the same port for datagrams to any address; `paths` are those asked for, `connections`
    counts all of them."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.connections = 0
        self.datagrams = 0
        self._news = threading.Condition()
        canary = self

        class Visitor(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                canary.connections += 1
                head = b""
                while b"\r\n\r\n" not in head and (more := self.connection.recv(4096)):
                    head += more
                if head:
                    path = head.split(b" ")[1].decode()
                    with canary._news:
                        canary.paths.append(path)
                        canary._news.notify_all()
                    self.wfile.write(answer(path))

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Visitor)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("", self.port))
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while self._udp.recv(2048) != b"end":
            with self._news:
                self.datagrams += 1
                self._news.notify_all()

    def url(self, path: str, host: str = "evil.localhost") -> str:
        return f"http://{host}:{self.port}{path}"

    def missing(self, names: Collection[str], seconds: float) -> set[str]:
        """Which of these paths were not asked for within the time, and `datagram` where none came."""

        def left() -> set[str]:
            return set(names) - {path.strip("/") for path in self.paths} - {"datagram" * bool(self.datagrams)}

        with self._news:
            self._news.wait_for(lambda: not left(), seconds)
        return left()

    def close(self) -> None:
        self._udp.sendto(b"end", ("127.0.0.1", self.port))
        self._server.shutdown()
        self._server.server_close()
        self._udp.close()


def answer(path: str) -> bytes:
    """Something that a page can use, for every origin."""
    kind = next((kind for word, kind in ANSWERS.items() if word in path), "text/html")
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nAccess-Control-Allow-Origin: *\r\n"
    return (head + "Content-Length: 4\r\nConnection: close\r\n\r\n\n\n\n\n").encode()


@contextmanager
def listening() -> Iterator[Canary]:
    """A canary for the length of a block."""
    canary = Canary()
    try:
        yield canary
    finally:
        canary.close()
