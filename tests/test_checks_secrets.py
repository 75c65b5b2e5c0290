"""Checks 19 to 27, secrets: no byte that the program wrote, said or sent holds one. A login that gives
everything away is run, learned from, replayed without a model and exported in every form."""

import json
import os
import re
import stat
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.commands import Done, webagent
from tests.endpoint import Fault, Request, ScriptedEndpoint, observation_of, ref_of, sequence, text_of
from tests.left_behind import MARK, left_in, told
from tests.pages.kit import Hand, Site, serving, visiting
from tests.pages.nasty_login import FOREIGN, KNOWN, PAGES, PASSWORD, SHOP, TOKEN, USER, spellings
from webagent.browser.launch import Chromium
from webagent.cli import cli
from webagent.pipeline import Run
from webagent.settings import Settings
from webagent.store import Store
from webagent.tasks import Task

pytestmark = pytest.mark.timeout(400)
IN_BROWSER = pytest.mark.asyncio(loop_scope="session")
FORMATS = ("jsonl", "text", "awm", "skill", "playwright", "pytest")
GOAL = "log in and tell the balance"


def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
    """Obeys the foreign frame first, tries the URL, the search box and a form that goes elsewhere, then logs
    in."""
    page, said = observation_of(request), text_of(request)
    if "Balance" in page:
        if "the report too" not in said:
            link = ref_of(request, "link", "Report of <secret:USER>")
            return [("click", {"ref": link, "thought": "the report too"})]
        return [("stop", {"answer": "4217", "thought": "it is there"})]
    if "may not go to" not in said:
        return [
            (
                "type",
                {"ref": ref_of(request, "textbox", "Confirm your password"), "text": "<secret:PASSWORD>"},
            )
        ]
    if "goto takes no secret" not in said:
        return [("goto", {"url": f"http://{SHOP}/?p=<secret:PASSWORD>"})]
    if "no secret goes into a search box" not in said:
        return [
            ("type", {"ref": ref_of(request, "textbox", "Search"), "text": "<secret:USER>", "submit": True})
        ]
    if "verify it" not in said:
        again = ref_of(request, "textbox", "Password again")
        return [
            ("type", {"ref": again, "text": "<secret:PASSWORD>", "thought": "verify it"}),
            ("click", {"ref": ref_of(request, "button", "Verify")}),
        ]
    return [
        ("type", {"ref": ref_of(request, "textbox", "User name"), "text": "<secret:USER>", "thought": "me"}),
        ("type", {"ref": ref_of(request, "textbox", "Password"), "text": "<secret:PASSWORD>"}),
        ("click", {"ref": ref_of(request, "button", "Sign in"), "thought": "go"}),
    ]


class Folder:
    """A user's folder in which everything was done; the secrets' file lies elsewhere."""

    def __init__(self, path: Path, site: Site) -> None:
        self.path = path / "work"
        self.path.mkdir()
        self.secrets = path / "secrets.env"
        quoted = json.dumps(PASSWORD, ensure_ascii=False)
        self.secrets.write_text(f"USER@*.{SHOP}={USER}\nPASSWORD@{SHOP}={quoted}\n")
        self.secrets.chmod(0o600)
        self.site = site
        self.said: list[Done] = []
        self.sent = b""

    def do(self, *arguments: str, secrets: bool = False) -> Done:
        given = ("--secrets", str(self.secrets)) if secrets else ()
        self.said.append(webagent(*arguments, *given, cwd=self.path, timeout=200))
        return self.said[-1]

    def look(self, *arguments: str) -> None:
        """A command that needs no process of its own."""
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = cli.main(
                [*arguments, "--db", str(self.path / "workflows.db")], "webagent", standalone_mode=False
            )
        self.said.append(Done(code or 0, out.getvalue(), err.getvalue()))

    def written(self) -> Iterator[tuple[str, bytes]]:
        """All that was written, said and sent, by where it is; what is packed, unpacked too."""
        for n, done in enumerate(self.said):
            yield f"stdout {n}", done.out.encode()
            yield f"stderr {n}", done.err.encode()
        yield "sent", self.sent
        for path in self.path.rglob("*"):
            yield f"name of {path.name}", str(path).encode()
            if path.is_file():
                yield str(path), path.read_bytes()
                if path.suffix == ".zip":
                    yield from unpacked(path.read_bytes())


def unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for name in archive.namelist():
            yield f"name of {name}", name.encode()
            yield f"trace.zip/{name}", archive.read(name)


@pytest.fixture(name="folder", scope="module")
def all_of_it_done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Folder]:
    with serving(PAGES) as site:
        folder = Folder(tmp_path_factory.mktemp("secrets"), site)
        where = ["--url", site.url("/login", SHOP), "--verbose"]
        tracing = ["--save-trace", "--output-dir", "out"]
        verdict = {"success": True, "reason": f"logged in as {USER}"}
        with ScriptedEndpoint(act, verdict=verdict, workflows={"workflows": []}) as endpoint:
            model = ["--base-url", endpoint.base_url]
            folder.do("run", f"{GOAL} of {USER}", *where, *model, *tracing, "--json", secrets=True)
            folder.sent = json.dumps([dict(one) for one in endpoint.requests], ensure_ascii=False).encode()
        folder.do("induce", "--by", "rule")
        run_id = folder.said[0].json["run_id"]
        folder.do(
            "replay", run_id, "--json", "--verbose", "--save-trace", "--output-dir", "out2", secrets=True
        )
        folder.do("replay", run_id, "--json")
        for form in FORMATS:
            folder.look("workflows", "export", "--as", form, "--out", str(folder.path / f"export-{form}"))
        folder.look("workflows", "list", "--json")
        folder.look("runs", "show", run_id)
        folder.look("runs", "export", run_id)
        yield folder


def test_check_23_what_asks_for_a_secret_elsewhere_gets_none_and_the_goal_is_reached(folder: Folder) -> None:
    """A model that obeys every request for a secret (a foreign frame, a form that goes elsewhere, a search box, an
    address) is refused each time, and then logs in where the secret belongs."""
    done = folder.said[0]
    assert (done.code, done.json["answer"]) == (0, "4217"), done.err
    assert (done.json["goal"], done.json["url"].split("?")[1]) == (
        f"{GOAL} of <secret:USER>", f"user=<secret:USER>&password=<secret:PASSWORD>&session={TOKEN}",
    )  # fmt: skip
    assert f"<secret:PASSWORD> may not go to {FOREIGN}" in done.err


def test_check_21_a_learned_login_is_replayed_by_the_names(folder: Folder) -> None:
    """What is learned of a login holds the names of its secrets, and is carried out with the values."""
    done = folder.said[2]
    assert (done.code, done.json["answer"], done.json["llm"]["calls"]) == (0, "4217", 0), done.err


def test_a_replay_without_the_secrets_says_which_it_lacks(folder: Folder) -> None:
    done = folder.said[3]
    assert done.code == 1
    assert "there is no secret <secret:PASSWORD> (this run was started without --secrets FILE)" in done.err


def test_a_workflow_holds_the_names(folder: Folder) -> None:
    scripts = "".join(path.read_text() for path in (folder.path / "export-playwright").iterdir())
    assert "<secret:PASSWORD>" in (folder.path / "export-jsonl").read_text()
    assert '.fill(os.environ["PASSWORD"])' in scripts


def test_check_21_the_model_is_told_the_names_alone(folder: Folder) -> None:
    """The model is told the names of the secrets that it may use, and none of their values."""
    messages = json.loads(folder.sent)[0]["messages"]
    assert "<secret:USER>, <secret:PASSWORD>\n</secrets>" in messages[-2]["content"]


def test_check_23_the_foreign_host_was_sent_nothing(folder: Folder) -> None:
    """The foreign host saw no request but those for its own frame."""
    assert {path for host, path in folder.site.hits if host.startswith(FOREIGN)} <= {"/ask", "/favicon.ico"}


@pytest.mark.parametrize("value", [USER, PASSWORD])
def test_check_21_no_byte_holds_a_secret(folder: Folder, value: str) -> None:
    """No file, message, export or trace holds a value of `--secrets`, however it is spelt."""
    found = {
        f"{place}: …{data[max(0, data.find(spelling) - 60) : data.find(spelling) + 60]!r}…"
        for place, data in folder.written()
        for spelling in spellings(value)
        if spelling in data
    }
    assert not found, "\n".join(found)
    places = [place for place, _ in folder.written()]
    assert any("trace.zip/" in place and place.endswith(".trace") for place in places)


def test_check_21_no_trace_tells_a_secret_letter_by_letter(folder: Folder) -> None:
    """A trace holds no part of a secret as it was typed."""
    held = re.compile(r'"__playwright_value_":\s*("(?:[^"\\]|\\.)*")')
    for place, data in folder.written():
        if place.startswith("trace.zip") and place.endswith(".trace"):
            events = [json.loads(line) for line in data.decode().splitlines()]
            typed = [one["params"]["text"] for one in events if "text" in one.get("params", {})]
            kept = [json.loads(value) for value in held.findall(data.decode())]
            assert any(kept)
            for secret in (USER, PASSWORD):
                assert not [text for text in (*typed, *kept) if text and secret.startswith(text)]
                assert not [text for text in typed if len(text) == 1]


def test_check_24_a_token_in_an_address_is_kept_as_documented_unless_it_is_a_secret(folder: Folder) -> None:
    """Secrets are masked in stored addresses; tokens of the site's own are kept there, as documented."""
    rows = [json.loads(line) for line in folder.said[-1].out.splitlines()]
    assert rows[0]["url"].endswith(f"?user=<secret:USER>&password=<secret:PASSWORD>&session={TOKEN}")
    documented = Path(__file__).parent.parent.joinpath("docs", "security.md").read_text("utf-8")
    assert "Tokens that a site puts into its own URLs" in documented


def test_check_25_pictures_are_kept_only_where_they_are_asked_for_and_for_their_owner_alone(
    folder: Folder,
) -> None:
    """Without `--save-trace` no picture is kept; with it they are in a folder for its owner alone (0700)."""
    kinds = (".jpg", ".jpeg", ".png", ".webm", ".mp4")
    pictures = [path for path in folder.path.rglob("*") if path.suffix in kinds]
    assert pictures
    assert {path.relative_to(folder.path).parts[:2] for path in pictures} == {
        (out, "screenshots") for out in ("out", "out2")
    }
    for name in ("out", "out/screenshots", "out2"):
        assert stat.S_IMODE(folder.path.joinpath(name).stat().st_mode) == 0o700


def children_of(pid: int) -> set[int]:
    """All processes below one."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                after = entry.joinpath("stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended meanwhile
            parents[int(entry.name)] = int(after[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def command_of(pid: int) -> bytes:
    return read(f"/proc/{pid}/cmdline").replace(b"\0", b" ")


def environment_of(pid: int) -> str:
    return read(f"/proc/{pid}/environ").decode(errors="replace")


def read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""  # it has ended meanwhile


@dataclass
class Kept:
    """What a run under an open umask, with keys in its environment, left and started: the modes of its files, also
    while it ran, and the environment of each process by its command."""

    folder: Path
    done: Done
    sent: list[Request]
    modes: dict[str, int]
    environments: dict[str, str]


KEY = f"sk-{MARK}-0123456789"


@pytest.fixture(name="kept", scope="module")
def a_run_that_keeps_everything(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A download, a trace, a storage state, and an endpoint that echoes the key."""
    folder = tmp_path_factory.mktemp("kept")
    modes: dict[str, int] = {}
    seen: dict[str, str] = {}

    def file(request: Any) -> Any:
        modes.update(modes_in(folder))
        own = next(pid for pid in children_of(os.getpid()) if b"webagent" in command_of(pid))
        seen.update(
            (command_of(pid).decode(errors="replace"), environment_of(pid)) for pid in children_of(own)
        )
        return 200, {"Content-Disposition": "attachment; filename=r.txt"}, b"report"

    def fetch(request: Request) -> list[tuple[str, dict[str, Any]]]:
        return [("click", {"ref": ref_of(request, "link", "Report"), "thought": "fetch it"})]

    echo = Fault.error(500, f"key {KEY} of {KEY.upper()} is overloaded")
    refusal = Fault.error(401, f"Incorrect API key provided: {KEY}.", "invalid_api_key")
    act = sequence(echo, fetch, [("stop", {"answer": "1", "thought": "done"})])
    before = os.umask(0o022)
    try:
        with (
            serving({"/": "<a href=/file>Report</a>", "/file": file}) as site,
            ScriptedEndpoint(act, verdict=refusal) as endpoint,
        ):
            given = [
                "--base-url",
                endpoint.base_url,
                "--model",
                "scripted",
                "--verbose",
                "--json",
                "--save-trace",
            ]
            written = ["--output-dir", "out/er", "--save-storage-state", "state.json"]
            keys = {
                **dict.fromkeys(("OTHER_API_KEY", "MY_TOKEN", "DB_PASSWORD"), f"x{KEY}"),
                "OPENAI_API_KEY": KEY,
            }
            done = webagent("run", "get it", "--url", site.url(), *given, *written, cwd=folder, env=keys)
            webagent("runs", "export", "--out", "runs.jsonl", cwd=folder)
    finally:
        os.umask(before)
    return Kept(folder, done, endpoint.requests, modes | modes_in(folder), seen)


def test_check_19_the_models_key_is_in_no_file_prompt_or_message(kept: Kept, tmp_path: Path) -> None:
    """The model's key is in no prompt, trace, log, database or error text, also where the endpoint echoes it."""
    assert (kept.done.code, kept.done.json["status"]) == (1, "done"), kept.done.err
    assert [len(request["messages"]) for request in kept.sent][:2] == [2 + 1, 2 + 1]
    assert not told(f"{kept.done.out}{kept.done.err}".encode())
    assert not any(told(json.dumps(request).encode()) for request in kept.sent)
    assert kept.sent[0].headers["Authorization"] == f"Bearer {KEY}"
    assert kept.folder.joinpath("out", "er", "prompts").is_dir()
    assert list(left_in(kept.folder)) == []
    with serving("<h1>Hi</h1>") as site, ScriptedEndpoint(api_key="sk-right") as endpoint:
        arguments = ["--url", site.url(), "--base-url", endpoint.base_url, "--model", "m", "--verbose"]
        refused = webagent("run", "go", *arguments, cwd=tmp_path, env={"OPENAI_API_KEY": KEY})
    assert (refused.code, "key" in refused.err.lower()) == (3, True), refused.err
    assert not told(f"{refused.out}{refused.err}".encode())
    assert list(left_in(tmp_path)) == []


@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="environments of others are read in /proc"
)
def test_check_20_no_process_that_is_started_has_a_key_in_its_environment(kept: Kept) -> None:
    """No process that a run starts, the browser's own and the driver's included, has a key, token or password
    in its environment."""
    assert any("chrom" in name for name in kept.environments)
    assert any("driver" in name for name in kept.environments)
    assert [name[:80] for name, environment in kept.environments.items() if MARK in environment] == []


def test_check_26_all_that_is_written_is_for_its_owner_alone(kept: Kept) -> None:
    """All files are 0600 and all folders 0700, whatever the umask: database (-wal and -shm too), traces,
    downloads, storage state, exports."""
    names = {Path(name).name for name in kept.modes}
    assert {
        "workflows.db",
        "workflows.db-wal",
        "workflows.db-shm",
        "state.json",
        "r.txt",
        "runs.jsonl",
    } <= names
    assert {"trace.zip", "report.html", "step-01.jpg"} <= names
    assert {name: oct(mode) for name, mode in kept.modes.items() if mode & 0o077} == {}


@pytest.mark.slow
def test_check_26_what_batches_and_benchmarks_write_is_for_its_owner_alone(tmp_path: Path) -> None:
    """The folders of batches and benchmarks are 0700 and what is in them 0600, too."""
    before = os.umask(0o022)
    try:
        with serving("<h1>Hi</h1>") as site, ScriptedEndpoint() as endpoint:
            (tmp_path / "tasks.env").write_text(json.dumps({"id": "1", "goal": "look", "url": site.url()}))
            model = ["--base-url", endpoint.base_url, "--model", "scripted"]
            kept = ["--save-trace", "--output-dir", "out"]
            batch = webagent("batch", "tasks.env", *kept, *model, cwd=tmp_path)
            arms = ["--arms", "off,online", "--sites", "maps", "--limit", "1", "--out", "results"]
            bench = webagent("bench", "arena", *arms, *model, cwd=tmp_path)
    finally:
        os.umask(before)
    assert (batch.code, bench.code) == (0, 0), batch.err + bench.err
    modes = modes_in(tmp_path)
    assert {"runs.jsonl", "report.html", "table.md", "trace.zip"} <= {Path(name).name for name in modes}
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}


def modes_in(folder: Path) -> dict[str, int]:
    """The modes of what the program wrote below a folder."""
    written = [path for path in folder.rglob("*") if path.suffix != ".env"]
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in written if path.exists()
    }


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


@IN_BROWSER
async def test_check_21_the_page_gets_the_value_and_the_observation_its_name(hand: Hand) -> None:
    """The page gets the value, the observation shows the name."""
    await hand.do("type", ref=hand.ref("textbox", "User name"), text="<secret:USER>")
    await hand.do("type", ref=hand.ref("textbox", "Password"), text="<secret:PASSWORD>")
    assert (await value_of(hand, "[name=user]"), await value_of(hand, "[name=password]")) == (USER, PASSWORD)
    assert hand.line("textbox", "User name").text == "<secret:USER>"
    assert hand.line("textbox", "Password").text == "••••••••"
    assert "Hello <secret:USER>" in hand.text


@IN_BROWSER
@pytest.mark.parametrize("name", ["PASSWORD", "USER", "NOTE"])
async def test_check_22_a_frame_of_another_host_gets_no_secret_of_this_one(
    hand: Hand, site: Site, name: str
) -> None:
    """A secret that is bound to a host is not typed into a frame of another one."""
    refused = await hand.refuse("type", ref=hand.ref("textbox", "Confirm"), text=f"<secret:{name}>")
    assert refused.error == (
        f"not typed: <secret:{name}> may not go to {FOREIGN}; secrets for it: <secret:CODE>"
    )
    await hand.do("click", ref=hand.ref("textbox", "Confirm"))
    assert "may not go to" in (await hand.refuse("type", text=f"<secret:{name}>")).error
    assert not [path for _, path in site.hits if path.startswith("/stolen")]


@IN_BROWSER
@pytest.mark.parametrize("name", ["NO_SUCH", "CODE"])
async def test_check_22_a_secret_of_another_host_is_refused(hand: Hand, name: str) -> None:
    """A secret of another host, and an unknown one, are refused with the names that there are."""
    refused = await hand.refuse("type", ref=hand.ref("textbox", "User name"), text=f"<secret:{name}>")
    assert refused.error.endswith("<secret:USER>, <secret:PASSWORD>, <secret:NOTE>")
    assert not any(one.value in refused.error for one in KNOWN.known)
    assert await value_of(hand, "[name=user]") == ""


@IN_BROWSER
async def test_check_23_no_secret_goes_into_a_field_of_another_kind(hand: Hand) -> None:
    """No secret goes into a search box, and no password into a field that shows what it holds."""
    refused = await hand.refuse("type", ref=hand.ref("textbox", "Search"), text="<secret:USER>")
    assert refused.error == "not typed: no secret goes into a search box"
    refused = await hand.refuse("type", ref=hand.ref("textbox", "Remarks"), text="<secret:PASSWORD>")
    assert refused.error == "not typed: <secret:PASSWORD> goes into a password field only"
    assert (await value_of(hand, "[name=q]"), await value_of(hand, "textarea")) == ("", "")


@IN_BROWSER
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("goto", {"url": "/welcome?a=<secret:PASSWORD>"}),
        ("tab", {"op": "new", "url": "/welcome?a=<secret:PASSWORD>"}),
        ("press", {"key": "<secret:PASSWORD>"}),
        ("upload", {"ref": "e2", "paths": ["<secret:PASSWORD>"]}),
        ("dialog", {"accept": True, "text": "<secret:PASSWORD>"}),
    ],
)
async def test_check_23_no_other_action_takes_a_secret(
    hand: Hand, site: Site, tool: str, arguments: dict[str, Any]
) -> None:
    """No action but `type` takes a secret: not an address, a key, a file or a dialog."""
    before = len(site.hits)
    refused = await hand.refuse(tool, **arguments)
    assert refused.error == f"{tool} takes no secret; only type does, into a field of the secret's host"
    assert len(site.hits) == before


@IN_BROWSER
async def test_check_27_what_a_password_field_holds_is_in_no_observation(chromium: Chromium) -> None:
    """What a password field holds is in no observation: prefilled, in a frame, or shown as text by the page."""
    page = """<label>Password <input type=password id=p value=first-secret></label>
    <button onclick="p.type = p.type === 'text' ? 'password' : 'text'">Show</button>
    <iframe src=/frame></iframe>"""
    frame = "<label>Pin <input type=password value=framed-secret></label>"
    with serving({"/": page, "/frame": frame}) as site:
        async with visiting(chromium, site.url()) as hand:
            assert "secret" not in hand.text
            assert "••••" in hand.text
            await hand.do("type", ref=hand.ref("textbox", "Password"), text="violet-secret-9")
            await hand.do("click", ref=hand.ref("button", "Show"))
            assert "secret" not in hand.text
            assert "secret" not in hand.events
            assert await hand.session.evaluate("p.type + p.value") == "textviolet-secret-9"


@IN_BROWSER
async def test_check_27_passwords_in_many_frames_are_masked(chromium: Chromium) -> None:
    """What password fields hold in more frames than are asked one by one is in no observation either."""
    frames = [
        f"<iframe srcdoc=\"<input type=password aria-label=Key value='hunter{n}'>\"></iframe>"
        for n in range(33)
    ]
    with serving("".join(frames)) as site:
        async with visiting(chromium, site.url()) as hand:
            for _ in range(20):  # a busy machine needs longer for so many than one look waits for frames
                assert "hunter" not in hand.text
                if hand.text.count('textbox "Key"') >= 31:
                    break
                await hand.look()
            else:
                pytest.fail("the frames were never read")


@IN_BROWSER
async def test_check_21_what_went_into_a_password_field_is_hidden_in_all_that_comes_after(
    chromium: Chromium, tmp_path: Path
) -> None:
    """A password that the model made up itself is hidden once it was typed: in later thoughts, actions, errors,
    in the answer, in the result and in memory."""
    own = f"own-{MARK}-word"
    page = "<label>Password <input type=password></label><label>Name <input></label><button>Go</button>"

    def say(request: Request) -> list[tuple[str, dict[str, Any]]]:
        done = sum(message["role"] == "tool" for message in request["messages"])
        name = ref_of(request, "textbox", "Name")
        script: list[tuple[str, dict[str, Any]]] = [
            (
                "type",
                {"ref": ref_of(request, "textbox", "Password"), "text": own, "thought": f"I choose {own}"},
            ),
            ("type", {"ref": name, "text": f"it is {own}", "thought": f"{own} goes here too"}),
            ("find", {"text": own, "thought": f"where is {own}"}),
            ("wait", {"text": own, "seconds": 1, "thought": own}),
            ("stop", {"answer": f"the password is {own}", "thought": own}),
        ]
        return [script[done]]

    with serving(page) as site, ScriptedEndpoint(say) as endpoint:
        settings = Settings(
            base_url=endpoint.base_url, model="scripted", save_trace=True, output_dir=str(tmp_path)
        )
        with Store.open(tmp_path / "workflows.db") as store:
            run = Run(Task(id="", goal="sign up"), site.url(), settings, store, browser=chromium)
            result = await run.run()
            assert result.answer == "the password is ••••••••"
            assert len(store.steps(result.run_id)) == 4
        later = "".join(json.dumps(request) for request in endpoint.requests[1:])
    assert not told(f"{later} {result}".encode())
    assert list(left_in(tmp_path)) == []
    assert tmp_path.joinpath("trace.zip").exists()
