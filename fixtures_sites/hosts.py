"""The one web application that hands each request to the site its Host header names."""

from collections.abc import Callable
from functools import cached_property
from html import escape
from importlib import import_module
from typing import cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Host, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from fixtures_sites import FACTORIES, SITES, VARIANTS
from fixtures_sites.variants import dressed
from fixtures_sites.visit import Keyed
from webagent import __version__


def create_app(variant: str = "") -> Starlette:
    """Every site at `NAME.localhost`, `/__health` at any host, and a 404 page for other hosts. Raises
    ValueError for a variant that there is not."""
    if variant and variant not in VARIANTS:
        raise ValueError(f"no variant {variant!r} of the fixture sites; there are {', '.join(VARIANTS)}")
    sites = [Host(f"{name}.localhost", app=_Site(path, variant)) for name, path in FACTORIES.items()]
    return Starlette(routes=[Route("/__health", _health), *sites, Mount("/", app=_unknown_host)])


class _Site:
    """A site, made at its first request: who uses one does not wait for the data of six."""

    def __init__(self, factory: str, variant: str) -> None:
        self._factory = factory
        self._variant = variant

    @cached_property
    def _app(self) -> ASGIApp:
        module, _, factory = self._factory.partition(":")
        create = cast(Callable[[str], Starlette], getattr(import_module(module), factory))
        return Keyed(dressed(create(self._variant), self._variant))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _health(_request: Request) -> Response:
    return JSONResponse({"webagent_sites": list(SITES), "version": __version__})


async def _unknown_host(scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope)
    port = f":{request.url.port}" if request.url.port else ""
    links = "".join(f'<li><a href="http://{name}.localhost{port}/">{name}</a></li>' for name in SITES)
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>No such site</title></head>'
        f"<body><main><h1>No such site</h1><p>Nothing is served at {escape(request.url.netloc)}. "
        f"The sites here are:</p><ul>{links}</ul></main></body></html>"
    )
    await HTMLResponse(page, status_code=404)(scope, receive, send)
