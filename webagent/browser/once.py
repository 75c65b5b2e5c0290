"""Sends a request that changes something exactly once.

Chromium itself sends a request again, POST too, when a kept-alive or preconnected HTTP/1.1 connection
ends before the first byte of the answer (its HttpNetworkTransaction::HandleIOError): an order whose
reply was lost is placed twice without anyone clicking twice. So such requests are taken out of its
hands. Over HTTPS most sites speak HTTP/2, which tells whether a request was processed; they are
left alone, since some sites look at who makes the connection."""

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import APIResponse, BrowserContext, CDPSession

PATTERN = "http://*"
SENT_BY_US = frozenset({"POST", "PUT", "PATCH", "DELETE"})
LONGEST_WAIT_MS = 60_000
_OURS = frozenset({"cookie", "host", "content-length", "connection", "accept-encoding"})
_DECODED = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"})


def is_sent_by_us(event: Mapping[str, Any]) -> bool:
    """Whether a paused request is one that must not be repeated, and all of its body is known: files
    are not in the event."""
    request = event["request"]
    if request["method"] not in SENT_BY_US or not str(request["url"]).startswith("http://"):
        return False
    return not request.get("hasPostData") or all(
        "bytes" in part for part in request.get("postDataEntries", [{}])
    )


async def send_once(session: "CDPSession", context: "BrowserContext", event: Mapping[str, Any]) -> None:
    """Sends a paused request and hands its answer to the page; a lost one fails. Raises Playwright's
    Error where the page has gone meanwhile."""
    from playwright.async_api import Error

    paused = {"requestId": event["requestId"]}
    try:
        response = await _sent(context, event["request"])
        body = await response.body()
    except Error:
        await session.send("Fetch.failRequest", {**paused, "errorReason": "ConnectionClosed"})
        return
    headers = [
        {"name": one["name"], "value": one["value"]}
        for one in response.headers_array
        if one["name"].lower() not in _DECODED
    ]
    answer = {"responseCode": response.status, "responseHeaders": headers}
    await session.send("Fetch.fulfillRequest", {**paused, **answer, "body": base64.b64encode(body).decode()})


async def _sent(context: "BrowserContext", request: Mapping[str, Any]) -> "APIResponse":
    address = str(request["url"]).split("#")[0]
    headers = {name: value for name, value in request["headers"].items() if name.lower() not in _OURS}
    data = b"".join(base64.b64decode(part["bytes"]) for part in request.get("postDataEntries", []))
    return await context.request.fetch(
        address,
        method=request["method"],
        headers=headers,
        data=data if request.get("hasPostData") else None,
        max_redirects=0,
        max_retries=0,
        timeout=LONGEST_WAIT_MS,
    )
