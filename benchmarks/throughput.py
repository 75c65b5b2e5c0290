"""Tasks a minute of `webagent batch` with one and with several jobs, with an endpoint that takes a second a reply.

Each task looks up a place on the map site in five replies of one action each: away with the cookie notice,
type, search, open, answer."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, Table
from fixtures_sites.maps.places import places
from tests import map_model
from tests.endpoint import Request, ScriptedEndpoint, observation_of, ref_of

REPLY_SECONDS = 1.0
TASKS, JOBS = 64, 8
BAR = 5.0


def tasks(count: int) -> str:
    """Task lines: the zip codes of places spread over the map."""
    names = Counter(place.name for place in places())
    known = [place for place in places() if place.zip_code and names[place.name] == 1]
    chosen = known[:: max(1, len(known) // count)][:count]
    return "\n".join(
        json.dumps(
            {
                "id": f"zip.{n}",
                "goal": f"find zip code of {place.name}",
                "site": "maps",
                "expect": {"answer": place.zip_code},
            }
        )
        for n, place in enumerate(chosen)
    )


def one_action(request: Request) -> Any:
    """What the sensible model does, one action a reply."""
    page = observation_of(request)
    if 'button "Reject all"' in page:
        return [("click", {"ref": ref_of(request, "button", "Reject all"), "thought": "away with it"})]
    place = map_model.goal_of(request).removeprefix("find zip code of ")
    if 'list "Search results"' in page:
        return [("click", {"ref": ref_of(request, "link", place), "thought": "this one"})]
    calls = map_model.act(request)
    typed = re.search(r'searchbox "Search for a place"[^\n]*: ', page)
    return calls[1:] if len(calls) > 1 and typed else calls[:1]


def timed(folder: Path, base_url: str, jobs: int) -> tuple[float, int]:
    """Seconds of the batch, and how many of its tasks were solved."""
    command = [sys.executable, "-m", "webagent", "batch", "tasks.jsonl", "--jobs", str(jobs), "--json"]
    command += ["--base-url", base_url, "--memory", "off", "--db", f"{jobs}.db"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"}
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return seconds, sum(json.loads(line)["verdict"]["success"] is True for line in done.stdout.splitlines())


def measure(rounds: int) -> Iterator[Table]:
    """One table. Ends the program where a task was not solved."""
    with (
        tempfile.TemporaryDirectory() as name,
        ScriptedEndpoint(one_action, latency=REPLY_SECONDS) as endpoint,
    ):
        folder = Path(name)
        (folder / "tasks.jsonl").write_text(tasks(TASKS))
        rates, rows = [], []
        for jobs in (1, JOBS):
            seconds, solved = timed(folder, endpoint.base_url, jobs)
            if solved < TASKS:
                raise SystemExit(f"{solved} of {TASKS} tasks solved with --jobs {jobs}")
            rates.append(TASKS / seconds * 60)
            rows.append([jobs, seconds, rates[-1]])
    note = (
        f"{TASKS} tasks of five replies, an endpoint that takes {REPLY_SECONDS:g} s a reply: {rates[1] / rates[0]:.1f} times as many "
        f"tasks with {JOBS} jobs (bar: at least {BAR:g}) on {os.cpu_count()} cores."
    )
    figures = {"rates": rates}
    yield Table(
        "Tasks a minute", "throughput", ["--jobs", "seconds", "tasks a minute"], rows, [note], figures
    )
