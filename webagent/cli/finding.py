"""What a command's arguments mean: the database to change, the row of an id, the hostname of a site;
and what a person answers."""

import getpass
import sys
from pathlib import Path

import click

from fixtures_sites import DEFAULT_PORT, SITES
from webagent.errors import DatabaseFault, UsageError
from webagent.ids import scope_of
from webagent.secrets import Secrets
from webagent.sites import added_sites
from webagent.store import Store
from webagent.store.connection import Row
from webagent.store.faults import ELSEWHERE
from webagent.workflow import Workflow


def changing(db: str, secrets: Secrets | None = None) -> Store:
    """The database, opened to change what is in it, with these secrets masked in all that is written:
    one that is not there is not made."""
    if not Path(db).expanduser().exists():
        raise DatabaseFault(f"there is no database {db}; a run makes one, or {ELSEWHERE}")
    return Store.open(Path(db), secrets=(secrets or Secrets()).mask)


def the_workflow(store: Store, name: str) -> Workflow:
    """The newest version of an id or the start of one, or the version that `ID@VERSION` names."""
    found = store.workflow(name)
    if found is not None:
        return found
    start, at, version = name.partition("@")
    newest = store.workflow(start) if at else None
    if newest is None:
        raise UsageError(f"no workflow {name!r} in {store.path}; `webagent workflows list` shows them")
    raise UsageError(
        f"no version {version!r} of the workflow {newest.id}; its newest is {newest.version}, and "
        f"`webagent workflows history {newest.id}` shows all"
    )


def the_lesson(store: Store, name: str) -> Row:
    """The lesson of an id or the start of one."""
    row = store.lesson(name)
    if row is None:
        raise UsageError(f"no lesson {name!r} in {store.path}; `webagent lessons list` shows them")
    return row


def the_run(store: Store, name: str) -> Row:
    """The run of an id or the start of one."""
    row = store.run(name)
    if row is None:
        raise UsageError(f"no run {name!r} in {store.path}; `webagent runs list` shows them")
    return row


def is_of(site: str | None, hostname: str) -> bool:
    """Whether a hostname is the one wanted, or begins with the site's name; None wants all."""
    return site is None or hostname == site or hostname.split(":")[0].split(".")[0] == site


def the_hostname(store: Store, site: str) -> str:
    """The one hostname of a site: itself, the host of a name's start URL, or the only one in the
    database that begins with it."""
    known = store.hostnames()
    named = f"{site}.localhost" if site in SITES else scope_of(added_sites().get(site, ""))
    for hostname in (site, named):
        if hostname in known:
            return hostname
    fitting = [hostname for hostname in known if is_of(site, hostname)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"{site!r} may be {' or '.join(fitting)}; write the whole hostname")
    there = ", ".join(known[:10]) or "no hostname at all"
    raise UsageError(f"{store.path} holds nothing of {site!r}; it has {there}")


def fixture_of(hostname: str) -> str:
    """The fixture site at a hostname; empty where it is none."""
    name = hostname.removesuffix(".localhost")
    return name if name in SITES and name != hostname else ""


def start_of(store: Store, workflow: Workflow) -> str:
    """Where a workflow begins: the start URL of the newest run that it came from, else its hostname;
    fixture sites at their usual port."""
    hostname = workflow.hostname
    if fixture_of(hostname):
        return f"http://{hostname}:{DEFAULT_PORT}/"
    rows = [store.run(run_id) for run_id in reversed(workflow.origins)]
    known = [str(row["start_url"]) for row in rows if row and scope_of(row["start_url"] or "") == hostname]
    near = hostname.endswith("localhost") or ":" in hostname
    return known[0] if known else f"http{'' if near else 's'}://{hostname}/"


def confirmed(question: str, *, yes: bool) -> bool:
    """Whether to go on. Raises UsageError where no one is there to answer."""
    if yes:
        return True
    try:
        return click.confirm(question, default=False, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise UsageError(f"{question} No one is there to answer; --yes means yes") from None


def reason(said: str, otherwise: str) -> str:
    """Why a person changes something, with who it was."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in some containers
        return said or otherwise
    return f"{said or otherwise} ({user})"
