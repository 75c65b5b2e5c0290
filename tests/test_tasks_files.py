"""Task files in each format, and how a bad line is named."""

import json
import sys
from pathlib import Path

import pytest

from webagent.errors import UsageError
from webagent.tasks import Expect, read_tasks

ONE = {"id": "a", "goal": "find x", "site": "maps", "expect": {"answer": "1"}}
TWO = {"id": "b", "goal": "find y", "url": "http://x.test/", "max_steps": 5}


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.jsonl", f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n"),
        ("t.jsonl", f"\ufeff# two tasks\n\n{json.dumps(ONE)}\r\n  \n{json.dumps(TWO)}"),
        ("t.jsonl", json.dumps([ONE, TWO])),
        ("t.json", json.dumps([ONE, TWO], indent=2)),
        ("t.json", "# comment\n" + json.dumps([ONE, TWO], indent=2)),
        ("t.json", f"{json.dumps(ONE)}\n{json.dumps(TWO)}"),
        ("t.json", json.dumps({"tasks": [ONE, TWO]}, indent=1)),
        ("t.txt", f"{json.dumps(ONE)}\n{json.dumps(TWO)}"),
        ("t", json.dumps([ONE, TWO])),
        (
            "t.csv",
            'id,goal,site,url,expect,max_steps\na,find x,maps,,"{""answer"": ""1""}",\nb,find y,,http://x.test/,,5\n',
        ),
        (
            "t.csv",
            "\ufeff# comment\nid;goal;site;url;expect.answer;max_steps\n\na;find x;maps;;1;\n# more\nb;find y;;http://x.test/;;5\n",
        ),
        (
            "t.tsv",
            "id\tgoal\tsite\turl\texpect.answer\tmax_steps\na\tfind x\tmaps\t\t1\nb\tfind y\t\thttp://x.test/\t\t5",
        ),
    ],
)
def test_each_format_gives_the_same_tasks(tmp_path: Path, name: str, text: str) -> None:
    one, two = read_tasks(write(tmp_path, name, text))
    assert (one.id, one.goal, one.site, one.expect) == ("a", "find x", "maps", Expect(answer=("1",)))
    assert (two.id, two.url, two.max_steps, two.expect) == ("b", "http://x.test/", 5, None)


def test_one_object_is_one_task(tmp_path: Path) -> None:
    assert [task.id for task in read_tasks(write(tmp_path, "t.json", json.dumps(ONE, indent=2)))] == ["a"]


def test_a_line_may_hold_unicode_line_separators(tmp_path: Path) -> None:
    goal = "find \u2028 x \x85 y"
    path = write(tmp_path, "t.jsonl", json.dumps({**ONE, "goal": goal}, ensure_ascii=False))
    assert read_tasks(path)[0].goal == goal


def test_csv_cells_may_hold_lists_regular_expressions_and_newlines(tmp_path: Path) -> None:
    text = (
        "id,goal,site,expect.answer_includes,expect.answer_matches,expect.infeasible\n"
        '1,"two\nlines",maps,"[""a"", ""b""]","[0-9]+",\n'
        "2,no way,maps,,,true\n"
    )
    one, two = read_tasks(write(tmp_path, "t.csv", text))
    assert one.goal == "two\nlines"
    assert one.expect == Expect(answer_includes=("a", "b"), answer_matches="[0-9]+")
    assert two.expect == Expect(infeasible=True)


BAD = {**ONE, "id": "c", "max_steps": -1}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.jsonl", f"{json.dumps(ONE)}\n# x\n{{broken\n", ["line 3", "not JSON", "column 2"]),
        ("t.jsonl", '{"id": 1,}\n', ["line 1", "not JSON"]),
        ("t.jsonl", f"{json.dumps(ONE)}\n\n{json.dumps(BAD)}", ["line 3", "max_steps", "-1"]),
        ("t.jsonl", f"{json.dumps(ONE)}\n[1]", ["line 2", "must be an object"]),
        ("t.jsonl", f"{json.dumps(ONE)}\n\n{json.dumps(ONE)}", ["line 3", "'a'", "line 1"]),
        ("t.json", json.dumps([ONE, BAD]), ["task 2", "max_steps"]),
        ("t.json", '[\n{"id": "a",\n "goal" "g"}]', ["line 3", "not JSON"]),
        ("t.json", "5", ["list of tasks", "5"]),
        ("t.json", "[5]", ["task 1", "must be an object"]),
        ("t.json", "[]", ["no task"]),
        ("t.jsonl", "\n# nothing\n", ["no task"]),
        ("t.json", "", ["no task"]),
        ("t.csv", "", ["no task"]),
        ("t.csv", "id,goal\n", ["no task"]),
        ("t.csv", "a,b\n1,2\n", ["line 1", "goal", "a"]),
        ("t.csv", 'id,goal,site\n1,"x\ny",maps\n2,,maps\n', ["line 4", "lacks 'goal'"]),
        ("t.csv", "id,goal,site\n1,x,maps,more\n", ["line 2", "4 cells", "3 columns"]),
        ("t.csv", 'id,goal,site\n1,"x,maps\n', ["line 2", "not CSV"]),
        ("t.csv", "id,goal,site,expect\n1,x,maps,{bad\n", ["line 2", "expect", "not JSON"]),
        ("t.csv", 'id,goal,site,expect,expect.answer\n1,x,maps,"{}",y\n', ["line 2", "both"]),
        ("t.csv", "id,goal,site,expect.anser\n1,x,maps,y\n", ["line 2", "'anser'", "answer"]),
        ("t.docx", "hello", ["not a task file", "JSON Lines"]),
    ],
)
def test_a_bad_entry_is_named_with_its_file_and_place(
    tmp_path: Path, name: str, text: str, words: list[str]
) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(UsageError) as error:
        read_tasks(path)
    for word in [str(path), *words]:
        assert word in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        read_tasks(tmp_path / "nowhere.jsonl")
    with pytest.raises(UsageError, match="can't read"):
        read_tasks(tmp_path)
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"id": "\xff"}')
    with pytest.raises(UsageError, match="not UTF-8"):
        read_tasks(path)


def test_a_webarena_file_is_read_as_it_is(tmp_path: Path) -> None:
    config = {
        "sites": ["map"],
        "task_id": 7,
        "start_url": "__MAP__",
        "intent": "zip code?",
        "eval": {"eval_types": ["string_match"], "reference_answers": {"exact_match": "15213"}},
        "intent_template_id": 1,
    }
    path = write(tmp_path, "test.raw.json", json.dumps([config, {**config, "task_id": 8}], indent=2))
    tasks = read_tasks(path, sites={"map": "http://map.test:3000"})
    assert [(task.id, task.start()) for task in tasks] == [
        ("7", "http://map.test:3000"),
        ("8", "http://map.test:3000"),
    ]


def test_without_pyyaml_a_yaml_file_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(UsageError, match="pip install pyyaml"):
        read_tasks(write(tmp_path, "t.yaml", "- id: a"))


def test_yaml_keeps_zip_codes_and_words_as_text(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    text = """
# tasks
- id: a
  goal: find the zip code
  site: maps
  max_steps: 4
  expect: {answer: 01234}
- {id: 2024-01-05, goal: no, url: "http://x.test/", expect: {infeasible: true}}
- id: c
  goal: |
    cart
  site: shop
  expect:
    request: {path: /api, json: {n: 1, price: 2.5, on: null}}
"""
    one, two, three = read_tasks(write(tmp_path, "t.yaml", text))
    assert (one.expect, one.max_steps) == (Expect(answer=("01234",)), 4)
    assert (two.id, two.goal, two.expect) == ("2024-01-05", "no", Expect(infeasible=True))
    assert three.expect
    assert three.expect.request[0].json == {"n": 1, "price": 2.5, "on": None}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- id: [", ["line 1", "not YAML"]),
        ("- id: a\n  goal: x\n  site: maps\n- id: a\n  goal: y\n  site: maps", ["task 2", "task 1"]),
        ("- !!python/object:os.system {}", ["not YAML"]),
        ("", ["no task"]),
        ("just words", ["list of tasks", "just words"]),
    ],
)
def test_bad_yaml_is_named(tmp_path: Path, text: str, words: list[str]) -> None:
    pytest.importorskip("yaml")
    with pytest.raises(UsageError) as error:
        read_tasks(write(tmp_path, "t.yml", text))
    for word in words:
        assert word in str(error.value)
