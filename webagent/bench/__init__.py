"""Benchmarks: arms with and without memory on the same tasks, at equal budgets, and what came of them."""

from webagent.bench.arms import ARMS, Arm, arms_named
from webagent.bench.results import Result, read_folder
from webagent.bench.trial import Bench, Trial

__all__ = ["ARMS", "Arm", "Bench", "Result", "Trial", "arms_named", "read_folder"]
