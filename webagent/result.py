"""The result of a run, as programs read it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webagent.interfaces import Usage, Verdict
from webagent.support import Support
from webagent.trajectory import Trajectory


@dataclass(frozen=True)
class RunResult:
    """What `run --json` prints. `fault` is set where the environment ended the run (exit code 3), `lasting`
    where no later run will fare better, `scored` by a benchmark's own test; `support` is what bears the
    answer out."""

    run_id: str
    goal: str
    site: str | None
    hostname: str
    status: str
    answer: str | None
    url: str
    verdict: Verdict
    policy: str
    steps: int
    usage: Usage
    seconds: float
    browser_seconds: float
    given: Sequence[str] = ()
    followed: Sequence[str] = ()
    learned: Sequence[str] = ()
    reason: str = ""
    fault: str = ""
    lasting: bool = False
    scored: Verdict | None = None
    support: Support | None = None

    def as_object(self) -> dict[str, Any]:
        """The object of `run --json`."""
        usage, support = self.usage, self.support
        return {
            "run_id": self.run_id,
            "goal": self.goal,
            "site": self.site,
            "hostname": self.hostname,
            "status": self.status,
            "answer": self.answer,
            "url": self.url,
            "verdict": {
                "success": self.verdict.success,
                "judge": self.verdict.judge,
                "reason": self.verdict.reason,
            },
            "policy": self.policy,
            "steps": self.steps,
            "llm": {
                "calls": usage.calls,
                "prompt_tokens": usage.prompt_tokens,
                "cached_tokens": usage.cached_tokens,
                "completion_tokens": usage.completion_tokens,
                "cost_usd": 0.0 if not usage.calls else usage.cost_usd,
            },
            "seconds": {
                "total": round(self.seconds, 3),
                "llm": round(usage.seconds, 3),
                "browser": round(self.browser_seconds, 3),
            },
            "workflows": {
                "given": list(self.given),
                "followed": list(self.followed),
                "learned": list(self.learned),
            },
            "supported": support.supported if support else None,
            "evidence": support.as_object() if support else None,
        }

    @property
    def exit_code(self) -> int:
        """0 judged a success, 1 not, 3 ended by the environment, 130 interrupted."""
        if self.status == "interrupted":
            return 130
        if self.fault:
            return 3
        return 0 if self.verdict.success is True else 1


def carried_through(trajectory: Trajectory) -> bool:
    """Whether a workflow alone did the run, to its end."""
    return (
        trajectory.status == "done"
        and trajectory.stop is not None
        and trajectory.stop.by == "replay"
        and all(step.by == "replay" for step in trajectory.steps)
    )


def who_acted(trajectory: Trajectory) -> str:
    """llm, replay, human, or mixed; replay also where that did not get to its first step and ended it."""
    actors = {step.by for step in trajectory.steps}
    if trajectory.stop is not None:
        actors.add(trajectory.stop.by)
    if not actors:
        return "replay" if trajectory.replayed else "llm"
    return actors.pop() if len(actors) == 1 else "mixed"
