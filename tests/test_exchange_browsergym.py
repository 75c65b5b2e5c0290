"""BrowserGym's experiment folders become runs: all steps, thoughts and ids, and nothing carried out."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from webagent.errors import UsageError
from webagent.exchange import Place, import_path
from webagent.exchange.browsergym import is_imported
from webagent.store import Store

CASES = Path(__file__).parents[2] / "shared" / "cases" / "browsergym_logs"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not beside this repository")
SHOP = Place("shop.example", "http://shop.example:7770/", "shop")
HEAD = "2026-02-03 04:05:{:02},678 - 42 - browsergym.experiments.loop - INFO - {}"
ENTRIES = [
    "Running experiment shop in:\n  results/shop",
    "I look at the reviews.\n\nThere may be many.\n\naction:\nclick('a46')",
    "action: is what I say.\n\naction:\nclick(389)\nscroll(0, 300.5)\n",
    "I tell.\n\naction:\nsend_msg_to_user('It\\'s \"5\", O\\'Neill')",
    "Saving summary info.",
]


def folder_of(
    parent: Path,
    entries: list[str] = ENTRIES,
    judge: object = True,
    reward: object = 1.0,
    name: str = "shop.7",
) -> Path:
    folder = parent / name
    folder.mkdir(parents=True)
    lines = [HEAD.format(n * 10, entry) for n, entry in enumerate(entries)]
    (folder / "experiment.log").write_text("\n".join(lines) + "\n", "utf-8")
    if judge != "none":
        said = [{"idx": 7, "rm": judge, "thoughts": ""}]
        (folder / "gpt-4_autoeval.json").write_text(json.dumps(said), "utf-8")
    if reward is not None:
        (folder / "summary_info.json").write_text(json.dumps({"cum_reward": reward}), "utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "workflows.db") as store:
        yield store


def test_a_run_keeps_every_action_thought_and_id(store: Store, tmp_path: Path) -> None:
    done = import_path(store, folder_of(tmp_path), SHOP)
    assert [(row.kind, row.name, row.steps, row.status) for row in done.rows] == [
        ("run", "shop.7", 4, "done")
    ]
    (row,) = store.runs()
    assert (row["hostname"], row["site"], row["policy"], row["steps"]) == (
        "shop.example",
        "shop",
        "import",
        4,
    )
    assert (row["success"], row["answer"], row["task"]) == (True, "It's \"5\", O'Neill", "shop.7")
    assert (row["started_at"], row["ended_at"]) == ("2026-02-03T04:05:00.678Z", "2026-02-03T04:05:40.678Z")
    assert row["seconds"] == 40
    assert "can't be replayed" in row["end_reason"]
    assert is_imported(row)
    steps = store.steps(row["id"])
    assert [step["action"] for step in steps] == [
        {"action": "click", "bid": "a46"},
        {"action": "click", "bid": 389},
        {"action": "scroll", "direction": "down", "dx": 0, "dy": 300.5},
        {"action": "stop", "answer": "It's \"5\", O'Neill"},
    ]
    assert [step["thought"] for step in steps] == [
        "I look at the reviews.\n\nThere may be many.",
        "action: is what I say.",
        "",
        "I tell.",
    ]
    assert steps[1]["result"] == "logged as click(389)"
    trajectory = store.trajectory(row["id"])
    assert trajectory.answer == row["answer"]
    assert trajectory.steps[0].observation.lines == ()


@pytest.mark.parametrize(
    ("judge", "reward", "success", "status"),
    [
        (True, 1.0, True, "done"),
        (False, 1.0, False, "failed"),
        (False, None, False, "failed"),
        (True, 0.0, False, "failed"),
        (None, 1.0, True, "done"),
        ("none", 0, False, "failed"),
        ("none", None, None, "done"),
    ],
)
def test_the_judge_and_the_reward_say_how_it_went(
    store: Store, tmp_path: Path, judge: object, reward: object, success: bool | None, status: str
) -> None:
    import_path(store, folder_of(tmp_path, judge=judge, reward=reward), SHOP)
    (row,) = store.runs()
    assert (row["success"], row["status"]) == (success, status)


def test_a_folder_of_folders_comes_in_once(store: Store, tmp_path: Path) -> None:
    for n in (10, 9):
        folder_of(tmp_path / "results", name=f"shop.{n}")
    done = import_path(store, tmp_path / "results", SHOP)
    assert [(row.name, row.result) for row in done.rows] == [("shop.9", "imported"), ("shop.10", "imported")]
    again = import_path(store, tmp_path / "results" / "shop.9" / "experiment.log", SHOP)
    assert [row.result for row in again.rows] == ["skipped"]
    assert len(store.runs()) == 2


@pytest.mark.parametrize(
    ("entry", "line", "fault"),
    [
        ("x\n\naction:\n__import__('os').system('touch pwned')", 12, "is no action call"),
        ("x\n\naction:\nclick('1')\nfill('2', open('x'))", 13, "an argument must be a plain value"),
        ("x\n\naction:\nclick('1", 12, "can't read the action"),
        ("x\n\naction:\nteleport('1')", 12, "unknown action 'teleport'"),
    ],
)
def test_a_bad_line_is_named_and_no_run_of_the_folder_comes_in(
    store: Store, tmp_path: Path, entry: str, line: int, fault: str
) -> None:
    folder_of(tmp_path / "results", name="a.1")
    folder_of(tmp_path / "results", [*ENTRIES[:2], entry], name="a.2")
    with pytest.raises(UsageError, match=rf"a\.2/experiment\.log line {line}: .*{fault}"):
        import_path(store, tmp_path / "results", SHOP)
    assert store.runs() == []
    assert not Path("pwned").exists()


def test_what_is_no_log_or_no_judgement_is_refused(store: Store, tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    log, judge, reward = (
        folder / name for name in ("experiment.log", "gpt-4_autoeval.json", "summary_info.json")
    )
    for path, text, fault in (
        (reward, "{", r"summary_info.json line 1: not JSON"),
        (reward, '{"cum_reward": "much"}', r"cum_reward must be a number"),
        (judge, '[{"rm": "yes"}]', r"rm must be true or false"),
        (judge, "[1]", r"expected a list of objects with `rm`"),
        (log, "hello\n", r"experiment.log line 1: expected `date time"),
        (log, HEAD.format(0, "nothing"), r"experiment.log line 1: the log holds no action"),
        (log, "", r"experiment.log line 1: the log is empty"),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(UsageError, match=fault):
            import_path(store, folder, SHOP)
    log.unlink()
    with pytest.raises(UsageError, match=r"no experiment\.log in this folder"):
        import_path(store, tmp_path, SHOP, "browsergym")
    log.write_bytes(b"a\n\xff\n")
    with pytest.raises(UsageError, match=r"experiment.log line 2: not UTF-8 text"):
        import_path(store, folder, SHOP)
    with pytest.raises(UsageError, match="doesn't say which site it is of; say so with --site"):
        import_path(store, folder)


@needs_cases
@pytest.mark.parametrize(("name", "wanted"), [("21", 2), ("47", 3), ("118", 5), ("124", 2)])
def test_the_real_logs_come_in_without_loss_of_steps(store: Store, name: str, wanted: int) -> None:
    text = (CASES / f"webarena.{name}" / "experiment.log").read_text("utf-8")
    calls = re.findall(r"^[a-z_]+\(.*\)$", text, re.MULTILINE)
    assert len(calls) == wanted
    done = import_path(store, CASES / f"webarena.{name}", SHOP)
    assert [row.steps for row in done.rows] == [wanted]
    (row,) = store.run_rows()
    assert (row["success"], row["status"], row["steps"]) == (True, "done", wanted)
    told = [step["result"].removeprefix("logged as ") for step in store.steps(row["id"])]
    assert told == calls


@needs_cases
def test_all_real_logs_come_in_at_once(store: Store) -> None:
    assert len(import_path(store, CASES, SHOP).rows) == 4
    ids = [json.dumps(step["action"]) for row in store.runs() for step in store.steps(row["id"])]
    assert any('"a46"' in action for action in ids)
    assert any('"bid": 389' in action for action in ids)
    assert any('"dy": 300' in action for action in ids)
