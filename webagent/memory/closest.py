"""The workflow that comes closest to a goal that no template fits for sure, and what it lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webagent.binding import binding
from webagent.words import telling_words
from webagent.workflow import Workflow


@dataclass(frozen=True)
class Closest:
    """A workflow and, for each variable that the goal gives no sure value, why (empty: not known)."""

    workflow: Workflow
    unbound: Mapping[str, str]

    @property
    def told(self) -> str:
        """`closest: find the price of a thing; could not bind {thing}`."""
        names = ", ".join(f"{{{name}}}{f' ({why})' if why else ''}" for name, why in self.unbound.items())
        return f"closest: {self.workflow.name}; could not bind {names or 'it'}"


def closest(workflows: Sequence[Workflow], goal: str) -> Closest | None:
    """The one workflow whose template fits with doubts, or whose goals' telling words the goal has
    all of, and more of them than any other's; None where there is no single one."""
    rated: list[tuple[float, int, Closest]] = []
    said = telling_words(goal)
    for workflow in workflows:
        found = binding(workflow, goal)
        shared = max((len(words) for words in _told_by(workflow) if words <= said), default=0)
        if found is not None:
            rated.append((1 + found.confidence, shared, Closest(workflow, found.doubts)))
        elif shared:
            needed = {variable.name: "" for variable in workflow.variables if variable.in_goal}
            rated.append((0, shared, Closest(workflow, needed)))
    rated.sort(key=lambda item: item[:2], reverse=True)
    if not rated or (len(rated) > 1 and rated[0][:2] == rated[1][:2]):
        return None
    return rated[0][2]


def _told_by(workflow: Workflow) -> list[frozenset[str]]:
    """The telling words of each of a workflow's goals, where it has any."""
    return [words for goal in workflow.goals if (words := telling_words(goal))]
