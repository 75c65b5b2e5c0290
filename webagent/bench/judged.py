"""How often a model that judges is right, by scripted runs whose truth the tasks' own tests tell."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from webagent.arena import Played


@dataclass(frozen=True)
class Agreement:
    """Runs by what was true and what the judge said: called a success rightly and wrongly, missed, called a
    failure rightly, and those that it gave no verdict on, by their truth."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    refused: int = 0
    unsaid_true: int = 0
    unsaid_false: int = 0

    @classmethod
    def of(cls, played: Iterable[Played]) -> "Agreement":
        """Of the runs whose truth is known."""
        pairs = [(one.truth, one.said) for one in played if one.truth is not None]
        return cls(*(pairs.count(pair) for pair in _ORDER))

    @property
    def runs(self) -> int:
        return self.right + self.wrong + self.missed + self.refused + self.unsaid_true + self.unsaid_false

    @property
    def precision(self) -> float | None:
        """Of the runs called a success, the share that was one; None where none was called so."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> float | None:
        """Of the successes, the share that was called one: no verdict is none."""
        true = self.right + self.missed + self.unsaid_true
        return self.right / true if true else None

    def as_object(self) -> dict[str, Any]:
        """Counts, precision and recall."""
        return {"runs": self.runs, **self.__dict__, "precision": self.precision, "recall": self.recall}

    @property
    def told(self) -> str:
        """Two lines for people."""
        true = self.right + self.missed + self.unsaid_true
        unsaid = self.unsaid_true + self.unsaid_false
        return (
            f"{self.runs} runs, {true} of them successes by their tasks' own tests; no verdict on {unsaid}\n"
            f"precision {_share(self.precision, self.right, self.right + self.wrong)}, "
            f"recall {_share(self.recall, self.right, true)}"
        )


_ORDER = ((True, True), (False, True), (True, False), (False, False), (True, None), (False, None))


def _share(share: float | None, part: int, whole: int) -> str:
    return "unknown" if share is None else f"{share:.2f} ({part} of {whole})"
