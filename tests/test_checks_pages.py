"""Checks 70 to 79: what pages and browsers do to a run, and what becomes of it."""

import ast
import asyncio
import os
import re
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

import webagent
from tests.pages.kit import Answer, Hand, Reply, serving, visiting
from tests.test_session_dialogs import ROOM
from webagent.actions import Action
from webagent.browser.launch import Chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.browser.tabs import MOST
from webagent.shown import render
from webagent.tokens import estimate_tokens

pytestmark = pytest.mark.asyncio(loop_scope="session")

STEP_LIMIT = 30.0 + 2
"""Seconds that one step may take, and the two on top of it that the check allows."""


def slow(seconds: float, body: bytes = b"<p>late</p>") -> Answer:
    """An answer that comes late."""

    def answer(request: BaseHTTPRequestHandler) -> Reply:
        threading.Event().wait(seconds)
        return 200, {"Content-Type": "text/html"}, body

    return answer


def half_a_body(request: BaseHTTPRequestHandler) -> None:
    """A body that stops in the middle, with the connection open for a while."""
    request.send_response(200)
    request.send_header("Content-Type", "text/html")
    request.send_header("Content-Length", "100000")
    request.end_headers()
    request.wfile.write(b"<h1>Half</h1><button>Part</button>")
    request.wfile.flush()
    threading.Event().wait(20)


def dropped(request: BaseHTTPRequestHandler) -> None:
    """A connection that ends before the answer."""
    request.close_connection = True


def to_itself(request: BaseHTTPRequestHandler) -> Reply:
    return 302, {"Location": "/round"}, b""


LIST = """<ul id=l></ul><script>
let names = ['Ana', 'Ben', 'Cy'];
const draw = () => { l.innerHTML = names.map((n) => `<li>${n} <button>Delete</button></li>`).join('');
  l.querySelectorAll('button').forEach((b, i) => b.onclick = () => { document.title = 'deleted ' + names[i] }) };
const rewrite = () => [...l.children].forEach((li, i) => { li.firstChild.data = names[i] + ' ' });
draw(); </script>"""

HOME = "<h1>Home</h1><button onclick='document.title += 1'>Go on</button>"
LOOP = "<h1>Round</h1><script>setTimeout(() => location.reload(), 30)</script>"
TROUBLE: dict[str, tuple[str, str]] = {
    "a server that never answers": ("<a href=/never>In</a>", ""),
    "half a body": ("<a href=/half>In</a>", ""),
    "a redirect for ever": ("<a href=/round>In</a>", ""),
    "a page that reloads for ever": ("<a href=/loop>In</a>", ""),
    "60 downloads": (
        (
            "<button onclick=\"for (let i = 0; i < 60; i++) { const a = document.createElement('a'); "
            "a.href = '/file?' + i; a.download = ''; a.click() }\">In</button>"
        ),
        "download",
    ),
    "an alert every millisecond": (
        "<button onclick=\"setInterval(() => alert('hey'), 1)\">In</button>",
        "hey",
    ),
    "window.close()": ("<button onclick='window.open(location, \"_self\").close()'>In</button>", ""),
    "an image that hangs": ("<a href=/image>In</a>", ""),
    "a connection that is dropped": ("<a href=/dropped>In</a>", "ERR_EMPTY_RESPONSE"),
}
PATHS: dict[str, str | Answer] = {
    "/never": slow(25),
    "/half": half_a_body,
    "/round": to_itself,
    "/loop": LOOP,
    "/dropped": dropped,
    "/two": "<h1>Two</h1>",
    "/image": "<h1>Picture</h1><img src=/never>",
    "/file": lambda request: (200, {"Content-Type": "application/octet-stream"}, b"x" * 1000),
}


SLOW = ("a server that never answers", "half a body", "a page that reloads for ever")


@pytest.mark.parametrize(
    ("page", "told"),
    [
        pytest.param(*given, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name, given in TROUBLE.items()
    ],
)
async def test_check_70_after_any_trouble_the_next_step_works(
    chromium: Chromium, tmp_path: Path, page: str, told: str
) -> None:
    """Whatever a page or server does, the step ends within its time, the model is told, and the next step works:
    hanging and cut answers, endless redirects and reloads, floods of downloads and alerts, closed windows."""
    with serving({"/": HOME, "/in": page, **PATHS}) as site:
        async with visiting(chromium, site.url("/in"), output_dir=str(tmp_path)) as hand:
            role = "link" if "<a " in page else "button"
            began = time.monotonic()
            await hand.session.act(Action("click", {"ref": hand.ref(role, "In")}))
            await hand.look()
            assert time.monotonic() - began < STEP_LIMIT
            assert told in hand.events
            assert hand.seen.tabs <= MOST
            await home(hand, site.url())
        assert len(list(tmp_path.iterdir())) <= 50


async def home(hand: Hand, url: str) -> None:
    """Goes to the home page and uses it."""
    began = time.monotonic()
    await hand.do("goto", url=url)
    assert "Home" in hand.text
    await hand.do("click", ref=hand.ref("button", "Go on"))
    assert hand.seen.title.endswith("1")
    assert time.monotonic() - began < 2 * STEP_LIMIT


@pytest.mark.slow
@pytest.mark.parametrize("way", ["click", "goto"])
async def test_check_71_a_page_whose_script_never_ends_from_the_start_is_left(
    chromium: Chromium, way: str
) -> None:
    """A page that hangs from its first script on is opened once more, then closed, and the next step works."""
    pages = {"/": HOME, "/in": "<a href=/spin>In</a>", "/spin": "<h1>Spin</h1><script>for (;;);</script>"}
    with serving(pages) as site:
        async with visiting(chromium, site.url("/in")) as hand:
            if way == "click":
                await hand.session.act(Action("click", {"ref": hand.ref("link", "In")}))
            else:
                await hand.session.act(Action("goto", {"url": site.url("/spin")}))
            await hand.look()
            assert "hung" in hand.events
            await home(hand, site.url())


@pytest.mark.parametrize(
    "script",
    [
        "setInterval(() => alert('hey'), 1)",
        "for (let i = 0; i < 60; i++) alert('hey')",
        "onload = () => alert('hey')",
    ],
    ids=["every ms", "60 in a row", "as it loads"],
)
async def test_check_72_alerts_neither_hang_nor_flood(chromium: Chromium, script: str) -> None:
    """Alerts one every millisecond, many in a row or during a load are accepted, told once, and hang nothing."""
    with serving({"/": HOME, "/in": f"<h1>In</h1><button>Here</button><script>{script}</script>"}) as site:
        async with visiting(chromium, site.url()) as hand:
            began = time.monotonic()
            await hand.do("goto", url=site.url("/in"))
            assert time.monotonic() - began < STEP_LIMIT
            assert hand.events.count("hey") == 1
            assert hand.ref("button", "Here")
            await home(hand, site.url())


async def test_check_73_a_flood_of_tabs_is_capped_and_the_tabs_are_listed(chromium: Chromium) -> None:
    """A page that opens 100 windows gets ten tabs at most; the model is told of the flood once, and which tabs
    there are."""
    page = "<button onclick=\"for (let i = 0; i < 100; i++) window.open('/two?' + i)\">Flood</button>"
    with serving({"/in": page, "/two": "<h1>Two</h1>", "/": HOME}) as site:
        async with visiting(chromium, site.url("/in")) as hand:
            await hand.do("click", ref=hand.ref("button", "Flood"))
            assert 1 < hand.seen.tabs <= MOST
            assert len(hand.seen.events) <= 25
            assert hand.events.count("the others were closed") == 1
            assert 'tabs: 1 "/in", 2 "/two?' in hand.events
            await hand.do("tab", op="switch", index=1)
            assert hand.ref("button", "Flood")
            await home(hand, site.url())


def ten_thousand() -> str:
    rows = "".join(
        f"<tr><td>M-{n:05}</td><td>{n % 97} pieces</td><td><button>Order</button></td></tr>"
        for n in range(2500)
    )
    return f"<h1>Stock</h1><table>{rows}</table>"


@pytest.mark.slow
async def test_check_74_a_page_of_10_000_elements_is_cut_and_its_target_found(chromium: Chromium) -> None:
    """A page of 10,000 elements is shown within the observation's budget with a line that says what was cut, and
    what the goal names is found and used by `find`."""
    with serving(ten_thousand()) as site:
        async with visiting(chromium, site.url()) as hand:
            shown = render(hand.seen, 4000)
            assert estimate_tokens(shown) <= 4000
            assert re.search(r"… \d+ more lines", shown)
            await hand.do("find", text="M-01999")
            found = render(hand.seen, 4000)
            assert "M-01999" in found
            assert estimate_tokens(found) <= 4400, "matches are shown beyond the budget"
            row = next(line for line in hand.seen.lines if "M-01999" in line.words and line.role == "cell")
            ref = next(
                line.ref for line in hand.seen.subtree(hand.seen.lines[row.parent]) if line.role == "button"
            )
            assert ref in found
            await hand.do("click", ref=ref)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", ["100,000 nodes", "50 MB of text", "5 MB of text"])
async def test_check_74_a_page_too_large_to_list_is_told_and_left(chromium: Chromium, page: str) -> None:
    """100,000 elements or 50 MB of text are shown within the budget, as text alone where they can't be listed in
    time, which is said; the next look at it does not take as long again, and the next step works."""
    made = {
        "100,000 nodes": "<h1>Big</h1><script>document.write('<p><a href=#>Row</a></p>'.repeat(50000))</script>",
        "50 MB of text": f"<h1>Big</h1><p>{'word ' * 10_000_000}",
        "5 MB of text": f"<h1>Big</h1><p>{'word ' * 1_000_000}",
    }[page]
    with serving({"/": HOME, "/big": made}) as site:
        async with visiting(chromium, site.url()) as hand:
            times = []
            await hand.session.act(Action("goto", {"url": site.url("/big")}))
            for _ in range(2):
                began = time.monotonic()
                await hand.look()
                times.append(time.monotonic() - began)
                shown = render(hand.seen, 4000)
                assert "Big" in shown
                assert "…" in shown
                assert estimate_tokens(shown) <= 4000
            assert times[0] < 60
            assert times[1] < 20
            await home(hand, site.url())


async def test_check_77_only_pages_are_snapshot_and_never_single_elements() -> None:
    """A snapshot of one element would make every other ref invalid: the program takes snapshots of whole pages, at
    one place of its code."""
    calls = []
    for path in Path(webagent.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr == "aria_snapshot":
                calls.append((path.name, ast.unparse(node.value)))
    assert calls == [("snapshot.py", "page.locator(f'{PAGE_ENGINE}={number}')")]


async def test_check_77_refs_of_the_observation_live_on_when_the_page_is_read_again(
    chromium: Chromium,
) -> None:
    """On a page that moves it is read once more before an action; the refs that the model saw still mean the same."""
    page = "<p id=o></p><button onclick='document.title = 1'>A</button><button onclick='document.title = 2'>B</button>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            for wanted in ("1", "2", "1"):
                ref = hand.ref("button", "AB"[int(wanted) - 1])
                await hand.session.evaluate("o.textContent += 'moved '")
                outcome = await hand.session.act(Action("click", {"ref": ref}))
                assert outcome.ok
                assert await hand.session.evaluate("document.title") == wanted
            await hand.look()


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
async def test_check_79_the_status_of_a_page_of_errors_is_told(chromium: Chromium, status: int) -> None:
    """A page that came with an HTTP error is told by its status: what blocks the way is not the site."""
    pages: dict[str, str | Answer] = {
        "/": "<a href=/in>In</a>",
        "/in": lambda request: (status, {"Content-Type": "text/html"}, b"<h1>Sorry</h1>"),
    }
    with serving(pages) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("link", "In"))
            assert f"HTTP {status} for this page" in hand.events
            assert "Sorry" in hand.text


async def test_check_78_a_still_page_is_read_without_a_fixed_wait(chromium: Chromium) -> None:
    """A page at rest is read in well under a second."""
    with serving("<h1>Still</h1><button>Go</button>") as site:
        async with visiting(chromium, site.url()) as hand:
            times = []
            for _ in range(5):
                began = time.monotonic()
                await hand.look()
                times.append(time.monotonic() - began)
            assert sorted(times)[2] < 0.6
            assert (hand.seen.title, hand.seen.viewport) == ("", (1280, 720))


async def test_check_75_an_empty_shell_is_waited_for_until_it_fills(chromium: Chromium) -> None:
    """A page that shows nothing at first is waited for until its script has filled it."""
    page = "<div id=r></div><script>setTimeout(() => r.innerHTML = '<button>Enter</button>', 1800)</script>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            assert hand.ref("button", "Enter")


async def test_check_78_answers_in_flight_are_waited_for(chromium: Chromium) -> None:
    """What a request that was sent by a click brings after 3 s is in the next observation."""
    page = "<button onclick=\"fetch('/data').then((r) => r.text()).then((t) => o.innerHTML = t)\">Load</button><p id=o></p>"
    with serving({"/": page, "/data": slow(3)}) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Load"))
            assert "late" in hand.text


@pytest.mark.slow
async def test_check_70_a_frame_that_never_answers_does_not_hold_up_the_rest(chromium: Chromium) -> None:
    """A frame whose server never answers does not keep the rest of the page from being read."""
    with serving({"/": "<button>Here</button><iframe src=/slow></iframe>", "/slow": slow(30)}) as site:
        async with visiting(chromium, site.url()) as hand:
            assert hand.ref("button", "Here")


async def test_check_70_a_crashed_page_is_opened_anew(chromium: Chromium) -> None:
    """A page whose renderer crashed is opened anew, and the model is told."""
    with serving("<h1>Alive</h1>") as site:
        async with visiting(chromium, site.url()) as hand:
            page = hand.session._stage.page
            session = await page.context.new_cdp_session(page)
            async with page.expect_event("crash", timeout=20_000):
                crash = asyncio.ensure_future(session.send("Page.crash"))
            crash.cancel()
            await hand.look()
            assert "Alive" in hand.text
            assert "crashed" in hand.events


async def test_check_70_a_killed_browser_is_started_again_once() -> None:
    """A killed browser is started again, and the page opened anew."""
    async with open_browser(BrowserOptions()) as running:
        with serving("<h1>Alive</h1>") as site:
            async with visiting(running, site.url()) as hand:
                session = await running._browser.new_browser_cdp_session()  # type: ignore[union-attr]
                with pytest.raises(Exception, match=r"closed|Target"):
                    await session.send("Browser.crash")
                await hand.look()
                assert "Alive" in hand.text
                assert "started again" in hand.events


def kill_browser(folder: Path) -> None:
    """SIGKILL to a browser's main process, by the folder of its profile."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        if b"--remote-debugging-pipe" in command and str(folder).encode() in command:
            os.kill(int(path.name), signal.SIGKILL)


@pytest.mark.parametrize(
    "delay", [0, 0.03, *(pytest.param(delay, marks=pytest.mark.slow) for delay in (0.01, 0.06, 0.1))]
)
async def test_check_70_a_browser_that_dies_at_any_moment_of_a_look_is_started_again(
    delay: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser killed at any moment of reading a page is started again."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # tells this browser's processes from others
    page = "<h1>Alive</h1><script>setInterval(() => { document.title += 1 }, 5)</script>"
    async with open_browser(BrowserOptions()) as running:
        with serving(page) as site:
            async with visiting(running, site.url()) as hand:
                looking = asyncio.ensure_future(hand.look())
                await asyncio.sleep(delay)
                kill_browser(tmp_path)
                await looking
                await hand.look()
                assert "Alive" in hand.text


async def test_check_71_an_endless_script_does_not_hang_the_session(chromium: Chromium) -> None:
    """A page hung in an endless script is found out, closed and replaced, and the model is told."""
    page = "<button onclick='setTimeout(() => { for (;;); }, 0)'>Spin</button>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.session.act(Action("click", {"ref": hand.ref("button", "Spin")}))
            await hand.look()
            assert "hung" in hand.events
            assert hand.ref("button", "Spin")


async def test_check_72_a_prompt_is_answered_with_text_its_default_or_dismissed(chromium: Chromium) -> None:
    """A prompt is answered with text or its default, or dismissed, as an action says."""
    with serving(ROOM) as site:
        async with visiting(chromium, site.url()) as hand:
            for answer, shown in (
                ({"accept": True, "text": "Willow"}, "Willow"),
                ({"accept": True}, "Birch"),
                ({"accept": True, "text": ""}, ""),
                ({"accept": False}, "kept"),
            ):
                await hand.do("click", ref=hand.ref("button", "Rename"))
                await hand.do("dialog", **answer)
                assert hand.seen.dialog is None
                assert await hand.session.evaluate("document.getElementById('s').textContent") == shown


async def test_check_72_a_confirm_then_an_alert_are_answered_and_told(chromium: Chromium) -> None:
    """A confirm is shown and answered by an action; the alert after it is accepted and told."""
    with serving(ROOM) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Delete"))
            await hand.do("dialog", accept=True)
            assert 'alert "Gone."' in hand.events
            assert "deleted" in hand.text


async def test_check_72_dialogs_while_the_page_loads_are_shown_or_told(chromium: Chromium) -> None:
    """Dialogs during a load are shown or told like any other."""
    page = "<script>alert('hi'); window.ok = confirm('Cookies?')</script><h1>Shop</h1>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            assert hand.seen.dialog is not None
            assert hand.seen.dialog.message == "Cookies?"
            await hand.do("dialog", accept=True)
            assert "Shop" in hand.text
            assert 'alert "hi"' in hand.events


async def test_check_72_beforeunload_does_not_trap_the_agent(chromium: Chromium) -> None:
    """A beforeunload dialog is accepted and told."""
    page = "<button>Touch</button><a href=/next>Next</a><script>onbeforeunload = (e) => { e.preventDefault(); return 'x' }</script>"
    with serving({"/": page, "/next": "<h1>There</h1>"}) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Touch"))
            await hand.do("click", ref=hand.ref("link", "Next"))
            assert "There" in hand.text
            assert "beforeunload" in hand.events


async def test_check_76_a_rebuilt_list_heals_by_role_name_and_row(chromium: Chromium) -> None:
    """In a list that was rebuilt in another order between look and click, the row that was meant is deleted."""
    with serving(LIST) as site:
        async with visiting(chromium, site.url()) as hand:
            ref = hand.ref("button", "Delete", row="Ana")
            await hand.session.evaluate("names = ['Cy', 'Ana', 'Ben'], draw()")
            await hand.do("click", ref=ref)
            assert hand.seen.title == "deleted Ana"


async def test_check_76_a_list_re_sorted_by_rewriting_its_rows_deletes_the_row_that_was_meant(
    chromium: Chromium,
) -> None:
    """In a list re-sorted by rewriting its rows, the row that was meant is deleted and never another."""
    with serving(LIST) as site:
        async with visiting(chromium, site.url()) as hand:
            ref = hand.ref("button", "Delete", row="Ana")
            await hand.session.evaluate("names = ['Cy', 'Ben', 'Ana'], rewrite()")
            await hand.do("click", ref=ref)
            assert hand.seen.title == "deleted Ana"


async def test_check_76_a_row_that_is_gone_is_refused_and_nothing_is_clicked(chromium: Chromium) -> None:
    """Where the row that was meant is gone, nothing is deleted."""
    with serving(LIST) as site:
        async with visiting(chromium, site.url()) as hand:
            ref = hand.ref("button", "Delete", row="Ana")
            await hand.session.evaluate("names = ['Ben', 'Cy', 'Dan'], draw()")
            refused = await hand.refuse("click", ref=ref)
            assert "no longer" in refused.error
            assert hand.seen.title == ""
