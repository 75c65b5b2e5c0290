"""The generated parts of the README: `make docs` writes them, `make check` finds drift."""

import json
import os
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from benchmarks.measuring import row_of
from webagent.actions import TOOLS
from webagent.cli import COMMANDS, cli
from webagent.settings import OPTIONS
from webagent.store import Store


def commands() -> str:
    """The commands as a table."""
    rows = [f"| `webagent {name}` | {text} |" for name, (_, text) in COMMANDS.items()]
    return "\n".join(["| command | does |", "|---|---|", *rows])


def options() -> str:
    """The options of `run`, by group."""
    parts = []
    for group, members in groupby(OPTIONS, key=lambda option: option.group):
        parts += ["", f"**{group}**", "", "| option | meaning | default |", "|---|---|---|"]
        for option in members:
            value = f" {'|'.join(option.choices) or option.metavar}".rstrip()
            default = "" if option.default in (None, False) else f"`{option.default}`"
            parts.append(
                f"| `{option.flag}{value.replace('|', chr(92) + '|')}` | {option.help} | {default} |"
            )
    return "\n".join(parts[1:])


def tools() -> str:
    """The tools that the model is offered."""
    rows = []
    for tool in TOOLS:
        arguments = ", ".join(
            f"`{name}`" + ("" if name in tool.required else "?") for name in tool.properties
        )
        rows.append(f"| `{tool.name}` | {arguments or '–'} | {tool.description} |")
    return "\n".join(["| tool | arguments | does |", "|---|---|---|", *rows])


def schema() -> str:
    """The tables and columns of a new database."""
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "new.db") as store:
        tables = store.schema()
    rows = [f"| `{table}` | {', '.join(columns)} |" for table, columns in tables.items()]
    return "\n".join(["| table | columns |", "|---|---|", *rows])


def measured(title: str) -> str:
    """A table of docs/benchmarks.md, as `make bench` measured it."""
    found = json.loads(Path("docs/benchmarks.json").read_text(encoding="utf-8"))[title]
    return "\n".join(map(row_of, [found["columns"], ["---"] * len(found["columns"]), *found["rows"]]))


def help_of(*arguments: str) -> str:
    """What a command prints for `--help`, 100 columns wide."""
    os.environ["COLUMNS"] = "100"
    done = CliRunner().invoke(cli, [*arguments, "--help"], prog_name="webagent", terminal_width=100)
    return f"```\n{done.output.strip()}\n```"
