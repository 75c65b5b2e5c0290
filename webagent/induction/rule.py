"""Induction by rule: one or more runs of the same routine become one workflow."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from webagent.answers import common_readers, one_frame
from webagent.binding import template_of
from webagent.ids import scope_of
from webagent.induction.slots import PRIVATE, Slot, Variables, find_variables, slug
from webagent.observation import Observation, Target
from webagent.routine import changes_things, repeatable, routine_of, slot_value
from webagent.trajectory import Step, Trajectory
from webagent.workflow import AnswerReader, Workflow, WorkflowStep, fill, kept_name, variables_in

SHORTEST = 2
"""Steps below which a routine is not worth keeping, the stop included."""


def induce(
    trajectories: Sequence[Trajectory],
    routines: Sequence[Sequence[Step]] | None = None,
    names: Mapping[Slot, str] | None = None,
) -> Workflow | None:
    """A workflow (id empty, version 0) from successful runs of one shape on one hostname. None where
    they have no common shape, are too short or leave the hostname. Where no one way reads all
    their answers, it has no reader: a person or a model has to read the answer then."""
    routines = routines or [routine_of(trajectory) for trajectory in trajectories]
    first = trajectories[0]
    if not routines[0] or not all(map(repeatable, routines)):
        return None
    if not _same_shape(routines) or not stays_on_host(first, routines[0]):
        return None
    variables = find_variables([run.goal for run in trajectories], routines, names)
    reader = reader_of(trajectories, variables.values) if first.answer else None
    steps = workflow_steps(trajectories, routines, variables)
    if first.stop and first.stop.status == "done":
        steps.append(stop_step(trajectories, reader, variables.values))
    if len(steps) < SHORTEST:
        return None
    goals = [template_of(run.goal, _in_goal(variables, n)) for n, run in enumerate(trajectories)]
    return Workflow(
        id="",
        version=0,
        hostname=scope_of(routines[0][0].url),
        name=plain_name(goals[0]),
        description=f"Given that you are at {steps[0].page or '/'}, this workflow reaches the goal: {plain_name(goals[0])}.",
        steps=steps,
        variables=tuple(variables.known.values()),
        goals=tuple(dict.fromkeys(goals)),
        start=steps[0].page,
        reader=reader,
        source="rule",
        origins=tuple(run.run_id for run in trajectories),
    )


def _in_goal(variables: Variables, run: int) -> dict[str, str]:
    return {name: value for name, value in variables.values[run].items() if variables.known[name].in_goal}


def _same_shape(routines: Sequence[Sequence[Step]]) -> bool:
    shapes = {
        tuple((step.action.tool, step.target.role if step.target else "") for step in routine)
        for routine in routines
    }
    return len(shapes) == 1


def hosts_of(routine: Sequence[Step]) -> set[str]:
    """The hostnames that steps were done on or went to."""
    gone = {scope_of(url) for step in routine if "://" in (url := slot_value(step, "url"))}
    return gone | {scope_of(step.url) for step in routine}


def stays_on_host(trajectory: Trajectory, routine: Sequence[Step]) -> bool:
    """Whether a routine begins, goes and ends on one hostname: memory of it can name no other."""
    last = {scope_of(trajectory.final.url)} if trajectory.final is not None else set()
    return len(hosts_of(routine) | last) == 1


def reader_of(trajectories: Sequence[Trajectory], values: Sequence[Mapping[str, str]]) -> AnswerReader | None:
    """What reads the answers of all these runs from their last pages."""
    seen: list[tuple[Observation, str, Mapping[str, str]]] = []
    for run, bound in zip(trajectories, values, strict=True):
        if run.final is None or not run.answer:
            return None
        seen.append((run.final, answer_on_page(run.final, run.answer), bound))
    readers = common_readers(seen)
    return readers[0] if readers else None


def answer_on_page(observation: Observation, answer: str) -> str:
    """The answer as the page has it: itself, or the only number of a sentence that the page shows."""
    text = observation.page_text
    if answer.casefold() in text.casefold():
        return answer
    numbers = list(dict.fromkeys(re.findall(r"\d[\d.,:-]*\d|\d", answer)))
    shown = [number for number in numbers if number in text]
    return shown[0] if len(shown) == 1 else answer


def workflow_steps(
    trajectories: Sequence[Trajectory], routines: Sequence[Sequence[Step]], variables: Variables
) -> list[WorkflowStep]:
    """The steps of runs of one shape, their values replaced by variables."""
    steps = []
    for n, step in enumerate(routines[0]):
        peers = [routine[n] for routine in routines]
        shown = [_shown_after(run, peer) for run, peer in zip(trajectories, peers, strict=True)]
        after = [page.url if page else "" for page in shown]
        steps.append(
            WorkflowStep(
                tool=step.action.tool,
                target=_target(n, peers, variables),
                arguments=_arguments(n, step, variables),
                page=path_pattern([peer.url for peer in peers], variables.values),
                expect=path_pattern(after, variables.values) if all(after) else "",
                changes=any(map(changes_things, peers)),
                evidence=f"{trajectories[0].run_id}#{step.n}",
                opens=all(
                    page and page.tabs > peer.observation.tabs and peer.action.tool != "tab"
                    for page, peer in zip(shown, peers, strict=True)
                ),
            )
        )
    return steps


def _shown_after(trajectory: Trajectory, step: Step) -> Observation | None:
    """The page that the step led to."""
    following = next((other for other in trajectory.steps if other.n == step.n + 1), None)
    return following.observation if following is not None else trajectory.final


def _target(n: int, peers: Sequence[Step], variables: Variables) -> Target | None:
    target = peers[0].target
    if target is None:
        return None
    others = [peer.target for peer in peers if peer.target is not None]
    variable = variables.slots.get((n, "name"))
    headings = {
        template_of(_around(other.heading), values)
        for other, values in zip(others, variables.values, strict=True)
    }
    return replace(
        target,
        name=f"{{{variable}}}" if variable else kept_name(target.name),
        heading=headings.pop() if len(headings) == 1 else "",
        row=""
        if variable or len({other.row for other in others}) > 1
        else template_of(_around(target.row), variables.values[0]),
        nth=target.nth if not variable and len({other.nth for other in others}) == 1 else 0,
        position=target.position if len({other.position for other in others}) == 1 else -1,
        frame=one_frame({other.frame for other in others}),
    )


def _around(words: str) -> str:
    """What is kept of the words around a control: none that hold something private."""
    return "" if PRIVATE.search(words) else kept_name(words)


def _arguments(n: int, step: Step, variables: Variables) -> dict[str, Any]:
    """The step's arguments with variables in them; refs are never kept."""
    arguments: dict[str, Any] = {}
    for key, value in step.action.arguments.items():
        if key in ("ref", "to_ref"):
            continue
        slot = variables.slots.get((n, key))
        if slot:
            arguments[key] = f"{{{slot}}}"
        elif key == "options":
            arguments[key] = [
                f"{{{name}}}" if (name := variables.slots.get((n, f"options.{place}"))) else option
                for place, option in enumerate(value)
            ]
        elif key == "url":
            arguments[key] = template_of(
                unquote(slot_value(step, key)).replace("+", " "), variables.values[0]
            )
        else:
            arguments[key] = value
    return arguments


def path_pattern(urls: Sequence[str], values: Sequence[Mapping[str, str]]) -> str:
    """The path that these pages share; `*` for a segment that differs or holds a run's value."""
    paths = [unquote(urlsplit(url).path).split("/") for url in urls]
    if len({len(path) for path in paths}) != 1:
        return ""
    segments = []
    for place, segment in enumerate(paths[0]):
        same = all(path[place] == segment for path in paths)
        held = any(
            _slugged(value) and _slugged(value) in _slugged(segment)
            for run in values
            for value in run.values()
        )
        segments.append(segment if same and not held and not any(c.isdigit() for c in segment) else "*")
    return "/".join(segments)


def _slugged(text: str) -> str:
    return re.sub(r"[\W_]+", "-", text.casefold()).strip("-")


def stop_step(
    trajectories: Sequence[Trajectory], reader: AnswerReader | None, values: Sequence[Mapping[str, str]]
) -> WorkflowStep:
    """The end of the routine, with the answer where there is one."""
    trajectory = trajectories[0]
    evidence = f"{trajectory.run_id}#{len(trajectory.steps) + 1}"
    page = path_pattern([run.url for run in trajectories], values)
    if not trajectory.answer:
        return WorkflowStep("stop", page=page, evidence=evidence)
    if reader is None:
        return WorkflowStep("stop", None, {"answer": "{answer}"}, page=page, evidence=evidence)
    name = slug(reader.label) or "answer"
    target = Target(reader.role, f"{reader.label}: {{{name}}}" if reader.label else f"{{{name}}}")
    return WorkflowStep("stop", target, {"answer": f"{{{name}}}"}, page=page, evidence=evidence)


def plain_name(template: str) -> str:
    """A goal template as a workflow's name: `zip code of {place}` gives `zip code of a place`, and
    `from {from} to {to}` gives `from one to another`."""
    names = variables_in(template)
    spoken = {name: f"a {name.replace('-', ' ')}" for name in names}
    spoken |= {name: "another" if n else "one" for n, name in enumerate(names) if name in _PREPOSITIONS}
    name = re.sub(r"\b(?:the|an?) (an? |one |another )", r"\1", fill(template, spoken), flags=re.IGNORECASE)
    return " ".join(name.split())[:100].strip(" .?!")


_PREPOSITIONS = frozenset({"from", "to", "at", "in", "on", "by", "of", "with", "value"})
