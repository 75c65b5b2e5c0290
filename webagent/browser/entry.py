"""Secrets on their way into a field: which frame they would go to, whether they may, and that the focus
stays there while they are typed."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webagent.browser.scripts import function
from webagent.browser.stage import Stage
from webagent.errors import ActionError
from webagent.hosts import host_of
from webagent.secrets import PLACEHOLDER, named_in

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, Frame

OPEN_TOOLS = frozenset({"type", "find", "wait"})
"""Tools that a secret may be named in: one types it, to the others its name is a text like any other."""
PASSWORDS = ("PASSWORD", "PASSWD", "PASSPHRASE", "PWD")
PASSWORD_WORDS = ("passw", "pwd", "passphrase", "passcode", "secret", "token", "pin", "kennwort")

Check = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Entry:
    """Text as it is to be typed. `check` raises ActionError once the focus has left the frame that a
    secret may go to; None where the text holds no secret."""

    text: str
    check: Check | None = None


def is_private(text: str, what: Mapping[str, Any]) -> bool:
    """Whether the action's text must not be kept: a password field's, with more in it than names."""
    return bool(what["secret"]) and (not text or bool(PLACEHOLDER.sub("", text)))


def refusal(tool: str, arguments: Mapping[str, Any]) -> str:
    """Why the action is not carried out, where another tool than `type` is to use a secret."""
    if tool in OPEN_TOOLS or not named_in(arguments):
        return ""
    return f"{tool} takes no secret; only type does, into a field of the secret's host"


async def entry(stage: Stage, text: str, handle: "ElementHandle | None", what: Mapping[str, Any]) -> Entry:
    """The text with its secrets filled in, for the field `what` that `handle` is. Raises ActionError
    where one may not go there."""
    names = PLACEHOLDER.findall(text)
    if not names:
        return Entry(text)
    frame = await handle.owner_frame() if handle is not None else None
    url = url_of(frame) if frame is not None else ""
    filled = stage.options.secrets.fill(text, url, stage.boundary.allowed)
    if handle is None or frame is None or not (what["tag"] in ("input", "textarea") or what["editable"]):
        raise ActionError("not typed: a secret goes into a text field only")
    for name in names:
        _refuse_kind(name, what)
    await handle.evaluate(function("hold"))
    return Entry(filled, _check(stage, frame, host_of(url)))


def _refuse_kind(name: str, what: Mapping[str, Any]) -> None:
    """A page may ask for a password where it would be shown or sent to others."""
    if what["search"]:
        raise ActionError("not typed: no secret goes into a search box")
    hint = str(what["hint"]).casefold()
    if (
        any(word in name.upper() for word in PASSWORDS)
        and not what["secret"]
        and not any(word in hint for word in PASSWORD_WORDS)
    ):
        raise ActionError(f"not typed: <secret:{name}> goes into a password field only")


def url_of(frame: "Frame") -> str:
    """The URL whose host a frame's document belongs to: that of the frame around it where it was made
    from there, without an address of its own."""
    parent = frame.parent_frame
    if parent is not None and frame.url in ("", "about:blank", "about:srcdoc"):
        return url_of(parent)
    return frame.url


def _check(stage: Stage, frame: "Frame", host: str) -> Check:
    async def check() -> None:
        """Another frame can take the focus in the middle of a word."""
        _, now = await focused(stage)
        if now is not frame or host_of(url_of(frame)) != host:
            raise ActionError("not typed to its end: the focus left the field's frame meanwhile")

    return check


async def focused(stage: Stage) -> "tuple[ElementHandle | None, Frame]":
    """The element that has the focus, in whichever frame, and that frame."""
    from playwright.async_api import Error

    frame = stage.page.main_frame
    try:
        while True:
            handle = (await frame.evaluate_handle(function("active"))).as_element()
            inside = await handle.content_frame() if handle is not None else None
            if inside is None:
                return handle, frame
            frame = inside
    except Error:
        return None, frame
