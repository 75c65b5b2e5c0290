"""Who may see a booking, and whether it can still be changed."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.seeded import TODAY
from fixtures_sites.travel import bookings
from fixtures_sites.travel.accounts import Handler, user_of
from fixtures_sites.visit import visit_of


def for_holders(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A page of a booking, for its owner and for who has found it by reference and name."""

    async def page(request: Request) -> Response:
        visit, user = visit_of(request), user_of(request)
        found = bookings.by_ref(visit.data, request.path_params["ref"])
        own = found is not None and (user is not None and found["user"] == user["id"])
        fresh = found is not None and str(found["id"]) == visit.remembered("booked")
        if found is None or not (own or fresh or visit.remembered("found") == found["ref"]):
            raise HTTPException(404, f"You have no booking {request.path_params['ref']}.")
        return await handler(request, found)

    return page


def is_open(request: Request, booking: Any) -> bool:
    """Whether a booking stands, and begins after today."""
    return booking["status"] == "Confirmed" and bookings.first_day(visit_of(request).data, booking) > TODAY
