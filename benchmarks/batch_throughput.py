"""Tasks a minute of `webagent batch` with one and with several jobs, with an endpoint that takes a second a
reply, in one run:

    python benchmarks/batch_throughput.py [--tasks 64] [--jobs 8]

Each task looks up a place on the map site in five replies of one action each: away with the cookie notice,
type, search, open, answer. Exits with 1 where `--jobs 8` does less than
five times the tasks of `--jobs 1`, or where a task failed."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from fixtures_sites.maps.places import places  # noqa: E402
from tests import map_model  # noqa: E402
from tests.endpoint import Request, ScriptedEndpoint, observation_of, ref_of  # noqa: E402

REPLY_SECONDS = 1.0
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


def main(count: int, jobs: int) -> int:
    """Prints the table; 1 where the bar is missed."""
    with (
        tempfile.TemporaryDirectory() as name,
        ScriptedEndpoint(one_action, latency=REPLY_SECONDS) as endpoint,
    ):
        folder = Path(name)
        (folder / "tasks.jsonl").write_text(tasks(count))
        rates, solved = [], []
        sys.stdout.write("| jobs | seconds | tasks a minute | solved |\n|---|---|---|---|\n")
        for each in (1, jobs):
            seconds, right = timed(folder, endpoint.base_url, each)
            rates.append(count / seconds * 60)
            solved.append(right)
            sys.stdout.write(f"| {each} | {seconds:.1f} | {rates[-1]:.1f} | {right} of {count} |\n")
    sys.stdout.write(f"{rates[1] / rates[0]:.1f} times as many (bar: at least {BAR:g})\n")
    return int(rates[1] < BAR * rates[0] or min(solved) < count)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=8)
    given = parser.parse_args()
    sys.exit(main(given.tasks, given.jobs))
