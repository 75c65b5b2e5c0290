"""Who judges a run, in which order, and what is said where nobody could."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webagent.episode import Ask
from webagent.interfaces import ChatModel, Judge, Session, Verdict
from webagent.judges import ExpectJudge, LLMJudge, PersonJudge, deciding, first_verdict, reference_of
from webagent.result import carried_through
from webagent.settings import Settings
from webagent.tasks import Expect
from webagent.trajectory import Trajectory


@dataclass(frozen=True)
class Judging:
    """Real signals first, then a person where one was asked for, then the model."""

    settings: Settings
    expect: Expect | None
    start_url: str
    model: ChatModel | None = None
    ask: Ask | None = None

    async def verdicts(self, trajectory: Trajectory, session: Session) -> Sequence[Verdict]:
        """All that was said of the run; a replay carried through that nobody could judge is a success
        by nobody's word."""
        given = await first_verdict(self._judges(trajectory), trajectory, session)
        verdicts = [replace(one, reason=self.settings.mask(one.reason)) for one in given]
        said = deciding(verdicts).success is not None
        if said or self.settings.judge != "auto" or not carried_through(trajectory):
            return verdicts
        label = trajectory.steps[0].workflow if trajectory.steps else ""
        reason = f"workflow {label} was carried out to its end, every step found its place and the answer was read as learned"
        return (*verdicts, Verdict(True, "none", reason))

    def _judges(self, trajectory: Trajectory) -> list[Judge]:
        wanted, expect = self.settings.judge, self.expect
        judges: list[Judge] = []
        if expect is not None and wanted in ("auto", "expect", "ask"):
            judges.append(ExpectJudge(expect, self.start_url))
        there = wanted == "ask" or (wanted == "auto" and self.settings.policy == "human")
        if there and self.ask is not None:
            judges.append(PersonJudge(self.ask))
        free = carried_through(trajectory) and wanted == "auto"
        if wanted in ("auto", "ask", "llm") and self.model is not None and not free:
            reference = reference_of(expect) if expect else ""
            judges.append(LLMJudge(self.model, self.settings.observation_tokens, reference))
        return judges
