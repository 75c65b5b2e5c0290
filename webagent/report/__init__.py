"""One page that shows a run step by step: data in, HTML out."""

from webagent.report.page import page
from webagent.report.story import Called, Done, Ending, Story

__all__ = ["Called", "Done", "Ending", "Story", "page"]
