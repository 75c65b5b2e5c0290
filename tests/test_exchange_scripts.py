"""Workflows as Playwright scripts and pytest tests: they run on their own, and nothing breaks out of them."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures_sites.maps.places import search
from fixtures_sites.server import FixtureServer
from tests.commands import webagent
from tests.pages.kit import serving
from tests.seeded import SEED, workflow_id
from webagent.browser.launch import find_chromium
from webagent.errors import UsageError
from webagent.exchange.script_steps import literal
from webagent.exchange.scripts import playwright_text, pytest_text
from webagent.observation import Target
from webagent.store import Store
from webagent.workflow import AnswerReader, Variable, Workflow, WorkflowStep

ROOT = Path(__file__).parent.parent
ZIP = workflow_id("find zip code of a place")
DIRECTIONS = workflow_id("get directions for from and to and travel")
CONFTEST = """
import pytest
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path={path!r})
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    page = browser.new_context().new_page()
    yield page
    page.close()
"""
HOSTILE = 'He said "it\'s" \\ """ { place } {0} $url %(prog)s %d \'\'\' # nosec'
EVIL = '"""\nimport shutil\nshutil.rmtree("/")\n\'\'\'\\'


def seed_ids() -> list[str]:
    with Store.open(SEED, read_only=True) as store:
        return [workflow.id for workflow in store.workflows()]


@pytest.fixture(scope="module")
def maps() -> Iterator[str]:
    with FixtureServer() as server:
        yield server.url("maps")


def python(*arguments: str, cwd: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """A Python process that can't import webagent."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**environment, **extra},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def exported(folder: Path, name: str, form: str = "playwright") -> Path:
    """The file that the command line writes for a workflow of the seed."""
    shutil.copy(SEED, folder / "workflows.db")
    done = webagent("workflows", "export", name, "--as", form, "--out", "out", cwd=folder)
    assert done.code == 0, done.err
    return folder / done.out.strip()


def carried_out(script: Path, url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    chromium = find_chromium() or ""
    return python(str(script), "--url", url, "--executable-path", chromium, *arguments, cwd=script.parent)


def tidy(folder: Path) -> str:
    """What the linter and the formatter say against the files of a folder."""
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache", str(folder)]
    checked = python("-m", "ruff", "check", *config, cwd=folder)
    formatted = python("-m", "ruff", "format", "--check", "--diff", *config, cwd=folder)
    return "" if checked.returncode == formatted.returncode == 0 else checked.stdout + formatted.stdout


@pytest.mark.parametrize("workflow", seed_ids())
def test_the_script_of_each_seeded_workflow_runs_green_on_its_example(
    tmp_path: Path, workflow: str, maps: str
) -> None:
    done = carried_out(exported(tmp_path, workflow), maps)
    assert (done.returncode, done.stderr) == (0, "")
    with Store.open(SEED, read_only=True) as store:
        known = store.workflow(workflow)
    assert known is not None
    said = done.stdout.strip()
    assert said == known.reader.examples[0] if known.reader else said.startswith(maps)


@pytest.mark.parametrize(
    ("place", "answer"),
    [
        ("CMU", "15213"),
        ("Carnegie Mellon University", "15213"),
        ("Andy Warhol Museum", search("Andy Warhol Museum")[0].zip_code),
    ],
)
def test_another_place_is_an_option(tmp_path: Path, maps: str, place: str, answer: str) -> None:
    done = carried_out(exported(tmp_path, ZIP), maps, "--place", place)
    assert (done.returncode, done.stdout) == (0, f"{answer}\n"), done.stderr


def test_what_is_missing_or_in_doubt_is_said_and_nothing_printed(tmp_path: Path, maps: str) -> None:
    script = exported(tmp_path, ZIP)
    done = carried_out(script, maps, "--place", "City Hall")
    assert (done.returncode, done.stdout) == (1, "")
    assert "of the results fit 'City Hall'; which one is meant is not known" in done.stderr
    changed = script.read_text().replace('"Search for a place"', '"Look up"')
    script.write_text(changed.replace("set_default_timeout(10_000)", "set_default_timeout(1_000)"))
    done = carried_out(script, maps)
    assert (done.returncode, done.stdout) == (1, "")
    assert 'waiting for get_by_role("searchbox", name="Look up", exact=True)' in done.stderr


def test_the_pytest_export_runs_green_on_the_runs_it_came_from(tmp_path: Path, maps: str) -> None:
    files = [exported(tmp_path, name, "pytest") for name in (ZIP, DIRECTIONS)]
    assert [path.name for path in files] == [
        "test_find_zip_code_of_a_place.py",
        "test_get_directions_for_from_and_to_and_travel.py",
    ]
    folder = files[0].parent
    (folder / "conftest.py").write_text(CONFTEST.format(path=find_chromium()))
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "--rootdir", str(folder))
    done = python("-m", "pytest", *options, cwd=folder, START_URL=maps)
    assert done.returncode == 0, done.stdout
    assert "6 passed" in done.stdout


def test_a_wrong_answer_fails_the_test(tmp_path: Path, maps: str) -> None:
    path = exported(tmp_path, ZIP, "pytest")
    path.write_text(path.read_text().replace('"94035"', '"94036"'))
    (path.parent / "conftest.py").write_text(CONFTEST.format(path=find_chromium()))
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "--rootdir", str(path.parent))
    done = python("-m", "pytest", *options, "-k", "values0", cwd=path.parent, START_URL=maps)
    assert done.returncode == 1
    assert "1 failed" in done.stdout


@pytest.mark.parametrize("form", ["playwright", "pytest"])
def test_all_of_the_seed_passes_linter_and_formatter(tmp_path: Path, form: str) -> None:
    shutil.copy(SEED, tmp_path / "workflows.db")
    done = webagent("workflows", "export", "--as", form, "--out", "out", cwd=tmp_path)
    assert (done.code, len(done.out.splitlines())) == (0, len(seed_ids()))
    assert tidy(tmp_path / "out") == ""


def test_one_workflow_goes_to_stdout_and_several_need_a_folder(tmp_path: Path) -> None:
    shutil.copy(SEED, tmp_path / "workflows.db")
    one = webagent("workflows", "export", ZIP, "--as", "playwright", cwd=tmp_path)
    assert one.out.startswith('"""find zip code of a place\n')
    two = webagent("workflows", "export", ZIP, DIRECTIONS, "--as", "playwright", cwd=tmp_path)
    assert (two.code, two.out) == (2, "")
    assert "2 workflows are as many files; say where to with --out FOLDER" in two.err
    assert webagent("workflows", "export", ZIP, "--as", "pytest", "--out", "a.py", cwd=tmp_path).code == 0
    ast.parse((tmp_path / "a.py").read_text())


def workflow(steps: Sequence[WorkflowStep], **more: object) -> Workflow:
    known = Workflow("wf_x", 1, "pages.localhost", "a routine", "It does something.", tuple(steps))
    return replace(known, **more)  # type: ignore[arg-type]


def click(role: str, name: str, **more: object) -> WorkflowStep:
    return WorkflowStep("click", Target(role, name), more)


def hostile() -> Workflow:
    steps = [
        WorkflowStep("goto", None, {"url": "/?q='\"{place}"}),
        WorkflowStep(
            "type", Target("textbox", HOSTILE), {"text": f"{HOSTILE}{{place}}{EVIL}", "submit": True}
        ),
        click("button", HOSTILE),
        click("button", EVIL),
        WorkflowStep("stop", None, {"answer": "{a}"}, expect='/"/*'),
    ]
    return workflow(
        steps,
        id=f"wf{EVIL}",
        name=EVIL,
        description=EVIL,
        hostname=EVIL,
        variables=(
            Variable("place", EVIL, EVIL),
            Variable("class", HOSTILE, "x" * 200),
            Variable("url", "", ""),
        ),
        reader=AnswerReader("status", EVIL, f"{{place}}{EVIL}", pattern=f"{EVIL}(.+)", examples=(EVIL,)),
    )


@pytest.mark.parametrize("form", ["playwright", "pytest"])
def test_no_name_breaks_out_of_its_quotes(tmp_path: Path, form: str) -> None:
    evil = hostile()
    text = (
        playwright_text(evil, evil.steps, f"http://x/{EVIL}")
        if form == "playwright"
        else pytest_text(evil, evil.steps, f"http://x/{EVIL}", [({"place": EVIL}, EVIL)])
    )
    tree = ast.parse(text)
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= {"argparse", "os", "pytest", "re", "sys"}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not used & {"shutil", "place", "prog"}
    constants = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert {HOSTILE, EVIL, f"{EVIL}(.+)"} <= constants
    (tmp_path / "evil.py").write_text(text)
    assert tidy(tmp_path) == ""
    if form == "playwright":
        shown = python("evil.py", "--help", cwd=tmp_path)
        assert shown.returncode == 0, shown.stderr
        assert "--url-value" in shown.stdout


@pytest.mark.parametrize(
    "text",
    ["", "a", "it's", 'say "x"', "'\"", "\\", "\\'", "\n\r\t\x00\x1b", "{x}", "\u202e\u2028é漢\ud800", "%s"],
)
def test_a_literal_holds_its_text(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text


PAGE = """<!doctype html><title>All</title><h1>All of it</h1>
<button aria-label='He said "it&#39;s" {0} \\ $x'>Odd</button>
<label>Word <input></label><label>Kind <select><option>Red<option>Blue</select></label>
<label>More <input id=more></label>
<ul><li>Lamp <button>Buy</button></li><li>Chair <button>Buy</button></li></ul>
<button onclick="say(confirm('sure?') ? 'sure' : 'unsure')">Ask</button>
<label>File <input type=file></label>
<p><span>Log</span> <output></output></p>
<p><b>Total</b> 5 items</p>
<script>
  const output = document.querySelector('output');
  const say = text => output.textContent += text + ';';
  for (const button of document.querySelectorAll('button'))
    button.addEventListener('click', () => say(button.ariaLabel || button.closest('li')?.innerText || ''));
  for (const field of document.querySelectorAll('input, select'))
    field.addEventListener('input', () => say(field.files ? field.files[0].name : field.value));
  document.querySelector('#more').addEventListener('keydown', event => say(event.key));
</script>"""


def everything(*more: WorkflowStep, **reader: str) -> Workflow:
    steps = [
        click("button", 'He said "it\'s" {0} \\ $x'),
        WorkflowStep("type", Target("textbox", "Word"), {"text": "a{place}b"}),
        WorkflowStep("select", Target("combobox", "Kind"), {"options": ["Blue"]}),
        WorkflowStep("hover", Target("button", "Ask")),
        WorkflowStep("click", Target("button", "Buy", row="{place} Buy")),
        WorkflowStep("click", Target("button", "Buy", nth=1)),
        click("button", "Ask"),
        WorkflowStep("dialog", None, {"accept": True}),
        WorkflowStep("upload", Target("button", "File"), {"paths": ["all.py"]}),
        WorkflowStep("press", Target("textbox", "More"), {"key": "Escape"}),
        WorkflowStep("press", None, {"key": "ArrowUp"}),
        WorkflowStep("scroll", None, {"direction": "down"}),
        WorkflowStep("wait", None, {"text": "Total"}),
        *more,
        WorkflowStep("stop", None, {"answer": "{log}"}),
    ]
    return workflow(
        steps, variables=(Variable("place", "", "Lamp"),), reader=AnswerReader(**{"role": "status", **reader})
    )


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (
            {"label": "Log"},
            'He said "it\'s" {0} \\ $x;aLampb;Blue;Lamp Buy;Chair Buy;sure;;all.py;Escape;ArrowUp;',
        ),
        ({"role": "text", "label": "Total", "pattern": r"(\d+) items"}, "5"),
        ({"role": "paragraph", "heading": "All of it", "pattern": r"Total (\d+).*"}, "5"),
    ],
)
def test_every_kind_of_step_and_reading_runs(tmp_path: Path, reader: dict[str, str], said: str) -> None:
    known = everything(
        WorkflowStep("tab", None, {"op": "new", "url": "about:blank"}),
        WorkflowStep("tab", None, {"op": "switch", "index": 1}),
        **reader,
    )
    with serving({"/": PAGE}) as site:
        path = tmp_path / "all.py"
        path.write_text(playwright_text(known, known.steps, site.url()))
        assert tidy(tmp_path) == ""
        done = carried_out(path, site.url())
    assert (done.returncode, done.stdout.strip()) == (0, said), done.stderr


def test_a_long_routine_becomes_several_functions(tmp_path: Path) -> None:
    steps = [WorkflowStep("type", Target("textbox", "Word"), {"text": f"{n}"}) for n in range(70)]
    known = workflow([*steps, WorkflowStep("stop", None, {"answer": "{log}"})], reader=AnswerReader("status"))
    with serving({"/": PAGE}) as site:
        path = tmp_path / "long.py"
        path.write_text(playwright_text(known, known.steps, site.url()))
        assert "def part_2(" in path.read_text()
        assert tidy(tmp_path) == ""
        done = carried_out(path, site.url())
    assert (done.returncode, done.stdout.strip()[:8]) == (0, "0;1;2;3;"), done.stderr


@pytest.mark.parametrize(
    ("known", "fault"),
    [
        (workflow([WorkflowStep("drag", Target("button", "A"))]), "its step 1, drag, does not say where to"),
        (workflow([WorkflowStep("click")]), "its step 1, click, names no element"),
        (
            workflow([click("button", "A"), WorkflowStep("stop", None, {"answer": "{a}"})]),
            "how to read its answer was not learned",
        ),
        (
            workflow(
                [
                    WorkflowStep("click", Target("button", "A", frame=("iframe",))),
                    WorkflowStep("stop", None, {"answer": "{a}"}),
                ],
                reader=AnswerReader("status"),
            ),
            "in which frame its answer stands is not known",
        ),
    ],
)
def test_what_can_not_be_a_script_is_refused(known: Workflow, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        playwright_text(known, known.steps, "http://x/")
