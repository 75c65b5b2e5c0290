"""A benchmark's folder: table, plots and one page that shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from webagent.bench.figures import arms_of, base_of, differences, percent, rates, summaries, table
from webagent.bench.plots import draw, save, svg
from webagent.bench.results import Result, read_folder
from webagent.errors import EnvironmentFault

HOW_TO_GET = "tables and plots need the extra: pip install 'webagent[bench]'"


def check_extra() -> None:
    """Raises EnvironmentFault where the libraries for numbers and plots are missing: better before hours of
    runs than after."""
    try:
        import matplotlib
        import scipy
    except ImportError as error:
        raise EnvironmentFault(f"{error.name} is not installed; {HOW_TO_GET}") from error
    del matplotlib, scipy


def joined(folders: Sequence[Path]) -> list[Result]:
    """The results of one folder, or of several with the folder's name before each arm. Raises UsageError for
    a folder that holds none."""
    if len(folders) == 1:
        return read_folder(folders[0])
    names = _names(folders)
    return [
        replace(each, arm=f"{name}/{each.arm}")
        for name, folder in zip(names, folders, strict=True)
        for each in read_folder(folder)
    ]


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' last parts, or their whole paths where those are not different."""
    names = [folder.resolve().name for folder in folders]
    return names if len(set(names)) == len(names) else [str(folder) for folder in folders]


def write(results: Sequence[Result], folder: Path, about: Mapping[str, Any]) -> str:
    """Writes table.md, plots/ and report.html; the table."""
    from jinja2 import Environment, PackageLoader, select_autoescape

    folder.mkdir(parents=True, exist_ok=True)
    text = table(results)
    (folder / "table.md").write_text(text, "utf-8")
    figures = draw(results)
    save(figures, folder / "plots")
    arms = arms_of(results)
    base = base_of(arms)
    page = (
        Environment(loader=PackageLoader("webagent.bench"), autoescape=select_autoescape())
        .get_template("report.html")
        .render(
            about=about,
            arms=arms,
            base=base,
            summaries=summaries(results),
            percent=percent,
            plots={name: svg(figure) for name, figure in figures.items()},
            templates=_templates(results, arms, base),
            failures=[each for each in results if not each.success],
            disagreements=[
                each for each in results if each.judged is not None and each.judged != each.success
            ],
        )
    )
    (folder / "report.html").write_text(page, "utf-8")
    return text


def _templates(results: Sequence[Result], arms: Sequence[str], base: str) -> list[dict[str, Any]]:
    """Success of each arm by template, and what each differs from the base by."""
    by_template = rates(results, lambda each: each.template)
    change = {arm: differences(results, arm, base, lambda each: each.template) for arm in arms if arm != base}
    return [
        {
            "template": name,
            "rates": [by_arm.get(arm) for arm in arms],
            "change": [_mean(change[arm].get(name, [])) for arm in arms if arm != base],
        }
        for name, by_arm in by_template.items()
    ]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
