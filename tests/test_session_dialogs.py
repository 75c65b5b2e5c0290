import time

import pytest

from tests.pages.kit import serving, visiting
from webagent.actions import Action
from webagent.browser.launch import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROOM = """<title>Room</title><p id=s>Birch</p><button id=r>Rename</button><button id=d>Delete</button>
<script>
r.onclick = () => { const n = prompt('New "name"?', 'Birch'); s.textContent = n === null ? 'kept' : n; };
d.onclick = () => { if (confirm('Sure?')) { alert('Gone.'); s.textContent = 'deleted'; } else s.textContent = 'kept'; };
</script>"""


async def test_a_click_that_opens_a_prompt_returns_at_once_and_shows_the_dialog_alone(
    chromium: Chromium,
) -> None:
    with serving(ROOM) as site:
        async with visiting(chromium, site.url()) as hand:
            began = time.monotonic()
            outcome = await hand.session.act(Action("click", {"ref": hand.ref("button", "Rename")}))
            assert time.monotonic() - began < 2
            assert outcome.changed
            assert outcome.ok
            seen = await hand.look()
            assert seen.dialog is not None
            assert seen.dialog.kind == "prompt"
            assert (seen.dialog.message, seen.dialog.default) == ('New "name"?', "Birch")
            assert not seen.lines
            assert not seen.events


async def test_other_actions_are_refused_while_a_dialog_is_open_and_dialog_without_one(
    chromium: Chromium,
) -> None:
    with serving(ROOM) as site:
        async with visiting(chromium, site.url()) as hand:
            assert "no dialog" in (await hand.refuse("dialog", accept=True)).error
            ref = hand.ref("button", "Delete")
            await hand.do("click", ref=ref)
            assert "dialog" in (await hand.refuse("click", ref=ref)).error
            await hand.do("dialog", accept=False)
            assert "kept" in hand.text


async def test_two_dialogs_in_a_row_are_answered_one_after_the_other(chromium: Chromium) -> None:
    page = "<button onclick=\"out.textContent = prompt('a') + prompt('b')\">Go</button><p id=out>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Go"))
            await hand.do("dialog", accept=True, text="x")
            assert hand.seen.dialog is not None
            assert hand.seen.dialog.message == "b"
            await hand.do("dialog", accept=True, text="y")
            assert "xy" in hand.text
