"""Secrets in a real browser: typed where they may go and nowhere else, and masked where they come back."""

import base64
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from tests.pages.kit import Hand, Site, serving, visiting
from tests.pages.nasty_login import FOREIGN, KNOWN, PAGES, SHOP, USER
from webagent.actions import Action
from webagent.browser.launch import Chromium
from webagent.secrets import Secret, Secrets

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(name="site", scope="module")
def the_site() -> Iterator[Site]:
    with serving(PAGES) as site:
        yield site


@pytest_asyncio.fixture(name="hand", loop_scope="session")
async def at_the_login(chromium: Chromium, site: Site) -> AsyncIterator[Hand]:
    async with visiting(chromium, site.url("/login", SHOP), secrets=KNOWN) as hand:
        yield hand


async def value_of(hand: Hand, selector: str) -> Any:
    return await hand.session.evaluate(f"document.querySelector({selector!r}).value")


async def test_a_secret_goes_into_what_has_the_focus_too(hand: Hand) -> None:
    await hand.do("click", ref=hand.ref("textbox", "User name"))
    await hand.do("type", text="<secret:USER>")
    assert await value_of(hand, "[name=user]") == USER


async def test_several_lines_and_text_around_a_name_are_typed_as_they_are(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "Remarks"), text="a <secret:NOTE> b")
    assert await value_of(hand, "textarea") == "a two\nlines of it b"
    assert "lines of it" not in hand.text


async def test_names_of_this_page_and_its_frames_are_told(hand: Hand) -> None:
    assert hand.seen.secrets == ("USER", "PASSWORD", "CODE", "NOTE")


async def test_a_frame_without_an_address_is_its_parents(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "Inner name"), text="<secret:USER>")
    assert hand.line("textbox", "Inner name").text == "<secret:USER>"


async def test_a_list_box_takes_no_secret_and_find_looks_for_its_name(hand: Hand) -> None:
    box = hand.ref("combobox", "Kind")
    assert "takes no secret" in (await hand.refuse("select", ref=box, options=["<secret:USER>"])).error
    assert "into a text field only" in (await hand.refuse("type", ref=box, text="<secret:USER>")).error
    await hand.do("type", ref=hand.ref("textbox", "User name"), text="<secret:USER>")
    assert (await hand.do("find", text="Hello <secret:USER>")).message == "1 line has that text"


async def test_a_field_that_cut_a_secret_shows_none_of_it(chromium: Chromium) -> None:
    page = """<label>User <input id=u maxlength=9></label><label>Code <input maxlength=1></label>
    <label>2 <input maxlength=1></label><label>3 <input maxlength=1></label>"""
    with serving(page) as site:
        known = Secrets((Secret("USER", USER), Secret("CODE", "7q8")))
        async with visiting(chromium, site.url(), secrets=known) as hand:
            await hand.do("type", ref=hand.ref("textbox", "User"), text="<secret:USER>")
            assert await value_of(hand, "#u") == USER[:9]
            assert hand.line("textbox", "User").text == "••••••••"
            assert USER[:4] not in hand.text + hand.events
            await hand.do("type", ref=hand.ref("textbox", "Code"), text="<secret:CODE>")
            assert [hand.line("textbox", name).text for name in ("Code", "2", "3")] == ["••••••••"] * 3


async def test_a_frame_that_takes_the_focus_meanwhile_gets_no_more_than_a_letter(chromium: Chromium) -> None:
    thief = "<input id=i><script>setInterval(() => document.querySelector('input').focus(), 1)</script>"

    def front(request: Any) -> tuple[int, dict[str, str], bytes]:
        port = request.headers["Host"].partition(":")[2]
        frame = f"<iframe src='http://{FOREIGN}:{port}/thief'></iframe>"
        return 200, {"Content-Type": "text/html"}, f"<label>User <input></label>{frame}".encode()

    with serving({"/": front, "/thief": thief}) as site:
        async with visiting(chromium, site.url("/", SHOP), secrets=KNOWN) as hand:
            outcome = await hand.session.act(
                Action("type", {"ref": hand.ref("textbox", "User"), "text": "<secret:USER>"})
            )
            await hand.look()
            stolen = next(line for line in hand.seen.lines if line.role == "textbox" and not line.name)
            assert outcome.ok or "the focus left" in outcome.error
            assert len(stolen.text) <= 1, stolen


async def test_a_login_that_tells_everything_shows_names_only(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "User name"), text="<secret:USER>")
    await hand.do("type", ref=hand.ref("textbox", "Password"), text="<secret:PASSWORD>", submit=True)
    seen = hand.seen
    assert seen.title == "Welcome <secret:USER>, <secret:PASSWORD>"
    assert "/welcome/<secret:USER>?user=<secret:USER>&password=<secret:PASSWORD>&" in seen.url
    assert 'alert "Logged in as <secret:USER> with <secret:PASSWORD>"' in hand.events
    assert "Your password is <secret:PASSWORD>, in capitals <secret:PASSWORD>" in hand.text
    assert hand.line("textbox", "Saved").text == "<secret:PASSWORD>"
    await hand.session.evaluate("fetch('/gone?' + new URLSearchParams(both)).then((reply) => reply.status)")
    assert "/gone?user=<secret:USER>&password=<secret:PASSWORD>" in "".join((await hand.look()).events)
    await hand.do("click", ref=hand.ref("link", "Report of <secret:USER>"))
    assert 'download "_secret_USER_ _secret_PASSWORD_.txt"' in hand.events


INK = """async ([picture, selector]) => {
  const image = new Image();
  image.src = "data:image/jpeg;base64," + picture;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const box = document.querySelector(selector).getBoundingClientRect();
  const { data } = context.getImageData(box.x + 3, box.y + 3, box.width - 6, box.height - 6);
  let ink = 0;
  for (let i = 0; i < data.length; i += 4) ink += data[i] < 200 || data[i + 1] > 60 || data[i + 2] < 200;
  return ink;
}"""
"""How many points of an element's picture are not of the colour that covers secrets."""


async def test_pictures_show_no_secret(chromium: Chromium) -> None:
    page = "<style>*{font:40px monospace}</style><label>User <input id=u></label><p>Hello</p><h2>Hello</h2>"
    page += "<script>u.oninput = () => { document.querySelector('p').textContent = u.value; }</script>"
    with serving(page) as site:
        async with visiting(chromium, site.url(), secrets=Secrets((Secret("USER", USER),))) as hand:
            await hand.do("type", ref=hand.ref("textbox", "User"), text="<secret:USER>")
            picture = base64.b64encode(await hand.session.screenshot()).decode()
            ink = [
                await hand.session.evaluate(f"({INK})({json.dumps([picture, selector])})")
                for selector in ("#u", "p", "h2")
            ]
    assert ink[:2] == [0, 0]
    assert ink[2] > 0
