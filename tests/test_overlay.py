"""What a person is shown in the browser's window: they see it, the page and the agent do not."""

import asyncio
import base64
import http.server
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest
import pytest_asyncio

from tests.pages.kit import Answer, Hand, serving, visiting
from webagent.actions import Action
from webagent.browser.launch import Chromium
from webagent.interfaces import Intent
from webagent.observation import Line

pytestmark = pytest.mark.asyncio(loop_scope="session")

WATCHED = """<script>
window.seen = [];
new MutationObserver((records) => seen.push(...records.map((one) => one.type))).observe(
  document, {subtree: true, childList: true, attributes: true, characterData: true});
window.measure = () => [document.querySelectorAll('*').length, document.styleSheets.length,
  document.adoptedStyleSheets.length, document.documentElement.outerHTML.length,
  document.documentElement.scrollWidth, document.documentElement.scrollHeight, document.body.innerText];
</script>"""
BUTTON = "<button onclick=\"document.title = 'pressed'\">Go</button>"
HEADERS = {"Content-Type": "text/html", "Content-Security-Policy": "default-src 'none'; frame-src 'self'"}
PAGES: Mapping[str, Mapping[str, str | Answer]] = {
    "plain": {"/": f"{WATCHED}<h1>Shop</h1><p style='height: 200px'></p>{BUTTON}"},
    "far below": {"/": f"{WATCHED}<p style='height: 3000px'></p>{BUTTON}<p style='height: 900px'></p>"},
    "strict": {"/": lambda handler: (200, HEADERS, b"<h1>Shop</h1><button>Go</button>")},
    "own pseudo-element": {"/": f"<style>html::after {{content: 'mine'}}</style>{WATCHED}{BUTTON}"},
    "frame": {
        "/": f"{WATCHED}<iframe src=/in style='margin: 60px 0 0 90px; height: 300px'></iframe>",
        "/in": f"<p style='height: 50px'></p>{BUTTON}",
    },
    "foreign frame": {
        "/": lambda handler: (
            200,
            {"Content-Type": "text/html"},
            f"{WATCHED}<iframe style='margin: 60px 0 0 90px' src='http://other.localhost:"
            f"{handler.headers['Host'].partition(':')[2]}/in'></iframe>".encode(),
        ),
        "/in": f"<p style='height: 50px'></p>{BUTTON}",
    },
    "closed shadow": {
        "/": f"""{WATCHED}<x-a></x-a><script>document.querySelector('x-a').attachShadow({{mode: 'closed'}})
        .innerHTML = `{BUTTON}`; seen.length = 0</script>"""
    },
    "modal": {"/": f"{WATCHED}<p>behind</p><dialog id=d>{BUTTON}</dialog><script>d.showModal()</script>"},
    "frameset": {
        "/": "<frameset cols='30%,70%'><frame src=/a><frame src=/in></frameset>",
        "/a": "menu",
        "/in": BUTTON,
    },
}
OUTLINED = """async (source) => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + source)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height), paint = canvas.getContext('2d');
  paint.drawImage(image, 0, 0);
  const {data} = paint.getImageData(0, 0, image.width, image.height);
  let box = null;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] < 240 || data[at + 1] > 30 || Math.abs(data[at + 2] - 90) > 30) continue;
    const x = at / 4 % image.width, y = Math.floor(at / 4 / image.width);
    box = box ? [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)] : [x, y, x, y];
  }
  return box;
}"""
CAPTION = """['after', 'before'].map((one) => getComputedStyle(document.documentElement, '::' + one).content)
  .find((text) => text.includes('step ')) || ''"""


def intent(hand: Hand, line: Line, tool: str = "click", **arguments: Any) -> Intent:
    action = Action(tool, {"ref": line.ref, **arguments}, 'it "leads" on; } </style> \\')
    return Intent(3, "buy a lamp", action, hand.seen)


async def shown(hand: Hand, line: Line, tool: str = "click", **arguments: Any) -> Intent:
    meant = intent(hand, line, tool, **arguments)
    await hand.session.show(meant)
    return meant


async def caption_of(hand: Hand) -> str:
    """What stands in the window, where it is drawn while the agent goes on."""
    for _ in range(40):
        if said := str(await hand.session.evaluate(CAPTION)):
            return said
        await asyncio.sleep(0.05)
    return ""


Eye = Callable[[Hand], Awaitable[list[float] | None]]


@pytest_asyncio.fixture(name="outlined", scope="module", loop_scope="session")
async def eye(chromium: Chromium) -> AsyncIterator[Eye]:
    """Left, top, right and bottom of what is outlined in a window, read from its picture."""
    context = await chromium.context()
    page = await context.new_page()

    async def look(hand: Hand) -> list[float] | None:
        # not session.screenshot: its JPEG blurs a line of one pixel
        picture = await hand.session._stage.page.screenshot()
        box: list[float] | None = await page.evaluate(OUTLINED, base64.b64encode(picture).decode())
        return box

    yield look
    await chromium.release(context)


@pytest.mark.parametrize("kind", PAGES)
async def test_the_person_sees_it_and_neither_page_nor_agent_does(
    chromium: Chromium, outlined: Eye, kind: str
) -> None:
    with serving(PAGES[kind]) as site:
        async with visiting(chromium, site.url(), overlay=True, allowed_domains=("*.localhost",)) as hand:
            for _ in range(5):
                if "Go" in hand.text:
                    break
                await hand.look()
            watched = "measure" in str(await hand.session.evaluate("document.documentElement.outerHTML"))
            before = await hand.session.evaluate("window.seen && (seen.length = 0, measure())")
            text = hand.text
            await shown(hand, hand.line("button", "Go"))

            assert "step 3 · buy a lamp" in await hand.session.evaluate(CAPTION)
            await hand.look()
            assert hand.text == text
            if watched:
                assert await hand.session.evaluate("seen.length") == 0
                assert await hand.session.evaluate("measure()") == before
            x, y, width, height = hand.line("button", "Go").box or (0, 0, 0, 0)
            for _ in range(5):  # a busy machine draws late
                if (box := await outlined(hand)) is not None:
                    break
                await shown(hand, hand.line("button", "Go"))
            assert box == pytest.approx([x, y, x + width, y + height], abs=3)
            await hand.do("click", ref=hand.ref("button", "Go"))
            assert await outlined(hand) is None


async def test_the_caption_says_step_goal_action_and_thought_whatever_is_in_them(chromium: Chromium) -> None:
    with serving("<input aria-label='Na&quot;me'>") as site:
        async with visiting(chromium, site.url(), overlay=True) as hand:
            await shown(hand, hand.line("textbox"), "type", text="</style>}* {display: none} \x00é😀")
            said = await hand.session.evaluate(CAPTION)
            assert said == (
                r'"step 3 · buy a lamp\a type textbox \"Na\"me\" text \"</style>}* {display: none} é😀\"\a '
                r'it \"leads\" on; } </style> \\"'
            )


async def test_what_goes_into_a_password_field_is_not_shown(chromium: Chromium) -> None:
    with serving("<input type=password aria-label=Word>") as site:
        async with visiting(chromium, site.url(), overlay=True) as hand:
            await shown(hand, hand.line("textbox"), "type", text="hunter2")
            said = await hand.session.evaluate(CAPTION)
            assert "••••" in said
            assert "hunter2" not in said
            await shown(hand, hand.line("textbox"), "type", text="<secret:WORD>")
            assert "<secret:WORD>" in await hand.session.evaluate(CAPTION)


async def test_the_caption_keeps_away_from_the_element(chromium: Chromium) -> None:
    corners = "".join(
        f"<button style='position: fixed; {place}'>{place}</button>"
        for place in ("top:0;left:0", "top:0;right:0", "bottom:0;left:0", "bottom:0;right:0")
    )
    with serving(corners) as site:
        async with visiting(chromium, site.url(), overlay=True) as hand:
            for line in [line for line in hand.seen.lines if line.role == "button"]:
                await shown(hand, line)
                style = await hand.session.evaluate(
                    "(({top, left, width, height}) => [top, left, width, height])"
                    "(getComputedStyle(document.documentElement, '::after'))"
                )
                top, left, width, height = (float(part.removesuffix("px")) for part in style)
                x, y, wide, high = line.box or (0, 0, 0, 0)
                assert left > x + wide or left + width < x or top > y + high or top + height < y


async def test_it_outlasts_a_navigation_and_follows_into_another_tab(chromium: Chromium) -> None:
    pages = {
        "/": "<a href=/next>Next</a><a href=/next target=_blank>Apart</a>",
        "/next": "<h1>Next page</h1><button>End</button>",
    }
    with serving(pages) as site:
        async with visiting(chromium, site.url(), overlay=True) as hand:
            await shown(hand, hand.line("link", "Next"))
            await hand.do("click", ref=hand.ref("link", "Next"))
            assert "Next" in await caption_of(hand)
            await hand.do("back")
            await shown(hand, hand.line("link", "Apart"))
            await hand.do("click", ref=hand.ref("link", "Apart"))
            await shown(hand, hand.line("button", "End"))
            assert "End" in await hand.session.evaluate(CAPTION)
            await hand.do("tab", op="switch", index=1)
            assert await hand.session.evaluate(CAPTION) == ""


async def test_it_comes_to_documents_that_have_no_element_yet(chromium: Chromium) -> None:
    def late(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        handler.wfile.write(b"<!-- the document is there -->")
        handler.wfile.flush()
        time.sleep(0.4)
        handler.wfile.write(b"<h1>Next page</h1>")

    with serving({"/": "<a href=/late>Next</a>", "/late": late}) as site:
        async with visiting(chromium, site.url(), overlay=True) as hand:
            await shown(hand, hand.line("link", "Next"))
            await hand.do("click", ref=hand.ref("link", "Next"))
            assert "Next page" in hand.text
            assert "Next" in await caption_of(hand)


async def test_the_outline_follows_an_element_that_moves(chromium: Chromium, outlined: Eye) -> None:
    with serving("<button id=b style='position: fixed; top: 20px; left: 20px'>Go</button>") as site:
        async with visiting(chromium, site.url(), overlay=True) as hand:
            await shown(hand, hand.line("button", "Go"))
            await hand.session.evaluate("b.style.top = '220px'")
            for _ in range(40):
                box = await outlined(hand)
                if box and box[1] > 200:
                    break
            assert box is not None
            assert box[1] == pytest.approx(220, abs=3)


@pytest.mark.parametrize(
    "script",
    [
        "alert('a')",
        "confirm('c')",
        "location.href = '/gone'",
        pytest.param("for (;;);", marks=pytest.mark.slow),
        "b.remove()",
    ],
)
async def test_no_page_keeps_a_run_up_by_being_hard_to_draw_on(chromium: Chromium, script: str) -> None:
    page = f"<button id=b>Go</button><script>addEventListener('scroll', () => 0); window.later = () => {{ {script} }}</script>"
    with serving(page) as site:
        async with visiting(chromium, site.url(), overlay=True) as hand:
            line = hand.line("button", "Go")
            await hand.session.evaluate("setTimeout(later, 30)")
            await shown(hand, line)
            await shown(hand, line)
            await hand.look()


async def test_a_browser_that_stays_keeps_nothing_of_it(chromium: Chromium) -> None:
    with serving("<button>Go</button>") as site:
        async with visiting(chromium, site.url(), overlay=True) as hand:
            await shown(hand, hand.line("button", "Go"))
            overlay = hand.session._overlay
            assert overlay is not None
            await overlay.close()
            assert await hand.session.evaluate(CAPTION) == ""
