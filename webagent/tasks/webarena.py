"""WebArena's config objects: their `eval`, and the addresses behind `__SHOPPING__` and its like.

Follows https://github.com/web-arena-x/webarena (config_files/test.raw.json)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webagent.tasks import fields

ANSWER_KEYS = ("exact_match", "must_include", "must_exclude", "one_of", "fuzzy_match")
CONTENT_KEYS = ("exact_match", "must_include", "must_exclude")


@dataclass(frozen=True)
class HtmlTarget:
    """One entry of `program_html`. `url` is an address, `last` or `func:…`; `locator` is empty (the
    page's HTML), a script, or `func:…`; `required` has one of CONTENT_KEYS."""

    url: str
    locator: str = ""
    required: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    prepare: tuple[str, ...] = ()


@dataclass(frozen=True)
class WebArenaEval:
    """The `eval` of a config object: every evaluator in `types` must be content."""

    types: tuple[str, ...]
    answers: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    string_note: str = ""
    reference_url: str = ""
    url_note: str = "GOLD in PRED"
    program_html: tuple[HtmlTarget, ...] = ()


def parse_eval(value: Any, where: str = "eval") -> WebArenaEval:
    """A checked `eval` object; evaluators that we don't know stay named in `types`.

    Raises UsageError naming the key."""
    data = fields.mapping(value, where)
    types = fields.texts(data.get("eval_types"), f"{where}.eval_types")
    answers: Mapping[str, str | tuple[str, ...]] = {}
    targets: tuple[HtmlTarget, ...] = ()
    if "string_match" in types:
        answers = parse_answers(data.get("reference_answers"), f"{where}.reference_answers")
    if "program_html" in types:
        targets = parse_targets(data.get("program_html"), f"{where}.program_html")
    if "url_match" in types and not isinstance(data.get("reference_url"), str):
        raise fields.fault(f"{where}.reference_url", "must be text, since eval_types has url_match")
    return WebArenaEval(
        types=types,
        answers=answers,
        string_note=str(data.get("string_note") or ""),
        reference_url=str(data.get("reference_url") or ""),
        url_note=str(data.get("url_note") or "GOLD in PRED"),
        program_html=targets,
    )


def parse_answers(value: Any, where: str) -> Mapping[str, str | tuple[str, ...]]:
    """`reference_answers`: `exact_match` a text, the others lists (`fuzzy_match` also "N/A")."""
    data = fields.mapping(value, where)
    if not data:
        raise fields.fault(where, f"is empty; it has one or more of: {', '.join(ANSWER_KEYS)}")
    return {str(key): _contents(content, f"{where}.{key}") for key, content in data.items()}


def parse_targets(value: Any, where: str) -> tuple[HtmlTarget, ...]:
    """`program_html`: what must be found on which page."""
    return tuple(_target(item, place) for place, item in fields.items(value, where))


def _target(value: Any, where: str) -> HtmlTarget:
    data = fields.mapping(value, where)
    locator = data.get("locator", "")
    if not isinstance(locator, str):
        raise fields.fault(f"{where}.locator", f"must be text, not {fields.short(locator)}")
    required = fields.mapping(data.get("required_contents"), f"{where}.required_contents")
    if not any(key in required for key in CONTENT_KEYS):
        raise fields.fault(f"{where}.required_contents", f"needs one of: {', '.join(CONTENT_KEYS)}")
    return HtmlTarget(
        url=fields.text(data.get("url"), f"{where}.url"),
        locator=locator,
        required={
            str(key): _contents(content, f"{where}.required_contents.{key}")
            for key, content in required.items()
        },
        prepare=fields.texts(data["prep_actions"], f"{where}.prep_actions")
        if data.get("prep_actions")
        else (),
    )


def _contents(value: Any, where: str) -> str | tuple[str, ...]:
    """A reference text or several; unlike our own tests, an empty text or list is allowed."""
    if isinstance(value, list | tuple):
        return tuple(_reference(item, f"{where}[{n}]") for n, item in enumerate(value, 1))
    return _reference(value, where)


def _reference(value: Any, where: str) -> str:
    return value if isinstance(value, str) and not value.strip() else fields.text(value, where)


PLACEHOLDER = re.compile(r"__([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)__")
"""`__SHOPPING_ADMIN__`; the lower-case `__page__` and `__last_url__` are WebArena's own arguments."""


def resolve(value: Any, sites: Mapping[str, str]) -> Any:
    """The same value with each `__NAME__` replaced by the address of that site, at any depth.
    Names of sites are compared without case; those that `sites` lacks stay as they are."""
    addresses = {name.upper(): address.rstrip("/") for name, address in sites.items()}

    def address_of(found: re.Match[str]) -> str:
        return addresses.get(found[1], found[0])

    def walk(part: Any) -> Any:
        if isinstance(part, str):
            return PLACEHOLDER.sub(address_of, part)
        if isinstance(part, Mapping):
            return {key: walk(content) for key, content in part.items()}
        if isinstance(part, list | tuple):
            return [walk(content) for content in part]
        return part

    return walk(value)


def unresolved(evaluation: WebArenaEval) -> tuple[str, ...]:
    """The placeholders that are left in it: sites whose address is not known."""
    written = [evaluation.reference_url]
    for target in evaluation.program_html:
        written += [target.url, target.locator]
    return tuple(sorted({found[0] for part in written for found in PLACEHOLDER.finditer(part)}))
