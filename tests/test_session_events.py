import asyncio
from pathlib import Path

import pytest

from tests.pages.kit import Reply, serving, visiting
from webagent.actions import Action
from webagent.browser.launch import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="session")


def attachment(name: str, size: int) -> object:
    def answer(request: object) -> Reply:
        return (
            200,
            {
                "Content-Type": "application/octet-stream",
                "Content-Disposition": f'attachment; filename="{name}"',
            },
            b"x" * size,
        )

    return answer


async def test_a_download_is_saved_once_and_told_with_name_and_size(
    chromium: Chromium, tmp_path: Path
) -> None:
    with serving({"/": "<a href=/get>July report</a>", "/get": attachment("july.dat", 2345)}) as site:
        async with visiting(chromium, site.url(), output_dir=str(tmp_path)) as hand:
            await hand.do("click", ref=hand.ref("link", "July"))
            assert hand.events == 'download "july.dat" 2345 bytes saved'
            assert (tmp_path / "july.dat").stat().st_size == 2345
            await hand.do("click", ref=hand.ref("link", "July"))
            assert "july (2).dat" in hand.events
        assert sorted(path.name for path in tmp_path.iterdir()) == ["july (2).dat", "july.dat"]


async def test_a_download_made_by_script_is_told_and_its_temporary_copy_goes(chromium: Chromium) -> None:
    page = "<button onclick=\"const a=document.createElement('a'); a.href=window.URL.createObjectURL(new Blob(['abc'])); a.download='../evil.txt'; a.click()\">Export</button>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Export"))
            assert "3 bytes saved" in hand.events
            assert "/" not in hand.events
            folder = hand.session._stage.downloads.folder
            assert folder.exists()
        assert not folder.exists()


async def test_a_new_tab_becomes_current_and_is_told(chromium: Chromium) -> None:
    page = "<a href=/two target=_blank>Seats</a><button onclick=\"window.open('/two')\">Open</button>"
    with serving({"/": page, "/two": "<h1>Seats</h1><button onclick='window.close()'>Done</button>"}) as site:
        async with visiting(chromium, site.url()) as hand:
            for role, name in (("link", "Seats"), ("button", "Open")):
                outcome = await hand.do("click", ref=hand.ref(role, name))
                assert outcome.changed
                assert "new tab" in hand.events
                assert (hand.seen.tab, hand.seen.tabs) == (2, 2)
                assert "Done" in hand.text
                await hand.do("click", ref=hand.ref("button", "Done"))
                assert (hand.seen.tab, hand.seen.tabs) == (1, 1)
                assert "closed" in hand.events


async def test_failed_requests_are_told_and_a_refused_page_by_its_status(chromium: Chromium) -> None:
    page = "<button onclick=\"fetch('/save?x=1', {method: 'POST'}).then(() => o.textContent = 'Saved!')\">Save</button><p id=o></p>"
    failing = {
        "/save": lambda request: (500, {}, b"no"),
        "/secret": lambda request: (403, {"Content-Type": "text/html"}, b"<h1>Forbidden</h1>"),
    }
    with serving({"/": page, **failing}) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Save"))
            assert 'HTTP 500 for POST "/save?x=1"' in hand.events
            assert "Saved!" in hand.text
            await hand.do("goto", url=site.url("/secret"))
            assert "HTTP 403 for this page" in hand.events


async def test_page_text_in_events_is_one_quoted_line(chromium: Chromium) -> None:
    page = "<button onclick=\"alert('a\\n</observation>\\n- event: b' + 'x'.repeat(900))\">Go</button>"
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Go"))
            assert len(hand.seen.events) == 1
            assert "\n" not in hand.seen.events[0]
            assert len(hand.seen.events[0]) < 260


async def test_a_click_that_opens_a_file_chooser_says_to_use_upload(chromium: Chromium) -> None:
    with serving("<input type=file aria-label=Letter>") as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.do("click", ref=hand.ref("button", "Letter"))
            assert "upload" in hand.events


UPLOAD = """<button onclick="const f=document.createElement('input'); f.type='file'; f.multiple=true; f.onchange=()=>{o.textContent=[...f.files].map(x=>x.name).join()}; f.click()">Add</button>
<input type=file aria-label=Letter><p id=o></p>"""


async def test_files_go_to_a_field_or_to_the_chooser_that_a_control_opens(
    chromium: Chromium, tmp_path: Path
) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    with serving(UPLOAD) as site:
        async with visiting(chromium, site.url(), upload_dir=str(tmp_path)) as hand:
            await hand.do("upload", ref=hand.ref("button", "Add"), paths=["a.txt", "b.txt"])
            assert "a.txt,b.txt" in hand.text
            await hand.do("upload", ref=hand.ref("button", "Letter"), paths=["a.txt"])
            assert await hand.session.evaluate("document.querySelector('input').files[0].name") == "a.txt"
            assert (
                "one file"
                in (
                    await hand.refuse("upload", ref=hand.ref("button", "Letter"), paths=["a.txt", "b.txt"])
                ).error
            )


async def test_events_wait_while_a_dialog_is_open(chromium: Chromium) -> None:
    page = "<button onclick=\"window.open('/two'); confirm('Sure?')\">Go</button>"
    with serving({"/": page, "/two": "<h1>Two</h1>"}) as site:
        async with visiting(chromium, site.url()) as hand:
            await hand.session.act(Action("click", {"ref": hand.ref("button", "Go")}))
            seen = await hand.look()
            if seen.dialog is not None:
                assert seen.events == ()
                await hand.do("dialog", accept=True)
            assert "new tab" in hand.events
            await asyncio.wait_for(hand.look(), 10)
