"""Kinds of pages that broke other agents and have no test of their own elsewhere."""

import pytest

from tests.pages.kit import serving, visiting
from webagent.browser.launch import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_nameless_twins_are_told_apart_by_their_row(chromium: Chromium) -> None:
    page = """<style>button{width:20px;height:20px}</style><table id=t></table><script>
    for (const n of ['Mint', 'Basil', 'Dill']) { const r = t.insertRow(); r.innerHTML = `<td>${n}<td>1<td><button class=up></button>`;
      r.querySelector('button').onclick = () => { r.cells[1].textContent++; document.title += n } }</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            for _ in range(2):
                await hand.do("click", ref=hand.ref("button", row="Basil"))
            assert hand.seen.title == "BasilBasil"


async def test_fields_with_the_same_meaningless_name_are_reached_by_place(chromium: Chromium) -> None:
    field = "<div><label>{0}</label><div><textarea aria-label='Text area'></textarea></div></div>"
    with serving(field.format("Terms") + field.format("Privacy")) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("textbox", "Text area", nth=1), text="nothing")
            values = await hand.session.evaluate(
                "[...document.querySelectorAll('textarea')].map((t) => t.value)"
            )
            assert values == ["", "nothing"]


async def test_a_needle_in_thousands_of_rows_is_on_the_observation_and_found(chromium: Chromium) -> None:
    page = """<table id=t></table><script>let h = ''; for (let i = 1; i <= 3000; i++) h += `<tr><td>B-${i}<td>${i * 7 % 811}`;
    t.innerHTML = h</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            assert "1 line has" in (await hand.do("find", text="B-2977")).message or hand.seen.find
            line = next(line for line in hand.seen.lines if line.words == "B-2977")
            assert str(2977 * 7 % 811) in hand.seen.row_of(line)


async def test_native_and_aria_sliders_are_set(chromium: Chromium) -> None:
    page = """<input type=range aria-label=Heat min=5 max=30 step=0.5><div role=slider tabindex=0 aria-label=Fan aria-valuenow=0
    id=f style="width:100px;height:20px"></div><script>f.onkeydown = (e) => {
    if (e.key === 'ArrowRight') f.setAttribute('aria-valuenow', +f.getAttribute('aria-valuenow') + 1) }</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("type", ref=hand.ref("slider", "Heat"), text="21.5")
            for _ in range(3):
                await hand.do("press", ref=hand.ref("slider", "Fan"), key="ArrowRight")
            held = await hand.session.evaluate(
                "[document.querySelector('input').value, f.getAttribute('aria-valuenow')]"
            )
            assert held == ["21.5", "3"]


async def test_controls_that_only_scripts_know_have_refs_and_work(chromium: Chromium) -> None:
    page = """<p>Read <span id=s>the rules</span> first.</p><i id=i class=icon-trash style="display:inline-block;width:20px;height:20px;background:#c00"></i>
    <script>s.onclick = () => { document.title += 'rules' }; i.addEventListener('click', () => { document.title += 'trash' })</script>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do(
                "click",
                ref=next(
                    line.ref
                    for line in hand.seen.lines
                    if line.ref and hand.seen.label_of(line) == "the rules"
                ),
            )
            await hand.do(
                "click", ref=next(line.ref for line in hand.seen.lines if line.ref and "trash" in line.name)
            )
            assert hand.seen.title == "rulestrash"
