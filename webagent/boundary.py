"""What the browser of a run may reach: hosts and ports by the user's list, addresses by their kind."""

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from webagent.hosts import Place, is_address, lists, lists_port, place_of

CHROMIUM_SERVICES = (
    "*.gvt1.com",
    "android.clients.google.com",
    "chromekanonymityquery-pa.googleapis.com",
    "clientservices.googleapis.com",
    "content-autofill.googleapis.com",
    "mtalk.google.com",
    "optimizationguide-pa.googleapis.com",
    "passwordsleakcheck-pa.googleapis.com",
    "safebrowsing.googleapis.com",
    "safebrowsingohttpgateway.googleapis.com",
    "sb-ssl.google.com",
    "update.googleapis.com",
)
"""Hosts that Chromium itself calls, from the pages' connections too, and that serve no page anything:
`content-autofill` is told of every form that is shown."""

PUBLIC, PRIVATE, LOOPBACK, LINK_LOCAL = "public", "private", "loopback", "link-local"
_SHARED = ipaddress.IPv4Network("100.64.0.0/10")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@lru_cache(maxsize=4096)
def kind_of(address: str) -> str:
    """Whose an IP address is: this machine's (LOOPBACK, and the unspecified one, which leads there), of its
    link (LINK_LOCAL: a cloud's metadata service is there), of its network (PRIVATE) or PUBLIC."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        within = ip.ipv4_mapped
        if ip in _NAT64:
            within = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        ip = within or ip
    if ip.is_loopback or ip.is_unspecified:
        return LOOPBACK
    if ip.is_link_local:
        return LINK_LOCAL
    return PRIVATE if ip.is_private or ip.is_multicast or ip in _SHARED else PUBLIC


def is_on_this_machine(host: str) -> bool:
    """True for loopback, by name or address."""
    return is_local_name(host) or (is_address(host) and kind_of(host) == LOOPBACK)


def is_local_name(host: str) -> bool:
    """True for `localhost` and the names below it: they mean this machine, and no resolver is asked."""
    return host == "localhost" or host.endswith(".localhost")


@dataclass(frozen=True)
class Boundary:
    """`allowed` are the patterns of `--allowed-domains` (see `hosts.lists`); with `listed` they hold for
    all that pages load, not for tabs alone. `own_ports` are ports of this machine that the program itself
    uses. `start` is the URL that the user named."""

    allowed: tuple[str, ...] = ()
    listed: bool = True
    own_ports: frozenset[int] = frozenset()
    start: str = ""

    def opens(self, url: str) -> bool:
        """Whether a tab may go to an http(s) URL."""
        place = place_of(url)
        return place is not None and lists(place, self.allowed) and self._is_open(place)

    def refusal(self, url: str) -> str:
        """Says that a URL is not opened, and what would allow it."""
        place = place_of(url)
        if place is None:
            return "only http and https addresses can be opened"
        return (
            f"the host {place[0]} is not allowed in this run (add {self.entry(place)} to --allowed-domains)"
        )

    def entry(self, place: Place) -> str:
        """What `--allowed-domains` would have to hold for a place: the port too, where it is the matter."""
        host, port = place
        shown = f"[{host}]" if ":" in host else host
        return f"{shown}:{port}" if lists(place, self.allowed) or port in self.own_ports else shown

    def passes(self, place: Place) -> bool:
        """Whether a connection may be made, as far as its host and port tell."""
        if not self._is_open(place):
            return False
        if lists(place, self.allowed):
            return True
        return not self.listed and not lists(place, CHROMIUM_SERVICES)

    def reaches(self, place: Place, address: str, home: Collection[str]) -> bool:
        """Whether a connection that passes may go to one of its host's addresses. `home` are the kinds of
        addresses that hosts on the list have: where a page of the internet was opened, what it loads comes
        from the internet too, not from this machine or its network."""
        kind = kind_of(address)
        near = kind == PUBLIC or kind in home or (kind == PRIVATE and LOOPBACK in home)
        if not near and not lists(place, self.allowed):
            return False
        return self._is_open_at(kind, (address, place[1]), place)

    def _is_open(self, place: Place) -> bool:
        host = place[0]
        if is_local_name(host):
            return self._is_open_at(LOOPBACK, place, place)
        return not is_address(host) or self._is_open_at(kind_of(host), place, place)

    def _is_open_at(self, kind: str, address: Place, name: Place) -> bool:
        """False for the link's addresses and our own ports, unless the user named them: the former as an
        address, since a name may lead there one day, the latter with the port."""
        if kind == LINK_LOCAL:
            return lists(address, [pattern for pattern in self.allowed if pattern.strip() != "*"])
        if kind == LOOPBACK and name[1] in self.own_ports:
            named = lists_port(address, self.allowed) or lists_port(name, self.allowed)
            return named or name == place_of(self.start)
        return True
