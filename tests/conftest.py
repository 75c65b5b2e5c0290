"""Fixtures of all tests."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures_sites.server import FixtureServer
from tests.left_behind import nothing_is_left_behind
from tests.pages.kit import shared_chromium

__all__ = ["nothing_is_left_behind", "shared_chromium"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, unlike pytest's."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def server() -> Iterator[FixtureServer]:
    """All fixture sites; what a test changes there is its own session's."""
    with FixtureServer() as running:
        yield running
