"""The fixture server: hosts, health, start and stop, and a port that is taken."""

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from html import unescape
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

import webagent
from fixtures_sites import DEFAULT_PORT, SITES
from fixtures_sites.server import FixtureServer, PortInUseError, serving
from tests.test_admin_site import signed_in
from tests.visitor import Visitor


def ask(port: int, path: str, host: str, method: str = "GET") -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request(method, path, headers={"Host": host})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def test_a_site_answers_at_its_own_host_name(server: FixtureServer) -> None:
    status, page = ask(server.port, "/", f"maps.localhost:{server.port}")
    assert status == 200
    assert "<title>Maps</title>" in page


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "bank.localhost", "maps.localhost.example", "maps"]
)
def test_another_host_gets_a_404_page_that_lists_the_sites(server: FixtureServer, host: str) -> None:
    status, page = ask(server.port, "/search?q=cmu", f"{host}:{server.port}")
    assert status == 404
    assert f'href="http://maps.localhost:{server.port}/"' in page


def test_a_hostile_host_header_is_escaped(server: FixtureServer) -> None:
    status, page = ask(server.port, "/", "<script>alert(1)</script>")
    assert status == 404
    assert "<script>" not in page


@pytest.mark.parametrize("host", ["127.0.0.1", "maps.localhost", "unknown.example"])
def test_health_is_answered_at_every_host(server: FixtureServer, host: str) -> None:
    status, text = ask(server.port, "/__health", host)
    assert status == 200
    assert json.loads(text) == {"webagent_sites": list(SITES), "version": webagent.__version__}


def test_reset_answers_with_no_content(server: FixtureServer) -> None:
    assert ask(server.port, "/__reset", "maps.localhost", "POST") == (204, "")


def test_url_names_the_site_and_the_port(server: FixtureServer) -> None:
    assert server.url("maps") == f"http://maps.localhost:{server.port}/"


def test_url_of_an_unknown_site_names_the_ones_there_are(server: FixtureServer) -> None:
    with pytest.raises(ValueError, match="no fixture site 'bank'; there are maps"):
        server.url("bank")


def test_serving_tells_the_sites_of_a_running_server(server: FixtureServer) -> None:
    assert serving(server.port) == SITES


def test_serving_is_empty_once_the_server_has_stopped() -> None:
    with FixtureServer() as running:
        port = running.port
    assert serving(port) == ()


@pytest.mark.parametrize(
    "reply", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnope", b"\x00\xff"]
)
def test_serving_is_empty_when_something_else_answers(reply: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        assert serving(other.getsockname()[1]) == ()
        thread.join()


def test_serving_gives_up_on_a_server_that_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        started = time.perf_counter()
        assert serving(silent.getsockname()[1]) == ()
        assert time.perf_counter() - started < 2


def test_a_taken_port_is_an_oserror_that_names_it(server: FixtureServer) -> None:
    with pytest.raises(PortInUseError, match=f"port {server.port} on 127.0.0.1 is already in use") as caught:
        FixtureServer(server.port).start()
    assert isinstance(caught.value, OSError)


def test_it_starts_fast_and_the_port_is_free_again_after_stop() -> None:
    started = time.process_time()  # of this process alone: the machine may be busy
    first = FixtureServer()
    first.start()
    assert serving(first.port) == SITES
    assert time.process_time() - started < 2
    first.stop()
    second = FixtureServer(first.port)
    second.start()
    assert serving(first.port) == SITES
    second.stop()


def test_pages_over_a_kept_connection_are_as_quick_as_the_first(server: FixtureServer) -> None:
    """With Nagle's algorithm on, each page after the first waits 40 ms for an acknowledgement."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=5)
    taken = []
    for _ in range(9):
        began = time.monotonic()
        connection.request("GET", "/about", headers={"Host": "maps.localhost"})
        assert connection.getresponse().read()
        taken.append(time.monotonic() - began)
    connection.close()
    assert sorted(taken)[len(taken) // 2] < 0.03


@pytest.mark.parametrize("site", SITES)
def test_no_link_of_a_site_leads_to_an_error_of_the_server(server: FixtureServer, site: str) -> None:
    """The 300 addresses nearest to the first page, each way of sorting and filtering among them."""
    someone = Visitor(server.port, site)
    if site == "admin":
        signed_in(someone)
    waiting, known = deque(["/"]), {"/"}
    while waiting and len(known) < 300:
        path = waiting.popleft()
        page = someone.get(path)
        assert page.status < 500, path
        for link in re.findall(r'<a [^>]*?href="([^"#]+)', page.text):
            parts = urlsplit(urljoin(f"http://{site}.localhost{path}", unescape(link)))
            address = f"{parts.path}?{parts.query}".replace(" ", "%20")  # as browsers do
            if parts.hostname == f"{site}.localhost" and address not in known:
                known.add(address)
                waiting.append(address)
    for path in waiting:
        assert someone.get(path).status < 500, path


def test_stop_leaves_no_thread_and_may_be_called_twice() -> None:
    running = FixtureServer()
    running.stop()
    running.start()
    running.start()
    running.stop()
    running.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == f"fixture-sites-{running.port}"]


def test_stop_does_not_wait_for_a_connection_kept_open() -> None:
    running = FixtureServer()
    running.start()
    with socket.create_connection(("127.0.0.1", running.port)) as kept:
        kept.sendall(b"GET / HTTP/1.1\r\nHost: maps.localhost\r\n\r\n")
        assert kept.recv(15) == b"HTTP/1.1 200 OK"
        started = time.perf_counter()
        running.stop()
        assert time.perf_counter() - started < 3


def test_it_listens_on_loopback_only() -> None:
    listening = subprocess.run(
        [sys.executable, "-c", _OTHER_ADDRESS], capture_output=True, text=True, check=True
    )
    assert listening.stdout.strip() == "refused"


_OTHER_ADDRESS = """
import socket
from fixtures_sites.server import FixtureServer
with FixtureServer() as server:
    try:
        socket.create_connection(("127.0.0.2", server.port), timeout=2).close()
        print("open")
    except OSError:
        print("refused")
"""


def test_nothing_is_printed_while_serving() -> None:
    code = (
        "from http.client import HTTPConnection\n"
        "from fixtures_sites.server import FixtureServer\n"
        "with FixtureServer() as server:\n"
        "    c = HTTPConnection('127.0.0.1', server.port)\n"
        "    c.request('GET', '/nowhere', headers={'Host': 'maps.localhost'})\n"
        "    c.getresponse().read()\n"
        "    c.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_importing_the_package_loads_no_web_library() -> None:
    code = "import sys, fixtures_sites; print({'starlette', 'uvicorn', 'jinja2', 'http.client'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_default_port_is_a_user_port() -> None:
    assert DEFAULT_PORT == 8931


def test_the_redesigned_variant_has_the_same_facts_behind_other_controls() -> None:
    with FixtureServer(variant="redesign") as redesigned:
        host = f"maps.localhost:{redesigned.port}"
        home = ask(redesigned.port, "/", host)[1]
        place = ask(redesigned.port, "/place/empire-state-building", host)[1]
        trip = ask(redesigned.port, "/directions?from=moma&to=empire+state+building&mode=foot", host)[1]
        pages = [home, place, trip, *(ask(redesigned.port, path, host)[1] for path in ("/search?q=pharmacy+seattle", "/search?q=xyzzy", "/about", "/none"))]  # fmt: skip
    assert "10118" in place
    assert "Length" in trip
    for old in ("Search for a place", "Get directions", "ZIP code", "Accept all", "<dt>"):
        assert not any(old in page for page in (home, place, trip))
    for page in pages:
        assert page.count("<h1>") == 1
        assert page.count('id="q"') == 1


def test_a_variant_that_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match="no variant 'worse' of the fixture sites; there are redesign"):
        FixtureServer(variant="worse").start()


@pytest.mark.parametrize("arguments", [[], ["--variant", "redesign"]])
def test_the_command_serves_the_sites_until_it_is_interrupted(tmp_path: Path, arguments: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "webagent", "sites", "serve", "--port", "0", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    urls = [process.stdout.readline().strip() for _ in SITES]
    assert urls[0].startswith("http://maps.localhost:")
    port = int(urls[0].rpartition(":")[2].strip("/"))
    assert ask(port, "/", f"maps.localhost:{port}")[0] == 200
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
