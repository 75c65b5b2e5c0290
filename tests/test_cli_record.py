"""`webagent record` as a user has it: a process, a terminal, and a browser of their own."""

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from tests.commands import webagent
from tests.pages.kit import serving
from tests.terminal import recording
from webagent.store import Store

if TYPE_CHECKING:
    from playwright.async_api import Page

SHOP = """<h1>Shop</h1><form action="/item"><label>Item <input name="q"></label><button>Look up</button></form>"""
ITEM = """<h1>Item</h1><p id=p></p><dl><dt>Price</dt><dd id=d></dd></dl><script>
const item = new URLSearchParams(location.search).get("q");
document.querySelector("h1").textContent = item;
d.textContent = { lamp: "12.50 EUR", chair: "87.00 EUR", desk: "140.00 EUR" }[item] || "unknown";</script>"""


async def looks_up(page: "Page", item: str) -> None:
    """Types with real keys and waits for the answer."""
    await page.get_by_label("Item").click()
    await page.keyboard.type(item)
    await page.keyboard.press("Enter")
    await page.get_by_text("EUR").wait_for()


async def test_what_was_recorded_once_is_run_for_another_value_without_a_model(tmp_path: Path) -> None:
    with serving({"/": SHOP, "/item": ITEM}) as site:
        async with recording(tmp_path, "find the price of the lamp", site.url(), ["--json"]) as terminal:
            await looks_up(terminal.page, "lamp")
            await terminal.page.get_by_text("12.50 EUR").select_text()
            await terminal.page.wait_for_function("getSelection().toString()")
            await terminal.says("\n\n")
            code, out, err = await terminal.ended()
        assert code == 0, err
        told = json.loads(out)
        assert (told["answer"], told["policy"], told["verdict"]["judge"]) == ("12.50 EUR", "human", "human")
        assert told["workflows"]["learned"]
        assert "Show it once more" in err
        done = webagent("run", "find the price of the chair", "--url", site.url(), "--json", cwd=tmp_path)
    assert (done.code, done.json["answer"]) == (0, "87.00 EUR"), done.err


async def test_ctrl_c_stores_what_was_shown_and_learns_nothing(tmp_path: Path) -> None:
    with serving({"/": SHOP, "/item": ITEM}) as site:
        async with recording(tmp_path, "find the price of the lamp", site.url()) as terminal:
            await looks_up(terminal.page, "lamp")
            terminal.process.send_signal(signal.SIGINT)
            code, _, err = await terminal.ended()
    assert code == 130, err
    with Store.open(tmp_path / "workflows.db") as store:
        [row] = store.runs()
        steps = store.trajectory(row["id"]).steps
    assert row["status"] == "interrupted"
    assert [step.action.tool for step in steps] == ["type"]
    assert webagent("workflows", "list", "--json", cwd=tmp_path).out == ""


def test_it_needs_a_goal_and_a_place_to_start(tmp_path: Path) -> None:
    for arguments in (["", "--site", "maps"], ["find it"], ["find it", "--site", "nowhere"]):
        done = webagent("record", *arguments, cwd=tmp_path)
        assert done.code == 2
        assert done.err.startswith("error: ")
        assert done.err.count("\n") == 1
