"""Files of others, read as text."""

from pathlib import Path

from webagent.errors import UsageError

MAX_FILE = 200_000_000
"""Bytes of a file that is looked at."""


def read_file(path: Path) -> str:
    """The text of a file in UTF-8, a byte order mark left out. Raises UsageError naming the path."""
    try:
        if path.stat().st_size > MAX_FILE:
            raise UsageError(f"{path} is too large: {path.stat().st_size} bytes, at most {MAX_FILE}")
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UsageError(f"{path} line {line}: not UTF-8 text") from None
