"""The README says what the program does: its commands are run, its workflow is imported."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.commands import webagent
from tests.seeded import workflow_id
from webagent.cli import COMMANDS, cli

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
NOT_RUN = (
    "--model",
    "--base-url",
    "install-browser",
    "sites serve",
    "--headed",
    " record ",
    " login ",
    "bench report",
)
"""What needs a model, its results, a download or a screen, or goes on until it is stopped."""
COMMAND_LINES = [
    line.split("#")[0].split(">")[0].strip().replace(" ID", f" {workflow_id('find zip code of a place')}")
    for line in re.findall(r"^    webagent .*$", README, re.MULTILINE)
    if not any(word in line for word in NOT_RUN)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "workflows.db", tmp_path)
    task = {"id": "1", "goal": "find zip code of MIT", "site": "maps", "expect": {"answer": "02139"}}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task))
    return tmp_path


def test_there_are_commands_to_run() -> None:
    assert 'webagent run "find zip code of CMU" --site maps' in COMMAND_LINES


@pytest.mark.parametrize("line", sorted(set(COMMAND_LINES)))
def test_a_command_of_the_readme_works_as_written(line: str, folder: Path) -> None:
    done = webagent(*shlex.split(line, comments=True)[1:], cwd=folder)
    assert done.code == 0, done.err
    if "CMU" in line:
        assert done.out.strip() == "15213"


def test_the_workflow_written_by_hand_there_is_imported_and_answers(tmp_path: Path) -> None:
    block = re.search(r"^    # find the zip code of a place\n(?:    .*\n)+", README, re.MULTILINE)
    assert block
    (tmp_path / "hand.txt").write_text(re.sub(r"^    ", "", block[0], flags=re.MULTILINE))
    done = webagent("workflows", "import", "hand.txt", "--site", "maps", cwd=tmp_path)
    assert done.code == 0, done.err
    done = webagent("run", "find zip code of CMU", "--site", "maps", cwd=tmp_path)
    assert (done.code, done.out.strip()) == (0, "15213"), done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_in_the_readme_and_has_a_help_text(name: str) -> None:
    assert f"`webagent {name}`" in README
    command = cli.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    assert command.help
