"""Records of runs on stderr (`--log-format`) and OpenTelemetry spans (extra `otel`)."""

import gzip
import http.server
import json
import logging
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from tests import map_model
from tests.commands import environment, webagent
from tests.endpoint import Fault, Request, ScriptedEndpoint, ref_of, sequence
from tests.pages.kit import serving
from tests.running import carried_out
from webagent.browser.launch import Chromium
from webagent.log import JsonLines, TextLines
from webagent.secrets import Secrets
from webagent.spans import RunSpans, asked_for

LOGIN = "<h1>Log in</h1><label>Name <input></label><label>Password <input type=password></label><button>Go</button>"


@contextmanager
def collector() -> Iterator[tuple[str, list[Any]]]:
    """An OTLP receiver on loopback: its address, and the spans that it was sent."""
    spans: list[Any] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            sent = ExportTraceServiceRequest.FromString(body)
            for resource in sent.resource_spans:
                spans.extend(span for scope in resource.scope_spans for span in scope.spans)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", spans
        server.shutdown()


def test_with_json_each_line_of_stderr_is_an_object_and_spans_go_to_the_collector(tmp_path: Path) -> None:
    (tmp_path / "secrets.env").write_text("ZIP=15213\n")
    (tmp_path / "secrets.env").chmod(0o644)
    with ScriptedEndpoint(map_model.act) as endpoint, collector() as (address, spans):
        done = webagent("run", "find zip code of CMU", "--site", "maps", "--json", "--log-format", "json",
                        "--log-level", "debug", "--base-url", endpoint.base_url, "--secrets", "secrets.env",
                        cwd=tmp_path, env={"OTEL_EXPORTER_OTLP_ENDPOINT": address})  # fmt: skip
    assert done.code == 0, done.err
    lines = [json.loads(line) for line in done.err.splitlines()]
    assert done.json["status"] == "done", done.err
    events = Counter(line["event"] for line in lines)
    assert {"run.began", "model.called", "tool.called", "step.done", "run.ended", "warning"} <= set(events)
    assert events["step.done"] == events["tool.called"] == done.json["steps"] == 3
    assert events["model.called"] == done.json["llm"]["calls"]
    beside = ("warning", "browser.gateway")
    assert {line["run_id"] for line in lines if line["event"] not in beside} == {done.json["run_id"]}
    assert all(line["time"].endswith("Z") and line["level"] for line in lines)
    assert "15213" not in done.err
    names = Counter(span.name for span in spans)
    assert (names["invoke_agent webagent"], names["step"]) == (1, 3)
    assert names["chat scripted"] == done.json["llm"]["calls"]
    assert names["execute_tool click"] == 2
    assert "15213" not in str(spans)
    assert "Carnegie" not in str(spans), "nothing of prompts and pages without the switch for it"


def test_an_error_is_a_record_too_where_records_are_asked_for(tmp_path: Path) -> None:
    done = webagent("run", "find it", "--site", "mops", "--log-format", "json", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    (line,) = [json.loads(line) for line in done.err.splitlines()]
    assert (line["level"], line["event"]) == ("error", "error")
    assert "'mops'" in line["message"]


def test_no_telemetry_unless_it_is_asked_for() -> None:
    code = (
        "import sys, webagent.pipeline, webagent.spans as spans; watcher = spans.spans_of('r', str);"
        "print(type(watcher).__name__, any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    kept = {name: value for name, value in environment().items() if not name.startswith("OTEL_")}
    for asked, shown in (
        ({}, "Watcher False"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"}, "Watcher False"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}, "RunSpans True"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code], env={**kept, **asked}, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == shown


def test_a_collector_that_is_down_is_told_once_and_ends_no_run() -> None:
    code = (
        "from webagent.interfaces import Memory; from webagent.spans import spans_of; spans = spans_of('r', str);"
        "spans.began('r', 'goal', 'http://x.test/', Memory()); spans.closed(); print('done')"
    )
    down = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(down), capture_output=True, text=True, check=True
    )
    assert done.stdout == "done\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: spans could not be sent: ")


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, False),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "TRUE"}, False),
    ],
)
def test_the_standard_variables_ask_for_spans(given: dict[str, str], asked: bool) -> None:
    assert asked_for(given) is asked


def a_record(**fields: Any) -> logging.LogRecord:
    record = logging.LogRecord("webagent", logging.INFO, "", 0, "step.done", None, None)
    record.fields = fields
    return record


def test_a_record_is_one_line_whatever_it_holds() -> None:
    record = a_record(run_id="r1", name='a\n"b" \u2028', seconds=1.5, target=None)
    text, line = TextLines().format(record), JsonLines().format(record)
    assert "\n" not in text + line
    assert text.endswith('Z info step.done run_id="r1" name="a\\n\\"b\\" \u2028" seconds=1.5 target=null')
    assert json.loads(line)["name"] == 'a\n"b" \u2028'


class Memo:
    """Spans kept in memory."""

    def __init__(self, *, content: bool = False, secrets: Secrets | None = None) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        mask = secrets.mask if secrets else str
        self.watcher = RunSpans(provider.get_tracer("tests"), "r1", mask, content=content)

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]


def log_in(request: Request) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("type", {"ref": ref_of(request, "textbox", "Name"), "text": "ana"}),
        ("type", {"ref": ref_of(request, "textbox", "Password"), "text": "violet-kite-9"}),
        ("click", {"ref": "e999"}),
    ]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("content", [False, True])
async def test_spans_nest_as_run_step_call_and_tool(
    chromium: Chromium, tmp_path: Path, content: bool
) -> None:
    memo = Memo(content=content)
    script = sequence(Fault(500, "no"), log_in, [("stop", {"answer": "in"})])
    with serving(LOGIN) as site, ScriptedEndpoint(script) as endpoint:
        goal = "log in as ana with violet-kite-9"
        result = await carried_out(chromium, endpoint, site.url(), tmp_path, goal=goal, watcher=memo.watcher)
    (run,) = memo.named("invoke_agent webagent")
    steps, calls = memo.named("step"), memo.named("chat scripted")
    tools = [span for span in memo.spans if span.name.startswith("execute_tool")]
    assert run.context is not None
    assert {span.parent.span_id for span in steps if span.parent} == {run.context.span_id}
    assert [span.parent.span_id for span in tools if span.parent] == [
        s.context.span_id for s in steps if s.context
    ]
    parents = [span.parent.span_id for span in calls if span.parent]
    assert parents == [steps[0].context.span_id, run.context.span_id]  # type: ignore[union-attr]
    told = {**(run.attributes or {})}
    assert (told["gen_ai.operation.name"], told["gen_ai.agent.name"]) == ("invoke_agent", "webagent")
    assert (told["webagent.status"], told["webagent.steps"]) == ("done", 3)
    assert told["gen_ai.usage.input_tokens"] == result.usage.prompt_tokens
    call = {**(calls[0].attributes or {})}
    assert (call["gen_ai.operation.name"], call["gen_ai.request.model"]) == ("chat", "scripted")
    assert call["gen_ai.response.finish_reasons"] == ("tool_calls",)
    assert call["server.address"] == "127.0.0.1"
    tool = {**(tools[-1].attributes or {})}
    assert (tool["gen_ai.operation.name"], tool["gen_ai.tool.name"]) == ("execute_tool", "click")
    assert tool["error.type"] == "ActionError"
    assert tools[-1].status.status_code is StatusCode.ERROR
    assert all((span.start_time or 0) <= (span.end_time or 0) for span in memo.spans)
    shown = "".join(span.to_json() for span in memo.spans)
    assert ("Log in" in shown, "ana" in shown) == (content, content)
    assert content is ("gen_ai.input.messages" in call)
    assert "violet" not in shown


@pytest.mark.asyncio(loop_scope="session")
async def test_a_typed_password_is_in_no_record(
    chromium: Chromium, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "webagent")
    with serving(LOGIN) as site, ScriptedEndpoint(sequence(log_in, [("stop", {})])) as endpoint:
        await carried_out(chromium, endpoint, site.url(), tmp_path, goal="log in with violet-kite-9")
    lines = [JsonLines().format(record) for record in caplog.records if record.name == "webagent"]
    assert [json.loads(line)["event"] for line in lines].count("step.done") == 3
    assert "violet" not in "".join(lines)
    failed = [json.loads(line) for line in lines if json.loads(line)["level"] == "warning"]
    assert [(each["event"], each["tool"]) for each in failed] == [("tool.called", "click")]
