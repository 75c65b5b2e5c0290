"""Rows for people (a table) and for programs (JSON Lines)."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from webagent.cli.view import printable


def print_rows(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool) -> None:
    """All columns as JSON Lines, or the named ones as a table."""
    if as_json:
        for row in rows:
            click.echo(json.dumps(dict(row), ensure_ascii=False))
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    if table.row_count:
        Console(highlight=False, markup=False).print(table)
    else:
        click.echo("none", err=True)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else printable(str(value), 120)
