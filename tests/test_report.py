"""A run's trace: its folder, and the report that shows the run step by step."""

import asyncio
import html
import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.commands import environment, webagent
from tests.endpoint import Fault, Reply, Request, ScriptedEndpoint, observation_of, ref_of
from tests.pages.kit import serving, visiting
from webagent.actions import Action
from webagent.browser.launch import Chromium
from webagent.interfaces import Completion, Memory, ModelCall, Usage, Verdict
from webagent.masking import masker
from webagent.observation import Observation, parse_snapshot
from webagent.report import Done, Ending, Story, page
from webagent.result import RunResult
from webagent.trace import TraceFolder
from webagent.trajectory import Outcome, Step, Stop

HOSTILE = (
    "</script></pre><script>alert(1)</script><img src=/beacon onerror=alert(2)> \u202egpj.exe\u202c {{7*7}}"
)
SHOWN = HOSTILE.replace("\u202e", "⟨U+202E⟩").replace("\u202c", "⟨U+202C⟩")
SHOP = f"""<title>{html.escape(HOSTILE)}</title><h1>{html.escape(HOSTILE)}</h1>
<label>Note <input name=n></label><button onclick="alert('{{}} <script>alert(3)</script>')">Tell</button>
<iframe style="margin-left:120px" srcdoc="<button style='margin:30px'>Inside</button>"></iframe>
<div style="height:3000px"></div><button>Far</button>"""


def shopping(request: Request) -> Reply:
    """A turn of every kind: two calls in a reply, an unknown ref, no action at all, a frame, a far element."""
    if "typed" not in json.dumps(request["messages"]):
        note = {"ref": ref_of(request, "textbox", "Note"), "text": HOSTILE, "thought": f"type {HOSTILE}"}
        return Reply(calls=[("type", note), ("click", {"ref": ref_of(request, "button", "Tell")})])
    if "e999" not in json.dumps(request["messages"]):
        return Reply(calls=[("click", {"ref": "e999", "thought": "a wrong ref"})])
    if "not usable" not in json.dumps(request["messages"]):
        return Reply("I do not know")
    clicked = json.dumps(request["messages"]).count('"name": "click"')
    if clicked < 4:
        name = "Inside" if clicked == 2 else "Far"
        return Reply(calls=[("click", {"ref": ref_of(request, "button", name), "thought": f"click {name}"})])
    return Reply(calls=[("stop", {"answer": f"it is {HOSTILE}", "thought": "done"})])


@asynccontextmanager
async def opened(chromium: Chromium, path: Path, width: int = 1280) -> AsyncIterator[tuple[Page, list[str]]]:
    """The report in a browser of its own, and all that it did beyond showing itself."""
    browser = (await chromium.context()).browser
    assert browser is not None
    context = await browser.new_context(viewport={"width": width, "height": 800})
    deeds: list[str] = []
    try:
        tab = await context.new_page()
        tab.on("console", lambda message: deeds.append(f"console: {message.text}"))
        tab.on("pageerror", lambda error: deeds.append(f"error: {error}"))
        tab.on("dialog", lambda dialog: deeds.append(f"dialog: {dialog.message}"))
        tab.on(
            "request",
            lambda request: None if request.url.startswith(("file:", "data:")) else deeds.append(request.url),
        )
        await tab.goto(path.resolve().as_uri())
        yield tab, deeds
    finally:
        await context.close()


@pytest.mark.asyncio(loop_scope="session")
async def test_the_report_of_a_run_shows_each_step_and_nothing_of_a_hostile_page_runs(
    tmp_path: Path, chromium: Chromium
) -> None:
    with (
        serving(SHOP) as site,
        ScriptedEndpoint(shopping, verdict={"success": False, "reason": HOSTILE}) as endpoint,
    ):
        arguments = ["--url", site.url(), "--base-url", endpoint.base_url, "--price", "2,0.5,8", "--json"]
        done = webagent("run", f"look {HOSTILE}", *arguments, "--save-trace", cwd=tmp_path)
        assert done.code == 1, done.err
        sent = [request["messages"] for request in endpoint.requests]
        calls = [request.name for request in endpoint.requests]
    folder = tmp_path / "webagent-output" / done.json["run_id"]
    assert folder.stat().st_mode & 0o077 == 0
    kept = [json.loads(path.read_text()) for path in sorted((folder / "prompts").iterdir())]
    assert [call["messages"] for call in kept] == sent
    assert [call["name"] for call in kept] == calls
    assert [path.name for path in sorted((folder / "steps").iterdir())] == [
        f"step-{n:02}.json" for n in range(1, 6)
    ]
    assert (folder / "report.html").stat().st_size < 1_500_000
    async with opened(chromium, folder / "report.html") as (tab, deeds):
        assert await tab.locator("h1").inner_text() == f"look {SHOWN}"
        titles = await tab.locator("article h3").all_inner_texts()
        assert titles[:3] == [
            f"Type “{SHOWN}” into the textbox “Note”",
            "Click the button “Tell”",
            "Click e999",
        ]
        assert titles[3:6] == [
            "A reply that led to no step",
            "Click the button “Inside”",
            "Click the button “Far”",
        ]
        assert titles[6:] == [f"Stop: it is {SHOWN}", "The model judges", "The model is asked for lessons"]
        outline = await tab.locator("#step-1 .mark").bounding_box()
        picture = await tab.locator("#step-1 img").bounding_box()
        seen = json.loads((folder / "steps/step-01.json").read_text())["boxes"][0]
        assert outline is not None
        assert picture is not None
        assert outline["x"] - picture["x"] == pytest.approx((seen[0] - 4) * picture["width"] / 1280, abs=3)
        assert outline["y"] - picture["y"] == pytest.approx((seen[1] - 4) * picture["width"] / 1280, abs=3)
        assert await tab.evaluate("[...document.images].every(one => one.naturalWidth === 1280)")
        assert "below what was in view" in await tab.locator("#step-5 figcaption").inner_text()
        assert "no element e999 on this page" in await tab.locator("#step-3 .outcome.bad").inner_text()
        assert "alert" in await tab.locator("#step-3 .events").inner_text()
        text = await tab.locator("#step-1 .page pre").text_content()
        assert text == observation_of({"messages": sent[0]}).replace("\u202e", "⟨U+202E⟩").replace(
            "\u202c", "⟨U+202C⟩"
        )
        assert re.search(r"→ \d+ tokens\s*\$0\.\d{4}", await tab.locator("#step-1 .meta").inner_text())
        assert await tab.locator("script, main a[href], iframe, link, object, embed, form").count() == 0
        assert not [deed for deed in deeds if deed], deeds


@pytest.mark.asyncio(loop_scope="session")
async def test_the_arrow_keys_go_through_the_steps_one_at_a_time(tmp_path: Path, chromium: Chromium) -> None:
    (tmp_path / "report.html").write_text(page(a_story()))
    async with opened(chromium, tmp_path / "report.html", 400) as (tab, deeds):
        assert await tab.locator("article .body:visible").count() == 3
        await tab.locator(".pick .all").focus()
        for title in ("step-1", "step-2"):
            await tab.keyboard.press("ArrowDown")
            assert await tab.locator("article:has(.body:visible)").get_attribute("id") == title
        await tab.emulate_media(media="print")
        assert await tab.locator("article .body:visible").count() == 3
        assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            "no sideways scrolling"
        )
        assert deeds == []


def a_step(n: int, **changes: object) -> Step:
    seen = Observation(
        "http://x.test/", "X", lines=parse_snapshot('- button "Go" [ref=e1]', {"e1": [5, 5, 40, 20]})
    )
    step = Step(n, Action("click", {"ref": "e1"}, "why"), seen, Outcome("clicked"), seen.target("e1"))
    return replace(step, **changes)  # type: ignore[arg-type]


def a_story() -> Story:
    result = RunResult(
        "r1", "a goal", None, "x.test", "done", "42", "http://x.test/", Verdict(True, "expect", "as expected"),
        "mixed", 2, Usage(), 2.5, 1.5, ["wf_1@2"], ["wf_1@2"], ["wf_3@1"],
    )  # fmt: skip
    steps = (
        Done(a_step(1, by="replay", workflow="wf_1@2")),
        Done(a_step(2, by="human", outcome=Outcome("not done", "it was covered"))),
    )
    ending = Ending(result, Stop("42", by="human"), learned=["# a workflow  (wf_3@1 · x.test)\nsteps"])
    lessons = Memory("x.test", lessons=("look twice",))
    return Story("r1", "a goal", "http://x.test/", moments=steps, given=(lessons,), ending=ending)


def test_a_report_says_who_acted_and_what_was_given_and_learned() -> None:
    text = page(a_story())
    for words in ("wf_1@2", ">replay<", ">person<", "it was covered", "look twice", "wf_3@1", "as expected"):
        assert words in text


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("type", {"text": "cmu", "submit": True}, "Type “cmu” into the focused element, then Enter"),
        ("select", {"ref": "e1", "options": ["A", "B"]}, "Select “A”, “B” in the button “Go”"),
        ("scroll", {"direction": "down"}, "Scroll down the page"),
        ("click", {"ref": "e1", "double": True}, "Click the button “Go”, twice"),
        ("goto", {"url": "http://x.test/{a}"}, "Go to http://x.test/{a}"),
        ("tab", {"op": "switch", "index": 2}, "Tab switch, index 2"),
        ("dialog", {"accept": False}, "Dialog accept false"),
    ],
)
def test_an_action_is_told_in_words(tool: str, arguments: dict[str, object], words: str) -> None:
    step = a_step(1, action=Action(tool, arguments))
    target = step.target if "ref" in arguments else None
    told = page(Story("r1", "goal", "http://x.test/", moments=(Done(replace(step, target=target)),)))
    assert f">{html.escape(words)}</label></h3>" in told


def test_what_is_hidden_is_in_no_file_whenever_it_was_kept(tmp_path: Path) -> None:
    secret = 'kite"+9 x'
    trace = TraceFolder(tmp_path, Story("r1", f"log in with {secret}", "http://x.test/"))
    call = ModelCall(
        "m", "act", [{"role": "user", "content": f"it is {secret}"}], Usage(1), Completion(secret)
    )
    trace.called(call)
    trace.stepped(a_step(1, action=Action("type", {"text": secret}, f"I type {secret}")))
    trace.hide(masker(secret))
    trace.called(call)
    trace.told(f"said {secret}")
    trace.report()
    for path in filter(Path.is_file, tmp_path.rglob("*")):
        for spelt in (
            secret,
            json.dumps(secret)[1:-1],
            html.escape(secret),
            html.escape(json.dumps(secret)[1:-1]),
        ):
            assert spelt not in path.read_text(), path


def test_an_older_trace_in_the_folder_is_replaced_and_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    (tmp_path / "steps" / "step-07.json").write_text("{}")
    (tmp_path / "mine.txt").write_text("mine")
    TraceFolder(tmp_path, Story("r1", "goal", "http://x.test/"))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["mine.txt"]


def test_an_interrupted_run_has_its_report(tmp_path: Path) -> None:
    def act(request: Request) -> Reply | Fault:
        if len(endpoint.acts) == 1:
            return Reply(calls=[("click", {"ref": ref_of(request, "button", "Go")})])
        process.send_signal(signal.SIGINT)
        return Fault(delay=300)

    with serving("<button>Go</button>") as site, ScriptedEndpoint(act) as endpoint:
        command = [sys.executable, "-m", "webagent", "run", "press Go", "--url", site.url()]
        process = subprocess.Popen(
            [*command, "--base-url", endpoint.base_url, "--save-trace", "--output-dir", "out"],
            cwd=tmp_path,
            env=environment({"HOME": str(tmp_path)}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        _, told = process.communicate(timeout=90)
    assert process.returncode == 130, told
    report = (tmp_path / "out" / "report.html").read_text()
    assert "Click the button “Go”" in report
    assert "interrupted by the user" in report
    assert (tmp_path / "out" / "screenshots" / "step-01.jpg").stat().st_size > 0


def test_the_trace_opens_in_playwrights_viewer(tmp_path: Path) -> None:
    def act(request: Request) -> Reply:
        calls = [("click", {"ref": ref_of(request, "button", "Go")}), ("stop", {"answer": "Go"})]
        return Reply(calls=calls)

    with serving("<button>Go</button>") as site, ScriptedEndpoint(act) as endpoint:
        arguments = [
            "--url",
            site.url(),
            "--base-url",
            endpoint.base_url,
            "--save-trace",
            "--output-dir",
            "out",
        ]
        done = webagent("run", "press Go", *arguments, cwd=tmp_path)
    assert done.code == 0, done.err
    with zipfile.ZipFile(tmp_path / "out" / "trace.zip") as file:
        assert file.testzip() is None
        names = file.namelist()
        events = [json.loads(line) for line in file.read("trace.trace").splitlines()]
    assert {"trace.trace", "trace.network"} <= set(names)
    assert any(name.startswith("resources/") for name in names)
    kinds = {event["type"] for event in events}
    assert {"context-options", "frame-snapshot", "screencast-frame"} <= kinds


@pytest.mark.asyncio(loop_scope="session")
async def test_playwrights_viewer_opens_the_trace(chromium: Chromium, tmp_path: Path) -> None:
    with serving("<h1>Home</h1><button>Go</button>") as site, ScriptedEndpoint() as endpoint:
        where = ["--url", site.url(), "--base-url", endpoint.base_url, "--memory", "off", "--judge", "none"]
        webagent("run", "do nothing", *where, "--save-trace", "--output-dir", "out", cwd=tmp_path)
    trace = tmp_path / "out" / "trace.zip"
    show = [
        sys.executable,
        "-m",
        "playwright",
        "show-trace",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        str(trace),
    ]
    viewer = await asyncio.create_subprocess_exec(*show, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert viewer.stdout is not None
        url = ""
        while "http" not in url:
            url = (await asyncio.wait_for(viewer.stdout.readline(), 20)).decode().split("Listening on ")[-1]
        async with visiting(chromium, url.strip()) as hand:
            await hand.do("wait", text="Navigate")
            assert site.url().removeprefix("http://").rstrip("/") in hand.text
    finally:
        os.killpg(viewer.pid, signal.SIGTERM)
        await viewer.wait()
