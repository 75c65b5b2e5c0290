"""The init script that lends roles and names to controls that only scripts know."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from webagent.browser.scripts import lending, private_name
from webagent.observation import Line, Observation, parse_snapshot

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = private_name("__WEBAGENT_KEY__")
SCRIPT = lending()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    page = await browser.new_page()
    await page.add_init_script(SCRIPT)
    yield page
    await page.close()


async def opened(page: Page, html: str) -> None:
    """The HTML as a real document, so that init scripts run first."""
    await page.route(
        "http://page.test/*", lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8")
    )
    await page.goto("http://page.test/")


async def observed(page: Page) -> Observation:
    for frame in page.frames:
        await frame.evaluate(f"globalThis['{KEY}']?.mark()")
    try:
        text = await page.aria_snapshot(mode="ai")
    finally:
        for frame in page.frames:
            await frame.evaluate(f"globalThis['{KEY}']?.unmark()")
    return Observation("http://page.test/", lines=parse_snapshot(text))


def control(page: Observation, label: str) -> Line:
    found = [line for line in page.lines if line.interactive and page.label_of(line) == label]
    assert len(found) == 1, f"{label!r}: {page.page_text}"
    return found[0]


CLOSEST = "<script>document.addEventListener('click', e => { if (e.target.closest('.more')) 1; })</script>"
SHADOW = """<script>const r = h.attachShadow({mode: 'open'}); r.innerHTML = 'x <b>y</b> <span>Buy</span>';
r.querySelector('span').addEventListener('click', () => 1)</script>"""

CONTROLS = {
    "a span with onclick in running text": (
        "<p>Read <span onclick='go()'>the rest</span> now</p>",
        "the rest",
    ),
    "a listener": ("<div id=x>Save</div><script>x.addEventListener('click', () => 1)</script>", "Save"),
    "a handler property": ("<div id=x>Save</div><script>x.onmousedown = () => 1</script>", "Save"),
    "a tabindex": ("<div tabindex=0>Handle</div>", "Handle"),
    "an icon named by its class": (
        "<i id=x class=icon-trash style='display:block;width:9px;height:9px' onclick='go()'></i>",
        "trash",
    ),
    "a nameless native button": (
        "<button class='btn btn-edit-note'><svg width=9></svg></button>",
        "edit note",
    ),
    "a nameless field": ("<input name=zip_code>", "zip code"),
    "an icon inside a control": ("<div onclick='go()'><i class='fa fa-star'></i>&nbsp;</div>", "star"),
    "a private-use glyph": ("<span onclick='go()' id=closeDialog>\ue014</span>", "close dialog"),
    "a shape": (
        "<svg width=90 height=90><circle cx=9 cy=9 r=9 fill=red onclick='go()'></circle></svg>",
        "red circle",
    ),
    "a coloured box": (
        "<div class=swatch style='width:9px;height:9px;background-color:#fe0303' onclick='go()'></div>",
        "red swatch",
    ),
    "a target asked for by closest": (
        "<p>Or <em>not</em> <span class=more>show more</span></p>" + CLOSEST,
        "show more",
    ),
    "a cell": ("<table><tr><td onclick='go()'>7</td><td>8</td></tr></table>", "7"),
    "a pointer cursor in running text": ("<p>Go <span style='cursor:pointer'>on</span> now</p>", "on"),
    "editable text": ("<div contenteditable id=notes>old</div>", "notes"),
    "a custom property of a framework": (
        "<span id=x>Like</span><script>x.$$click = () => 1</script>",
        "Like",
    ),
    "a label of a field that is not rendered": (
        "<p><input type=checkbox id=c hidden style='display:none'>x <label for=c>I agree</label> y</p>",
        "I agree",
    ),
    "shadow content": (
        "<div id=h></div>" + SHADOW,
        "Buy",
    ),
}


@pytest.mark.parametrize("kind", CONTROLS)
async def test_a_scripted_control_is_interactive_and_has_a_name(page: Page, kind: str) -> None:
    html, label = CONTROLS[kind]
    await opened(page, html)

    assert control(await observed(page), label).ref


async def test_a_click_by_ref_reaches_the_control_after_unmark(page: Page) -> None:
    await opened(page, "<p>a <span onclick='document.title = 1 + 1'>go</span> b</p>")

    ref = control(await observed(page), "go").ref
    await page.locator(f"aria-ref={ref}").click(timeout=2000)

    assert await page.title() == "2"


async def test_refs_stay_the_same_when_state_classes_change(page: Page) -> None:
    await opened(
        page,
        "<i id=x class=icon-star style='display:block;width:9px;height:9px' onclick='go()'></i><p id=p>1</p>",
    )
    first = control(await observed(page), "star")

    await page.evaluate("x.className = 'icon-heart chosen'; p.textContent = '2'")

    assert control(await observed(page), "star").ref == first.ref


async def test_the_document_is_as_before_after_unmark(page: Page) -> None:
    html = "<ul onclick='go()' STYLE='Color:red' role=none><li tabindex=0>a<img src=trash.png><td>b</ul><input name=q>"
    await opened(page, html)
    before = await page.evaluate("document.documentElement.outerHTML")

    await observed(page)

    assert await page.evaluate("document.documentElement.outerHTML") == before
    assert await page.evaluate("document.adoptedStyleSheets.length") == 0


async def test_mutation_observers_of_the_page_see_its_own_changes_only(page: Page) -> None:
    await opened(
        page,
        "<div id=x onclick='go()'></div><script>seen = []; new MutationObserver(all => { for (const r of all) "
        "seen.push(r.attributeName) }).observe(document, {subtree: true, attributes: true, childList: true})</script>",
    )
    await page.evaluate("seen.length = 0")

    await observed(page)
    await page.evaluate("x.setAttribute('role', 'link'); x.setAttribute('lang', 'en')")

    await page.wait_for_function("seen.length > 1")
    assert await page.evaluate("seen") == ["role", "lang"]


async def test_what_the_page_changed_meanwhile_is_kept(page: Page) -> None:
    await opened(page, "<div id=x onclick='go()'>go</div>")

    await page.evaluate(f"globalThis['{KEY}'].mark()")
    await page.evaluate("x.setAttribute('role', 'link')")
    await page.evaluate(f"globalThis['{KEY}'].unmark()")

    assert await page.evaluate("x.getAttribute('role')") == "link"


async def test_marks_that_are_not_taken_back_end_by_themselves(page: Page) -> None:
    await opened(page, "<div id=x onclick='go()'>go</div>")

    await page.evaluate(f"globalThis['{KEY}'].mark()")

    assert await page.evaluate("x.getAttribute('role')") == "button"
    await page.wait_for_function("!x.hasAttribute('role')", timeout=8000)


async def test_removed_and_document_wide_listeners_mark_nothing(page: Page) -> None:
    await opened(
        page,
        "<div id=x>one</div><p>a <b>b</b> <span>c</span></p><script>const f = () => 1; x.addEventListener('click', f);"
        "x.removeEventListener('click', f); document.body.addEventListener('click', f); addEventListener('click', f);"
        "x.addEventListener('keydown', f)</script>",
    )

    assert await page.evaluate(f"globalThis['{KEY}'].mark()") == 0


async def test_a_container_with_a_listener_is_no_button(page: Page) -> None:
    await opened(
        page,
        "<div id=card onclick='go()'><p>Text</p><a href=/x>Link</a><span onclick='go()'>Icon</span></div>",
    )

    page_seen = await observed(page)

    holder = next(line for line in page_seen.lines if line.role == "group")
    assert holder.ref
    assert {page_seen.label_of(line) for line in page_seen.subtree(holder) if line.interactive} >= {
        "Link",
        "Icon",
    }


async def test_the_page_cannot_see_the_script_by_looping_or_by_source(page: Page) -> None:
    await opened(page, "<p>x</p>")

    assert await page.evaluate(f"Object.keys(window).includes('{KEY}')") is False
    assert (
        await page.evaluate(f"(() => {{ for (const k in window) if (k === '{KEY}') return true }})()") is None
    )
    assert "[native code]" in await page.evaluate("EventTarget.prototype.addEventListener.toString()")
    assert await page.evaluate("document.addEventListener.name") == "addEventListener"


async def test_odd_listeners_and_observers_work_as_before(page: Page) -> None:
    await opened(page, "<div id=x>x</div>")

    result = await page.evaluate(
        """async () => {
          const heard = [];
          const target = new EventTarget();
          target.addEventListener('click', { handleEvent() { heard.push('object'); } });
          target.addEventListener('click', () => heard.push('once'), { once: true });
          target.addEventListener('click', null);
          target.dispatchEvent(new Event('click')); target.dispatchEvent(new Event('click'));
          class Mine extends MutationObserver { constructor(f) { super(f); } }
          const seen = await new Promise(done => {
            new Mine((records, self) => done([records.length, self instanceof Mine])).observe(x, {attributes: true});
            x.setAttribute('lang', 'en');
          });
          let refused = '';
          try { new MutationObserver(); } catch (error) { refused = error.name; }
          return [heard, seen, refused];
        }"""
    )

    assert result == [["object", "once", "object"], [1, True], "TypeError"]


async def test_a_form_whose_fields_hide_its_properties_stops_nothing(page: Page) -> None:
    await opened(
        page,
        "<form onclick='go()'><input name=tagName><input name=id><input name=style>"
        "<input name=localName><input name=querySelector></form><p>a <span onclick='go()'>fine</span> b</p>",
    )

    assert control(await observed(page), "fine").ref


async def test_frames_are_marked_too(page: Page) -> None:
    await opened(page, "<iframe srcdoc=\"<p>a <span onclick='go()'>inside</span> b</p>\"></iframe>")
    await page.frames[1].wait_for_selector("span")

    line = control(await observed(page), "inside")

    assert re.fullmatch(r"f\d+e\d+", line.ref)


async def test_ten_thousand_scripted_rows_are_marked_fast(page: Page) -> None:
    await opened(
        page,
        "<ul id=u></ul><script>for (let i = 0; i < 5000; i++) { const li = document.createElement('li');"
        "li.innerHTML = 'row <span>' + i + '</span>'; li.lastChild.addEventListener('click', () => 1); u.append(li) }</script>",
    )

    spent = await page.evaluate(
        f"(() => {{ const t = performance.now(); const n = globalThis['{KEY}'].mark(); globalThis['{KEY}'].unmark();"
        "return [n, performance.now() - t]; })()"
    )

    assert spent[0] == 5000
    assert spent[1] < 2000
