"""Who looks on while a run happens."""

from typing import Protocol

from webagent.interfaces import Memory
from webagent.trajectory import Step


class Watcher(Protocol):
    """Sees a run while it happens."""

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None: ...

    def stepped(self, step: Step) -> None: ...

    def told(self, text: str) -> None: ...


class Watchers:
    """Several watchers as one."""

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = watchers

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None:
        """To each in turn, as below."""
        for watcher in self._watchers:
            watcher.began(run_id, goal, url, given)

    def stepped(self, step: Step) -> None:
        for watcher in self._watchers:
            watcher.stepped(step)

    def told(self, text: str) -> None:
        for watcher in self._watchers:
            watcher.told(text)


class Silent:
    """A watcher that shows nothing."""

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None:
        """Nothing."""

    def stepped(self, step: Step) -> None:
        """Nothing."""

    def told(self, text: str) -> None:
        """Nothing."""
