"""`webagent bench`."""

import asyncio
import json
from typing import Any

import click

from webagent.cli.tables import print_rows
from webagent.errors import UsageError


@click.group()
def bench() -> None:
    """Benchmarks, on the fixture sites and on others' data."""


@bench.command()
@click.option("--list", "show_list", is_flag=True, help="count sites, tasks and templates")
@click.option("--solutions", is_flag=True, help="run the scripted solutions: all must be judged a success")
@click.option(
    "--near-misses", is_flag=True, help="run the scripted near misses: all must be judged a failure"
)
@click.option("--sites", default="", metavar="LIST", help="only these sites, separated by commas")
@click.option("--only", default="", metavar="TEXT", help="only tasks with this in their id")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="runs at a time")
@click.option("--sample", type=click.IntRange(1), help="only so many tasks, spread over the templates")
@click.option("--shuffle", is_flag=True, help="in a random order")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="of --shuffle and --sample"
)
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout")
def arena(show_list: bool, solutions: bool, near_misses: bool, **values: Any) -> int:
    """The arena: hundreds of tasks on live sites, without a network."""
    from webagent.arena import NEAR_MISS, SOLUTION, chosen_sites, counts

    sites = chosen_sites(values["sites"])
    kinds = [kind for kind, wanted in ((SOLUTION, solutions), (NEAR_MISS, near_misses)) if wanted]
    if show_list:
        _show(counts(sites), as_json=values["as_json"])
    if kinds:
        return _play(kinds, sites, values)
    if not show_list:
        raise UsageError("say what to do: --list, --solutions or --near-misses")
    return 0


def _show(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(found))
        return
    for name in ("sites", "tasks", "templates", "cross_site", "infeasible"):
        click.echo(f"{name.replace('_', '-')}: {found[name]}")
    print_rows(
        [{"site": site, "tasks": tasks} for site, tasks in found["by_site"].items()],
        ("site", "tasks"),
        as_json=False,
    )


def _play(kinds: list[str], sites: tuple[str, ...], values: dict[str, Any]) -> int:
    from webagent.arena import Played, play, scripts

    def told(played: Played) -> None:
        if not played.passed:
            click.echo(f"{played.script.name}: {played.reason}", err=True)

    wanted = scripts(
        kinds,
        sites,
        only=values["only"],
        shuffle=values["shuffle"],
        seed=values["seed"],
        sample=values["sample"] or 0,
    )
    played = asyncio.run(play(wanted, jobs=values["jobs"], told=told))
    failed = sum(not one.passed for one in played)
    if values["as_json"]:
        click.echo(json.dumps({"passed": len(played) - failed, "failed": failed}))
    else:
        click.echo(f"{len(played) - failed} passed, {failed} failed")
    return 1 if failed else 0
