"""Messages and schemas for endpoints without tools: the same actions as JSON text.

Every conversion is a function of one message (or of the tools) alone, so that a longer history
keeps the prefix of a shorter one and the provider's cache still serves it."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.actions import first_object, objects_in
from webagent.ids import clean_text
from webagent.masking import Masker, masked_within

Message = Mapping[str, Any]
_THINK = re.compile(
    r"<(think|thinking|reasoning)>.*?(</\1>|\Z)|\A.*</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE
)
"""Thoughts in tags; also those whose opening tag stood in the prompt, as some chat templates have it."""

EXAMPLE = '{"thought": "why", "action": "click", "ref": "e9"}'
SUFFIX = f"Answer with one JSON object such as {EXAMPLE} and nothing else."


def cleaned(value: Any, mask: Masker = str) -> Any:
    """JSON data whose texts hold no secret and can be encoded (no lone surrogates)."""
    return masked_within(lambda text: clean_text(mask(text)), value, clean_text)


def plain_message(message: Message) -> dict[str, Any]:
    """The message without tool calls: an assistant's calls become a JSON line each, a tool's result
    becomes a user's message."""
    role, content = message.get("role"), message.get("content") or ""
    if role == "tool":
        return {"role": "user", "content": content}
    calls = message.get("tool_calls") or []
    if role != "assistant" or not calls:
        return {"role": role, "content": content}
    lines = [_call_text(call["function"], content if n == 0 else "") for n, call in enumerate(calls)]
    return {"role": "assistant", "content": "\n".join(lines)}


def _call_text(function: Mapping[str, Any], said: Any) -> str:
    arguments = first_object(str(function.get("arguments") or "")) or {}
    thought = arguments.pop("thought", said if isinstance(said, str) else "")
    head = {"thought": thought} if thought else {}
    return json.dumps({**head, "action": function.get("name"), **arguments}, ensure_ascii=False)


def plain_messages(
    messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, suffix: bool
) -> list[dict[str, Any]]:
    """The conversation for an endpoint without tools: they are listed at the end of the first system
    message, for the endpoint shows a schema's names to few models."""
    plain = [plain_message(message) for message in messages]
    listing = describe(tools)
    if plain and plain[0]["role"] == "system":
        plain[0] = {**plain[0], "content": f"{plain[0]['content']}\n\n{listing}"}
    else:
        plain.insert(0, {"role": "system", "content": listing})
    return with_suffix(plain, SUFFIX) if suffix else plain


def with_suffix(messages: Sequence[Message], suffix: str) -> list[dict[str, Any]]:
    """The messages with a line added to the last user message."""
    result = [dict(message) for message in messages]
    for n in range(len(result) - 1, -1, -1):
        if result[n].get("role") != "user":
            continue
        content = result[n].get("content") or ""
        if isinstance(content, str):
            result[n]["content"] = f"{content}\n\n{suffix}"
        else:
            result[n]["content"] = [*content, {"type": "text", "text": suffix}]
        return result
    return [*result, {"role": "user", "content": suffix}]


def describe(tools: Sequence[Mapping[str, Any]]) -> str:
    """The tools as lines that a model can copy: `{"action": "click", "ref": …, "double"?: …}`."""
    lines = [f"Each reply is one JSON object, such as {EXAMPLE}. The actions, with their arguments:"]
    for tool in tools:
        function = tool["function"]
        parameters = function.get("parameters", {})
        required = parameters.get("required", ())
        parts = [f'"action": "{function["name"]}"']
        for key, schema in parameters.get("properties", {}).items():
            if key != "thought":
                parts.append(f'"{key}"{"" if key in required else "?"}: {_kind(schema)}')
        lines.append(f"{{{', '.join(parts)}}} {function.get('description', '')}".rstrip())
    return "\n".join(lines)


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(json.dumps(value) for value in schema["enum"])
    return {"array": "[string, …]", "object": "{…}"}.get(schema.get("type", ""), str(schema.get("type", "")))


def action_schema(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The schema of one action object: a branch for each tool, so that an endpoint that enforces it
    can't leave out a needed argument or add a foreign one."""
    branches = []
    for tool in tools:
        function = tool["function"]
        parameters = function.get("parameters", {})
        properties = {k: v for k, v in parameters.get("properties", {}).items() if k != "thought"}
        branches.append(
            {
                "type": "object",
                "properties": {
                    "thought": {"type": "string"},
                    "action": {"type": "string", "enum": [function["name"]]},
                    **properties,
                },
                "required": ["thought", "action", *parameters.get("required", ())],
                "additionalProperties": False,
            }
        )
    return {"anyOf": branches}


def response_format(name: str, schema: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    """The `response_format` parameter for a JSON schema."""
    return {"type": "json_schema", "json_schema": {"name": name, "strict": strict, "schema": dict(schema)}}


def shaped(messages: Sequence[Message], strictness: int) -> list[dict[str, Any]]:
    """Messages for chat templates that are strict about roles: from 1 neighbours of one role are
    joined and only the first message is a system's, at 2 there is no system role."""
    result: list[dict[str, Any]] = []
    for message in messages:
        message = dict(message)
        if message.get("role") == "system" and (strictness > 1 or any(m["role"] != "system" for m in result)):
            message["role"] = "user"
        last = result[-1] if result else {}
        texts = isinstance(message.get("content"), str) and isinstance(last.get("content"), str)
        if strictness and last.get("role") == message["role"] in ("system", "user") and texts:
            last["content"] = f"{last['content']}\n\n{message['content']}"
        else:
            result.append(message)
    return result


def object_in(text: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The JSON object of a reply, think tags and fences left aside; None where there is none or it
    misses a required key or holds one of another type, and where several differ: one may be quoted."""
    found: dict[str, Any] | None = None
    for each in objects_in(_THINK.sub("", text)):
        if found is not None and _fits(each, schema) and each != found:
            return None
        found = found or each
    return cleaned(found) if found is not None and _fits(found, schema) else None


def _fits(found: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Whether an object has the required keys, and values of the types asked for."""
    if any(key not in found for key in schema.get("required", ())):
        return False
    properties = schema.get("properties", {})
    return all(_is_a(found[key], properties[key].get("type")) for key in found if key in properties)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def _is_a(value: Any, kinds: Any) -> bool:
    if kinds is None:
        return True
    names = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, _TYPES.get(name, (object,))) for name in names)


def like(name: str, schema: Mapping[str, Any]) -> str:
    """The sentence that asks for an object of a schema in plain text."""
    example = json.dumps(example_of(schema), ensure_ascii=False)
    return f'Answer with one JSON object "{name}" like {example} and nothing else.'


def example_of(schema: Mapping[str, Any]) -> Any:
    """A value that shows a schema's shape."""
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "object":
        return {key: example_of(value) for key, value in schema.get("properties", {}).items()}
    if kind == "array":
        return [example_of(schema.get("items", {}))]
    return {"boolean": True, "integer": 1, "number": 1.5, "null": None}.get(kind, "…")
