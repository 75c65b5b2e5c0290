"""A task: what to do, where to start, and how to tell that it worked."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from webagent.errors import UsageError
from webagent.ids import web_url
from webagent.tasks import fields
from webagent.tasks.expect import Expect, parse_expect
from webagent.tasks.webarena import PLACEHOLDER, parse_eval, resolve

KEYS = (
    "id",
    "goal",
    "site",
    "url",
    "start_path",
    "expect",
    "template",
    "max_steps",
    "sites",
    "storage_state",
)


@dataclass(frozen=True)
class Task:
    """One task. It starts at `url`, or at `start_path` of `site`. `template` tells tasks of one
    kind; `sites` are all that it spans; `tabs` further addresses to open, `storage_state` and
    `require_login` are WebArena's; `extra` holds keys that mean nothing to us."""

    id: str
    goal: str
    site: str = ""
    url: str = ""
    start_path: str = ""
    expect: Expect | None = None
    template: str = ""
    max_steps: int | None = None
    sites: tuple[str, ...] = ()
    tabs: tuple[str, ...] = ()
    storage_state: str = ""
    require_login: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    def start(self, address: str = "") -> str:
        """The start URL; `address` is that of `site`."""
        base = self.url or address
        return base.rstrip("/") + self.start_path if self.start_path else base


def parse_task(
    value: Mapping[str, Any],
    where: str = "task",
    *,
    sites: Mapping[str, str] | None = None,
    needs_start: bool = True,
) -> Task:
    """A checked task. `sites` gives addresses for WebArena's `__SITE__`; without `needs_start` a
    task may lack both `site` and `url` (the command line names them).

    Raises UsageError that begins with `where` and names the key and value."""
    data = fields.mapping(value, where)
    if "intent" in data or ("task_id" in data and "eval" in data):
        return _from_webarena(data, where, sites or {})
    _refuse_typos(data, where)
    given = {str(key): content for key, content in data.items() if content is not None and content != ""}
    for key in ("id", "goal"):
        if key not in given:
            raise fields.fault(where, f'lacks {key!r}; a task is {{"id", "goal", "site" or "url", …}}')
    if "site" in given and "url" in given:
        raise fields.fault(where, "has both site and url; give one")
    if needs_start and "site" not in given and "url" not in given:
        raise fields.fault(where, "lacks 'site' or 'url': where does the task start?")
    return Task(
        id=fields.text(given["id"], f"{where}: id").strip(),
        goal=fields.text(given["goal"], f"{where}: goal").strip(),
        site=_optional(given, "site", where),
        url=_url(given["url"], where) if "url" in given else "",
        start_path=_start_path(given, where),
        expect=parse_expect(given["expect"], f"{where}: expect") if "expect" in given else None,
        template=_optional(given, "template", where),
        max_steps=fields.whole(given["max_steps"], f"{where}: max_steps") if "max_steps" in given else None,
        sites=fields.texts(given["sites"], f"{where}: sites") if "sites" in given else (),
        storage_state=_optional(given, "storage_state", where),
        extra={key: content for key, content in given.items() if key not in KEYS},
    )


def _refuse_typos(data: Mapping[str, Any], where: str) -> None:
    """Other keys may be there, but a misspelt `expect` must not leave a task without its test."""
    for key in data:
        near = [] if key in KEYS else difflib.get_close_matches(str(key).lower(), KEYS, 1, 0.8)
        if near:
            raise fields.fault(where, f"unknown key {key!r:.60}; did you mean {near[0]!r}?")


def _optional(given: Mapping[str, Any], key: str, where: str) -> str:
    return fields.text(given[key], f"{where}: {key}").strip() if key in given else ""


def _url(value: Any, where: str) -> str:
    written = fields.text(value, f"{where}: url")
    try:
        return web_url(written)
    except UsageError as error:
        raise fields.fault(where, str(error)) from None


def _start_path(given: Mapping[str, Any], where: str) -> str:
    path = _optional(given, "start_path", where)
    if urlsplit(path).scheme or path.startswith("//"):
        raise fields.fault(
            f"{where}: start_path", f"must be a path on the site, not {path!r:.80}; or use 'url'"
        )
    return path if not path or path.startswith(("/", "?", "#")) else f"/{path}"


def _from_webarena(data: Mapping[str, Any], where: str, addresses: Mapping[str, str]) -> Task:
    """A WebArena config object. Where the address of its site is not known the task names the site
    and the path on it, and `eval` keeps its placeholders."""
    for key in ("task_id", "intent", "start_url"):
        if data.get(key) in (None, ""):
            raise fields.fault(where, f"lacks {key!r}, which a WebArena config object has")
    template = data.get("intent_template_id")
    starts = fields.text(data["start_url"], f"{where}: start_url").split(" |AND| ")
    first, *tabs = (str(resolve(start.strip(), addresses)) for start in starts)
    evaluation = resolve(data["eval"], addresses) if data.get("eval") else None
    site, url, path = _start_of(first, where)
    return Task(
        id=fields.text(data["task_id"], f"{where}: task_id"),
        goal=fields.text(data["intent"], f"{where}: intent").strip(),
        site=site,
        url=url,
        start_path=path,
        expect=Expect(webarena=parse_eval(evaluation, f"{where}: eval")) if evaluation else None,
        template="" if template is None else fields.text(template, f"{where}: intent_template_id"),
        sites=fields.texts(data["sites"], f"{where}: sites") if data.get("sites") else (),
        tabs=tuple(tabs),
        storage_state=_optional(data, "storage_state", where) if data.get("storage_state") else "",
        require_login=bool(data.get("require_login", False)),
        extra={
            key: data[key]
            for key in ("intent_template", "instantiation_dict", "geolocation", "require_reset")
            if data.get(key) is not None
        },
    )


def _start_of(start: str, where: str) -> tuple[str, str, str]:
    """Site, URL and path of a start URL that may still begin with a placeholder."""
    found = PLACEHOLDER.match(start)
    if found:
        return found[1].lower(), "", start[found.end() :]
    return "", _url(start, where), ""
