"""Names of things: run and workflow ids, the memory scope of a URL."""

import ipaddress
import random
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from urllib.parse import urlsplit

from webagent.errors import UsageError


def new_run_id() -> str:
    """Sorts by time and is unique across processes: `20261129T233140-5f3a9c`."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


_DICE: ContextVar[random.Random] = ContextVar("dice", default=secrets.SystemRandom())  # noqa: B039  has no state


def new_id(prefix: str) -> str:
    """A short unique id such as `wf_5f3a9c1b`."""
    return f"{prefix}_{_DICE.get().getrandbits(32):08x}"


@contextmanager
def same_ids(seed: str) -> Iterator[None]:
    """Within the block, and in tasks begun there, the same new ids come each time: they stand in prompts, and decide
    between what is else alike."""
    token = _DICE.set(random.Random(seed))
    try:
        yield
    finally:
        _DICE.reset(token)


def now() -> str:
    """This moment in UTC as ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def scope_of(url: str) -> str:
    """The hostname memory is kept under: lower case, no `www.`, no trailing dot, no port;
    the port stays for bare `localhost` and IP addresses, where it tells two apps apart.
    Empty where the URL has no host."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".").lower().removeprefix("www.")
    if not host:
        return ""
    if not host.isascii():
        with suppress(UnicodeError):
            host = host.encode("idna").decode()  # as the browser's own addresses have it
    try:
        port = parts.port
    except ValueError:
        port = None
    if host != "localhost" and not _is_address(host):
        return host
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port or (443 if parts.scheme == 'https' else 80)}"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def web_url(text: str) -> str:
    """The URL, checked to be http(s) with a host.

    Raises UsageError naming the value otherwise."""
    parts = urlsplit(text.strip())
    if parts.scheme not in ("http", "https"):
        raise UsageError(f"not an http(s) URL: {text!r}; write it out, as in https://example.com/")
    if not parts.hostname:
        raise UsageError(f"no host in the URL {text!r}; write it out, as in https://example.com/")
    try:
        _ = parts.port
    except ValueError:
        raise UsageError(f"the port of {text!r} is not a number from 0 to 65535") from None
    return text.strip()


_SURROGATES = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Text that every encoder takes: lone surrogates become U+FFFD, NUL goes."""
    return _SURROGATES.sub("�", text).replace("\x00", "")


_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0e\ufeff\U000e0000-\U000e01ef]+"
)
"""Control characters, and others that no person sees: a text can be hidden in them."""


def one_line(text: str, limit: int) -> str:
    """The text on one line, without control or invisible characters, cut to `limit`."""
    return " ".join(_UNSEEN.sub(" ", clean_text(text)).split())[:limit].strip()
