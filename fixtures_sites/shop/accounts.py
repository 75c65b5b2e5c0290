"""Who is signed in."""

import sqlite3

from starlette.requests import Request

from fixtures_sites.visit import visit_of


def user_of(request: Request) -> sqlite3.Row | None:
    """The person who is signed in; None where nobody is."""
    visit = visit_of(request)
    number = visit.remembered("user")
    return visit.data.row("select * from users where id = ?", number) if number else None
