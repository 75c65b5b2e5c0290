"""A person who is asked before each action, and told where one failed (`--step`, `--pause-on-error`)."""

from webagent.action_line import EXAMPLES, HELP, line_of, parse_line
from webagent.actions import Action, Malformed
from webagent.episode import Ask
from webagent.intent_text import action_words
from webagent.interfaces import Clearance, Intent, Verdict
from webagent.observation import Observation
from webagent.policies.llm import stop_of
from webagent.risk import SAYS
from webagent.terminal import printable
from webagent.trajectory import SKIPPED, TAKEN_OVER, Outcome, Step, Trajectory

KEYS = "Enter = do it · s = skip · e = edit · t = take over in the browser · q = quit"
WINDOWLESS = "t needs a browser that you can see: start with --headed, or attach to one with --cdp-endpoint"
GIVE_BACK = "the browser is yours; Enter gives it back"
GO_ON = "Enter goes on"


class Stepping:
    """Stops before each action that a person did not choose. `visible` tells whether the browser has
    a window in which they could act."""

    def __init__(self, ask: Ask, *, visible: bool) -> None:
        self._ask = ask
        self._visible = visible

    async def clear(self, intent: Intent) -> Clearance:
        """Where nobody answers any more the run is interrupted."""
        if intent.by == "human" or intent.action.tool == "ask":
            return Clearance(intent.action, intent.by)
        try:
            return await self._cleared(intent)
        except EOFError:
            return Clearance(intent.action, intent.by, quit="--step: nobody answers, the input has ended")

    async def _cleared(self, intent: Intent) -> Clearance:
        question = told = _shown(intent)
        while True:
            reply = (await self._ask(f"{question}\n{KEYS}")).strip()
            question = told
            match reply.lower():
                case "":
                    asked = f"{intent.risk}: yes (--step)" if intent.risk else ""
                    return Clearance(intent.action, intent.by, asked=asked)
                case "s":
                    return Clearance(intent.action, "human", Outcome("not done", SKIPPED))
                case "q":
                    return Clearance(intent.action, intent.by, quit="the person quit")
                case "e":
                    edited = await self._edited(intent)
                    if edited is not None:
                        return edited
                case "t" if self._visible:
                    await self._ask(GIVE_BACK)
                    return Clearance(intent.action, "human", Outcome("not done", TAKEN_OVER, changed=True))
                case "t":
                    question = WINDOWLESS
                case _:
                    question = f"{printable(reply, 40)!r} is none of these"

    async def _edited(self, intent: Intent) -> Clearance | None:
        """What the person wants done instead; None where they leave it as it is."""
        before = line_of(intent.action)
        question = f"now: {before}\ntype what to do instead, such as {EXAMPLES}; an empty line leaves it, ? lists all"
        while True:
            line = await self._ask(question)
            if not line.strip():
                return None
            if line.strip() == "?":
                question = HELP
                continue
            parsed = checked(line, intent.observation)
            if isinstance(parsed, Malformed):
                question = f"{printable(parsed.message)}; again, or an empty line to leave it"
            elif parsed.tool == "stop":
                return Clearance(intent.action, "human", stop=stop_of(parsed, by="human"))
            elif line_of(parsed) == before:
                return Clearance(intent.action, intent.by)
            else:
                return Clearance(parsed, "human", note=f"the person did this instead of your {before}")


def checked(line: str, observation: Observation) -> Action | Malformed:
    """A typed line as an action on elements that are there."""
    parsed = parse_line(line)
    if isinstance(parsed, Malformed) or observation.dialog is not None:
        return parsed
    refs = [str(parsed.arguments[key]) for key in ("ref", "to_ref") if key in parsed.arguments]
    missing = [ref for ref in refs if ref not in observation.by_ref]
    return Malformed(f"no element {missing[0]} on this page") if missing else parsed


def _shown(intent: Intent) -> str:
    lines = [f"step {intent.n}: {action_words(intent.action, intent.observation)}"]
    if intent.risk:
        lines.append(f"  it {SAYS[intent.risk]}")
    if intent.action.thought:
        lines.append(f"  thought: {printable(intent.action.thought, 500)}")
    return "\n".join(lines)


async def pause_at(ask: Ask, step: Step) -> None:
    """Waits for the person where a step failed, unless they kept it from being carried out."""
    if step.outcome.error and not step.outcome.skipped:
        words = action_words(step.action, step.observation)
        await _wait(ask, f"step {step.n} failed: {words}: {printable(step.outcome.error)}")


async def pause_after(ask: Ask, trajectory: Trajectory, verdict: Verdict) -> None:
    """Waits for the person at the end of a run that did not end well, while the browser is open."""
    if verdict.success is False or trajectory.status in ("failed", "budget", "error"):
        why = printable(trajectory.reason or verdict.reason or "judged a failure", 300)
        await _wait(ask, f"the run ended ({trajectory.status}): {why}")


async def _wait(ask: Ask, text: str) -> None:
    try:
        await ask(f"{text}\n{GO_ON}")
    except EOFError:
        return
