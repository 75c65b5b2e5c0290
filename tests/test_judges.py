"""Judges: the success test, the model that never sees thoughts, the person, and their order."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from webagent.actions import Action
from webagent.errors import ActionError, BrowserFault, ModelFault
from webagent.interfaces import ChatModel, Completion, Judge, Message, Session, Usage, Verdict
from webagent.judges import (
    ExpectJudge,
    LLMJudge,
    PersonJudge,
    deciding,
    first_verdict,
    judge_messages,
    reference_of,
)
from webagent.judges.llm import FIRST_STEPS, LAST_STEPS, SCHEMA
from webagent.observation import Observation, parse_snapshot
from webagent.tasks import parse_expect, parse_task
from webagent.trajectory import Outcome, Step, Stop, Trajectory

BASE = "http://maps.localhost:8931"


class Site:
    """A Session over a table: what each (script or locator, url) and each request gives. An
    exception in it is raised; `slow` never answers."""

    def __init__(self, values: Mapping[tuple[str, str], Any] | None = None) -> None:
        self.values = dict(values or {})
        self.asked: list[tuple[str, str]] = []
        self.bodies: list[Any] = []

    async def observe(self) -> Observation:
        raise AssertionError("a judge does not look for itself")

    async def act(self, action: Action) -> Outcome:
        raise AssertionError("a judge does not act")

    async def evaluate(self, script: str, url: str = "") -> Any:
        return await self._give(script, url)

    async def text_of(self, locator: str, url: str = "") -> str:
        return str(await self._give(locator, url))

    async def request(self, method: str, url: str, body: Any = None) -> tuple[int, Any]:
        self.bodies.append(body)
        status, value = await self._give(method, url)
        return status, value

    async def close(self) -> None: ...

    async def _give(self, what: str, url: str) -> Any:
        self.asked.append((what, url))
        value = self.values.get((what, url), self.values.get(("*", url), ""))
        if isinstance(value, Exception):
            raise value
        if value == "slow":
            await asyncio.Event().wait()
        return value


class Model:
    """A ChatModel that gives one reply to every `ask`, or raises it."""

    def __init__(self, reply: dict[str, Any] | Exception | None) -> None:
        self.usage = Usage()
        self.reply = reply
        self.asked: list[tuple[str, Sequence[Message], Mapping[str, Any]]] = []

    @property
    def name(self) -> str:
        return "scripted"

    async def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Completion:
        raise AssertionError("a judge asks, it does not act")

    async def ask(
        self, name: str, messages: Sequence[Message], schema: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        self.asked.append((name, messages, schema))
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply

    async def close(self) -> None: ...


class Fixed:
    """A Judge with one verdict."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.asked = 0

    async def judge(self, trajectory: Trajectory, session: Session) -> Verdict:
        self.asked += 1
        return self.verdict


def fakes_fit(session: Session = Site(), model: ChatModel = Model(None)) -> None:  # noqa: B008
    """Checked by mypy: the fakes are what the protocols ask for."""


PAGE = Observation(
    f"{BASE}/search?q=cmu",
    "Search",
    lines=parse_snapshot(
        '- textbox "Search" [ref=e1]\n- button "Go" [ref=e2]\n- link "Carnegie Mellon University" [ref=e3]'
    ),
)
PLACE = Observation(
    f"{BASE}/place/1", "CMU", lines=parse_snapshot('- heading "CMU" [level=1] [ref=e4]\n- text: PA 15213')
)


def a_step(n: int, action: Action, message: str = "done", error: str = "") -> Step:
    return Step(n, action, PAGE, Outcome(message, error))


STEPS = (
    a_step(1, Action("type", {"ref": "e1", "text": "cmu"}, "I look for it"), "typed"),
    a_step(2, Action("click", {"ref": "e9"}, "wrong one"), "", "no element e9 on this page"),
    a_step(3, Action("click", {"ref": "e3"}, "there it is"), "clicked"),
)


def a_run(answer: str | None = "15213", status: str = "done", **changes: Any) -> Trajectory:
    """The map run, stopped by itself."""
    run = Trajectory(
        run_id="r",
        goal="find zip code of CMU",
        start_url=f"{BASE}/",
        steps=STEPS,
        stop=Stop(answer, status, "I am sure"),
        final=PLACE,
        status=status,
    )
    return replace(run, **changes)


async def verdict_on(expect: Any, run: Trajectory | None = None, site: Site | None = None) -> Verdict:
    return await ExpectJudge(parse_expect(expect), BASE, timeout_s=0.2).judge(run or a_run(), site or Site())


# --- the success test --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expect", "success"),
    [
        ({"answer": "15213"}, True),
        ({"answer": "15212"}, False),
        ({"answer_includes": ["152"]}, False),
        ({"answer_includes": ["15213"]}, True),
        ({"answer_matches": r"^\d{5}$"}, True),
        ({"url": "/place/1"}, True),
        ({"url": "/place/2 |OR| /place/1/"}, True),
        ({"url": "/place/2"}, False),
        ({"answer": "15213", "url": "/place/2"}, False),
        ({"answer": "15213", "url": "/place/1"}, True),
        ({"infeasible": True}, False),
        ({"string_match": {"exact_match": "15213"}, "url_match": f"{BASE}/place/1"}, True),
        ({"string_match": {"fuzzy_match": ["the zip is 15213"]}}, None),
        ({"eval_types": ["page_image_query"]}, None),
    ],
)
async def test_what_the_run_says_decides_by_itself(expect: Any, success: bool | None) -> None:
    site = Site()
    verdict = await verdict_on(expect, site=site)
    assert (verdict.success, verdict.judge) == (success, "expect")
    assert verdict.reason
    assert site.asked == []


async def test_infeasible_tasks_are_right_only_when_called_so() -> None:
    infeasible = a_run(None, "infeasible")
    assert (await verdict_on({"infeasible": True}, infeasible)).success is True
    assert (await verdict_on({"url": "/place/1"}, infeasible)).success is False
    assert (await verdict_on({"string_match": {"fuzzy_match": "N/A"}}, infeasible)).success is True
    assert (await verdict_on({"string_match": {"exact_match": "15213"}}, infeasible)).success is False


@pytest.mark.parametrize(
    ("test", "asked", "value", "success"),
    [
        ({"required": "15213"}, ("body", ""), "PA  15213", True),
        ({"required": ["pa", "15213"]}, ("body", ""), "PA 15213", True),
        ({"required": ["pa", "15214"]}, ("body", ""), "PA 15213", False),
        ({"url": "/cart", "locator": "#sum", "required": 5}, ("#sum", f"{BASE}/cart"), "5.99", False),
        ({"url": "/cart", "locator": "#sum", "required": 5}, ("#sum", f"{BASE}/cart"), "Sum: 5", True),
        ({"js": "n", "required": 3}, ("n", ""), 3, True),
        ({"js": "ok", "required": True}, ("ok", ""), True, True),
        ({"js": "ok", "required": True}, ("ok", ""), None, False),
        ({"js": "o", "required": '{"a": 1}'}, ("o", ""), {"a": 1}, True),
        ({"js": "x.y", "required": "z"}, ("x.y", ""), ActionError("x is null"), False),
        ({"required": "15213"}, ("body", ""), BrowserFault("the browser died\nstack"), None),
        ({"required": "15213"}, ("body", ""), "slow", None),
    ],
)
async def test_pages_are_looked_at(
    test: Any, asked: tuple[str, str], value: Any, success: bool | None
) -> None:
    site = Site({asked: value})
    verdict = await verdict_on({"page": [test]}, site=site)
    assert verdict.success is success
    assert site.asked[0] == asked
    assert "\n" not in verdict.reason


@pytest.mark.parametrize(
    ("test", "reply", "success"),
    [
        ({"path": "/api", "json": {"n": 1}}, (200, {"n": 1, "m": 2}), True),
        ({"path": "/api", "json": {"n": 1}}, (200, {"n": 2}), False),
        ({"path": "/api", "json": {"n": 1}}, (500, {"n": 1}), False),
        ({"path": "/api", "json": {"n": 1}}, (200, "<html>"), False),
        ({"path": "/api", "json": {"n": 1}, "status": 201}, (200, {"n": 1}), False),
        ({"path": "/api", "status": 404}, (404, "gone"), True),
        ({"url": f"{BASE}/api", "json": []}, (204, []), True),
        ({"path": "/api", "json": 1}, ActionError("connection refused"), None),
        ({"path": "/api", "json": 1}, BrowserFault("gone"), None),
    ],
)
async def test_the_sites_own_state_is_asked_for(test: Any, reply: Any, success: bool | None) -> None:
    site = Site({("GET", f"{BASE}/api"): reply})
    verdict = await verdict_on({"request": test}, site=site)
    assert verdict.success is success
    assert site.asked == [("GET", f"{BASE}/api")]


async def test_a_request_sends_its_method_and_body() -> None:
    site = Site({("POST", f"{BASE}/api"): (200, 1)})
    test = {"method": "post", "path": "/api", "body": {"a": 1}, "json": 1}
    assert (await verdict_on({"request": test}, site=site)).success is True
    assert site.bodies == [{"a": 1}]


async def test_without_a_base_url_paths_are_taken_from_the_start() -> None:
    site = Site({("GET", f"{BASE}/api"): (200, 1)})
    judge = ExpectJudge(parse_expect({"request": {"path": "/api", "json": 1}, "url": "/place/1"}))
    assert (await judge.judge(a_run(start_url=f"{BASE}/search?q=x"), site)).success is True


async def test_a_wrong_answer_decides_although_the_session_died() -> None:
    dead = Site({("body", ""): BrowserFault("died")})
    expect = {"answer": "1", "page": [{"required": "x"}]}
    assert (await verdict_on(expect, site=dead)).success is False
    assert dead.asked == []
    right = {"answer": "15213", "page": [{"required": "x"}]}
    verdict = await verdict_on(right, site=dead)
    assert verdict == Verdict(None, "expect", "could not be checked: died")


@pytest.mark.parametrize("url", ["", "/cart"])
@pytest.mark.parametrize("down", [True, False])
async def test_a_script_that_fails_is_told_from_a_page_that_is_gone(url: str, *, down: bool) -> None:
    there = f"{BASE}{url}" if url else ""
    gone = ActionError("the page gave no answer: Target closed")
    site = Site({("x.y", there): ActionError("x is null")})
    site.values[("GET", there) if url else ("1", "")] = gone if down else (200, "")
    test = {"js": "x.y", "required": "z", **({"url": url} if url else {})}
    assert (await verdict_on({"page": [test]}, site=site)).success is (None if down else False)
    target = {"url": there or "last", "locator": "document.x", "required_contents": {"must_include": ["z"]}}
    site.values["document.x", there] = ActionError("x is null")
    assert (await verdict_on(html(target), site=site)).success is (None if down else False)


async def test_the_first_part_that_fails_ends_the_looking() -> None:
    site = Site({("a", ""): "no", ("b", ""): "yes"})
    parts = [{"locator": "a", "required": "yes"}, {"locator": "b", "required": "yes"}]
    verdict = await verdict_on({"page": parts}, site=site)
    assert (verdict.success, site.asked) == (False, [("a", "")])
    assert verdict.reason == "page at the end, a, required 'yes': got 'no'"


@pytest.mark.parametrize("status", ["budget", "error", "interrupted", "failed"])
async def test_a_run_that_did_not_stop_by_itself_is_a_failure_and_nobody_is_asked(status: str) -> None:
    model = Model({"success": True, "reason": "fine"})
    person = PersonJudge(nobody)
    for stop in (None, Stop("15213")):
        run = a_run(stop=stop, status=status, reason="30 steps")
        expected = await verdict_on({"answer": "15213"}, run)
        assert expected == Verdict(False, "expect", f"the run did not stop by itself ({status}: 30 steps)")
        verdicts = await first_verdict([person, LLMJudge(model)], run, Site())
        assert [(verdict.success, verdict.judge) for verdict in verdicts] == [(False, "none")]
        assert [verdict.success for verdict in await first_verdict([], run, Site())] == [False]
    assert model.asked == []


# --- WebArena's program_html -------------------------------------------------------------------


def html(*targets: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"eval_types": ["program_html"], "program_html": list(targets), **more}


CONTENT = {"must_include": ["15213"]}


@pytest.mark.parametrize(
    ("target", "asked", "value", "success"),
    [
        ({"url": "last", "locator": ""}, ("*", ""), "<p>15213</p>", True),
        ({"url": "http://x/a", "locator": " "}, ("*", "http://x/a"), "<p>15214</p>", False),
        ({"url": "last", "locator": "document.title"}, ("document.title", ""), "15213", True),
        ({"url": "last", "locator": "[...document.links]"}, ("[...document.links]", ""), ["15213"], True),
        ({"url": "last", "locator": "document.x.y"}, ("document.x.y", ""), ActionError("x"), False),
        ({"url": "last", "locator": "document.x"}, ("document.x", ""), BrowserFault("x"), None),
        ({"url": "last", "locator": "func:shopping_get_sku('x')"}, None, "", None),
        ({"url": "func:shopping_get_latest_order_url()", "locator": ""}, None, "", None),
        ({"url": "__SHOP__/a", "locator": ""}, None, "", None),
        ({"url": "last", "locator": "css=p"}, None, "", None),
    ],
)
async def test_program_html_is_walked(
    target: dict[str, Any], asked: tuple[str, str] | None, value: Any, success: bool | None
) -> None:
    site = Site({asked: value} if asked else {})
    verdict = await verdict_on(html({**target, "required_contents": CONTENT}), site=site)
    assert verdict.success is success
    assert site.asked[:1] == ([asked] if asked else []) or asked == ("*", site.asked[0][1])
    assert verdict.reason


async def test_program_html_keeps_to_the_page_it_went_to() -> None:
    site = Site({("*", "http://x/a"): "15213", ("*", ""): "no"})
    targets = [{"url": url, "locator": "", "required_contents": CONTENT} for url in ("http://x/a", "last")]
    assert (await verdict_on(html(*targets), site=site)).success is True


async def test_program_html_prepares_the_page_and_finds_the_post() -> None:
    post = "http://r.test/f/books/12/"
    target = {
        "url": "func:reddit_get_post_url('__last_url__')",
        "locator": "document.body.outerText",
        "prep_actions": ["document.links[0].click()"],
        "required_contents": CONTENT,
    }
    site = Site({("*", post): "15213"})
    run = a_run(final=replace(PLACE, url="http://r.test/f/books/12/title"))
    assert (await verdict_on(html(target), run, site)).success is True
    script = site.asked[0][0]
    assert script.index("await (document.links[0].click())") < script.index(
        "return (document.body.outerText)"
    )


async def test_none_in_a_page_reads_as_in_the_official_evaluator() -> None:
    target = {"url": "last", "locator": "document.x", "required_contents": {"exact_match": "None"}}
    assert (await verdict_on(html(target), site=Site({("document.x", ""): None}))).success is True


# --- the model ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "success"),
    [
        ({"success": True, "reason": "seen"}, True),
        ({"success": False, "reason": "not seen"}, False),
        ({"success": None, "reason": "can't tell"}, None),
        ({"success": "true", "reason": "x"}, None),
        ({"success": 1, "reason": "x"}, None),
        ({"success": [True], "reason": "x"}, None),
        ({"reason": "x"}, None),
        ({"success": True}, True),
        ({"success": True, "reason": {"a": "\ud800"}}, True),
        ({}, None),
        (None, None),
        (ModelFault("connection refused\nmore"), None),
    ],
)
async def test_only_a_literal_true_is_a_success(reply: Any, success: bool | None) -> None:
    verdict = await LLMJudge(Model(reply)).judge(a_run(), Site())
    assert (verdict.success, verdict.judge) == (success, "llm")
    assert "\n" not in verdict.reason


async def test_an_unreachable_judge_says_so() -> None:
    verdict = await LLMJudge(Model(ModelFault("connection refused"))).judge(a_run(), Site())
    assert verdict.reason == "judge could not be reached: connection refused"


async def test_a_long_reason_is_one_short_line() -> None:
    verdict = await LLMJudge(Model({"success": False, "reason": "a\nb \ud800" * 1000})).judge(a_run(), Site())
    assert len(verdict.reason) <= 600
    verdict.reason.encode()
    assert "\n" not in verdict.reason


def text_of(messages: Sequence[Message]) -> str:
    return "\n".join(message["content"] for message in messages)


async def test_the_judge_sees_goal_actions_outcomes_last_page_and_answer() -> None:
    model = Model({"success": True, "reason": ""})
    await LLMJudge(model, 1000).judge(a_run(), Site())
    [(name, messages, schema)] = model.asked
    assert (name, schema) == ("verdict", SCHEMA)
    evidence = messages[-1]["content"]
    in_order = [
        "<goal>\nfind zip code of CMU\n</goal>",
        'textbox "Search" [ref=e1]',
        'step 1: {"action": "type", "ref": "e1", "text": "cmu"}',
        "result 1: typed",
        "result 2: error: no element e9 on this page",
        'link "Carnegie Mellon University" [ref=e3]',
        'step 3: {"action": "click", "ref": "e3"}',
        "result 3: clicked",
        f'<observation url="{BASE}/place/1" title="CMU"',
        "PA 15213",
        "<answer>\n15213\n</answer>",
    ]
    places = [evidence.index(part) for part in in_order]
    assert places == sorted(places)


def test_long_runs_keep_their_first_and_last_steps() -> None:
    steps = [a_step(n, Action("press", {"key": f"F{n}"})) for n in range(1, 101)]
    evidence = judge_messages(a_run(steps=steps), 1000)[-1]["content"]
    assert f"… {100 - FIRST_STEPS - LAST_STEPS} more steps are left out here" in evidence
    assert "step 1:" in evidence
    assert "step 100:" in evidence
    assert f"step {FIRST_STEPS + 1}:" not in evidence
    assert evidence.count("\nresult ") == FIRST_STEPS + LAST_STEPS


def test_huge_texts_are_cut() -> None:
    steps = [a_step(1, Action("type", {"text": "x" * 200_000}), "y" * 100_000)]
    page = replace(PLACE, lines=parse_snapshot("\n".join(f"- text: line {n}" for n in range(20_000))))
    run = a_run(answer="z" * 200_000, steps=steps, goal="g" * 100_000, final=page)
    assert len(text_of(judge_messages(run, 1000))) < 40_000


def test_a_run_without_steps_answer_or_last_page_can_be_told() -> None:
    evidence = judge_messages(a_run(answer=None, steps=(), final=None), 1000)[-1]["content"]
    assert "The agent took no steps." in evidence
    assert "There is no last page" in evidence
    assert "status done and gave no answer" in evidence


def test_an_infeasible_end_is_told() -> None:
    evidence = judge_messages(a_run(None, "infeasible"), 1000)[-1]["content"]
    assert "status infeasible" in evidence


async def test_the_reference_of_an_undecided_test_is_shown_to_the_model() -> None:
    expect = parse_expect({"string_match": {"fuzzy_match": ["driving: 2 min", "walking: 16 min"]}})
    model = Model({"success": True, "reason": "same"})
    judges: list[Judge] = [ExpectJudge(expect, BASE), LLMJudge(model, reference=reference_of(expect))]
    verdicts = await first_verdict(judges, a_run("2 min by car, 16 on foot"), Site())
    assert [(verdict.success, verdict.judge) for verdict in verdicts] == [(None, "expect"), (True, "llm")]
    assert "<reference>\ndriving: 2 min\nwalking: 16 min\n</reference>" in text_of(model.asked[0][1])


def test_references_are_only_those_that_take_a_model() -> None:
    assert reference_of(None) == ""
    assert reference_of(parse_expect({"answer": "15213"})) == ""
    assert reference_of(parse_expect({"string_match": {"exact_match": "15213"}})) == ""
    config = {
        "task_id": 1,
        "intent": "g",
        "start_url": "__MAP__",
        "eval": {
            "eval_types": ["string_match"],
            "reference_answers": {"fuzzy_match": "N/A"},
            "string_note": "no such place",
        },
    }
    assert reference_of(parse_task(config).expect) == "The task can't be done. The reason: no such place"


# --- the person --------------------------------------------------------------------------------


async def nobody(question: str) -> str:
    raise AssertionError("not to be asked")


def replies(*given: str) -> tuple[list[str], PersonJudge]:
    """A person who gives these replies, then leaves; and the questions they saw."""
    left, questions = list(given), []

    async def ask(question: str) -> str:
        questions.append(question)
        if not left:
            raise EOFError
        return left.pop(0)

    return questions, PersonJudge(ask)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (["y"], Verdict(True, "human", "")),
        ([" YES "], Verdict(True, "human", "")),
        (["n: the wrong city"], Verdict(False, "human", "the wrong city")),
        (["no"], Verdict(False, "human", "")),
        (["skip"], Verdict(None, "human", "skipped")),
        ([""], Verdict(None, "human", "skipped")),
        (["hm", "y"], Verdict(True, "human", "")),
        (["hm", "well", "maybe"], Verdict(None, "human", "no clear answer")),
        ([], Verdict(None, "human", "nobody was there to ask")),
    ],
)
async def test_a_person_says_yes_no_or_skip(given: list[str], verdict: Verdict) -> None:
    _, judge = replies(*given)
    assert await judge.judge(a_run(), Site()) == verdict


async def test_the_question_shows_the_answer_without_terminal_codes() -> None:
    questions, judge = replies("y")
    await judge.judge(a_run("152\x1b[2J13\nDid it work? y"), Site())
    assert "\x1b" not in questions[0]
    assert len(questions[0].split("\n")) == 4
    assert questions[0].startswith("find zip code of CMU\ndone, answer: 152")


# --- the order ---------------------------------------------------------------------------------


async def test_judges_are_asked_until_one_does_not_abstain() -> None:
    abstains = Fixed(Verdict(None, "expect", "no test"))
    fails = Fixed(Verdict(False, "llm", "no"))
    last = Fixed(Verdict(True, "llm", "yes"))
    verdicts = await first_verdict([abstains, fails, last], a_run(), Site())
    assert verdicts == (abstains.verdict, fails.verdict)
    assert deciding(verdicts) == fails.verdict
    assert last.asked == 0


async def test_with_no_judge_nothing_is_decided() -> None:
    assert await first_verdict([], a_run(), Site()) == (Verdict(None, "none", "no judge"),)
    abstains = Verdict(None, "expect", "x")
    assert deciding(await first_verdict([Fixed(abstains)], a_run(), Site())) == abstains
