"""The policy that carries out a stored workflow: no model, and nothing done on a guess."""

from collections.abc import Collection, Mapping, Sequence
from urllib.parse import quote, urljoin

from webagent.actions import Action
from webagent.answers import read_answer
from webagent.interfaces import Decision, View
from webagent.observation import Line, Observation, Target
from webagent.policies.elements import (
    Mismatch,
    choose_result,
    find_element,
    find_renamed,
    in_its_frame,
    speaks_of,
)
from webagent.policies.forms import Entered, differs
from webagent.routine import KEPT, PRESSED, does, is_consent, path_fits, path_of
from webagent.trajectory import Step, Stop
from webagent.workflow import VARIABLE, Workflow, WorkflowStep, fill_any, filled, variables_in

ONCE = "this step may have been carried out already; check before doing it again"
LATE = 3
"""How often, for a second each, a frame is waited for that does not show yet what is looked for in it: it
loads after its page, from another host often."""
LOST = (
    "request failed", "HTTP 4", "HTTP 5", "no answer yet", "the page crashed", "the page hung",
    "the last tab was closed", "a part of the page did not load", "the browser",
)  # fmt: skip
"""Beginnings of events after which nobody knows whether a request arrived."""


class ReplayPolicy:
    """Carries out the expanded `steps` of a workflow with `values` for its variables. Every step
    looks at the newest observation; at the first mismatch it gives up and says why. `unread` tells
    that only the answer is missing, `once` that a step which changes things had an unclear outcome."""

    def __init__(self, workflow: Workflow, steps: Sequence[WorkflowStep], values: Mapping[str, str]) -> None:
        self.workflow = workflow
        self.steps = steps
        self.values = dict(values)
        self.unread = False
        self.once = False
        self._at = 0
        self._doing: WorkflowStep | None = None
        self._entered: list[Entered] = []
        self._meant: Target | None = None
        self._left = 0
        self._waited = 0
        self._unsaid: Collection[frozenset[str]] = ()

    async def decide(self, view: View) -> Decision:
        """The next step's action, the stop after the last, or why it can't go on."""
        try:
            return self._decide(view)
        except Mismatch as mismatch:
            if self._awaits_frame(view.observation):
                self._waited, self._doing = self._waited + 1, None
                return Decision((Action("wait", {"seconds": 1}),), by="replay", workflow=self.workflow.label)
            self._left = len(view.steps)
            return Decision(given_up=f"{self.workflow.label}, step {self._at + 1}: {mismatch}", by="replay")

    def _decide(self, view: View) -> Decision:
        observation = view.observation
        if self._doing is not None and not self._person_acted(view.steps[-1]):
            self._check_effect(view, self._doing)
        while self._at < len(self.steps):
            step = self.steps[self._at]
            if step.tool == "stop":
                break
            action = self._action(step, observation)
            if action is not None:
                self._at += 1
                self._doing, self._waited = step, 0
                return Decision((action,), by="replay", workflow=self.workflow.label)
            self._at += 1
        return Decision(stop=self._stop(observation), by="replay", workflow=self.workflow.label)

    def _awaits_frame(self, observation: Observation) -> bool:
        """Whether the next step's element, or the answer, may be in a frame that is not loaded yet."""
        step = self.steps[self._at] if self._at < len(self.steps) else None
        if self.once or self._waited >= LATE or observation.dialog is not None:
            return False
        if step is None or step.tool == "stop":
            place = self.workflow.reader
            return (
                place is not None
                and bool(place.frame)
                and read_answer(place, observation, self.values) is None
            )
        target = filled(step, self.values).target
        if target is None or not target.frame:
            return False
        return not in_its_frame(observation, target, observation.matches(target.role, target.name))

    def _person_acted(self, last: Step) -> bool:
        """Follows a person who changed the step, left it out, or acted in its place: then it comes
        again. Whether there is no effect to be checked."""
        if last.by != "human":
            return False
        if last.outcome.taken_over:
            self._at -= 1
            self._entered.clear()
        self._entered = [entered for entered in self._entered if entered.target != self._meant]
        if last.outcome.ok:
            self._enter(last.action.tool, last.target, last.action.arguments)
        return last.outcome.skipped

    def _check_effect(self, view: View, done: WorkflowStep) -> None:
        last = view.steps[-1]
        try:
            _check_outcome(view.observation, last, done)
            if view.observation.dialog is not None and self._next_tool() != "dialog":
                raise Mismatch(f"an unexpected {view.observation.dialog.kind} dialog is open")
            if done.expect and not path_fits(done.expect, view.observation.url):
                raise Mismatch(
                    f"after {done.tool} the page should be {done.expect}, but it is {path_of(view.observation.url)}"
                )
            unsaid, self._unsaid = self._unsaid, ()
            if unsaid and not any(speaks_of(view.observation, words) for words in unsaid):
                missing = " or ".join(" ".join(sorted(words)) for words in unsaid)
                raise Mismatch(
                    f"the only result was opened, but nothing on its page says {missing}: it may be another"
                )
        except Mismatch as mismatch:
            self._at -= 1
            self._waited = LATE
            self.once = (done.changes or last.outcome.posted) and not last.outcome.unconfirmed
            raise Mismatch(f"{mismatch}. {ONCE}") if self.once else mismatch from None
        if last.outcome.changed:
            self._entered.clear()

    def _next_tool(self) -> str:
        return self.steps[self._at].tool if self._at < len(self.steps) else ""

    def _action(self, step: WorkflowStep, observation: Observation) -> Action | None:
        """The step as an action on this page; None where it is a notice that is not there."""
        ready = filled(step, self.values)
        unbound = variables_in(str(fill_any(dict(ready.arguments), {})))
        if unbound:
            raise Mismatch(f"no value for {', '.join(unbound)}")
        if step.changes:
            self._check_form(observation)
        arguments = dict(ready.arguments)
        thought = step.state
        if step.tool == "goto":
            arguments["url"] = urljoin(observation.url, quote(str(arguments["url"]), safe="/:?&=#%+,;@"))
        self._meant = None
        if ready.target is not None:
            line = self._find(step, ready.target, observation)
            if line is None:
                return None
            arguments["ref"] = line.ref
            name = observation.label_of(line)
            if (
                step.target is not None
                and not VARIABLE.search(step.target.name)
                and not _called(line, name, ready.target)
            ):
                thought = f'{step.target.role} "{step.target.name}" is not there; "{name}" is in its place'
            self._meant = observation.target(line.ref)
            self._enter(step.tool, self._meant, arguments)
        return Action(step.tool, arguments, thought)

    def _enter(self, tool: str, target: Target | None, arguments: Mapping[str, object]) -> None:
        """Notes what a step puts into a form, to be looked at before that is sent."""
        if target is None:
            return
        self._entered = [entered for entered in self._entered if entered.target != target]
        if tool == "type" and arguments.get("clear", True) and not arguments.get("submit"):
            self._entered.append(Entered(target, (str(arguments["text"]),)))
        elif tool == "select" and isinstance(options := arguments["options"], Sequence):
            self._entered.append(Entered(target, tuple(map(str, options))))
        elif tool == "click" and target.role == "radio":
            self._entered.append(Entered(target))

    def _check_form(self, observation: Observation) -> None:
        """Before a step that changes things, all that was entered must still stand as it was meant."""
        for entered in self._entered:
            different = differs(observation, entered)
            if different:
                raise Mismatch(f"before a step that must not be wrong: {different}")

    def _find(self, step: WorkflowStep, target: Target, observation: Observation) -> Line | None:
        open_name = VARIABLE.search(target.name)
        if open_name:
            line, self._unsaid = choose_result(observation, target, list(self.values.values()))
            self.values[open_name[1]] = observation.label_of(line)
            return line
        variable = step.target is not None and VARIABLE.fullmatch(step.target.name)
        found = find_element(observation, target, twins_matter=variable is not None)
        if found is None and variable and target.role == "link":
            chosen, self._unsaid = choose_result(observation, target, [target.name])
            return chosen
        if found is None and is_consent(step.target):
            return None
        if found is None and not variable and not step.changes and self._is_place(step, observation):
            others = {
                (one.target.role, one.target.name) for one in self.steps if one.target and one is not step
            }
            found = find_renamed(observation, target, others)
        if found is None:
            raise Mismatch(f'no {target.role} "{target.name}" on the page {path_of(observation.url)}')
        return found

    def _is_place(self, step: WorkflowStep, observation: Observation) -> bool:
        return not step.page or path_fits(step.page, observation.url)

    def _stop(self, observation: Observation) -> Stop:
        reader = self.workflow.reader
        wants = bool(self.steps and self.steps[-1].arguments.get("answer"))
        if reader is None and wants:
            self.unread = True
            raise Mismatch("how to read the answer was not learned")
        if reader is None:
            return Stop(by="replay")
        answer = read_answer(reader, observation, self.values)
        if answer is None:
            self.unread = True
            raise Mismatch(f'no answer can be read: no single {reader.role} "{reader.label}" on the page')
        return Stop(answer, by="replay")

    def resumes(self, view: View) -> bool:
        """Whether the replay can go on after what another did since it gave up: that was, in order, its
        own next steps with its values, or put away what stood in their way, and the step after them finds
        its place by name."""
        if self.once or self.unread:
            return False
        entered = list(self._entered)
        for clearing in (False, True):
            at, cleared = self._followed(view, clearing=clearing)
            if (at > self._at or cleared) and self._fits(at, view.observation):
                self._at, self._doing = at, None
                return True
            self._entered = list(entered)
        return False

    def _followed(self, view: View, *, clearing: bool) -> tuple[int, bool]:
        """The step that is next after what another did, and whether that cleared the way. A click may be
        the replay's own on a renamed control, or have closed what lay over the page (`clearing`)."""
        at, cleared = self._at, False
        for done in view.steps[self._left :]:
            if not done.outcome.ok:
                continue
            if clearing and _put_away(done, view.observation):
                cleared = True
            elif at < len(self.steps) and does(filled(self.steps[at], self.values), done):
                at += 1
                self._enter(done.action.tool, done.target, done.action.arguments)
            elif done.action.tool in KEPT and not is_consent(done.target):
                return self._at, False
        if at == self._at and cleared and self._is_done(view):
            at += 1
        return at, cleared

    def _is_done(self, view: View) -> bool:
        """Whether the step at which the replay gave up was carried out, and led where it should."""
        step = self.steps[self._at] if self._at < len(self.steps) else None
        if step is None or step is not self._doing or not view.steps[self._left - 1].outcome.ok:
            return False
        return not step.expect or path_fits(step.expect, view.observation.url)

    def _fits(self, at: int, observation: Observation) -> bool:
        """Whether a step's element is there under its own name, or the answer can be read."""
        step = self.steps[at] if at < len(self.steps) else None
        if observation.dialog is not None or step is None:
            return False
        if step.tool == "stop":
            reader = self.workflow.reader
            return reader is not None and read_answer(reader, observation, self.values) is not None
        if step.target is None or (step.page and not path_fits(step.page, observation.url)):
            return False
        try:
            target = filled(step, self.values).target
            return target is not None and find_element(observation, target, twins_matter=True) is not None
        except Mismatch:
            return False


def _put_away(done: Step, now: Observation) -> bool:
    """Whether a step answered a dialog, or closed something that lay over the page."""
    if done.action.tool == "dialog" or is_consent(done.target):
        return True
    pressed = done.action.tool == "click" and done.target is not None and done.target.role in PRESSED
    gone = done.target is None or not now.matches(done.target.role, done.target.name)
    return pressed and gone and not done.outcome.changed


def _called(line: Line, name: str, target: Target) -> bool:
    return name.casefold().strip() == target.name.casefold().strip() or line.name == target.name


def _check_outcome(observation: Observation, last: Step, done: WorkflowStep) -> None:
    """Raises Mismatch where a step failed or, if it changes things, may have been lost on its way."""
    if not last.outcome.ok:
        raise Mismatch(f"{done.tool} failed: {last.outcome.error}")
    if not (done.changes or last.outcome.posted):
        return
    lost = next((event for event in observation.events if event.startswith(LOST)), "")
    if lost or observation.url.startswith("chrome-error:"):
        raise Mismatch(f"after {done.tool} the page tells of a fault ({lost or 'no page came back'})")
    if not last.outcome.changed and observation.hash == last.observation.hash:
        raise Mismatch(f"after {done.tool} nothing on the page changed")
