"""The arena: its tasks are whole and repeatable, their scripts hold, its states never meet."""

import contextlib
import itertools
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures_sites import SITES, VARIANTS
from fixtures_sites.server import FixtureServer
from fixtures_sites.shop.seeded import build
from fixtures_sites.state import States
from fixtures_sites.tasks import SPLITS, arena_tasks, book, split
from tests.commands import environment, webagent
from tests.visitor import Visitor
from webagent.arena import NEAR_MISS, SOLUTION, counts, play, scripts
from webagent.pipeline import Run
from webagent.tasks import parse_task


def test_every_task_is_a_task_file_entry_with_a_success_test() -> None:
    tasks = [parse_task(task.as_object(), task.id) for task in arena_tasks()]
    assert all(task.expect is not None and task.template for task in tasks)
    assert len({task.id for task in tasks}) == len(tasks)


def test_no_two_tasks_of_a_site_have_the_same_goal() -> None:
    goals = [(task.site, task.goal) for task in arena_tasks()]
    assert len(set(goals)) == len(goals)


def test_a_request_asks_its_own_site_by_path_and_another_one_by_url() -> None:
    asked = [(task.id, task.expect["request"]) for task in arena_tasks() if "request" in task.expect]
    assert [name for name, test in asked if not test.get("path", "/").startswith("/")] == []


@pytest.mark.parametrize("task", split("cross-template"), ids=lambda task: task.template)
def test_both_scripts_of_a_template_end_by_themselves_and_differ(task: object) -> None:
    for script in (task.solution, task.near_miss):  # type: ignore[attr-defined]
        assert script[-1]["action"] == "stop"
        assert all(step["action"] != "stop" for step in script[:-1])
    assert task.solution != task.near_miss  # type: ignore[attr-defined]


@pytest.mark.parametrize("site", SITES)
def test_tasks_are_the_same_when_they_are_made_again(site: str) -> None:
    assert book(site).tasks() == book(site).tasks()


def test_the_stream_has_every_task_once_and_mixes_them() -> None:
    stream = split("stream")
    assert sorted(task.id for task in stream) == sorted(task.id for task in arena_tasks())
    changes = sum(one.template != two.template for one, two in itertools.pairwise(stream))
    assert changes > 0.9 * len(stream)
    assert len(split("cross-template")) == counts()["templates"]
    with pytest.raises(ValueError, match=", ".join(SPLITS)):
        split("easy")


def test_a_session_reads_the_shared_data_until_it_writes_then_its_own() -> None:
    states = States(build)
    one, two = states.of("one"), states.of("two")
    one.change("update products set price = 1 where id = 1")
    assert one.value("select price from products where id = 1") == 1
    assert two.value("select price from products where id = 1") > 1
    assert len(states) == 1
    states.drop("one")
    assert one.value("select price from products where id = 1") > 1


def test_the_least_recently_used_copies_go_when_they_take_too_much() -> None:
    states = States(build, kept_bytes=5_000_000)
    for key in ("a", "b", "a", "c", "d", "e"):
        states.of(key).change("insert into cart (product, options, quantity) values (1, '', 1)")
    assert 1 < len(states) < 5
    assert states.of("e").value("select count(*) from cart") == 1
    assert states.of("b").value("select count(*) from cart") == 0


def test_the_state_is_asked_by_name_and_reset(server: FixtureServer) -> None:
    visitor, other = Visitor(server.port, "shop"), Visitor(server.port, "shop")
    assert "cart" in visitor.get("/__state").json
    assert visitor.get("/__state/nothing").status == 404
    visitor.send("/__notice", {"notice": "cookies", "choice": "none"})
    assert "Cookie notice" not in visitor.get("/").text
    assert "Cookie notice" in other.get("/").text
    assert visitor.post("/__reset").status == 204
    assert "Cookie notice" in visitor.get("/").text


def test_a_form_without_the_sessions_token_is_refused(server: FixtureServer) -> None:
    done = Visitor(server.port, "shop").post("/__notice", {"token": "x", "choice": "none"})
    assert done.status == 403
    assert "out of date" in done.text


@pytest.mark.parametrize("variant", ["", *VARIANTS])
def test_the_start_page_of_every_site_has_one_main_part_in_every_variant(variant: str) -> None:
    with FixtureServer(variant=variant) as server:
        for site in SITES:
            page = Visitor(server.port, site).get("/")
            assert page.status == 200
            assert page.text.count("</main>") == 1
            assert ("SYSTEM NOTICE" in page.text) == (variant == "hostile")
            assert ("arena-main" in page.text) == (variant == "slow")


def test_in_the_flaky_variant_every_sixth_request_fails_and_works_when_made_again() -> None:
    with FixtureServer(variant="flaky") as server:
        visitor = Visitor(server.port, "shop")
        visitor.get("/static/shop.css")
        assert [visitor.get("/search").status for _ in range(7)] == [200] * 5 + [503, 200]
        assert visitor.get("/__state/cart").status == 200


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_sample_of_solutions_passes_and_of_near_misses_fails() -> None:
    played = await play(scripts([SOLUTION, NEAR_MISS], sample=20, seed=1), jobs=2, told=lambda _: None)
    assert len(played) == 40
    assert [f"{one.script.name}: {one.reason}" for one in played if not one.passed] == []


async def test_a_fault_of_ours_fails_its_script_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(self: object) -> None:
        raise RuntimeError("an odd one")

    monkeypatch.setattr(Run, "run", fail)
    played = await play(scripts([SOLUTION], sample=3), jobs=2, told=lambda _: None)
    assert [one.reason for one in played] == ["webagent's own fault: RuntimeError: an odd one"] * 3
    assert not any(one.passed for one in played)


def test_a_person_sees_how_far_the_scripts_are(tmp_path: Path) -> None:
    command = ["bench", "arena", "--solutions", "--sites", "maps", "--sample", "1"]
    screen, program = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "webagent", *command],
        cwd=tmp_path,
        env=environment({"TERM": "xterm"}),
        stdout=subprocess.PIPE,
        stderr=program,
    )
    os.close(program)
    shown = b""
    with contextlib.suppress(OSError):  # what a terminal says once its program has ended
        while part := os.read(screen, 4096):
            shown += part
    assert running.communicate() == (b"1 passed, 0 failed\n", None)
    assert b"0/1" in shown
    assert b"1/1" in shown


def test_the_list_counts_by_site(tmp_path: Path) -> None:
    done = webagent("bench", "arena", "--list", "--json", cwd=tmp_path)
    found = json.loads(done.out)
    assert found == counts()
    assert sum(found["by_site"].values()) == found["tasks"]


def test_a_wrong_site_is_said_in_a_line(tmp_path: Path) -> None:
    done = webagent("bench", "arena", "--list", "--sites", "shop,bank", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "'bank'" in done.err
