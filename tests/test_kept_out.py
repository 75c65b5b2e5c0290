"""What must not be kept is not: passwords in no file, keys in no file; traces hold what they say."""

import html
import json
import re
import zipfile
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from sqlite_utils import Database

from tests.commands import webagent
from tests.endpoint import Request, ScriptedEndpoint, observation_of, ref_of, text_of
from tests.left_behind import MARK
from tests.pages.kit import serving

PASSWORD = f"violet-{MARK}-kite-9"
LOGIN = """<h1>Locker</h1><form action=/in method=post><label>Name <input name=n></label>
<label>Password <input type=password name=p></label><button>Open</button></form>"""


def log_in(request: Request) -> list[tuple[str, dict[str, object]]]:
    if "Welcome" in observation_of(request):
        return [("stop", {"thought": "in"})]
    return [
        ("type", {"ref": ref_of(request, "textbox", "Name"), "text": "guest"}),
        (
            "type",
            {
                "ref": ref_of(request, "textbox", "Password"),
                "text": PASSWORD,
                "thought": f"I type {PASSWORD}",
            },
        ),
        ("click", {"ref": ref_of(request, "button", "Open")}),
    ]


def test_a_password_that_was_typed_is_in_no_file_and_in_no_workflow(tmp_path: Path) -> None:
    goal = f"open the locker of guest with password {PASSWORD}"
    with serving({"/": LOGIN, "/in": "<h1>Welcome</h1>"}) as site, ScriptedEndpoint(log_in) as endpoint:
        arguments = ["--url", site.url(), "--base-url", endpoint.base_url, "--json"]
        done = webagent("run", goal, *arguments, cwd=tmp_path)
        assert done.code == 0, done.err
        later = [text_of(request) for request in endpoint.requests[1:]]
        assert PASSWORD not in done.err.replace(goal, "")
        again = webagent(
            "run", goal.replace(PASSWORD, "other-1234"), "--url", site.url(), "--json", cwd=tmp_path
        )
    assert done.json["workflows"]["learned"]
    assert all(PASSWORD not in text.replace(f"<goal>\n{goal}\n</goal>", "") for text in later)
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or PASSWORD.encode() not in path.read_bytes(), path
    body = next(Database(tmp_path / "workflows.db")["workflows"].rows)["body"]
    assert "{password}" in body
    assert again.code == 3, "a candidate that posts something is not carried out"


def test_a_password_that_a_page_echoes_is_masked_in_prompts_and_memory(tmp_path: Path) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, object]]]:
        if "Account" in observation_of(request):
            return [("stop", {"answer": "42 EUR"})]
        return log_in(request)

    pages = {"/": LOGIN, "/in": f"<p>Account guest {PASSWORD}: 42 EUR (today)</p>"}
    with serving(pages) as site, ScriptedEndpoint(act) as endpoint:
        arguments = ["--url", site.url(), "--base-url", endpoint.base_url, "--json"]
        done = webagent("run", "log in as guest and tell the balance", *arguments, cwd=tmp_path)
        assert done.code == 0, done.err
        assert all(PASSWORD not in text_of(request) for request in endpoint.requests)
    for row in Database(tmp_path / "workflows.db")["workflows"].rows:
        for word in ("violet", "kite"):
            assert word not in row["body"]


@pytest.mark.parametrize("password", ["correct horse+battery", 'quo"te-9!x', "ab1"])
def test_a_password_is_masked_however_it_is_spelt(tmp_path: Path, password: str) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, object]]]:
        if "Account" in observation_of(request):
            return [("stop", {"answer": "42 EUR", "thought": f"I used {password}"})]
        calls = log_in(request)
        calls[1][1].update(text=password, thought=f"I type {password}")
        return calls

    login = LOGIN.replace(" method=post", "")
    pages = {"/": login, "/in": f"<p>Account guest {html.escape(password)} : 42 EUR (today)</p>"}
    with serving(pages) as site, ScriptedEndpoint(act) as endpoint:
        arguments = ["--url", site.url(), "--base-url", endpoint.base_url, "--json"]
        done = webagent(
            "run", f"log in as guest with {password} and tell the balance", *arguments, cwd=tmp_path
        )
        assert done.code == 0, done.err
    db = Database(tmp_path / "workflows.db")
    for table in db.table_names():
        for row in db[table].rows:
            text = " ".join(str(value) for value in row.values())
            for spelt in {password, quote_plus(password), json.dumps(password)[1:-1]}:
                assert not re.search(rf"(?<!\w){re.escape(spelt)}(?!\w)", text), (table, row)


def test_a_place_for_the_storage_state_that_is_not_there_is_told_before_the_run(tmp_path: Path) -> None:
    with serving("<h1>Hi</h1>") as site:
        arguments = ["--url", site.url(), "--base-url", "http://127.0.0.1:9/v1"]
        done = webagent("run", "look", *arguments, "--save-storage-state", "no/such/state.json", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "no/such/state.json" in done.err


def test_a_trace_holds_the_steps_as_pictures_and_the_exact_prompts(tmp_path: Path) -> None:
    with serving({"/": LOGIN, "/in": "<h1>Welcome</h1>"}) as site, ScriptedEndpoint(log_in) as endpoint:
        arguments = [
            "--url",
            site.url(),
            "--base-url",
            endpoint.base_url,
            "--save-trace",
            "--output-dir",
            "out",
        ]
        done = webagent("run", "log in", *arguments, cwd=tmp_path)
        assert done.code == 0, done.err
        sent = [request["messages"] for request in endpoint.acts]
    folder = tmp_path / "out"
    assert folder.stat().st_mode & 0o077 == 0
    assert zipfile.ZipFile(folder / "trace.zip").testzip() is None
    kept = [json.loads(path.read_text()) for path in sorted((folder / "prompts").iterdir())]
    assert [call["messages"] for call in kept if call["name"] == "act"] == sent
    pictures = sorted(path.name for path in (folder / "screenshots").iterdir())
    assert pictures == ["final.jpg", "step-01.jpg", "step-02.jpg", "step-03.jpg"]
    texts = [path for path in folder.rglob("*") if path.suffix in (".json", ".html")]
    assert len(texts) == 3 + 4 + 1
    for path in texts:
        assert PASSWORD not in path.read_text(), path
