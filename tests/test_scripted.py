"""The scripted policy: how it finds elements, waits, and says a line again."""

from typing import Any

from webagent.actions import Action
from webagent.interfaces import View
from webagent.observation import Line, Observation
from webagent.policies.scripted import ScriptedPolicy
from webagent.trajectory import Outcome, Step

GO = {"action": "click", "role": "button", "name": "Go"}
STOP = {"action": "stop"}


def page(*lines: tuple[int, str, str, str]) -> Observation:
    """Lines as (parent, role, name, ref)."""
    return Observation(
        "http://x.test/",
        lines=tuple(
            Line(n, parent, 0 if parent < 0 else 1, role, name, ref=ref)
            for n, (parent, role, name, ref) in enumerate(lines)
        ),
    )


def view(shown: Observation, *steps: Step) -> View:
    return View("goal", shown, steps)


def step(ref: str, error: str = "") -> Step:
    return Step(1, Action("click", {"ref": ref}), page(), Outcome("", error))


async def said(policy: ScriptedPolicy, shown: View) -> Any:
    decision = await policy.decide(shown)
    action = decision.actions[0] if decision.actions else None
    return (action.tool, action.ref) if action else decision.stop or decision.given_up


async def test_a_row_tells_elements_of_one_name_apart() -> None:
    rows = page(
        (-1, "listitem", "Ana", ""),
        (0, "button", "Go", "e1"),
        (-1, "listitem", "Cy", ""),
        (2, "button", "Go", "e2"),
    )
    assert await said(ScriptedPolicy([{**GO, "row": "cy"}]), view(rows)) == ("click", "e2")
    assert "Go" in await said(ScriptedPolicy([{**GO, "row": "Bo"}]), view(rows))


async def test_it_waits_as_often_as_it_has_patience_and_then_gives_up() -> None:
    policy = ScriptedPolicy([GO], patience=2)
    assert [await said(policy, view(page())) for _ in range(3)] == [
        ("wait", None), ("wait", None), 'no button "Go" on http://x.test/'
    ]  # fmt: skip


async def test_a_nuisance_is_clicked_away_first() -> None:
    policy = ScriptedPolicy([GO], nuisances=[("button", "No thanks")])
    shown = page((-1, "button", "Go", "e1"), (-1, "button", "No thanks", "e2"))
    assert await said(policy, view(shown)) == ("click", "e2")
    assert await said(policy, view(page((-1, "button", "Go", "e1")))) == ("click", "e1")


async def test_what_failed_is_said_again_while_its_element_is_there_and_not_on_another_page() -> None:
    shown = page((-1, "button", "Go", "e1"))
    policy = ScriptedPolicy([GO, STOP], patience=3)
    assert await said(policy, view(shown)) == ("click", "e1")
    assert await said(policy, view(shown, step("e1", "it took too long"))) == ("click", "e1")
    stop = await said(policy, view(page((-1, "button", "Go", "f1e1")), step("e1", "it took too long")))
    assert stop.status == "done"


async def test_what_a_nuisance_undid_is_said_again() -> None:
    """The click on a notice closes the menu that was opened just before."""
    more = {"action": "click", "role": "button", "name": "More"}
    policy = ScriptedPolicy([more, GO], nuisances=[("button", "No thanks")], patience=4)
    closed, notice = page((-1, "button", "More", "e1")), page((-1, "button", "No thanks", "e2"))
    assert await said(policy, view(closed)) == ("click", "e1")
    assert await said(policy, view(notice, step("e1"))) == ("click", "e2")
    turns = [await said(policy, view(closed, step("e2"))) for _ in range(4)]
    assert turns == [("wait", None)] * 3 + [("click", "e1")]
    opened = page((-1, "button", "More", "e1"), (-1, "button", "Go", "e3"))
    assert await said(policy, view(opened, step("e1"))) == ("click", "e3")
