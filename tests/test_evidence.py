"""The rules by which a workflow lives: what weighs what, and which status follows."""

import random

import pytest

from webagent.evidence import Signal, accuracy, next_status, totals, weight_of

WON, LOST = Signal(True, 1.0, real=True), Signal(False, 1.0, real=True)
SAID = Signal(True, 0.45)
MISFIT = Signal(False, 0.5)


def test_a_models_verdict_weighs_less_than_a_real_one_and_nothing_if_it_only_guesses() -> None:
    assert weight_of("expect", 0.8) == weight_of("human", 0.8) == 1.0
    assert 0.3 < weight_of("llm", 0.8) < 0.6
    assert weight_of("llm", 0.6) < weight_of("llm", 0.8) < weight_of("llm", 0.95) < 1.0
    assert weight_of("llm", 0.5) == weight_of("none", 0.99) == 0.0


def test_the_models_accuracy_is_what_was_measured_once_there_is_enough() -> None:
    assert accuracy(0, 0) == 0.8
    assert accuracy(60, 100) == pytest.approx(0.6, abs=0.03)


@pytest.mark.parametrize(
    ("status", "signals", "becomes"),
    [
        ("candidate", [WON], "candidate"),
        ("candidate", [WON, WON], "active"),
        ("candidate", [WON, SAID], "active"),
        ("candidate", [SAID, SAID], "candidate"),
        ("candidate", [SAID] * 5, "active"),
        ("candidate", [SAID] * 5 + [LOST], "candidate"),
        ("candidate", [WON, LOST], "candidate"),
        ("candidate", [WON, LOST, LOST], "quarantined"),
        ("active", [WON] * 9 + [LOST], "active"),
        ("active", [WON] * 9 + [LOST, LOST], "active"),
        ("active", [WON] * 9 + [LOST, LOST, LOST], "quarantined"),
        ("active", [WON] * 9 + [MISFIT] * 3, "quarantined"),
        ("active", [WON] * 9 + [LOST, LOST, WON, LOST], "active"),
        ("quarantined", [WON] * 9, "quarantined"),
        ("retired", [WON] * 9, "retired"),
        ("candidate", [Signal(True, 0.0)] * 9, "candidate"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{len(value)} signals",
)
def test_the_status_that_follows(status: str, signals: list[Signal], becomes: str) -> None:
    found, why = next_status(status, signals)
    assert found == becomes
    assert bool(why) == (found != status)


def test_totals_are_sums_by_kind() -> None:
    assert totals([WON, SAID, LOST, MISFIT]) == (1.45, 1.5)


def test_with_a_judge_wrong_three_times_in_ten_hardly_a_bad_workflow_stays_active() -> None:
    """Over many streams: bad workflows make up less than 2 % of those active at the end."""
    bad = active = 0
    for seed in range(60):
        pool = _stream(random.Random(seed))
        active += len(pool)
        bad += pool.count(False)
    assert active > 300
    assert bad / active <= 0.02


def _stream(rnd: random.Random) -> list[bool]:
    """Whether each workflow that is active after 300 runs is good."""
    pool: list[tuple[int, bool, str, list[Signal]]] = []
    for _ in range(300):
        kind = rnd.randrange(12)
        ours = [n for n, entry in enumerate(pool) if entry[0] == kind and entry[2] in ("candidate", "active")]
        used = rnd.choice(ours) if ours else None
        truth = rnd.random() < (0.5 if used is None else 0.9 if pool[used][1] else 0.1)
        real = rnd.random() < 0.2
        said = truth if real or rnd.random() >= 0.3 else not truth
        signal = Signal(said, 1.0 if real else weight_of("llm", 0.8), real)
        if used is not None:
            kind, good, status, signals = pool[used]
            signals.append(signal)
            pool[used] = (kind, good, next_status(status, signals)[0], signals)
        elif said:
            pool.append((kind, truth, "candidate", [signal]))
    return [good for _, good, status, _ in pool if status == "active"]
