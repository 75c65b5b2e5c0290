"""Carries out the pages of `kinds/*.yaml` (described in its README) as a model would: what an element
is called is looked for in the text that the model is shown."""

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import yaml

from tests.pages.kit import Answer, Reply, Site
from webagent.actions import Action
from webagent.browser.launch import Chromium
from webagent.browser.options import BrowserOptions
from webagent.browser.session import BrowserSession
from webagent.observation import Line, Observation, parse_snapshot
from webagent.shown import render

FOLDER = Path(__file__).parent / "kinds"
BUDGET = 4000
SAID = 3000
"""Characters of an observation that a failure shows."""
FILES = {"a.txt": "aaa", "b.txt": "bb", "letter.txt": "Dear", "photo.png": "\x89PNG", "deep/c.txt": "c"}
ELEMENT = re.compile(r"(\S+)(?: (.*?))??(?: @ (.*?))?(?: #(\d+))?", re.DOTALL)
SCROLLS = 30
"""The most often a box is scrolled for something."""


@dataclass(frozen=True)
class Page:
    """One page of a kind, with its script and what must be true at its end."""

    kind: str
    name: str
    given: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


def pages() -> Iterator[Page]:
    """All pages, by kind."""
    for path in sorted(FOLDER.glob("*.yaml")):
        for given in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield Page(path.stem, given["page"], given)


class Origins(Site):
    """A page's paths; `{other}` and `{third}` in them are other origins of the same server."""

    def __init__(self, page: Page) -> None:
        super().__init__({})
        given = {"/": page.given.get("html", ""), **page.given.get("pages", {})}
        self.pages.update({path: self._answer(value) for path, value in given.items()})

    def _answer(self, value: str | Mapping[str, Any]) -> Answer:
        made = {"body": value} if isinstance(value, str) else value
        body = str(made.get("body", ""))
        for name, host in (("here", "pages.localhost"), ("other", "other.localhost"), ("third", "127.0.0.1")):
            body = body.replace("{" + name + "}", self.url("", host))
        headers = {"Content-Type": made.get("type", "text/html; charset=utf-8"), **made.get("headers", {})}

        def answer(request: BaseHTTPRequestHandler) -> Reply | None:
            time.sleep(made.get("delay", 0))
            if made.get("drop"):
                request.connection.close()
                return None
            length = int(request.headers.get("Content-Length") or 0)
            sent = request.rfile.read(length).decode("utf-8", "replace")
            return made.get("status", 200), headers, body.replace("{sent}", sent).encode()

        return answer


@dataclass
class Model:
    """Reads what the prompt shows and does one step after the other."""

    session: BrowserSession
    site: Origins
    seen: Observation = field(default_factory=lambda: Observation(""))
    shown: list[str] = field(default_factory=list)

    async def look(self) -> None:
        observation = await self.session.observe()
        text = render(observation, BUDGET)
        self.shown.append(text)
        self.seen = replace(observation, lines=parse_snapshot("\n".join(text.split("\n")[1:-1])))

    @property
    def text(self) -> str:
        return self.shown[-1]

    def ref(self, element: str) -> str:
        """The ref of the element that is meant; nearest to the words behind `@`, if given."""
        found = ELEMENT.fullmatch(element)
        assert found is not None
        role, name, near, nth = found[1], (found[2] or "").casefold(), (found[3] or "").casefold(), found[4]
        lines = [line for line in self.seen.lines if line.ref and role in ("*", line.role)]
        exact = [line for line in lines if self._label(line) == name]
        fitting = self._innermost(exact or [line for line in lines if name in self._label(line)])
        if near:
            ways = {line.ref: way for line in fitting if (way := self._way(line, near)) is not None}
            fitting = [line for line in fitting if ways.get(line.ref) == min(ways.values(), default=-1)]
        at = int(nth or 1) - 1
        assert len(fitting) > at, f"no {element!r} in\n{self.text[:SAID]}"
        return fitting[at].ref

    def _innermost(self, lines: list[Line]) -> list[Line]:
        """The lines without those around others of them."""
        around = {above.index for line in lines for above in self.seen.ancestors(line)}
        return [line for line in lines if line.index not in around]

    def _label(self, line: Line) -> str:
        return (line.name or self.seen.words_of(line)).casefold()

    def _way(self, line: Line, near: str) -> int | None:
        """How many steps up the words stand; the heading above counts as far."""
        for steps, above in enumerate(self.seen.ancestors(line)):
            if near in self.seen.words_of(above).casefold():
                return steps
        return 99 if near in self.seen.heading_above(line).casefold() else None

    async def step(self, given: Mapping[str, Any]) -> None:
        tool, first = next(iter(given.items()))
        if tool in ("sees", "lacks", "event"):
            lines = [
                line for line in self.text.split("\n") if (tool == "event") == line.startswith("- event: ")
            ]
            assert (str(first) in "\n".join(lines)) is (tool != "lacks"), (
                f"{tool} {first!r}:\n{self.text[:SAID]}"
            )
        elif tool == "js":
            await self.session.evaluate(first)
        else:
            await self._act(tool, first, given)

    async def _act(self, tool: str, first: Any, given: Mapping[str, Any]) -> None:
        for _ in range(SCROLLS if "until" in given else 1):
            if "until" in given and str(given["until"]) in self.text:
                return
            outcome = await self.session.act(Action(tool, self._arguments(tool, first, given)))
            self.shown.append(f"{outcome.message} {outcome.error}")
            said = f"{dict(given)} {outcome}\n{self.shown[-2][:SAID]}"
            assert given["refused"] in outcome.error if "refused" in given else outcome.ok, said
            await self.look()
        assert str(given.get("until", "")) in self.text, f"{given}\n{self.text[:SAID]}"

    def _arguments(self, tool: str, first: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        named = {
            key: value
            for key, value in list(given.items())[1:]
            if key not in ("in", "to", "refused", "until")
        }
        if "in" in given:
            named["ref"] = self.ref(given["in"])
        if "to" in given:
            named["to_ref"] = self.ref(given["to"])
        if tool in ("click", "type", "select", "hover", "drag", "upload"):
            return named | ({"ref": self.ref(first)} if first else {})
        if tool == "wait":
            return named | {"text" if isinstance(first, str) else "seconds": first}
        if tool == "goto":
            return {"url": self.site.url(first) if first.startswith("/") else first}
        words = {"press": "key", "scroll": "direction", "dialog": "accept", "find": "text", "tab": "op"}
        return named | ({words[tool]: first} if tool in words else {})


async def carry_out(chromium: Chromium, page: Page, folder: Path) -> None:
    """Does a page's script and holds its end to what the page asks for."""
    given = page.given
    uploads, output = folder / "uploads", folder / "output"
    for name, text in FILES.items():
        (uploads / name).parent.mkdir(parents=True, exist_ok=True)
        (uploads / name).write_text(text)
    site = Origins(page)
    try:
        options = {"upload_dir": str(uploads), "output_dir": str(output)}
        start = site.url(given.get("start", "/"))
        session = await BrowserSession.open(chromium, BrowserOptions(**options), start)
        try:
            model = Model(session, site)
            await model.look()
            for step in given["do"]:
                await model.step(step)
            await _check(model, given)
        finally:
            await session.close()
        saved = sorted(path.name for path in output.glob("*")) if output.exists() else []
        assert saved == given.get("saved", []), saved
    finally:
        site.close()


async def _check(model: Model, given: Mapping[str, Any]) -> None:
    if "check" in given:
        assert await model.session.evaluate(given["check"]) is True, model.text[:SAID]
    for text in given.get("shows", []):
        assert str(text) in model.text, f"{text!r} not in\n{model.text[:SAID]}"
    for text in given.get("never", []):
        assert all(str(text) not in shown for shown in model.shown), text
    for path, count in given.get("hits", {}).items():
        assert sum(hit == path for _, hit in model.site.hits) == count, model.site.hits
