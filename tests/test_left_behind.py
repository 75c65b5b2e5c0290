"""The search for secrets at the end of the suite: it finds one however it was written, and then the suite fails."""

import base64
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import environment
from tests.left_behind import MARK, left_in

SECRET = f"pass-{MARK}-word"


def as_text(folder: Path) -> None:
    (folder / "a.txt").write_text(f"x {SECRET} y")


def in_capitals(folder: Path) -> None:
    (folder / "a.html").write_text(f"<b>{SECRET.upper()}</b>")


def in_utf_16(folder: Path) -> None:
    (folder / "a.bin").write_bytes(SECRET.encode("utf-16-le"))


def in_base64(folder: Path) -> None:
    for before in ("", "a", "ab"):
        (folder / "a.json").write_bytes(base64.b64encode(f"{before}{SECRET}".encode()))
        assert list(left_in(folder))


def in_a_database(folder: Path) -> None:
    with sqlite3.connect(folder / "a.db") as db:
        db.execute("create table runs (goal text)")
        db.execute("insert into runs values (?)", [f"log in with {SECRET}"])
    db.close()


def in_a_zip(folder: Path) -> None:
    with zipfile.ZipFile(folder / "trace.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.trace", f'{{"text": "{SECRET}"}}' * 100)


def as_a_name(folder: Path) -> None:
    (folder / f"Report of {SECRET}.txt").touch()


@pytest.mark.parametrize(
    "write",
    [as_text, in_capitals, in_utf_16, in_base64, in_a_database, in_a_zip, as_a_name],
    ids=lambda one: one.__name__,
)
def test_a_secret_is_found_however_it_was_written(tmp_path: Path, write: Callable[[Path], None]) -> None:
    folder = tmp_path / "out.env"  # nothing below it is this suite's own
    (folder / "deep").mkdir(parents=True)
    write(folder / "deep")
    try:
        assert len(list(left_in(folder))) == 1
    finally:
        for path in (folder / "deep").iterdir():
            path.unlink()


def test_what_a_test_wrote_to_hand_secrets_over_is_no_find(tmp_path: Path) -> None:
    (tmp_path / "secrets.env").write_text(f"PASSWORD={SECRET}")
    assert list(left_in(tmp_path)) == []


def test_a_suite_that_leaves_a_secret_behind_fails(tmp_path: Path) -> None:
    """Two tests that pass, of which one lets a secret get into a file, in two processes."""
    (tmp_path / "test_it.py").write_text(
        "from tests.left_behind import MARK, nothing_is_left_behind\n"
        "def test_one(tmp_path): (tmp_path / 'log.txt').write_text('it is ' + MARK)\n"
        "def test_two(): pass\n"
    )
    given = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n2",
        "--basetemp",
        str(tmp_path / "base.env"),
        ".",
    ]
    done = subprocess.run(
        [sys.executable, *given],
        cwd=tmp_path,
        env=environment({"PYTHONPATH": str(Path(__file__).parent.parent)}),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 passed, 1 error" in done.stdout
    assert "secrets of the tests were written to files" in done.stdout
    assert "log.txt" in done.stdout
    for path in (tmp_path / "base.env").rglob("log.txt"):
        path.unlink()
