"""A loopback OpenAI-compatible endpoint whose replies a test scripts.

    def act(request):
        return [("click", {"ref": ref_of(request, "button", "Go"), "thought": "search"})]

    with ScriptedEndpoint(act, verdict={"success": True, "reason": "ok"}) as endpoint:
        model = await OpenAIModel.open(ModelOptions(base_url=endpoint.base_url))
        ...
    assert endpoint.requests[0].name == "act"

The same script works in every mode: where the request has no tools, tool calls are written as the
JSON text `{"action": …}`. An exception in a script is answered with a 400 and raised again when the
`with` block ends.
"""

import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message as Headers
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from types import TracebackType
from typing import Any

Calls = Sequence[tuple[str, Mapping[str, Any]]]
"""Tool calls: `[("click", {"ref": "e1", "thought": "…"}), …]`."""


@dataclass(frozen=True)
class Fault:
    """An answer that is no completion. `delay` seconds pass before it; `drip` seconds between its
    bytes, for ever where the body is empty; `close` drops the connection instead of answering, `cut` in
    the middle of the body."""

    status: int = 500
    body: str | bytes | Mapping[str, Any] = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    close: bool = False
    cut: bool = False

    @staticmethod
    def error(status: int, message: str, code: str | None = None, **rest: Any) -> "Fault":
        """The usual error body: `{"error": {"message", "code", "type"}}`."""
        return Fault(status, {"error": {"message": message, "code": code, "type": "error"}}, **rest)


@dataclass(frozen=True)
class Reply:
    """A completion in every detail. `usage=False` leaves usage out."""

    text: str | None = None
    calls: Calls = ()
    finish: str | None = None
    refusal: str | None = None
    delay: float = 0.0
    usage: bool = True


Answer = str | Mapping[str, Any] | Calls | Reply | Fault
"""What a script returns: text, an object (sent as JSON text), tool calls, or one of the above."""


class Request(dict[str, Any]):
    """The body of a recorded request. `name` is `act`, or the schema's name for other calls."""

    def __init__(self, body: Mapping[str, Any], headers: Headers, path: str) -> None:
        super().__init__(body)
        self.headers = headers
        self.path = path

    @property
    def name(self) -> str:
        response_format = self.get("response_format") or {}
        name = str(response_format.get("json_schema", {}).get("name", ""))
        if not name:
            found = re.findall(r'JSON object "(\w+)"', text_of(self))
            name = found[-1] if found else "act"
        return "act" if name == "action" else name

    @property
    def mode(self) -> str:
        """`tools`, `schema` or `text`."""
        return "tools" if self.get("tools") else "schema" if self.get("response_format") else "text"


Script = Callable[[Request], Answer]
Route = Answer | Script

DEFAULTS: Mapping[str, Route] = {
    "act": [("stop", {"thought": "nothing to do"})],
    "verdict": {"success": True, "reason": "ok"},
    "workflows": {"workflows": []},
    "lessons": {"lessons": []},
    "bind": {"arguments": {}},
    "answer": {"answer": "", "quote": ""},
}


_NUMBERS = itertools.count(1)


class ScriptedEndpoint:
    """Serves `/v1/models` and `/v1/chat/completions` while its `with` block runs.

    `act` and the routes (`verdict=`, `workflows=`, … by schema name) are answers or callables of the
    request. Flags may be changed at any time: `supports_tools`, `supports_schema` (refused with a 400
    where false), `tools_as_text` (takes tools but answers in text, as small models do), `latency`
    (seconds before every answer), `models`, `api_key` (any other is refused, and echoed)."""

    def __init__(
        self,
        act: Route | None = None,
        *,
        models: Sequence[str] | Fault = ("scripted",),
        supports_tools: bool = True,
        supports_schema: bool = True,
        tools_as_text: bool = False,
        latency: float = 0.0,
        api_key: str | None = None,
        **routes: Route,
    ) -> None:
        self.routes: dict[str, Route] = {**DEFAULTS, **routes, **({} if act is None else {"act": act})}
        self.models = models
        self.supports_tools = supports_tools
        self.supports_schema = supports_schema
        self.tools_as_text = tools_as_text
        self.latency = latency
        self.api_key = api_key
        self.requests: list[Request] = []
        """Completion requests in the order they came, refused ones too."""
        self.times: list[float] = []
        """When each of them came (time.monotonic)."""
        self.listed = 0
        """How often its models were asked for: once by each connection that was told of none."""
        self._number = next(_NUMBERS)
        self._errors: list[BaseException] = []
        self._previous = ""
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """Never the same twice in a process, though ports are reused: clients remember endpoints by it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/{self._number}/v1"

    @property
    def acts(self) -> list[Request]:
        """The recorded requests for actions."""
        return [request for request in self.requests if request.name == "act"]

    def named(self, name: str) -> list[Request]:
        """The recorded requests of one name, such as `verdict`."""
        return [request for request in self.requests if request.name == name]

    def __enter__(self) -> "ScriptedEndpoint":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.drop_connections()
        self._server.server_close()
        self._thread.join()
        if self._errors and error is None:
            raise self._errors[0]

    def answer(self, request: Request) -> Fault:
        """The finished HTTP answer to a completion request."""
        with self._lock:
            self.requests.append(request)
            self.times.append(time.monotonic())
            refusal = self._refusal(request)
            if refusal:
                return refusal
            try:
                route = self.routes.get(request.name, {})
                said = route(request) if callable(route) else route
                answer = said if isinstance(said, Fault) else self._completion(request, said)
            except Exception as error:  # noqa: BLE001 (whatever a script raises is raised again on exit)
                self._errors.append(error)
                return Fault.error(400, f"the script raised {error!r}")
        return answer

    def unauthorised(self, headers: Headers) -> Fault | None:
        """The 401 for a wrong key; it quotes the key, as some endpoints do."""
        sent = (headers.get("Authorization") or "").removeprefix("Bearer ")
        if self.api_key is None or sent == self.api_key:
            return None
        return Fault.error(401, f"Incorrect API key provided: {sent}.", "invalid_api_key")

    def _refusal(self, request: Request) -> Fault | None:
        if request.get("tools") and not self.supports_tools:
            return Fault.error(400, "this model does not support tools")
        if request.get("response_format") and not self.supports_schema:
            return Fault.error(400, "response_format of type json_schema is not supported")
        return None

    def _completion(self, request: Request, said: Any) -> Fault:
        reply = _as_reply(said)
        text, calls = reply.text, reply.calls
        if calls and (self.tools_as_text or request.mode != "tools"):
            name, arguments = calls[0]
            text, calls = json.dumps({"action": name, **arguments}), ()
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": reply.refusal}
        if calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{len(self.requests)}_{n}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments)},
                }
                for n, (name, arguments) in enumerate(calls)
            ]
        finish = reply.finish or ("tool_calls" if calls else "stop")
        body: dict[str, Any] = {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": request.get("model"),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        }
        if reply.usage:
            body["usage"] = self._usage(request, message)
        return Fault(200, body, delay=reply.delay)

    def _usage(self, request: Request, message: Mapping[str, Any]) -> dict[str, Any]:
        """Four characters a token; cached is the common prefix with the request before."""
        prompt = json.dumps([request.get("tools") or [], request.get("messages") or []])
        cached = _common(prompt, self._previous) // 4
        self._previous = prompt
        calls = [call["function"] for call in message.get("tool_calls", ())]  # ids grow from reply to reply
        tokens, said = len(prompt) // 4, len(json.dumps([message["content"], calls])) // 4
        return {
            "prompt_tokens": tokens,
            "completion_tokens": said,
            "total_tokens": tokens + said,
            "prompt_tokens_details": {"cached_tokens": cached},
        }


def _common(one: str, other: str) -> int:
    """How many leading characters two texts share."""
    for n, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return n
    return min(len(one), len(other))


def _as_reply(said: Any) -> Reply:
    if isinstance(said, Reply):
        return said
    if isinstance(said, str):
        return Reply(said)
    if isinstance(said, Mapping):
        return Reply(json.dumps(said))
    return Reply(calls=list(said))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, endpoint: ScriptedEndpoint) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.endpoint = endpoint
        self.connections: set[socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.connections.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        """Ends the handler threads, which otherwise wait for clients that keep connections alive."""
        for connection in list(self.connections):
            try:
                connection.shutdown(SHUT_RDWR)
            except OSError:
                continue  # the client was faster

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what many tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each reply takes 40 ms more
    server: _Server

    def do_GET(self) -> None:
        endpoint = self.server.endpoint
        fault = endpoint.unauthorised(self.headers)
        if fault:
            return self._send(fault)
        if isinstance(endpoint.models, Fault):
            return self._send(endpoint.models)
        if not self.path.endswith("/models"):
            return self._send(Fault.error(404, "no such path"))
        endpoint.listed += 1
        data = [
            {"id": name, "object": "model", "owned_by": "tests", "created": 0} for name in endpoint.models
        ]
        return self._send(Fault(200, {"object": "list", "data": data}))

    def do_POST(self) -> None:
        endpoint = self.server.endpoint
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        fault = endpoint.unauthorised(self.headers)
        if fault:
            return self._send(fault)
        answer = endpoint.answer(Request(body, self.headers, self.path))
        return self._send(answer)

    def _send(self, fault: Fault) -> None:
        stopping = self.server.endpoint.stopping
        wait = fault.delay + (self.server.endpoint.latency if self.command == "POST" else 0.0)
        if wait and stopping.wait(wait):
            fault = Fault(close=True)
        if fault.close:
            self.close_connection = True
            return
        body = fault.body
        if isinstance(body, Mapping):
            body = json.dumps(body)
        data = body.encode() if isinstance(body, str) else body
        self.send_response(fault.status)
        headers = {"Content-Type": "application/json", **fault.headers}
        endless = bool(fault.drip) and not data
        headers["Content-Length"] = "1000000" if endless or fault.cut else str(len(data))
        self.close_connection = self.close_connection or fault.cut
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        if not fault.drip:
            self.wfile.write(data)
            return
        for byte in data or b" " * 1_000_000:
            if stopping.wait(fault.drip):
                self.close_connection = True
                return
            self.wfile.write(bytes([byte]))
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


def sequence(*answers: Route) -> Script:
    """A script that gives the answers in order and then the last one for ever."""
    left = list(answers)

    def script(request: Request) -> Answer:
        route = left.pop(0) if len(left) > 1 else left[0]
        return route(request) if callable(route) else route

    return script


def text_of(request: Mapping[str, Any]) -> str:
    """All texts of a request's messages, joined with blank lines."""
    texts: list[str] = []
    for message in request.get("messages", []):
        content = message.get("content")
        if isinstance(content, str):
            texts.append(content)
        elif content:
            texts += [part.get("text", "") for part in content]
        texts += [call["function"]["arguments"] for call in message.get("tool_calls") or []]
    return "\n\n".join(texts)


def observation_of(request: Mapping[str, Any]) -> str:
    """The last `<observation …>…</observation>` block of a request, tags included."""
    blocks = re.findall(r"<observation\b.*?</observation>", text_of(request), re.DOTALL)
    assert blocks, "the request holds no observation"
    return str(blocks[-1])


_LINE = re.compile(
    r"\s*- (?P<quote>'?)(?P<role>[\w-]+)(?: (?P<name>\"(?:[^\"\\]|\\.)*\"))?"
    r"(?P<states>(?: \[[^\]]*\])*?) \[ref=(?P<ref>(?:f\d+)?e\d+)\]"
)


def ref_of(request: Mapping[str, Any], role: str, name: str | re.Pattern[str] = "", nth: int = 0) -> str:
    """The ref of the first line (or the `nth` from 0) of the newest observation with a role and a
    name: equal to a string, or found by a compiled regex; any name where it is empty."""
    refs: list[str] = []
    observation = observation_of(request)
    for line in observation.splitlines():
        match = _LINE.match(line)
        if not match or match["role"] != role:
            continue
        raw = match["name"] or '""'
        said = str(json.loads(raw.replace("''", "'") if match["quote"] else raw))
        fits = name.search(said) is not None if isinstance(name, re.Pattern) else name in ("", said)
        if fits:
            refs.append(match["ref"])
    assert len(refs) > nth, f"no {role} {name!r} (nth {nth}) in\n{observation}"
    return refs[nth]
