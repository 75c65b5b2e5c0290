"""Imports point down, each library has one owner, and the command line stays quick."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import webagent

ROOT = Path(webagent.__file__).parent
ORDER = (
    ("errors",),
    ("ids", "masking", "hosts", "terminal"),
    ("secrets", "boundary", "snapshot_text"),
    ("actions", "observation", "tokens", "words", "wordings", "deeds", "dates", "schemas"),
    ("page_tree", "page_cut", "page_find"),
    ("shown", "trajectory", "action_line"),
    ("workflow",),
    ("workflow_text", "binding", "answers", "routine", "risk"),
    ("interfaces", "settings", "tasks", "evidence", "support", "workflow_parse"),
    ("prompt", "metrics", "lift", "result", "intent_text"),
    ("report", "setting_files", "watcher"),
    ("sites", "logins", "log"),
    ("browser", "llm", "policies", "judges", "induction", "episode", "migrations", "trace", "spans"),
    ("store",),
    ("memory", "exchange"),
    ("configured", "judging", "teaching", "stepping", "confirming"),
    ("person",),
    ("pipeline",),
    ("arena", "batch", "demonstration"),
    ("bench",),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, names in enumerate(ORDER) for name in names}
OWNERS = {
    "playwright": {"browser"},
    "python_socks": {"browser"},
    "ada_url": {"hosts"},
    "openai": {"llm"},
    "httpx2": {"llm"},
    "xllamacpp": {"llm"},
    "sqlite_utils": {"store", "migrations"},
    "sqlite3": {"store", "migrations"},
    "click": {"cli"},
    "rich": {"cli"},
    "opentelemetry": {"spans"},
    "fixtures_sites": {"sites", "arena", "cli"},
}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.name != "__init__.py")


def part_of(path: Path) -> str:
    """The module or folder directly under webagent/."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    own = part_of(path)
    assert own in LEVEL, f"say in ORDER where {own} stands"
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "webagent" and len(parts) > 1 and parts[1] in LEVEL and parts[1] != own:
            same_page = own.startswith("page_") and parts[1].startswith("page_")
            assert LEVEL[parts[1]] < LEVEL[own] or same_page, f"{own} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_library_has_one_owner(path: Path) -> None:
    for name in imported(path):
        owners = OWNERS.get(name.split(".")[0])
        assert owners is None or part_of(path) in owners, f"{part_of(path)} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_stay_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400


def test_help_imports_neither_playwright_nor_openai() -> None:
    code = (
        "import sys; from webagent.cli import _main; code = _main(['--help']);"
        "heavy = {'playwright', 'openai', 'sqlite_utils', 'rich', 'uvicorn'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
