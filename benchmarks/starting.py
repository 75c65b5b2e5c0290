"""Start-up: `--help`, and from the start of a program until its first page is in the model's hands."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks import trip
from benchmarks.measuring import GYM, NAMES, OURS, USE, Contender, Table, in_turns, installed, median
from tests.endpoint import Request, ScriptedEndpoint
from webagent.sites import site_url

HELP_BAR, PAGE_BAR = 0.3, 1.5


def measure(rounds: int) -> Iterator[Table]:
    """One table."""
    python = installed(OURS)
    with site_url("maps") as url, tempfile.TemporaryDirectory() as compiled:
        ours(url, compiled)
        helped = in_turns(
            rounds,
            {
                "Python alone": lambda: run([python, "-c", "pass"], compiled),
                "webagent --help": lambda: run([python, "-m", "webagent", "--help"], compiled),
            },
        )
        first = in_turns(
            rounds,
            {OURS: lambda: ours(url, compiled), USE: lambda: theirs(USE, url), GYM: lambda: theirs(GYM, url)},
        )
    yield table(helped, first, rounds)


def run(command: Sequence[str], compiled: str, **more: Any) -> float:
    """Seconds of a program, which finds its modules compiled in a folder, as an installation has them."""
    environment = {**os.environ, "OPENAI_API_KEY": "none", "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began = time.monotonic()
    subprocess.run(command, env=environment, check=False, capture_output=True, **more)
    return time.monotonic() - began


def done(name: str) -> Any:
    """What a model says that has nothing to do."""
    if name == OURS:
        return [("stop", {"answer": "seen", "thought": "seen"})]
    return (
        "answer:seen"
        if name == GYM
        else trip.said({"done": {"text": "seen", "success": True, "files_to_display": []}})
    )


def ours(url: str, compiled: str) -> float:
    """Seconds until the endpoint has the first page of `webagent run`."""
    with ScriptedEndpoint(done(OURS)) as endpoint, tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        command = [
            installed(OURS),
            "-m",
            "webagent",
            "run",
            "look",
            "--url",
            url,
            "--base-url",
            endpoint.base_url,
        ]
        run([*command, "--memory", "off", "--judge", "none"], compiled, cwd=folder)
        return endpoint.times[0] - began


def theirs(name: str, url: str) -> float:
    """The same for a peer, its imports included."""
    said = done(name)

    def act(request: Request) -> Any:
        return said

    with ScriptedEndpoint(act, agent_output=act) as endpoint:
        began = time.monotonic()
        one = Contender(name)
        one.ask("task", url=url, steps=[], endpoint=endpoint.base_url)
        one.close()
        return endpoint.times[0] - began


def table(helped: dict[str, list[float]], first: dict[str, list[float]], rounds: int) -> Table:
    rows = [[name, median(seconds), min(seconds)] for name, seconds in helped.items()]
    rows += [[f"first page, {NAMES[name]}", median(seconds), min(seconds)] for name, seconds in first.items()]
    note = (
        f"{rounds} starts each, in turns. The first page counts from the start of the program until the endpoint has the prompt with it. "
        f"Bars: --help {HELP_BAR} s, first page {PAGE_BAR} s."
    )
    return Table(
        "Start-up, seconds",
        "starting",
        ["", "median", "least"],
        rows,
        [note],
        {str(row[0]): row[1] for row in rows},
    )  # fmt: skip
