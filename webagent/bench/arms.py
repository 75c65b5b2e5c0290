"""The arms of a benchmark: the same agent and budget, another use of memory."""

from dataclasses import dataclass, replace

from webagent.errors import UsageError
from webagent.settings import Settings


@dataclass(frozen=True)
class Arm:
    """`memory` and `policy` are the settings that make the arm."""

    name: str
    memory: str
    policy: str
    about: str

    def settings(self, settings: Settings, db: str) -> Settings:
        """The settings of the benchmark as this arm has them; a task never sees what came from itself."""
        return replace(settings, memory=self.memory, policy=self.policy, db=db, memory_exclude_task=True)


ARMS = {
    arm.name: arm
    for arm in (
        Arm("off", "off", "llm", "no memory: the plain agent"),
        Arm("read", "read", "llm", "what memory holds at the start, in the prompt; nothing is learned"),
        Arm("online", "online", "llm", "memory in the prompt; every run may add to it"),
        Arm("replay", "online", "auto", "as online, and trusted workflows are carried out without the model"),
    )
}


def arms_named(names: str) -> tuple[Arm, ...]:
    """Arms from a list with commas. Raises UsageError for a name that none has."""
    wanted = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    for name in wanted:
        if name not in ARMS:
            raise UsageError(f"--arms: no arm {name!r}; there are {', '.join(ARMS)}")
    if not wanted:
        raise UsageError(f"--arms names none; there are {', '.join(ARMS)}")
    return tuple(ARMS[name] for name in wanted)
