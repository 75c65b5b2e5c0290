"""What a suite leaves behind: at its end, no file in its temporary folders holds a secret of its tests.

Every secret value, password and key that a test has reach the program's files carries MARK, whatever
else it is made of. Files that tests write themselves as input, to hand secrets over, end in `.env`; the
program writes none that do."""

import base64
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

MARK = "hush7zq4w"
"""In every secret of the tests. It has no character that any spelling would escape."""
INPUT = ".env"


def _spellings() -> tuple[bytes, ...]:
    """MARK in small letters, capitals, UTF-16, and inside of base64 at each of its three places."""
    found = []
    for text in (MARK, MARK.upper()):
        found += [text.encode(), text.encode("utf-16-le")]
        for before in range(3):
            found.append(base64.b64encode(bytes(before) + text.encode())[4 if before else 0 : -4])
    return tuple(found)


SPELLINGS = _spellings()


def told(data: bytes) -> str:
    """What stands around a secret in some bytes; empty where there is none."""
    for spelling in SPELLINGS:
        at = data.find(spelling)
        if at >= 0:
            return repr(data[max(0, at - 60) : at + 60])
    return ""


def left_in(folder: Path) -> Iterator[str]:
    """A line for each file below a folder that holds a secret, in its name, its bytes or what it packs."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == INPUT:
            continue
        if told(str(path.relative_to(folder)).encode()):
            yield f"{path}: its name"
        if path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if found := told(data):
            yield f"{path}: …{found}…"
        elif zipfile.is_zipfile(path):
            yield from _packed(path, data)


def _packed(path: Path, data: bytes) -> Iterator[str]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for name in archive.namelist():
            if found := told(name.encode() + b"\n" + archive.read(name)):
                yield f"{path}/{name}: …{found}…"


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fails the session (with pytest-xdist, the worker's last test) where a secret was left in a file."""
    yield
    found = list(left_in(tmp_path_factory.getbasetemp()))
    if found:
        pytest.fail("secrets of the tests were written to files:\n" + "\n".join(found[:20]), pytrace=False)
