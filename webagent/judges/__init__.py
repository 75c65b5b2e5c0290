"""Judges: whether a run worked. Real signals first, then a person, then a model."""

from collections.abc import Sequence

from webagent.interfaces import Judge, Session, Verdict
from webagent.judges.ending import ended_early
from webagent.judges.expect import ExpectJudge
from webagent.judges.llm import LLMJudge, judge_messages, reference_of
from webagent.judges.person import Ask, PersonJudge
from webagent.trajectory import Trajectory

__all__ = [
    "Ask",
    "ExpectJudge",
    "LLMJudge",
    "PersonJudge",
    "deciding",
    "ended_early",
    "first_verdict",
    "judge_messages",
    "reference_of",
]


async def first_verdict(
    judges: Sequence[Judge], trajectory: Trajectory, session: Session
) -> tuple[Verdict, ...]:
    """Asks in order until one does not abstain; all verdicts given, at least one. A run that did
    not stop by itself is a failure, whoever would judge it."""
    verdicts: list[Verdict] = []
    for judge in judges:
        verdicts.append(await judge.judge(trajectory, session))
        if verdicts[-1].success is not None:
            break
    early = ended_early(trajectory)
    if early and (not verdicts or verdicts[-1].success is None):
        verdicts.append(Verdict(False, "none", early))
    return tuple(verdicts) or (Verdict(None, "none", "no judge"),)


def deciding(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict that counts: the first that is not an abstention, else the last one given."""
    decided = [verdict for verdict in verdicts if verdict.success is not None]
    return (decided or list(verdicts)[-1:] or [Verdict(None, "none", "no judge")])[0]
