"""Which host and port a URL means, and which patterns it fits."""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443}
PROXY_PORTS = {**PORTS, "socks4": 1080, "socks5": 1080}
HOW_TO_NAME_A_PROXY = "give http://user:password@host:port, https://… or socks5://…"
Place = tuple[str, int]
"""A host in its normal form and a port."""


def place_of(url: str) -> Place | None:
    """Where an http(s) URL leads, read as browsers read it (the WHATWG's URL standard): `http://2130706433/`
    is 127.0.0.1, `http://a\\@b/` is a. None for any other URL."""
    from ada_url import URL

    try:
        parts = URL(url)
    except ValueError:
        return None
    scheme = parts.protocol.removesuffix(":")
    if scheme not in PORTS or not (host := _plain(parts.hostname)):
        return None
    return host, int(parts.port or PORTS[scheme])


def absolute_url(text: str, base: str) -> str:
    """The URL that a browser makes of a text on the page `base`; empty where it makes none."""
    from ada_url import URL

    try:
        return URL(text, base).href
    except ValueError:
        return ""


def host_of(url: str) -> str:
    """The host of an http(s) URL in its normal form; empty for any other URL."""
    place = place_of(url)
    return place[0] if place else ""


def proxy_place(url: str) -> Place | None:
    """Where a proxy's URL leads, `scheme://user:password@host:port` or `host:port`; None for any other text."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        port = parts.port or PROXY_PORTS.get(parts.scheme, 0)
        host = normal_host(parts.hostname or "")
    except ValueError:
        return None
    return (host, port) if host and parts.scheme in PROXY_PORTS else None


@lru_cache(maxsize=4096)
def normal_host(host: str) -> str:
    """A host as it is compared: lower case, punycode, numbers as an address, without a trailing dot or
    brackets, an IPv4 address in IPv6 as the former. Empty for what is no host."""
    from ada_url import URL

    text = host.strip()
    if not text or re.search(r"[/\\?#@%\s]", text):
        return ""
    bracketed = f"[{text}]" if ":" in text and not text.startswith("[") else text
    try:
        return _plain(URL(f"http://{bracketed}/").hostname)
    except ValueError:
        return ""


def _plain(host: str) -> str:
    host = host.rstrip(".")
    if not host.startswith("["):
        return host
    address = ipaddress.IPv6Address(host[1:-1])
    return str(address.ipv4_mapped or address)


@lru_cache(maxsize=4096)
def is_address(host: str) -> bool:
    """True for an IP address in its normal form."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def default_hosts(start_url: str) -> tuple[str, ...]:
    """The start URL's host and its subdomains; an IP address or `localhost` alone."""
    host = host_of(start_url)
    if host == "localhost" or is_address(host):
        return (host,)
    return (f"*.{host.removeprefix('www.')}",)


def allows(url: str, allowed: Iterable[str]) -> bool:
    """True for an http(s) URL whose host fits one of the patterns; see `lists`."""
    place = place_of(url)
    return place is not None and lists(place, allowed)


def lists(place: Place, patterns: Iterable[str]) -> bool:
    """True where one of the patterns fits. `x.com` fits itself alone, `*.x.com` also its subdomains, `*` every
    host; a pattern may be a URL or carry a port, which then must be the place's."""
    return any(_fits(place, pattern) for pattern in patterns)


def lists_port(place: Place, patterns: Iterable[str]) -> bool:
    """True where a pattern that names the port fits."""
    return any(_parsed(pattern)[2] and _fits(place, pattern) for pattern in patterns)


def is_pattern(pattern: str) -> bool:
    """True for a pattern that names a host or a host's subdomains."""
    return bool(_parsed(pattern)[1])


@lru_cache(maxsize=4096)
def _parsed(pattern: str) -> tuple[bool, str, int | None]:
    """Whether subdomains fit too, the host (empty where there is none) and the port."""
    pattern = pattern.strip()
    netloc = urlsplit(pattern).netloc if "://" in pattern else pattern.split("/")[0]
    found = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*|[0-9a-fA-F:]+)(?::(\d+))?", netloc)
    if found is None:
        return False, "", None
    wide = found[1].startswith("*.")
    host = normal_host(found[1].removeprefix("*."))
    return wide, "" if "*" in host else host, int(found[2]) if found[2] else None


def _fits(place: Place, pattern: str) -> bool:
    if pattern.strip() == "*":
        return True
    host, port = place
    wide, wanted, only = _parsed(pattern)
    if not wanted or only not in (None, port):
        return False
    return host == wanted or (wide and not is_address(host) and host.endswith("." + wanted))
