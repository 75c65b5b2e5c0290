"""Numbers of a benchmark: arms, sites, templates, the curve over the stream, paired differences."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from webagent.bench.results import Result

RESAMPLES = 9999


@dataclass(frozen=True)
class Interval:
    """A mean and the 95 % bootstrap interval around it, over tasks: seeds of one task are no new tasks."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """One arm. `difference` is its success minus the base arm's on the same tasks and seeds; None for the
    base itself. Token and step figures are means of a run, `seconds` the median."""

    arm: str
    runs: int
    success: Interval | None
    difference: Interval | None
    steps: float
    calls: float
    tokens: float
    cost_usd: float | None
    seconds: float
    by_replay: float
    with_memory: float


def arms_of(results: Iterable[Result]) -> list[str]:
    """The arms in the order they come."""
    return list(dict.fromkeys(each.arm for each in results))


def summaries(results: Sequence[Result]) -> list[Summary]:
    """One for each arm; the base is `off` where there is one, else the first."""
    arms = arms_of(results)
    base = base_of(arms)
    return [_summary(arm, results, None if arm == base else base) for arm in arms]


def base_of(arms: Sequence[str]) -> str:
    """The arm that the others are compared with."""
    return next((arm for arm in arms if arm.rpartition("/")[2] == "off"), arms[0])


def _summary(arm: str, results: Sequence[Result], base: str | None) -> Summary:
    own = [each for each in results if each.arm == arm]
    costs = [each.cost_usd for each in own if each.cost_usd is not None]
    return Summary(
        arm=arm,
        runs=len(own),
        success=interval(_by_task(own)),
        difference=paired(results, arm, base) if base else None,
        steps=fmean(each.steps for each in own),
        calls=fmean(each.calls for each in own),
        tokens=fmean(each.tokens for each in own),
        cost_usd=fmean(costs) if len(costs) == len(own) else None,
        seconds=median(each.seconds for each in own),
        by_replay=fmean(each.policy == "replay" for each in own),
        with_memory=fmean(bool(each.given) for each in own),
    )


def _by_task(results: Iterable[Result]) -> list[float]:
    """The success rate of each task over its seeds."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in results:
        found[each.task].append(float(each.success))
    return [fmean(found[task]) for task in sorted(found)]


def paired(results: Iterable[Result], arm: str, base: str) -> Interval | None:
    """How much more often an arm succeeds than the base, on tasks and seeds that both ran."""
    return interval([fmean(pairs) for _, pairs in sorted(differences(results, arm, base, _task).items())])


def _task(result: Result) -> str:
    return result.task


def differences(
    results: Iterable[Result], arm: str, base: str, group: Callable[[Result], str]
) -> dict[str, list[float]]:
    """Success of the arm minus success of the base for each task and seed that both ran, by group."""
    found: dict[Hashable, dict[str, Result]] = defaultdict(dict)
    for each in results:
        if each.arm in (arm, base):
            found[each.task, each.seed][each.arm] = each
    grouped: dict[str, list[float]] = defaultdict(list)
    for pair in found.values():
        if len(pair) == 2:
            grouped[group(pair[arm])].append(float(pair[arm].success) - float(pair[base].success))
    return dict(grouped)


def interval(values: Sequence[float]) -> Interval | None:
    """The mean of independent values with its bootstrap interval (percentiles); None without values."""
    if not values:
        return None
    mean = fmean(values)
    if len(set(values)) == 1:
        return Interval(mean, mean, mean)
    import numpy
    from scipy.stats import bootstrap

    found = bootstrap(
        (numpy.array(values),),
        numpy.mean,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=numpy.random.default_rng(0),
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high))


def curve(results: Iterable[Result], arm: str) -> list[tuple[float, float, float]]:
    """Successes so far at each place of the stream: mean, least and most over the seeds."""
    by_seed: dict[int, list[Result]] = defaultdict(list)
    for each in results:
        if each.arm == arm:
            by_seed[each.seed].append(each)
    lines = [_cumulated(sorted(each, key=lambda one: one.place)) for each in by_seed.values()]
    length = min(map(len, lines), default=0)
    places = zip(*(line[:length] for line in lines), strict=True)
    return [(fmean(place), min(place), max(place)) for place in places]


def _cumulated(results: Iterable[Result]) -> list[int]:
    total, line = 0, []
    for each in results:
        total += each.success
        line.append(total)
    return line


def rates(results: Iterable[Result], group: Callable[[Result], str]) -> dict[str, dict[str, float]]:
    """Success rate by group and arm."""
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for each in results:
        found[group(each)][each.arm].append(each.success)
    return {name: {arm: fmean(done) for arm, done in arms.items()} for name, arms in sorted(found.items())}


def table(results: Sequence[Result]) -> str:
    """The table of arms in Markdown. Times are not in it: with the same seed and the same replies of the
    model two benchmarks give the same table."""
    rows = [
        "| arm | runs | success | difference to the base | steps | model calls | tokens | USD | by replay | given memory |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for each in summaries(results):
        cost = "–" if each.cost_usd is None else f"{each.cost_usd:.4f}"
        rows.append(
            f"| {each.arm} | {each.runs} | {percent(each.success)} | {percent(each.difference, sign=True)} "
            f"| {each.steps:.1f} | {each.calls:.1f} | {each.tokens:.0f} | {cost} "
            f"| {each.by_replay:.0%} | {each.with_memory:.0%} |"
        )
    return "\n".join(rows) + "\n"


def percent(given: Interval | None, *, sign: bool = False) -> str:
    """`52 % [41, 63]`."""
    if given is None:
        return "–"
    form = "+.1f" if sign else ".1f"
    mean, low, high = (format(100 * part, form) for part in (given.mean, given.low, given.high))
    return f"{mean} % [{low}, {high}]"
