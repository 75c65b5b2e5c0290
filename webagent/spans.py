"""OpenTelemetry spans of a run by the GenAI semantic conventions: nothing unless the environment asks for
them (OTEL_*) and the extra `otel` is installed."""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webagent import __version__
from webagent.ids import clean_text, scope_of
from webagent.interfaces import Completion, Memory, Message, ModelCall, Usage
from webagent.log import tell_once
from webagent.masking import Masker, Masks, masked_within
from webagent.result import RunResult
from webagent.trajectory import Step
from webagent.watcher import Watcher

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

ASKING = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER")
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The conventions' own switch for texts of prompts, replies and tool calls in spans."""
WITH_CONTENT = ("true", "1", "span_only", "span_and_event")
TIMEOUTS = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")
TIMEOUT = 3
"""Seconds that sending may take where those do not say: a collector that is down holds up the end so long."""
PROVIDER = "openai"
"""The kind of API that models are called by, as the conventions mean it; the server is named beside it."""


def asked_for(environment: Mapping[str, str]) -> bool:
    """Whether OpenTelemetry's own variables ask for spans."""
    off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    none = environment.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none"
    return not off and not none and any(environment.get(name, "").strip() for name in ASKING)


def spans_of(run_id: str, mask: Masker) -> Watcher:
    """The spans of a run, or a watcher that keeps nothing."""
    tracer = _tracer()
    return Watcher() if tracer is None else RunSpans(tracer, run_id, mask, content=_content(os.environ))


def _content(environment: Mapping[str, str]) -> bool:
    return environment.get(CONTENT, "").strip().lower() in WITH_CONTENT


@cache
def _tracer() -> "Tracer | None":
    """The tracer of the program that uses this one as a library, where that has set up OpenTelemetry; else
    one of our own where the environment asks for it. Its spans are sent from a thread, the last at exit."""
    if "opentelemetry.sdk" not in sys.modules and not asked_for(os.environ):
        return None
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        return None
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        exporter = _exporter() if asked_for(os.environ) else None
        if exporter is None:
            return None
        tell_once("opentelemetry", "spans could not be sent")
        provider = TracerProvider(resource=_resource())
        provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider.get_tracer("webagent", __version__)


def _resource() -> Any:
    from opentelemetry.sdk.resources import Resource

    resource = Resource.create()
    if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "webagent", "service.version": __version__}))
    return resource


def _exporter() -> Any:
    """What OTEL_TRACES_EXPORTER and OTEL_EXPORTER_OTLP_PROTOCOL name; None where that is not installed. The
    console is stderr: stdout is for results."""
    if os.environ.get("OTEL_TRACES_EXPORTER", "otlp").strip().lower() == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter(out=sys.stderr)
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get(
        "OTEL_EXPORTER_OTLP_PROTOCOL"
    )
    kind = "grpc" if (protocol or "").strip().lower() == "grpc" else "http"
    given = any(os.environ.get(name) for name in TIMEOUTS)
    try:
        exporters = import_module(f"opentelemetry.exporter.otlp.proto.{kind}.trace_exporter")
    except ImportError:
        return None
    return exporters.OTLPSpanExporter(timeout=None if given else TIMEOUT)


class RunSpans(Watcher):
    """A span for the run (`invoke_agent webagent`), in it one for each step, in that one for each call of the
    model that led to it (`chat MODEL`) and one for the tool (`execute_tool click`); what is called after the
    last step stands in the run's own. Texts of prompts, replies and arguments are in none of them without
    `content`; with it spans are held back until the run has ended, when every secret is known, and masked.
    Times are the monotonic clock's, so that a clock that is set leaves them whole."""

    def __init__(self, tracer: "Tracer", run_id: str, mask: Masker, *, content: bool = False) -> None:
        self._tracer = tracer
        self._run_id = run_id
        self._mask = Masks(mask)
        self._content = content
        self._offset = time.time_ns() - time.monotonic_ns()
        self._run: Span | None = None
        self._texts: dict[str, Any] = {}
        self._calls: list[tuple[ModelCall, int]] = []
        self._held: list[tuple[Span, int, Mapping[str, Any]]] = []
        self._step_began = self._now()

    def began(self, run_id: str, goal: str, url: str, given: Memory) -> None:
        told = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": PROVIDER,
            "gen_ai.agent.name": "webagent",
            "gen_ai.agent.version": __version__,
            "gen_ai.conversation.id": run_id,
            "webagent.hostname": scope_of(url),
        }
        self._step_began = self._now()
        self._run = self._begin("invoke_agent webagent", None, self._step_began, told)
        self._texts["gen_ai.input.messages"] = [_said("user", goal)]

    def hide(self, mask: Masker) -> None:
        self._mask.add(mask)

    def called(self, call: ModelCall) -> None:
        self._calls.append((call, self._now()))

    def stepped(self, step: Step) -> None:
        if self._run is None:
            return
        end = self._now()
        told = {"webagent.step.n": step.n, "webagent.step.by": step.by}
        span = self._begin("step", self._run, self._step_began, told)
        if step.workflow:
            span.set_attribute("webagent.workflow", step.workflow)
        self._tell_calls(span)
        self._tell_tool(span, step, end)
        _fail(span, "ActionError" if step.outcome.error else "")
        self._end(span, end)
        self._step_began = end

    def finished(self, result: RunResult) -> None:
        if self._run is None:
            return
        usage = result.usage
        told = {
            "webagent.status": result.status,
            "webagent.success": result.verdict.success,
            "webagent.judge": result.verdict.judge,
            "webagent.policy": result.policy,
            "webagent.steps": result.steps,
            "webagent.cost_usd": usage.cost_usd,
            **_tokens(usage),
        }
        self._run.set_attributes({name: value for name, value in told.items() if value is not None})
        if result.answer is not None:
            self._texts["gen_ai.output.messages"] = [_said("assistant", result.answer)]
        _fail(self._run, "EnvironmentFault" if result.fault else "")

    def closed(self) -> None:
        if self._run is None:
            return
        self._tell_calls(self._run)
        self._end(self._run, self._now(), self._texts)
        self._run = None
        for span, end, texts in self._held:
            masked = masked_within(lambda text: clean_text(self._mask(text)), texts)
            span.set_attributes(
                {name: json.dumps(value, ensure_ascii=False) for name, value in masked.items()}
            )
            span.end(end)

    def _now(self) -> int:
        return time.monotonic_ns() + self._offset

    def _begin(
        self, name: str, parent: "Span | None", start: int, told: Mapping[str, Any], *, out: bool = False
    ) -> "Span":
        from opentelemetry.trace import SpanKind, set_span_in_context

        kind = SpanKind.CLIENT if out else SpanKind.INTERNAL
        within = None if parent is None else set_span_in_context(parent)
        return self._tracer.start_span(name, within, kind, dict(told), start_time=start)

    def _end(self, span: "Span", end: int, texts: Mapping[str, Any] = MappingProxyType({})) -> None:
        if self._content:
            self._held.append((span, end, texts))
        else:
            span.end(end)

    def _tell_calls(self, parent: "Span") -> None:
        for call, end in self._calls:
            start = end - int(call.usage.seconds * 1e9)
            told = {"gen_ai.conversation.id": self._run_id, **_of_call(call)}
            span = self._begin(f"chat {call.model}", parent, start, told, out=True)
            _fail(span, call.error_type)
            texts = {"gen_ai.input.messages": [_message(message) for message in call.messages]}
            if call.completion is not None:
                texts["gen_ai.output.messages"] = [_reply(call.completion)]
            self._end(span, end, texts)
        self._calls.clear()

    def _tell_tool(self, parent: "Span", step: Step, end: int) -> None:
        action, outcome = step.action, step.outcome
        told = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": action.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": f"call_{step.n}",
        }
        span = self._begin(f"execute_tool {action.tool}", parent, end - int(step.seconds * 1e9), told)
        _fail(span, "ActionError" if outcome.error else "")
        texts = {
            "gen_ai.tool.call.arguments": dict(action.arguments),
            "gen_ai.tool.call.result": outcome.error or outcome.message,
        }
        self._end(span, end, texts)


def _fail(span: "Span", kind: str) -> None:
    """Marks a span as failed, where there is a kind of error. What was said of it can quote the prompt."""
    from opentelemetry.trace import StatusCode

    if kind:
        span.set_attribute("error.type", kind)
        span.set_status(StatusCode.ERROR)


def _tokens(usage: Usage) -> dict[str, int]:
    return {
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
    }


def _of_call(call: ModelCall) -> dict[str, Any]:
    place = urlsplit(call.url)
    told: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDER,
        "gen_ai.request.model": call.model,
        "webagent.call": call.name,
        **_tokens(call.usage),
    }
    if place.hostname:
        told["server.address"] = place.hostname
        told["server.port"] = place.port or (443 if place.scheme == "https" else 80)
    if call.completion is not None:
        told["gen_ai.response.finish_reasons"] = [call.completion.finish]
    return told


def _said(role: str, text: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    """A message in the conventions' form: a role and parts."""
    texts = [{"type": "text", "content": text}] if text else []
    return {"role": role, "parts": [*texts, *parts]}


def _message(message: Message) -> dict[str, Any]:
    role, content = str(message.get("role", "")), message.get("content") or ""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    if role == "tool":
        answer = {"type": "tool_call_response", "id": message.get("tool_call_id", ""), "response": text}
        return _said(role, "", answer)
    calls: Sequence[Mapping[str, Any]] = message.get("tool_calls") or ()
    return _said(role, text, *(_call(call["id"], **call["function"]) for call in calls))


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "tool_call", "id": id, "name": name, "arguments": arguments}


def _reply(completion: Completion) -> dict[str, Any]:
    calls = (_call(call.id, call.name, call.arguments) for call in completion.tool_calls)
    return {**_said("assistant", completion.text, *calls), "finish_reason": completion.finish}
