"""Experiment folders of BrowserGym (`experiment.log`, with `summary_info.json` and a judge's
`*_autoeval.json` beside it) as runs: for reading, and for induction by a model.

The log tells thoughts and actions, but neither goal, pages, roles nor names, so such a run can't be
replayed: its policy is `import`, its goal is the folder's name, every page is the site's start page
without any lines, and each action keeps the element id of its log (`bid`). Each logged action is a
step, the message to the user too, which is also the run's answer. A judge's `"rm": false` makes a
failed run whatever the reward; a reward of 0 does too. Nothing in a log is carried out."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from webagent.actions import Action
from webagent.errors import UsageError
from webagent.exchange.calls import Call, CallFault, parse_calls
from webagent.exchange.reading import read_file
from webagent.exchange.reports import Imported
from webagent.ids import clean_text
from webagent.interfaces import Verdict
from webagent.observation import Observation
from webagent.store import RunRow, Store
from webagent.trajectory import Outcome, Step, Stop, Trajectory

LOG = "experiment.log"
POLICY = "import"
"""`runs.policy` and `steps.by` of an imported run: nobody here carried it out."""
NOT_REPLAYABLE = "imported from a BrowserGym log, which has element ids only: it can't be replayed"


@dataclass(frozen=True)
class LoggedRun:
    """A run as its folder tells it. Moments are ISO 8601 as the log has them, taken as UTC."""

    path: Path
    trajectory: Trajectory
    verdicts: Sequence[Verdict]
    started_at: str
    ended_at: str

    @property
    def seconds(self) -> float:
        """From the first line of the log to its last."""
        return (
            datetime.fromisoformat(self.ended_at) - datetime.fromisoformat(self.started_at)
        ).total_seconds()


def experiment_folders(path: Path) -> list[Path]:
    """The folders with a log: this one, or those directly in it, by name (numbers by size)."""
    if path.name == LOG:
        return [path.parent]
    if (path / LOG).is_file():
        return [path]
    return sorted((log.parent for log in path.glob(f"*/{LOG}")), key=_by_number)


def _by_number(path: Path) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", path.name)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def read_run(folder: Path, start_url: str) -> LoggedRun:
    """Raises UsageError naming the file and the line that can't be read."""
    log = folder / LOG
    text = clean_text(read_file(log))
    records = _records(text, log)
    steps = _steps(records, log, start_url)
    if not steps:
        raise UsageError(f"{log} line 1: the log holds no action")
    verdicts = _verdicts(folder)
    last = steps[-1].action
    stop = None
    if last.tool == "stop":
        status = str(last.arguments.get("status", "done"))
        stop = Stop(last.arguments.get("answer"), status, last.thought, POLICY)
    digest = hashlib.sha256(f"{folder.name}\n{text}".encode()).hexdigest()
    moments = [record.moment for record in records]
    trajectory = Trajectory(
        run_id=f"{datetime.fromisoformat(moments[0]):%Y%m%dT%H%M%S}-{digest[:6]}",
        goal=folder.name,
        start_url=start_url,
        steps=steps,
        stop=stop,
        status=_status(verdicts, stop),
        reason=NOT_REPLAYABLE,
    )
    return LoggedRun(folder, trajectory, verdicts, moments[0], max(moments))


def _status(verdicts: Sequence[Verdict], stop: Stop | None) -> str:
    """How it ended: by its message, or in success without one, as a game does."""
    if any(verdict.success is False for verdict in verdicts):
        return "failed"
    if stop is not None:
        return stop.status
    return "done" if any(verdict.success for verdict in verdicts) else "failed"


@dataclass(frozen=True)
class _Record:
    """One entry of the log, its first line, and its text."""

    line: int
    moment: str
    lines: tuple[str, ...]


_HEAD = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d),(\d{3}) - \d+ - \S+ - [A-Z]+ - (.*)")


def _records(text: str, log: Path) -> list[_Record]:
    records: list[_Record] = []
    for number, line in enumerate(text.split("\n"), 1):
        head = _HEAD.fullmatch(line.rstrip("\r"))
        if head:
            moment = f"{head[1]}T{head[2]}.{head[3]}Z"
            try:
                datetime.fromisoformat(moment)
            except ValueError:
                raise UsageError(f"{log} line {number}: {head[1]} {head[2]} is no moment") from None
            records.append(_Record(number, moment, (head[4],)))
        elif records:
            records[-1] = replace(records[-1], lines=(*records[-1].lines, line.rstrip("\r")))
        elif line.strip():
            raise UsageError(
                f"{log} line {number}: expected `date time - process - logger - LEVEL - text`; it is {line!r:.60}"
            )
    if not records:
        raise UsageError(f"{log} line 1: the log is empty")
    return records


def _steps(records: Sequence[_Record], log: Path, start_url: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    page = Observation(start_url, events=(NOT_REPLAYABLE,))
    for record in records:
        thought, calls = _said(record, log)
        for call in calls:
            action = Action(call.tool, call.arguments, thought)
            outcome = Outcome(f"logged as {' '.join(call.source.split())}")
            steps.append(Step(len(steps) + 1, action, page, outcome, by=POLICY))
            thought = ""
    return tuple(steps)


def _said(record: _Record, log: Path) -> tuple[str, Sequence[Call]]:
    """The thought of an entry, with all its lines, and the actions after `action:`."""
    marks = [n for n, line in enumerate(record.lines) if line.strip() == "action:"]
    if not marks:
        return "", ()
    text = "\n".join(record.lines[marks[-1] + 1 :])
    if text.strip() in ("", "None"):
        return "", ()
    try:
        calls = parse_calls(text)
    except CallFault as fault:
        line = record.line + marks[-1] + 1 + fault.line
        raise UsageError(f"{log} line {line}: {fault}") from None
    return "\n".join(record.lines[: marks[-1]]).strip(), calls


def _verdicts(folder: Path) -> list[Verdict]:
    """What the judge's file says, and the reward where it does not contradict a failure."""
    verdicts = []
    for path in sorted(folder.glob("*_autoeval.json")):
        said = _json(path)
        entries = said if isinstance(said, list) else [said]
        if not entries or not all(isinstance(entry, dict) for entry in entries):
            raise UsageError(f"{path}: expected a list of objects with `rm`")
        success = entries[-1].get("rm")
        if success not in (True, False, None):
            raise UsageError(f"{path}: rm must be true or false, not {success!r:.40}")
        judge = path.name.removesuffix("_autoeval.json")
        thoughts = str(entries[-1].get("thoughts") or "")
        verdicts.append(
            Verdict(success, "llm", f"{judge} in {path.name}" + (f": {thoughts}" if thoughts else ""))
        )
    reward = _reward(folder / "summary_info.json")
    if reward is not None and (reward <= 0 or not any(v.success is False for v in verdicts)):
        verdicts.append(Verdict(reward > 0, "expect", f"reward {reward:g} in summary_info.json"))
    return verdicts


def _reward(path: Path) -> float | None:
    if not path.exists():
        return None
    said = _json(path)
    reward = said.get("cum_reward") if isinstance(said, dict) else None
    if reward is not None and (isinstance(reward, bool) or not isinstance(reward, int | float)):
        raise UsageError(f"{path}: cum_reward must be a number, not {reward!r:.40}")
    return reward


def _json(path: Path) -> Any:
    try:
        return json.loads(read_file(path))
    except json.JSONDecodeError as error:
        raise UsageError(f"{path} line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise UsageError(f"{path} line 1: not JSON that can be read: too deep") from None


def store_run(store: Store, run: LoggedRun, hostname: str, site: str | None) -> Imported:
    """Stores a run, inside the caller's transaction; one that is there already is skipped."""
    trajectory = run.trajectory
    run_id = trajectory.run_id
    result, note = "imported", "can't be replayed"
    if store.run(run_id) is not None:
        result, note = "skipped", "it is there already"
    else:
        store.start_run(
            RunRow(
                run_id,
                trajectory.goal,
                hostname,
                trajectory.start_url,
                site=site,
                policy=POLICY,
                task=trajectory.goal,
                started_at=run.started_at,
            )
        )
        for step in trajectory.steps:
            store.add_step(run_id, step)
        store.finish_run(trajectory, seconds=run.seconds, ended_at=run.ended_at)
        for verdict in run.verdicts:
            store.add_verdict(run_id, verdict)
    return Imported(
        result=result,
        path=str(run.path / LOG),
        line=1,
        kind="run",
        id=run_id,
        version=None,
        name=trajectory.goal,
        hostname=hostname,
        status=trajectory.status,
        steps=len(trajectory.steps),
        note=note,
    )


def is_imported(row: Mapping[str, Any]) -> bool:
    """Whether a row of `runs` came from a log: induction by rule and replay have no use for it."""
    return row.get("policy") == POLICY
