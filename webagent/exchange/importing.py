"""Import of one path: what it is, all of it read and checked first, then stored in one transaction."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from webagent.errors import UsageError
from webagent.exchange.awm import is_awm, read_awm
from webagent.exchange.browsergym import LOG, experiment_folders, read_run, store_run
from webagent.exchange.checks import suspicion, written_fault
from webagent.exchange.jsonl import read_jsonl, store_records
from webagent.exchange.reading import read_file
from webagent.exchange.reports import Imported, Report, imported_workflow
from webagent.exchange.text import read_text, with_details
from webagent.induction.compose import calls_in_a_circle
from webagent.store import Store
from webagent.workflow import Workflow
from webagent.workflow_parse import Written, looks_like_step

FORMS = ("auto", "jsonl", "text", "awm", "browsergym")


@dataclass(frozen=True)
class Place:
    """Where an import belongs: a memory scope, the URL its runs began at, and the site's name if it
    has one."""

    hostname: str
    start_url: str
    site: str | None = None


def import_path(store: Store, path: Path, place: Place | None = None, form: str = "auto") -> Report:
    """Imports a file or folder. Raises UsageError naming path and line where anything in it is bad;
    nothing of it is stored then."""
    if not path.exists():
        raise UsageError(f"{path} is not there")
    text = "" if path.is_dir() else read_file(path)
    form = _form_of(path, text) if form == "auto" else form
    if path.is_dir() and form != "browsergym":
        raise UsageError(f"{path} is a folder; name the file in it that is to be imported")
    hostname = place.hostname if place else ""
    if form == "jsonl":
        records = read_jsonl(text, str(path))
        with store.writing():
            return Report(store_records(store, records, hostname, str(path)))
    if form == "text":
        return _import_text(store, text, hostname, str(path))
    if place is None:
        raise UsageError(f"{path} doesn't say which site it is of; say so with --site")
    if form == "awm":
        reading = read_awm(text, hostname, str(path))
        _check(reading.workflows, str(path))
        with store.writing():
            rows = [_store(store, written, str(path)) for written in reading.workflows]
        return Report(rows, reading.skipped)
    return _import_runs(store, path, place)


def _form_of(path: Path, text: str) -> str:
    """What a path is, by what is in it."""
    if path.is_dir() or path.name == LOG:
        return "browsergym"
    first = text.lstrip().partition("\n")[0]
    if first.startswith("{"):
        return "jsonl"
    if is_awm(text):
        return "awm"
    if any(looks_like_step(line.strip()) for line in text.splitlines()):
        return "text"
    if not text.strip():
        raise UsageError(f"{path} line 1: the file is empty")
    raise UsageError(f"{path} line 1: can't tell what this is; say so with --as {'|'.join(FORMS[1:])}")


def _import_text(store: Store, text: str, hostname: str, where: str) -> Report:
    def callee(host: str, name: str) -> Workflow | None:
        return next((found for found in store.workflows(host) if found.name == name), None)

    def by_id(workflow_id: str) -> Workflow | None:
        return next(iter(store.versions(workflow_id)[-1:]), None)

    with store.writing():
        found = read_text(text, hostname, where, by_id, callee)
        _check(found, where)
        _check_calls(store, found, where)
        return Report([_store(store, written, where) for written in found])


def _check_calls(store: Store, found: Sequence[Written], where: str) -> None:
    """Workflows that call each other in a circle could never be carried out."""
    together = [written.workflow for written in found]
    for written in found:
        known = [*store.workflows(written.workflow.hostname), *together]
        calls = any(step.tool == "workflow" for step in written.workflow.steps)
        if calls and calls_in_a_circle(written.workflow, known):
            raise UsageError(
                f"{where} line {written.line}: it would call itself, or something that is not in use"
            )


def _check(found: Iterable[Written], where: str) -> None:
    for written in found:
        place, fault = written_fault(written.workflow)
        if fault:
            line = written.line if place is None else written.step_lines[place]
            raise UsageError(f"{where} line {line}: {fault}")


def _store(store: Store, written: Written, where: str) -> Imported:
    """Stores a workflow as a candidate, a new version where its id is known; the newest version with
    the same content is left alone."""
    workflow = written.workflow
    before = next(iter(store.versions(workflow.id)[-1:]), None)
    if before is not None:
        workflow = with_details(written, before)
        if _content(workflow) == _content(before):
            return imported_workflow("skipped", before, where, written.line, "it is there already")
        told = written.workflow
        workflow = replace(workflow, source=told.source, owner=told.owner, learned=told.learned)
        workflow = replace(workflow, success_weight=0.0, failure_weight=0.0, uses=0)
    odd = suspicion(workflow)
    saved = store.save_workflow(
        replace(workflow, status="quarantined" if odd else "candidate"),
        workflow.origins,
        "import",
        f"line {written.line} of {where}" + (f"; {odd}" if odd else ""),
    )
    return imported_workflow("new version" if before else "imported", saved, where, written.line, odd)


def _content(workflow: Workflow) -> tuple[object, ...]:
    steps = json.dumps([[step.tool, step.state, dict(step.arguments)] for step in workflow.steps])
    targets = tuple(step.target for step in workflow.steps)
    rest = (workflow.hostname, workflow.name, workflow.description, workflow.reader)
    return (*rest, tuple(workflow.variables), tuple(workflow.goals), steps, targets)


def _import_runs(store: Store, path: Path, place: Place) -> Report:
    folders: Sequence[Path] = experiment_folders(path)
    if not folders:
        raise UsageError(f"{path}: no {LOG} in this folder or in one directly below it")
    runs = [read_run(folder, place.start_url) for folder in folders]
    with store.writing():
        return Report([store_run(store, run, place.hostname, place.site) for run in runs])
