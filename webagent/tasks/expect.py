"""A task's own success test (`--expect`, and `expect` in a task file)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from webagent.tasks import fields
from webagent.tasks.webarena import WebArenaEval, parse_answers, parse_eval, parse_targets

KEYS = ("answer", "answer_includes", "answer_matches", "url", "page", "request", "infeasible")
WEBARENA_KEYS = ("string_match", "url_match", "program_html", "eval")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class PageTest:
    """Texts that must all be in what `locator` (its text) or `js` (its value) gives, on the page at
    `url`; an empty `url` is the page the run ended on."""

    required: tuple[str, ...]
    url: str = ""
    locator: str = ""
    js: str = ""


@dataclass(frozen=True)
class RequestTest:
    """An HTTP call to `url` (a path is taken from the site's root) and what it must return:
    `status` (None: any 2xx) and, where `has_json`, all that `json` has."""

    url: str
    method: str = "GET"
    body: Any = None
    status: int | None = None
    json: Any = None
    has_json: bool = False


@dataclass(frozen=True)
class Expect:
    """What must hold for a run to be a success: every part that is given. `answer` lists
    alternatives, of which one must be it; `answer_includes` texts which must all be in it."""

    answer: tuple[str, ...] = ()
    answer_includes: tuple[str, ...] = ()
    answer_matches: str = ""
    url: str = ""
    page: tuple[PageTest, ...] = ()
    request: tuple[RequestTest, ...] = ()
    infeasible: bool = False
    webarena: WebArenaEval | None = None


def parse_expect(value: Mapping[str, Any] | str, where: str = "expect") -> Expect:
    """A checked success test, from JSON text or its object; WebArena's `eval` object is one too.

    Raises UsageError naming the key, the value, and what it may be."""
    data = fields.loads(value, where) if isinstance(value, str) else value
    if isinstance(data, Mapping) and "eval_types" in data:
        return Expect(webarena=parse_eval(data, where))
    data = fields.mapping(data, where, (*KEYS, *WEBARENA_KEYS))
    if not data:
        raise fields.fault(where, f"tests nothing; it needs one or more of: {', '.join(KEYS)}")
    infeasible = "infeasible" in data and fields.flag(data["infeasible"], f"{where}.infeasible")
    if "infeasible" in data and not infeasible and len(data) == 1:
        raise fields.fault(where, "tests nothing: infeasible is false and there is no other key")
    return Expect(
        answer=_texts(data, "answer", where),
        answer_includes=_texts(data, "answer_includes", where),
        answer_matches=_regex(data, where),
        url=_url(data, where),
        page=_pages(data, where),
        request=_requests(data, where),
        infeasible=infeasible,
        webarena=_webarena(data, where),
    )


def _texts(data: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    return fields.texts(data[key], f"{where}.{key}") if key in data else ()


def _url(data: Mapping[str, Any], where: str) -> str:
    if "url" not in data:
        return ""
    choices = fields.text(data["url"], f"{where}.url")
    for choice in choices.split("|OR|"):
        if not choice.strip():
            raise fields.fault(f"{where}.url", f"has an empty alternative: {choices!r:.80}")
        try:
            urlsplit(choice.strip())
        except ValueError as error:
            raise fields.fault(f"{where}.url", f"not a URL: {choice.strip()!r:.80} ({error})") from None
    return choices


def _regex(data: Mapping[str, Any], where: str) -> str:
    if "answer_matches" not in data:
        return ""
    place = f"{where}.answer_matches"
    pattern = fields.text(data["answer_matches"], place)
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise fields.fault(place, f"not a regular expression: {pattern!r:.80} ({error})") from None
    return pattern


def _pages(data: Mapping[str, Any], where: str) -> tuple[PageTest, ...]:
    if "page" not in data:
        return ()
    return tuple(_page(item, place) for place, item in fields.items(data["page"], f"{where}.page"))


def _page(value: Any, where: str) -> PageTest:
    data = fields.mapping(value, where, ("url", "locator", "js", "required"))
    if "locator" in data and "js" in data:
        raise fields.fault(where, "has both locator and js; give one")
    if "required" not in data:
        raise fields.fault(where, "lacks 'required': the text, or list of texts, that must be there")
    required = data["required"]
    if isinstance(required, bool):
        required = "true" if required else "false"
    url = fields.text(data["url"], f"{where}.url") if data.get("url") else ""
    return PageTest(
        required=fields.texts(required, f"{where}.required"),
        url="" if url == "last" else url,
        locator="" if "js" in data else fields.text(data.get("locator", "body"), f"{where}.locator"),
        js=fields.text(data["js"], f"{where}.js") if "js" in data else "",
    )


def _requests(data: Mapping[str, Any], where: str) -> tuple[RequestTest, ...]:
    if "request" not in data:
        return ()
    return tuple(_request(item, place) for place, item in fields.items(data["request"], f"{where}.request"))


def _request(value: Any, where: str) -> RequestTest:
    data = fields.mapping(value, where, ("method", "path", "url", "body", "status", "json"))
    if ("path" in data) == ("url" in data):
        raise fields.fault(where, "needs one of 'path' (on the task's site) and 'url'")
    if "json" not in data and "status" not in data:
        raise fields.fault(where, "lacks 'json' (what the call must return) or 'status'")
    method = fields.text(data.get("method", "GET"), f"{where}.method").upper()
    if method not in METHODS:
        raise fields.fault(f"{where}.method", f"must be one of {', '.join(METHODS)}, not {method!r:.40}")
    key = "path" if "path" in data else "url"
    url = fields.text(data[key], f"{where}.{key}")
    if key == "url" and not url.startswith(("http://", "https://", "__")):
        raise fields.fault(
            f"{where}.url", f"must begin with http:// or https://, not {url!r:.80}; or use 'path'"
        )
    return RequestTest(
        url=url if key == "url" or url.startswith("/") else f"/{url}",
        method=method,
        body=data.get("body"),
        status=fields.whole(data["status"], f"{where}.status", 100, 599) if "status" in data else None,
        json=data.get("json"),
        has_json="json" in data,
    )


def _webarena(data: Mapping[str, Any], where: str) -> WebArenaEval | None:
    """WebArena's evaluators under their own names, or its whole `eval`."""
    types = tuple(key for key in WEBARENA_KEYS[:3] if key in data)
    if "eval" in data:
        if types:
            raise fields.fault(where, f"has both eval and {types[0]}; give one")
        return parse_eval(data["eval"], f"{where}.eval")
    if not types:
        return None
    given = data.get("url_match", "")
    if isinstance(given, str):
        given = {"reference_url": given}
    given = fields.mapping(given, f"{where}.url_match", ("reference_url", "url_note"))
    answers = parse_answers(data["string_match"], f"{where}.string_match") if "string_match" in data else {}
    targets = parse_targets(data["program_html"], f"{where}.program_html") if "program_html" in data else ()
    return WebArenaEval(
        types=types,
        answers=answers,
        reference_url=fields.text(given.get("reference_url"), f"{where}.url_match")
        if "url_match" in data
        else "",
        url_note=str(given.get("url_note") or "GOLD in PRED"),
        program_html=targets,
    )
