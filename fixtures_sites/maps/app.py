"""The map site as a web application: which address is answered by which page."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from fixtures_sites.maps import consent, pages
from fixtures_sites.maps.places import places

HERE = Path(__file__).parent


def create_app(variant: str = "") -> Starlette:
    """The site; its places are loaded now so that the first page is as quick as the others."""
    places()
    app = Starlette(
        routes=[
            Route("/", pages.home),
            Route("/search", pages.results),
            Route("/suggest", pages.suggest),
            Route("/place/{slug}", pages.place_page),
            Route("/nearby", pages.nearby_page),
            Route("/directions", pages.directions),
            Route("/about", pages.about),
            Route("/cookies", consent.choose, methods=["POST"]),
            Route("/__reset", _reset, methods=["POST"]),
            Mount("/static/shared", StaticFiles(directory=HERE.parent / "static")),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ],
        exception_handlers={HTTPException: pages.failure},
    )
    app.state.templates = pages.templates(variant)
    return app


async def _reset(_request: Request) -> Response:
    """The site keeps nothing but a cookie in the browser, so there is nothing to undo."""
    return Response(status_code=204)
