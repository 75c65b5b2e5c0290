"""Ways in: proxies with a password, HTTP credentials, certificates, the client's language, and logins
that a person made once."""

import asyncio
import base64
import http.server
import json
import shlex
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import webagent
from tests.pages.kit import serving, visiting
from tests.terminal import started
from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.configured import browser_options
from webagent.errors import EnvironmentFault
from webagent.secrets import Secrets
from webagent.settings import Settings

pytestmark = pytest.mark.asyncio(loop_scope="session")


def guarded(header: str, status: int, ask: str, body: bytes) -> Any:
    """A page for ada alone, whose password is `p@ss`."""
    right = "Basic " + base64.b64encode(b"ada:p@ss").decode()

    def answer(request: http.server.BaseHTTPRequestHandler) -> Any:
        if request.headers.get(header) != right:
            return status, {ask: 'Basic realm="x"', "Content-Type": "text/html"}, b"<h1>Who are you?</h1>"
        return 200, {"Content-Type": "text/html"}, body

    return answer


async def test_a_proxy_gets_the_user_and_password_of_its_url() -> None:
    page = guarded("Proxy-Authorization", 407, "Proxy-Authenticate", b"<h1>By the proxy</h1>")
    with serving({"http://far.example/": page}) as proxy:
        options = BrowserOptions(proxy_server=f"http://ada:p%40ss@127.0.0.1:{proxy.port}")
        async with open_browser(options) as chromium, visiting(chromium, "http://far.example/") as hand:
            assert "By the proxy" in hand.text


async def test_a_proxy_that_is_not_there_is_named() -> None:
    async with open_browser(BrowserOptions(proxy_server="http://127.0.0.1:9")) as chromium:
        with pytest.raises(EnvironmentFault, match="nothing answers at --proxy-server"):
            async with visiting(chromium, "http://far.example/"):
                pass


async def test_http_credentials_come_from_the_secrets_and_go_to_their_host_alone() -> None:
    page = guarded("Authorization", 401, "WWW-Authenticate", b"<h1>Hello ada</h1>")
    with serving({"/": page}) as site, serving({"/": page}) as other:
        secrets = Secrets.parse("HTTP_USER@pages.localhost=ada\nHTTP_PASSWORD@pages.localhost=p@ss", "test")
        options = browser_options(Settings(secret_values=secrets), site.url())
        async with open_browser(options) as chromium:
            async with visiting(chromium, site.url(), secrets=secrets) as hand:
                assert "Hello" in hand.text
            with pytest.raises(EnvironmentFault, match="HTTP_USER and HTTP_PASSWORD"):
                async with visiting(chromium, other.url(host="other.localhost")):
                    pass
        assert (
            browser_options(Settings(secret_values=secrets), other.url(host="x.localhost")).http_credentials
            is None
        )


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[str]:
    """The URL of a page with a certificate that nobody knows."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = shlex.split("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=pages.localhost")
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving("<h1>Secure</h1>") as site:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), site.server.RequestHandlerClass)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"https://pages.localhost:{server.server_address[1]}/"
        server.shutdown()
        server.server_close()


async def test_a_bad_certificate_is_refused_with_the_option_that_accepts_it(
    chromium: Chromium, secure: str
) -> None:
    with pytest.raises(EnvironmentFault, match="--ignore-https-errors"):
        async with visiting(chromium, secure):
            pass
    options = BrowserOptions(ignore_https_errors=True)
    async with open_browser(options) as lenient, visiting(lenient, secure) as hand:
        assert "Secure" in hand.text


@pytest.fixture
def known_only(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The URL of a server that lets in who has a certificate of its own making, and secrets that name one."""
    for name in ("server", "ada"):
        request = shlex.split(f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name}")
        files = ["-keyout", tmp_path / f"{name}.key", "-out", tmp_path / f"{name}.pem"]
        subprocess.run([*request, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    context.load_verify_locations(tmp_path / "ada.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    with serving("<h1>Hello ada</h1>") as site:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), site.server.RequestHandlerClass)
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # who is refused
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        files = f"CLIENT_CERT@localhost={tmp_path}/ada.pem\nCLIENT_KEY@localhost={tmp_path}/ada.key"
        yield f"https://localhost:{server.server_address[1]}/", files
        server.shutdown()
        server.server_close()


async def test_a_client_certificate_comes_from_the_secrets(known_only: tuple[str, str]) -> None:
    url, files = known_only
    for text in (files, ""):
        settings = Settings(secret_values=Secrets.parse(text, "test"), ignore_https_errors=True)
        options = browser_options(settings, url)
        async with open_browser(options) as chromium:
            if text:
                async with visiting(chromium, url) as hand:
                    assert "Hello ada" in hand.text
            else:
                with pytest.raises(
                    EnvironmentFault, match=r"CLIENT_CERT and CLIENT_KEY|ERR_SOCKET_NOT_CONNECTED"
                ):
                    async with visiting(chromium, url):
                        pass


async def test_runs_that_share_a_browser_have_their_own_credentials(chromium: Chromium) -> None:
    page = guarded("Authorization", 401, "WWW-Authenticate", b"<h1>Hello ada</h1>")
    with serving({"/": page}) as site:
        secrets = Secrets.parse("HTTP_USER@pages.localhost=ada\nHTTP_PASSWORD@pages.localhost=p@ss", "test")
        given = browser_options(Settings(secret_values=secrets), site.url()).http_credentials
        async with visiting(chromium, site.url(), http_credentials=given) as hand:
            assert "Hello" in hand.text
        with pytest.raises(EnvironmentFault, match="HTTP_USER"):
            async with visiting(chromium, site.url()):
                pass


async def test_the_clients_language_is_sent_and_shown_to_scripts() -> None:
    def answer(request: http.server.BaseHTTPRequestHandler) -> Any:
        sent = request.headers.get("Accept-Language", "")
        return (
            200,
            {"Content-Type": "text/html"},
            f"<h1>{sent}</h1><p id=p></p><script>p.textContent=navigator.language</script>".encode(),
        )

    with serving({"/": answer}) as site:
        async with (
            open_browser(BrowserOptions(locale="de-AT")) as chromium,
            visiting(chromium, site.url()) as hand,
        ):
            assert hand.text.count("de-AT") == 2


LOGIN = """<h1>Log in</h1><form action="/in"><label>Name <input name="user"></label><button>Log in</button></form>"""
MEMBER = """<h1>Members</h1><p id=who></p><script>
const opened = indexedDB.open("app", 1);
opened.onupgradeneeded = () => opened.result.createObjectStore("kept");
opened.onsuccess = () => {
  const kept = opened.result.transaction("kept", "readwrite").objectStore("kept");
  const asked = kept.get("who");
  asked.onsuccess = () => { who.textContent = "Welcome " + (asked.result || "stranger") + ", " + (localStorage.who || "new here"); };
  if (location.hash === "#first") { kept.put("Ada", "who"); localStorage.who = "known"; }
};</script>"""


def members() -> dict[str, Any]:
    """A site that shows its members' page to who has logged in."""

    def home(request: http.server.BaseHTTPRequestHandler) -> Any:
        inside = "session=ada" in request.headers.get("Cookie", "")
        return 200, {"Content-Type": "text/html"}, (MEMBER if inside else LOGIN).encode()

    def enter(request: http.server.BaseHTTPRequestHandler) -> Any:
        cookie = "session=ada; Max-Age=100000; HttpOnly"
        return 303, {"Set-Cookie": cookie, "Location": "/#first"}, b""

    return {"/": home, "/in": enter}


async def test_a_login_made_once_is_what_later_runs_on_that_site_begin_with(tmp_path: Path) -> None:
    with serving(members()) as site:
        webagent("sites", "add", "club", site.url(), cwd=tmp_path)
        async with started(tmp_path, site.url(), ["login", "--site", "club"]) as terminal:
            await terminal.page.get_by_label("Name").click()
            await terminal.page.keyboard.type("ada")
            await terminal.page.keyboard.press("Enter")
            await terminal.page.get_by_text("Welcome").wait_for()
            await terminal.says("\n")
            code, _, err = await terminal.ended()
        assert code == 0, err
        kept = tmp_path / ".webagent" / "club.state.json"
        assert kept.stat().st_mode & 0o777 == 0o600
        assert kept.parent.stat().st_mode & 0o777 == 0o700
        assert (kept.parent / ".gitignore").read_text() == "*\n"
        looking = ["run", "look", "--site", "club", "--policy", "human"]
        seen = await asyncio.to_thread(lambda: webagent(*looking, cwd=tmp_path))
        assert "Welcome Ada, known" in seen.err
        await _beaten_expired_and_forgotten(tmp_path, kept, looking)


async def _beaten_expired_and_forgotten(folder: Path, kept: Path, looking: list[str]) -> None:
    (folder / "none.json").write_text('{"cookies": [], "origins": []}')
    seen = await asyncio.to_thread(lambda: webagent(*looking, "--storage-state", "none.json", cwd=folder))
    assert 'heading "Log in"' in seen.err
    state = json.loads(kept.read_text())
    kept.write_text(json.dumps({**state, "cookies": [{**one, "expires": 5} for one in state["cookies"]]}))
    assert "(expired)" in webagent("sites", "list", cwd=folder).out
    seen = await asyncio.to_thread(lambda: webagent(*looking, cwd=folder))
    assert "the login of 'club' has expired; `webagent login --site club`" in seen.err
    assert webagent("sites", "remove", "club", cwd=folder).code == 0
    assert not kept.exists()
    assert "club" not in (folder / "webagent.toml").read_text()


async def test_a_login_whose_file_is_gone_is_told_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "webagent.toml").write_text('[logins]\nmaps = "gone.json"\n')
    done = webagent("run", "find it", "--site", "maps", cwd=tmp_path)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "webagent login --site maps" in done.err
    assert webagent("sites", "remove", "maps", cwd=tmp_path).code == 0


async def test_states_that_exclude_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{}")
    for pair in (
        ["--storage-state", "s.json", "--user-data-dir", "d"],
        ["--user-data-dir", "d", "--cdp-endpoint", "http://x"],
    ):
        done = webagent("run", "x", "--site", "maps", *pair, cwd=tmp_path)
        assert done.code == 2
        assert "exclude each other" in done.err
