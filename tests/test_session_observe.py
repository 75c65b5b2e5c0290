import re
import threading
import time
from http.server import BaseHTTPRequestHandler

import pytest

from tests.pages.kit import Reply, serving, visiting
from webagent.actions import Action
from webagent.browser.launch import Chromium
from webagent.errors import BrowserFault

pytestmark = pytest.mark.asyncio(loop_scope="session")


def slow(seconds: float, body: bytes = b"<p>late</p>") -> object:
    def answer(request: BaseHTTPRequestHandler) -> Reply:
        threading.Event().wait(seconds)
        return 200, {"Content-Type": "text/html"}, body

    return answer


async def test_a_debounced_search_is_waited_for(chromium: Chromium) -> None:
    page = """<input aria-label=Search id=s><ul id=l></ul><script>let t;
    s.oninput = () => { clearTimeout(t); t = setTimeout(() => fetch('/data').then((r) => r.text()).then((x) => l.innerHTML = x), 300) }</script>"""
    with serving({"/": page, "/data": slow(0.1, b"<li>Oak</li>")}) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("textbox", "Search"), text="oa")
            assert "Oak" in hand.text


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("f.value = 'late'", 'textbox "Field" [ref=X]: late'),
        ("inner.value = 'late'", 'textbox "Inner" [ref=X]: late'),
        ("c.checked = true", 'checkbox "Box" [checked]'),
        ("s.value = 'b'", 'option "Bee" [selected]'),
        ("p.style.display = 'block'", "paragraph [ref=X]: later"),
        ("p.className = ''", "paragraph [ref=X]: later"),
    ],
)
async def test_what_a_click_changes_a_moment_later_is_seen(
    chromium: Chromium, change: str, shown: str
) -> None:
    page = f"""<style>.x {{ display: none }}</style><p id=p class=x>later</p>
    <input id=f aria-label=Field><input id=c type=checkbox aria-label=Box><div id=h></div>
    <select id=s aria-label=List><option value=a>Ay<option value=b>Bee</select><button id=go>Go</button>
    <script>const root = h.attachShadow({{ mode: "closed" }}); root.innerHTML = "<input aria-label=Inner>";
    const inner = root.firstChild; go.onclick = () => setTimeout(() => {{ {change} }}, 25)</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            assert shown not in re.sub(r"ref=\w+", "ref=X", hand.text)
            await hand.do("click", ref=hand.ref("button", "Go"))
            assert shown in re.sub(r"ref=\w+", "ref=X", hand.text)


async def test_a_page_that_never_rests_is_read_within_its_cap(chromium: Chromium) -> None:
    page = "<p id=o></p><button>Go</button><script>const f = () => { o.textContent = Math.random(); requestAnimationFrame(f) }; f()</script>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            began = time.monotonic()
            await hand.do("click", ref=hand.ref("button", "Go"))
            assert time.monotonic() - began < 4


async def test_frames_nested_foreign_and_lazy_are_read_and_acted_in(chromium: Chromium) -> None:
    page = """<h1>Top</h1><iframe src=/outer></iframe><div style="height:3000px"></div><iframe loading=lazy src=/lazy></iframe>
    <iframe id=f></iframe><script>f.src = 'http://other.localhost:' + location.port + '/foreign'</script>"""
    pages = {
        "/": page,
        "/outer": "<iframe src=/inner></iframe>",
        "/inner": "<button onclick='top.document.title = \"hit\"'>Inner</button>",
        "/lazy": "<button>Lazy</button>",
        "/foreign": "<button onclick='this.textContent = \"Clicked\"'>Foreign</button>",
    }
    with serving(pages) as site:
        async with visiting(chromium, site.url()) as hand:
            assert hand.ref("button", "Lazy")
            await hand.do("click", ref=hand.ref("button", "Inner"))
            assert hand.seen.title == "hit"
            await hand.do("click", ref=hand.ref("button", "Foreign"))
            assert hand.ref("button", "Clicked")


async def test_a_frameset_is_read(chromium: Chromium) -> None:
    with serving(
        {
            "/": "<frameset cols='50%,50%'><frame src=/a><frame src=/b></frameset>",
            "/a": "<button>A</button>",
            "/b": "<button>B</button>",
        }
    ) as site:
        async with visiting(chromium, site.url()) as hand:
            assert hand.ref("button", "A")
            assert hand.ref("button", "B")


ICON = "<span class=gear-icon onclick='1' style='display:inline-block;width:9px;height:9px'></span>"


@pytest.mark.parametrize(
    "script",
    [
        "window.performance = { now: () => 1 }",
        "Array.prototype.toJSON = () => 'spoilt'; CustomEvent = EventTarget = undefined",
        'document.open(); document.write("<input type=password value=pw-7x>" + page); document.close()',
        "onload = () => { document.open(); document.write('<input type=password value=pw-7x>' + page); document.close() }",
    ],
)
async def test_a_page_that_replaces_what_a_reading_needs_is_read_as_any_other(
    chromium: Chromium, script: str
) -> None:
    html = f"<input type=password value=pw-7x>{ICON}<script>const page = `{ICON}`; {script}</script>"
    with serving(html) as site:
        async with visiting(chromium, site.url()) as hand:
            assert hand.ref("button", "gear")
            assert "pw-7x" not in hand.text
            assert all(line.box for line in hand.seen.lines if line.ref)


async def test_no_script_of_a_page_sees_what_it_is_lent_for_a_reading(chromium: Chromium) -> None:
    page = f"""{ICON}<p id=o></p><script>const icon = document.querySelector("span"); let seen = 0;
    const turns = new MessageChannel(); turns.port1.onmessage = () => {{
      if (icon.hasAttribute("role") || icon.hasAttribute("aria-label")) seen++;
      turns.port2.postMessage(0);
    }}; turns.port2.postMessage(0); function told() {{ return seen }}</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            for _ in range(3):
                await hand.look()
            assert hand.ref("button", "gear")
            assert await hand.session.evaluate("told()") == 0


async def test_boxes_inside_of_frames_are_boxes_of_the_page(chromium: Chromium) -> None:
    with serving(
        {"/": "<div style='height:300px'></div><iframe src=/in></iframe>", "/in": "<button>In</button>"}
    ) as site:
        async with visiting(chromium, site.url()) as hand:
            box = hand.line("button", "In").box
            assert box is not None
            assert box[1] > 300


async def test_lone_surrogates_become_replacement_characters(chromium: Chromium) -> None:
    with serving(
        "<p id=p></p><button id=b>x</button><script>p.textContent = 'a \\ud83d b'; document.title = b.textContent = 'c \\udc00'</script>"
    ) as site:
        async with visiting(chromium, site.url()) as hand:
            (hand.text + hand.seen.title).encode()
            assert "�" in hand.text


async def test_a_context_that_is_gone_is_a_fault_of_the_browser(chromium: Chromium) -> None:
    """So it is for a moment while a browser dies: its tabs close before it is known to be dead."""
    with serving("<h1>Alive</h1>") as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.session._stage.context.close()
            outcome = await hand.session.act(Action("wait", {"seconds": 0}))
            assert outcome.changed
            with pytest.raises(BrowserFault):
                await hand.look()


async def test_questions_of_a_judge_are_answered_without_disturbing_the_page(chromium: Chromium) -> None:
    pages = {
        "/": "<h1>Home</h1>",
        "/other": "<p class=x>One</p><p class=x>Two</p>",
        "/api": lambda request: (200, {"Content-Type": "application/json"}, b'{"n": 1}'),
    }
    with serving(pages) as site:
        async with visiting(chromium, site.url()) as hand:
            assert await hand.session.evaluate("document.querySelector('h1').textContent") == "Home"
            assert await hand.session.evaluate("location.pathname", site.url("/other")) == "/other"
            assert await hand.session.text_of(".x", site.url("/other")) == "One\nTwo"
            assert await hand.session.text_of(".none") == ""
            assert await hand.session.request("GET", site.url("/api")) == (200, {"n": 1})
            assert (await hand.session.request("GET", site.url("/none")))[0] == 404
            await hand.look()
            assert hand.seen.tabs == 1
            assert hand.seen.url == site.url()
            assert hand.events == ""
