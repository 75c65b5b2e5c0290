"""What pages do besides showing themselves: frames, new tabs, dialogs, notices, downloads. A workflow
learned there is replayed there, and its script runs there."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.endpoint import Request, ScriptedEndpoint, observation_of, ref_of, text_of
from tests.pages.kit import Reply, Site, visiting
from tests.test_exchange_scripts import carried_out, tidy
from webagent.browser.launch import Chromium
from webagent.exchange.scripts import scripts
from webagent.pipeline import Run
from webagent.policies.elements import find_element
from webagent.policies.scripted import Line, ScriptedPolicy
from webagent.result import RunResult
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Expect, Task
from webagent.workflow import Workflow

pytestmark = pytest.mark.asyncio(loop_scope="session")

SEARCH = "<form action={}><label>Ticket <input name=n></label><button>Find</button></form>"
NOTICE = (
    "<div id=notice style='position:fixed;inset:0;background:#fff'><p>We keep {0}.</p><button "
    "onclick=\"document.querySelector('#notice').remove()\">Accept {0}</button></div>"
)


class Desk(Site):
    """A help desk: whatever is asked for a ticket depends on its number alone. `notice` covers its
    first page, `asks` opens a confirm before anything is found."""

    def __init__(self) -> None:
        self.notice = ""
        self.asks = False
        self.far = ""
        pages = {
            "/": self.plain, "/framed": self.framed, "/inner": self.inner, "/tabbed": self.tabbed,
            "/ticket": self.ticket, "/wrong": "<dl><dt>Owner<dd>nobody</dl>", "/files": self.files,
            "/fares": self.fares, "/fare": self.fare, "/file": self.file, "/closing": self.closing, "/outer": self.outer,
        }  # fmt: skip
        super().__init__(pages)

    def plain(self, request: BaseHTTPRequestHandler) -> Reply:
        asks = "onsubmit=\"return confirm('Really?')\"" if self.asks else ""
        form = SEARCH.format("/ticket").replace("<form", f"<form {asks}")
        return page(f"<h1>Desk</h1>{form}{NOTICE.format(self.notice) if self.notice else ''}")

    def framed(self, request: BaseHTTPRequestHandler) -> Reply:
        """A form that is the page's own, and the same one in a frame of another host."""
        return page(
            f"<h1>Desk</h1>{SEARCH.format('/wrong')}<dl><dt>Owner<dd>the page</dl>"
            f"<iframe title='Ticket search' src='{self.url('/inner', 'inner.localhost')}' height=300></iframe>"
            f"<iframe name=advert srcdoc='{SEARCH.format('/wrong')}'></iframe><h2>End</h2>"
        )

    def outer(self, request: BaseHTTPRequestHandler) -> Reply:
        """Frames within frames, without titles."""
        return page("<h1>Desk</h1><iframe src=/framed width=900 height=600></iframe>")

    def inner(self, request: BaseHTTPRequestHandler) -> Reply:
        return page(SEARCH.format("/ticket"))

    def tabbed(self, request: BaseHTTPRequestHandler) -> Reply:
        return page(SEARCH.format("/ticket").replace("<form", "<form target=_blank"))

    def closing(self, request: BaseHTTPRequestHandler) -> Reply:
        sure = "if (confirm('Close it?')) location = '/ticket?n=' + document.querySelector('input').value"
        return page(f'<label>Ticket <input></label><button onclick="{sure}">Show and mark as seen</button>')

    def ticket(self, request: BaseHTTPRequestHandler) -> Reply:
        return page(f"<h1>Ticket</h1><dl><dt>Owner<dd>{owner(asked(request))}<dt>Age<dd>3 days</dl>")

    def fares(self, request: BaseHTTPRequestHandler) -> Reply:
        return page(
            "<form action=/fare><label>Day <input type=date name=n></label><button>Ask</button></form>"
        )

    def fare(self, request: BaseHTTPRequestHandler) -> Reply:
        return page(f"<h1>Fare</h1><dl><dt>Price<dd>{fare(asked(request))}</dl>")

    def files(self, request: BaseHTTPRequestHandler) -> Reply:
        n = asked(request)
        if not n:
            return page(SEARCH.format("/files"))
        return page(
            f"<h1>Files</h1><a href='/file?n={n}'>Download report</a><dl><dt>Owner<dd>{owner(n)}</dl>"
        )

    def file(self, request: BaseHTTPRequestHandler) -> Reply:
        told = {"Content-Type": "text/csv", "Content-Disposition": "attachment; filename=report.csv"}
        return 200, told, f"ticket,{asked(request)}".encode()


def page(body: str) -> Reply:
    return 200, {"Content-Type": "text/html; charset=utf-8"}, f"<title>Desk</title>{body}".encode()


def asked(request: BaseHTTPRequestHandler) -> str:
    return parse_qs(urlsplit(request.path).query).get("n", [""])[0]


def owner(ticket: str) -> str:
    return f"{ticket[::-1].capitalize()} Smith"


def fare(day: str) -> str:
    return f"{day.replace('-', '')[2:]} crowns"


@pytest.fixture
def desk() -> Iterator[Desk]:
    with closing(Desk()) as opened:
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "workflows.db") as opened:
        yield opened


def finding(
    ticket: str, *, nth: int = 0, before: Sequence[Line] = (), after: Sequence[Line] = ()
) -> list[Line]:
    return [
        *before,
        {"action": "type", "role": "textbox", "name": "Ticket", "text": ticket, "nth": nth},
        {"action": "click", "role": "button", "name": "Find", "nth": nth},
        *after,
        {"action": "stop", "answer": owner(ticket)},
    ]


async def run(
    desk: Desk,
    store: Store,
    chromium: Chromium,
    path: str,
    ticket: str,
    script: list[Line] | None = None,
    endpoint: str = "",
) -> RunResult:
    settings = Settings(
        url=desk.url(path), policy="auto" if endpoint else "replay", base_url=endpoint,
        model="scripted" if endpoint else "",
    )  # fmt: skip
    expect = Expect(answer=(owner(ticket),)) if script or endpoint else None
    task = Task(id="", goal=f"find the owner of {ticket}", site="", expect=expect)
    policy = ScriptedPolicy(script, patience=20) if script else None
    return await Run(task, desk.url(path), settings, store, browser=chromium, policy=policy).run()


Script = Callable[[str], list[Line]]


async def learned(desk: Desk, store: Store, chromium: Chromium, path: str, script: Script) -> Workflow:
    for ticket in ("alpha", "beta"):
        done = await run(desk, store, chromium, path, ticket, script(ticket))
        assert done.exit_code == 0, done.reason
    (workflow,) = store.workflows()
    assert workflow.status == "active"
    return workflow


async def replays(
    desk: Desk, store: Store, chromium: Chromium, path: str, ticket: str = "gamma"
) -> RunResult:
    done = await run(desk, store, chromium, path, ticket)
    assert (done.exit_code, done.answer, done.policy) == (0, owner(ticket), "replay"), done.reason
    return done


def script_says(desk: Desk, store: Store, folder: Path, path: str, workflow: Workflow) -> str:
    """What the exported script prints for another ticket."""
    (script,), faults = scripts(store, [(workflow, desk.url(path))], "playwright")
    assert faults == []
    file = folder / script.name
    file.write_text(script.text)
    assert tidy(folder) == ""
    done = carried_out(file, desk.url(path), f"--{workflow.variables[0].name}", "delta")
    assert done.returncode == 0, f"{done.stderr}\n{script.text}"
    return done.stdout.strip()


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("path", "frame"),
    [
        ("/framed", ('iframe[title="Ticket search"]',)),
        ("/outer", ('iframe[src*="/framed"]', 'iframe[title="Ticket search"]')),
    ],
)
async def test_what_was_learned_in_a_frame_is_done_in_that_frame(
    desk: Desk, store: Store, chromium: Chromium, tmp_path: Path, path: str, frame: tuple[str, ...]
) -> None:
    workflow = await learned(desk, store, chromium, path, lambda ticket: finding(ticket, nth=1))
    for ticket in ("epsilon", "zeta", "eta"):
        if workflow.reader is None or workflow.reader.frame is None:  # a frame too slow to tell of itself
            await run(desk, store, chromium, path, ticket, finding(ticket, nth=1))
            (workflow,) = [one for one in store.workflows() if one.reader]
    assert {step.target.frame for step in workflow.steps if step.target and step.tool != "stop"} == {frame}
    assert workflow.reader is not None
    assert workflow.reader.frame == frame
    await replays(desk, store, chromium, path)
    assert script_says(desk, store, tmp_path, path, workflow) == owner("delta")


async def test_what_was_learned_on_the_page_is_not_done_in_a_frame(desk: Desk, chromium: Chromium) -> None:
    async with visiting(chromium, desk.url("/framed")) as hand:
        lines = [line for line in hand.seen.lines if line.role == "button"]
        targets = [hand.seen.target(line.ref) for line in lines]
        assert [target and target.frame for target in targets] == [
            (), ('iframe[title="Ticket search"]',), ('iframe[name="advert"]',),
        ]  # fmt: skip
        assert [target and target.nth for target in targets] == [0, 0, 0]
        found = [target and find_element(hand.seen, target, twins_matter=True) for target in targets]
        assert found == lines
        assert hand.seen.heading_above(next(line for line in hand.seen.lines if line.name == "End")) == "Desk"
        desk.pages["/framed"] = lambda request: page(
            "<h1>Desk</h1><iframe srcdoc='<button>Find</button>'></iframe>"
        )
        await hand.do("goto", url=desk.url("/framed"))
        on_page, in_frame, _ = targets
        assert on_page is not None
        assert in_frame is not None
        assert find_element(hand.seen, on_page, twins_matter=False) is None
        only = find_element(hand.seen, in_frame, twins_matter=False)
        assert only is not None
        assert hand.seen.frame_of(only) == ("iframe >> nth=0",)


@pytest.mark.timeout(300)
async def test_a_page_in_a_new_tab_is_followed(
    desk: Desk, store: Store, chromium: Chromium, tmp_path: Path
) -> None:
    workflow = await learned(desk, store, chromium, "/tabbed", finding)
    assert [step.opens for step in workflow.steps] == [False, True, False]
    await replays(desk, store, chromium, "/tabbed")
    assert script_says(desk, store, tmp_path, "/tabbed", workflow) == owner("delta")


@pytest.mark.timeout(300)
async def test_a_dialog_that_was_answered_is_answered_again(
    desk: Desk, store: Store, chromium: Chromium, tmp_path: Path
) -> None:
    def script(ticket: str) -> list[Line]:
        return [
            {"action": "type", "role": "textbox", "name": "Ticket", "text": ticket},
            {"action": "click", "role": "button", "name": "Show and mark as seen"},
            {"action": "dialog", "accept": True},
            {"action": "stop", "answer": owner(ticket)},
        ]

    workflow = await learned(desk, store, chromium, "/closing", script)
    await replays(desk, store, chromium, "/closing")
    assert script_says(desk, store, tmp_path, "/closing", workflow) == owner("delta")


@pytest.mark.timeout(300)
async def test_a_download_on_the_way_is_fetched_again(
    desk: Desk, store: Store, chromium: Chromium, tmp_path: Path
) -> None:
    fetch: list[Line] = [{"action": "click", "role": "link", "name": "Download report"}]
    workflow = await learned(desk, store, chromium, "/files", lambda ticket: finding(ticket, after=fetch))
    await replays(desk, store, chromium, "/files")
    assert "/file?n=gamma" in [path for _, path in desk.hits]
    assert script_says(desk, store, tmp_path, "/files", workflow) == owner("delta")


@pytest.mark.timeout(300)
async def test_a_notice_that_was_met_once_is_put_away_when_it_shows(
    desk: Desk, store: Store, chromium: Chromium, tmp_path: Path
) -> None:
    accept: list[Line] = [{"action": "click", "role": "button", "name": "Accept cookies"}]

    def script(ticket: str) -> list[Line]:
        desk.notice = "cookies" if ticket == "alpha" else ""
        return finding(ticket, before=accept if desk.notice else ())

    workflow = await learned(desk, store, chromium, "/", script)
    for desk.notice in ("", "cookies"):
        await replays(desk, store, chromium, "/")
        assert script_says(desk, store, tmp_path, "/", workflow) == owner("delta")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("surprise", ["notice", "dialog"])
async def test_what_nobody_expected_is_left_to_the_model_and_then_the_replay_goes_on(
    desk: Desk, store: Store, chromium: Chromium, surprise: str
) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
        if surprise == "dialog":
            assert 'dialog "Really?" [kind=confirm]' in observation_of(request)
            return [("dialog", {"accept": True})]
        return [("click", {"ref": ref_of(request, "button", "Accept terms")})]

    await learned(desk, store, chromium, "/", finding)
    desk.notice, desk.asks = ("terms", False) if surprise == "notice" else ("", True)
    alone = await run(desk, store, chromium, "/", "gamma")
    assert (alone.exit_code, alone.answer) == (1, None)
    assert ("dialog is open" if surprise == "dialog" else "failed") in alone.reason
    with ScriptedEndpoint(act) as endpoint:
        helped = await run(desk, store, chromium, "/", "gamma", endpoint=endpoint.base_url)
        assert (helped.exit_code, helped.answer, helped.policy) == (0, owner("gamma"), "mixed"), helped.reason
        assert len(endpoint.acts) == 1
        assert "could not go on" in text_of(endpoint.acts[0])


@pytest.mark.timeout(300)
async def test_dates_are_learned_from_and_bound_in_any_spelling(
    desk: Desk, store: Store, chromium: Chromium
) -> None:
    async def carry_out(said: str, day: str, *, learn: bool = False) -> RunResult:
        script: list[Line] = [
            {"action": "type", "role": "textbox", "name": "Day", "text": day},
            {"action": "click", "role": "button", "name": "Ask"},
            {"action": "stop", "answer": fare(day)},
        ]
        settings = Settings(url=desk.url("/fares"), policy="replay")
        expect = Expect(answer=(fare(day),)) if learn else None
        task = Task(id="", goal=f"find the fare on {said} for me", site="", expect=expect)
        policy = ScriptedPolicy(script, patience=20) if learn else None
        return await Run(task, desk.url("/fares"), settings, store, browser=chromium, policy=policy).run()

    for said, day in (("May 3, 2026", "2026-05-03"), ("the 24th of December 2025", "2025-12-24")):
        done = await carry_out(said, day, learn=True)
        assert done.exit_code == 0, done.reason
    (workflow,) = store.workflows()
    assert [(one.kind, one.in_goal) for one in workflow.variables] == [("date", True)]
    for said in ("2026-07-14", "July 14th, 2026", "Tuesday, 14 July 2026"):
        done = await carry_out(said, "2026-07-14")
        assert (done.exit_code, done.answer) == (0, fare("2026-07-14")), done.reason
