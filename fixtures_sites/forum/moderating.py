"""What moderators do: go through reports, lock and pin threads."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import form_of
from fixtures_sites.forum.accounts import for_members
from fixtures_sites.forum.browsing import keeps, thread_or_404
from fixtures_sites.forum.writing import address_of_thread
from fixtures_sites.site import go, render
from fixtures_sites.state import Data
from fixtures_sites.visit import visit_of

QUEUE = (
    "select r.*, u.name as reporter, p.text, a.name as author_name, t.id as thread, t.slug, t.title, b.name as board_name"
    " from reports r join users u on u.id = r.user join posts p on p.id = r.item join users a on a.id = p.author"
    " join threads t on t.id = p.thread join boards b on b.id = t.board"
    " where r.kind = 'post' and t.board in (select board from moderators where user = ?)"
)


def boards_of(data: Data, user: Any) -> list[Any]:
    """The boards that the user moderates."""
    return data.rows(
        "select * from boards where id in (select board from moderators where user = ?) order by id",
        user["id"],
    )


@for_members
async def queue(request: Request, user: Any) -> Response:
    """The reports on the user's boards, by state and board."""
    data, asked = visit_of(request).data, request.query_params
    own = boards_of(data, user)
    if not own:
        raise HTTPException(403, "You do not moderate any board.")
    sql, values = f"{QUEUE} and r.state = ?", [user["id"], asked.get("state", "open")]
    if asked.get("board"):
        sql += " and b.slug = ?"
        values.append(asked["board"])
    rows = data.rows(f"{sql} order by r.created desc, r.id", *values)
    return render(request, "reports.html", reports=rows, own=own, asked=asked)


@for_members
async def decide(request: Request, user: Any) -> Response:
    """Dismisses a report, or removes what it is about."""
    form = await form_of(request)
    visit = visit_of(request)
    found = visit.data.row(f"{QUEUE} and r.id = ?", user["id"], request.path_params["id"])
    if found is None:
        raise HTTPException(404, "There is no such report on your boards.")
    if "remove" in form:
        visit.data.change("update posts set gone = 'removed' where id = ?", found["item"])
    visit.data.change(
        "update reports set state = ? where id = ?",
        "removed" if "remove" in form else "dismissed",
        found["id"],
    )
    visit.tell("The reply was removed." if "remove" in form else "The report was dismissed.")
    return go("/reports")


@for_members
async def switch(request: Request, user: Any) -> Response:
    """Locks or unlocks, pins or unpins a thread."""
    form = await form_of(request)
    visit, thread = visit_of(request), thread_or_404(request)
    if not keeps(request, user, thread["board"]):
        raise HTTPException(403, "You do not moderate this board.")
    what = "locked" if "locked" in form else "pinned"
    visit.data.change(f"update threads set {what} = ? where id = ?", 1 - thread[what], thread["id"])
    visit.tell(f"The thread is {'no longer ' if thread[what] else ''}{what}.")
    return go(address_of_thread(thread))
