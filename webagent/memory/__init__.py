"""Memory by hostname: what a run is given, and what it leaves behind."""

from webagent.memory.learning import Learned, Learner
from webagent.memory.recall import Ranked, Replayable, Scope, WorkflowMemory
from webagent.memory.repeat import goal_of, repeated, repeated_run, routine_workflow

__all__ = [
    "Learned",
    "Learner",
    "Ranked",
    "Replayable",
    "Scope",
    "WorkflowMemory",
    "goal_of",
    "repeated",
    "repeated_run",
    "routine_workflow",
]
