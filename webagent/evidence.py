"""Evidence about workflows: what a run says of one, and when its status follows.

Signals. A run that *followed* a workflow is a success or failure of it, with the weight of the
verdict: 1 for a real signal (the task's own test, a person), less for a language model, by its
measured accuracy. A run in which the workflow claimed to fit (its goal template did, or it was being
carried out) but was left for other steps is a misfit: a failure of half weight. Verdicts of no judge
weigh nothing, nor does a misfit in a run that found its task infeasible, or in which nobody but the
replay was there to judge: a place that does not exist says nothing of the way to look for it.

Rules, in this order:

1. quarantine: the last three signals are failures, or there are at least two failures and they
   outweigh the successes. One bad use of a good workflow does not do it.
2. promotion of a candidate: at least two successful runs, the last signal no failure, and net weight
   of at least 1.1 with a real success among them, else of 2.0 (models' verdicts alone) with no real
   failure.
3. expiry: unused for longer than the time set, it is retired.

Only a person lifts a workflow from quarantine; a better version replaces it by evidence of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

REAL = ("expect", "human")
IN_A_ROW = 3
MISFIT_WEIGHT = 0.5
NET_WITH_REAL = 1.1
NET_BY_MODEL = 2.0
RIGHT_IF_GOOD = 0.9
"""How often a run that follows a good workflow succeeds; one that follows a bad one, the rest."""
PRIOR_RIGHT, PRIOR_SEEN = 8.0, 10.0
"""What is assumed of a model judge before it was measured: right in 8 of 10 cases."""


@dataclass(frozen=True)
class Signal:
    """What one run says of a workflow."""

    success: bool
    weight: float
    real: bool = False


def accuracy(agreed: int, seen: int) -> float:
    """How often the model judge is right: agreement with real signals on the same runs, with a prior."""
    return (PRIOR_RIGHT + agreed) / (PRIOR_SEEN + seen)


def weight_of(judge: str, judge_accuracy: float) -> float:
    """The weight of a verdict: its log likelihood ratio between a good and a bad workflow, relative
    to that of a real signal."""
    if judge in REAL:
        return 1.0
    if judge != "llm" or judge_accuracy <= 0.5:
        return 0.0
    good = RIGHT_IF_GOOD * judge_accuracy + (1 - RIGHT_IF_GOOD) * (1 - judge_accuracy)
    return math.log(good / (1 - good)) / math.log(RIGHT_IF_GOOD / (1 - RIGHT_IF_GOOD))


def totals(signals: Sequence[Signal]) -> tuple[float, float]:
    """Success and failure weight."""
    success = sum(signal.weight for signal in signals if signal.success)
    failure = sum(signal.weight for signal in signals if not signal.success)
    return round(success, 6), round(failure, 6)


def next_status(status: str, signals: Sequence[Signal]) -> tuple[str, str]:
    """The status that follows from the signals (oldest first), and why; the same status and no reason
    where nothing changes."""
    weighed = [signal for signal in signals if signal.weight > 0]
    if status not in ("candidate", "active") or not weighed:
        return status, ""
    success, failure = totals(weighed)
    last = weighed[-IN_A_ROW:]
    if len(last) == IN_A_ROW and not any(signal.success for signal in last):
        return "quarantined", f"the last {IN_A_ROW} uses in a row failed"
    failures = sum(not signal.success for signal in weighed)
    if failures >= 2 and failure > success:
        return "quarantined", f"{failures} failures outweigh its successes ({failure:g} against {success:g})"
    if status == "candidate" and _proven(weighed, success - failure):
        return (
            "active",
            f"{sum(s.success for s in weighed)} runs followed it and succeeded, net weight {success - failure:.2f}",
        )
    return status, ""


def _proven(weighed: Sequence[Signal], net: float) -> bool:
    if sum(signal.success for signal in weighed) < 2 or not weighed[-1].success:
        return False
    if any(signal.real and signal.success for signal in weighed):
        return net >= NET_WITH_REAL
    return net >= NET_BY_MODEL and not any(signal.real for signal in weighed)
