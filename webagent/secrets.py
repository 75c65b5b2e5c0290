"""Secrets that a run may type and never shows: their names, where each may go, and their masking.

How to use it: `Settings.secret_values` holds the `Secrets` of a run (none without `--secrets`), and
`BrowserOptions.secrets` hands them to the session, the only place that ever fills a value in
(browser/fields.py, with `fill`). All that the session gives away is masked already: observations,
events, outcomes, names of downloads, pictures. Whatever comes from elsewhere (a person's goal, a
URL of the command line, Playwright's own files) goes through `secrets.mask(text)` before it is
written, shown or sent; `mask` puts `<secret:NAME>` in place of each value, however it is spelt, and
may be applied to a whole document, also to JSON or HTML, which it leaves well formed."""

import io
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dotenv.parser import Binding, parse_stream

from webagent.errors import ActionError, UsageError
from webagent.hosts import allows, host_of, is_pattern
from webagent.masking import spelt

PLACEHOLDER = re.compile(r"<secret:([A-Za-z_][\w.-]*)>", re.ASCII)
"""How a model, a workflow and a person name a secret."""
_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


def placeholder(name: str) -> str:
    """What stands for a secret wherever it is shown."""
    return f"<secret:{name}>"


@dataclass(frozen=True)
class Secret:
    """One value. `host` is where it may go, as `--allowed-domains` writes hosts; empty for one that is
    bound to none, which may go wherever the run may navigate to."""

    name: str
    value: str = field(repr=False)
    host: str = ""

    def fits(self, url: str, allowed: Iterable[str]) -> bool:
        """Whether the value may be typed on a page or in a frame with this URL."""
        return allows(url, [self.host] if self.host else allowed)


@dataclass(frozen=True)
class Secrets:
    """The secrets of a run. One name may have a value for each of several hosts."""

    known: tuple[Secret, ...] = field(default=(), repr=False)
    exposed: bool = False
    """Whether others than the owner can read the file that they came from."""

    def __bool__(self) -> bool:
        return bool(self.known)

    @classmethod
    def read(cls, name: str) -> "Secrets":
        """The secrets of a dotenv file. Raises UsageError naming the file and the line."""
        path = Path(name).expanduser()
        try:
            text = path.read_text("utf-8-sig")
            mode = path.stat().st_mode
        except OSError as error:
            raise UsageError(f"--secrets {name!r} can't be read: {error.strerror or error}") from error
        except UnicodeDecodeError:
            raise UsageError(f"--secrets {name!r} is not UTF-8; save it as UTF-8") from None
        return cls.parse(text, f"--secrets {name!r}", exposed=bool(mode & (stat.S_IRGRP | stat.S_IROTH)))

    @classmethod
    def parse(cls, text: str, source: str, *, exposed: bool = False) -> "Secrets":
        """The secrets of a dotenv text: lines `NAME=value` or `NAME@host=value`; `$` in a value means
        nothing. Raises UsageError naming the source and the line, never a value."""
        known: list[Secret] = []
        for binding in parse_stream(io.StringIO(text)):
            if binding.key is None and not binding.error:
                continue
            secret = _checked(binding, source)
            if any((one.name, one.host) == (secret.name, secret.host) for one in known):
                raise UsageError(f"{source}, line {_line(binding)}: {binding.key} was given before")
            known.append(secret)
        return cls(tuple(known), exposed)

    def names_for(self, urls: Iterable[str], allowed: Iterable[str]) -> tuple[str, ...]:
        """The names of what may be typed on pages or in frames with these URLs, in the file's order."""
        urls, allowed = list(urls), list(allowed)
        names = (one.name for one in self.known if any(one.fits(url, allowed) for url in urls))
        return tuple(dict.fromkeys(names))

    def value(self, name: str, url: str) -> str | None:
        """The value of a secret that is bound to the host of a URL or to none; None where there is none."""
        fitting = [one for one in self.known if one.name == name and one.fits(url, [host_of(url)])]
        return max(fitting, key=_closeness).value if fitting else None

    def fill(self, text: str, url: str, allowed: Iterable[str]) -> str:
        """The text with the values of the secrets that it names, for a page or a frame with this URL.
        Raises ActionError, saying which secrets there are, where one is unknown or not for that host."""
        allowed = list(allowed)
        return PLACEHOLDER.sub(lambda found: self._value(found[1], url, allowed), text)

    def _value(self, name: str, url: str, allowed: list[str]) -> str:
        fitting = [one for one in self.known if one.name == name and one.fits(url, allowed)]
        if fitting:
            return max(fitting, key=_closeness).value
        host = host_of(url) or "a page without a host"
        there = ", ".join(map(placeholder, self.names_for([url], allowed))) or "none"
        if any(one.name == name for one in self.known):
            raise ActionError(f"not typed: {placeholder(name)} may not go to {host}; secrets for it: {there}")
        hint = "" if self.known else " (this run was started without --secrets FILE)"
        raise ActionError(
            f"not typed: there is no secret {placeholder(name)}{hint}; secrets for {host}: {there}"
        )

    def mask(self, text: str) -> str:
        """The text with `<secret:NAME>` for each value, however it is spelt. Values of fewer than four
        characters are found as whole words only."""
        return self._pattern.sub(self._named, text) if self._pattern is not None else text

    def _named(self, found: re.Match[str]) -> str:
        return placeholder(self._longest[int((found.lastgroup or "s0")[1:])].name)

    @cached_property
    def _longest(self) -> list[Secret]:
        """Longer values first: one may hold another."""
        return sorted(self.known, key=lambda one: -len(one.value))

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        parts = [f"(?P<s{n}>{spelt(one.value)})" for n, one in enumerate(self._longest)]
        return re.compile("|".join(parts)) if parts else None


def _closeness(secret: Secret) -> tuple[bool, int]:
    """The host itself before its wildcard, the longer wildcard before the shorter, unbound last."""
    return (bool(secret.host) and not secret.host.startswith("*."), len(secret.host))


def _line(binding: Binding) -> int:
    """Blank lines before a binding belong to it; the first of its own is meant."""
    text = binding.original.string
    return binding.original.line + text[: len(text) - len(text.lstrip())].count("\n")


def _checked(binding: Binding, source: str) -> Secret:
    where = f"{source}, line {_line(binding)}"
    if binding.error or binding.key is None or binding.value is None:
        raise UsageError(f"{where}: not NAME=value; quote values that hold quotes, # or line breaks")
    name, at, host = binding.key.partition("@")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{where}: a name is made of letters, digits and _ and begins with none of the digits"
        )
    if at and not is_pattern(host):
        raise UsageError(
            f"{where}: {name} is bound to {host!r}, which is no host such as x.com or *.x.com; "
            "without @ it goes wherever the run may navigate to"
        )
    if not binding.value.strip():
        raise UsageError(f"{where}: {name} has no value")
    return Secret(name, binding.value, host)


def named_in(value: Any) -> bool:
    """Whether a text, or any text in a list or object, names a secret."""
    if isinstance(value, str):
        return PLACEHOLDER.search(value) is not None
    if isinstance(value, Mapping):
        return any(map(named_in, value.values()))
    return isinstance(value, Sequence) and any(map(named_in, value))
