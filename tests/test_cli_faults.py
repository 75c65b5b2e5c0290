"""Bad input and a bad world: one clear line that names the value and the way out, the right code."""

import os
import socket
from pathlib import Path

import pytest
from sqlite_utils import Database

from tests.commands import Done, webagent
from tests.endpoint import Fault, ScriptedEndpoint

GOAL = "find zip code of CMU"


def refused(done: Done, code: int, *words: str) -> None:
    """One line on stderr with all these words, nothing on stdout, no traceback."""
    assert done.code == code, done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    told = [line for line in done.err.splitlines() if line.lower().startswith("error:")]
    assert len(told) == 1, done.err
    for word in words:
        assert word in told[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", GOAL, "--site", "mops"], ["'mops'", "maps", "sites add"]),
        (["run", GOAL], ["--site", "--url"]),
        (["run", " ", "--site", "maps"], ["goal"]),
        (["run", GOAL, "--site", "maps", "--url", "http://x.test/"], ["--site or --url"]),
        (["run", GOAL, "--url", "ftp://x.test/"], ["ftp://x.test/", "http"]),
        (["run", GOAL, "--url", "javascript:alert(1)"], ["javascript:alert(1)"]),
        (["run", GOAL, "--url", "maps"], ["'maps'", "https://"]),
        (["run", GOAL, "--url", "http://x:99999/"], ["port"]),
        (["run", GOAL, "--site", "maps", "--expect", "{oops"], ["--expect"]),
        (["run", GOAL, "--site", "maps", "--expect", '{"anser": "1"}'], ["anser", "answer"]),
        (["run", GOAL, "--site", "maps", "--judge", "expect"], ["--expect"]),
        (["run", GOAL, "--site", "maps", "--max-steps", "0"], ["--max-steps"]),
        (["run", GOAL, "--site", "maps", "--viewport-size", "big"], ["'big'", "1280x720"]),
        (["run", GOAL, "--site", "maps", "--price", "cheap"], ["--price", "'cheap'"]),
        (["run", GOAL, "--site", "maps", "--policy", "wild"], ["wild"]),
        (["run", GOAL, "--site", "maps", "--model", "no-such.gguf"], ["no-such.gguf"]),
        (["run", GOAL, "--site", "maps", "--timeout", "nan"], ["--timeout"]),
        (["run", GOAL, "--site", "maps", "--slow-mo", "inf"], ["--slow-mo"]),
        (["run", GOAL, "--site", "maps", "--price", "nan,1,1"], ["--price"]),
        (["run", GOAL, "--site", "maps", "--expire-days", "nan"], ["--expire-days"]),
        (["run", GOAL, "--site", "maps", "--viewport-size", "1280²x720"], ["1280²x720"]),
        (["run", GOAL, "--site", "maps", "--viewport-size", "99999999x9"], ["99999999x9"]),
        (["run", GOAL, "--site", "maps", "--storage-state", "none.json"], ["none.json"]),
        (["run", GOAL, "--site", "maps", "--upload", "nowhere"], ["nowhere"]),
        (["runs", "show", "nope"], ["'nope'"]),
        (["workflows", "show", "nope"], ["'nope'"]),
        (["sites", "remove", "nope"], ["'nope'"]),
        (["sites", "add", "maps", "http://x.test/"], ["'maps'"]),
        (["sites", "add", "x", "x.test"], ["x.test"]),
    ],
    ids=lambda value: " ".join(value)[:40],
)
def test_bad_usage_is_one_line_and_code_2(arguments: list[str], words: list[str], tmp_path: Path) -> None:
    if arguments[0] in ("runs", "workflows"):
        Database(tmp_path / "workflows.db").close()
        (tmp_path / "workflows.db").unlink()
        _seeded(tmp_path)
    refused(webagent(*arguments, cwd=tmp_path), 2, *words)


def _seeded(folder: Path) -> None:
    from webagent.store import Store

    with Store.open(folder / "workflows.db"):
        pass


def test_a_broken_project_file_names_file_and_key(tmp_path: Path) -> None:
    (tmp_path / "webagent.toml").write_text("modle = 'x'\n")
    refused(webagent("run", GOAL, "--site", "maps", cwd=tmp_path), 2, "webagent.toml", "modle")
    (tmp_path / "webagent.toml").write_text("model = \n")
    refused(webagent("run", GOAL, "--site", "maps", cwd=tmp_path), 2, "webagent.toml", "TOML")


def test_an_env_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("NAME=Müller".encode("latin-1"))
    refused(webagent("run", GOAL, "--site", "maps", cwd=tmp_path), 2, ".env", "UTF-8")


def test_of_a_site_and_a_url_the_one_said_closer_at_hand_counts(tmp_path: Path) -> None:
    (tmp_path / "webagent.toml").write_text('site = "maps"\n')
    url = f"http://127.0.0.1:{free_port()}/"
    with ScriptedEndpoint() as endpoint:
        done = webagent("run", GOAL, "--url", url, "--base-url", endpoint.base_url, cwd=tmp_path)
        refused(done, 3, url)
        env = {"WEBAGENT_URL": url}
        done = webagent("run", GOAL, "--base-url", endpoint.base_url, cwd=tmp_path, env=env)
        refused(done, 3, url)


def test_numbers_of_the_project_file_must_be_numbers(tmp_path: Path) -> None:
    (tmp_path / "webagent.toml").write_text("max-steps = [1]\n")
    refused(webagent("run", GOAL, "--site", "maps", cwd=tmp_path), 2, "webagent.toml", "max-steps")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        assert isinstance(port, int)
        return port


def test_an_unreachable_url_is_named(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/"
    with ScriptedEndpoint() as endpoint:
        done = webagent("run", GOAL, "--url", url, "--base-url", endpoint.base_url, cwd=tmp_path)
    refused(done, 3, url)


def test_no_browser_where_one_is_named(tmp_path: Path) -> None:
    with ScriptedEndpoint() as endpoint:
        done = webagent(
            "run",
            GOAL,
            "--site",
            "maps",
            "--base-url",
            endpoint.base_url,
            "--executable-path",
            "/no/chrome",
            cwd=tmp_path,
        )
    refused(done, 3, "/no/chrome")


def test_no_key_says_how_to_set_one(tmp_path: Path) -> None:
    done = webagent("run", GOAL, "--site", "maps", "--model", "gpt-x", cwd=tmp_path)
    refused(done, 3, "OPENAI_API_KEY")


def test_several_models_are_listed_when_none_is_named(tmp_path: Path) -> None:
    with ScriptedEndpoint(models=("small", "large")) as endpoint:
        done = webagent("run", GOAL, "--site", "maps", "--base-url", endpoint.base_url, cwd=tmp_path)
    refused(done, 3, "small", "large")


def test_an_endpoint_that_answers_html_ends_the_run_which_is_kept(tmp_path: Path) -> None:
    fault = Fault(200, "<html>Welcome</html>", {"Content-Type": "text/html"})
    with ScriptedEndpoint(fault) as endpoint:
        arguments = [
            "run",
            GOAL,
            "--site",
            "maps",
            "--base-url",
            endpoint.base_url,
            "--model",
            "scripted",
            "--json",
        ]
        done = webagent(*arguments, cwd=tmp_path)
    assert done.code == 3, done.err
    assert done.json["status"] == "error"
    assert "Traceback" not in done.err
    row = next(Database(tmp_path / "workflows.db")["runs"].rows)
    assert row["status"] == "error"
    assert row["ended_at"]


def test_an_endpoint_that_hangs_is_ended_by_the_runs_own_time(tmp_path: Path) -> None:
    with ScriptedEndpoint(Fault(delay=300)) as endpoint:
        arguments = [
            "run",
            GOAL,
            "--site",
            "maps",
            "--base-url",
            endpoint.base_url,
            "--model",
            "scripted",
            "--json",
        ]
        done = webagent(*arguments, "--timeout", "3", cwd=tmp_path)
    assert done.code == 1, done.err
    assert done.json["status"] == "budget"
    assert "timeout" in done.err


def test_databases_that_cannot_be_used_are_named_and_left_alone(tmp_path: Path) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\x00" + os.urandom(4096))
    text = tmp_path / "text.db"
    text.write_text("hello " * 500)
    before = {path: path.read_bytes() for path in (broken, text)}
    with ScriptedEndpoint() as endpoint:
        for path in (broken, text, tmp_path / "none" / "x.db", tmp_path):
            arguments = ["run", GOAL, "--site", "maps", "--base-url", endpoint.base_url, "--db", str(path)]
            refused(webagent(*arguments, cwd=tmp_path), 3, str(path.parent if path.name == "x.db" else path))
    assert before == {path: path.read_bytes() for path in before}


def test_budgets_end_a_run_with_their_reason(tmp_path: Path) -> None:
    def wander(request: object) -> list[tuple[str, dict[str, object]]]:
        return [("scroll", {"direction": "down" if len(endpoint.acts) % 2 else "up"})]

    with ScriptedEndpoint(wander) as endpoint:
        arguments = ["run", GOAL, "--site", "maps", "--base-url", endpoint.base_url, "--json"]
        done = webagent(*arguments, "--max-steps", "3", cwd=tmp_path)
        assert (done.code, done.json["status"], done.json["steps"]) == (1, "budget", 3)
        assert "max_steps" in done.err
        done = webagent(*arguments, "--max-tokens", "100", cwd=tmp_path)
        assert (done.code, done.json["status"]) == (1, "budget")
        assert "max_tokens" in done.err
