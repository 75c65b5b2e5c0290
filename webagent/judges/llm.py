"""Judges by a chat model, which never sees the agent's thoughts: they sway judges.

Rewriting only an agent's reasoning raises LLM judges' false positives by up to 90 %."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from webagent.errors import ModelFault, first_line
from webagent.ids import clean_text
from webagent.interfaces import ChatModel, Message, Session, Verdict
from webagent.judges.ending import ended_early
from webagent.observation import Observation
from webagent.prompt import prompt_file
from webagent.shown import render
from webagent.support import support_of
from webagent.tasks import Expect
from webagent.trajectory import Step, Trajectory

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"success": {"type": ["boolean", "null"]}, "reason": {"type": "string"}},
    "required": ["success", "reason"],
    "additionalProperties": False,
}
FIRST_STEPS, LAST_STEPS = 8, 24
"""Of a longer trajectory the steps between these are left out, and that is said."""
STEP_TOKENS = 300
"""For the element and the events of one step."""
LONGEST = 4_000
"""Characters of a goal, an answer, a reference or an action."""
LONGEST_REASON = 600
UNSUPPORTED = "the answer is unsupported: no page that the run saw says it"


class LLMJudge:
    """Asks a model for a `verdict`; only a literal true is a success. `reference` is what is known
    of the right answer (see `reference_of`). Abstains where the model can't be reached."""

    def __init__(self, model: ChatModel, observation_tokens: int = 4000, reference: str = "") -> None:
        self.model = model
        self.observation_tokens = observation_tokens
        self.reference = reference

    async def judge(self, trajectory: Trajectory, session: Session) -> Verdict:
        early = ended_early(trajectory)
        if early:
            return Verdict(False, "none", early)
        messages = judge_messages(trajectory, self.observation_tokens, self.reference)
        try:
            reply = await self.model.ask("verdict", messages, SCHEMA)
        except ModelFault as error:
            return Verdict(None, "llm", f"judge could not be reached: {first_line(error)}")
        return verdict_of(reply) if self.reference else borne_out(verdict_of(reply), trajectory)


def borne_out(verdict: Verdict, trajectory: Trajectory) -> Verdict:
    """The verdict, but no success where the run never saw what it answered and nothing is known of the right
    answer: a page may have talked the judge into it, or the model had it from elsewhere."""
    support = support_of(trajectory) if verdict.success else None
    if support is None or support.supported is not False:
        return verdict
    return Verdict(
        None, "llm", f"{UNSUPPORTED}; else it would be a success: {verdict.reason}"[:LONGEST_REASON]
    )


def verdict_of(reply: Mapping[str, Any] | None) -> Verdict:
    """A reply as a verdict: `"true"`, 1 and the like are not clearly true, so they abstain."""
    if reply is None:
        return Verdict(None, "llm", "the judge gave no verdict")
    success, reason = reply.get("success"), reply.get("reason")
    written = " ".join(clean_text(reason).split())[:LONGEST_REASON] if isinstance(reason, str) else ""
    if success is not None and not isinstance(success, bool):
        return Verdict(
            None, "llm", f"the judge's success was {success!r:.40}, not true or false. {written}".strip()
        )
    return Verdict(success, "llm", written)


def reference_of(expect: Expect | None) -> str:
    """What a success test that rules can't decide says of the answer, for the judge to compare."""
    if expect is None or expect.webarena is None:
        return ""
    wanted = expect.webarena.answers.get("fuzzy_match")
    if wanted is None:
        return ""
    if wanted == "N/A":
        return f"The task can't be done. The reason: {expect.webarena.string_note or 'not given'}"
    return wanted if isinstance(wanted, str) else "\n".join(wanted)


def judge_messages(trajectory: Trajectory, observation_tokens: int, reference: str = "") -> list[Message]:
    """Instructions, then the evidence in the order it came about. Names of elements and events are
    the page's words, so they stand inside `<observation>`, as the last page does."""
    parts = [_element("goal", trajectory.goal)]
    if reference:
        parts.append(_element("reference", reference))
    parts += _steps(trajectory.steps)
    if trajectory.final is None:
        parts.append("There is no last page: it could not be read.")
    else:
        parts.append("The last page:\n" + _shown(trajectory.final, observation_tokens))
    parts.append(_ending(trajectory))
    return [
        {"role": "system", "content": prompt_file("judge")},
        {"role": "user", "content": "\n".join(parts)},
    ]


def _ending(trajectory: Trajectory) -> str:
    status = trajectory.stop.status if trajectory.stop else trajectory.status
    if trajectory.answer is None:
        return f"The agent stopped with the status {status} and gave no answer."
    return f"The agent stopped with the status {status}. Its answer:\n" + _element(
        "answer", trajectory.answer
    )


def _steps(steps: Sequence[Step]) -> list[str]:
    if not steps:
        return ["The agent took no steps."]
    left_out = len(steps) - FIRST_STEPS - LAST_STEPS
    if left_out <= 0:
        return [_step(step) for step in steps]
    first, last = steps[:FIRST_STEPS], steps[-LAST_STEPS:]
    return [*map(_step, first), f"… {left_out} more steps are left out here", *map(_step, last)]


def _step(step: Step) -> str:
    """The element, the action without its thought, and what came of it."""
    result = f"error: {step.outcome.error}" if step.outcome.error else step.outcome.message
    action = _harmless(step.action.to_json())
    return f"{_around(step)}\nstep {step.n}: {action}\nresult {step.n}: {_harmless(result) or 'done'}"


def _around(step: Step) -> str:
    """The observation of a step, cut to its events and the elements that the action names."""
    seen: Observation = step.observation
    refs = [step.action.arguments.get(key) for key in ("ref", "to_ref")]
    lines = [seen.by_ref[ref] for ref in refs if isinstance(ref, str) and ref in seen.by_ref]
    alone = tuple(replace(line, index=n, parent=-1, depth=0) for n, line in enumerate(lines))
    return _shown(replace(seen, lines=alone), STEP_TOKENS)


def _shown(observation: Observation, budget: int) -> str:
    """As `render` shows it, but with no tag at all inside: this prompt has others than the agent's,
    such as `<answer>`. A search's matches are left out, they would come on top of the budget."""
    head, _, rest = render(replace(observation, find=""), budget).partition("\n")
    return f"{head}\n{rest.removesuffix('</observation>').replace('<', '‹')}</observation>"


def _element(name: str, text: str) -> str:
    return f"<{name}>\n{_harmless(text)}\n</{name}>"


def _harmless(text: str) -> str:
    """Text that can't close its element or open another one, shortened."""
    text = clean_text(text).replace("<", "‹").strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text) - LONGEST} more characters)"
