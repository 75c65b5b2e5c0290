"""The chat model against a loopback endpoint: forms of asking, answers, usage, names and keys."""

import itertools
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.endpoint import Fault, Request, ScriptedEndpoint, sequence, text_of
from webagent.actions import ALWAYS, BY_NAME, Action, parse_call, parse_text
from webagent.errors import ModelFault, UsageError
from webagent.llm import EndpointRefused, ModelOptions, OpenAIModel

TOOLS = [BY_NAME[name].schema() for name in ALWAYS]
CLICK = [("click", {"ref": "e1", "thought": "go"})]
VERDICT = {
    "type": "object",
    "properties": {"success": {"type": ["boolean", "null"]}, "reason": {"type": "string"}},
    "required": ["success", "reason"],
    "additionalProperties": False,
}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be an agent."},
    {"role": "user", "content": "<goal>\nfind it\n</goal>"},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "click", "arguments": '{"ref": "e7"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "clicked"},
    {"role": "user", "content": "<observation>…</observation>"},
]


@asynccontextmanager
async def model_at(endpoint: ScriptedEndpoint, **options: Any) -> AsyncIterator[OpenAIModel]:
    model = await OpenAIModel.open(ModelOptions(base_url=endpoint.base_url, backoff=0.01, **options))
    try:
        yield model
    finally:
        await model.close()


async def test_tool_calls_come_back_as_sent() -> None:
    with ScriptedEndpoint([*CLICK, ("stop", {"answer": "15213"})]) as endpoint:
        async with model_at(endpoint) as model:
            completion = await model.act(HISTORY, TOOLS)
    assert [call.name for call in completion.tool_calls] == ["click", "stop"]
    assert parse_call("click", completion.tool_calls[0].arguments) == Action("click", {"ref": "e1"}, "go")
    assert completion.finish == "tool_calls"
    assert endpoint.requests[0]["messages"] == HISTORY
    assert endpoint.requests[0]["tool_choice"] == "required"


async def test_an_endpoint_without_tools_is_asked_by_schema_and_that_is_remembered() -> None:
    with ScriptedEndpoint(CLICK, supports_tools=False) as endpoint:
        async with model_at(endpoint) as model:
            completion = await model.act(HISTORY, TOOLS)
            await model.act(HISTORY, TOOLS)
        async with model_at(endpoint) as model:
            await model.act(HISTORY, TOOLS)
    assert completion.tool_calls == ()
    assert parse_text(completion.text) == Action("click", {"ref": "e1"}, "go")
    assert [request.mode for request in endpoint.requests] == ["tools", "schema", "schema", "schema"]
    form = endpoint.requests[1]["response_format"]["json_schema"]
    assert form["name"] == "action"
    names = [branch["properties"]["action"]["enum"] for branch in form["schema"]["anyOf"]]
    assert names == [[name] for name in ALWAYS]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (404, "No endpoints found that support tool use"),
        (422, "body -> tools: extra fields not permitted"),
        (500, "tools param requires --jinja flag"),
        (501, "functions are not implemented"),
    ],
)
async def test_other_words_for_no_tools_lead_to_the_schema_too(status: int, message: str) -> None:
    def act(request: Request) -> Any:
        return Fault.error(status, message) if request.mode == "tools" else CLICK

    with ScriptedEndpoint(act) as endpoint:
        async with model_at(endpoint) as model:
            await model.act(HISTORY, TOOLS)
            assert model.mode == "schema"
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("parameter", ["tool_choice", "temperature", "seed", "max_completion_tokens"])
async def test_a_refused_parameter_is_left_out_from_then_on(parameter: str) -> None:
    def act(request: Request) -> Any:
        return Fault.error(400, f"Unsupported value: '{parameter}'") if parameter in request else CLICK

    with ScriptedEndpoint(act) as endpoint:
        async with model_at(endpoint, seed=1, max_completion_tokens=50) as model:
            await model.act(HISTORY, TOOLS)
            completion = await model.act(HISTORY, TOOLS)
            assert model.mode == "tools"
    assert completion.tool_calls
    assert [parameter in request for request in endpoint.requests] == [True, False, False]
    assert ("max_tokens" in endpoint.requests[1]) == (parameter == "max_completion_tokens")


@pytest.mark.parametrize("text", ['{"action": "click", "ref": "e1"}', "I would click the button."])
async def test_two_replies_in_text_though_tools_were_offered_switch_to_the_schema(text: str) -> None:
    with ScriptedEndpoint(text) as endpoint:
        async with model_at(endpoint) as model:
            completions = [await model.act(HISTORY, TOOLS) for _ in range(3)]
    assert [completion.text for completion in completions] == [text] * 3
    assert [request.mode for request in endpoint.requests] == ["tools", "tools", "schema"]


async def test_a_tool_call_between_replies_in_text_keeps_the_tools() -> None:
    with ScriptedEndpoint(sequence("hm", CLICK, "hm", CLICK)) as endpoint:
        async with model_at(endpoint) as model:
            for _ in range(4):
                await model.act(HISTORY, TOOLS)
            assert model.mode == "tools"


async def test_without_tools_calls_become_json_lines_and_results_user_messages() -> None:
    with ScriptedEndpoint(CLICK, supports_tools=False) as endpoint:
        async with model_at(endpoint) as model:
            await model.act(HISTORY[:4], TOOLS)
            await model.act(HISTORY, TOOLS)
    shorter, longer = endpoint.requests[1]["messages"], endpoint.requests[2]["messages"]
    assert longer[: len(shorter)] == shorter
    assert [message["role"] for message in longer] == ["system", "user", "assistant", "user", "user"]
    assert json.loads(longer[2]["content"]) == {"thought": "I look.", "action": "click", "ref": "e7"}
    assert longer[3]["content"] == "clicked"
    assert '{"action": "click", "ref": string' in longer[0]["content"]


@pytest.mark.parametrize("strict", [1, 2])
async def test_a_chat_template_strict_about_roles_gets_what_it_takes(strict: int) -> None:
    def act(request: Request) -> Any:
        roles = [message["role"] for message in request["messages"]]
        if strict == 2 and "system" in roles:
            return Fault.error(500, "System role not supported")
        if any(one == other == "user" for one, other in itertools.pairwise(roles)):
            return Fault.error(400, "Conversation roles must alternate user/assistant/user/assistant/...")
        return CLICK

    doubled = [HISTORY[0], HISTORY[1], *HISTORY[1:]]
    with ScriptedEndpoint(act) as endpoint:
        async with model_at(endpoint) as model:
            assert (await model.act(doubled, TOOLS)).tool_calls
            assert model.mode == "tools"
            assert (await model.act(doubled, TOOLS)).tool_calls
    assert len(endpoint.requests) == 2 + strict


async def test_ask_returns_the_object_under_its_schema() -> None:
    with ScriptedEndpoint(verdict={"success": None, "reason": "unclear"}) as endpoint:
        async with model_at(endpoint) as model:
            found = await model.ask("verdict", HISTORY[:2], VERDICT)
    assert found == {"success": None, "reason": "unclear"}
    assert endpoint.requests[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": True, "schema": VERDICT},
    }


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"success": true, "reason": "ok"}\n```',
        '<think>{"success": false, "reason": "no"}</think>{"success": true, "reason": "ok"}',
    ],
)
async def test_ask_reads_an_object_through_fences_thoughts_and_prose(text: str) -> None:
    with ScriptedEndpoint(verdict=text) as endpoint:
        async with model_at(endpoint) as model:
            assert await model.ask("verdict", HISTORY[:2], VERDICT) == {"success": True, "reason": "ok"}


@pytest.mark.parametrize(
    "bad",
    [
        "no object",
        '{"success": tru',
        '{"success": true}',
        '{"success": "yes", "reason": "ok"}',
        "[1]",
        "x" * 3_000_000,
    ],
    ids=["prose", "truncated", "missing key", "wrong type", "list", "3 MB"],
)
async def test_ask_asks_once_more_for_an_object_and_then_gives_none(bad: str) -> None:
    good = {"success": True, "reason": "ok"}
    with ScriptedEndpoint(verdict=sequence(bad, good, bad)) as endpoint:
        async with model_at(endpoint) as model:
            assert await model.ask("verdict", HISTORY[:2], VERDICT) == good
            assert await model.ask("verdict", HISTORY[:2], VERDICT) is None
    assert len(endpoint.requests) == 4
    assert len(text_of(endpoint.requests[1])) < 4000


async def test_usage_sums_tokens_cached_ones_seconds_and_the_cost() -> None:
    prices = {"price_prompt": 2.0, "price_cached": 0.5, "price_completion": 8.0}
    with ScriptedEndpoint(CLICK) as endpoint:
        async with model_at(endpoint, **prices) as model:
            await model.act(HISTORY[:4], TOOLS)
            assert model.usage.cached_tokens == 0
            await model.act(HISTORY, TOOLS)
            usage = model.usage
    assert usage.calls == 2
    assert 0 < usage.cached_tokens < usage.prompt_tokens
    assert usage.completion_tokens > 0
    assert usage.seconds > 0
    fresh = usage.prompt_tokens - usage.cached_tokens
    expected = (fresh * 2.0 + usage.cached_tokens * 0.5 + usage.completion_tokens * 8.0) / 1e6
    assert usage.cost_usd == pytest.approx(expected)


@pytest.mark.parametrize(
    "usage",
    [
        {"usage": {"prompt_tokens": 100, "completion_tokens": 1, "prompt_cache_hit_tokens": 64}},
        {"usage": {"prompt_tokens": 100, "completion_tokens": 1}, "timings": {"cache_n": 64}},
    ],
)
async def test_cached_tokens_are_known_by_their_other_names(usage: dict[str, Any]) -> None:
    body = {"choices": [{"message": {"content": "hi"}}], **usage}
    with ScriptedEndpoint(Fault(200, body)) as endpoint:
        async with model_at(endpoint) as model:
            await model.act(HISTORY, TOOLS)
            assert (model.usage.prompt_tokens, model.usage.cached_tokens) == (100, 64)


async def test_odd_but_usable_replies_are_read() -> None:
    call = {"function": {"name": "click", "arguments": {"ref": "e1"}}}
    message = {"content": [{"type": "text", "text": "a\ud800"}], "tool_calls": [call, {"function": None}, 7]}
    with ScriptedEndpoint(Fault(200, {"choices": [{"message": message}]})) as endpoint:
        async with model_at(endpoint) as model:
            completion = await model.act(HISTORY, TOOLS)
    assert completion.text == "a\ufffd"
    assert [(c.name, c.arguments) for c in completion.tool_calls] == [("click", '{"ref": "e1"}')]


async def test_lone_surrogates_do_not_break_a_request() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "a\ud800b"}]}]
    with ScriptedEndpoint(CLICK) as endpoint:
        async with model_at(endpoint) as model:
            await model.act(messages, TOOLS)
            await model.ask("verdict", [{"role": "user", "content": "\udfff"}], VERDICT)
    assert endpoint.requests[0]["messages"][0]["content"][0]["text"] == "a\ufffdb"
    assert endpoint.requests[1]["messages"][0]["content"] == "\ufffd"


async def test_the_only_model_listed_is_taken() -> None:
    with ScriptedEndpoint(CLICK, models=["only-one"]) as endpoint:
        async with model_at(endpoint) as model:
            await model.act(HISTORY, TOOLS)
            assert model.name == "only-one"
    assert endpoint.requests[0]["model"] == "only-one"


async def test_several_models_are_listed_to_choose_from() -> None:
    with (
        ScriptedEndpoint(models=[f"m{n}" for n in range(25)]) as endpoint,
        pytest.raises(ModelFault, match=r"25 models; name one with --model: m0, m1, .* m19 and 5 more"),
    ):
        await OpenAIModel.open(ModelOptions(base_url=endpoint.base_url))


async def test_no_model_listed_is_said() -> None:
    with (
        ScriptedEndpoint(models=[]) as endpoint,
        pytest.raises(ModelFault, match=r"lists no model; name one with --model"),
    ):
        await OpenAIModel.open(ModelOptions(base_url=endpoint.base_url))


async def test_a_remote_endpoint_needs_a_key_and_a_url_must_be_one() -> None:
    with pytest.raises(EndpointRefused, match=r"no key for https://api.openai.com/v1; set OPENAI_API_KEY"):
        await OpenAIModel.open(ModelOptions(model="m"))
    with pytest.raises(UsageError, match="localhost:1/v1"):
        await OpenAIModel.open(ModelOptions(model="m", base_url="localhost:1/v1"))
    with pytest.raises(ModelFault, match="not ASCII") as caught:
        await OpenAIModel.open(ModelOptions(model="m", api_key="sécret-key"))
    assert "cret-key" not in str(caught.value)


async def test_a_wrong_key_is_told_at_once_without_showing_it() -> None:
    with ScriptedEndpoint(CLICK, api_key="right") as endpoint:
        with pytest.raises(EndpointRefused, match=r"401.*OPENAI_API_KEY") as caught:
            await OpenAIModel.open(ModelOptions(base_url=endpoint.base_url, api_key="wrong-key-1234"))
        async with model_at(endpoint, model="m", api_key="sk-abc*****wxyz") as model:
            with pytest.raises(EndpointRefused, match=r"\(model m\)") as again:
                await model.act(HISTORY, TOOLS)
    for error in (caught.value, again.value):
        assert "wrong-key" not in str(error)
        assert "abc" not in str(error)
        assert error.__cause__ is None
        assert error.__context__ is None
    assert "wrong-key" not in repr(ModelOptions(api_key="wrong-key-1234"))


def test_importing_the_package_imports_neither_openai_nor_httpx() -> None:
    code = "import sys, webagent.llm; print(sorted({'openai', 'httpx2', 'xllamacpp'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
