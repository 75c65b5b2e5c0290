"""Judges by asking a person (`--judge ask`): a real signal."""

from collections.abc import Awaitable, Callable

from webagent.interfaces import Session, Verdict
from webagent.judges.ending import ended_early
from webagent.terminal import printable
from webagent.trajectory import Trajectory

Ask = Callable[[str], Awaitable[str]]
"""Shows a question to a person and gives the reply; raises EOFError where nobody is there."""
WORDS = {"y": True, "yes": True, "n": False, "no": False, "s": None, "skip": None, "": None}
TRIES = 3


class PersonJudge:
    """Asks whether it worked: y, n or skip, and a reason after it if wanted ("n wrong city")."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask

    async def judge(self, trajectory: Trajectory, session: Session) -> Verdict:
        early = ended_early(trajectory)
        if early:
            return Verdict(False, "none", early)
        question = question_of(trajectory)
        for _ in range(TRIES):
            try:
                reply = await self.ask(question)
            except EOFError:
                return Verdict(None, "human", "nobody was there to ask")
            word, _, reason = reply.strip().partition(" ")
            word = word.rstrip(":,.").lower()
            if word in WORDS:
                success = WORDS[word]
                default = "skipped" if success is None else ""
                return Verdict(success, "human", reason.strip() or default)
            question = f"{reply.strip()!r:.40} is no answer. Did it work? y / n / skip"
        return Verdict(None, "human", "no clear answer")


def question_of(trajectory: Trajectory) -> str:
    """What the person is asked: the goal, what came of it, where it ended."""
    answer = "no answer" if trajectory.answer is None else f"answer: {trajectory.answer}"
    lines = [
        trajectory.goal,
        f"{trajectory.status}, {answer}",
        f"at {trajectory.url}",
        "Did it work? y / n / skip",
    ]
    return "\n".join(printable(line, 500) for line in lines)
