"""Where the tasks of a batch begin, and which hosts each may go to."""

from dataclasses import dataclass

from webagent.errors import UsageError
from webagent.hosts import default_hosts
from webagent.sites import Sites
from webagent.tasks import Task


@dataclass(frozen=True)
class Starts:
    """`site` and `url` are for tasks that name neither."""

    sites: Sites
    site: str = ""
    url_of_all: str = ""

    def url(self, task: Task) -> str:
        """The start URL of a task. Raises UsageError for an unknown site, or where there is none."""
        if task.url:
            return task.start()
        site = task.site or self.site
        if site:
            return task.start(self.sites.url(site))
        if not self.url_of_all:
            raise UsageError(f"task {task.id!r} lacks 'site' or 'url', and --site or --url is not given")
        return task.start(self.url_of_all)

    def hosts(self, task: Task) -> tuple[str, ...]:
        """The hosts that the task spans and their subdomains; empty where it is its start's alone."""
        others = [self.sites.url(site) for site in task.sites if site != (task.site or self.site)]
        spanned = [*others, *task.tabs]
        if not spanned:
            return ()
        hosts = [host for url in (self.url(task), *spanned) for host in default_hosts(url)]
        return tuple(dict.fromkeys(hosts))
