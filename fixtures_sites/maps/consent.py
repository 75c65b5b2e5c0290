"""The cookie notice: whether it is shown, and what its two buttons do."""

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

COOKIE = "cookie_choice"
CHOICES = ("all", "none")
HALF_A_YEAR = 182 * 24 * 3600


def is_undecided(request: Request) -> bool:
    """Whether this browser has not answered the notice yet."""
    return request.cookies.get(COOKIE) not in CHOICES


async def choose(request: Request) -> Response:
    """Remember the choice and go back to the page where it was made."""
    form = parse_qs((await request.body())[:4096].decode("utf-8", "replace"))
    choice = form.get("choice", [""])[0]
    if choice not in CHOICES:
        return Response("choice must be all or none", status_code=400)
    response = RedirectResponse(_own_path(form.get("back", ["/"])[0]), status_code=303)
    response.set_cookie(COOKIE, choice, max_age=HALF_A_YEAR, httponly=True, samesite="lax")
    return response


def _own_path(back: str) -> str:
    """The path when it stays on this site, else the start page."""
    return back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/"
