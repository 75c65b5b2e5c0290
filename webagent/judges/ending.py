"""How a run ended, as far as judges care."""

from webagent.trajectory import Trajectory


def ended_early(trajectory: Trajectory) -> str:
    """Why a run is a failure without asking anyone: it did not stop by itself (a budget ran out, an
    error, an interruption). Empty where it stopped as done or infeasible."""
    if trajectory.stop is not None and trajectory.status in ("done", "infeasible"):
        return ""
    why = f": {trajectory.reason}" if trajectory.reason else ""
    return f"the run did not stop by itself ({trajectory.status}{why})"
