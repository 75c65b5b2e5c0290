"""No byte that the program wrote, said or sent holds a secret: a login that gives everything away, run,
learned from, replayed without a model, exported in every form."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Done, webagent
from tests.endpoint import Request, ScriptedEndpoint, observation_of, ref_of, text_of
from tests.pages.kit import Site, serving
from tests.pages.nasty_login import FOREIGN, PAGES, PASSWORD, SHOP, USER, spellings
from webagent.cli import cli

pytestmark = pytest.mark.timeout(400)
FORMATS = ("jsonl", "text", "awm", "skill", "playwright", "pytest")
GOAL = "log in and tell the balance"


def act(request: Request) -> list[tuple[str, dict[str, Any]]]:
    """Obeys the foreign frame first, tries the URL, then logs in."""
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


def test_the_run_logged_in(folder: Folder) -> None:
    done = folder.said[0]
    assert (done.code, done.json["answer"]) == (0, "4217"), done.err
    assert (done.json["goal"], done.json["url"].split("?")[1]) == (
        f"{GOAL} of <secret:USER>", "user=<secret:USER>&password=<secret:PASSWORD>",
    )  # fmt: skip
    assert f"<secret:PASSWORD> may not go to {FOREIGN}" in done.err


def test_it_is_replayed_without_a_model_by_the_names(folder: Folder) -> None:
    done = folder.said[2]
    assert (done.code, done.json["answer"], done.json["llm"]["calls"]) == (0, "4217", 0), done.err


def test_a_replay_without_the_secrets_says_which_it_lacks(folder: Folder) -> None:
    done = folder.said[3]
    assert done.code == 1
    assert "there is no secret <secret:USER> (this run was started without --secrets FILE)" in done.err


def test_a_workflow_holds_the_names(folder: Folder) -> None:
    scripts = "".join(path.read_text() for path in (folder.path / "export-playwright").iterdir())
    assert "<secret:PASSWORD>" in (folder.path / "export-jsonl").read_text()
    assert '.fill(os.environ["PASSWORD"])' in scripts


def test_the_model_was_told_the_names(folder: Folder) -> None:
    messages = json.loads(folder.sent)[0]["messages"]
    assert "<secret:USER>, <secret:PASSWORD>\n</secrets>" in messages[-2]["content"]


def test_the_foreign_host_was_sent_nothing(folder: Folder) -> None:
    assert {path for host, path in folder.site.hits if host.startswith(FOREIGN)} <= {"/ask", "/favicon.ico"}


@pytest.mark.parametrize("value", [USER, PASSWORD])
def test_no_byte_holds_a_secret(folder: Folder, value: str) -> None:
    found = {
        f"{place}: …{data[max(0, data.find(spelling) - 60) : data.find(spelling) + 60]!r}…"
        for place, data in folder.written()
        for spelling in spellings(value)
        if spelling in data
    }
    assert not found, "\n".join(found)
    places = [place for place, _ in folder.written()]
    assert any("trace.zip/" in place and place.endswith(".trace") for place in places)


def test_no_trace_tells_a_secret_letter_by_letter(folder: Folder) -> None:
    for place, data in folder.written():
        if place.startswith("trace.zip") and place.endswith(".trace"):
            events = [json.loads(line) for line in data.decode().splitlines()]
            typed = [one["params"]["text"] for one in events if "text" in one.get("params", {})]
            assert all(len(text) > 1 and not PASSWORD.startswith(text) for text in typed), typed
            assert not any(
                f'"__playwright_value_":"{USER[:n]}"'.encode() in data for n in range(1, len(USER))
            )
