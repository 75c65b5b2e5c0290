"""What a run teaches its memory, once it was judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webagent.errors import ModelFault, first_line
from webagent.hosts import allows, default_hosts
from webagent.ids import scope_of
from webagent.interfaces import ChatModel, Verdict
from webagent.memory import Learner
from webagent.settings import Settings
from webagent.store import Store
from webagent.trajectory import Trajectory


@dataclass
class Teaching:
    """Learning by the settings of a run that began at `start_url`; `told` hears what was not learned and
    why."""

    settings: Settings
    store: Store
    start_url: str
    model: ChatModel | None
    told: Callable[[str], None]

    def __post_init__(self) -> None:
        allowed = self.settings.domains or default_hosts(self.start_url)
        self.learner = Learner(self.store, self.model, trusted=lambda url: allows(url, allowed))

    async def after(
        self, trajectory: Trajectory, verdict: Verdict, given: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """Labels of the workflows that the run taught, and of those `given` that it followed, which gain or
        lose by its verdict. With memory only read, nothing is learned and nothing weighed."""
        online = self.settings.memory == "online"
        learned = await self._taught(trajectory, verdict) if online else ()
        followed = self.learner.credit(trajectory, verdict, given, weigh=online)
        if online:
            self.learner.expire(scope_of(self.start_url), self.settings.expire_days)
        return list(learned), list(followed)

    async def _taught(self, trajectory: Trajectory, verdict: Verdict) -> Sequence[str]:
        """A model that can't be reached teaches nothing."""
        try:
            learned = await self.learner.learn(trajectory, verdict)
            for reason in learned.refused:
                self._tell(f"not learned: {reason}")
            if not self.settings.no_lessons:
                for lesson in await self.learner.learn_lessons(trajectory, verdict):
                    self._tell(f"lesson learned: {lesson}")
        except ModelFault as error:
            self._tell(f"not learned: the model could not be reached: {first_line(error)}")
            return ()
        return learned.labels

    def _tell(self, text: str) -> None:
        self.told(self.settings.mask(text))
