"""What an endpoint's reply says: read leniently, for endpoints differ in all that is optional."""

import json
from collections.abc import Mapping
from typing import Any

from webagent.ids import clean_text
from webagent.interfaces import Completion, ToolCall, Usage
from webagent.llm.options import ModelOptions
from webagent.tokens import estimate_tokens


def completion_of(reply: Mapping[str, Any]) -> Completion:
    """The first choice. `finish` is `refusal` where the model refused and `empty` where it said
    nothing at all, else the finish_reason."""
    choice = reply["choices"][0]
    message = choice["message"]
    calls = tuple(_calls(message.get("tool_calls") or []))
    text = _text(message.get("content"))
    finish = str(choice.get("finish_reason") or "stop")
    if message.get("refusal"):
        return Completion(clean_text(str(message["refusal"])), (), "refusal")
    if not text.strip() and not calls and finish in ("stop", "tool_calls"):
        finish = "empty"
    return Completion(text, calls, finish)


def is_completion(reply: Any) -> bool:
    """True where the reply has a first choice with a message."""
    choices = reply.get("choices") if isinstance(reply, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, Mapping) and isinstance(first.get("message"), Mapping)


def _text(content: Any) -> str:
    """Content as text; some endpoints send parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        content = "".join(part for part in parts if isinstance(part, str))
    return clean_text(content) if isinstance(content, str) else ""


def _calls(calls: Any) -> list[ToolCall]:
    found: list[ToolCall] = []
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            continue
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        name = clean_text(str(function.get("name") or ""))
        found.append(ToolCall(str(call.get("id") or f"call_{len(found)}"), name, clean_text(text)))
    return found


def estimated(sent: Mapping[str, Any], completion: Completion) -> Usage:
    """The tokens of a call whose endpoint reports none, about: without them no budget of tokens would hold.
    What they cost stays unknown."""
    prompt = json.dumps([sent.get("messages"), sent.get("tools")], ensure_ascii=False)
    said = completion.text + "".join(f"{call.name}{call.arguments}" for call in completion.tool_calls)
    return Usage(1, estimate_tokens(prompt), 0, estimate_tokens(said))


def usage_of(reply: Mapping[str, Any], options: ModelOptions) -> Usage | None:
    """Tokens as reported, cached ones under the names of OpenAI, DeepSeek and llama.cpp; None where none
    are. The cost is None where no prices are set."""
    usage = reply.get("usage")
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    cached = (
        _count(usage.get("prompt_tokens_details"), "cached_tokens")
        or _count(usage, "prompt_cache_hit_tokens")
        or _count(reply.get("timings"), "cache_n")
    )
    cached = min(cached, prompt)
    cost = None
    if options.price_prompt is not None and options.price_completion is not None:
        price_cached = options.price_prompt if options.price_cached is None else options.price_cached
        dollars = (prompt - cached) * options.price_prompt + cached * price_cached
        cost = (dollars + completion * options.price_completion) / 1e6
    return Usage(1, prompt, cached, completion, cost)


def _count(data: Any, key: str) -> int:
    value = data.get(key) if isinstance(data, Mapping) else None
    return value if isinstance(value, int) and value >= 0 else 0
