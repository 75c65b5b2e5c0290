"""`webagent induce`: what stored and imported runs teach afterwards."""

import json
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from tests.commands import Done, webagent
from tests.endpoint import ScriptedEndpoint, text_of
from tests.pages_text import found
from tests.test_memory import FAILED, REAL, SHOP, kept
from webagent.interfaces import Verdict
from webagent.store import Store


def runs(folder: Path) -> None:
    """Two successes, a failure, and one that no judge looked at."""
    with Store.open(folder / "workflows.db") as store:
        kept(store, found("r1", "Lamp"), REAL)
        kept(store, found("r2", "Rug"), REAL)
        kept(store, found("r3", "Sofa", fact="Weight"), FAILED)
        kept(store, found("r4", "Sofa", fact="Colour"), Verdict(True, "none", "replayed"))


def rows(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()]


def test_stored_successes_become_workflows_by_rule(tmp_path: Path) -> None:
    runs(tmp_path)
    done = webagent("induce", "--site", SHOP, "--by", "rule", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert [row["run"] for row in rows(done)] == ["r1", "r2"]
    (row,) = webagent_rows(tmp_path)
    assert row["name"] == "find the price of a search"
    assert row["status"] == "active"
    assert row["body"]["learned"] == "offline"
    again = webagent("induce", "--site", SHOP, "--by", "rule", "--json", cwd=tmp_path)
    assert rows(again) == []


def webagent_rows(folder: Path) -> list[dict[str, Any]]:
    return rows(webagent("workflows", "list", "--json", cwd=folder))


def test_a_model_induces_too_and_its_prompt_cites_the_run(tmp_path: Path) -> None:
    runs(tmp_path)
    with ScriptedEndpoint() as endpoint:
        done = webagent("induce", "--by", "llm", "--base-url", endpoint.base_url, "--json", cwd=tmp_path)
        assert done.code == 0, done.err
        asked = endpoint.named("workflows")
    assert len(asked) == 2
    assert "r1#1" in text_of(asked[0])
    assert Database(tmp_path / "workflows.db")["workflows"].count == 0


def test_bad_use_is_told(tmp_path: Path) -> None:
    runs(tmp_path)
    done = webagent("induce", "--by", "llm", cwd=tmp_path)
    assert (done.code, done.out) == (3, "")
    assert "--by llm needs a model" in done.err
    done = webagent("induce", "--site", "nowhere", cwd=tmp_path)
    assert done.code == 2
    assert "nowhere" in done.err
    done = webagent("induce", "--from", "no-such-folder", "--site", "shop.test", cwd=tmp_path)
    assert done.code == 2
    assert "no-such-folder" in done.err
