"""An endpoint that fails, one fault at a time: what is tried again, for how long, and what is said."""

import asyncio
import json
from typing import Any

import pytest

from tests.endpoint import Fault, Route, ScriptedEndpoint, sequence
from tests.test_llm_client import CLICK, HISTORY, TOOLS, model_at
from webagent.errors import ModelFault
from webagent.llm import EndpointRefused, ModelOptions, OpenAIModel

HTML = "<html><title>Sign in</title></html>"
PASSING = {
    "408": Fault.error(408, "timeout"),
    "409": Fault.error(409, "conflict"),
    "429": Fault.error(429, "slow down", "rate_limit_exceeded"),
    "500": Fault(500, "oops"),
    "503 html": Fault(503, HTML),
    "529": Fault.error(529, "overloaded"),
    "html under 200": Fault(200, HTML, {"Content-Type": "text/html"}),
    "html called json": Fault(200, HTML),
    "bad utf-8": Fault(200, b'{"choices": "\xff\xfe"}'),
    "half a body": Fault(200, '{"choices": ['),
    "empty body": Fault(200, ""),
    "no choices": Fault(200, {"choices": []}),
    "null choices": Fault(200, {"choices": None}),
    "no message": Fault(200, {"choices": [{"message": None}]}),
    "a list": Fault(200, "[]"),
    "too deep": Fault(200, "[" * 100_000),
    "error under 200": Fault(200, {"error": {"message": "upstream failed", "code": 502}}),
    "closed": Fault(close=True),
    "dies in the middle": Fault(200, '{"choices": [{"mess', cut=True),
    "bad gzip": Fault(200, b"no gzip", {"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
async def test_a_passing_fault_is_tried_again(fault: Fault) -> None:
    with ScriptedEndpoint(sequence(CLICK, fault, fault, CLICK)) as endpoint:
        async with model_at(endpoint) as model:
            told: list[str] = []
            model.endpoint.on_retry = told.append
            await model.act(HISTORY, TOOLS)
            assert (await model.act(HISTORY, TOOLS)).tool_calls
            assert model.mode == "tools"
    assert len(endpoint.requests) == 4
    assert len(told) == 2
    assert all("\n" not in line for line in told)
    assert fault.close or fault.status < 400 or all(f"failed: {fault.status}" in line for line in told)


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
async def test_a_lasting_fault_ends_after_the_retries_in_one_line(fault: Fault) -> None:
    with ScriptedEndpoint(fault) as endpoint:
        async with model_at(endpoint, max_retries=2) as model:
            with pytest.raises(ModelFault, match=r"\(model scripted\) after 3 tries: .*--base-url") as caught:
                await model.act(HISTORY, TOOLS)
    assert len(endpoint.requests) == 3
    assert not isinstance(caught.value, EndpointRefused)
    assert len(str(caught.value).splitlines()) == 1
    assert caught.value.__context__ is None


async def test_nothing_that_listens_is_said_with_the_address() -> None:
    with ScriptedEndpoint() as endpoint:
        url = endpoint.base_url
    with pytest.raises(ModelFault, match=r"after 2 tries.*check that it runs") as caught:
        await OpenAIModel.open(ModelOptions(base_url=url, backoff=0.01, max_retries=1))
    assert url in str(caught.value)


async def test_a_faulty_list_of_models_is_tried_again_and_then_said() -> None:
    with (
        ScriptedEndpoint(models=Fault(200, HTML)) as endpoint,
        pytest.raises(ModelFault, match="after 2 tries"),
    ):
        await OpenAIModel.open(ModelOptions(base_url=endpoint.base_url, backoff=0.01, max_retries=1))


async def test_a_pause_between_tries_can_be_cancelled() -> None:
    with ScriptedEndpoint(Fault(503, "x", {"Retry-After": "20"})) as endpoint:
        async with model_at(endpoint) as model:
            paused = asyncio.Event()
            model.endpoint.on_retry = lambda line: paused.set()
            task = asyncio.create_task(model.act(HISTORY, TOOLS))
            await paused.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task


async def test_twenty_calls_at_once_share_an_endpoint() -> None:
    script: list[Route] = [Fault(503, "x"), CLICK]
    with ScriptedEndpoint(sequence(*script * 10), latency=0.02) as endpoint:
        async with model_at(endpoint, max_retries=20) as model:
            replies = await asyncio.gather(*(model.act(HISTORY, TOOLS) for _ in range(20)))
            assert all(reply.tool_calls for reply in replies)
            assert model.usage.calls == 20


async def test_an_echoed_key_is_scrubbed_from_retries_and_faults() -> None:
    key = "topsecret-123456"
    bodies: list[Any] = [f"key {key} is busy", json.dumps({"error": {"message": f"{key}!", "code": key}})]
    with ScriptedEndpoint(sequence(*(Fault(503, body) for body in bodies))) as endpoint:
        async with model_at(endpoint, api_key=key, max_retries=1) as model:
            told: list[str] = []
            model.endpoint.on_retry = told.append
            with pytest.raises(ModelFault) as caught:
                await model.act(HISTORY, TOOLS)
    assert key not in f"{told} {caught.value}"
    assert "[key]" in told[0]


async def test_user_and_query_of_a_base_url_are_not_shown() -> None:
    with ScriptedEndpoint(Fault.error(404, "no")) as endpoint:
        url = endpoint.base_url.replace("http://", "http://user:hunter2@")
        model = await OpenAIModel.open(ModelOptions(model="m", base_url=url))
        with pytest.raises(EndpointRefused) as caught:
            await model.act(HISTORY, TOOLS)
        await model.close()
    assert "hunter2" not in str(caught.value)
