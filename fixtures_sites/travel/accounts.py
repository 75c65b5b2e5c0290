"""Who is signed in."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.site import go
from fixtures_sites.visit import visit_of

Handler = Callable[[Request, Any], Awaitable[Response]]


def user_of(request: Request) -> Any:
    """The person who is signed in; None where nobody is."""
    visit = visit_of(request)
    number = visit.remembered("user")
    return visit.data.row("select * from users where id = ?", number) if number else None


def for_members(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A page for those who are signed in; others are asked to, and come back."""

    async def page(request: Request) -> Response:
        user = user_of(request)
        if user is None:
            back = request.url.path if request.method == "GET" else "/trips"
            visit_of(request).tell("Please sign in first.", "alert")
            return go(f"/sign-in?back={back}")
        return await handler(request, user)

    return page
