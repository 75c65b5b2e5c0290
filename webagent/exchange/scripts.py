"""Workflows as Python that needs nothing of this program: a Playwright script or a pytest test each."""

import keyword
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from string import Template
from textwrap import indent

from webagent.answers import normal
from webagent.errors import UsageError
from webagent.exchange.script_steps import Writer, kept_whole, literal
from webagent.exchange.skill import skill_name
from webagent.ids import one_line
from webagent.induction.llm import bound_values
from webagent.routine import align, is_consent, routine_of
from webagent.store import Store
from webagent.workflow import Workflow, WorkflowStep, expand, fill_any, variables_in

SCRIPT_FORMS = ("playwright", "pytest")
CHUNK = 30
"""Statements of one function: linters want them short."""
LONGEST = 40
"""Characters of a test's name, so that its line stays one."""
RESERVED = ("url", "headed", "executable-path", "help")
PLAYWRIGHT = ("Error", "FrameLocator", "Locator", "Page", "expect", "sync_playwright")
Case = tuple[Mapping[str, str], str | None]
"""Values, and the answer they give, where it is known."""


@dataclass(frozen=True)
class Script:
    """One workflow as a file: its name, and its text."""

    name: str
    text: str


def scripts(
    store: Store, workflows: Sequence[tuple[Workflow, str]], form: str
) -> tuple[list[Script], list[UsageError]]:
    """A file for each workflow and the URL where it begins; why others can't be written."""
    written: list[Script] = []
    faults: list[UsageError] = []
    taken: set[str] = set()
    for workflow, url in workflows:
        name = skill_name(workflow, taken)
        try:
            steps = expand(workflow, store.workflow)
            if steps is None:
                raise UsageError(f"{workflow.label} is no script: a workflow that it calls is gone")
            if form == "pytest":
                text = pytest_text(workflow, steps, url, cases(store, workflow, steps))
            else:
                text = playwright_text(workflow, steps, url)
        except UsageError as fault:
            faults.append(fault)
            continue
        taken.add(name)
        file = name.replace("-", "_")
        written.append(Script(f"test_{file}.py" if form == "pytest" else f"{file}.py", text))
    return written, faults


def write_scripts(files: Sequence[Script], folder: Path) -> list[Path]:
    """Writes the files into a folder, which is made where there is none. Raises UsageError."""
    paths = [folder / script.name for script in files]
    for path, script in zip(paths, files, strict=True):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(script.text, "utf-8")
        except OSError as error:
            raise UsageError(f"{path} can't be written: {error.strerror or error}") from error
    return paths


def playwright_text(workflow: Workflow, steps: Sequence[WorkflowStep], url: str) -> str:
    """A script with an option for each value it needs; prints the answer, or the last URL. Raises
    UsageError for a workflow that can't be one."""
    needed = needed_values(workflow, steps)
    writer = Writer(workflow, list(needed))
    functions = _functions(workflow, writer.statements(steps))
    writer.use("argparse", "sys", "Error", "Page", "sync_playwright")
    names = _option_names(needed)
    described = {variable.name: variable.description for variable in workflow.variables}
    options = [_option(name, names[name], needed[name], described.get(name, "")) for name in needed]
    description = f"description={literal(_plain(workflow.name))}"
    parser = _call("parser = argparse.ArgumentParser", [description, "allow_abbrev=False"])
    return _template("playwright").substitute(
        title=_plain(workflow.name),
        about=_about(workflow),
        imports=_imports(writer.used),
        url=kept_whole(f"URL = {literal(url)}"),
        functions="\n\n\n".join([*_parts(writer.used), *functions]),
        options="\n".join([parser, *options]),
        values=_dict("    values = ", [f"{literal(name)}: given.{names[name]}" for name in needed]),
    )


def pytest_text(workflow: Workflow, steps: Sequence[WorkflowStep], url: str, known: Sequence[Case]) -> str:
    """A test in the manner of pytest-playwright, once for each known case. Raises UsageError."""
    needed = needed_values(workflow, steps)
    writer = Writer(workflow, list(needed))
    functions = _functions(workflow, writer.statements(steps))
    writer.use("os", "pytest", "Page")
    path = next((step.expect for step in reversed(steps) if step.expect), "")
    test = _test(workflow, writer, [({**needed, **values}, answer) for values, answer in known], path)
    return _template("pytest").substitute(
        title=_plain(workflow.name),
        about=_about(workflow),
        imports=_imports(writer.used),
        url=kept_whole(f'URL = os.environ.get("START_URL", {literal(url)})'),
        functions="\n\n\n".join([*_parts(writer.used), *functions, test]),
    )


def _test(workflow: Workflow, writer: Writer, known: Sequence[Case], path: str) -> str:
    """The test's cases and the test."""
    answered = [case for case in known if case[1]] if workflow.reader else []
    if answered:
        writer.use("tidy")
        check = ["assert tidy(carry_out(page, values)) == tidy(answer)"]
    elif workflow.reader:
        check = ["assert carry_out(page, values)"]
    else:
        writer.use("expect", *(["at"] if path else []))
        there = f"page).to_have_url(at({literal(path)}))" if path else 'page.locator("body")).to_be_visible()'
        check = ["carry_out(page, values)", f"expect({there}"]
    rows = [
        _flat(values) if not answered else f"({_flat(values)}, {literal(answer or '')})"
        for values, answer in answered or known
    ]
    listed = "".join(f"    {row},\n" for row in dict.fromkeys(rows))
    names = '("values", "answer")' if answered else '"values"'
    given = "page: Page, values: dict[str, str]" + (", answer: str" if answered else "")
    name = skill_name(workflow, set())
    name = (name if len(name) <= LONGEST else name[:LONGEST].rpartition("-")[0] or name[:LONGEST]).replace(
        "-", "_"
    )
    body = "".join(
        f"    {kept_whole(line)}\n" for line in ("page.set_default_timeout(10_000)", "page.goto(URL)", *check)
    )
    return (
        f"{kept_whole(f'CASES = [{chr(10)}{listed}]')}\n\n\n"
        f"@pytest.mark.parametrize({names}, CASES)\n"
        f"def test_{name}({given}) -> None:\n{body}"
    ).rstrip()


def needed_values(workflow: Workflow, steps: Sequence[WorkflowStep]) -> dict[str, str]:
    """The variables that must have a value from the start, with their examples: those that the goal
    names, and those that are typed. What is only found on the way (a result's name) is none."""
    typed = [
        name
        for step in steps
        if step.tool != "stop"
        for name in variables_in(str(fill_any(dict(step.arguments), {})))
    ]
    examples = {variable.name: variable.example for variable in workflow.variables}
    named = [variable.name for variable in workflow.variables if variable.in_goal]
    return {name: examples.get(name, "") for name in dict.fromkeys([*named, *typed])}


def cases(store: Store, workflow: Workflow, steps: Sequence[WorkflowStep]) -> list[Case]:
    """Values and answers of the successful runs that the workflow was learned from, its own example
    first; that alone where those runs are gone."""
    needed = needed_values(workflow, steps)
    acting = [step for step in steps if step.tool != "stop" and not is_consent(step.target)]
    found: dict[str, Case] = {}
    for run in store.trajectories(workflow.origins):
        done = align(acting, routine_of(run))
        values = bound_values(acting, done) if done is not None else {}
        if needed.keys() <= values.keys() and (answer := _read_so(workflow, run.answer)) != "":
            case = {name: values[name] for name in needed}
            found.setdefault(normal(str(case)), (case, answer))
    if not found:
        answers = workflow.reader.examples if workflow.reader else ()
        return [({}, answers[0] if answers else None)]
    return sorted(found.values(), key=lambda case: case[0] != needed)


def _read_so(workflow: Workflow, answer: str | None) -> str | None:
    """The run's answer as the reader reads it: one of its examples. None where it reads none, empty
    where this run's is unknown."""
    if workflow.reader is None:
        return None
    examples = workflow.reader.examples
    return next((example for example in examples if normal(example) == normal(answer or "")), "")


def _functions(workflow: Workflow, steps: Sequence[Sequence[str]]) -> list[str]:
    """`carry_out`, and functions that it calls where there are too many statements for one."""
    chunks: list[list[str]] = [[]]
    for statements in steps:
        if len(chunks[-1]) + len(statements) > CHUNK:
            chunks.append([])
        chunks[-1] += statements
    takes = "page: Page, values: dict[str, str]"
    functions = []
    calls = []
    for n, chunk in enumerate(chunks[:-1], 1):
        lines = ["return page, values"]
        functions.append(_function(f"part_{n}({takes}) -> tuple[Page, dict[str, str]]", "", [*chunk, *lines]))
        calls.append(f"page, values = part_{n}(page, values)")
    about = _plain(workflow.description or workflow.name)
    functions.append(_function(f"carry_out({takes}) -> str", about, [*calls, *chunks[-1]]))
    return functions


def _function(head: str, about: str, statements: Sequence[str]) -> str:
    body = [f'"""{about}"""'] * bool(about) + [kept_whole(statement) for statement in statements]
    return f"def {head}:\n{indent(chr(10).join(body), '    ')}"


def _option(name: str, dest: str, example: str, described: str) -> str:
    """One `add_argument` of a value."""
    flag = f"--{name}" if name not in RESERVED else f"--{name}-value"
    arguments = [literal(flag)]
    if dest != flag[2:].replace("-", "_"):
        arguments.append(f"dest={literal(dest)}")
    arguments.append(f"default={literal(example)}" if example else "required=True")
    if described:
        arguments.append(f"help={literal(_plain(described).replace('%', '%%'))}")
    return _call("parser.add_argument", arguments)


def _option_names(needed: Iterable[str]) -> dict[str, str]:
    """An attribute's name for each variable."""
    names: dict[str, str] = {}
    for name in needed:
        plain = re.sub(r"\W", "_", name)
        free = f"{plain}_value" if keyword.iskeyword(plain) or name in RESERVED else plain
        while free in names.values():
            free += "_"
        names[name] = free
    return names


def _call(function: str, arguments: Sequence[str]) -> str:
    """A call inside a function, on one line where it fits there."""
    line = f"    {function}({', '.join(arguments)})"
    if kept_whole(line) == line:
        return line
    return f"    {function}(\n{''.join(f'        {argument},{chr(10)}' for argument in arguments)}    )"


def _dict(before: str, pairs: Sequence[str]) -> str:
    line = f"{before}{{{', '.join(pairs)}}}"
    if kept_whole(line) == line:
        return line
    return f"{before}{{\n{''.join(f'        {pair},{chr(10)}' for pair in pairs)}    }}"


def _flat(values: Mapping[str, str]) -> str:
    return f"{{{', '.join(f'{literal(name)}: {literal(value)}' for name, value in values.items())}}}"


def _imports(used: Collection[str]) -> str:
    """The imports in the linter's order."""
    plain = [f"import {name}" for name in ("argparse", "os", "re", "sys") if name in used]
    plain += ["from contextlib import suppress"] * ("suppress" in used)
    plain += ["from typing import Any"] * ("Any" in used)
    quoting = [name for name in ("quote", "urljoin") if name in used]
    plain += [f"from urllib.parse import {', '.join(quoting)}"] * bool(quoting)
    others = ["import pytest"] * ("pytest" in used)
    others.append(f"from playwright.sync_api import {', '.join(name for name in PLAYWRIGHT if name in used)}")
    return "\n".join(plain) + "\n\n" + "\n".join(others)


def _parts(used: Collection[str]) -> list[str]:
    """The parts that are called, in their file's order."""
    parts = _file("parts").rstrip("\n").split("\n\n\n")
    return [part for part in parts if re.split(r"\W", part.removeprefix("def "))[0] in used]


def _plain(text: str) -> str:
    """Words for a docstring, which they can't end."""
    line = "".join(char for char in one_line(text, 400) if char.isprintable())
    return line.replace("\\", "/").replace('"', "'").replace("%(", "% (").strip() or "a workflow"


def _about(workflow: Workflow) -> str:
    return f"Exported by webagent from {_plain(workflow.label)} of {_plain(workflow.hostname)}; change it as you like."


def _template(name: str) -> Template:
    return Template(_file(name))


@cache
def _file(name: str) -> str:
    return resources.files("webagent").joinpath("exchange", "templates", f"{name}.txt").read_text("utf-8")
