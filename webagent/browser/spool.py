"""The folder that a browser downloads into. What programs that were killed left of theirs goes with the next."""

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = "webagent-spool-"


class Spool:
    """A folder of its own, locked as long as its program lives."""

    def __init__(self) -> None:
        _sweep()
        while True:
            self.path = tempfile.mkdtemp(prefix=PREFIX)
            self._lock = _locked(self.path, wait=True)
            if Path(self.path).is_dir():
                break  # else another program took it for left behind

    def close(self) -> None:
        """Takes the folder away, with what is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _sweep() -> None:
    if sys.platform == "win32":
        return
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            lock = _locked(str(path)) if path.stat().st_uid == os.getuid() else None
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def _locked(path: str, *, wait: bool = False) -> int | None:
    """A lock on a folder; None where another program has it, unless that is waited for, or where there are none."""
    if sys.platform == "win32":
        return None
    lock = None
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        if lock is not None:
            os.close(lock)
        return None
    return lock
