"""Which process carries out a run, and whether it is still there."""

import json
import os
import socket
from pathlib import Path


def this_process() -> str:
    """Names this process for ever: machine, boot, process namespace (containers number processes
    anew), pid, and start time, since pids are used again."""
    return json.dumps({**_place(), "pid": os.getpid(), "started": _started(os.getpid())})


def is_gone(process: str) -> bool | None:
    """True where the named process has ended, False where it lives, None where it can't be known
    (it ran on another machine or in another container)."""
    try:
        named = json.loads(process)
        pid, started = int(named["pid"]), str(named["started"])
    except (ValueError, TypeError, KeyError):
        return None
    here = _place()
    if named.get("host") == here["host"] and named.get("boot") != here["boot"]:
        return True
    if any(named.get(key) != value for key, value in here.items()):
        return None
    if here["boot"]:
        return _started(pid) != started
    return None if os.name == "nt" else not _is_running(pid)


def _place() -> dict[str, str]:
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return {
        "host": socket.gethostname(),
        "boot": _read("/proc/sys/kernel/random/boot_id"),
        "space": namespace,
    }


def _started(pid: int) -> str:
    """The start time in clock ticks since boot; empty where there is no such process. The process's
    name may hold spaces and brackets, so fields are counted from its last bracket."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in "ZX":
        return ""
    return fields[19]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
