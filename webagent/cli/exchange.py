"""`webagent workflows export` and `import`."""

from collections.abc import Sequence
from pathlib import Path

import click

from fixtures_sites import DEFAULT_PORT, SITES
from webagent.cli.database import db_option, json_option, reading
from webagent.cli.finding import is_of, start_of, the_workflow
from webagent.cli.tables import print_rows
from webagent.errors import UsageError
from webagent.exchange import (
    FORMS,
    SCRIPT_FORMS,
    Place,
    Report,
    Script,
    export_awm,
    export_jsonl,
    export_text,
    import_path,
    scripts,
    with_callees,
    write_scripts,
    write_skills,
)
from webagent.exchange.exporting import FORMS as OUT_FORMS
from webagent.ids import scope_of, web_url
from webagent.sites import added_sites, unknown_site
from webagent.store import Store
from webagent.workflow import Workflow

FILE_NAMES = {"jsonl": "workflows.jsonl", "text": "workflows.txt", "awm": "workflows.txt"}


@click.command()
@click.argument("ids", metavar="[ID]...", nargs=-1)
@db_option
@click.option("--site", metavar="NAME", help="only those of this site or hostname")
@click.option(
    "--as", "form", type=click.Choice(OUT_FORMS), default="jsonl", show_default=True,
    help="JSON Lines with all versions and evidence; text to read and edit; AWM's text; Agent Skills; "
    "Playwright scripts; pytest tests",
)  # fmt: skip
@click.option("--out", metavar="PATH", help="a file or folder (skills: the folder)  [default: stdout]")
def export_workflows(ids: Sequence[str], db: str, site: str | None, form: str, out: str | None) -> None:
    """Workflows for elsewhere, with those they call. An ID may be the beginning of one, or ID@VERSION;
    without any: all in memory, but as JSON Lines the newest live version of each. Scripts and tests
    hold the steps of what they call; several go into a folder."""
    with reading(db) as store:
        chosen = [the_workflow(store, name) for name in ids]
        if not ids:
            chosen = store.workflows()
        chosen = [each for each in chosen if is_of(site, each.hostname)]
        if site is not None and not chosen:
            raise UsageError(_nothing_of(store, site))
        if form in SCRIPT_FORMS:
            _export_scripts(store, chosen, form, out, strict=bool(ids))
            return
        chosen = with_callees(store, chosen)
        if form == "skill":
            _write_skills(chosen, out)
            return
        text = _text(store, form, chosen, ids, site)
    if out is None:
        click.echo(text, nl=False)
    else:
        _write(Path(out), FILE_NAMES[form], text)


def _nothing_of(store: Store, site: str) -> str:
    there = ", ".join(dict.fromkeys(workflow.hostname for workflow in store.workflows())) or "none at all"
    return f"{store.path} holds no workflow in use of {site!r}; it has those of: {there}"


def _text(store: Store, form: str, chosen: Sequence[Workflow], ids: Sequence[str], site: str | None) -> str:
    if form == "text":
        return export_text(chosen)
    if form == "awm":
        return export_awm(store, chosen)
    if ids:
        single = [the_workflow(store, name).label for name in ids if "@" in name]
        return export_jsonl(store, chosen, single)
    return export_jsonl(store, None, hostname=lambda hostname: is_of(site, hostname))


def _write(path: Path, name: str, text: str) -> None:
    path = path / name if path.is_dir() else path
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror or error}") from error
    click.echo(f"written to {path}", err=True)


def _write_skills(workflows: Sequence[Workflow], out: str | None) -> None:
    if out is None:
        raise UsageError("a skill is a folder; say where to with --out FOLDER")
    for path in write_skills(workflows, Path(out)):
        click.echo(str(path))


def _export_scripts(
    store: Store, chosen: Sequence[Workflow], form: str, out: str | None, *, strict: bool
) -> None:
    """A script for each workflow; those that can't be one are named, and refused where asked for."""
    files, faults = scripts(store, [(each, start_of(store, each)) for each in chosen], form)
    if faults and strict:
        raise faults[0]
    for fault in faults:
        click.echo(f"left out: {fault}", err=True)
    path = Path(out) if out is not None else None
    if path is not None and (path.is_dir() or path.suffix != ".py"):
        for written in write_scripts(files, path):
            click.echo(str(written))
        return
    if len(files) > 1:
        raise UsageError(f"{len(files)} workflows are as many files; say where to with --out FOLDER")
    for script in files:
        _put(path, script)


def _put(path: Path | None, script: Script) -> None:
    if path is None:
        click.echo(script.text, nl=False)
    else:
        _write(path, script.name, script.text)


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@db_option
@json_option
@click.option(
    "--site",
    metavar="NAME|URL|HOST",
    help="where they belong; text, AWM and BrowserGym don't say it themselves",
)
@click.option(
    "--as", "form", type=click.Choice(FORMS), default="auto", show_default=True,
    help="auto looks at what is in it",
)  # fmt: skip
def import_workflows(path: Path, db: str, as_json: bool, site: str | None, form: str) -> None:
    """Workflows from a file, or runs from BrowserGym's experiment folders: all of PATH or nothing.
    What comes in is marked as imported; only into a database without workflows are JSON Lines
    restored as they were."""
    place = the_place(site) if site is not None else None
    with Store.open(Path(db)) as store:
        report = import_path(store, path, place, form)
    rows = [row.as_object() for row in report.rows]
    if as_json or rows:
        columns = ("result", "kind", "id", "version", "name", "hostname", "status", "steps", "note")
        print_rows(rows, columns, as_json=as_json)
    _tell(report)


def the_place(site: str) -> Place:
    """Where a name of `sites`, a URL or a hostname is. Raises UsageError for what is none of these."""
    if "://" in site:
        return Place(scope_of(web_url(site)), web_url(site))
    if site in SITES:
        return Place(f"{site}.localhost", f"http://{site}.localhost:{DEFAULT_PORT}/", site)
    added = added_sites()
    if site in added:
        return Place(scope_of(added[site]), added[site], site)
    url = f"http://{site}/"
    if not ("." in site or ":" in site or site == "localhost") or set(site) & set("/?#@ \\"):
        raise UsageError(unknown_site(site))
    return Place(scope_of(web_url(url)), url)


def _tell(report: Report) -> None:
    """How many of what, on stderr."""
    counts: dict[str, int] = {}
    for row in report.rows:
        what = f"{row.result} {row.kind}s" if row.result != "new version" else "new versions"
        counts[what] = counts.get(what, 0) + 1
    told = [f"{number} {what}" for what, number in counts.items()]
    if report.left_out:
        told.append(f"left out {len(report.left_out)} trajectories, which are no workflows")
    click.echo("; ".join(told) or "nothing to import", err=True)
    if any(row.status == "candidate" and row.result != "skipped" for row in report.rows):
        click.echo("candidates become active by `webagent workflows approve ID`, or by evidence", err=True)
