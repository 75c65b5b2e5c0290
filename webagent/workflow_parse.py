"""A workflow from its text, as `render_workflow` writes it or as a person does (SPEC section 4):

    # find the zip code of a place            (wf_01@3 · maps.localhost · 12 of 13 runs)
    Given that you are on the map's start page, this workflow finds the zip code of a place.
    variables: {place} e.g. "CMU"
    goals: find zip code of {place}; zip code of {place}
    1. find a place by its name ({place})                      -> WORKFLOW
    2. [link] {place-result} — the full address has it         -> CLICK
    3. [textbox] Note                                          -> TYPE (submit): {place}
    4. [text] {zip-code}                                       -> STOP {zip-code}

What stands in the heading's brackets, the lines `variables:` and `goals:` (`goals: none` for a
sub-routine; `goal: …` for one that holds a semicolon), the numbers and the states may be left out.
Without `goals:` the name is the goal where it holds every variable that a goal has to give. Arguments
that have no place of their own stand in brackets after the action: `CLICK (button=right, double)`.
In a text without an id in its heading a state may also begin with ` - `, and a name that holds such a
dash stands in quotation marks."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webagent.actions import BY_NAME, Malformed, from_object
from webagent.answers import written_reader
from webagent.errors import UsageError
from webagent.observation import Target
from webagent.workflow import VARIABLE, Variable, Workflow, WorkflowStep, fill_any, variables_in
from webagent.workflow_text import MAIN_ARGUMENT

STEP_FORM = "`N. [role] name — state -> ACTION: argument`"
WORDS: Mapping[str, str] = {name: name for name in BY_NAME if name != "ask"} | {
    "fill": "type",
    "enter": "press",
}
"""Action words and the tools they mean; ENTER is Mind2Web's."""
MAIN: Mapping[str, str] = {**MAIN_ARGUMENT, "stop": "answer"}
"""The argument that stands after the colon."""
MAX_LINE = 10_000
"""Characters of a heading or a step."""
NOTED = frozenset({"bid", "to_bid", "dx", "dy", "x", "y"})
"""Arguments that imported steps keep though no tool takes them: another program's element ids and
pixels, for reading."""


@dataclass(frozen=True)
class Written:
    """A workflow as it was read, and the lines (from 1) of its heading and of each of its steps.
    `told_goals` tells that it had a line for its goals."""

    workflow: Workflow
    line: int
    step_lines: tuple[int, ...]
    told_goals: bool = False


def parse_workflow(text: str, hostname: str, where: str) -> Workflow:
    """The one workflow of a text. Raises UsageError naming `where`, the line and what is expected."""
    found = parse_workflows(text, hostname, where)
    if len(found) != 1:
        raise UsageError(f"{where} holds {len(found)} workflows; one is expected")
    return found[0]


def parse_workflows(text: str, hostname: str, where: str) -> list[Workflow]:
    """The workflows of a text, with id and version of their headings, else empty and 0. Arguments of a
    call are numbered: which variables they are for, only the called workflow knows."""
    return [written.workflow for written in read_workflows(text, hostname, where)]


def read_workflows(text: str, hostname: str, where: str) -> list[Written]:
    """As `parse_workflows`, with their lines. An empty `hostname` takes that of each heading."""
    readers: list[_Reader] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            if _HEADING.fullmatch(line.strip()):
                readers.append(_Reader(line.strip(), number, hostname))
            elif not readers:
                raise ValueError("expected a heading, `# name of the workflow`")
            else:
                readers[-1].take(line.strip(), number)
        except ValueError as error:
            raise UsageError(f"{where} line {number}: {error}") from None
    if not readers:
        raise UsageError(f"{where} line 1: expected a heading, `# name of the workflow`")
    return [reader.done(where) for reader in readers]


_HEADING = re.compile(r"#{1,6}\s+(?P<rest>\S.*)")
_ABOUT = re.compile(r"(?P<name>.*?)\s+\((?P<about>[^()]*)\)")
_LABEL = re.compile(r"([\w.-]+)@(\d+)")
_VARIABLES = re.compile(r"variables?:\s*(.*)", re.IGNORECASE)
_GOALS = re.compile(r"(goals?):\s*(.*)", re.IGNORECASE)
_DECLARED = re.compile(
    r"\{([^{}]+)\}(?:\s*(?:e\.g\.|=|:)\s*(?:\"(.*?)\"(?=\s*(?:[,;]\s*\{|$))|([^\",;]*)))?\s*(?:[,;]\s*|$)"
)


class _Reader:
    """One workflow while its lines are read."""

    def __init__(self, heading: str, line: int, hostname: str) -> None:
        if len(heading) > MAX_LINE:
            raise ValueError(f"a line of {len(heading)} characters is no heading")
        rest = heading.lstrip("#").strip()
        about = _ABOUT.fullmatch(rest)
        parts = [part.strip() for part in about["about"].split("·")] if about else []
        label = next((found for part in parts if (found := _LABEL.fullmatch(part))), None)
        told = bool(label) or len(parts) > 1 or parts == [hostname]
        self._rendered = label is not None
        self._name = self._worded(about["name"] if about and told else rest)
        self._id, self._version = (label[1], int(label[2])) if label else ("", 0)
        hosts = [part for part in parts[1:] if "." in part or ":" in part] if told else []
        self._hostname = hostname or (hosts[0] if hosts else "")
        if not self._hostname:
            raise ValueError("the heading names no hostname; say which with --site")
        self._line = line
        self._description: list[str] = []
        self._examples: dict[str, str] | None = None
        self._goals: list[str] | None = None
        self._steps: list[WorkflowStep] = []
        self._lines: list[int] = []

    def _worded(self, text: str) -> str:
        return text if self._rendered else with_variables(text)

    def take(self, line: str, number: int) -> None:
        """Raises ValueError saying what is wrong with the line."""
        variables, goals = _VARIABLES.fullmatch(line), _GOALS.fullmatch(line)
        if looks_like_step(line):
            dashes = ("—",) if self._rendered else ("—", "–", "--", "-")
            self._steps.append(parse_step(self._worded(line), dashes))
            self._lines.append(number)
        elif self._steps:
            raise ValueError(f"expected a step, {STEP_FORM}, or a heading, `# name`; it is {line!r:.80}")
        elif variables:
            self._examples = _declared(variables[1])
        elif goals:
            told = goals[2].split(";") if goals[1].lower() == "goals" else [goals[2]]
            templates = [self._worded(part.strip()) for part in told]
            self._goals = [
                *(self._goals or []),
                *(part for part in templates if part and part.lower() != "none"),
            ]
        else:
            self._description.append(line)

    def done(self, where: str) -> Written:
        if not self._steps:
            raise UsageError(f"{where} line {self._line}: {self._name!r:.80} has no step, {STEP_FORM}")
        variables = declared_variables(self._steps, self._examples, self._goals)
        goals = self._goals
        if goals is None:
            needed = {variable.name for variable in variables if variable.in_goal}
            goals = [self._name] if needed <= set(variables_in(self._name)) else []
        workflow = Workflow(
            id=self._id,
            version=self._version,
            hostname=self._hostname,
            name=self._name,
            description=" ".join(self._description),
            steps=tuple(self._steps),
            variables=variables,
            goals=tuple(goals),
            reader=written_reader(self._steps),
            source="person",
            owner="person",
        )
        return Written(workflow, self._line, tuple(self._lines), self._goals is not None)


def declared_variables(
    steps: Sequence[WorkflowStep], examples: Mapping[str, str] | None, goals: Sequence[str] | None
) -> tuple[Variable, ...]:
    """The variables that were declared, then the others of the steps. A goal has to give those that
    the goals name; where there are no goals, the declared ones and those that are typed, chosen or
    handed on: what is only the name of a control is found on the page."""
    asked: list[str] = []
    shown: list[str] = []
    for step in steps:
        if step.tool != "stop":
            asked += variables_in(json.dumps(fill_any(dict(step.arguments), {}), ensure_ascii=False))
            shown += variables_in(step.target.name) if step.target else []
    declared = examples or {}
    in_goal = {name for goal in goals or () for name in variables_in(goal)} or {*declared, *asked}
    names = dict.fromkeys([*declared, *asked, *shown])
    return tuple(Variable(name, "", declared.get(name, ""), name in in_goal) for name in names)


def _declared(text: str) -> dict[str, str]:
    """`{place} e.g. "CMU", {day}` as names and examples."""
    examples, at = {}, 0
    while at < len(text):
        found = _DECLARED.match(text, at)
        if found is None:
            raise ValueError(f'expected `{{name}} e.g. "example", {{name}}` at {text[at:]!r:.60}')
        name = with_variables(f"{{{found[1]}}}").strip("{}")
        examples[name] = (found[2] if found[2] is not None else found[3] or "").strip()
        at = found.end()
    return examples


_BRACED = re.compile(r"\{([A-Za-z][^{}\n]{0,60})\}")


def with_variables(text: str) -> str:
    """The text with the names of its variables in our form: `{Place Name}` becomes `{place-name}`."""
    return _BRACED.sub(
        lambda found: "{" + re.sub(r"[^a-z0-9_]+", "-", found[1].lower()).strip("-") + "}", text
    )


_ARROW = re.compile(rf"->\s*(?=({'|'.join(WORDS)})(?![\w-]))", re.IGNORECASE)
_WIDE_ARROW = re.compile(r"\s{2,}" + _ARROW.pattern, re.IGNORECASE)
_NUMBER = re.compile(r"\d+[.)]\s*")
_TARGET = re.compile(r"\[([^\[\]]*)\](.*)", re.DOTALL)


def looks_like_step(line: str) -> bool:
    """Whether a line is, or was meant to be, a step."""
    return "->" in line and bool(_ARROW.search(line) or _NUMBER.match(line) or _TARGET.match(line))


def parse_step(line: str, dashes: Sequence[str] = ("—",)) -> WorkflowStep:
    """The step of a line; a state begins with one of `dashes`, the first that the line has. Raises
    ValueError saying what is wrong with it."""
    if len(line) > MAX_LINE:
        raise ValueError(f"a line of {len(line)} characters is no step")
    line = line.strip()
    arrow = _WIDE_ARROW.search(line) or _ARROW.search(line)
    if arrow is None:
        said = line.rpartition("->")[2].strip()
        known = ", ".join(word.upper() for word in WORDS)
        raise ValueError(f"unknown action {said!r:.60} after ->; the actions are: {known}")
    left = _NUMBER.sub("", line[: arrow.start()].strip(), count=1)
    tool, arguments = parse_action(line[arrow.end() :].strip())
    shown = _TARGET.fullmatch(left)
    if tool == "workflow":
        name, state = _named(left, dashes)
        call, values = _call(name)
        numbered = {str(n): value for n, value in enumerate(values, 1)}
        return WorkflowStep("workflow", None, {"id": "", "name": call, "arguments": numbered}, state)
    if shown is None:
        raise ValueError(f"expected `[role] name` before ->, as in {STEP_FORM}; it is {left!r:.80}")
    name, state = _named(shown[2], dashes)
    role = shown[1].strip().lower()
    if role == "page":
        return WorkflowStep(tool, None, arguments, state or name)
    return WorkflowStep(tool, Target(role, name), arguments, state)


def _named(text: str, dashes: Sequence[str]) -> tuple[str, str]:
    """A control's name, and the state after it."""
    text = f" {text.strip()}"
    quoted = _QUOTED.match(text.strip())
    if quoted:
        name, rest = str(json.loads(quoted[1])), f" {quoted[2].strip()}"
        after = next((rest[len(dash) + 1 :] for dash in dashes if rest.startswith(f" {dash} ")), None)
        lone = len(dashes) > 1 or needs_quotes(name)
        if lone and (after is not None or not rest.strip()):
            return name, (after or "").strip()
    for dash in dashes:
        name, found, state = text.partition(f" {dash} ")
        if found:
            return name.strip(), state.strip()
    return text.strip(), ""


_QUOTED = re.compile(r'("(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*")(.*)', re.DOTALL)


def needs_quotes(name: str) -> bool:
    """Whether a control's name is only read as it is where it stands in quotation marks."""
    odd = " — " in f" {name} " or "->" in name or name != " ".join(name.split())
    return odd or name.startswith('"')


def _call(text: str) -> tuple[str, list[str]]:
    """The name and the values of `name (value, value)`."""
    for place in (found.start() for found in re.finditer(r"\(", text)):
        depth = 0
        for at in range(place, len(text)):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            if depth == 0:
                break
        if depth == 0 and at == len(text) - 1:
            values = text[place + 1 : -1]
            return text[:place].strip(), [part.strip() for part in values.split(", ") if part.strip()]
    if not text:
        raise ValueError("expected the name of a workflow before -> WORKFLOW")
    return text, []


def parse_action(text: str) -> tuple[str, dict[str, Any]]:
    """The tool and the arguments of `ACTION (options): argument`. Raises ValueError."""
    word, rest = re.match(r"(\w*)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    tool = WORDS.get(word.lower(), "")
    if not tool:
        raise ValueError(f"unknown action {word!r:.60}; the actions are: {', '.join(WORDS).upper()}")
    options, rest = _options(tool, rest.strip())
    argument = rest.removeprefix(":").strip()
    if argument and tool != "stop" and not rest.startswith(":"):
        raise ValueError(f"expected `{word}: argument`; it is {text!r:.80}")
    if word.lower() == "enter":
        argument = argument or "Enter"
    arguments = {**_main_argument(tool, argument), **options}
    if tool == "dialog":
        arguments.setdefault("accept", True)
    if tool != "workflow":
        fault = argument_fault(tool, arguments)
        if fault:
            raise ValueError(fault)
    return tool, arguments


def _main_argument(tool: str, argument: str) -> dict[str, Any]:
    key = MAIN.get(tool)
    if key is None:
        if argument:
            raise ValueError(f"{tool.upper()} takes no argument after a colon; it is {argument!r:.60}")
        return {}
    if tool == "wait" and re.fullmatch(r"\d+(\.\d+)?( ?s)?", argument):
        return {"seconds": float(argument.rstrip("s ")) if "." in argument else int(argument.rstrip("s "))}
    if key in ("options", "paths") and argument:
        return {key: [argument]}
    return {key: argument} if argument or tool == "type" else {}


def _options(tool: str, text: str) -> tuple[dict[str, Any], str]:
    """The options in brackets at the beginning of a text, and what follows; no options where the
    brackets hold something else."""
    if not text.startswith("("):
        return {}, text
    known = {*BY_NAME[tool].properties, *NOTED} - {"ref", "to_ref"}
    found: dict[str, Any] = {}
    at = 1
    while option := _OPTION.match(text, at):
        key, at = option[1], option.end()
        is_flag = BY_NAME[tool].properties.get(key, {}).get("type") == "boolean"
        if key not in known or not (option[2] or is_flag):
            break
        found[key] = True
        if option[2]:
            found[key], at = _option_value(text, at)
        end = re.compile(r"\s*([,)])").match(text, at)
        if end is None:
            break
        at = end.end()
        if end[1] == ")":
            return found, text[at:].strip()
    if tool == "stop":
        return {}, text
    raise ValueError(f"can't read {text!r:.60}; options are {', '.join(sorted(known - NOTED))}")


_OPTION = re.compile(r"\s*([a-z_]+)\s*(=)?\s*")


def _option_value(text: str, at: int) -> tuple[Any, int]:
    """A JSON value, or a bare word."""
    try:
        return json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        word = re.compile(r"[^,()\s]+").match(text, at)
        return (word[0], word.end()) if word else ("", at)


def argument_fault(tool: str, arguments: Mapping[str, Any]) -> str:
    """What is wrong with the arguments of a stored step, which has no refs; empty where nothing is."""
    if tool not in WORDS:
        return f"unknown action {tool!r:.60}; the actions are: {', '.join(BY_NAME)}"
    schema = BY_NAME[tool]
    known = {*schema.properties, *NOTED, *(("name",) if tool == "workflow" else ())} - {"ref", "to_ref"}
    unknown = [key for key in arguments if key not in known]
    if unknown:
        return f"{tool} has no argument {unknown[0]!r:.60}"
    refs = {key: "e1" for key in ("ref", "to_ref") if key in schema.properties}
    said = {key: value for key, value in arguments.items() if key in schema.properties}
    checked = from_object({**said, **refs, "action": tool})
    return checked.message if isinstance(checked, Malformed) else ""


def is_variable(text: str) -> bool:
    """Whether a text is one variable and nothing else."""
    return VARIABLE.fullmatch(text) is not None
