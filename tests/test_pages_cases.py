"""The kinds of pages that broke other agents, each done as a sensible model would do it: elements are
found by role and name in the observation. The same scripts run on the original pages where those lie
beside the repository."""

import asyncio
import http.server
import json
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.pages.kit import Hand, visiting
from webagent.browser.launch import Chromium

pytestmark = pytest.mark.asyncio(loop_scope="session")

ORIGINALS = Path(__file__).parents[2] / "shared" / "cases" / "pages"


async def order_in_shadow(hand: Hand) -> None:
    buttons = [line for line in hand.seen.lines if line.role == "button"]
    await hand.do("click", ref=next(one.ref for one in buttons if hand.seen.heading_above(one) == "Harbour"))


async def nested_form(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "Item code"), text="KT-40")
    await hand.do("type", ref=hand.ref("spinbutton", "Pieces"), text="6")
    await hand.do("click", ref=hand.ref("button", "Store"))


async def dialogs(hand: Hand) -> None:
    await hand.do("click", ref=hand.ref("button", "Rename"))
    await hand.do("dialog", accept=True, text="Willow")
    await hand.do("click", ref=hand.ref("button", "Release"))
    await hand.do("dialog", accept=True)
    assert "released" in hand.events


async def late_options(hand: Hand) -> None:
    await hand.do("click", ref=hand.ref("combobox"))
    await hand.do("click", ref=hand.ref("option", "Cedar"))


async def editor(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "Post"), text="Market opens at nine")
    assert hand.events == ""
    await hand.do("click", ref=hand.ref("button", "Share"))


async def native_dates(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "Day"), text="2027-03-09")
    await hand.do("type", ref=hand.ref("textbox", "Start"), text="16:05")
    await hand.do("type", ref=hand.ref("textbox", "Month"), text="2027-04")
    await hand.do("click", ref=hand.ref("button", "Save"))


async def hidden_file(hand: Hand) -> None:
    await hand.do("upload", ref=hand.ref("button", "Add file"), paths=["letter.txt"])
    await hand.do("click", ref=hand.ref("button", "Send"))


async def download(hand: Hand) -> None:
    await hand.do("click", ref=hand.ref("link", "July"))
    assert "2345 bytes" in hand.events


async def new_tab(hand: Hand) -> None:
    await hand.do("click", ref=hand.ref("link", "Seats", row="River"))
    await hand.do("click", ref=hand.ref("button", "C4"))
    await hand.do("click", ref=hand.ref("button", "Reserve"))


async def veiled(hand: Hand) -> None:
    await hand.do("click", ref=hand.ref("button", "Open", nth=1))


async def nameless(hand: Hand) -> None:
    await hand.do("click", ref=hand.ref("button", row="Basil"))


async def label_not_tied(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "String", nth=1), text="We keep nothing")
    await hand.do("click", ref=hand.ref("button", "Save"))


async def rebuilt(hand: Hand) -> None:
    ref = hand.ref("button", "Switch off Heater")
    text = await hand.session.evaluate("document.body.innerText")
    while await hand.session.evaluate("document.body.innerText") == text:
        pass
    await hand.do("click", ref=ref)


async def shell(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "Code word"), text="heron")
    await hand.do("click", ref=hand.ref("button", "Enter"))


async def inner_scroll(hand: Hand) -> None:
    for _ in range(15):
        if "Depot 57" in hand.text:
            break
        await hand.do("scroll", direction="down", ref=hand.ref("button", "Select"))
    await hand.do("click", ref=hand.ref("button", "Select", row="Depot 57"))


async def groups(hand: Hand) -> None:
    await hand.do("select", ref=hand.ref("combobox", "Pay"), options=["Warehouse: Monthly"])
    await hand.do("click", ref=hand.ref("button", "Save"))


async def huge(hand: Hand) -> None:
    await hand.do("find", text="M-3127")
    cell = next(line for line in hand.seen.lines if "M-3127" in line.words)
    assert "737" in (hand.seen.row_of(cell) or cell.words)


async def odd_text(hand: Hand) -> None:
    hand.text.encode()
    await hand.do("type", ref=hand.ref("textbox", "Подпись"), text="Žofie 🐦")
    await hand.do("click", ref=hand.ref("button", "שלח"))


async def hover_menu(hand: Hand) -> None:
    await hand.do("hover", ref=hand.ref("listitem", "Old recipe"))
    await hand.do("click", ref=hand.ref("button", "Delete"))


async def sliders(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("slider", "Target"), text="21.5")
    for _ in range(3):
        await hand.do("press", ref=hand.ref("slider", "Fan"), key="ArrowRight")
    await hand.do("click", ref=hand.ref("button", "Set"))


async def needs_enter(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "Search"), text="globe", submit=True)


async def password(hand: Hand) -> None:
    await hand.do("type", ref=hand.ref("textbox", "Name"), text="guest")
    await hand.do("type", ref=hand.ref("textbox", "Password"), text="violet-kite-9")
    assert "violet" not in hand.text + hand.events
    await hand.do("click", ref=hand.ref("checkbox", "rules"))
    await hand.do("click", ref=hand.ref("button", "Open"))
    assert "violet" not in hand.text + hand.events


Script = Callable[[Hand], Awaitable[None]]
SCRIPTS: dict[str, Script] = {
    "01": order_in_shadow,
    "04": nested_form,
    "06": dialogs,
    "09": late_options,
    "12": editor,
    "13": native_dates,
    "15": hidden_file,
    "17": download,
    "18": new_tab,
    "19": veiled,
    "23": nameless,
    "26": label_not_tied,
    "29": rebuilt,
    "30": shell,
    "31": inner_scroll,
    "32": groups,
    "34": huge,
    "35": odd_text,
    "36": hover_menu,
    "38": sliders,
    "42": needs_enter,
    "45": password,
}


def originals() -> list[Path]:
    return sorted(path.parent for path in ORIGINALS.glob("*/case.json"))


class StaticHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.mark.parametrize("case", originals(), ids=lambda path: path.name)
async def test_an_original_page_is_done(chromium: Chromium, case: Path) -> None:
    if (case / "server.py").exists():
        await _run_with_own_server(chromium, case)
        return
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *given: StaticHandler(*given, directory=str(case))
    )
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        await _do(chromium, case, server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


async def _run_with_own_server(chromium: Chromium, case: Path) -> None:
    """Some cases bring a server, which is a program that takes a port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = await asyncio.create_subprocess_exec(sys.executable, "server.py", str(port), cwd=case)
    try:
        while not _answers(port):
            assert program.returncode is None
        await _do(chromium, case, port)
    finally:
        program.terminate()
        await program.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def _do(chromium: Chromium, case: Path, port: int) -> None:
    check = json.loads((case / "case.json").read_text(encoding="utf-8"))["check"]
    async with visiting(chromium, f"http://127.0.0.1:{port}/", upload_dir=str(case)) as hand:
        await SCRIPTS[case.name[:2]](hand)
        if "js" in check:
            assert await hand.session.evaluate(check["js"]) is True
