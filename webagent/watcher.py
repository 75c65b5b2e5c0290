"""Who looks on while a run happens."""

from webagent.interfaces import Memory, ModelCall
from webagent.masking import Masker
from webagent.result import RunResult
from webagent.trajectory import Step


class Watcher:
    """Sees a run while it happens. This one shows and keeps nothing; others override what concerns them."""

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None:
        """The run began."""

    def hide(self, mask: Masker) -> None:
        """A secret became known: it goes out of all that was kept, and of all that will be."""

    def called(self, call: ModelCall) -> None:
        """A call of the model is over."""

    def stepped(self, step: Step) -> None:
        """A step was done, and is stored."""

    def told(self, text: str) -> None:
        """Something was said beside the steps."""

    def finished(self, result: RunResult) -> None:
        """The run came to its end, was judged, and taught what it could."""

    def closed(self) -> None:
        """Nothing more comes, whether or not the run came to its end."""


class Watchers(Watcher):
    """Several watchers as one."""

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = watchers

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None:
        for watcher in self._watchers:
            watcher.began(run_id, goal, url, given)

    def hide(self, mask: Masker) -> None:
        for watcher in self._watchers:
            watcher.hide(mask)

    def called(self, call: ModelCall) -> None:
        for watcher in self._watchers:
            watcher.called(call)

    def stepped(self, step: Step) -> None:
        for watcher in self._watchers:
            watcher.stepped(step)

    def told(self, text: str) -> None:
        for watcher in self._watchers:
            watcher.told(text)

    def finished(self, result: RunResult) -> None:
        for watcher in self._watchers:
            watcher.finished(result)

    def closed(self) -> None:
        for watcher in self._watchers:
            watcher.closed()
