"""`webagent lessons`: what failed runs warn of."""

import json
from pathlib import Path

import click

from webagent.cli.database import db_option, json_option, reading
from webagent.cli.editing import edited
from webagent.cli.finding import changing, is_of, reason, the_lesson
from webagent.cli.tables import print_rows
from webagent.errors import UsageError
from webagent.induction.lessons import TEXT_LIMIT, WHEN_LIMIT
from webagent.store import LIVE
from webagent.store.connection import Row
from webagent.store.workflows import STATUSES
from webagent.terminal import printable

PERSON = "person"
LIMITS = {"when": WHEN_LIMIT, "text": TEXT_LIMIT}
"""Characters of a lesson's two lines: prompts are full of them."""
SHOWN = ("active", "candidate", "quarantined")


@click.group()
def lessons() -> None:
    """What failed runs warn of. ID is that of a lesson or its beginning."""


@lessons.command("list")
@db_option
@json_option
@click.option("--site", metavar="HOSTNAME", help="only those of this hostname")
@click.option("--status", type=click.Choice(STATUSES), help="only those with this status")
def list_lessons(db: str, as_json: bool, site: str | None, status: str | None) -> None:
    """The lessons; retired ones only when asked for."""
    with reading(db) as store:
        found = store.lessons(None, (status,) if status else SHOWN)
    rows = [row for row in found if is_of(site, row["hostname"])]
    if not as_json:
        rows = [_short(row) for row in rows]
    columns = ("id", "hostname", "when", "text", "status", "uses", "runs", "last_used", "owner")
    print_rows(rows, columns, as_json=as_json)


def _short(row: Row) -> Row:
    runs = row["success_weight"] + row["failure_weight"]
    return {
        **row,
        "when": row["when_text"] or None,
        "runs": f"{row['success_weight']:g} of {runs:g}",
        "last_used": (row["last_used_at"] or "never")[:16].replace("T", " "),
    }


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@db_option
@json_option
def show(lesson_id: str, db: str, as_json: bool) -> None:
    """One lesson: its words, its uses, where it came from, and what became of it."""
    with reading(db) as store:
        row = the_lesson(store, lesson_id)
        uses = store.lesson_uses(row["id"])
        events = store.lesson_history(row["id"])
    if as_json:
        click.echo(json.dumps({**row, "lesson_uses": uses, "history": events}, ensure_ascii=False))
        return
    verdicts = [use["success"] for use in uses]
    click.echo(_text(row), nl=False)
    click.echo(f"id       {row['id']}, of {row['hostname']}")
    click.echo(f"status   {row['status']}, owner {row['owner']}")
    click.echo(
        f"uses     {row['uses']}: {verdicts.count(True)} successes, {verdicts.count(False)} failures "
        f"(weights {row['success_weight']:g} and {row['failure_weight']:g})"
    )
    click.echo(f"origin   {row['evidence'] or row['run_id'] or 'no run'}")
    _print_events(events)


def _text(row: Row) -> str:
    """The lesson as a person edits it."""
    return f"when: {printable(row['when_text'], 10_000)}\ntext: {printable(row['text'], 10_000)}\n"


def _print_events(events: list[Row]) -> None:
    for event in events:
        why = f": {printable(event['why'])}" if event["why"] else ""
        click.echo(f"{event['at']} {event['status']} by {event['by']}{why}")
        if event["text"] is not None:
            click.echo(f"    before: {printable(event['when_text'])} — {printable(event['text'])}")


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@db_option
@json_option
def history(lesson_id: str, db: str, as_json: bool) -> None:
    """All that became of a lesson: when, who, why, and the words that edits replaced."""
    with reading(db) as store:
        row = the_lesson(store, lesson_id)
        events = store.lesson_history(row["id"])
    if as_json:
        print_rows(({"id": row["id"], **event} for event in events), (), as_json=True)
    else:
        _print_events(events)


why_option = click.option("--why", metavar="TEXT", default="", help="the reason, kept in the history")


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@why_option
@db_option
@json_option
def approve(lesson_id: str, why: str, db: str, as_json: bool) -> None:
    """Make a lesson active."""
    _set_status(db, lesson_id, "active", why or "approved", as_json=as_json)


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@why_option
@db_option
@json_option
def retire(lesson_id: str, why: str, db: str, as_json: bool) -> None:
    """Take a lesson out of use; `restore` brings it back."""
    _set_status(db, lesson_id, "retired", why or "retired", as_json=as_json)


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@why_option
@db_option
@json_option
def restore(lesson_id: str, why: str, db: str, as_json: bool) -> None:
    """Bring a lesson back, with the status it had while it was in use."""
    _set_status(db, lesson_id, None, why or "restored", as_json=as_json)


def _set_status(db: str, lesson_id: str, status: str | None, why: str, *, as_json: bool) -> None:
    """Sets a status, or with None the last one that the lesson had in use."""
    with changing(db) as store, store.writing():
        before = the_lesson(store, lesson_id)
        if status is None:
            past = [event["status"] for event in reversed(store.lesson_history(before["id"]))]
            status = next((each for each in [before["status"], *past] if each in LIVE), "candidate")
        after = store.set_lesson_status(before["id"], status, PERSON, reason(why, ""))
    if as_json:
        print_rows([after], (), as_json=True)
    elif after == before:
        click.echo(f"{after['id']} is {after['status']} already", err=True)
    else:
        click.echo(f"{after['id']} is {after['status']}, was {before['status']}", err=True)


@lessons.command()
@click.argument("lesson_id", metavar="ID")
@click.option(
    "--file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="PATH",
    help="the new text, instead of an editor",
)
@why_option
@db_option
@json_option
def edit(lesson_id: str, file: Path | None, why: str, db: str, as_json: bool) -> None:
    """Change the words of a lesson ($VISUAL, $EDITOR); the history keeps those before."""
    with changing(db) as store:
        before = the_lesson(store, lesson_id)
        words = edited(_text(before), file, parse_lesson)
        after = before
        if words is not None:
            after = store.edit_lesson(before["id"], words[1], words[0], PERSON, reason(why, "edited"))
    if after == before:
        click.echo(f"{before['id']} is as it was", err=True)
    elif as_json:
        print_rows([after], (), as_json=True)
    else:
        click.echo(f"{after['id']} is changed, and {after['status']}", err=True)


def parse_lesson(text: str, where: str) -> tuple[str, str]:
    """(when, text) of the lines `when: …` (may be empty or missing) and `text: …`.

    Raises UsageError naming the line that is wrong."""
    words: dict[str, str] = {}
    for n, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        key, colon, said = (part.strip() for part in line.partition(":"))
        if not colon or key not in ("when", "text"):
            raise UsageError(f"{where}, line {n}: not `when: …` or `text: …`: {printable(line, 60)!r}")
        if key in words:
            raise UsageError(f"{where}, line {n}: a second `{key}:`; a lesson has one line of each")
        if len(said) > LIMITS[key]:
            raise UsageError(f"{where}, line {n}: {len(said)} characters; at most {LIMITS[key]} may be")
        words[key] = said
    if not words.get("text"):
        raise UsageError(f"{where}: the line `text: …` is missing or empty; `lessons retire` drops a lesson")
    return words.get("when", ""), words["text"]
