"""Task files: JSON Lines, a JSON list, one JSON object, YAML, CSV."""

import csv
import importlib
import io
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from webagent.errors import UsageError, first_line
from webagent.tasks import fields
from webagent.tasks.task import Task, parse_task

Placed = tuple[str, Any]
"""Where in the file an object stands ("line 3"), and the object."""


def read_tasks(
    path: Path | str,
    *,
    sites: Mapping[str, str] | None = None,
    needs_start: bool = True,
    check: Callable[[Task], object] = lambda task: None,
) -> list[Task]:
    """All tasks of a file, in its order; the name's ending tells the format, the text where it
    does not. `sites` and `needs_start` are those of `parse_task`; `check` may refuse a task with a
    UsageError, to which the place in the file is added.

    Raises UsageError naming the file and the line (of a JSON or YAML list, the entry's number)."""
    path = Path(path)
    tasks: list[Task] = []
    seen: dict[str, str] = {}
    for place, value in _objects(path):
        where = f"{path} {place}"
        task = parse_task(value, where, sites=sites, needs_start=needs_start)
        if task.id in seen:
            raise fields.fault(where, f"the id {task.id!r:.80} is already that of {seen[task.id]}")
        seen[task.id] = place
        try:
            check(task)
        except UsageError as error:
            raise fields.fault(where, str(error)) from None
        tasks.append(task)
    if not tasks:
        raise UsageError(f"{path} has no task in it")
    return tasks


def _objects(path: Path) -> Iterator[Placed]:
    text = _read(path)
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        return _from_csv(text, str(path))
    if ending in (".yaml", ".yml"):
        return _from_yaml(text, str(path))
    begin = next((line.strip() for _, line in _lines(text)), "")
    if ending in (".jsonl", ".ndjson") and not begin.startswith("["):
        return _from_lines(text, str(path))
    if ending != ".json" and begin and begin[0] not in "{[":
        raise UsageError(f"{path}: not a task file; it must be JSON Lines, JSON, YAML (.yaml) or CSV (.csv)")
    if begin.startswith("{") and _is_json(begin):
        return _from_lines(text, str(path))
    return _from_json(text, str(path))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise UsageError(f"can't read the task file {path}: {error.strerror}") from None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without empty ones and comments. Split at newlines only: JSON
    strings may hold the other separators that `splitlines` knows."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _is_json(text: str) -> bool:
    try:
        fields.loads(text, "")
    except UsageError:
        return False
    return True


def _from_lines(text: str, path: str) -> Iterator[Placed]:
    for number, line in _lines(text):
        place = f"line {number}"
        yield place, fields.loads(line.strip(), f"{path} {place}")


def _from_json(text: str, path: str) -> Iterator[Placed]:
    # Comment lines are emptied, not removed, so that the error's line number is the file's.
    kept = "\n".join("" if line.lstrip().startswith("#") else line for line in text.split("\n"))
    return _entries(fields.loads(kept, path), path) if kept.strip() else iter(())


def _entries(value: Any, path: str) -> Iterator[Placed]:
    """The entries of a list, of `{"tasks": [...]}`, or the one object."""
    if isinstance(value, Mapping) and "tasks" in value and "goal" not in value:
        value = value["tasks"]
    if isinstance(value, Mapping):
        return iter([("task 1", value)])
    if not isinstance(value, list):
        raise UsageError(f"{path} must hold a list of tasks or one task, not {fields.short(value)}")
    return iter([(f"task {number}", entry) for number, entry in enumerate(value, 1)])


def _from_csv(text: str, path: str) -> Iterator[Placed]:
    """Columns by name: those of a task, `expect` as JSON, or `expect.answer` and its like. Where a
    cell is empty the key is absent."""
    header = next((line for _, line in _lines(text)), "")
    delimiter = max(",;\t", key=header.count)
    # strict: an unclosed quote would swallow all the lines that follow it.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    number = 1
    try:
        for row in reader:
            place, number = f"line {number}", reader.line_num + 1
            if not any(cell.strip() for cell in row) or _is_comment(row):
                continue
            if not names:
                names = [name.strip() for name in row]
                if "goal" not in names and "intent" not in names:
                    raise fields.fault(
                        f"{path} {place}",
                        f"the columns must have names, 'goal' among them; found {fields.short(names)}",
                    )
            else:
                yield place, _row(names, row, f"{path} {place}")
    except csv.Error as error:
        raise fields.fault(f"{path} line {number}", f"not CSV: {error}") from None


def _is_comment(row: list[str]) -> bool:
    """`# words`, or one cell only: an id such as `#12` makes no comment."""
    return row[0].lstrip().startswith("# ") or (len(row) == 1 and row[0].lstrip().startswith("#"))


def _row(names: list[str], row: list[str], where: str) -> dict[str, Any]:
    if len(row) > len(names):
        raise fields.fault(
            where, f"has {len(row)} cells for {len(names)} columns; quote cells that hold commas"
        )
    task: dict[str, Any] = {}
    expect: dict[str, Any] = {}
    for name, cell in zip(names, row, strict=False):
        if not cell.strip():
            continue
        if name.startswith("expect."):
            key = name.removeprefix("expect.")
            expect[key] = cell if key in _TEXT_CELLS else _cell(cell, where, name)
        elif name in ("eval", "sites", "instantiation_dict"):
            task[name] = _cell(cell, where, name)
        else:
            task[name] = cell
    if expect:
        if "expect" in task:
            raise fields.fault(where, "has both expect and expect.… cells; give one")
        task["expect"] = expect
    return task


_TEXT_CELLS = ("answer", "answer_matches", "url")
"""Never JSON: a regular expression may begin with a bracket."""


def _cell(cell: str, where: str, name: str) -> Any:
    """JSON where a cell looks like a list or an object, else its text."""
    return fields.loads(cell, f"{where}: {name}") if cell.strip().startswith(("[", "{")) else cell


def _from_yaml(text: str, path: str) -> Iterator[Placed]:
    try:
        yaml = importlib.import_module("yaml")
    except ImportError:
        raise UsageError(
            f"{path}: reading YAML needs PyYAML; pip install pyyaml, or write JSON Lines"
        ) from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]  # yaml is Any: it is optional
        """YAML 1.2's few plain types: in 1.1 the zip code 01234 is 668, `no` is false."""

    Loader.yaml_implicit_resolvers = {}
    for kind, pattern, starts in _YAML_TYPES:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(pattern), list(starts))
    try:
        value = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" line {mark.line + 1} column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or first_line(error)
        raise UsageError(f"{path}{place}: not YAML: {problem}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not YAML: {first_line(error)}") from None
    return iter(()) if value is None else _entries(value, path)


_YAML_TYPES = (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    ("float", r"^[-+]?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+]?[0-9]+)?$", "-+0123456789"),
)
