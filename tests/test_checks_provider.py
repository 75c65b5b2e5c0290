"""Checks 61 to 69: what an endpoint may do wrong, and what becomes of the run."""

import asyncio
import itertools
import re
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests import map_model
from tests.endpoint import Answer, Fault, Reply, Request, ScriptedEndpoint, ref_of, sequence, text_of
from tests.pages.kit import serving
from tests.running import Hearing, carried_out, rows, settings_at
from tests.test_llm_client import CLICK, HISTORY, TOOLS, VERDICT, model_at
from tests.test_llm_faults import PASSING
from webagent.actions import Action, Malformed, from_object, parse_text
from webagent.batch import Batch, Limits, Starts, attempts_of, planned
from webagent.browser.launch import Chromium
from webagent.errors import ContextOverflow
from webagent.interfaces import View
from webagent.llm import EndpointRefused, OutOfTime
from webagent.llm.faults import retry_after
from webagent.observation import Observation, parse_snapshot
from webagent.policies.llm import LLMPolicy
from webagent.sites import Sites
from webagent.store import Store
from webagent.tasks import parse_task

shared = pytest.mark.asyncio(loop_scope="session")
"""For tests that share a browser."""

STEPS = 4
BUTTONS = "".join(f"<button onclick='n.textContent = {n}'>Button {n}</button>" for n in range(1, STEPS + 1))
PAGE = f"<h1>Buttons</h1>{BUTTONS}<p id=n></p>"
ODD: dict[str, Answer] = {
    "unknown tool": [("fly", {"to": "the moon"})],
    "wrong ref": [("click", {"ref": "e999"})],
    "a list for a ref": [("click", {"ref": ["e1"]})],
    "refusal": Reply(refusal="I can't help with that."),
    "content filter": Reply(finish="content_filter"),
    "nothing": Reply(),
    "cut short": Reply('{"action": "click", "re', finish="length"),
    "prose": "I would press the next button.",
    "3 MB": "x" * 3_000_000,
    "too long a context": Fault.error(
        400, "maximum context length is 8192 tokens", "context_length_exceeded"
    ),
}
"""Replies that are no faults of HTTP."""


class Pressing:
    """Presses the buttons in turn and then answers; gives a goal's own fault once, in place of step 2."""

    def __init__(self, faults: dict[str, Answer]) -> None:
        self.faults = dict(faults)
        self.done: Counter[str] = Counter()

    def __call__(self, request: Request) -> Answer:
        goal = map_model.goal_of(request)
        if self.done[goal] == 1 and goal in self.faults:
            return self.faults.pop(goal)
        self.done[goal] += 1
        if self.done[goal] > STEPS:
            return [("stop", {"answer": "pressed"})]
        return [("click", {"ref": ref_of(request, "button", f"Button {self.done[goal]}")})]


async def batch_at(
    endpoint: ScriptedEndpoint, url: str, goals: Sequence[str], folder: Path, hearing: Hearing
) -> Batch:
    """A batch of goals on one page, carried out; `finished` results are by goal."""
    tasks = [
        parse_task({"id": goal, "goal": goal, "url": url, "expect": {"answer": "pressed"}}, "t")
        for goal in goals
    ]
    settings = settings_at(endpoint, url, judge="auto")
    with Sites() as sites, Store.open(folder / "workflows.db") as store:
        plan = planned(store, "tasks", attempts_of(tasks), settings)
        batch = Batch(plan, settings, store, Starts(sites), Limits(jobs=4), watcher=hearing)
        await batch.run()
    return batch


@pytest.mark.slow
async def test_check_61_any_fault_of_the_endpoint_in_step_2_is_got_over(tmp_path: Path) -> None:
    """A run whose endpoint fails once, in whatever way, comes to the same end as one whose does not; what is
    tried again is told."""
    faults: dict[str, Answer] = {**PASSING, **ODD}
    hearing = Hearing()
    results = {}
    with serving(PAGE) as site, ScriptedEndpoint(Pressing(faults)) as endpoint:
        batch = await batch_at(endpoint, site.url(), list(faults), tmp_path, hearing)
        results = {done.attempt.task.id: done.result for done in batch._all}
    wrong = {
        name: (one.status, one.reason) for name, one in results.items() if one.verdict.success is not True
    }
    assert wrong == {}
    assert set(results) == set(faults)
    assert {name: one.steps for name, one in results.items() if one.steps != STEPS} == {
        "wrong ref": STEPS + 1
    }
    told = [line for line in hearing.lines if line.startswith("try 1 of http://127.0.0.1")]
    assert len(told) == len(PASSING)


@shared
async def test_check_61_a_fault_that_lasts_ends_the_run_by_name(chromium: Chromium, tmp_path: Path) -> None:
    """A run whose endpoint never comes back ends as an error in one line that names it, with its steps kept."""

    def act(request: Request) -> Answer:
        return Fault(500, "<html>") if len(endpoint.acts) > 1 else [("find", {"text": "Buttons"})]

    with serving(PAGE) as site, ScriptedEndpoint(act) as endpoint:
        result = await carried_out(chromium, endpoint, site.url(), tmp_path)
        assert endpoint.base_url in result.fault
    assert (result.status, result.exit_code, result.steps) == ("error", 3, 1)
    assert "after 5 tries" in result.reason
    assert len(result.reason.splitlines()) == 1
    assert [row["n"] for row in rows(tmp_path, "steps")] == [1]


@shared
async def test_check_62_waiting_ends_with_the_runs_time(chromium: Chromium, tmp_path: Path) -> None:
    """However long an endpoint asks to be left alone, a run ends with its own time."""
    with serving(PAGE) as site, ScriptedEndpoint(Fault(429, "x", {"Retry-After": "25"})) as endpoint:
        began = time.monotonic()
        result = await carried_out(chromium, endpoint, site.url(), tmp_path, timeout=1.5)
        assert time.monotonic() - began < 20
    assert (result.status, result.reason) == ("budget", "timeout: 1.5 s are over")


async def test_check_64_a_batch_stops_after_the_first_refusal(tmp_path: Path) -> None:
    """Where key, quota or model is refused, nothing is tried again and a batch stops after its first run, with
    one line of advice; `--resume` takes all of it up again."""
    fault = Fault.error(429, "You exceeded your current quota", "insufficient_quota")
    with serving(PAGE) as site, ScriptedEndpoint(fault) as endpoint:
        batch = await batch_at(endpoint, site.url(), [f"t{n}" for n in range(9)], tmp_path, Hearing())
    assert len(batch._all) <= 4, "those beside it had begun"
    assert len(endpoint.requests) <= 4
    assert batch.stuck
    assert "add credit" in batch.ended
    assert len(batch.ended.splitlines()) == 1


LONG = "\n".join(f"- paragraph [ref=e{n}]: a long line of a long page, number {n}" for n in range(2, 900))


def a_view() -> View:
    return View("do it", Observation("http://x.test/", "X", lines=parse_snapshot(LONG)), ())


async def test_check_65_too_long_a_prompt_goes_on_with_a_shorter_observation() -> None:
    """A prompt that is too long is sent again with half of the observation and a note that says so, at most three
    times; the rest of the run keeps to that size."""

    def act(request: Request) -> Answer:
        if len(text_of(request)) > 9000:
            return Fault.error(400, "maximum context length is 2000 tokens", "context_length_exceeded")
        return CLICK

    with ScriptedEndpoint(act) as endpoint:
        async with model_at(endpoint) as model:
            policy = LLMPolicy(model, observation_tokens=4000)
            assert (await policy.decide(a_view())).actions
            assert (await policy.decide(a_view())).actions
    lengths = [len(text_of(request)) for request in endpoint.acts]
    assert lengths[0] > 1.5 * lengths[1]
    assert all(length < 9000 for length in lengths[-2:])
    assert len(lengths) <= 5
    assert "observations are cut to" in text_of(endpoint.acts[-1])
    assert "more lines" in text_of(endpoint.acts[-1])


async def test_check_65_a_prompt_that_stays_too_long_is_a_failure_by_name() -> None:
    """Where no observation is short enough the run ends, and says which option to lower."""
    with ScriptedEndpoint(Fault(413, "too large")) as endpoint:
        async with model_at(endpoint) as model:
            with pytest.raises(ContextOverflow, match="--observation-tokens"):
                await LLMPolicy(model, observation_tokens=4000).decide(a_view())
    assert len(endpoint.acts) == 4


@shared
async def test_check_66_two_repairs_are_asked_for_without_repeating_what_was_said(
    chromium: Chromium, tmp_path: Path
) -> None:
    """A reply that holds no action is told what is wrong with it, twice; the third ends the run, and none of
    3 MB of nonsense comes back into a prompt."""
    with (
        serving(PAGE) as site,
        ScriptedEndpoint(sequence("x" * 3_000_000, [("fly", {"to": "moon"})])) as endpoint,
    ):
        result = await carried_out(chromium, endpoint, site.url(), tmp_path)
    assert (result.status, result.steps) == ("failed", 0)
    assert "3 replies in a row" in result.reason
    assert len(endpoint.acts) == 3
    assert "the reply is too long" in text_of(endpoint.acts[1])
    assert "unknown action 'fly'" in text_of(endpoint.acts[2])
    assert max(len(text_of(request)) for request in endpoint.acts) < 20_000


@shared
@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(refusal="I can't."), "the model refused"),
        (Reply(finish="content_filter"), "a content filter"),
        (Reply(), "the reply was empty"),
    ],
    ids=["refusal", "filter", "empty"],
)
async def test_check_67_refusals_are_counted_as_such(
    chromium: Chromium, tmp_path: Path, reply: Reply, words: str
) -> None:
    """A refusal, a filtered and an empty reply are told from replies that can't be read, and three of them in
    a row end the run by that name."""
    with serving(PAGE) as site, ScriptedEndpoint(reply) as endpoint:
        result = await carried_out(chromium, endpoint, site.url(), tmp_path)
    assert result.status == "failed"
    assert result.reason.startswith(f"no action for 3 replies in a row: {words}")
    assert len(endpoint.acts) == 3
    assert words in text_of(endpoint.acts[1])
    assert "infeasible" in text_of(endpoint.acts[1])


@shared
@pytest.mark.parametrize("names", [("Button 1",), ("Button 1", "Button 2")], ids=["one", "two in turn"])
async def test_check_68_repetition_is_pointed_out_then_ended(
    chromium: Chromium, tmp_path: Path, names: Sequence[str]
) -> None:
    """The same action on the same page, alone or in turn with another, is pointed out the third time and ends
    the run the fifth."""
    turns = itertools.cycle(names)
    page = "<button>Button 1</button><button>Button 2</button>"
    with (
        serving(page) as site,
        ScriptedEndpoint(
            lambda request: [("click", {"ref": ref_of(request, "button", next(turns))})]
        ) as endpoint,
    ):
        result = await carried_out(chromium, endpoint, site.url(), tmp_path)
    assert result.status == "failed"
    assert 4 * len(names) < result.steps <= 5 * len(names) + 1, (
        "the first click gives the focus: another page"
    )
    assert "5 times" in result.reason
    hints = ["3 times and nothing changed" in text_of(request) for request in endpoint.acts]
    assert 2 * len(names) < hints.index(True) <= 3 * len(names) + 1


@shared
async def test_check_68_steps_time_and_cost_end_what_never_repeats(
    chromium: Chromium, tmp_path: Path
) -> None:
    """A page that is another one after each click is ended by the number of steps, a slow model by time, a dear
    one by its cost."""
    page = "<button onclick='this.textContent = Math.random()'>Go</button>"
    with (
        serving(page) as site,
        ScriptedEndpoint(lambda request: [("click", {"ref": ref_of(request, "button")})]) as endpoint,
    ):
        result = await carried_out(chromium, endpoint, site.url(), tmp_path, max_steps=7)
        assert (result.status, result.steps) == ("budget", 7)
        assert "max_steps: 7" in result.reason
        endpoint.latency = 0.4
        result = await carried_out(chromium, endpoint, site.url(), tmp_path, timeout=1.5)
        assert (result.status, result.reason) == ("budget", "timeout: 1.5 s are over")
        done, endpoint.latency = 7 + result.steps, 0.0
        result = await carried_out(chromium, endpoint, site.url(), tmp_path, max_cost=0.001, price="2,1,8")
        assert (result.status, result.steps) == ("budget", 1)
        assert re.fullmatch(r"max_cost: 0\.00\d\d of 0\.001 USD used", result.reason)
    assert len(rows(tmp_path, "steps")) == done + 1


@shared
async def test_check_69_without_usage_the_cost_is_unknown_and_limits_hold(
    chromium: Chromium, tmp_path: Path
) -> None:
    """Where the endpoint reports no tokens, the cost is unknown and not 0, tokens are estimated so that
    `--max-tokens` holds, and a run with `--max-cost` ends because its cost can't be known."""
    act = Reply(calls=[("scroll", {"direction": "down"})], usage=False)
    with serving(PAGE) as site, ScriptedEndpoint(act) as endpoint:
        result = await carried_out(chromium, endpoint, site.url(), tmp_path, max_tokens=2000, price="2,1,8")
        assert (result.status, result.as_object()["llm"]["cost_usd"]) == ("budget", None)
        assert "max_tokens" in result.reason
        assert result.usage.prompt_tokens > 1000
        result = await carried_out(chromium, endpoint, site.url(), tmp_path, max_cost=5.0, price="2,1,8")
    assert result.status == "budget"
    assert "max_cost: the cost is not known" in result.reason
    assert [row["cost_usd"] for row in rows(tmp_path, "runs")] == [None, None]


@shared
async def test_check_69_forms_that_are_refused_are_asked_for_once(chromium: Chromium, tmp_path: Path) -> None:
    """An endpoint without tools and response formats is found out once, and then asked in plain text."""
    with (
        serving(PAGE) as site,
        ScriptedEndpoint(Pressing({}), supports_tools=False, supports_schema=False) as endpoint,
    ):
        result = await carried_out(chromium, endpoint, site.url(), tmp_path)
    assert (result.status, result.answer, result.steps) == ("done", "pressed", STEPS)
    assert [request.mode for request in endpoint.acts][:3] == ["tools", "schema", "text"]
    assert {request.mode for request in endpoint.acts[2:]} == {"text"}


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        (Fault.error(401, "bad key"), "OPENAI_API_KEY"),
        (Fault.error(403, "not for you"), "OPENAI_API_KEY"),
        (Fault.error(402, "Insufficient credits"), "add"),
        (Fault.error(404, "The model `scripted` does not exist", "model_not_found"), "--model"),
        (Fault(404, "<html><title>Sign in</title></html>"), "--base-url"),
        (Fault.error(429, "You exceeded your current quota", "insufficient_quota"), "no quota left"),
        (Fault.error(400, "invalid request"), "--model"),
        (Fault(200, {"error": {"message": "no auth", "code": 401}}), "OPENAI_API_KEY"),
    ],
)
async def test_check_64_what_no_retry_mends_is_said_at_once(fault: Fault, advice: str) -> None:
    """A refused key, quota, model name or path is not tried again, and said in one line with the way out."""
    with ScriptedEndpoint(fault, verdict=fault) as endpoint:
        async with model_at(endpoint) as model:
            with pytest.raises(EndpointRefused, match=advice) as caught:
                await model.act(HISTORY, TOOLS)
            with pytest.raises(EndpointRefused, match=advice):
                await model.ask("verdict", HISTORY[:2], VERDICT)
    assert len(endpoint.requests) == 2
    assert endpoint.base_url in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("message", ["no tools here", "response_format is unknown", "roles must alternate"])
async def test_check_61_an_endpoint_that_refuses_every_form_ends_by_name(message: str) -> None:
    """An endpoint that refuses tools, response formats and plain text alike ends the call by name after a few
    tries."""
    with ScriptedEndpoint(Fault.error(400, message), verdict=Fault.error(400, message)) as endpoint:
        async with model_at(endpoint) as model:
            with pytest.raises(EndpointRefused, match=message):
                await model.act(HISTORY, TOOLS)
            with pytest.raises(EndpointRefused, match=message):
                await model.ask("verdict", HISTORY[:2], VERDICT)
    assert len(endpoint.requests) < 10


@pytest.mark.parametrize("fault", [Fault(200, drip=0.05), Fault(200, "{}", delay=60)], ids=["drips", "hangs"])
async def test_check_63_an_answer_that_never_ends_is_cut_at_the_timeout(fault: Fault) -> None:
    """An answer that hangs or drips a byte at a time is cut at its deadline and asked for again."""
    with ScriptedEndpoint(sequence(fault, CLICK)) as endpoint:
        async with model_at(endpoint, request_timeout=0.5) as model:
            began = time.monotonic()
            assert (await model.act(HISTORY, TOOLS)).tool_calls
            assert 0.5 <= time.monotonic() - began < 1.5
            assert model.usage.seconds >= 0.5


@pytest.mark.parametrize(
    "fault",
    [
        Fault(200, drip=0.05),
        Fault(200, "{}", delay=60),
        Fault(503, "x"),
        Fault(429, "x", {"Retry-After": "25"}),
    ],
    ids=["drips", "hangs", "fails", "waits"],
)
async def test_check_63_the_deadline_bounds_tries_and_pauses_together(fault: Fault) -> None:
    """The deadline of a run bounds all tries and all pauses between them together."""
    with ScriptedEndpoint(fault) as endpoint:
        async with model_at(endpoint, max_retries=50) as model:
            model.deadline = asyncio.get_running_loop().time() + 0.4
            began = time.monotonic()
            with pytest.raises(OutOfTime, match="the time is up"):
                await model.act(HISTORY, TOOLS)
            assert time.monotonic() - began < 1.4
            model.deadline = asyncio.get_running_loop().time() - 1
            sent = len(endpoint.requests)
            with pytest.raises(OutOfTime):
                await model.act(HISTORY, TOOLS)
    assert len(endpoint.requests) <= sent + 1, "one may have been on its way"


async def test_check_62_a_retry_after_is_waited_for_up_to_the_cap() -> None:
    """Retry-After is honoured up to a cap, and nonsense in it is ignored."""
    faults = [Fault(429, "x", {"Retry-After": value}) for value in ("0.3", "120", "soon")]
    with ScriptedEndpoint(sequence(*faults, CLICK)) as endpoint:
        async with model_at(endpoint, retry_cap=0.5) as model:
            assert (await model.act(HISTORY, TOOLS)).tool_calls
    gaps = [later - earlier for earlier, later in itertools.pairwise(endpoint.times)]
    assert 0.3 <= gaps[0] < 0.5
    assert gaps[1] >= 0.5
    assert gaps[2] < 0.4


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [("2", 2, 2), ("1.5", 1.5, 1.5), ("+20 s", 15, 20), ("-20 s", 0, 0)],
)
def test_check_62_retry_after_is_read_as_seconds_or_date(value: str, low: float, high: float) -> None:
    """Retry-After is read as seconds or as a date."""
    if value.endswith(" s"):
        moment = datetime.now(UTC) + timedelta(seconds=int(value.removesuffix(" s")))
        value = format_datetime(moment, usegmt=True)
    seconds = retry_after({"retry-after": value})
    assert seconds is not None
    assert low <= seconds <= high


@pytest.mark.parametrize(
    "value", ["", "soon", "-3", "nan", "inf", "1e99", "9" * 400, "Mon, 99 Foo 2026", "١٢"]
)
def test_check_62_a_senseless_retry_after_is_ignored(value: str) -> None:
    """A Retry-After that makes no sense is no wait at all."""
    assert retry_after({"retry-after": value}) is None


async def test_check_69_an_endpoint_without_schemas_either_is_asked_in_plain_text() -> None:
    """An endpoint without tools and schemas is asked in plain text, found out once."""
    with ScriptedEndpoint(CLICK, supports_tools=False, supports_schema=False) as endpoint:
        async with model_at(endpoint) as model:
            first = await model.act(HISTORY, TOOLS)
            await model.act(HISTORY, TOOLS)
    assert parse_text(first.text) == Action("click", {"ref": "e1"}, "go")
    assert [request.mode for request in endpoint.requests] == ["tools", "schema", "text", "text"]
    assert "Answer with one JSON object" in endpoint.requests[2]["messages"][-1]["content"]


async def test_check_69_ask_falls_back_to_plain_text_once_and_remembers() -> None:
    """A refused response format is given up once for all later calls."""
    with ScriptedEndpoint(verdict={"success": True, "reason": "ok"}, supports_schema=False) as endpoint:
        async with model_at(endpoint) as model:
            assert await model.ask("verdict", HISTORY[:2], VERDICT) == {"success": True, "reason": "ok"}
            assert await model.ask("verdict", HISTORY[:2], VERDICT)
    assert [request.mode for request in endpoint.requests] == ["schema", "text", "text"]
    assert [request.name for request in endpoint.requests] == ["verdict"] * 3
    assert '{"success": true, "reason": "…"}' in endpoint.requests[1]["messages"][-1]["content"]


async def test_check_67_refusals_and_filters_and_silence_have_their_own_finish() -> None:
    """Refusal, content filter, silence and a cut reply are told apart."""
    replies = sequence(
        Reply(refusal="I can't."), Reply(finish="content_filter"), Reply(), Reply("{", finish="length"), "x"
    )
    with ScriptedEndpoint(replies, verdict=Reply(refusal="No.")) as endpoint:
        async with model_at(endpoint) as model:
            finishes = [(await model.act(HISTORY, TOOLS)).finish for _ in range(4)]
            assert await model.ask("verdict", HISTORY[:2], VERDICT) is None
    assert finishes == ["refusal", "content_filter", "empty", "length"]
    assert len(endpoint.named("verdict")) == 1


async def test_check_69_the_cost_is_unknown_without_prices_and_where_usage_is_missing() -> None:
    """Without prices, or where the endpoint reports no tokens, the cost is unknown and not 0."""
    with ScriptedEndpoint(sequence(CLICK, Reply(calls=CLICK, usage=False), CLICK)) as endpoint:
        async with model_at(endpoint) as model:
            await model.act(HISTORY, TOOLS)
            assert model.usage.cost_usd is None
        async with model_at(endpoint, price_prompt=1.0, price_completion=1.0) as model:
            await model.act(HISTORY, TOOLS)
            await model.act(HISTORY, TOOLS)
            assert model.usage.calls == 2
            assert model.usage.prompt_tokens > 0
            assert model.usage.cost_usd is None


@pytest.mark.parametrize(
    "fault",
    [
        Fault.error(400, "This model's maximum context length is 8192 tokens", "context_length_exceeded"),
        Fault.error(400, "the request exceeds the available context size, try increasing it"),
        Fault.error(429, "Request too large for gpt on tokens per min (TPM)", "rate_limit_exceeded"),
        Fault(413, "<html><title>413 Request Entity Too Large</title></html>"),
    ],
)
async def test_check_65_a_prompt_too_long_is_told_apart(fault: Fault) -> None:
    """A prompt that is too long is known by the words of many endpoints, and not tried again as it is."""
    with ScriptedEndpoint(fault) as endpoint:
        async with model_at(endpoint) as model:
            with pytest.raises(ContextOverflow, match="too long for"):
                await model.act(HISTORY, TOOLS)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "click", "ref": "e9"}',
        '```json\n{"action": "click", "ref": "e9"}\n```',
        '{"action": "click", "ref": "e9"} {"action": "click", "ref": "e1"}',
        '<think>{"action": "click", "ref": "e1"}</think>{"action": "click", "ref": "e9"}',
        'I could do {"action": "click", "ref": "e1"} but no.\n</think>\n{"action": "click", "ref": "e9"}',
        '{"name": "click", "arguments": {"ref": "e9"}}',
        '{"action": "click", "ref": "[ref=e9]", "extra": [1]}',
    ],
)
def test_check_66_the_first_object_outside_of_thoughts_is_the_action(text: str) -> None:
    """Of fences, prose, thoughts with other actions in them, extra keys and two objects the first object
    outside of thoughts is the action."""
    parsed = parse_text(text)
    assert isinstance(parsed, Action)
    assert (parsed.tool, dict(parsed.arguments)) == ("click", {"ref": "e9"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I click e9.",
        '{"action": "click", "ref": "e9"',
        '{"action": "click"}',
        '{"action": "click", "ref": ["e9"]}',
        '{"action": "click", "ref": "button"}',
        '{"action": "fly", "ref": "e9"}',
        '{"action": "wait", "seconds": NaN}',
        '{"action": "scroll", "direction": "sideways"}',
        '<think>{"action": "click", "ref": "e9"}',
        '{"action": "click", "ref": "e9"}' + "x" * 3_000_000,
        "[" * 100_000,
    ],
    ids=lambda text: text[:30],
)
def test_check_66_what_is_no_action_is_said_to_be_none_in_few_words(text: str) -> None:
    """What is no action (cut, prose, NaN, a list for a ref, unknown, 3 MB) is said to be none in few words,
    and raises nothing."""
    parsed = parse_text(text)
    assert isinstance(parsed, Malformed)
    assert len(parsed.message) < 400


def test_check_66_a_lone_surrogate_is_replaced() -> None:
    """Lone surrogates in a reply are replaced."""
    parsed = from_object({"action": "type", "text": "a\ud83d", "thought": "\udc00"})
    assert isinstance(parsed, Action)
    assert (parsed.arguments["text"], parsed.thought) == ("a\ufffd", "\ufffd")
