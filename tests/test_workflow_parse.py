"""Workflow text is read as a person or the program wrote it, and a bad line is named."""

import random
from dataclasses import replace

import pytest

from webagent.errors import UsageError
from webagent.exchange import write_workflow
from webagent.observation import Target
from webagent.workflow import Variable, Workflow, WorkflowStep
from webagent.workflow_parse import parse_workflow, parse_workflows, read_workflows
from webagent.workflow_text import render_workflow

HOST = "maps.localhost"
SPEC = """
# find the zip code of a place            (wf_01@3 · maps.localhost · 12 of 13 runs)
Given that you are on the map's start page, this workflow finds the zip code of a place.
variables: {place} e.g. "CMU"
1. find a place by its name ({place})                                  -> WORKFLOW
2. [link] {place-result} — the full address ends with the zip code       -> CLICK
3. [text] {zip-code}                                                    -> STOP {zip-code}
"""


def step_of(line: str, heading: str = "# name") -> WorkflowStep:
    return parse_workflow(f"{heading}\n{line}", HOST, "w.txt").steps[0]


def test_the_text_of_the_contract_is_read() -> None:
    found = parse_workflow(SPEC, HOST, "w.txt")
    assert (found.id, found.version, found.name) == ("wf_01", 3, "find the zip code of a place")
    assert found.description.startswith("Given that you are on the map's start page")
    assert found.variables == (Variable("place", "", "CMU"), Variable("place-result", in_goal=False))
    assert found.steps == (
        WorkflowStep(
            "workflow", None, {"id": "", "name": "find a place by its name", "arguments": {"1": "{place}"}}
        ),
        WorkflowStep(
            "click", Target("link", "{place-result}"), {}, "the full address ends with the zip code"
        ),
        WorkflowStep("stop", Target("text", "{zip-code}"), {"answer": "{zip-code}"}),
    )
    assert found.goals == ()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[button] Go -> CLICK", WorkflowStep("click", Target("button", "Go"))),
        ("1) [Button] Go->click", WorkflowStep("click", Target("button", "Go"))),
        ("7.   [link]   A   ->   Click", WorkflowStep("click", Target("link", "A"))),
        ("[link] Go - it is blue -> CLICK", WorkflowStep("click", Target("link", "Go"), {}, "it is blue")),
        ("[link] A – b -> CLICK", WorkflowStep("click", Target("link", "A"), {}, "b")),
        ('[link] "A - b" - c -> CLICK', WorkflowStep("click", Target("link", "A - b"), {}, "c")),
        ("[textbox] Q -> TYPE: {Place Name}", WorkflowStep("type", Target("textbox", "Q"), {"text": "{place-name}"})),
        ("[textbox] Q -> FILL (submit): x", WorkflowStep("type", Target("textbox", "Q"), {"text": "x", "submit": True})),
        ("[textbox] Q -> TYPE", WorkflowStep("type", Target("textbox", "Q"), {"text": ""})),
        ("[input]   -> TYPE: a -> b", WorkflowStep("type", Target("input", ""), {"text": "a -> b"})),
        ("[combobox] S -> SELECT: Pittsburgh, PA", WorkflowStep("select", Target("combobox", "S"), {"options": ["Pittsburgh, PA"]})),
        ('[listbox] S -> SELECT (options=["a", "b"])', WorkflowStep("select", Target("listbox", "S"), {"options": ["a", "b"]})),
        ("[page] -> GOTO: /search?q={place}", WorkflowStep("goto", None, {"url": "/search?q={place}"})),
        ("[page] — more below -> SCROLL: down", WorkflowStep("scroll", None, {"direction": "down"}, "more below")),
        ("[page] -> WAIT: 2", WorkflowStep("wait", None, {"seconds": 2})),
        ("[page] -> WAIT: 2 results", WorkflowStep("wait", None, {"text": "2 results"})),
        ("[page] -> BACK", WorkflowStep("back")),
        ("[page] -> TAB (index=2): switch", WorkflowStep("tab", None, {"op": "switch", "index": 2})),
        ("[page] -> DIALOG (accept=false)", WorkflowStep("dialog", None, {"accept": False})),
        ("[textbox] Q -> ENTER", WorkflowStep("press", Target("textbox", "Q"), {"key": "Enter"})),
        ("[page] -> STOP", WorkflowStep("stop")),
        ("[page] -> STOP: (none)", WorkflowStep("stop", None, {"answer": "(none)"})),
        ("[page] -> STOP (none)", WorkflowStep("stop", None, {"answer": "(none)"})),
        ("[page] -> STOP (status=infeasible) no such page", WorkflowStep("stop", None, {"status": "infeasible", "answer": "no such page"})),
    ],
)  # fmt: skip
def test_a_line_a_person_writes_is_understood(line: str, expected: WorkflowStep) -> None:
    assert step_of(line) == expected


def test_a_hyphen_is_part_of_a_name_in_a_text_of_the_program() -> None:
    assert step_of("1. [link] A - b -> CLICK", "# name  (wf_1@2 · maps.localhost)").target == Target(
        "link", "A - b"
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", r"w.txt line 1: expected a heading, `# name"),
        ("\n[link] A -> CLICK", r"w.txt line 2: expected a heading"),
        ("# a\n\n# b\n[link] B -> CLICK", r"w.txt line 1: 'a' has no step, `N. \[role\] name"),
        ("# a\ntext\n1. [link] A -> CLICK\n2. [link] B -> CLIK", r"w.txt line 4: unknown action 'CLIK' .* CLICK, TYPE"),
        ("# a\n1. [link] A -> CLICK\nand then", r"w.txt line 3: expected a step"),
        ("# a\n1. link A -> CLICK", r"w.txt line 2: expected `\[role\] name` before ->"),
        ("# a\n[link] A -> CLICK: b", r"w.txt line 2: CLICK takes no argument"),
        ("# a\n[link] A -> CLICK b", r"w.txt line 2: expected `CLICK: argument`"),
        ("# a\n[link] A -> CLICK (treble)", r"w.txt line 2: can't read .*options are .*double"),
        ("# a\n[link] A -> CLICK (button=up)", r"w.txt line 2: click: 'button' must be one of left"),
        ("# a\n[page] -> GOTO", r"w.txt line 2: goto needs 'url'"),
        ("# a\n[page] -> SCROLL: around", r"w.txt line 2: scroll: 'direction' must be one of"),
        ("# a\nvariables: place\n[link] A -> CLICK", r"w.txt line 2: expected `\{name\} e.g."),
        ("# a\n-> WORKFLOW", r"w.txt line 2: expected the name of a workflow"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named(text: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        parse_workflow(text, HOST, "w.txt")


def test_several_headings_are_several_workflows_with_their_lines() -> None:
    text = f"{SPEC}\n\n## other\n[link] A -> CLICK\n\n[link] B -> CLICK\n"
    assert [w.name for w in parse_workflows(text, HOST, "w")] == ["find the zip code of a place", "other"]
    assert [(w.line, w.step_lines) for w in read_workflows(text, HOST, "w")] == [
        (2, (5, 6, 7)),
        (10, (11, 13)),
    ]
    with pytest.raises(UsageError, match="w holds 2 workflows; one is expected"):
        parse_workflow(text, HOST, "w")


def test_the_hostname_is_that_of_the_heading_where_none_is_given() -> None:
    assert parse_workflow(SPEC, "", "w").hostname == HOST
    with pytest.raises(UsageError, match="line 1: the heading names no hostname; say which with --site"):
        parse_workflow("# a\n[link] A -> CLICK", "", "w")


def test_goals_say_which_variables_a_goal_gives() -> None:
    text = '# zip\nvariables: {place} e.g. "a, "b" {c}", {day} e.g. Monday, {x}\ngoals: zip of {place}; {place} zip on {day}\n[link] {x} -> CLICK'
    found = parse_workflow(text, HOST, "w")
    assert found.goals == ("zip of {place}", "{place} zip on {day}")
    assert found.variables == (
        Variable("place", "", 'a, "b" {c}'),
        Variable("day", "", "Monday"),
        Variable("x", "", "", in_goal=False),
    )
    assert parse_workflow("# a\ngoals: none\n[link] A -> CLICK", HOST, "w").goals == ()
    assert parse_workflow("# a\ngoal: a; b\ngoal: c\n[link] A -> CLICK", HOST, "w").goals == ("a; b", "c")


@pytest.mark.parametrize(
    ("name", "goals"),
    [("zip of {Place}", ("zip of {place}",)), ("zip of a place", ()), ("zip of {other}", ())],
)
def test_without_goals_the_name_is_one_where_it_has_all_variables(name: str, goals: tuple[str, ...]) -> None:
    found = parse_workflow(f"# {name}\n[textbox] Q -> TYPE: {{place}}\n[link] {{hit}} -> CLICK", HOST, "w")
    assert found.goals == goals
    assert found.variables == (Variable("place"), Variable("hit", in_goal=False))


WORDS = [
    "Go",
    "A & B",
    "{place}",
    "Ünï 東京",
    "a, b",
    "(x)",
    "100 %",
    "it's",
    "50-50",
    "#1",
    "a: b",
    "x [y]",
    "Tab",
]
NAMES = [*WORDS, "", "A — B", '"quoted"', "to -> there", "- dash", "two  spaces", "x" * 200, '"', "a\nb"]
TEXTS = [*WORDS, "", "2", "(submit)", "two\nlines", " edge ", "a -> CLICK", '["a"]', "x — y"]
STATES = [*WORDS, "", "the page says so"]


def any_step(rng: random.Random, names: list[str], texts: list[str]) -> WorkflowStep:
    target = Target(rng.choice(["link", "textbox", "option", ""]), rng.choice(names))
    text = rng.choice(texts)
    choices: list[tuple[str, bool, dict[str, object]]] = [
        ("click", True, rng.choice([{}, {"double": True}, {"button": "right"}])),
        ("type", True, {"text": text, **rng.choice([{}, {"submit": True}, {"clear": False}])}),
        ("select", True, {"options": [text or "x"]}),
        ("press", rng.random() < 0.5, {"key": "Control+A"}),
        ("goto", False, {"url": "/search?q={place}"}),
        ("tab", False, {"op": "switch", "index": 2}),
        ("wait", False, rng.choice([{"seconds": 1.5}, {"seconds": 2}, {"text": text}])),
        ("dialog", False, {"accept": rng.random() < 0.5, **rng.choice([{}, {"text": text}])}),
        ("drag", True, {"dx": 1.5, "dy": 3}),
        ("stop", rng.random() < 0.5, {"answer": text} if text else {}),
    ]
    tool, has_target, arguments = rng.choice(choices)
    return WorkflowStep(tool, target if has_target else None, arguments, rng.choice(STATES))


def any_workflow(rng: random.Random, names: list[str], texts: list[str]) -> Workflow:
    steps = tuple(any_step(rng, names, texts) for _ in range(rng.randint(1, 6)))
    goals = rng.choice([(), ("zip of {place}",), ("a; b {place}", "zip {place}")])
    variables = (
        rng.choice([(), (Variable("place", "", rng.choice(["", "CMU", 'a "b", c'])),)])
        if not goals
        else (Variable("place"),)
    )
    return Workflow(
        "wf_1", 3, HOST, rng.choice(["find it", "a (b) c"]), "Given that.", steps, variables, goals
    )


@pytest.mark.parametrize("seed", range(200))
def test_a_workflow_comes_back_from_its_whole_text(seed: int) -> None:
    workflow = any_workflow(random.Random(seed), NAMES, TEXTS)
    found = parse_workflow(write_workflow(workflow), HOST, "w")
    assert found.steps == workflow.steps
    assert (found.id, found.version, found.name) == ("wf_1", 3, workflow.name)
    assert (found.description, found.goals) == (workflow.description, workflow.goals)
    if workflow.variables:
        assert found.variables == workflow.variables


@pytest.mark.parametrize("seed", range(100))
def test_a_workflow_comes_back_from_what_the_prompt_shows(seed: int) -> None:
    rng = random.Random(seed)
    whole = any_workflow(rng, WORDS, WORDS)
    plain = {"button", "double", "submit", "clear", "index", "seconds", "accept", "dx", "dy"}
    steps = tuple(
        replace(step, arguments={k: v for k, v in step.arguments.items() if k not in plain})
        for step in whole.steps
        if step.tool != "dialog"
    ) or (WorkflowStep("back"),)
    workflow = replace(whole, steps=steps, goals=())
    found = parse_workflow(render_workflow(workflow), HOST, "w")
    assert found.steps == workflow.steps
    assert (found.name, found.description) == (workflow.name, workflow.description)
    assert found.variables == workflow.variables or not workflow.variables
