"""What went wrong at an endpoint, and what to do about it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from webagent.errors import ContextOverflow, ModelFault
from webagent.ids import clean_text
from webagent.masking import spelt


class EndpointRefused(ModelFault):
    """Key, quota, model name or path: no later call will fare better."""

    lasting = True


class OutOfTime(ModelFault):
    """The deadline of the run passed while waiting for the model."""


Kind = Literal["retry", "refused", "overflow", "tools", "format", "parameter", "roles"]
"""What to do: try again, give up for good, shorten, go without tools, go without a response format,
leave out a parameter, or send stricter roles."""


@dataclass(frozen=True)
class Trouble:
    """One failed try. `text` is one line without secrets; `wait` is what the endpoint asked for, in
    seconds; `parameter` is the one it refused."""

    kind: Kind
    text: str
    status: int = 0
    wait: float | None = None
    parameter: str = ""


_OVERFLOW = re.compile(
    r"context[_ ](length|window|size)|maximum context|prompt (is )?too long|input is too long|"
    r"too many (input )?tokens|reduce the length|request too large|tokens must be reduced",
    re.IGNORECASE,
)
_TOOLS = re.compile(r"\btools?\b|\btool_|\bfunctions?\b|function[_ ]call", re.IGNORECASE)
_TOOLS_500 = re.compile(r"tools? param|support.{0,40}\btools?\b|\btools?\b.{0,40}support", re.IGNORECASE)
_FORMAT = re.compile(
    r"response_?format|json[_ ]schema|structured[_ ]outputs?|guided|grammar|json mode", re.IGNORECASE
)
_ROLES = re.compile(
    r"must alternate|alternating|system (message|role|prompt)|roles? .{0,40}supported", re.IGNORECASE
)
_PARAMETERS = ("temperature", "seed", "max_completion_tokens", "tool_choice")
_CHANGE = (400, 404, 405, 422, 500, 501)
"""Statuses under which endpoints say that they lack a feature."""


def diagnose(status: int, body: Any, headers: Mapping[str, str], sent: Mapping[str, Any]) -> Trouble:
    """The trouble behind an HTTP error; `sent` is the request, so that only what it holds is blamed."""
    code, text = _said(body)
    wait = retry_after(headers)
    if status in (401, 402, 403) or "insufficient_quota" in code:
        return Trouble("refused", text, status)
    if status == 413 or (400 <= status < 500 and _OVERFLOW.search(f"{code} {text}")):
        return Trouble("overflow", text, status)
    if status in _CHANGE:
        lacking = _lacking(status, f"{code} {text}", sent)
        if lacking:
            return Trouble(lacking[0], text, status, None, lacking[1])
    if status in (408, 409, 425, 429) or (status >= 500 and status != 501):
        return Trouble("retry", f"{status}: {text}" if text else str(status), status, wait)
    return Trouble("refused", text, status)


def _lacking(status: int, text: str, sent: Mapping[str, Any]) -> tuple[Kind, str] | None:
    """The feature of the request that an endpoint says it lacks."""
    if status != 500:
        for name in _PARAMETERS:
            if name in sent and re.search(rf"\b{name.replace('_', '[_ ]')}\b", text, re.IGNORECASE):
                return "parameter", name
    if "response_format" in sent and _FORMAT.search(text):
        return "format", ""
    if "tools" in sent and (_TOOLS_500 if status == 500 else _TOOLS).search(text):
        return "tools", ""
    if _ROLES.search(text):
        return "roles", ""
    return None


def _said(body: Any) -> tuple[str, str]:
    """Code and message of an error body, whatever its shape; one line of at most 300 characters."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    code = message = ""
    if isinstance(error, Mapping):
        code = f"{error.get('code') or ''} {error.get('type') or ''}"
        message = str(error.get("message") or json.dumps(error, default=str))
    elif error is not None:
        message = str(error)
    if "<html" in message[:2000].lower() or message.lstrip().startswith("<"):
        title = re.search(r"<title>(.*?)</title>", message, re.DOTALL | re.IGNORECASE)
        message = f"an HTML page{': ' + title[1].strip() if title else ''}"
    return code, one_line(message)


def one_line(text: str, limit: int = 300) -> str:
    """The text without line ends and lone surrogates, shortened."""
    flat = " ".join(clean_text(text[: limit * 4]).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a Retry-After header asks for (a number or a date); None where it makes no sense."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


_KEYS = re.compile(r"\b(sk|pk|key|gsk|xai|hf|AIza)[-_][\w*.-]{6,}", re.IGNORECASE)


def scrub(text: str, key: str | None) -> str:
    """The text without the key, however it is spelt, and without what looks like one (endpoints echo it, half
    masked)."""
    if key and len(key) > 3:
        text = re.sub(spelt(key), "[key]", text)
    return _KEYS.sub("[key]", text)


def fault_of(trouble: Trouble, url: str, model: str, tries: int) -> ModelFault:
    """The exception for trouble that can't be mended: one line with the way out."""
    where, said = f"{url} (model {model})", f": {trouble.text}" if trouble.text else ""
    if trouble.kind == "overflow":
        return ContextOverflow(f"the prompt is too long for {where}{said}; lower --observation-tokens")
    if trouble.kind == "retry":
        after = f"after {tries} tries" if tries > 1 else "at the first try"
        return ModelFault(f"no usable answer from {where} {after}{said}; check that it runs, or --base-url")
    advice = {
        401: "the key was refused; set OPENAI_API_KEY, or --base-url for another endpoint",
        403: "the key may not do this; set another OPENAI_API_KEY, or another --model",
        402: "no credit left; add some, or use another endpoint with --base-url",
        404: "check --model and --base-url",
        429: "no quota left; add credit, or use another endpoint with --base-url",
    }.get(trouble.status, "check --model and --base-url")
    return EndpointRefused(f"{where} refused with {trouble.status}{said}; {advice}")
