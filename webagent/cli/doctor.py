"""`webagent doctor` and `webagent install-browser`."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import click

from webagent.cli.options import SettingsCommand, settings_of
from webagent.errors import WebagentError
from webagent.settings import OPTIONS, Settings


def _options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in OPTIONS:
        if option.key in ("model", "base_url", "db", "executable_path", "cdp_endpoint"):
            function = click.option(
                option.flag,
                option.key,
                envvar=option.variable,
                default=option.default,
                metavar=option.metavar,
                help=option.help,
            )(function)
    return function


@click.command(cls=SettingsCommand)
@_options
@click.option("--json", "as_json", is_flag=True, help="JSON Lines, one a check")
def doctor(as_json: bool, **values: Any) -> int:
    """Check browser, model endpoint and database, and say how to mend each.

    Exit code 0 when a run can work, 3 when not; a missing model is no fault, since stored workflows
    are replayed without one."""
    settings = settings_of(values)
    checks: tuple[tuple[str, Callable[[Settings], Coroutine[Any, Any, str]]], ...] = (
        ("browser", _browser),
        ("model", _model),
        ("database", _database),
    )
    bad = 0
    for name, check in checks:
        try:
            ok, found = True, asyncio.run(check(settings))
        except WebagentError as error:
            ok, found = False, str(error)
        bad += not ok
        if as_json:
            click.echo(json.dumps({"check": name, "ok": ok, "found": found}, ensure_ascii=False))
        else:
            click.echo(f"{'ok ' if ok else 'BAD'} {name:<9} {found}")
    return 3 if bad else 0


async def _browser(settings: Settings) -> str:
    from webagent.browser.launch import find_chromium, open_browser
    from webagent.browser.options import BrowserOptions

    options = BrowserOptions(
        executable_path=settings.executable_path or "", cdp_endpoint=settings.cdp_endpoint or ""
    )
    async with open_browser(options) as chromium:
        context = await chromium.context()
        version = context.browser.version if context.browser else "of a profile"
    where = settings.cdp_endpoint or find_chromium(settings.executable_path or "")
    return f"Chromium {version} at {where}"


async def _model(settings: Settings) -> str:
    from webagent.llm import ModelOptions, OpenAIModel

    if not settings.has_model:
        return "none configured: stored workflows are replayed; for new goals set OPENAI_API_KEY or --base-url, and --model"
    options = ModelOptions(model=settings.model, base_url=settings.base_url, api_key=settings.api_key)
    if options.is_file and not Path(str(settings.model)).is_file():
        raise WebagentError(f"no file {settings.model!r}")
    model = await OpenAIModel.open(options)
    try:
        reply = await model.act([{"role": "user", "content": "Say ok."}], [])
    finally:
        await model.close()
    return f"{model.name} at {settings.base_url or 'OpenAI'} answers ({reply.finish})"


async def _database(settings: Settings) -> str:
    from webagent.store import Store

    path = Path(settings.db)
    if not path.exists():
        return f"{path} does not exist yet; the first run makes it"
    with Store.open(path, read_only=True) as store:
        pending, counts = store.pending(), store.counts()
    waiting = f"; {len(pending)} migrations will run at the next run" if pending else ""
    return f"{path}: {counts['runs']} runs, {counts.get('active', 0)} active workflows, {counts.get('candidate', 0)} candidates{waiting}"


@click.command("install-browser")
@click.option(
    "--executable-path",
    default="",
    envvar="WEBAGENT_EXECUTABLE_PATH",
    metavar="FILE",
    help="a browser that is there already",
)
def install_browser(executable_path: str) -> None:
    """Get a Chromium where none is found: Playwright's download, else Debian's package as root."""
    from webagent.browser.launch import find_chromium, install_chromium

    found = find_chromium(executable_path)
    click.echo(found or install_chromium())
