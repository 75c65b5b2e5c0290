"""`webagent induce`: offline induction, from stored runs or imported trajectories."""

import asyncio
from pathlib import Path
from typing import Any

import click

from webagent.cli.exchange import the_place
from webagent.cli.options import SettingsCommand, settings_of
from webagent.cli.tables import print_rows
from webagent.errors import EnvironmentFault, UsageError
from webagent.exchange import import_path
from webagent.interfaces import Verdict
from webagent.llm import ModelOptions, OpenAIModel
from webagent.memory import Learner
from webagent.settings import BY_KEY, Settings
from webagent.store import Store

_SHARED = ("model", "base_url", "db", "verbose", "json")


def _shared(function: Any) -> Any:
    for key in _SHARED:
        option = BY_KEY[key]
        flag = (
            {"is_flag": True}
            if option.kind is bool
            else {"metavar": option.metavar, "default": option.default}
        )
        function = click.option(option.flag, key, envvar=option.variable, help=option.help, **flag)(function)
    return function


@click.command(cls=SettingsCommand)
@click.option(
    "--from",
    "source",
    default="runs",
    show_default=True,
    metavar="runs|FILE",
    help="stored runs, or a file or folder of trajectories to import first",
)
@click.option(
    "--site", multiple=True, metavar="NAME", help="only runs of this site or hostname; may be given again"
)
@click.option(
    "--by",
    type=click.Choice(("llm", "rule", "both")),
    default="both",
    show_default=True,
    help="who induces; both: the rule where the model's proposals don't cover a run",
)
@_shared
def induce(source: str, site: tuple[str, ...], by: str, **values: Any) -> int:
    """Workflows from runs that were judged a success and taught nothing yet, oldest first."""
    settings = settings_of(values)
    if by == "llm" and not settings.has_model:
        raise EnvironmentFault("--by llm needs a model: set OPENAI_API_KEY or --base-url, and --model")
    with Store.open(Path(settings.db)) as store:
        if source != "runs":
            _import(store, Path(source), site)
        rows = [row for row in reversed(store.runs(None)) if _wanted(row, site)]
        if site and not rows:
            raise UsageError(f"no run of {', '.join(site)} in {settings.db}; `webagent runs list` shows them")
        learned = asyncio.run(_induced(store, rows, settings, by))
    print_rows(learned, ("run", "goal", "workflow", "refused"), as_json=settings.json)
    return 0


def _wanted(row: dict[str, Any], site: tuple[str, ...]) -> bool:
    if not row["success"] or row["judge"] in (None, "none"):
        return False
    names = {row["site"], row["hostname"], str(row["hostname"]).split(".")[0]}
    return not site or bool(names & set(site))


def _import(store: Store, path: Path, site: tuple[str, ...]) -> None:
    if len(site) != 1:
        raise UsageError("--from FILE needs one --site: where the trajectories belong")
    report = import_path(store, path, the_place(site[0]))
    click.echo(f"{len(report.rows)} imported from {path}", err=True)


async def _induced(
    store: Store, rows: list[dict[str, Any]], settings: Settings, by: str
) -> list[dict[str, Any]]:
    """One row for each run that was looked at."""
    model = await _model(settings) if settings.has_model and by != "rule" else None
    try:
        learner = Learner(store, model, mode="offline", by=by)
        found = []
        for row in rows:
            if store.learned_from(row["id"]):
                continue
            verdict = Verdict(True, row["judge"], row["reason"] or "")
            learned = await learner.learn(store.trajectory(row["id"]), verdict)
            found.append(
                {
                    "run": row["id"],
                    "goal": row["goal"],
                    "workflow": ", ".join(learned.labels) or None,
                    "refused": "; ".join(learned.refused) or None,
                }
            )
        return found
    finally:
        if model is not None:
            await model.close()


async def _model(settings: Settings) -> OpenAIModel:
    return await OpenAIModel.open(
        ModelOptions(
            model=settings.model,
            base_url=settings.base_url,
            api_key=settings.api_key,
            request_timeout=settings.request_timeout,
            verbose=settings.verbose,
        )
    )
