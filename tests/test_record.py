"""A person's gestures become the steps that a model's run would have had."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error

from tests.demonstrating import Person, Showing, demonstrated
from tests.left_behind import MARK, told
from tests.pages.kit import serving
from webagent.browser.history import Moves
from webagent.browser.launch import Chromium
from webagent.demonstration import answer_of
from webagent.observation import Dialog

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORM = """<title>Trip</title><h1>Trip</h1><form action="/done">
<label>From <input name="from"></label> <label>Notes <textarea name="notes"></textarea></label>
<label>Class <select name="class"><option>Economy</option><option>Business</option></select></label>
<label><input type="checkbox" name="pet"> With a pet</label>
<label>Day <input type="date" name="day"></label>
<button>Search</button></form>"""
PAGES = {"/": FORM, "/done": "<h1>Found</h1><p>Price: <b>120 EUR</b></p><a href='/'>Again</a>"}


async def test_a_form_filled_by_hand_gives_one_step_for_each_control(
    chromium: Chromium, tmp_path: Path
) -> None:
    async def show(person: Person) -> None:
        page = person.page
        await person.types(page.get_by_label("From"), "Pitsburg")
        for _ in range(3):
            await person.presses("Backspace")
        await page.keyboard.type("urgh")
        await person.types(page.get_by_label("Notes"), "one")
        await person.presses("Enter")
        await page.keyboard.type("two")
        await page.get_by_label("Class").focus()
        await person.presses("b")
        await person.click(page.get_by_text("With a pet"))
        await person.click(page.get_by_role("button"))
        await person.sees("120 EUR")

    with serving(PAGES) as site:
        shown = await demonstrated(chromium, tmp_path, site.url(), show, answers=["120 EUR"])
    assert shown.actions == [
        {"action": "type", "role": "textbox", "name": "From", "text": "Pitsburgh"},
        {"action": "type", "role": "textbox", "name": "Notes", "text": "one\ntwo"},
        {"action": "select", "role": "combobox", "name": "Class", "options": ["Business"]},
        {"action": "click", "role": "checkbox", "name": "With a pet"},
        {"action": "click", "role": "button", "name": "Search"},
    ]
    assert shown.result.answer == "120 EUR"
    assert (shown.result.status, shown.result.policy, shown.result.exit_code) == ("done", "human", 0)
    assert shown.trajectory.final is not None
    assert "120 EUR" in shown.trajectory.final.page_text


async def shown_on(
    chromium: Chromium, folder: Path, pages: Mapping[str, str] | str, show: Showing, **given: Any
) -> list[dict[str, object]]:
    """The actions of a demonstration on pages of one site."""
    with serving(pages) as site:
        shown = await demonstrated(chromium, folder, site.url(), show, **given)
    assert shown.result.status == "done", shown.result
    return shown.actions


def click(role: str, name: str, **more: object) -> dict[str, object]:
    return {"action": "click", "role": role, "name": name, **more}


async def test_enter_submits_the_typing_and_is_a_step_of_its_own_elsewhere(
    chromium: Chromium, tmp_path: Path
) -> None:
    async def show(person: Person) -> None:
        page = person.page
        await person.types(page.get_by_label("Search"), "tea")
        await person.presses("Enter")
        await person.sees("Found")
        await person.presses("Tab")
        await person.presses("Enter")
        await person.sees("Search")
        await person.click(page.get_by_label("Search"))
        await person.presses("Enter")
        await person.sees("Found")

    form = '<form action="/done"><label>Search <input name="q"></label><button>Go</button></form>'
    done = '<h1>Found</h1><a href="/">Back to the form</a>'
    assert await shown_on(chromium, tmp_path, {"/": form, "/done": done}, show) == [
        {"action": "type", "role": "textbox", "name": "Search", "text": "tea", "submit": True},
        click("link", "Back to the form"),
        {"action": "press", "role": "textbox", "name": "Search", "key": "Enter"},
    ]


async def test_what_scripts_do_is_no_step(chromium: Chromium, tmp_path: Path) -> None:
    async def show(person: Person) -> None:
        await person.click(person.page.get_by_role("button", name="Go"))
        await person.sees("busy once")
        await person.page.evaluate(
            "document.querySelector('[name=q]').dispatchEvent(new Event('input', {bubbles: true}))"
        )
        await person.page.evaluate("document.querySelector('#other').click()")
        for name in await person.page.evaluate(
            "Object.getOwnPropertyNames(window).filter(n => /^_/.test(n))"
        ):
            await person.page.evaluate(f"typeof {name} === 'function' && {name}('{{\"kind\": \"click\"}}')")

    page = """<input name=q aria-label=q><button id=other>Other</button>
    <button onclick="q.value='x'; other.click(); out.textContent='busy once'">Go</button><p id=out></p>
    <script>const q = document.querySelector('[name=q]')</script>"""
    assert await shown_on(chromium, tmp_path, page, show) == [click("button", "Go")]


async def test_shadow_roots_and_frames_of_any_origin_are_seen_into(
    chromium: Chromium, tmp_path: Path
) -> None:
    with serving("<button onclick=\"this.textContent='Paid'\">Pay</button><input aria-label=Card>") as other:
        page = f"""<h1>Shop</h1><x-box></x-box><iframe src="/inner"></iframe><iframe src="{other.url(host="other.localhost")}"></iframe>
        <script>customElements.define("x-box", class extends HTMLElement {{ connectedCallback() {{
        this.attachShadow({{ mode: "closed" }}).innerHTML = "<button>In the box</button>"; }} }})</script>"""

        async def show(person: Person) -> None:
            await person.sees("Card")
            await person.sees("Near")
            await person.click(person.page.get_by_role("button", name="In the box"))
            await person.click(person.page.frame_locator("iframe >> nth=0").get_by_role("link"))
            await person.sees("Inside")
            frame = person.page.frame_locator("iframe >> nth=1")
            await person.types(frame.get_by_role("textbox"), "4000 1234")
            await person.click(frame.get_by_role("button"))
            await person.sees("Paid")

        pages = {"/": page, "/inner": "<a href='/deep'>Near</a>", "/deep": "<p>Inside</p>"}
        assert await shown_on(chromium, tmp_path, pages, show) == [
            click("button", "In the box"),
            click("link", "Near"),
            {"action": "type", "role": "textbox", "name": "Card", "text": "4000 1234"},
            click("button", "Pay"),
        ]


async def test_tabs_popups_and_addresses(chromium: Chromium, tmp_path: Path) -> None:
    async def show(person: Person) -> None:
        first = person.page
        await person.click(first.get_by_role("link", name="Details"))
        await person.sees("The details")
        await person.click(person.page.get_by_role("button", name="More"))
        await person.sees("even more")
        await person.click(person.page.get_by_role("button", name="A note"))
        await person.sees("The note")
        note = person.page
        async with note.expect_event("close"):
            with suppress(Error):  # the tab may be gone before the mouse button is up
                await person.click(note.get_by_role("button", name="Shut"))
        await person.sees("even more")
        popup = person.page
        await person.click(first.get_by_role("button", name="Count"))
        await person.sees("counted")
        await popup.close()
        await first.goto(first.url + "elsewhere")
        await person.sees("Elsewhere")
        await first.goto(first.url.replace("elsewhere", "third"))
        await person.sees("Third")
        await first.go_back()
        await person.sees("Elsewhere")
        await person.click(first.get_by_role("button", name="Its own back"))
        await person.sees("Details")

    pages = {
        "/": """<a href="/details" target="_blank">Details</a>
            <button onclick="out.textContent='counted'">Count</button><p id=out></p>""",
        "/details": "<h1>The details</h1><button onclick=\"out.textContent='even more'\">More</button><p id=out></p>"
        "<button onclick=\"open('/note', '', 'width=300,height=200')\">A note</button>",
        "/note": "<h1>The note</h1><button onclick='window.close()'>Shut</button>",
        "/elsewhere": "<h1>Elsewhere</h1><button onclick='history.back()'>Its own back</button>",
        "/third": "<h1>Third</h1>",
    }
    with serving(pages) as site:
        shown = await demonstrated(chromium, tmp_path, site.url(), show)
    assert shown.actions == [
        click("link", "Details"),
        click("button", "More"),
        click("button", "A note"),
        click("button", "Shut"),
        {"action": "tab", "op": "switch", "index": 1},
        click("button", "Count"),
        {"action": "tab", "op": "close", "index": 2},
        {"action": "goto", "url": site.url("/elsewhere")},
        {"action": "goto", "url": site.url("/third")},
        {"action": "back"},
        click("button", "Its own back"),
    ]


async def test_only_the_hovering_scrolling_and_keys_that_something_came_of(
    chromium: Chromium, tmp_path: Path
) -> None:
    async def show(person: Person) -> None:
        page = person.page
        await person.points_at(page.get_by_role("heading"))
        await person.points_at(page.get_by_role("button", name="Plain"))
        await person.points_at(page.get_by_text("Products"))
        await person.sees("Lamps")
        await person.click(page.get_by_role("link", name="Lamps"))
        await person.sees("dialog")
        await person.presses("Escape")
        await person.sees("no box")
        await person.presses("Escape")
        await person.click(page.get_by_role("button", name="Plain"))

    page = """<style>ul ul { display: none } li:hover > ul { display: block }</style><h1>Shop</h1>
    <ul><li tabindex=0>Products<ul><li><a href="#" onclick="box.showModal(); out.textContent=''; return false">Lamps</a></ul></ul>
    <dialog id=box onclose="out.textContent='no box'">Lamps of all kinds</dialog><p id=out></p><button>Plain</button>"""
    actions = await shown_on(chromium, tmp_path, page, show)
    assert [(one["action"], one.get("name", one.get("key"))) for one in actions] == [
        ("hover", "Products"),
        ("click", "Lamps"),
        ("press", actions[2].get("name", "Escape")),
        ("click", "Plain"),
    ]
    assert actions[2]["key"] == "Escape"


async def test_questions_answered_in_the_browser_are_dialog_steps(chromium: Chromium, tmp_path: Path) -> None:
    async def answer(person: Person, session: Any, kind: str, **how: object) -> None:
        while (person.recording._stage.dialogs.shown or Dialog("", "")).kind != kind:
            await person.recording._stage.pause(0.02)
        await session.send("Page.handleJavaScriptDialog", how)
        await person.sees(f"after {kind}")

    async def show(person: Person) -> None:
        session = await person.page.context.new_cdp_session(person.page)
        await session.send("Page.enable")
        for kind, how in (("alert", {}), ("confirm", {}), ("prompt", {"promptText": "Ada"})):
            pressing = asyncio.ensure_future(person.click(person.page.get_by_role("button", name=kind)))
            await answer(person, session, kind, accept=True, **how)
            await pressing

    page = "<p id=out></p>" + "".join(
        f"<button onclick=\"{kind}('Sure?'); out.textContent = 'after {kind}'\">{kind}</button>"
        for kind in ("alert", "confirm", "prompt")
    )
    assert await shown_on(chromium, tmp_path, page, show) == [
        click("button", "alert"),
        click("button", "confirm"),
        {"action": "dialog", "accept": True},
        click("button", "prompt"),
        {"action": "dialog", "accept": True, "text": "Ada"},
    ]


async def test_double_clicks_drags_sliders_and_editors(chromium: Chromium, tmp_path: Path) -> None:
    async def show(person: Person) -> None:
        page, mouse = person.page, person.page.mouse
        await person.click(page.get_by_role("button", name="Open"), click_count=2)
        await person.click(page.get_by_role("button", name="Open"), button="right")
        await page.drag_and_drop("#card", "#bin")
        await person.types(page.get_by_role("textbox", name="Body"), "Dear all")
        await page.get_by_label("Volume").focus()
        await person.presses("ArrowRight")
        await person.presses("ArrowRight")
        box = await page.locator("#knob").bounding_box()
        assert box is not None
        await mouse.move(box["x"] + 10, box["y"] + 10)
        await mouse.down()
        await mouse.move(box["x"] + 110, box["y"] + 10, steps=4)
        await mouse.up()

    page = """<button ondblclick="1">Open</button><div id=card draggable=true role=button>Card</div>
    <div id=bin role=region aria-label=Bin ondragover="event.preventDefault()" style="height:60px">Bin</div>
    <div contenteditable role=textbox aria-label=Body></div><input type=range aria-label=Volume value=50>
    <div role=group aria-label=Track style="width:300px;height:20px"><div id=knob role=slider tabindex=0 aria-label=Knob
    style="width:20px;height:20px;background:red" onmousedown="1"></div></div>"""
    with serving(page) as site:
        shown = await demonstrated(chromium, tmp_path, site.url(), show)
    actions = shown.actions
    assert actions[:5] == [
        click("button", "Open", double=True),
        click("button", "Open", button="right"),
        {"action": "drag", "role": "button", "name": "Card", "dx": actions[2]["dx"], "dy": actions[2]["dy"]},
        {"action": "type", "role": "textbox", "name": "Body", "text": "Dear all"},
        {"action": "type", "role": "slider", "name": "Volume", "text": "52"},
    ]
    assert (actions[5]["action"], actions[5]["name"]) == ("drag", "Knob")
    to = [
        step.observation.by_ref[step.action.arguments["to_ref"]].name
        for step in shown.trajectory.steps
        if step.action.tool == "drag"
    ]
    assert to == ["Bin", "Track"]
    assert abs(float(str(actions[5]["dx"])) - 110) < 3


async def test_files_are_an_upload_of_the_control_that_was_clicked(
    chromium: Chromium, tmp_path: Path
) -> None:
    file = tmp_path / "report.txt"
    file.write_text("42")

    async def show(person: Person) -> None:
        page = person.page
        async with page.expect_file_chooser() as chooser:
            await person.click(page.get_by_role("button", name="Attach"))
        session = await page.context.new_cdp_session(page)
        found = await session.send("Runtime.evaluate", {"expression": "document.querySelector('input')"})
        await session.send(
            "DOM.setFileInputFiles", {"files": [str(file)], "objectId": found["result"]["objectId"]}
        )
        assert await chooser.value
        await person.sees("report.txt")

    page = """<input type=file id=f hidden onchange="out.textContent = f.files[0].name">
    <button onclick="f.click()">Attach</button><p id=out></p>"""
    assert await shown_on(chromium, tmp_path, page, show) == [
        {"action": "upload", "role": "button", "name": "Attach", "paths": ["report.txt"]}
    ]


async def test_a_password_is_in_no_step_no_page_and_no_file(chromium: Chromium, tmp_path: Path) -> None:
    async def show(person: Person) -> None:
        await person.types(person.page.get_by_label("Name"), "ada")
        await person.types(person.page.get_by_label("Password"), f"{MARK}!x")
        await person.presses("Enter")
        await person.sees("Welcome")

    def welcome(request: Any) -> Any:
        return 200, {"Content-Type": "text/html"}, f"<h1>Welcome</h1>{request.path}".encode()

    form = """<form action="/in"><label>Name <input name=user></label>
    <label>Password <input name=pass type=password></label><button>Log in</button></form>"""
    with serving({"/": form, "/in": welcome}) as site:
        shown = await demonstrated(chromium, tmp_path, site.url(), show, "log in")
    assert shown.actions == [
        {"action": "type", "role": "textbox", "name": "Name", "text": "ada"},
        {"action": "type", "role": "textbox", "name": "Password", "text": "<secret:PASS>", "submit": True},
    ]
    assert "PASS@" in shown.told.text
    for path in tmp_path.iterdir():
        assert not told(path.read_bytes()), path


async def test_an_end_without_a_step_is_no_success(chromium: Chromium, tmp_path: Path) -> None:
    async def show(person: Person) -> None:
        await person.points_at(person.page.get_by_role("heading"))

    with serving(PAGES) as site:
        shown = await demonstrated(chromium, tmp_path, site.url(), show)
    assert (shown.result.status, shown.result.exit_code, shown.result.reason) == (
        "failed",
        1,
        "nothing was shown",
    )


async def test_closing_the_window_ends_it_and_a_selected_text_is_the_answer(
    chromium: Chromium, tmp_path: Path
) -> None:
    async def show(person: Person) -> None:
        await person.click(person.page.get_by_role("button"))
        await person.sees("120 EUR")
        await person.selects(person.page.get_by_text("120 EUR"))
        await person.page.close()

    with serving(PAGES) as site:
        shown = await demonstrated(chromium, tmp_path, site.url(), show)
    assert (shown.result.answer, shown.actions) == ("120 EUR", [click("button", "Search")])
    assert shown.trajectory.final is not None
    assert "120 EUR" in shown.trajectory.final.page_text


@pytest.mark.parametrize(
    ("line", "answer"),
    [("", "kept"), ("-", None), ("2", "b"), ("3", "3"), ('"2"', "2"), (" 15213 ", "15213")],
)
async def test_the_line_that_gives_the_answer(line: str, answer: str | None) -> None:
    assert answer_of(line, ["a", "b"], "kept") == answer


def entry(number: int, path: str, how: str = "typed") -> dict[str, Any]:
    return {"id": number, "url": f"http://x.test/{path}", "transitionType": how}


@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
async def test_moves_are_told_from_a_history_of_any_moment(late: bool) -> None:
    """The browser may answer before its history has the new page, or after the next move."""
    moves = Moves(None)  # type: ignore[arg-type]
    first, second, third = entry(1, ""), entry(2, "a"), entry(3, "b", "link")
    home = {"entries": [first], "currentIndex": 0}
    there = {"entries": [first, second], "currentIndex": 1}
    clicked = {"entries": [first, second, third], "currentIndex": 2}
    end = {"entries": [first, second, third], "currentIndex": 0}
    steps = [
        (home, first),
        (there, second),
        (clicked, third),
        ({**clicked, "currentIndex": 1}, second),
        (end, first),
    ]
    told = []
    for history, at in steps:
        if at is first and history is home:
            moves.count_from(history, at["url"])
            continue
        told.append(moves.made(end if late else history, at["url"]))
    assert told == [[("goto", {"url": second["url"]})], [], [("back", {})], [("back", {})]]


async def test_a_history_that_does_not_have_the_page_yet_is_taken_by_its_address() -> None:
    moves = Moves(None)  # type: ignore[arg-type]
    entries = [entry(1, ""), entry(2, "a")]
    moves.count_from({"entries": entries, "currentIndex": 1}, entries[1]["url"])
    assert moves.made({"entries": entries, "currentIndex": 1}, entries[0]["url"]) == [("back", {})]
