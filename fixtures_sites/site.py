"""A site of the arena: its data, its pages, its answers to tasks, put together as one application."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, pass_context, select_autoescape
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from fixtures_sites.forms import form_of, own_path
from fixtures_sites.state import Data, States
from fixtures_sites.visit import visit_of

SHARED = Path(__file__).parent
Question = Callable[[Data, Mapping[str, str]], Any]
"""Answers a request for a part of the state (its query parameters) with JSON."""


@dataclass(frozen=True)
class Site:
    """What makes a site. `wording` gives controls other names in the variant redesign; `planted` is
    what the variant hostile puts into users' content, by the place it goes to; `shared` gives values
    that every page needs; `filters` are Jinja filters of its own."""

    name: str
    folder: Path
    build: Callable[[sqlite3.Connection], None]
    routes: Sequence[BaseRoute]
    questions: Mapping[str, Question]
    wording: Mapping[str, str] = field(default_factory=dict)
    planted: Mapping[str, str] = field(default_factory=dict)
    shared: Callable[[Request], Mapping[str, Any]] = lambda _request: {}
    filters: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @cached_property
    def data(self) -> Data:
        """The seeded data, to choose tasks from."""
        return States(self.build).of("")

    def create(self, variant: str = "") -> Starlette:
        """The application, with data of its own."""
        app = Starlette(
            routes=[
                # first: a site's own addresses may begin with any word
                Route("/__reset", _reset, methods=["POST"]),
                Route("/__state", self._list),
                Route("/__state/{name}", self._answer),
                Route("/__notice", _notice, methods=["POST"]),
                Mount("/static/shared", StaticFiles(directory=SHARED / "static")),
                Mount("/static", StaticFiles(directory=self.folder / "static")),
                *self.routes,
            ],
            exception_handlers={HTTPException: failure},
        )
        app.state.states = States(self.build)
        app.state.templates = self._templates(variant)
        app.state.site = self
        return app

    async def _list(self, _request: Request) -> Response:
        return JSONResponse(list(self.questions))

    async def _answer(self, request: Request) -> Response:
        question = self.questions.get(request.path_params["name"])
        if question is None:
            return JSONResponse({"error": f"the state knows {', '.join(self.questions)}"}, status_code=404)
        return JSONResponse(question(visit_of(request).data, request.query_params))

    def _templates(self, variant: str) -> Environment:
        """The templates; those of a variant stand in a folder of its name, and hide the others."""
        own = self.folder / "templates"
        environment = Environment(
            loader=FileSystemLoader([*([own / variant] if variant else []), own, SHARED / "templates"]),
            autoescape=select_autoescape(),
            trim_blocks=True,
            lstrip_blocks=True,
        )
        wording = self.wording if variant == "redesign" else {}
        planted = self.planted if variant == "hostile" else {}
        environment.filters.update(self.filters)
        environment.globals.update(
            variant=variant,
            redesigned=variant == "redesign",
            label=lambda text: wording.get(text, text),
            planted=lambda place: planted.get(place, ""),
            token=_token,
            site_url=_site_url,
        )
        return environment


def render(request: Request, template: str, status: int = 200, **shown: Any) -> Response:
    """A page of the site that the request belongs to."""
    site: Site = request.app.state.site
    visit = visit_of(request)
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    page = request.app.state.templates.get_template(template).render(
        request=request,
        here=here if request.method == "GET" else "/",
        told=visit.told(),
        undecided=not visit.remembered("cookies"),
        **{**site.shared(request), **shown},
    )
    return HTMLResponse(page, status_code=status)


def go(path: str) -> Response:
    """What answers a form that was carried out: the browser goes to another page."""
    return RedirectResponse(path, status_code=303)


async def failure(request: Request, error: Exception) -> Response:
    """The page for an address that shows nothing, or a form that can't be taken."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    detail = error.detail if isinstance(error, HTTPException) else ""
    return render(request, "failure.html", status, status_code=status, detail=detail)


def address_of(request: Request, site: str, path: str = "/") -> str:
    """A page of another site of the arena, on the same port."""
    port = f":{request.url.port}" if request.url.port else ""
    return f"http://{site}.localhost{port}{path}"


async def _reset(request: Request) -> Response:
    visit_of(request).reset()
    return Response(status_code=204)


async def _notice(request: Request) -> Response:
    """Remembers how a notice (cookies, newsletter) was answered, and goes back."""
    form = await form_of(request)
    visit_of(request).remember(form.text("notice")[:40] or "cookies", form.text("choice")[:40] or "none")
    return go(own_path(form.text("back", "/")))


@pass_context
def _token(context: Context) -> Markup:
    """The hidden field that every form needs."""
    value = visit_of(context["request"]).token
    return Markup('<input type="hidden" name="token" value="{}">').format(value)


@pass_context
def _site_url(context: Context, site: str, path: str = "/") -> str:
    return address_of(context["request"], site, path)
