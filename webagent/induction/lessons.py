"""Lessons from failed runs, by a language model: short warnings, never routines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webagent.answers import normal
from webagent.induction.llm import step_lines
from webagent.induction.safety import PageProse, safe_text
from webagent.interfaces import ChatModel, Verdict
from webagent.prompt import prompt_file
from webagent.schemas import TEXT, a_list, an_object
from webagent.trajectory import Trajectory

MOST = 2
WHEN_LIMIT, TEXT_LIMIT = 120, 240
SCHEMA = an_object(lessons=a_list(an_object(when=TEXT, text=TEXT, evidence=TEXT)))


@dataclass(frozen=True)
class Lesson:
    """When it applies, what to do, and the `run_id#step` that shows it."""

    when: str
    text: str
    evidence: str


async def induce_lessons(
    model: ChatModel, trajectory: Trajectory, verdict: Verdict, known: Sequence[str]
) -> list[Lesson]:
    """At most two lessons that hold: cited from the run, short, harmless, not known yet. Raises
    ModelFault."""
    lines = [f"Goal: {trajectory.goal}", "Steps:", *step_lines(trajectory)]
    lines.append(f"It ended as {trajectory.status}{': ' + trajectory.reason if trajectory.reason else ''}.")
    if verdict.judge in ("human", "llm"):
        lines.append(f"The judge said: {safe_text(verdict.reason, 200)}")
    if known:
        lines += ["Lessons that are known already:", *(f"- {text}" for text in known[-10:])]
    messages = [
        {"role": "system", "content": prompt_file("lessons_induce")},
        {"role": "user", "content": "\n".join(lines)},
    ]
    reply = await model.ask("lessons", messages, SCHEMA)
    proposals = (reply or {}).get("lessons")
    taken: list[Lesson] = []
    seen = {normal(text) for text in known}
    prose = PageProse(trajectory)
    for item in proposals if isinstance(proposals, list) else ():
        lesson = _checked(item, trajectory, prose)
        if lesson is not None and normal(lesson.text) not in seen and len(taken) < MOST:
            seen.add(normal(lesson.text))
            taken.append(lesson)
    return taken


def _checked(item: Any, trajectory: Trajectory, prose: PageProse) -> Lesson | None:
    if not isinstance(item, Mapping) or not all(
        isinstance(item.get(key), str) for key in ("when", "text", "evidence")
    ):
        return None
    run_id, _, number = str(item.get("evidence", "")).strip().rpartition("#")
    cited = number.isdigit() and 1 <= int(number) <= len(trajectory.steps) + 1
    text = prose.own(str(item.get("text", "")), TEXT_LIMIT)
    when = prose.own(str(item.get("when", "")), WHEN_LIMIT)
    if run_id != trajectory.run_id or not cited or not text:
        return None
    return Lesson(when, text, f"{run_id}#{number}")
