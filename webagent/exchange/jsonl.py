"""Workflows as JSON Lines, without loss: one object for each version, with its body, evidence,
origins, events and uses.

An import into a database without workflows is a *restore*: all rows come out equal. Any other import,
and any under another hostname (`--site`), is *foreign*: versions whose id@version is free keep their
text, but what they say of their successes counts for nothing here, and an active one becomes a candidate,
which only a person's approval or new evidence lifts. Both leave an event by `import`. A version that is
there already is skipped; where an id is taken by another content, the file's versions are added after the
newest. Uses of runs that are not in the database are left out. In both cases a live workflow with
suspicious text is quarantined (`checks`)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from webagent.errors import UsageError
from webagent.exchange.checks import fault_of, suspicion
from webagent.exchange.reports import Imported, imported_workflow
from webagent.exchange.text import stable_id
from webagent.ids import now
from webagent.store import LIVE, Store
from webagent.store.bodies import BODY_FIELDS, workflow_of
from webagent.store.connection import Row
from webagent.store.transfer import EVENT_COLUMNS, USE_COLUMNS
from webagent.store.workflows import MODES, SOURCES, STATUSES, WORKFLOW_COLUMNS
from webagent.workflow import Workflow

OWNERS = ("program", "person")
_HANGS_ON = ("origins", "events", "workflow_uses")
_DEFAULTS: Mapping[str, Any] = {
    "version": 1,
    "description": "",
    "status": "candidate",
    "source": "import",
    "success_weight": 0.0,
    "failure_weight": 0.0,
    "uses": 0,
    "last_used_at": None,
    "owner": "program",
}
_KINDS: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "version": (int,),
    "hostname": (str,),
    "name": (str,),
    "description": (str,),
    "body": (dict,),
    "success_weight": (int, float),
    "failure_weight": (int, float),
    "uses": (int,),
    "origins": (list,),
    "events": (list,),
    "workflow_uses": (list,),
}
_CHOICES = {"status": STATUSES, "source": SOURCES, "owner": OWNERS}


@dataclass(frozen=True)
class Record:
    """One line of a file: its row, what hangs on it, and the workflow it is."""

    line: int
    row: Row
    workflow: Workflow


def write_jsonl(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def read_jsonl(text: str, where: str) -> list[Record]:
    """The records of a text. Raises UsageError naming the line that is wrong, and how."""
    records: list[Record] = []
    seen: dict[tuple[str, int], int] = {}
    active: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = _record(line, number)
        except ValueError as error:
            raise UsageError(f"{where} line {number}: {error}") from None
        key = (record.row["id"], record.row["version"])
        if key in seen:
            raise UsageError(f"{where} line {number}: {key[0]}@{key[1]} is on line {seen[key]} already")
        seen[key] = number
        if record.row["status"] == "active" and key[0] in active:
            raise UsageError(f"{where} line {number}: line {active[key[0]]} is an active version of it too")
        if record.row["status"] == "active":
            active[key[0]] = number
        records.append(record)
    return records


def _record(line: str, number: int) -> Record:
    try:
        row = json.loads(line, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("not JSON that can be read: too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    if not isinstance(row, dict):
        raise ValueError(f"expected an object, not {type(row).__name__}")
    row = {**_DEFAULTS, "created_at": now(), **{name: [] for name in _HANGS_ON}, **row}
    unknown = [name for name in row if name not in WORKFLOW_COLUMNS and name not in _HANGS_ON]
    missing = [name for name in WORKFLOW_COLUMNS if name not in row]
    if unknown or missing:
        raise ValueError(f"unknown field {unknown[0]!r:.60}" if unknown else f"it lacks {missing[0]!r}")
    _check_columns(row)
    _check_hanging(row)
    strange = [name for name in row["body"] if name not in BODY_FIELDS]
    if strange:
        raise ValueError(f"body has an unknown field {strange[0]!r:.60}")
    workflow = workflow_of(row, row["body"], row["origins"])
    place, fault = fault_of(workflow)
    if fault:
        raise ValueError(f"step {place + 1}: {fault}" if place is not None else fault)
    return Record(number, row, workflow)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _check_columns(row: Row) -> None:
    for name, kinds in _KINDS.items():
        if not isinstance(row[name], kinds) or isinstance(row[name], bool):
            raise ValueError(f"{name} must be of type {kinds[-1].__name__}, not {type(row[name]).__name__}")
    for name, choices in _CHOICES.items():
        if row[name] not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {row[name]!r:.60}")
    for name in ("success_weight", "failure_weight"):
        row[name] = float(row[name])
    if not (0 < row["version"] < 2**31 and 0 <= row["uses"] < 2**31):
        raise ValueError("version counts from 1 and uses from 0")
    if not (0 <= row["success_weight"] < 1e9 and 0 <= row["failure_weight"] < 1e9):
        raise ValueError("weights are numbers from 0")
    if not row["id"].strip() or len(row["id"]) > 100 or set(row["id"]) & set("@ \t\n"):
        raise ValueError(f"{row['id']!r:.60} is no id")
    _check_moment("created_at", row["created_at"])
    if row["last_used_at"] is not None:
        _check_moment("last_used_at", row["last_used_at"])


def _check_moment(name: str, value: Any) -> None:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a moment in ISO 8601, not {value!r:.60}") from None


def _check_hanging(row: Row) -> None:
    if not all(isinstance(run_id, str) for run_id in row["origins"]):
        raise ValueError("origins must be run ids")
    for event in row["events"]:
        if not isinstance(event, dict) or set(event) != set(EVENT_COLUMNS):
            raise ValueError(f"an event has {', '.join(EVENT_COLUMNS)}")
        if event["status"] not in STATUSES or not all(isinstance(value, str) for value in event.values()):
            raise ValueError("an event's fields are texts, and its status is one of a workflow's")
        _check_moment("an event's at", event["at"])
    for use in row["workflow_uses"]:
        if not isinstance(use, dict) or set(use) != set(USE_COLUMNS) or not isinstance(use["run_id"], str):
            raise ValueError(f"a use has {', '.join(USE_COLUMNS)}")
        if use["mode"] not in MODES or use["followed"] not in (True, False):
            raise ValueError(f"a use's mode is one of {', '.join(MODES)}, and followed is true or false")
        if use["success"] not in (True, False, None):
            raise ValueError("a use's success is true, false or null")


def store_records(store: Store, records: Sequence[Record], hostname: str, where: str) -> list[Imported]:
    """Stores the records, inside the caller's transaction; a `hostname` puts all of them under it."""
    if hostname:
        records = _moved(records, hostname, where)
    foreign = bool(hostname) or store.counts()["workflows"] > 0
    numbers: dict[int, int] = {}
    for workflow_id in dict.fromkeys(record.row["id"] for record in records):
        versions = [record for record in records if record.row["id"] == workflow_id]
        numbers |= _numbered(store.version_rows(workflow_id), versions)
    events: list[tuple[str, int, Row]] = []
    done = []
    for record in records:
        if record.line in numbers:
            version = numbers[record.line]
            stored, marks = _store_version(store, record, version, where, foreign=foreign)
            events += [(stored.id, version, event) for event in (*record.row["events"], *marks)]
        else:
            stored = imported_workflow("skipped", record.workflow, where, record.line, "it is there already")
        done.append(stored)
    store.add_events(events)
    return done


def _numbered(there: Sequence[Row], versions: Sequence[Record]) -> dict[int, int]:
    """The version that each line is stored as; lines that are there already are left out."""
    known = {row["version"]: _content(row) for row in there}
    ordered = sorted(versions, key=lambda record: int(record.row["version"]))
    taken = any(known.get(r.row["version"], _content(r.row)) != _content(r.row) for r in ordered)
    numbers = {}
    newest = max(known, default=0)
    for record in ordered:
        if not taken and record.row["version"] not in known:
            numbers[record.line] = record.row["version"]
        elif taken and _content(record.row) not in known.values():
            numbers[record.line] = newest = newest + 1
    return numbers


def _moved(records: Sequence[Record], hostname: str, where: str) -> list[Record]:
    """The records under another hostname, each workflow with an id that stays the same for it."""
    ids = {
        record.row["id"]: record.row["id"]
        if record.row["hostname"] == hostname
        else stable_id(record.row["id"], hostname)
        for record in records
    }
    moved = []
    for record in records:
        steps = [_called(step, ids) for step in record.row["body"].get("steps", [])]
        row = {
            **record.row,
            "id": ids[record.row["id"]],
            "hostname": hostname,
            "body": {**record.row["body"], "steps": steps},
        }
        workflow = workflow_of(row, row["body"], row["origins"])
        place, fault = fault_of(workflow)
        if fault:
            told = f"step {place + 1}: {fault}" if place is not None else fault
            raise UsageError(f"{where} line {record.line}: {told}")
        moved.append(Record(record.line, row, workflow))
    return moved


def _called(step: dict[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    if step.get("tool") != "workflow":
        return step
    arguments = step["arguments"]
    return {**step, "arguments": {**arguments, "id": ids.get(arguments["id"], arguments["id"])}}


def _content(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return (row["hostname"], row["name"], row["description"], row["body"])


def _standing(workflow: Workflow) -> str:
    """Status and evidence as the file has them."""
    runs = workflow.success_weight + workflow.failure_weight
    return f"{workflow.status}, {workflow.success_weight:g} of {runs:g} runs" if runs else workflow.status


def _store_version(
    store: Store, record: Record, version: int, where: str, *, foreign: bool
) -> tuple[Imported, list[Row]]:
    """What was stored, and the events that mark it as an import."""
    row, workflow = {**record.row, "version": version}, record.workflow
    odd = suspicion(workflow) if workflow.status in LIVE else ""
    if odd:
        row["status"] = "quarantined"
    elif foreign and workflow.status == "active":
        row["status"] = "candidate"
    why = (
        f"line {record.line} of {where}; it was {_standing(workflow)} there"
        if foreign
        else (f"restored from line {record.line} of {where}")
    )
    marks = [{"status": row["status"], "by": "import", "at": now(), "why": f"{why}; {odd}" if odd else why}]
    if foreign:
        row |= {"success_weight": 0.0, "failure_weight": 0.0}
    left_out = store.add_version(row, row["origins"], row["workflow_uses"])
    notes = [odd, f"{left_out} uses left out: their runs are not here" if left_out else ""]
    stored = replace(workflow, version=version, status=row["status"])
    result = "imported" if version == record.row["version"] else "new version"
    note = "; ".join(note for note in notes if note)
    return imported_workflow(result, stored, where, record.line, note), marks
