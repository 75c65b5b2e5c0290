"""Which hosts a run may navigate to."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """The host of an http(s) URL, lower case, without a trailing dot; empty for any other URL."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https"):
        return ""
    return _normal(host)


def _normal(host: str) -> str:
    host = host.strip().rstrip(".").lower()
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def default_hosts(start_url: str) -> tuple[str, ...]:
    """The start URL's host and its subdomains; an IP address or `localhost` alone."""
    host = host_of(start_url)
    if host == "localhost" or ":" in host or re.fullmatch(r"[\d.]+", host):
        return (host,)
    return (f"*.{host.removeprefix('www.')}",)


def allows(url: str, allowed: Iterable[str]) -> bool:
    """True for an http(s) URL whose host fits one of the patterns. `x.com` fits itself alone,
    `*.x.com` also its subdomains, `*` every host; a pattern may be a URL or carry a port, which then
    must be the URL's."""
    host = host_of(url)
    return bool(host) and any(_fits(url, host, pattern) for pattern in allowed)


def is_pattern(pattern: str) -> bool:
    """True for a pattern that names a host or a host's subdomains."""
    found = _parsed(pattern)
    return found is not None and bool(_normal(found["host"].strip("[]").removeprefix("*.").replace("*", "")))


def _parsed(pattern: str) -> re.Match[str] | None:
    netloc = urlsplit(pattern).netloc if "://" in pattern else pattern.split("/")[0]
    return re.fullmatch(r"(?P<host>\[[^\]]*\]|[^:\[\]]*|[0-9a-fA-F:]+)(?::(?P<port>\d+))?", netloc)


def _fits(url: str, host: str, pattern: str) -> bool:
    pattern = pattern.strip()
    if pattern == "*":
        return True
    found = _parsed(pattern)
    if found is None:
        return False
    if found["port"] and int(found["port"]) != _port(url):
        return False
    wanted = found["host"].strip("[]")
    if wanted.startswith("*."):
        base = _normal(wanted[2:])
        return bool(base) and (host == base or host.endswith("." + base))
    return host == _normal(wanted)


def _port(url: str) -> int | None:
    parts = urlsplit(url)
    try:
        return parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return None
