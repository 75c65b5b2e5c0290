"""The chat model that policies, judges and induction talk to."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.errors import ModelFault, first_line
from webagent.interfaces import Completion, Message, ModelCall, Usage
from webagent.llm.endpoint import Endpoint, Refused
from webagent.llm.forms import (
    action_schema,
    cleaned,
    like,
    object_in,
    plain_messages,
    response_format,
    shaped,
    with_suffix,
)
from webagent.llm.options import Mode, ModelOptions
from webagent.llm.replies import completion_of, estimated, usage_of


@dataclass
class Habits:
    """What an endpoint was found to take: how actions are asked for, which parameters it refuses,
    how strict its chat template is about roles (see `forms.shaped`)."""

    mode: Mode = "tools"
    plain_ask: bool = False
    refused: set[str] = field(default_factory=set)
    roles: int = 0
    texts: int = 0
    """Replies without a tool call in a row, though tools were offered."""


_HABITS: dict[tuple[str, str], Habits] = {}
"""By base URL and model: found out once in a process, not once a run."""

TEXTS_BEFORE_SCHEMA = 2


class OpenAIModel:
    """A ChatModel behind the Chat Completions API. Make one with `open`, `close` it at the end.

    `usage` sums all calls so far. Set `deadline` (the event loop's time) to bound all waiting, `seen` to
    be told of every call once it is over."""

    def __init__(self, endpoint: Endpoint, name: str, cleanup: AsyncExitStack) -> None:
        self.usage = Usage()
        self.seen: Callable[[ModelCall], None] | None = None
        self.endpoint = endpoint
        options = endpoint.options
        self.habits = _HABITS.setdefault((options.url, name), Habits(options.mode))
        self._name = name
        self._cleanup = cleanup
        self._costs_known = True

    @classmethod
    async def open(cls, options: ModelOptions) -> "OpenAIModel":
        """Connects, and finds out the model's name where none is given.

        Raises ModelFault (no key, unreachable, no or several models listed), UsageError (a base
        URL that is no http(s) URL, a model file that is not there)."""
        async with AsyncExitStack() as stack:
            if options.is_file:
                from webagent.llm.local import LocalServer

                server = await LocalServer.start(options)
                stack.push_async_callback(server.close)
                options = server.options
            endpoint = await Endpoint.open(options)
            stack.push_async_callback(endpoint.close)
            name = options.model or await _only_model(endpoint)
            return cls(endpoint, name, stack.pop_all())
        raise AssertionError("unreachable")

    def for_run(self, seed: int | None = None) -> "OpenAIModel":
        """The same connections with a usage, a deadline and a seed of their own, for runs side by side; what
        it was made from is closed, not this."""
        endpoint = copy(self.endpoint)
        endpoint.options = replace(endpoint.options, seed=seed)
        return OpenAIModel(endpoint, self._name, AsyncExitStack())

    @property
    def name(self) -> str:
        """The model's name as the endpoint knows it."""
        return self._name

    @property
    def mode(self) -> Mode:
        """How actions are asked for at the moment."""
        return self.habits.mode

    @property
    def deadline(self) -> float | None:
        """The event loop's time after which no call waits any longer."""
        return self.endpoint.deadline

    @deadline.setter
    def deadline(self, value: float | None) -> None:
        self.endpoint.deadline = value

    async def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Completion:
        """A reply that should hold actions: tool calls, or (see `mode`) JSON in its text.

        Raises ContextOverflow where the prompt is too long, ModelFault where the endpoint fails."""
        while True:
            mode = self.habits.mode
            try:
                completion = await self._complete("act", self._act_parameters(mode, messages, tools))
            except Refused as refused:
                self._adapt(refused, mode)
                continue
            if mode == "tools":
                self._count_texts(completion)
            return completion

    async def ask(
        self, name: str, messages: Sequence[Message], schema: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """The reply under a JSON schema as an object; None where it holds none, asked twice."""
        completion = await self._ask(name, messages, schema)
        if completion.finish in ("refusal", "content_filter"):
            return None
        found = object_in(completion.text, schema)
        if found is None:
            repair = f"That was no complete JSON object of the form asked for. {like(name, schema)}"
            said = {"role": "assistant", "content": completion.text[:2000] or "…"}
            again = [*messages, said, {"role": "user", "content": repair}]
            found = object_in((await self._ask(name, again, schema)).text, schema)
        return found

    async def close(self) -> None:
        """Closes the connections, and the server of a local file."""
        await self._cleanup.aclose()

    async def _ask(self, name: str, messages: Sequence[Message], schema: Mapping[str, Any]) -> Completion:
        while True:
            plain = self.habits.plain_ask
            if plain:
                parameters: dict[str, Any] = {"messages": with_suffix(messages, like(name, schema))}
            else:
                form = response_format(name, schema, strict=True)
                parameters = {"messages": messages, "response_format": form}
            try:
                return await self._complete(name, parameters)
            except Refused as refused:
                if refused.trouble.kind == "format":
                    self.habits.plain_ask = True
                else:
                    self._adapt(refused, "text")

    def _act_parameters(
        self, mode: Mode, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        if mode == "tools":
            return {"messages": messages, "tools": list(tools), "tool_choice": "required"}
        plain = plain_messages(messages, tools, suffix=mode == "text")
        if mode == "text":
            return {"messages": plain}
        form = response_format("action", action_schema(tools), strict=False)
        return {"messages": plain, "response_format": form}

    async def _complete(self, name: str, parameters: Mapping[str, Any]) -> Completion:
        options = self.endpoint.options
        optional = {
            "temperature": options.temperature,
            "seed": options.seed,
            "max_completion_tokens": options.max_completion_tokens,
            **parameters,
        }
        sent = {k: v for k, v in optional.items() if v is not None and k not in self.habits.refused}
        if "max_completion_tokens" in self.habits.refused and options.max_completion_tokens:
            sent["max_tokens"] = options.max_completion_tokens
        sent["messages"] = shaped(cleaned(sent["messages"], options.secrets.mask), self.habits.roles)
        call = ModelCall(self._name, name, sent["messages"], Usage(), url=self.endpoint.shown)
        began = time.monotonic()
        try:
            reply = await self.endpoint.complete({"model": self._name, **sent})
        except (ModelFault, Refused, asyncio.CancelledError) as error:
            spent = Usage(seconds=time.monotonic() - began)
            given_up = isinstance(error, asyncio.CancelledError)
            why = "given up: the run ended meanwhile" if given_up else first_line(error)
            self._tell(replace(call, usage=spent, error=why, error_type=type(error).__name__))
            raise
        finally:
            seconds = time.monotonic() - began
            self.usage = replace(self.usage, seconds=self.usage.seconds + seconds)
        completion = completion_of(reply)
        spent = usage_of(reply, options) or estimated(sent, completion)
        self._costs_known = self._costs_known and spent.cost_usd is not None
        total = self.usage + spent
        self.usage = total if self._costs_known else replace(total, cost_usd=None)
        self._tell(replace(call, usage=replace(spent, seconds=seconds), completion=completion))
        return completion

    def _tell(self, call: ModelCall) -> None:
        if self.seen is not None:
            self.seen(call)

    def _adapt(self, refused: Refused, mode: Mode) -> None:
        """Remembers what the endpoint lacks, or raises where nothing is left to give up."""
        trouble, habits = refused.trouble, self.habits
        if trouble.kind == "parameter" and trouble.parameter not in habits.refused:
            habits.refused.add(trouble.parameter)
        elif trouble.kind == "roles" and habits.roles < 2:
            habits.roles += 1
        elif trouble.kind == "tools" and mode == "tools":
            habits.mode = "schema"
        elif trouble.kind == "format" and mode == "schema":
            habits.mode = "text"
        else:
            raise self.endpoint.refusal(trouble, self._name)

    def _count_texts(self, completion: Completion) -> None:
        """Small models take tools and answer in text all the same; a schema serves them better."""
        if completion.tool_calls:
            self.habits.texts = 0
        elif completion.finish not in ("refusal", "content_filter"):
            self.habits.texts += 1
            if self.habits.texts >= TEXTS_BEFORE_SCHEMA:
                self.habits.mode = "schema"


async def _only_model(endpoint: Endpoint) -> str:
    try:
        names = await endpoint.models()
    except Refused as refused:
        raise endpoint.refusal(refused.trouble, "none named") from None
    if len(names) == 1:
        return names[0]
    if not names:
        raise ModelFault(f"{endpoint.shown} lists no model; name one with --model")
    listed = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    raise ModelFault(f"{endpoint.shown} has {len(names)} models; name one with --model: {listed}")
