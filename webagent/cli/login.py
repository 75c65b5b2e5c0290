"""`webagent login`."""

import asyncio
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from webagent.browser.launch import open_browser
from webagent.browser.recording import RecordingSession
from webagent.cli.options import SettingsCommand, options_with, settings_of
from webagent.cli.run import person, starting_at
from webagent.configured import browser_options
from webagent.errors import EnvironmentFault
from webagent.logins import keep_login, login_file, login_name
from webagent.settings import Settings

USED = (
    "site",
    "url",
    "executable_path",
    "viewport_size",
    "locale",
    "user_agent",
    "proxy_server",
    "ignore_https_errors",
    "cdp_endpoint",
    "verbose",
)
"""Shared options that mean something while a person logs in."""


@click.command(cls=SettingsCommand)
@click.option("--to", "file", metavar="FILE", help="where to keep it  [default: .webagent/NAME.state.json]")
@options_with(USED)
def login(file: str | None, **values: Any) -> int:
    """Logs in once, by hand: a browser opens, you log in, then press Enter here or close the window.
    Cookies and storage are kept in a file that only you can read, named in webagent.toml, and `run`
    begins with them wherever it has the same --site or the same host; --storage-state goes first."""
    settings = settings_of({**values, "headed": True}, login=False)
    with ExitStack() as stack:
        url = stack.enter_context(starting_at("log in", settings))
        name = login_name(settings.site, url)
        path = Path(file) if file else login_file(name)
        asyncio.run(_logged_in(settings, url, path))
    keep_login(name, path)
    click.echo(f"the login of {name} is kept in {path}", err=True)
    return 0


async def _logged_in(settings: Settings, url: str, path: Path) -> None:
    """A person logs in; what the browser knows then is written to the file."""
    options = replace(browser_options(settings, url), allowed_domains=("*",))
    async with open_browser(options) as chromium:
        session = await RecordingSession.open(chromium, options, url)
        try:
            await _ended(session)
            await session.storage_state(path)
        except OSError as error:
            raise EnvironmentFault(f"{path} can't be written: {error.strerror or error}") from error
        finally:
            await session.close()


async def _ended(session: RecordingSession) -> None:
    """Until Enter in the terminal, or the window is closed."""
    line = asyncio.ensure_future(
        person()("Log in in the browser. Then press Enter here, or close its window.")
    )
    closed = asyncio.ensure_future(session.ended.wait())
    done, _ = await asyncio.wait({line, closed}, return_when=asyncio.FIRST_COMPLETED)
    if line in done and isinstance(line.exception(), EOFError):
        await closed
    for task in (line, closed):
        task.cancel()
    with suppress(EOFError, asyncio.CancelledError):
        await line
