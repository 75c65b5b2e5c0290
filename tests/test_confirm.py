"""`--confirm`: which steps are asked about, and what becomes of them."""

import asyncio
import os
import pty
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from tests.commands import environment, webagent
from tests.endpoint import Request, Script, ScriptedEndpoint, observation_of, ref_of, text_of
from tests.pages.kit import Hand, Reply, Site, serving, visiting
from webagent.actions import Action
from webagent.browser.launch import Chromium
from webagent.deeds import deed_of, deed_of_url, says_change
from webagent.intent_text import caption
from webagent.interfaces import Intent
from webagent.memory import WorkflowMemory, repeated_run, routine_workflow
from webagent.observation import Observation
from webagent.pipeline import Run
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Task

RISKY: Mapping[str, tuple[str, str, str]] = {
    '<button onclick="x()">Delete account</button>': ("button", "Delete account", "delete"),
    "<a href=/file>Export as CSV</a>": ("link", "Export as CSV", "export"),
    '<button aria-label="Transfer money"><svg width=9 height=9></svg></button>': ("button", "Transfer money", "transfer"),
    '<button onclick="x()">Jetzt kostenpflichtig bestellen</button>': ("button", "Jetzt", "pay"),
    '<button onclick="x()">Supprimer le compte</button>': ("button", "Supprimer", "delete"),
    '<button onclick="x()">Comprar ahora</button>': ("button", "Comprar", "buy"),
    '<button onclick="x()">Отправить</button>': ("button", "Отправить", "send"),
    '<button onclick="x()">删除</button>': ("button", "删除", "delete"),
    '<div onclick="x()" style="cursor:pointer">Erase it</div>': ("*", "Erase it", "delete"),
    "<form method=post><button>OK</button></form>": ("button", "OK", "send"),
    "<form method=post action=/account/delete><button>Yes, go</button></form>": ("button", "Yes, go", "delete"),
    "<form method=post><input type=hidden name=_method value=delete><button>Go on</button></form>":
        ("button", "Go on", "delete"),
    "<form method=post><input autocomplete=cc-number aria-label=Number><button>Continue</button></form>":
        ("button", "Continue", "pay"),
    "<form method=post><input type=password autocomplete=new-password aria-label=New><button>Save it</button></form>":
        ("button", "Save it", "credentials"),
    "<form method=post><input type=image alt='Purchase' src=/none.png></form>": ("button", "Purchase", "buy"),
    "<form method=get><button formmethod=post>Finish</button></form>": ("button", "Finish", "send"),
    '<button onclick="x()">Submit answers</button>': ("button", "Submit answers", "send"),
    "<a href=/rows/3 data-method=delete>Row three</a>": ("link", "Row three", "delete"),
    "<a href=/rows/delete?id=4>Row four</a>": ("link", "Row four", "delete"),
    '<div role=dialog aria-label="Delete this page?"><button onclick="x()">Yes</button></div>': ("button", "Yes", "delete"),
    "<label for=inner>The label</label><form method=post><button id=inner>Publish it</button></form>":
        ("*", "The label", "send"),
}  # fmt: skip
HARMLESS: Mapping[str, tuple[str, str]] = {
    "<form><input aria-label=Words><button>Search</button></form>": ("button", "Search"),
    "<form method=post role=search><input aria-label=Terms><button>Start</button></form>": (
        "button",
        "Start",
    ),
    "<form method=post><input type=password aria-label=Pass><button>Enter here</button></form>": (
        "button",
        "Enter here",
    ),
    "<form method=post><button>Add to cart</button></form>": ("button", "Add to cart"),
    "<a href=/help>How to delete your account</a>": ("link", "How to delete"),
    "<a href=/news>Please pay attention to our new opening hours</a>": ("link", "pay attention"),
    "<a href=/orders>Order history</a>": ("link", "Order history"),
    "<label><input type=checkbox>Delete after reading</label>": ("checkbox", "Delete after"),
    "<label><input type=radio name=r>Pay by card</label>": ("radio", "Pay by card"),
    "<label>Send to <input></label>": ("textbox", "Send to"),
    "<form method=post><button>Reject all</button></form>": ("button", "Reject all"),
    "<form method=post><button>No thanks</button></form>": ("button", "No thanks"),
    "<button onclick=x()>Cancel</button>": ("button", "Cancel"),
    "<button onclick=x()>Remove filters</button>": ("button", "Remove filters"),
    "<button onclick=x()>Accept all cookies</button>": ("button", "Accept all"),
    "<button onclick=x()>Sort: order by price</button>": ("button", "order by"),
    "<div role=tablist><button role=tab>Payments and transfers</button></div>": ("tab", "Payments"),
}


class Weigher:
    """Asks a session what kinds of deed actions would be."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand

    async def kind(self, tool: str, **arguments: Any) -> str:
        intent = Intent(1, "", Action(tool, arguments), self.hand.seen)
        return await self.hand.session.weighing.risk_of(intent)

    def ref(self, role: str, name: str) -> str:
        if role != "*":
            return self.hand.ref(role, name)
        fitting = [one for one in self.hand.seen.lines if one.ref and name in self.hand.seen.words_of(one)]
        return fitting[-1].ref


@pytest.mark.asyncio(loop_scope="session")
async def test_what_a_click_would_do_is_told_by_words_form_method_role_and_address(
    chromium: Chromium,
) -> None:
    page = "".join(f"<div>{one}</div>" for one in (*RISKY, *HARMLESS))
    with serving(f"<script>function x() {{}}</script>{page}") as site:
        async with visiting(chromium, site.url()) as hand:
            weigh = Weigher(hand)
            for html, (role, name, kind) in RISKY.items():
                assert await weigh.kind("click", ref=weigh.ref(role, name)) == kind, html
            for html, (role, name) in HARMLESS.items():
                assert await weigh.kind("click", ref=weigh.ref(role, name)) == "", html


@pytest.mark.asyncio(loop_scope="session")
async def test_enter_and_other_ways_to_press_count_as_clicks_do(chromium: Chromium) -> None:
    page = """<form method=post action=/say><label>Words <input></label><button>OK</button></form>
<form action=/find><label>Find what <input></label><button>Find</button></form>
<label>Write a message <textarea></textarea></label><ul role=listbox><li role=option tabindex=0>One</ul>
<button>Delete all</button><p tabindex=0 role=button aria-label="Empty trash" style="width:90px">…</p>
<select aria-label=Actions><option>View<option>Delete</select>
<form method=post><input aria-label=Held autofocus><button>Send it</button></form>
<button onclick="confirm('Delete this row?')">Row</button>"""
    with serving(page) as site:
        async with visiting(chromium, site.url()) as hand:
            weigh = Weigher(hand)
            words, find = hand.ref("textbox", "Words"), hand.ref("textbox", "Find what")
            message, delete = hand.ref("textbox", "Write a message"), hand.ref("button", "Delete all")
            assert await weigh.kind("type", ref=words, text="hi") == ""
            assert await weigh.kind("type", ref=words, text="hi", submit=True) == "send"
            assert await weigh.kind("press", key="Enter", ref=words) == "send"
            assert await weigh.kind("press", key="Enter") == "send", "what has the focus"
            assert await weigh.kind("type", text="x", submit=True) == "send"
            assert await weigh.kind("type", ref=find, text="hi", submit=True) == ""
            assert await weigh.kind("press", key="Control+Enter", ref=message) == "send"
            assert await weigh.kind("press", key="Enter", ref=delete) == "delete"
            assert await weigh.kind("press", key="Space", ref=delete) == "delete"
            assert await weigh.kind("press", key="Escape", ref=delete) == ""
            assert await weigh.kind("press", key="Delete", ref=hand.ref("option", "One")) == "delete"
            assert await weigh.kind("press", key="Delete", ref=words) == ""
            assert await weigh.kind("press", key="Space", ref=words) == ""
            assert await weigh.kind("type", ref=delete, text="x") == "delete", "typing clicks first"
            assert await weigh.kind("upload", ref=delete, paths=["a.txt"]) == "delete", "so does uploading"
            assert await weigh.kind("drag", ref=words, to_ref=hand.ref("button", "Empty trash")) == "delete"
            assert (
                await weigh.kind("select", ref=hand.ref("combobox", "Actions"), options=["Delete"])
                == "delete"
            )
            assert await weigh.kind("select", ref=hand.ref("combobox", "Actions"), options=["View"]) == ""
            assert await weigh.kind("goto", url=site.url("/account/delete")) == "delete"
            assert await weigh.kind("tab", op="new", url=site.url("/do?action=transfer&to=x")) == "transfer"
            assert await weigh.kind("goto", url=site.url("/orders/12")) == ""
            await hand.do("click", ref=hand.ref("button", "Row"))
            assert await weigh.kind("dialog", accept=True) == "delete"
            assert await weigh.kind("dialog", accept=False) == ""


def test_words_are_read_however_they_are_set() -> None:
    for text in ("ＤＥＬＥＴＥ", "De\u200blete", "  delete\nit", "Yes, delete_it"):
        assert deed_of(text) == "delete", text
    for text in ("Postcode", "Deleted items", "Bookmarks", "Payload", "Sender", "Order by date"):
        assert deed_of(text) == "", text
    assert deed_of_url("http://x.test/deleteUser/3") == "delete"
    assert deed_of_url("http://x.test/wiki/How_to_delete") == ""


def test_a_person_who_looks_on_reads_the_question_in_the_window() -> None:
    shown = caption(
        Intent(1, "clear it", Action("goto", {"url": "http://x.test/delete"}), Observation(""), risk="delete")
    )
    assert "this deletes or cancels: Ctrl+Shift+Enter = do it" in shown
    assert "do it" not in caption(Intent(1, "clear it", Action("back"), Observation("")))


@pytest.mark.parametrize(
    "name", ["Buy", "Save", "Add to cart", "Cancel", "Approve", "Löschen", "Speichern", "导出"]
)
def test_all_that_is_asked_about_and_more_is_never_done_twice_by_a_replay(name: str) -> None:
    assert says_change(name)


class Shop(Site):
    """Deletes its list when a form is sent; `posted` counts that."""

    def __init__(self) -> None:
        self.posted = 0
        self.script = ""
        super().__init__({"/": self.front, "/gone": self.gone})

    def front(self, request: BaseHTTPRequestHandler) -> Reply:
        form = "<form method=post action=/gone><button>Delete the list</button></form>"
        return (
            200,
            {"Content-Type": "text/html"},
            f"<h1>List</h1><p>Items: 42</p>{form}{self.script}".encode(),
        )

    def gone(self, request: BaseHTTPRequestHandler) -> Reply:
        self.posted += 1
        return 200, {"Content-Type": "text/html"}, b"<h1>List</h1><p>It is empty</p>"


def deleting(request: Request) -> list[tuple[str, dict[str, Any]]]:
    """Deletes the list, and tells what there is once it is done, or refused."""
    if (
        "not confirmed" in text_of(request)
        or "look again" in text_of(request)
        or "It is empty" in observation_of(request)
    ):
        return [("stop", {"answer": "42" if "Items: 42" in observation_of(request) else "empty"})]
    return [("click", {"ref": ref_of(request, "button", "Delete the list"), "thought": "clear it"})]


@dataclass
class Owner:
    """A person in the terminal, who says these things in turn."""

    says: list[str]
    asked: list[str] = field(default_factory=list)

    async def __call__(self, question: str) -> str:
        self.asked.append(question)
        if not self.says:
            raise EOFError
        return self.says.pop(0)


@dataclass
class Desk:
    """Runs of a model that deletes the list, on a shop of their own; what was asked, and what the shop saw."""

    chromium: Chromium
    store: Store
    shop: Shop

    async def run(self, act: Script = deleting, person: Owner | None = None, **options: Any) -> RunResult:
        with ScriptedEndpoint(act) as endpoint:
            settings = Settings(base_url=endpoint.base_url, memory="off", judge="none", **options)
            task = Task(id="", goal="clear the list")
            run = Run(task, self.shop.url(), settings, self.store, browser=self.chromium, ask=person)
            return await run.run()

    def asked(self, result: RunResult) -> list[tuple[str, str]]:
        return [(step.asked, step.outcome.error) for step in self.store.trajectory(result.run_id).steps]


@pytest.fixture
def desk(chromium: Chromium, tmp_path: Path) -> Iterator[Desk]:
    shop = Shop()
    with Store.open(tmp_path / "workflows.db") as store:
        yield Desk(chromium, store, shop)
    shop.close()


shared = pytest.mark.asyncio(loop_scope="session")


@shared
@pytest.mark.parametrize("person", [None, Owner([])])
async def test_without_anyone_to_answer_the_step_is_refused_and_the_run_goes_on(
    desk: Desk, person: Owner | None
) -> None:
    result = await desk.run(person=person, confirm="risky")
    assert desk.shop.posted == 0
    assert (result.status, result.answer, result.steps) == ("done", "42", 1)
    [(asked, error)] = desk.asked(result)
    assert asked == ("delete: nobody answered" if person else "delete: nobody was there to ask")
    assert error.startswith("not confirmed: this deletes or cancels, which needs a person's yes")


@shared
async def test_yes_says_yes_and_the_record_says_so(desk: Desk) -> None:
    result = await desk.run(confirm="risky", yes=True)
    assert (desk.shop.posted, result.answer) == (1, "empty")
    assert desk.asked(result) == [("delete: yes (--yes)", "")]


@shared
@pytest.mark.parametrize(("says", "posted"), [(["maybe", "y"], 1), (["N"], 0)])
async def test_a_person_says_yes_or_no(desk: Desk, says: list[str], posted: int) -> None:
    person = Owner(list(says))
    result = await desk.run(person=person, confirm="risky")
    assert desk.shop.posted == posted
    assert 'step 1 deletes or cancels: click button "Delete the list"' in person.asked[0]
    assert "thought: clear it" in person.asked[0]
    assert desk.asked(result)[0][0] == ("delete: yes" if posted else "delete: no")


@dataclass
class AtTheWindow(Owner):
    """A person who answers in the window, and looks away from the terminal."""

    desk: Desk | None = None

    async def __call__(self, question: str) -> str:
        self.asked.append(question)
        browser = self.desk and self.desk.chromium._browser
        assert browser
        while True:
            await browser.contexts[-1].pages[-1].keyboard.press(self.says[0])
            await asyncio.sleep(0.05)


@shared
@pytest.mark.parametrize(
    ("keys", "posted"), [("Control+Shift+Enter", 1), ("Control+Shift+Backspace", 0)], ids=["yes", "no"]
)
async def test_who_looks_on_answers_by_keys_in_the_window(desk: Desk, keys: str, posted: int) -> None:
    result = await desk.run(person=AtTheWindow([keys], desk=desk), confirm="risky", headed=True)
    assert desk.shop.posted == posted
    assert desk.asked(result)[0][0] == ("delete: yes" if posted else "delete: no")


class Late(Owner):
    """A person who takes their time."""

    async def __call__(self, question: str) -> str:
        await asyncio.sleep(1)
        return await super().__call__(question)


@shared
async def test_an_answer_in_the_terminal_leaves_the_keys_to_the_page(desk: Desk) -> None:
    desk.shop.script = """<script>onkeydown = (event) => {
      if (event.key === "Backspace") document.querySelector("p").textContent = "Items: none";
    }</script>"""

    steps = iter(["click", "press"])

    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        match next(steps, "stop"):
            case "click":
                return deleting(request)
            case "press":
                return [("press", {"key": "Control+Shift+Backspace"})]
        return [("stop", {"answer": observation_of(request)})]

    result = await desk.run(act, Late(["n", "y"]), confirm="risky", headed=True)
    assert "Items: none" in (result.answer or "")


@shared
async def test_no_script_of_a_page_presses_the_keys_of_a_yes(desk: Desk) -> None:
    desk.shop.script = """<script>setInterval(() => {
      for (const target of [window, document, document.body, document.querySelector("button")])
        target.dispatchEvent(new KeyboardEvent("keydown",
          {key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, shiftKey: true, bubbles: true}));
    }, 20)</script>"""
    result = await desk.run(person=Late(["n"]), confirm="risky", headed=True)
    assert desk.shop.posted == 0
    assert desk.asked(result)[0][0] == "delete: no"


@shared
async def test_a_yes_holds_for_what_was_asked_not_for_what_the_page_made_of_it_meanwhile(desk: Desk) -> None:
    changed, loop = asyncio.Event(), asyncio.get_running_loop()

    def told(request: BaseHTTPRequestHandler) -> Reply:
        loop.call_soon_threadsafe(changed.set)
        return 200, {}, b""

    class Slow(Owner):
        async def __call__(self, question: str) -> str:
            script = "document.querySelector('button').textContent = 'Delete everything'; fetch('/changed')"
            desk.shop.pages["/now"] = script
            await changed.wait()
            return await super().__call__(question)

    desk.shop.pages["/changed"] = told
    desk.shop.script = """<script>setInterval(() => fetch('/now').then((one) => one.ok ? one.text() : '').then(eval), 50)
</script>"""
    result = await desk.run(person=Slow(["y"]), confirm="risky")
    assert desk.shop.posted == 0
    [(asked, error)] = desk.asked(result)
    assert (asked, error) == (
        "delete: yes", "not done: the element changed while the person was asked about it; look again"
    )  # fmt: skip


@shared
async def test_a_person_may_quit_instead(desk: Desk) -> None:
    result = await desk.run(person=Owner(["q"]), confirm="risky")
    assert (result.status, result.reason, desk.shop.posted) == ("interrupted", "the person quit", 0)


@shared
async def test_with_step_the_person_sees_what_it_does_and_is_asked_once(desk: Desk) -> None:
    person = Owner([""])
    result = await desk.run(person=person, confirm="risky", step=True)
    assert (desk.shop.posted, len(person.asked)) == (1, 1)
    assert "  it deletes or cancels" in person.asked[0]
    assert desk.asked(result) == [("delete: yes (--step)", "")]


@shared
async def test_all_asks_about_every_action_but_looking_and_none_about_none(desk: Desk) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        if "not confirmed" in text_of(request):
            return [("stop", {"answer": "42"})]
        return [("find", {"text": "Items"}), ("hover", {"ref": ref_of(request, "button", "Delete the list")})]

    result = await desk.run(act, confirm="all")
    assert [asked for asked, _ in desk.asked(result)] == ["", "any: nobody was there to ask"]
    assert [asked for asked, _ in desk.asked(await desk.run())] == [""]


@shared
async def test_a_step_of_a_workflow_is_asked_about_and_a_refused_one_was_surely_not_done(desk: Desk) -> None:
    first = await desk.run()
    routine = routine_workflow(desk.store.trajectory(first.run_id))
    found = repeated_run(WorkflowMemory(desk.store), routine, {})
    for yes, posted in ((False, 1), (True, 2)):
        settings = Settings(policy="replay", memory="off", judge="none", confirm="risky", yes=yes)
        task = Task(id="", goal="clear the list")
        run = Run(task, desk.shop.url(), settings, desk.store, browser=desk.chromium, replay=found)
        result = await run.run()
        assert (desk.shop.posted, result.status) == (posted, "done" if yes else "failed")
        assert ("not confirmed" in result.reason) is not yes
        assert "may have been carried out" not in result.reason


def in_terminal(cwd: Path, *command: str, typed: str) -> str:
    """A command whose input and messages are a terminal's: what the terminal showed."""
    here, there = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "webagent", *command],
        cwd=cwd, env=environment({"HOME": str(cwd), "TERM": "dumb"}), stdin=there, stderr=there, stdout=subprocess.PIPE,
    )  # fmt: skip
    os.close(there)
    os.write(here, typed.encode())
    shown = b""
    while True:
        try:
            shown += os.read(here, 4096)
        except OSError:  # the other end is closed
            break
    process.communicate(timeout=60)
    os.close(here)
    return shown.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        (["run", "clear the list", "--json"], "delete: yes"),
        pytest.param(
            ["batch", "tasks.jsonl", "--jobs", "2"], "delete: nobody was there to ask", marks=pytest.mark.slow
        ),
    ],
)
def test_the_terminal_is_asked_but_for_several_runs_at_a_time(
    tmp_path: Path, command: list[str], asked: str
) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"id": "a", "goal": "clear the list"}\n')
    shop = Shop()
    with ScriptedEndpoint(deleting) as endpoint:
        where = ("--url", shop.url(), "--base-url", endpoint.base_url, "--confirm", "risky")
        shown = in_terminal(tmp_path, *command, *where, typed="y\n")
    shop.close()
    [row] = Database(tmp_path / "workflows.db")["steps"].rows
    assert row["asked"] == asked, shown
    assert shop.posted == (asked == "delete: yes")


def test_without_a_terminal_what_is_piped_in_is_no_answer(tmp_path: Path) -> None:
    shop = Shop()
    with ScriptedEndpoint(deleting) as endpoint:
        where = ("--url", shop.url(), "--base-url", endpoint.base_url, "--json")
        env = {"WEBAGENT_CONFIRM": "risky"}
        done = webagent("run", "clear the list", *where, cwd=tmp_path, env=env, typed="y\ny\n")
    shop.close()
    assert (shop.posted, done.json["answer"]) == (0, "42"), done.err
    told = webagent("runs", "show", done.json["run_id"], cwd=tmp_path)
    assert "(llm, asked: delete: nobody was there to ask)" in told.out
    assert f'evidence     - paragraph: "Items: 42" at {shop.url()}' in told.out


def test_a_wrong_value_is_told_in_one_line(tmp_path: Path) -> None:
    done = webagent("run", "x", "--url", "http://127.0.0.1:9/", "--confirm", "maybe", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "maybe" in done.err
    assert "risky" in done.err
