"""What the benchmarks share: contenders and their turns, medians, tokens, memory, and tables of results."""

import json
import math
import os
import re
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
ENVIRONMENTS = ROOT / ".bench"
"""Where `make bench` puts the environments of the others."""
TOKENIZER = "o200k_base"

OURS, SCRIPT, GYM, USE = "webagent", "playwright", "browsergym", "browser_use"
NAMES = {OURS: "webagent", SCRIPT: "Playwright", GYM: "BrowserGym", USE: "browser-use"}


@dataclass(frozen=True)
class Table:
    """One result: a heading, the command that makes it, rows of cells, and lines below them."""

    title: str
    part: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Numbers by name, for programs."""

    def markdown(self) -> str:
        """As docs/benchmarks.md shows it."""
        lines = [f"### {self.title}", "", f"    python -m benchmarks {self.part}", ""]
        lines += [row_of(self.columns), row_of(["---"] * len(self.columns)), *map(row_of, self.rows)]
        return "\n".join([*lines, *(f"\n{note}" for note in self.notes)])


def row_of(cells: Sequence[Any]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(map(shown, cells))} |"


def shown(value: Any) -> str:
    """A number with three digits that mean something; anything else as it is."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


@cache
def _encoding() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding(TOKENIZER)


def tokens(text: str) -> int:
    """Tokens of a text, the same count for all."""
    return len(_encoding().encode(text, allowed_special="all"))


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values)


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """How cost grows with size from the first to the last: 0 not at all, 1 as the size does."""
    return math.log(costs[-1] / costs[0]) / math.log(sizes[-1] / sizes[0])


def python_of(name: str) -> str:
    """The interpreter of a contender. Ends the program where its environment is not there."""
    return sys.executable if name in (OURS, SCRIPT) else installed(name)


def installed(name: str) -> str:
    """The interpreter of an environment that holds nothing but what is measured. Ends the program where it is not
    there."""
    python = ENVIRONMENTS / name / "bin" / "python"
    if not python.exists():
        raise SystemExit(f"{NAMES[name]} has no environment in {ENVIRONMENTS}: run `make bench-peers`")
    return str(python)


def browser_path() -> str:
    """The Chromium that all of them start."""
    from webagent.browser.launch import find_chromium

    path = find_chromium()
    if path is None:
        raise SystemExit("no Chromium: run `webagent install-browser`")
    return path


class Contender:
    """A process that reads pages or does a task when it is told to."""

    def __init__(self, name: str) -> None:
        self.name = name
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "CHROMIUM": browser_path(),
            "OPENAI_API_KEY": "none",
        }
        self.process = subprocess.Popen(
            [python_of(name), "-m", f"benchmarks.contenders.in_{name}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self._said: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._answer()

    def _listen(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self._said = [*self._said[-40:], line]

    def _answer(self) -> Any:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            self._listener.join(2)
            raise SystemExit(f"{NAMES[self.name]} failed:\n{''.join(self._said)}")
        return json.loads(line)

    def ask(self, do: str, **arguments: Any) -> Any:
        """What it answers. Ends the program, with what it said, where it failed."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Lets it end by itself."""
        assert self.process.stdin
        self.process.stdin.close()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            for pid in reversed(family(self.process.pid)):
                with gone():
                    os.kill(pid, 9)
            self.process.wait()


@contextmanager
def contenders(names: Sequence[str]) -> Iterator[list[Contender]]:
    """Their processes, until the block ends."""
    with ExitStack() as stack:
        found = []
        for name in names:
            found.append(Contender(name))
            stack.callback(found[-1].close)
        yield found


def in_turns(rounds: int, turns: Mapping[str, Callable[[], Any]]) -> dict[str, list[Any]]:
    """What each gave in each round. Everyone has a turn in every round, and another one begins it."""
    found: dict[str, list[Any]] = {name: [] for name in turns}
    names = list(turns)
    for n in range(rounds):
        for name in names[n % len(names) :] + names[: n % len(names)]:
            found[name].append(turns[name]())
    return found


def family(pid: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with gone():
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


@contextmanager
def gone() -> Iterator[None]:
    """A process that ended meanwhile is no error."""
    try:
        yield
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return


def megabytes(pid: int) -> float:
    """Memory of a process and all below it; what several share is divided among them."""
    total = 0
    for each in family(pid):
        with gone():
            found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{each}/smaps_rollup").read_text(), re.MULTILINE)
            total += int(found[1]) if found else 0
    return total / 1024


class Peak:
    """The most memory of a process and all below it while its block runs, in MB."""

    def __init__(self, pid: int, every: float = 0.2) -> None:
        self.pid = pid
        self.most = 0.0
        self._every = every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._over.wait(self._every):
            self.most = max(self.most, megabytes(self.pid))

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()
        self.most = max(self.most, megabytes(self.pid))
