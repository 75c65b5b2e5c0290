"""The plots of a benchmark, as SVG and PNG."""

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from webagent.bench.figures import arms_of, base_of, curve, differences, rates
from webagent.bench.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#6b7280", "#2563eb", "#059669", "#d97706", "#7c3aed", "#dc2626", "#0891b2", "#be185d")
MOST_TEMPLATES = 40
"""Templates in the plot of where memory helped and hurt: those that changed most."""
STYLE: Any = {
    "svg.hashsalt": "webagent",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
}


def draw(results: Sequence[Result]) -> dict[str, "Figure"]:
    """Figures by name."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        found = {"snowball": _snowball(results), "costs": _costs(results), "sites": _sites(results)}
        templates = _templates(results)
        return {**found, "templates": templates} if templates is not None else found


def svg(figure: "Figure") -> str:
    """A figure as SVG text without a date, so that the same results give the same file."""
    import matplotlib as mpl

    text = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return text.getvalue()


def save(figures: Mapping[str, "Figure"], folder: Path) -> None:
    """Writes each figure as NAME.svg and NAME.png."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        (folder / f"{name}.svg").write_text(svg(figure), "utf-8")
        figure.savefig(folder / f"{name}.png", dpi=160, bbox_inches="tight")


def _figure(width: float, height: float, columns: int = 1) -> "tuple[Figure, Sequence[Axes]]":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)
    return figure, list(axes[0])


def _snowball(results: Sequence[Result]) -> "Figure":
    figure, (axis,) = _figure(8, 4)
    for arm, colour in zip(arms_of(results), COLOURS, strict=False):
        points = curve(results, arm)
        places = range(1, len(points) + 1)
        axis.plot(places, [mean for mean, _, _ in points], color=colour, label=arm, linewidth=1.8)
        axis.fill_between(places, [p[1] for p in points], [p[2] for p in points], color=colour, alpha=0.12)
    axis.set(
        xlabel="tasks so far",
        ylabel="successes so far",
        title="The snowball (band: least and most of the seeds)",
    )
    axis.legend()
    return figure


MEASURES: Sequence[tuple[str, Callable[[Sequence[Result]], float]]] = (
    ("steps a task", lambda runs: fmean(each.steps for each in runs)),
    ("tokens a task", lambda runs: fmean(each.tokens for each in runs)),
    ("seconds a task (median)", lambda runs: median(each.seconds for each in runs)),
    ("US cents a task", lambda runs: fmean(100 * (each.cost_usd or 0.0) for each in runs)),
)


def _costs(results: Sequence[Result]) -> "Figure":
    figure, axes = _figure(11, 2.8, len(MEASURES))
    arms = arms_of(results)
    for axis, (title, measure) in zip(axes, MEASURES, strict=True):
        values = [measure([each for each in results if each.arm == arm]) for arm in arms]
        axis.bar(arms, values, color=COLOURS[: len(arms)])
        axis.set_title(title)
        axis.tick_params(axis="x", rotation=30)
    return figure


def _sites(results: Sequence[Result]) -> "Figure":
    figure, (axis,) = _figure(8, 3.4)
    arms, found = arms_of(results), rates(results, lambda each: each.site)
    width = 0.8 / len(arms)
    for number, (arm, colour) in enumerate(zip(arms, COLOURS, strict=False)):
        at = [place + number * width for place in range(len(found))]
        axis.bar(
            at, [100 * by_arm.get(arm, 0.0) for by_arm in found.values()], width, color=colour, label=arm
        )
    axis.set_xticks([place + 0.4 - width / 2 for place in range(len(found))], list(found))
    axis.set(ylabel="success, %", title="Success by site", ylim=(0, 100))
    axis.legend(ncols=len(arms))
    return figure


def _templates(results: Sequence[Result]) -> "Figure | None":
    """Where each arm did better or worse than the base; None where nothing differs or there is one arm."""
    arms = arms_of(results)
    base = base_of(arms)
    changes = {
        arm: {
            name: fmean(each) for name, each in differences(results, arm, base, lambda r: r.template).items()
        }
        for arm in arms
        if arm != base
    }
    names = {name for by_name in changes.values() for name, change in by_name.items() if change}
    if not names:
        return None
    most = sorted(names, key=lambda name: -max(abs(by.get(name, 0.0)) for by in changes.values()))[
        :MOST_TEMPLATES
    ]
    shown = sorted(most, key=lambda name: (sum(by.get(name, 0.0) for by in changes.values()), name))
    figure, axes = _figure(4 * len(changes) + 2, 0.24 * len(shown) + 1.4, len(changes))
    for axis, (arm, by_name) in zip(axes, changes.items(), strict=True):
        values = [100 * by_name.get(name, 0.0) for name in shown]
        axis.barh(shown, values, color=["#059669" if value >= 0 else "#dc2626" for value in values])
        axis.set(title=f"{arm} against {base}, points", xlim=(-100, 100))
        axis.axvline(0, color="#111827", linewidth=0.8)
        if axis is not axes[0]:
            axis.set_yticklabels([])
    return figure
