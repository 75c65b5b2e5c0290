"""Many tasks: side by side, resumable, within a budget for all of them."""

from webagent.batch.batch import Batch, Done, Limits
from webagent.batch.plan import Attempt, Plan, attempts_of, planned
from webagent.batch.starts import Starts

__all__ = ["Attempt", "Batch", "Done", "Limits", "Plan", "Starts", "attempts_of", "planned"]
