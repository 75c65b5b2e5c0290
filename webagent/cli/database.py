"""The `--db` option of commands that read the database."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from webagent.cli.options import load_env
from webagent.setting_files import read_files
from webagent.settings import BY_KEY
from webagent.store import Store

F = TypeVar("F", bound=Callable[..., Any])


def _default() -> str:
    load_env()
    return str(read_files().get("db", BY_KEY["db"].default))


def db_option(function: F) -> F:
    """`--db FILE`, with the environment and the project file behind it."""
    return click.option(
        "--db",
        default=_default,
        envvar="WEBAGENT_DB",
        metavar="FILE",
        help="the database file  [default: workflows.db]",
    )(function)


def json_option(function: F) -> F:
    """`--json`: rows as JSON Lines."""
    return click.option("--json", "as_json", is_flag=True, help="JSON Lines of the database's rows")(function)


def reading(db: str) -> Store:
    """The database, opened to read only."""
    return Store.open(Path(db), read_only=True)
