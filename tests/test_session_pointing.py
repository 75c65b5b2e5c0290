import time
from http.server import BaseHTTPRequestHandler

import pytest

from tests.pages.kit import serving, visiting
from webagent.actions import Action
from webagent.browser.launch import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_unknown_ref_is_refused_at_once_with_the_refs_there_are(chromium: Chromium) -> None:
    with serving("<button>One</button><button>Two</button>") as site:
        async with visiting(chromium, site.url()) as hand:
            began = time.monotonic()
            outcome = await hand.session.act(Action("click", {"ref": "e99"}))
            assert time.monotonic() - began < 0.5
            assert outcome.error == "no element e99 on this page; the newest observation has e1…e3"


async def test_left_right_middle_and_double_clicks_arrive(chromium: Chromium) -> None:
    page = """<button id=b>Pad</button><p id=o></p><script>
    for (const type of ['click', 'dblclick', 'contextmenu', 'auxclick'])
      b.addEventListener(type, (e) => { e.preventDefault(); o.textContent += type + e.button + ' ' });</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            ref = hand.ref("button", "Pad")
            await hand.do("click", ref=ref)
            await hand.do("click", ref=ref, button="right")
            await hand.do("click", ref=ref, button="middle")
            await hand.do("click", ref=ref, double=True)
            heard = (await hand.session.evaluate("o.textContent")).split()
            assert heard == [
                "click0",
                "contextmenu2",
                "auxclick2",
                "auxclick1",
                "click0",
                "click0",
                "dblclick0",
            ]


async def test_a_disabled_control_is_refused_at_once(chromium: Chromium) -> None:
    with serving("<button disabled>Send</button>") as site:
        async with visiting(chromium, site.url()) as hand:
            began = time.monotonic()
            outcome = await hand.session.act(Action("click", {"ref": hand.ref("button", "Send")}))
            assert "disabled" in outcome.error
            assert time.monotonic() - began < 0.8


COVERED = """<style>.box{position:relative;width:200px;height:40px} .over{position:absolute;inset:0}</style>
<div class=box><button onclick="o.textContent='under'">Open</button><div class=over onclick="o.textContent='veil'"></div></div>
<div class=box><label for=c class=over style="background:#eee">Agree</label><input type=checkbox id=c></div>
<div class=box><button onclick="o.textContent='half'" style="width:200px">Half</button><div class=over style="background:#333;inset:0 60px"></div></div>
<div class=box><button>Buried</button><div class=over role=dialog style="background:#eee">Cookies, <b>please</b></div></div><p id=o></p>"""


async def test_a_transparent_layer_takes_the_click_as_it_would_a_persons(chromium: Chromium) -> None:
    with serving(COVERED) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Open"))
            assert await hand.session.evaluate("o.textContent") == "veil"


async def test_a_label_over_its_own_field_is_clicked(chromium: Chromium) -> None:
    with serving(COVERED) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("checkbox", "Agree"))
            assert await hand.session.evaluate("c.checked") is True


async def test_a_half_covered_button_is_clicked_where_it_is_free(chromium: Chromium) -> None:
    with serving(COVERED) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Half"))
            assert await hand.session.evaluate("o.textContent") == "half"


async def test_a_covered_button_is_refused_with_what_covers_it_and_page_words_only_in_the_event(
    chromium: Chromium,
) -> None:
    with serving(COVERED) as site:
        async with visiting(chromium, site.url()) as hand:
            outcome = await hand.refuse("click", ref=hand.ref("button", "Buried"))
            assert "covered" in outcome.error
            assert "dialog" in outcome.error
            assert "Cookies" not in outcome.error + outcome.message
            assert 'covered by dialog "Cookies, please"' in hand.events


async def test_a_hidden_checkbox_is_ticked_by_its_label(chromium: Chromium) -> None:
    page = """<style>input{position:absolute;opacity:0;width:0;height:0}</style>
    <label for=c>Rules</label><input type=checkbox id=c>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            line = next(
                line
                for line in hand.seen.lines
                if ("Rules" in hand.seen.words_of(line) and line.ref and line.role != "generic")
                or line.role == "checkbox"
            )
            if line.ref:
                await hand.do("click", ref=line.ref)
                assert await hand.session.evaluate("c.checked") is True


async def test_a_moving_button_is_hit_or_refused_within_a_bound(chromium: Chromium) -> None:
    page = """<style>@keyframes go{to{transform:translateX(200px)}} button{animation:go 3s linear infinite alternate}</style>
    <button onclick="window.hit=1">Catch</button>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            began = time.monotonic()
            await hand.session.act(Action("click", {"ref": hand.ref("button", "Catch")}))
            assert time.monotonic() - began < 6


async def test_a_click_whose_handler_is_slow_is_not_repeated(chromium: Chromium) -> None:
    page = """<button onclick="window.n=(window.n||0)+1; const end=Date.now()+2500; while(Date.now()<end);">Work</button>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Work"))
            assert await hand.session.evaluate("n") == 1


BAGS = """<h1>Bags</h1><button onclick="navigator.sendBeacon('/made'); location.href = '/next'">{name}</button>
<script>window.cover = (ms) => {{ const one = document.body.appendChild(document.createElement("div"));
one.style = "position: fixed; inset: 0; background: #0003"; setTimeout(() => one.remove(), ms); }}</script>"""


def next_page(handler: BaseHTTPRequestHandler) -> tuple[int, dict[str, str], bytes]:
    time.sleep(0.8)
    button = "<button onclick=\"navigator.sendBeacon('/again')\">Continue</button>"
    return 200, {"Content-Type": "text/html"}, f"<h1>Seats</h1>{button}".encode()


@pytest.mark.parametrize(
    ("ms", "name"),
    [
        (150, "Continue"),
        (600, "Continue"),
        (150, "Continue, it intercepts pointer events"),
    ],
)
async def test_a_click_that_waited_for_a_cover_to_go_and_leads_elsewhere_is_made_once(
    chromium: Chromium, ms: int, name: str
) -> None:
    empty = (204, dict[str, str](), b"")
    pages = {
        "/": BAGS.format(name=name),
        "/next": next_page,
        "/made": lambda _: empty,
        "/again": lambda _: empty,
    }
    with serving(pages) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.session.evaluate(f"cover({ms})")
            await hand.do("click", ref=hand.ref("button", "Continue"))
            assert "Seats" in hand.text
        asked = [path for _, path in site.hits]
        assert (asked.count("/made"), asked.count("/again")) == (1, 0)


async def test_what_is_called_the_same_on_a_page_that_came_meanwhile_is_not_clicked(
    chromium: Chromium,
) -> None:
    pages = {"/": BAGS.format(name="Continue"), "/next": next_page}
    with serving(pages) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.session.evaluate("cover(9000); setTimeout(() => location.href = '/next', 100)")
            await hand.refuse("click", ref=hand.ref("button", "Continue"))
        asked = [path for _, path in site.hits]
        assert "/next" in asked
        assert "/again" not in asked


async def test_an_element_far_below_is_scrolled_to(chromium: Chromium) -> None:
    with serving("<div style='height:5000px'></div><button onclick='window.hit=1'>Deep</button>") as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Deep"))
            assert await hand.session.evaluate("hit") == 1


async def test_hover_opens_a_menu_that_only_hover_shows(chromium: Chromium) -> None:
    page = "<style>.m{display:none} li:hover .m{display:inline}</style><ul><li>Old recipe <span class=m><button onclick='document.title=1'>Delete</button></span></ul>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("hover", ref=hand.ref("listitem", "Old recipe"))
            await hand.do("click", ref=hand.ref("button", "Delete"))
            assert hand.seen.title == "1"


DND = """<style>div{width:100px;height:60px;background:#ddd;margin:10px}</style>
<div id=a draggable=true role=button aria-label=Card>Card</div><div style="height:1200px"></div><div id=b role=button aria-label=Bin>Bin</div><script>
a.ondragstart = (e) => e.dataTransfer.setData('text', 'card');
b.ondragover = (e) => e.preventDefault();
b.ondrop = (e) => { e.preventDefault(); document.title = e.dataTransfer.getData('text') + ' ' + Math.round(e.offsetX) + ' ' + Math.round(e.offsetY) };
</script>"""


async def test_html_drag_and_drop_works_also_to_a_target_out_of_view(chromium: Chromium) -> None:
    with serving(DND) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("drag", ref=hand.ref("button", "Card"), to_ref=hand.ref("button", "Bin"))
            assert hand.seen.title.startswith("card ")


async def test_a_drag_by_mouse_events_drops_at_the_given_pixels(chromium: Chromium) -> None:
    page = """<style>div{position:absolute;width:60px;height:30px;background:#ccc}</style>
    <div id=a role=button aria-label=Knob style="left:10px;top:10px"></div>
    <div id=t role=button aria-label=Track style="left:100px;top:100px;width:300px"></div><script>
    a.onmousedown = () => { onmousemove = (e) => { a.style.left = e.clientX - 5 + 'px'; a.style.top = e.clientY - 5 + 'px' };
      onmouseup = (e) => { onmousemove = null; document.title = (e.clientX - 100) + ' ' + (e.clientY - 100) } };</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do(
                "drag", ref=hand.ref("button", "Knob"), to_ref=hand.ref("button", "Track"), dx=40, dy=10
            )
            assert hand.seen.title == "40 10"


async def test_elements_in_shadow_roots_open_and_closed_are_seen_and_clicked(chromium: Chromium) -> None:
    page = """<x-a></x-a><script>customElements.define('x-a', class extends HTMLElement { connectedCallback() {
      for (const mode of ['open', 'closed']) { const host = document.createElement('div'); this.append(host);
        const r = host.attachShadow({ mode }); r.innerHTML = '<button>' + mode + '</button>';
        r.querySelector('button').onclick = () => { document.title += mode } } } })</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "open"))
            await hand.do("click", ref=hand.ref("button", "closed"))
            assert hand.seen.title == "openclosed"
