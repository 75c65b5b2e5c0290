"""Tasks and their success tests: parsed once, from the command line or a task file."""

from webagent.tasks.expect import Expect, PageTest, RequestTest, parse_expect
from webagent.tasks.files import read_tasks
from webagent.tasks.task import Task, parse_task
from webagent.tasks.webarena import HtmlTarget, WebArenaEval, parse_eval, resolve, unresolved

__all__ = [
    "Expect",
    "HtmlTarget",
    "PageTest",
    "RequestTest",
    "Task",
    "WebArenaEval",
    "parse_eval",
    "parse_expect",
    "parse_task",
    "read_tasks",
    "resolve",
    "unresolved",
]
