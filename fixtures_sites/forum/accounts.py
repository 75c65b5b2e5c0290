"""Who is signed in, and pages that are for members."""

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fixtures_sites.site import go
from fixtures_sites.visit import visit_of

ACCOUNTS = (
    ("mara_lind", "quiet-river-31", "mara.lind@example.com"),
    ("tobias_r", "green-lantern-8", "tobias.r@example.com"),
    ("june_okoro", "velvet-train-55", "june.okoro@example.com"),
    ("sam_whitlock", "copper-field-12", "sam.whitlock@example.com"),
)
"""User name, password and e-mail of those whom tasks log in as; the last one moderates."""
Handler = Callable[[Request, Any], Awaitable[Response]]


def user_of(request: Request) -> sqlite3.Row | None:
    """The person who is signed in; None where nobody is."""
    visit = visit_of(request)
    number = visit.remembered("user")
    return visit.data.row("select * from users where id = ?", number) if number else None


def in_part(request: Request) -> bool:
    """Whether a script asks, which changes a part of its page."""
    return request.headers.get("accept", "").startswith("application/json")


def for_members(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A page for those who are signed in; others are asked to, and come back."""

    async def page(request: Request) -> Response:
        user = user_of(request)
        if user is not None:
            return await handler(request, user)
        back = request.url.path if request.method == "GET" else "/"
        visit_of(request).tell("Please sign in first.", "alert")
        address = f"/sign-in?back={back}"
        return JSONResponse({"go": address}) if in_part(request) else go(address)

    return page
