import time

import pytest

from tests.pages.kit import serving, visiting
from webagent.actions import Action
from webagent.browser.launch import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG = "<h1>Top</h1><div style='height:4000px'></div><p>Bottom</p>"
INNER = """<style>html,body{overflow:hidden;height:100%;margin:0}</style>
<div style="height:200px;overflow:auto" id=b role=list><div style="height:1000px" role=listitem>Row <button>Pick</button></div></div>"""


async def test_the_page_scrolls_by_most_of_a_screen_and_says_where_it_ends(chromium: Chromium) -> None:
    with serving(LONG) as site:
        async with visiting(chromium, site.url()) as hand:
            down = await hand.do("scroll", direction="down")
            moved = await hand.session.evaluate("scrollY")
            assert 500 < moved < 720
            assert str(moved) in down.message
            for _ in range(8):
                down = await hand.do("scroll", direction="down")
            assert "end" in down.message
            await hand.do("scroll", direction="up")
            assert "nothing here scrolls" in (await hand.do("scroll", direction="left")).message


async def test_an_inner_box_scrolls_with_a_ref_inside_and_without_any(chromium: Chromium) -> None:
    with serving(INNER) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("scroll", direction="down", ref=hand.ref("button", "Pick"))
            first = await hand.session.evaluate("b.scrollTop")
            await hand.do("scroll", direction="down")
            assert 0 < first < await hand.session.evaluate("b.scrollTop")


async def test_scrolling_loads_more_and_the_observation_has_it(chromium: Chromium) -> None:
    page = """<div id=b style="height:200px;overflow:auto"></div><script>let n = 0;
    const more = () => { for (let i = 0; i < 10; i++) b.insertAdjacentHTML('beforeend', `<p>Depot ${++n}</p>`) };
    more(); b.onscroll = () => { if (b.scrollTop + b.clientHeight > b.scrollHeight - 50 && n < 30) setTimeout(more, 150) }</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            for _ in range(3):
                await hand.do("scroll", direction="down")
            assert "Depot 20" in hand.text


async def test_goto_and_back_follow_the_history_and_stop_at_its_beginning(chromium: Chromium) -> None:
    with serving({"/": "<h1>First</h1>", "/two": "<h1>Second</h1>"}) as site:
        async with visiting(chromium, site.url()) as hand:
            assert "go back" in (await hand.refuse("back")).error
            outcome = await hand.do("goto", url=site.url("/two"))
            assert outcome.changed
            assert "Second" in hand.text
            outcome = await hand.do("back")
            assert outcome.changed
            assert "First" in hand.text


async def test_tabs_open_switch_and_close_but_never_the_last(chromium: Chromium) -> None:
    with serving({"/": "<h1>First</h1>", "/two": "<h1>Second</h1>"}) as site:
        async with visiting(chromium, site.url()) as hand:
            outcome = await hand.do("tab", op="new", url=site.url("/two"))
            assert outcome.changed
            assert (hand.seen.tab, hand.seen.tabs) == (2, 2)
            assert "Second" in hand.text
            await hand.do("tab", op="switch", index=1)
            assert hand.seen.tab == 1
            assert "First" in hand.text
            assert "no tab 7" in (await hand.refuse("tab", op="switch", index=7)).error
            await hand.do("tab", op="close", index=2)
            assert (hand.seen.tab, hand.seen.tabs) == (1, 1)
            assert "last tab" in (await hand.refuse("tab", op="close")).error


async def test_wait_returns_as_soon_as_the_text_shows(chromium: Chromium) -> None:
    page = "<p id=o>Wait for it</p><script>setTimeout(() => o.textContent = 'Ready now', 1500)</script>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            began = time.monotonic()
            await hand.do("wait", text="ready NOW")
            assert time.monotonic() - began < 6
            assert "did not show" in (await hand.refuse("wait", text="never", seconds=0.2)).error


async def test_find_counts_lines_and_hands_the_text_to_the_next_observation_alone(chromium: Chromium) -> None:
    rows = "".join(f"<tr><td>M-{n:04}<td>{n}</tr>" for n in range(300))
    with serving(f"<table>{rows}</table>") as site:
        async with visiting(chromium, site.url()) as hand:
            outcome = await hand.do("find", text="m-0127")
            assert "line" in outcome.message
            assert hand.seen.find == "m-0127"
            await hand.look()
            assert hand.seen.find == ""
            assert "no line" in (await hand.do("find", text="absent")).message


async def test_actions_that_are_not_the_browsers_are_refused(chromium: Chromium) -> None:
    with serving(LONG) as site:
        async with visiting(chromium, site.url()) as hand:
            assert not (await hand.session.act(Action("ask", {"question": "?"}))).ok


OWN_END = {
    "/": "<h1>First</h1><a href=/popup target=_blank>Open</a>",
    "/popup": """<button onclick="window.close()">Click</button><button onmousedown="window.close()">Down</button>
<button onkeydown="window.close()">Key</button><label>Text <input oninput="window.close()"></label>
<label>Day <input type=date onchange="window.close()"></label>
<select aria-label=Choice onchange="window.close()"><option>A<option>B</select>""",
}
ENDS: list[tuple[str, str, str, dict[str, object]]] = [
    ("click", "button", "Click", {}),
    ("click", "button", "Down", {}),
    ("press", "button", "Key", {"key": "Enter"}),
    ("type", "textbox", "Text", {"text": "Ada Lovelace", "submit": True}),
    ("type", "textbox", "Day", {"text": "2026-11-30"}),
    ("select", "combobox", "Choice", {"options": ["B"]}),
]


@pytest.mark.parametrize(("tool", "role", "name", "arguments"), ENDS, ids=[end[2] for end in ENDS])
async def test_a_step_that_closes_its_own_tab_was_done(
    chromium: Chromium, tool: str, role: str, name: str, arguments: dict[str, object]
) -> None:
    with serving(OWN_END) as site:
        async with visiting(chromium, site.url()) as hand:
            for _ in range(8):  # the browser's answer and the tab's end race
                await hand.do("click", ref=hand.ref("link", "Open"))
                outcome = await hand.do(tool, ref=hand.ref(role, name), **arguments)
                assert "another tab is current" in outcome.message
                assert "First" in hand.text
