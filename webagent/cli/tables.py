"""Rows for people (a table) and for programs (JSON Lines)."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from webagent.terminal import printable

WHOLE = ("id", "hostname", "status", "source", "runs")
"""Columns that are not to be broken into two lines."""
PIPED_WIDTH = 200
"""Characters of a table that goes into a pipe or a file."""


def print_rows(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool) -> None:
    """All columns as JSON Lines, or the named ones as a table."""
    if as_json:
        for row in rows:
            click.echo(json.dumps(dict(row), ensure_ascii=False))
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column.replace("_", " "), overflow="fold", no_wrap=column in WHOLE)
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    if table.row_count:
        width = None if sys.stdout.isatty() else PIPED_WIDTH
        Console(highlight=False, markup=False, width=width).print(table)
    else:
        click.echo("none", err=True)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else printable(str(value), 120)
