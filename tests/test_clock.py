"""The machine's clock is set while runs go on: forwards, backwards, again and again."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import webagent as package
from tests import map_model
from tests.commands import webagent
from tests.endpoint import ScriptedEndpoint
from tests.running import rows
from webagent.store import Store

SHIM = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Each half second the clock stands 20 days before or after the true time. */
static long jump(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return ((now.tv_sec * 2 + now.tv_nsec / 500000000) % 2 ? 20 : -20) * 86400L;
}
int clock_gettime(clockid_t id, struct timespec *out) {
    int result = syscall(SYS_clock_gettime, id, out);
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) out->tv_sec += jump();
    return result;
}
int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="LD_PRELOAD is Linux's")
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_clock_that_jumps_by_days_changes_nothing_in_a_run(tmp_path: Path) -> None:
    (tmp_path / "shim.c").write_text(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c"], cwd=tmp_path, check=True)
    env = {"LD_PRELOAD": str(tmp_path / "shim.so")}
    with ScriptedEndpoint(map_model.act, workflows=map_model.workflows) as endpoint:
        for place, answer in (("CMU", "15213"), ("MIT", "02139")):
            done = webagent("run", f"find zip code of {place}", "--site", "maps", "--json",
                            "--base-url", endpoint.base_url, cwd=tmp_path, env=env)  # fmt: skip
            assert (done.code, done.json["answer"]) == (0, answer), done.err
            assert all(0 <= seconds < 90 for seconds in done.json["seconds"].values())
            assert done.json["workflows"]["learned"] or done.json["workflows"]["followed"]
    assert [row["n"] for row in rows(tmp_path, "steps")] == [1, 2, 3, 1, 2, 3]
    assert all(0 <= row["seconds"] < 30 for row in rows(tmp_path, "steps"))
    with Store.open(tmp_path / "workflows.db") as store:
        assert store.mark_interrupted() == []
        assert store.check() == []


MOMENTS = {"ids.py", "faults.py", "learning.py", "logins.py", "opening.py", "runs.py", "spans.py"}
"""Modules that ask what time it is, to write it down or to compare dates; the others only measure how long
things take, by a clock that nobody sets."""


def test_how_long_things_take_is_measured_by_a_clock_that_nobody_sets() -> None:
    asking = set()
    for path in Path(package.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in (
                "time.time",
                "time.time_ns",
                "datetime.now",
                "datetime.utcnow",
            ):
                asking.add(path.name)
    assert asking <= MOMENTS
