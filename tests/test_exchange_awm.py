"""AWM's text comes in without loss of steps, in both forms, and nothing in it is carried out."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from webagent.errors import UsageError
from webagent.exchange import Place, Report, export_awm, export_text, import_path
from webagent.exchange.calls import CallFault, parse_calls
from webagent.observation import Target
from webagent.store import Store
from webagent.workflow import Variable, WorkflowStep

CASES = Path(__file__).parents[2] / "shared" / "cases" / "awm"
SHOP = Place("shop.example", "http://shop.example/", "shop")
MIND2WEB = """Website: Shopping, Tools
## Query 1: Buy a hammer
Actions:
[link]  Hammers -> CLICK

Summary Workflows:
## search_for_item
Given that you are on the start page, this workflow looks for an item.
[textbox]  Search - all -> TYPE: {Item Name}
[button]   -> CLICK

[combobox]  {sort list} -> SELECT: Price, low first
## open_cart
[link]  Cart -> CLICK"""
WEBARENA = """## Concrete Examples

Query: How many orders?
Actions:
<think>
I look.
</think>
<action>
click('12')
</action>

## Summary Workflows

Workflow 1: Search for an item
Looks for {item}.
<think>
The box is at the top.

It takes two lines.
</think>
<action>
fill('{search-box-id}', '{item}')
press('{search-box-id}', 'Enter')
</action>

<action>scroll(0, -200)</action>


<think>Go on.</think> <action>select_option("31", ["a", 'b'])</action>

Workflow 2: Answer
<think>
Done.
</think>
<action>
send_msg_to_user('It is "5".')
</action>
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "workflows.db") as store:
        yield store


def imported(store: Store, tmp_path: Path, text: str, form: str = "auto") -> Report:
    path = tmp_path / "awm.txt"
    path.write_text(text, "utf-8")
    return import_path(store, path, SHOP, form)


def test_the_mind2web_form_keeps_every_step(store: Store, tmp_path: Path) -> None:
    done = imported(store, tmp_path, MIND2WEB)
    assert [(row.name, row.steps) for row in done.rows] == [("search_for_item", 3), ("open_cart", 1)]
    assert done.left_out == ["Buy a hammer"]
    found = store.workflow(done.rows[0].id)
    assert found is not None
    assert found.steps == (
        WorkflowStep("type", Target("textbox", "Search - all"), {"text": "{item-name}"}),
        WorkflowStep("click", Target("button", "")),
        WorkflowStep("select", Target("combobox", "{sort-list}"), {"options": ["Price, low first"]}),
    )
    assert found.variables == (Variable("item-name"), Variable("sort-list", in_goal=False))
    assert (found.goals, found.source, found.status, found.learned) == ((), "import", "candidate", "import")
    assert store.history(found.id)[0]["by"] == "import"


def test_the_webarena_form_keeps_every_step_across_blank_lines(store: Store, tmp_path: Path) -> None:
    done = imported(store, tmp_path, WEBARENA)
    assert [(row.name, row.steps, row.line) for row in done.rows] == [
        ("Search for an item", 4, 14),
        ("Answer", 1, 31),
    ]
    found = store.workflow(done.rows[0].id)
    assert found is not None
    assert found.steps == (
        WorkflowStep(
            "type",
            Target("", "{search-box-id}"),
            {"text": "{item}"},
            "The box is at the top. It takes two lines.",
        ),
        WorkflowStep("press", Target("", "{search-box-id}"), {"key": "Enter"}),
        WorkflowStep("scroll", None, {"direction": "up", "dx": 0, "dy": -200}),
        WorkflowStep("select", Target(""), {"bid": "31", "options": ["a", "b"]}, "Go on."),
    )
    assert found.goals == ()
    answer = store.workflow(done.rows[1].id)
    assert answer is not None
    assert answer.steps == (WorkflowStep("stop", None, {"answer": 'It is "5".'}, "Done."),)


def test_a_second_import_skips_and_a_changed_file_makes_a_new_version(store: Store, tmp_path: Path) -> None:
    imported(store, tmp_path, MIND2WEB)
    assert {row.result for row in imported(store, tmp_path, MIND2WEB).rows} == {"skipped"}
    done = imported(store, tmp_path, MIND2WEB.replace("Cart -> CLICK", "Basket -> CLICK"))
    assert [(row.result, row.version) for row in done.rows] == [("skipped", 1), ("new version", 2)]


def test_what_goes_out_as_awm_comes_back(store: Store, tmp_path: Path) -> None:
    imported(store, tmp_path, MIND2WEB)
    text = export_awm(store, store.workflows())
    assert "[textbox]  Search - all -> TYPE: {item-name}" in text
    assert {row.result for row in imported(store, tmp_path, text).rows} == {"skipped"}
    again = export_text(store.workflows())
    assert {row.result for row in imported(store, tmp_path, again, "text").rows} == {"skipped"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("just words\n", "line 1: no workflow of AWM's forms"),
        ("## a\n", "line 1: 'a' has no step"),
        ("## a\n[link]  A -> CLICK\n[link]  A -> CLONK", "line 3: unknown action 'CLONK'"),
        ("[link]  A -> CLICK", "line 1: a step before any heading"),
        ("## a\n[link]  A -> CLICK\nwhat now\n", "line 3: expected a step or a heading"),
        ("Workflow 1: a\n<think>\nb\n<action>\nclick('1')\n</action>", "line 2: <think> is not closed"),
        ("Workflow 1: a\n<action>\n\nclick('1'\n</action>", r"line \d: can't read the action"),
        ("Workflow 1: a\n<action>\n\nleap('1')\n</action>", "line 4: unknown action 'leap'"),
        ("Workflow 1: a\n<action>\n</action>", "line 2: an empty action"),
        ("## a\n[page]  -> GOTO: http://evil.example/", "line 2: goto leads to .* outside shop.example"),
        (f"## a\n[textbox]  A -> TYPE: {'x' * 60_000}", "line 2: a line of 600.. characters is no step"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_nothing_is_imported(
    store: Store, tmp_path: Path, text: str, fault: str
) -> None:
    with pytest.raises(UsageError, match=f"awm.txt {fault}"):
        imported(store, tmp_path, f"{text}", "awm")
    assert store.counts()["workflows"] == 0


@pytest.mark.parametrize(
    "call",
    [
        "__import__('os').system('touch x')",
        "click(open('x', 'w'))",
        "fill('1', f'{open(1)}')",
        "click(*['1'])",
        "click(**{'bid': '1'})",
        "x = click('1')",
        "import os",
        "click('1' + '2')",
        "eval('1')",
        "(" * 5000 + ")" * 5000,
        "click('1'" + ", 'left'" * 5,
        "click('1', '2', '3', '4')",
        "x" * 30_000,
    ],
)
def test_only_calls_with_plain_values_are_read(call: str, tmp_path: Path) -> None:
    with pytest.raises(CallFault):
        parse_calls(call)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("click('a46')", ("click", {"bid": "a46"})),
        ("click(389)", ("click", {"bid": 389})),
        ("click('1', button='right')", ("click", {"bid": "1", "button": "right"})),
        ("dblclick('1')", ("click", {"bid": "1", "double": True})),
        ("click({search-box-id})", ("click", {"bid": "{search-box-id}"})),
        ("scroll(0, 300)", ("scroll", {"direction": "down", "dx": 0, "dy": 300})),
        ("scroll(-50.5, 0)", ("scroll", {"direction": "left", "dx": -50.5, "dy": 0})),
        ("tab_focus(0)", ("tab", {"op": "switch", "index": 1})),
        ("goto('http://a.example/')", ("goto", {"url": "http://a.example/"})),
        ("stop", ("stop", {})),
        ("stop [a [b] c]", ("stop", {"answer": "a [b] c"})),
        ("type [12] [two words] [0]", ("type", {"bid": "12", "text": "two words"})),
        ("press [Enter]", ("press", {"key": "Enter"})),
        ("scroll [down]", ("scroll", {"direction": "down"})),
        ("report_infeasible('no')", ("stop", {"status": "infeasible", "answer": "no"})),
        ("noop(500)", ("wait", {"seconds": 0.5})),
        ("```\ngo_back()\n```", ("back", {})),
        ("drag_and_drop('1', '2')", ("drag", {"bid": "1", "to_bid": "2"})),
        (r"fill('1', 'a\d')", ("type", {"bid": "1", "text": r"a\d"})),
        ('fill("1", """a\n  b""")', ("type", {"bid": "1", "text": "a\n  b"})),
    ],
)
def test_a_call_means_one_of_our_actions(text: str, expected: tuple[str, object]) -> None:
    assert [(call.tool, call.arguments) for call in parse_calls(text)] == [expected]


FILES = ["mind2web/one_shot_abstract.txt", "mind2web/one_shot_action.txt", "webarena/one_shot.txt"]


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not beside this repository")
@pytest.mark.parametrize("name", FILES)
def test_the_real_files_come_in_without_loss_of_steps(store: Store, name: str) -> None:
    text = (CASES / name).read_text("utf-8")
    part = re.split(r"(?:Summary|Extracted) Workflows:?", text)[1]
    wanted = len(re.findall(r" -> (?:CLICK|TYPE)", part)) or part.count("<action>")
    assert wanted in (17, 6)
    done = import_path(store, CASES / name, SHOP)
    assert sum(row.steps for row in done.rows) == wanted
    stored = sum(len(workflow.steps) for workflow in store.workflows("shop.example"))
    assert stored == wanted
    assert len(done.left_out) == len(re.findall(r"^(?:## )?Query", text, re.MULTILINE))
    assert {row.status for row in done.rows} == {"candidate"}


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not beside this repository")
@pytest.mark.parametrize(
    "name",
    ["mind2web/instruction_abstract.txt", "mind2web/instruction_action.txt", "webarena/instruction.txt"],
)
def test_an_instruction_without_workflows_is_refused(store: Store, name: str) -> None:
    with pytest.raises(UsageError, match="can't tell what this is"):
        import_path(store, CASES / name, SHOP)
    with pytest.raises(UsageError, match="line 1: no workflow of AWM's forms"):
        import_path(store, CASES / name, SHOP, "awm")
