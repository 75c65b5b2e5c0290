"""Who is signed in, which project an address names, and who may do what there."""

import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.code.roles import DEVELOPER, GUEST, MAINTAINER, REPORTER
from fixtures_sites.seeded import NOW
from fixtures_sites.site import go
from fixtures_sites.state import Data
from fixtures_sites.visit import visit_of

AT = NOW.strftime("%Y-%m-%d %H:%M")
"""The time of everything that is done now."""
Handler = Callable[[Request, Any], Awaitable[Response]]
NEEDED = {REPORTER: "a reporter", DEVELOPER: "a developer", MAINTAINER: "a maintainer"}


def user_of(request: Request) -> sqlite3.Row | None:
    """The person who is signed in; None where nobody is."""
    visit = visit_of(request)
    number = visit.remembered("user")
    return visit.data.row("select * from users where id = ?", number) if number else None


def for_members(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A page for those who are signed in; others are asked to, and come back."""

    async def page(request: Request) -> Response:
        user = user_of(request)
        if user is None:
            back = request.url.path if request.method == "GET" else request.headers.get("referer", "/")
            visit_of(request).tell("You need to sign in before continuing.", "alert")
            path = back if back.startswith("/") else "/" + back.partition("//")[2].partition("/")[2]
            return go(f"/sign-in?back={path}")
        return await handler(request, user)

    return page


def visible(user: Any) -> str:
    """The SQL condition on projects `p` that someone may see."""
    number = int(user["id"]) if user else 0
    return (
        "(p.visibility = 'public'"
        f" or exists (select 1 from members m where m.project = p.id and m.user = {number}))"
    )


def role_in(data: Data, project: Any, user: Any) -> int:
    """The role of a person in a project: 0 for a stranger."""
    if user is None:
        return 0
    return int(
        data.value("select role from members where project = ? and user = ?", project["id"], user["id"]) or 0
    )


def project_or_404(request: Request) -> sqlite3.Row:
    """The project that the address names. Raises HTTPException 404, also for one that is private."""
    path = f"{request.path_params['namespace']}/{request.path_params['slug']}"
    data = visit_of(request).data
    found = data.row(f"select * from projects p where path = ? and {visible(user_of(request))}", path)
    if found is None:
        raise HTTPException(404, f"There is no project {path}, or you may not see it.")
    return found


def need_role(request: Request, project: Any, user: Any, role: int = GUEST) -> None:
    """Raises HTTPException 403 where the person has less than the role, or the project is archived."""
    if project["archived"] and "/-/settings" not in request.url.path:
        raise HTTPException(403, "This project is archived. It is read-only.")
    if role > GUEST and role_in(visit_of(request).data, project, user) < role:
        raise HTTPException(
            403, f"You have to be {NEEDED.get(role, 'the owner')} of {project['path']} to do this."
        )


def frame(request: Request, project: Any, section: str) -> Mapping[str, Any]:
    """What every page of a project shows around its own content."""
    data, user = visit_of(request).data, user_of(request)
    number = project["id"]
    return {
        "project": project,
        "section": section,
        "role": role_in(data, project, user),
        "open_issues": data.value("select count(*) from issues where project = ? and state = 'open'", number),
        "open_merges": data.value("select count(*) from merges where project = ? and state = 'open'", number),
    }


def people_of(data: Data, project: Any) -> list[sqlite3.Row]:
    """The members of a project by name."""
    return data.rows(
        "select u.*, m.role, m.since, m.expires from members m join users u on u.id = m.user where m.project = ?"
        " order by u.name",
        project["id"],
    )
