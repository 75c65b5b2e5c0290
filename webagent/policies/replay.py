"""The policy that carries out a stored workflow: no model, and nothing done on a guess."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urljoin

from webagent.actions import Action
from webagent.answers import normal, read_answer
from webagent.interfaces import Decision, View
from webagent.observation import Line, Observation, Target
from webagent.routine import is_consent, path_fits, path_of
from webagent.trajectory import Stop
from webagent.workflow import VARIABLE, Workflow, WorkflowStep, fill_any, filled, variables_in


class Mismatch(Exception):
    """The page is not what the workflow expects; the text says how."""


class ReplayPolicy:
    """Carries out the expanded `steps` of a workflow with `values` for its variables. Every step
    looks at the newest observation; at the first mismatch it gives up and says why."""

    def __init__(self, workflow: Workflow, steps: Sequence[WorkflowStep], values: Mapping[str, str]) -> None:
        self.workflow = workflow
        self.steps = steps
        self.values = dict(values)
        self._at = 0
        self._doing: WorkflowStep | None = None
        self._began: int | None = None

    async def decide(self, view: View) -> Decision:
        """The next step's action, the stop after the last, or why it can't go on."""
        try:
            return self._decide(view)
        except Mismatch as mismatch:
            return Decision(given_up=f"{self.workflow.label}, step {self._at + 1}: {mismatch}", by="replay")

    def _decide(self, view: View) -> Decision:
        observation = view.observation
        if self._began is None:
            self._began = len(view.steps)
        elif self._doing is not None:
            self._check_effect(view, self._doing)
        while self._at < len(self.steps):
            step = self.steps[self._at]
            if step.tool == "stop":
                break
            action = self._action(step, observation)
            self._at += 1
            if action is not None:
                self._doing = step
                return Decision((action,), by="replay", workflow=self.workflow.label)
        return Decision(stop=self._stop(observation), by="replay", workflow=self.workflow.label)

    def _check_effect(self, view: View, done: WorkflowStep) -> None:
        outcome = view.steps[-1].outcome
        if not outcome.ok:
            raise Mismatch(f"{done.tool} failed: {outcome.error}")
        if view.observation.dialog is not None and self._next_tool() != "dialog":
            raise Mismatch(f"an unexpected {view.observation.dialog.kind} dialog is open")
        if done.expect and not path_fits(done.expect, view.observation.url):
            raise Mismatch(
                f"after {done.tool} the page should be {done.expect}, but it is {path_of(view.observation.url)}"
            )

    def _next_tool(self) -> str:
        return self.steps[self._at].tool if self._at < len(self.steps) else ""

    def _action(self, step: WorkflowStep, observation: Observation) -> Action | None:
        """The step as an action on this page; None where it is a notice that is not there."""
        ready = filled(step, self.values)
        unbound = variables_in(str(fill_any(dict(ready.arguments), {})))
        if unbound:
            raise Mismatch(f"no value for {', '.join(unbound)}")
        arguments = dict(ready.arguments)
        if step.tool == "goto":
            arguments["url"] = urljoin(observation.url, quote(str(arguments["url"]), safe="/:?&=#%+,;@"))
        if ready.target is not None:
            line = self._find(step, ready.target, observation)
            if line is None:
                return None
            arguments["ref"] = line.ref
        return Action(step.tool, arguments, step.state)

    def _find(self, step: WorkflowStep, target: Target, observation: Observation) -> Line | None:
        open_name = VARIABLE.search(target.name)
        if open_name:
            line = choose_result(observation, target, list(self.values.values()))
            self.values[open_name[1]] = observation.label_of(line)
            return line
        variable = step.target is not None and VARIABLE.fullmatch(step.target.name)
        found = find_element(observation, target, twins_matter=variable is not None)
        if found is None and variable and target.role == "link":
            return choose_result(observation, target, [target.name])
        if found is None and is_consent(step.target):
            return None
        if found is None:
            raise Mismatch(f'no {target.role} "{target.name}" on the page {path_of(observation.url)}')
        return found

    def _stop(self, observation: Observation) -> Stop:
        reader = self.workflow.reader
        if reader is None and self.steps[-1].arguments.get("answer"):
            raise Mismatch("how to read the answer was not learned")
        if reader is None:
            return Stop(by="replay")
        answer = read_answer(reader, observation, self.values)
        if answer is None:
            raise Mismatch(f'no answer can be read: no single {reader.role} "{reader.label}" on the page')
        return Stop(answer, by="replay")


def find_element(observation: Observation, target: Target, *, twins_matter: bool) -> Line | None:
    """The element with this role and name; among twins the one under the same heading or in the same
    row, else the same one in page order, unless the name came from a variable and `twins_matter`."""
    exact = observation.matches(target.role, target.name)
    found = exact or [
        line
        for line in observation.lines
        if line.ref and line.role == target.role and normal(observation.label_of(line)) == normal(target.name)
    ]
    if len(found) < 2:
        return found[0] if found else None
    for told in (
        [line for line in found if target.row and normal(observation.row_of(line)) == normal(target.row)],
        [
            line
            for line in found
            if target.heading and normal(observation.heading_above(line)) == normal(target.heading)
        ],
    ):
        if len(told) == 1:
            return told[0]
    if twins_matter:
        raise Mismatch(
            f'{len(found)} elements {target.role} "{target.name}" fit; which one is meant is not known'
        )
    return found[target.nth] if target.nth < len(found) else None


def choose_result(observation: Observation, target: Target, values: Sequence[str]) -> Line:
    """The search result that is meant: the only one of that name, or the only one there, or the only
    one whose name holds the value's words or initials. Raises Mismatch otherwise."""
    results = [
        line
        for line in observation.lines
        if line.ref and line.role == target.role and observation.row_of(line) and observation.label_of(line)
    ]
    if not results:
        raise Mismatch(f"no {target.role} in a list on the page {path_of(observation.url)}")
    for fits in (_same, _same_beside_notes, _initials, _holds_words):
        named = [line for line in results if any(fits(value, observation.label_of(line)) for value in values)]
        if len(named) == 1:
            return named[0]
        if named:
            break
    if len(results) == 1:
        return results[0]
    raise Mismatch(f"{len(named) or len(results)} results fit; which one is meant is not known")


def _same(value: str, name: str) -> bool:
    return _bare(value) == _bare(name)


def _bare(text: str) -> str:
    return re.sub(r"^(the|a|an) ", "", normal(text))


def _same_beside_notes(value: str, name: str) -> bool:
    """The same but for what stands in parentheses or after a comma."""
    return _same(value, re.split(r"[(,]", name)[0])


def _initials(value: str, name: str) -> bool:
    letters = "".join(
        word[0] for word in re.findall(r"[A-Za-z]+", name) if word.lower() not in ("of", "the", "and", "for")
    )
    return len(value) > 1 and letters.casefold() == re.sub(r"\W", "", value).casefold()


def _holds_words(value: str, name: str) -> bool:
    words = set(re.findall(r"\w+", value.casefold()))
    return bool(words) and words <= set(re.findall(r"\w+", name.casefold()))
