"""Induction by a language model: its proposals, each step checked against the run it cites."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.answers import normal
from webagent.binding import named_in, template_of
from webagent.ids import new_id, scope_of
from webagent.induction.rule import (
    SHORTEST,
    hosts_of,
    plain_name,
    reader_of,
    stays_on_host,
    stop_step,
    workflow_steps,
)
from webagent.induction.safety import PageProse, safe_text
from webagent.induction.slots import Slot, Variables, find_variables, is_private, slots_of
from webagent.interfaces import ChatModel, Message
from webagent.observation import Target
from webagent.prompt import prompt_file
from webagent.routine import align, is_consent, repeatable, routine_of, slot_value
from webagent.schemas import TEXT, a_list, an_object
from webagent.tokens import estimate_tokens
from webagent.trajectory import Step, Trajectory
from webagent.words import telling_words
from webagent.workflow import (
    VARIABLE,
    Variable,
    Workflow,
    WorkflowStep,
    expand,
    fill,
    kept_name,
    variables_in,
)
from webagent.workflow_text import argument_text, render_workflow

MOST = 4
"""Workflows taken from one reply."""
KNOWN_TOKENS = 4000
"""What the workflows that exist may take of the prompt."""

SCHEMA = an_object(
    workflows=a_list(
        an_object(
            name=TEXT,
            description=TEXT,
            variables=a_list(an_object(name=TEXT, description=TEXT, example=TEXT)),
            steps=a_list(
                an_object(state=TEXT, role=TEXT, name=TEXT, action=TEXT, argument=TEXT, evidence=TEXT)
            ),
        )
    )
)


@dataclass(frozen=True)
class Induced:
    """Workflows that passed, and a line for each that did not, or for a step of one."""

    workflows: Sequence[Workflow]
    refused: Sequence[str]


async def induce_by_model(model: ChatModel, trajectory: Trajectory, existing: Sequence[Workflow]) -> Induced:
    """What the model makes of one successful run. Raises ModelFault when it can't be asked."""
    reply = await model.ask("workflows", induction_messages(trajectory, existing), SCHEMA)
    proposals = (reply or {}).get("workflows")
    if not isinstance(proposals, list):
        return Induced((), ("the reply holds no list of workflows",))
    checker = _Checker(trajectory, existing)
    for proposal in proposals[:MOST]:
        checker.take(proposal)
    return Induced(checker.accepted, checker.refused)


def induction_messages(trajectory: Trajectory, existing: Sequence[Workflow]) -> list[Message]:
    """The rules, what exists, and the run, each step under its label."""
    known = "\n\n".join(_shown(existing, trajectory.goal)) or "none"
    lines = [f"Goal: {trajectory.goal}", "Steps:", *step_lines(trajectory)]
    text = f"Existing workflows of this site:\n{known}\n\nA run that reached its goal:\n" + "\n".join(lines)
    return [
        {"role": "system", "content": prompt_file("induce")},
        {"role": "user", "content": text},
    ]


def _shown(existing: Sequence[Workflow], goal: str) -> list[str]:
    """The texts of those that share most with the goal, as many as there is room for."""
    wanted = telling_words(goal)

    def shared(workflow: Workflow) -> int:
        return len(wanted & telling_words(" ".join([workflow.name, *workflow.goals])))

    shown, left = [], KNOWN_TOKENS
    for workflow in sorted(existing, key=shared, reverse=True):
        text = render_workflow(workflow)
        cost = estimate_tokens(text)
        if cost <= left:
            left -= cost
            shown.append(text)
    return shown


def step_lines(trajectory: Trajectory) -> list[str]:
    """The steps of a run and its stop, each under its label `run_id#step`; no thoughts, and nothing
    of the page but the names of the controls that were used."""
    lines = [
        _step_line(trajectory.run_id, step) for step in trajectory.steps if step.action.tool != "workflow"
    ]
    if trajectory.stop is not None:
        label = f"{trajectory.run_id}#{len(trajectory.steps) + 1}"
        lines.append(f"{label}: action stop, argument {trajectory.answer or ''!r}")
    return lines


def _step_line(run_id: str, step: Step) -> str:
    target = f"role {step.target.role}, name {kept_name(step.target.name)!r}, " if step.target else ""
    argument = argument_text(step.action.tool, step.action.arguments)
    said = f", argument {argument!r}" if argument else ""
    came = "" if step.outcome.ok else " (left out)" if step.outcome.skipped else " (failed)"
    return f"{run_id}#{step.n}: {target}action {step.action.tool}{said}{came}"


@dataclass
class _Proposal:
    """One proposal while it is checked. `plan` holds, in order, the calls and the stop as they will
    be, and None for each plain step, whose place in `cited` is counted off; `told` has the model's
    words for the element where the run itself has none (imported logs)."""

    name: str
    description: str
    examples: dict[str, str]
    meanings: dict[str, str]
    plan: list[WorkflowStep | None] = field(default_factory=list)
    states: list[str] = field(default_factory=list)
    cited: list[Step] = field(default_factory=list)
    told: list[Target | None] = field(default_factory=list)
    names: dict[Slot, str] = field(default_factory=dict)
    covered: set[int] = field(default_factory=set)
    hostname: str = ""

    def add(self, step: WorkflowStep | None, state: str) -> None:
        self.plan.append(step)
        self.states.append(state)


class _Checker:
    """Takes a reply's proposals in turn, so that a later one may call an earlier one."""

    def __init__(self, trajectory: Trajectory, existing: Sequence[Workflow]) -> None:
        self._run = trajectory
        self._routine = routine_of(trajectory)
        self._prose = PageProse(trajectory)
        self._known = {workflow.id: workflow for workflow in existing}
        self.accepted: list[Workflow] = []
        self.refused: list[str] = []

    def take(self, item: Any) -> None:
        """Accepts a proposal, or says in `refused` why not."""
        if not isinstance(item, Mapping) or not isinstance(item.get("steps"), list):
            self.refused.append("a proposal without steps")
            return
        proposal = _read(item, self._prose, plain_name(self._run.goal))
        for part in item["steps"]:
            fault = self._step(part, proposal) if isinstance(part, Mapping) else "it is no object"
            if fault:
                self.refused.append(f"{proposal.name}: a step was dropped: {fault}")
        acts = [step for step in proposal.plan if step is None or step.tool == "workflow"]
        if not proposal.name or not acts or len(proposal.plan) < SHORTEST:
            self.refused.append(f"{proposal.name or 'a proposal without a name'}: fewer than two steps hold")
            return
        self.accepted.append(self._workflow(proposal))

    def _step(self, item: Mapping[str, Any], proposal: _Proposal) -> str:
        """Adds one step to the proposal, or says why it is refused."""
        action = str(item.get("action", "")).strip().casefold()
        state = self._prose.own(str(item.get("state", "")), 120)
        if action == "workflow":
            return self._call(item, proposal, state)
        run_id, _, number = str(item.get("evidence", "")).strip().rpartition("#")
        label = f"{item.get('evidence')!r:.60}"
        if run_id != self._run.run_id or not number.isdigit():
            return f"{label} is no step of the run"
        if action == "stop":
            if self._run.stop is None or int(number) != len(self._run.steps) + 1:
                return f"{label} is not where the run stopped"
            proposal.add(WorkflowStep("stop", evidence=str(item["evidence"]).strip()), state)
            return ""
        done = next((step for step in self._run.steps if step.n == int(number)), None)
        if done is None:
            return f"{label} is no step of the run"
        if not done.outcome.ok or action != done.action.tool:
            return f"{label} is a {'failed ' * (not done.outcome.ok)}{done.action.tool}, no {action!r:.40}"
        fault = _differs(item, done, proposal.examples)
        if not fault and hosts_of([done]) != {proposal.hostname or scope_of(done.url)}:
            fault = "it is on another hostname, or leaves it"
        if fault:
            return f"{label}: {fault}"
        self._cite(item, done, proposal, state)
        return ""

    def _cite(self, item: Mapping[str, Any], done: Step, proposal: _Proposal, state: str) -> None:
        place = len(proposal.cited)
        for slot, value in slots_of([done]):
            said = str(item.get("name" if slot[1] == "name" else "argument", "")).strip()
            name = VARIABLE.fullmatch(_slugged(said))
            if name:
                proposal.names[(place, slot[1])] = name[1]
                proposal.examples.setdefault(name[1], value)
        proposal.hostname = scope_of(done.url)
        proposal.cited.append(done)
        words = safe_text(str(item.get("role", "")), 30).lower(), safe_text(str(item.get("name", "")), 80)
        proposal.told.append(None if repeatable([done]) else Target(*words))
        proposal.covered.add(done.n)
        proposal.add(None, state)

    def _call(self, item: Mapping[str, Any], proposal: _Proposal, state: str) -> str:
        wanted = normal(str(item.get("name", "")))
        known = [*self.accepted, *self._known.values()]
        callee = next((other for other in known if wanted in (normal(other.name), other.id)), None)
        steps = expand(callee, self._lookup) if callee else None
        if callee is None or steps is None:
            return f"no workflow named {wanted!r:.60} to call"
        if callee.hostname != (proposal.hostname or callee.hostname):
            return f"{callee.name!r} is of another hostname"
        done = align(steps, self._routine)
        if done is None:
            return f"the run did not do what {callee.name!r} does"
        proposal.hostname = callee.hostname
        proposal.covered |= {step.n for step in done}
        said = VARIABLE.findall(_slugged(str(item.get("argument", ""))))
        needed = [variable.name for variable in callee.variables if variable.in_goal]
        given = {name: f"{{{said[n] if n < len(said) else name}}}" for n, name in enumerate(needed)}
        for name, value in bound_values(steps, done).items():
            if name in given:
                proposal.examples.setdefault(given[name].strip("{}"), value)
        arguments = {"id": callee.id, "name": callee.name, "arguments": given}
        proposal.add(WorkflowStep("workflow", None, arguments), state)
        return ""

    def _lookup(self, id: str) -> Workflow | None:
        return next((w for w in self.accepted if w.id == id), None) or self._known.get(id)

    def _workflow(self, proposal: _Proposal) -> Workflow:
        """The workflow whose plain steps are the cited ones, as the rule inducer writes them."""
        run = self._run
        found = find_variables([run.goal], [proposal.cited], proposal.names)
        plain = (
            replace(step, target=step.target or told)
            for step, told in zip(workflow_steps([run], [proposal.cited], found), proposal.told, strict=True)
        )
        whole = self._whole(proposal)
        reader = reader_of([run], found.values) if run.answer else None
        steps = []
        for part, state in zip(proposal.plan, proposal.states, strict=True):
            step = next(plain) if part is None else part
            if step.tool == "stop":
                step = stop_step([run], reader, found.values)
            steps.append(replace(step, state=state))
        if whole and steps[-1].tool != "stop":
            steps.append(stop_step([run], reader, found.values))
        variables = self._variables(proposal, found, steps)
        values = {v.name: found.values[0].get(v.name, v.example) for v in variables if v.in_goal}
        goal = template_of(run.goal, values)
        return Workflow(
            id=new_id("wf"),
            version=0,
            hostname=proposal.hostname,
            name=plain_name(goal) if proposal.name == plain_name(run.goal) else proposal.name,
            description=proposal.description,
            steps=steps,
            variables=variables,
            goals=(goal,) if whole else (),
            start=steps[0].page,
            reader=reader if whole else None,
            source="llm",
            origins=(run.run_id,),
        )

    def _whole(self, proposal: _Proposal) -> bool:
        """Whether the proposal does all that the run needed to do, its answer too if it has one: else
        it is a sub-routine, to be called by others."""
        if self._run.answer and not any(step is not None and step.tool == "stop" for step in proposal.plan):
            return False
        if not repeatable(self._routine) or not stays_on_host(self._run, self._routine):
            return False
        needed = {step.n for step in self._routine if not is_consent(step.target)}
        return needed <= proposal.covered

    def _variables(
        self, proposal: _Proposal, found: Variables, steps: Sequence[WorkflowStep]
    ) -> tuple[Variable, ...]:
        """Those in the steps, and those handed to calls, with the model's descriptions."""
        variables = dict(found.known)
        for step in steps:
            given: Mapping[str, str] = step.arguments.get("arguments", {}) if step.tool == "workflow" else {}
            for name in (name for text in given.values() for name in variables_in(text)):
                example = proposal.examples.get(name, "")
                known = Variable(
                    name, "", "" if is_private(example) else example, named_in(example, self._run.goal)
                )
                variables.setdefault(name, known)
        return tuple(replace(v, description=proposal.meanings.get(v.name, "")) for v in variables.values())


def _read(item: Mapping[str, Any], prose: PageProse, fallback: str) -> _Proposal:
    """A proposal's words, made short, single-line and harmless; a name that was copied from a page
    gives way to the goal's."""
    examples, meanings = {}, {}
    for variable in item.get("variables") or ():
        if isinstance(variable, Mapping):
            name = _slugged(f"{{{str(variable.get('name', '')).strip('{}')}}}").strip("{}")
            examples[name] = " ".join(str(variable.get("example", "")).split())
            meanings[name] = prose.own(str(variable.get("description", "")), 120)
    examples = {name: value for name, value in examples.items() if value}
    said = safe_text(str(item.get("name", "")), 100)
    name = (prose.own(said, 100) or fallback) if said else ""
    return _Proposal(name, prose.own(str(item.get("description", "")), 240), examples, meanings)


def _slugged(text: str) -> str:
    """The text with the names of its variables in our form: `{Place Name}` becomes `{place-name}`."""
    return _BRACED.sub(
        lambda found: "{" + re.sub(r"[^a-z0-9]+", "-", found[1].lower()).strip("-") + "}", text
    )


_BRACED = re.compile(r"\{([A-Za-z][^{}]{0,40})\}")


def _differs(item: Mapping[str, Any], done: Step, examples: Mapping[str, str]) -> str:
    """How a proposed step differs from the step it cites; empty where it does not."""
    role, name = str(item.get("role", "")).strip(), _slugged(str(item.get("name", "")).strip())
    if done.target is not None:
        if role.casefold() != done.target.role:
            return f"role {role!r:.40} is not {done.target.role!r}"
        if not any(_says(name, known, examples) for known in (done.target.name, kept_name(done.target.name))):
            return f"name {name!r:.80} is not that of the control"
    argument = _slugged(str(item.get("argument", "")).strip())
    actual = argument_text(done.action.tool, done.action.arguments)
    local = slot_value(done, "url") if done.action.tool == "goto" else actual
    if argument and not (_says(argument, actual, examples) or _says(argument, local, examples)):
        return f"argument {argument!r:.80} is not what was given"
    return ""


def _says(template: str, value: str, examples: Mapping[str, str]) -> bool:
    """Whether a template with its variables filled is this value; a lone variable without an example
    may be any."""
    if normal(fill(template, examples)) == normal(value):
        return True
    lone = VARIABLE.fullmatch(template)
    return lone is not None and lone[1] not in examples


def bound_values(steps: Sequence[WorkflowStep], done: Sequence[Step]) -> dict[str, str]:
    """The values that a run gave to the variables of aligned steps."""
    values: dict[str, str] = {}
    acting = [step for step in steps if step.tool != "stop"]
    for step, other in zip(acting, done, strict=False):
        for text, value in (
            (step.target.name if step.target else "", other.target.name if other.target else ""),
            (str(step.arguments.get("text", "")), slot_value(other, "text")),
        ):
            name = VARIABLE.fullmatch(text)
            if name:
                values[name[1]] = value
    return values
