"""`webagent sites`."""

import threading
from pathlib import Path

import click

from fixtures_sites import DEFAULT_PORT, SITES, VARIANTS
from webagent.cli.database import json_option
from webagent.cli.tables import print_rows
from webagent.errors import EnvironmentFault
from webagent.ids import scope_of
from webagent.logins import forget_login, has_expired, logins
from webagent.sites import add_site, added_sites, remove_site


@click.group()
def sites() -> None:
    """Names of sites to start from."""


@sites.command("list")
@json_option
def list_sites(as_json: bool) -> None:
    """The fixture sites, those added in webagent.toml, and which logins are kept."""
    kept = logins()
    rows = [
        {
            "name": name,
            "url": f"http://{name}.localhost:{DEFAULT_PORT}/",
            "hostname": f"{name}.localhost",
            "kind": "fixture",
        }
        for name in SITES
    ]
    rows += [
        {"name": name, "url": url, "hostname": scope_of(url), "kind": "added"}
        for name, url in added_sites().items()
    ]
    names = {row["name"] for row in rows}
    rows += [
        {"name": name, "url": "", "hostname": name, "kind": "login"} for name in kept if name not in names
    ]
    rows = [{**row, "login": _shown_login(kept.get(row["name"], ""))} for row in rows]
    print_rows(rows, ("name", "url", "hostname", "kind", "login"), as_json=as_json)


def _shown_login(file: str) -> str:
    if file and not Path(file).expanduser().is_file():
        return f"{file} (gone)"
    return f"{file} (expired)" if file and has_expired(file) else file


@sites.command()
@click.argument("name")
@click.argument("url")
def add(name: str, url: str) -> None:
    """Name a start URL, in webagent.toml of this folder."""
    add_site(name, url)
    click.echo(f"{name} is {url}", err=True)


@sites.command()
@click.argument("name")
def remove(name: str) -> None:
    """Forget a name and its login; the memory of its hostname stays."""
    login = forget_login(name)
    if login:
        click.echo(f"the login of {name} is removed", err=True)
    if not login or name in added_sites():
        remove_site(name)
        click.echo(f"{name} is removed", err=True)


@sites.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0 for a free one"
)
@click.option(
    "--variant",
    type=click.Choice(VARIANTS),
    help="Serve another make of the sites: redesign has renamed and moved controls.",
)
def serve(port: int, variant: str | None) -> None:
    """Serve the fixture sites on loopback until Ctrl-C."""
    from fixtures_sites.server import FixtureServer

    server = FixtureServer(port, variant or "")
    try:
        server.start()
    except OSError as error:
        raise EnvironmentFault(str(error.strerror or error)) from error
    try:
        for name in SITES:
            click.echo(server.url(name))
        threading.Event().wait()
    finally:
        server.stop()
