"""Looks at the machine's processes as /proc tells of them, where there is such a thing."""

import os
import time
from collections.abc import Callable
from pathlib import Path


def processes_with(marker: str) -> list[int]:
    """Living processes that have this in their command line, or in the environment they were started with."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            dead = (folder / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
        except OSError:
            continue  # it has just ended, or is another user's
        if marker.encode() in told and not dead and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def below(ancestor: int) -> dict[int, str]:
    """The processes that another started, and those that they did: pid and command line."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            commands[int(folder.name)] = (folder / "cmdline").read_bytes().decode(errors="replace")
        except (OSError, ValueError):
            continue

    def is_below(pid: int) -> bool:
        while pid in parents and pid != ancestor:
            pid = parents[pid]
        return pid == ancestor

    return {pid: command for pid, command in commands.items() if pid != ancestor and is_below(pid)}


def memory_of(pid: int) -> int:
    """Bytes of memory that a process has in use."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether something comes to hold within so long."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
