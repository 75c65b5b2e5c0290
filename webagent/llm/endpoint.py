"""One HTTP exchange with an endpoint, tried again where that can help."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from webagent.errors import ModelFault
from webagent.ids import web_url
from webagent.llm.faults import EndpointRefused, OutOfTime, Trouble, diagnose, fault_of, one_line, scrub
from webagent.llm.options import ModelOptions, is_loopback, shown_url
from webagent.llm.replies import is_completion

if TYPE_CHECKING:
    from openai import AsyncOpenAI

CHANGES = ("tools", "format", "parameter", "roles")
"""Kinds of trouble that another form of the request may mend."""


class Refused(Exception):
    """The endpoint lacks something that the request asked for; the caller may ask otherwise."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.text)
        self.trouble = trouble


class Endpoint:
    """Talks to one base URL. `deadline` (the event loop's time) bounds all waiting, retries too;
    `on_retry` is told of each failed try in one line."""

    def __init__(self, options: ModelOptions, client: "AsyncOpenAI") -> None:
        self.options = options
        self.deadline: float | None = None
        self.on_retry: Callable[[str], None] | None = None
        self._client = client

    @classmethod
    async def open(cls, options: ModelOptions) -> Self:
        """An endpoint that was not spoken to yet. Raises ModelFault where its key can't be one."""
        key = _key(options)
        await asyncio.to_thread(import_module, "openai")  # this takes as long as starting a browser
        return cls(options, _client(options, key))

    @property
    def shown(self) -> str:
        """The base URL as error texts name it."""
        return shown_url(self.options.url)

    async def models(self) -> list[str]:
        """The names that the endpoint lists."""

        async def get() -> Any:
            return (await self._client.models.with_raw_response.list()).content

        def is_list(reply: Any) -> bool:
            return isinstance(reply, Mapping) and isinstance(reply.get("data"), list)

        reply = await self._exchange(get, is_list, {"model": "none named"})
        return [str(item["id"]) for item in reply["data"] if isinstance(item, Mapping) and item.get("id")]

    async def complete(self, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """A chat completion as the endpoint's JSON, with at least one choice.

        Raises Refused where another form of the request may do, ModelFault where none will."""

        async def post() -> Any:
            raw = await self._client.chat.completions.with_raw_response.create(**parameters)
            return raw.content

        reply: Mapping[str, Any] = await self._exchange(post, is_completion, parameters)
        return reply

    def refusal(self, trouble: Trouble, model: str) -> ModelFault:
        """The fault for something the endpoint lacks and nothing can stand in for."""
        return fault_of(replace(trouble, kind="refused"), self.shown, model, 1)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def _exchange(
        self, send: Callable[[], Awaitable[Any]], good: Callable[[Any], bool], parameters: Mapping[str, Any]
    ) -> Any:
        tries = 0
        while True:
            result = await self._try(send, good, parameters)
            tries += 1
            if not isinstance(result, Trouble):
                return result
            if result.kind in CHANGES:
                raise Refused(result)
            if result.kind == "retry":
                self._left(result.text)
            if result.kind != "retry" or tries > self.options.max_retries:
                raise fault_of(result, self.shown, str(parameters["model"]), tries)
            if self.on_retry:
                self.on_retry(f"try {tries} of {self.shown} failed: {result.text}")
            await self._pause(tries, result)

    async def _try(
        self, send: Callable[[], Awaitable[Any]], good: Callable[[Any], bool], parameters: Mapping[str, Any]
    ) -> Any:
        """The reply, or the Trouble. A deadline surrounds the whole try because the client's own
        timeout is per read: a body that drips a byte at a time ran 32 s under `timeout=3`."""
        import openai

        limit = min(self.options.request_timeout, self._left(""))
        try:
            async with asyncio.timeout(limit):
                content = await send()
            reply = json.loads(content)
        except openai.APIStatusError as error:
            trouble = diagnose(error.status_code, error.body, error.response.headers, parameters)
        except (TimeoutError, openai.APITimeoutError):
            trouble = Trouble("retry", f"no complete answer within {limit:.3g} s")
        except openai.APIConnectionError as error:
            trouble = Trouble("retry", one_line(f"{error} {error.__cause__ or ''}"))
        except (ValueError, RecursionError, openai.APIError) as error:
            trouble = Trouble("retry", one_line(f"the answer is not JSON ({error})"))
        else:
            if good(reply):
                return reply
            trouble = self._odd(reply, parameters)
        return replace(trouble, text=scrub(trouble.text, self.options.api_key))

    def _odd(self, reply: Any, parameters: Mapping[str, Any]) -> Trouble:
        """A 200 that holds no completion; some gateways report errors so."""
        error = reply.get("error") if isinstance(reply, Mapping) else None
        if error:
            code = error.get("code") if isinstance(error, Mapping) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 500
            return diagnose(status, reply, {}, parameters)
        return Trouble("retry", one_line(f"the answer holds no choice: {json.dumps(reply)[:200]}"))

    async def _pause(self, tries: int, trouble: Trouble) -> None:
        """Waits before the next try: what the endpoint asked for up to the cap, else twice as long
        each time, with jitter so that the tasks of a batch do not come back together."""
        options = self.options
        wait = options.backoff * 2 ** (tries - 1) * random.uniform(0.5, 1.0)
        if trouble.wait is not None:
            wait = trouble.wait + random.uniform(0, options.backoff)
        wait = min(wait, options.retry_cap)
        if wait >= self._left(trouble.text):
            raise OutOfTime(f"the time is up before {self.shown} can be tried again: {trouble.text}")
        await asyncio.sleep(wait)

    def _left(self, said: str) -> float:
        """Seconds until the deadline; raises OutOfTime when it has passed."""
        if self.deadline is None:
            return float("inf")
        left = self.deadline - asyncio.get_running_loop().time()
        if left <= 0:
            raise OutOfTime(f"the time is up while waiting for {self.shown}{': ' + said if said else ''}")
        return left


def _key(options: ModelOptions) -> str:
    """The key; empty where none is needed."""
    url = web_url(options.url)
    key = (options.api_key or "").strip()
    if not key and not is_loopback(url):
        raise EndpointRefused(
            f"no key for {shown_url(url)}; set OPENAI_API_KEY, name another endpoint with --base-url, "
            "or run a local file with --model PATH.gguf"
        )
    try:
        key.encode("ascii")
    except UnicodeEncodeError:
        raise ModelFault("the key holds characters no key has (not ASCII); check OPENAI_API_KEY") from None
    return key


def _client(options: ModelOptions, key: str) -> "AsyncOpenAI":
    """The client. Our own loop retries, and no proxy stands before an endpoint on this machine."""
    import openai

    url = web_url(options.url)
    http_client = openai.DefaultAsyncHttpxClient(trust_env=False) if is_loopback(url) else None
    return openai.AsyncOpenAI(
        api_key=key or "none",
        base_url=url,
        max_retries=0,
        timeout=options.request_timeout,
        http_client=http_client,
    )
