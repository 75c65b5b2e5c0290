"""`webagent bench`."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from fixtures_sites import VARIANTS
from fixtures_sites.tasks import SPLITS
from webagent.cli.arms import run_arms
from webagent.cli.options import SettingsCommand, options_without, settings_of
from webagent.cli.progress import counting
from webagent.cli.tables import print_rows
from webagent.errors import EnvironmentFault
from webagent.settings import OPTIONS


@click.group()
def bench() -> None:
    """Benchmarks, on the fixture sites and on others' data."""


KEPT = frozenset(
    ("model", "base_url", "judge", "max_steps", "timeout", "max_tokens", "max_cost", "price", "observation_tokens",
     "no_lessons", "expire_days", "embedding_model", "executable_path", "verbose", "log_format",
     "log_level")
)  # fmt: skip
"""Shared options that mean something for a whole benchmark."""
CHECKS = ("show_list", "solutions", "near_misses", "judge_check", "only", "sample", "shuffle", "as_json")
"""Options about the arena itself."""


@bench.command(cls=SettingsCommand)
@click.option("--list", "show_list", is_flag=True, help="count sites, tasks and templates")
@click.option("--solutions", is_flag=True, help="run the scripted solutions: all must be judged a success")
@click.option(
    "--near-misses", is_flag=True, help="run the scripted near misses: all must be judged a failure"
)
@click.option(
    "--judge-check", is_flag=True,
    help="run solutions, near misses and solutions cut short, and tell how often the model judges them rightly",
)  # fmt: skip
@click.option("--only", default="", metavar="TEXT", help="scripts: only tasks with this in their id")
@click.option(
    "--sample", type=click.IntRange(1), help="scripts: only so many tasks, spread over the templates"
)
@click.option("--shuffle", is_flag=True, help="scripts: in a random order")
@click.option("--json", "as_json", is_flag=True, help="JSON on stdout")
@click.option("--sites", default="", metavar="LIST", help="only these sites, separated by commas")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="runs at a time")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="of --shuffle and --sample"
)
@click.option(
    "--arms", default="off,read,online,replay", show_default=True, metavar="LIST", help="arms to run"
)
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True, help="times each arm is run")
@click.option("--split", type=click.Choice(SPLITS), default="stream", show_default=True, help="which tasks")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="only the first tasks of the split")
@click.option("--variant", type=click.Choice(VARIANTS), help="another make of the sites")
@click.option("--memory-from", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="a database that arms with memory begin with a copy of  [default: empty memory]")  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("bench-arena"),
              show_default=True, metavar="DIR", help="folder of the results; what it has is not run again")  # fmt: skip
@options_without([option.key for option in OPTIONS if option.key not in KEPT])
def arena(**values: Any) -> int:
    """The arena: hundreds of tasks on live sites, without a network. Runs the arms on the same tasks at the
    same budgets and writes results, a table and a report with plots; or, with --list, --solutions or
    --near-misses, tells of the arena itself.

    The arms: off, no memory. read, what --memory-from holds, in the prompt. online, every run may add to
    memory. replay, as online, and trusted workflows are carried out without the model. With --judge llm the
    model's verdict decides what is learned, as it would on a site without tests; success in the results is by
    the task's own test all the same."""
    from webagent.arena import CUT, NEAR_MISS, SOLUTION, chosen_sites, counts

    checks = {name: values.pop(name) for name in CHECKS}
    sites = chosen_sites(values["sites"])
    kinds = [
        kind
        for kind, wanted in ((SOLUTION, checks["solutions"]), (NEAR_MISS, checks["near_misses"]))
        if wanted
    ]
    if checks["judge_check"]:
        return _check_judge((SOLUTION, NEAR_MISS, CUT), sites, values, checks)
    if checks["show_list"]:
        _show(counts(sites), as_json=checks["as_json"])
    if kinds:
        return _play(kinds, sites, {**values, **checks})
    return 0 if checks["show_list"] else run_arms(sites, values, as_json=checks["as_json"])


@bench.command("report")
@click.argument(
    "folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="where table and report go  [default: the folder itself; bench-report for several]")  # fmt: skip
def report_of(folders: tuple[Path, ...], out: Path | None) -> int:
    """Table, plots and report.html of benchmarks' folders; several are compared."""
    from webagent.bench.report import check_extra, joined, write

    check_extra()
    where = out or (folders[0] if len(folders) == 1 else Path("bench-report"))
    title = "Benchmark" if len(folders) == 1 else f"{len(folders)} benchmarks compared"
    about = {"title": title, "from": ", ".join(map(str, folders))}
    click.echo(write(joined(folders), where, about), nl=False)
    click.echo(f"{where / 'report.html'}", err=True)
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


def _check_judge(
    kinds: Sequence[str], sites: tuple[str, ...], values: dict[str, Any], checks: dict[str, Any]
) -> int:
    """Precision and recall of the model as a judge, on runs that did well, badly, and not enough."""
    from webagent.arena import Played, play, scripts
    from webagent.bench.judged import Agreement
    from webagent.configured import model_options
    from webagent.llm import OpenAIModel

    jobs, seed = values["jobs"], values["seed"]
    settings = settings_of({key: value for key, value in values.items() if key in KEPT})
    if not settings.has_model:
        raise EnvironmentFault("--judge-check needs a model: --model and --base-url, or OPENAI_API_KEY")
    wanted = scripts(kinds, sites, only=checks["only"], seed=seed, sample=checks["sample"] or 0)

    async def judged(ended: Callable[[str], None]) -> list[Played]:
        def told(played: Played) -> None:
            if played.truth is not None and played.said is not played.truth:
                words = {True: "success", False: "failure", None: "nothing"}
                click.echo(f"{played.script.name}: called {words[played.said]}: {played.reason}", err=True)
            ended("")

        model = await OpenAIModel.open(model_options(settings))
        try:
            return await play(wanted, jobs=jobs, told=told, judge=model)
        finally:
            await model.close()

    with counting("arena", len(wanted)) as ended:
        found = Agreement.of(asyncio.run(judged(ended)))
    click.echo(json.dumps(found.as_object()) if checks["as_json"] else found.told)
    return 0


def _play(kinds: list[str], sites: tuple[str, ...], values: dict[str, Any]) -> int:
    from webagent.arena import Played, play, scripts

    wanted = scripts(
        kinds,
        sites,
        only=values["only"],
        shuffle=values["shuffle"],
        seed=values["seed"],
        sample=values["sample"] or 0,
    )
    failed = 0
    with counting("arena", len(wanted)) as ended:

        def told(played: Played) -> None:
            nonlocal failed
            if not played.passed:
                failed += 1
                click.echo(f"{played.script.name}: {played.reason}", err=True)
            ended(f"{failed} failed")

        played = asyncio.run(play(wanted, jobs=values["jobs"], told=told))
    if values["as_json"]:
        click.echo(json.dumps({"passed": len(played) - failed, "failed": failed}))
    else:
        click.echo(f"{len(played) - failed} passed, {failed} failed")
    return 1 if failed else 0
