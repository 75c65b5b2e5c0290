"""The scripted endpoint keeps what other tests build on: what it reads from a request, how it fails."""

import re
from typing import Any

import pytest

from tests.endpoint import Fault, Request, ScriptedEndpoint, observation_of, ref_of, text_of
from tests.test_llm_client import CLICK, TOOLS, VERDICT, model_at
from webagent.errors import ModelFault

OBSERVATION = r"""<observation url="http://maps.localhost/" title="Maps" tabs="1/1">
- event: alert "x"
- textbox "Search" [active] [ref=e9]: CMU
- button "Go" [ref=e10]
- list:
  - 'link "Ok: \"[ref=e3]\" it''s" [cursor=pointer] [ref=f1e11]':
    - /url: /x
  - link "Go" [ref=e12]
- button [ref=e13]
</observation>"""


def request_with(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


@pytest.mark.parametrize(
    ("role", "name", "ref"),
    [
        ("textbox", "Search", "e9"),
        ("button", "Go", "e10"),
        ("link", "Go", "e12"),
        ("link", re.compile("it's"), "f1e11"),
        ("link", 'Ok: "[ref=e3]" it\'s', "f1e11"),
        ("link", "", "f1e11"),
        ("button", re.compile("^$"), "e13"),
    ],
)
def test_a_ref_is_found_by_role_and_name(role: str, name: str | re.Pattern[str], ref: str) -> None:
    request = request_with('<observation>\n- button "Go" [ref=e1]\n</observation>', OBSERVATION)
    assert observation_of(request) == OBSERVATION
    assert ref_of(request, role, name) == ref


def test_a_ref_that_is_not_there_fails_with_the_observation() -> None:
    with pytest.raises(AssertionError, match="no button 'Stop'"):
        ref_of(request_with(OBSERVATION), "button", "Stop")
    assert ref_of(request_with(OBSERVATION), "button", "", nth=1) == "e13"


async def test_requests_are_recorded_with_headers_and_names() -> None:
    messages = [{"role": "user", "content": "hello"}]
    with ScriptedEndpoint(CLICK) as endpoint:
        async with model_at(endpoint, api_key="abcd") as model:
            await model.act(messages, TOOLS)
            await model.ask("verdict", messages, VERDICT)
    assert [request.name for request in endpoint.requests] == ["act", "verdict"]
    assert endpoint.requests[0].headers["Authorization"] == "Bearer abcd"
    assert text_of(endpoint.acts[0]) == "hello"
    assert len(endpoint.named("verdict")) == 1


async def test_an_error_in_a_script_fails_the_test() -> None:
    def act(request: Request) -> Any:
        raise LookupError("no such line")

    async def run() -> None:
        with ScriptedEndpoint(act) as endpoint:
            async with model_at(endpoint) as model:
                with pytest.raises(ModelFault, match="the script raised"):
                    await model.act([{"role": "user", "content": "x"}], TOOLS)

    with pytest.raises(LookupError, match="no such line"):
        await run()


async def test_leaving_the_block_ends_answers_that_are_under_way() -> None:
    with ScriptedEndpoint(Fault(200, drip=30)) as endpoint:
        async with model_at(endpoint, request_timeout=0.1, max_retries=0) as model:
            with pytest.raises(ModelFault):
                await model.act([{"role": "user", "content": "x"}], TOOLS)
    assert len(endpoint.requests) == 1
