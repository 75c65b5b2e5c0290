"""Small acts: voting, bookmarking, following, answering a poll, reporting."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fixtures_sites.forms import Form, form_of, own_path
from fixtures_sites.forum import talk
from fixtures_sites.forum.accounts import for_members, in_part
from fixtures_sites.forum.belongings import REASONS
from fixtures_sites.forum.browsing import thread_or_404
from fixtures_sites.forum.writing import STAMP, address_of_thread
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

TABLES = {"thread": "threads", "post": "posts", "board": "boards", "user": "users"}


def _named(request: Request, form: Form, *kinds: str) -> tuple[str, Any]:
    """The kind and the row that a form is about. Raises HTTPException 404."""
    kind = form.text("kind")
    row = (
        visit_of(request).data.row(f"select * from {TABLES[kind]} where id = ?", form.text("item"))
        if kind in kinds
        else None
    )
    if row is None:
        raise HTTPException(404, "There is no such thing.")
    return kind, row


@for_members
async def vote(request: Request, user: Any) -> Response:
    """Votes up or down; the same vote again takes it back."""
    form = await form_of(request)
    kind, row = _named(request, form, "thread", "post")
    data = visit_of(request).data
    before = (
        data.value(
            "select value from votes where user = ? and kind = ? and item = ?", user["id"], kind, row["id"]
        )
        or 0
    )
    wanted = 1 if form.text("value") == "1" else -1
    now = 0 if before == wanted else wanted
    up, down = (now == 1) - (before == 1), (now == -1) - (before == -1)
    data.change(f"update {TABLES[kind]} set up = up + ?, down = down + ? where id = ?", up, down, row["id"])
    data.change("delete from votes where user = ? and kind = ? and item = ?", user["id"], kind, row["id"])
    if now:
        data.change("insert into votes values (?, ?, ?, ?)", user["id"], kind, row["id"], now)
    score = row["up"] + up - row["down"] - down
    return (
        JSONResponse({"score": score, "mine": now})
        if in_part(request)
        else go(own_path(form.text("back", "/")))
    )


@for_members
async def bookmark(request: Request, user: Any) -> Response:
    """Puts a thread or reply among the bookmarks, or takes it out."""
    return await _toggle(
        request,
        user,
        "bookmarks",
        ("thread", "post"),
        ("Saved to your bookmarks.", "Removed from your bookmarks."),
    )


@for_members
async def follow(request: Request, user: Any) -> Response:
    """Follows a board or person, or no longer."""
    return await _toggle(
        request,
        user,
        "follows",
        ("board", "user"),
        ("You follow {name} now.", "You no longer follow {name}."),
    )


async def _toggle(
    request: Request, user: Any, table: str, kinds: tuple[str, ...], words: tuple[str, str]
) -> Response:
    form = await form_of(request)
    visit = visit_of(request)
    kind, row = _named(request, form, *kinds)
    known = visit.data.value(
        f"select 1 from {table} where user = ? and kind = ? and item = ?", user["id"], kind, row["id"]
    )
    if known:
        visit.data.change(
            f"delete from {table} where user = ? and kind = ? and item = ?", user["id"], kind, row["id"]
        )
    else:
        visit.data.change(f"insert into {table} values (?, ?, ?)", user["id"], kind, row["id"])
    name = row["name"] if "name" in row.keys() else ""  # noqa: SIM118 - a row's `in` looks at values
    visit.tell(words[1 if known else 0].format(name=name))
    return go(own_path(form.text("back", "/")))


@for_members
async def answer_poll(request: Request, user: Any) -> Response:
    """Takes an answer to a poll, one of each member."""
    form = await form_of(request)
    visit, thread = visit_of(request), thread_or_404(request)
    poll = talk.poll(visit.data, thread["id"], user)
    option = form.text("option")
    if poll is None or not poll["open"] or poll["chosen"]:
        visit.tell("This poll is closed for you.", "alert")
    elif option not in {str(row["id"]) for row in poll["options"]}:
        visit.tell("Choose an answer first.", "alert")
    else:
        visit.data.change("insert into ballots values (?, ?, ?)", user["id"], thread["id"], int(option))
        visit.data.change("update options set votes = votes + 1 where id = ?", int(option))
        visit.tell("Thank you for your vote.")
    return go(address_of_thread(thread, "#poll"))


@for_members
async def report(request: Request, user: Any) -> Response:
    """The form to report a thread or reply to the moderators."""
    visit = visit_of(request)
    kind, number = ("thread" if request.url.path.startswith("/t/") else "post"), request.path_params["id"]
    shown = talk.thread(visit.data, number) if kind == "thread" else talk.post(visit.data, number)
    if shown is None:
        raise HTTPException(404, "There is nothing to report.")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        reason = form.text("reason")
        form.check("reason", reason in REASONS, "Choose a reason.")
        form.check("note", reason != "Something else" or bool(form.text("note")), "Say what is wrong.")
        if form.ok:
            visit.data.change(
                "insert into reports (user, kind, item, reason, note, created) values (?, ?, ?, ?, ?, ?)",
                user["id"], kind, number, reason, form.text("note"), STAMP,
            )  # fmt: skip
            visit.tell("Thank you. The moderators will look at it.")
            return go(f"/t/{shown['id'] if kind == 'thread' else shown['thread']}/{shown['slug']}")
    return render(
        request,
        "report.html",
        422 if form else 200,
        shown=shown,
        form=form,
        reasons=[(r, r) for r in REASONS],
    )
