"""Pages that write: threads, drafts, replies, their editing and deleting."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import Form, form_of
from fixtures_sites.forum import talk
from fixtures_sites.forum.accounts import for_members
from fixtures_sites.forum.browsing import keeps, thread_or_404, thread_page
from fixtures_sites.seeded import NOW
from fixtures_sites.site import go, render
from fixtures_sites.slugs import slugify
from fixtures_sites.visit import visit_of

STAMP = NOW.strftime("%Y-%m-%d %H:%M")
SHORTEST, LONGEST = 8, 120
OPTIONS = ("option1", "option2", "option3", "option4")


def address_of_thread(row: Any, fragment: str = "") -> str:
    """The address of a thread's page."""
    return f"/t/{row['id']}/{row['slug']}{fragment}"


@for_members
async def new_thread(request: Request, user: Any) -> Response:
    """The form of a new thread: it is looked at, kept as a draft, or published."""
    visit = visit_of(request)
    draft = visit.data.row(
        "select * from drafts where id = ? and user = ?", request.path_params.get("draft", 0), user["id"]
    )
    if draft is None and "draft" in request.path_params:
        raise HTTPException(404, "You have no such draft.")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        if "save" in form:
            return _keep(request, user, form, draft)
        _check(request, form)
        if form.ok and "preview" not in form:
            return _publish(request, user, form, draft)
    chosen = visit.data.row("select * from boards where slug = ?", request.query_params.get("board", ""))
    return render(
        request,
        "new_thread.html",
        422 if form and not form.ok else 200,
        form=form,
        draft=draft,
        board=form.text("board") if form else draft["board"] if draft else chosen["id"] if chosen else "",
        chosen=form.texts("tag") if form else draft["tags"].split(",") if draft else [],
        preview=form is not None and form.ok,
        all_tags=_tags(request),
    )


def _tags(request: Request) -> list[str]:
    return [row[0] for row in visit_of(request).data.rows("select distinct name from tags order by name")]


def _check(request: Request, form: Form) -> None:
    """Notes what is wrong with a new thread."""
    data = visit_of(request).data
    board, title = form.text("board"), form.text("title")
    form.check("board", data.value("select 1 from boards where id = ?", board) is not None, "Choose a board.")
    form.check("title", len(title) >= SHORTEST, f"The title needs at least {SHORTEST} characters.")
    form.check("title", len(title) <= LONGEST, f"The title may have {LONGEST} characters at most.")
    form.check("text", len(form.text("text")) >= 10, "Write at least 10 characters.")
    known = {row[0] for row in data.rows("select name from tags where board = ?", board)}
    wrong = [tag for tag in form.texts("tag") if tag not in known]
    form.check("tag", not wrong, f"This board has no tag “{wrong[0] if wrong else ''}”.")
    form.check("tag", len(form.texts("tag")) <= 3, "Choose three tags at most.")
    if form.text("question"):
        given = [name for name in OPTIONS if form.text(name)]
        form.check("option2", len(given) > 1, "A poll needs at least two answers.")
        form.need_match("closes", r"\d{4}-\d\d-\d\d", "Choose the day on which the poll closes.")
        form.check("closes", form.text("closes") > STAMP[:10], "The poll must close after today.")


def _keep(request: Request, user: Any, form: Form, draft: Any) -> Response:
    visit = visit_of(request)
    values = (
        form.text("board") or None,
        form.text("title"),
        form.text("text"),
        ",".join(form.texts("tag")),
        STAMP,
    )
    if draft:
        sql = "update drafts set board = ?, title = ?, text = ?, tags = ?, saved = ? where id = ?"
        visit.data.change(sql, *values, draft["id"])
    else:
        sql = "insert into drafts (board, title, text, tags, saved, user) values (?, ?, ?, ?, ?, ?)"
        visit.data.change(sql, *values, user["id"])
    visit.tell("Your draft was saved.")
    return go("/drafts")


def _publish(request: Request, user: Any, form: Form, draft: Any) -> Response:
    visit = visit_of(request)
    title = form.text("title")
    number = visit.data.change(
        "insert into threads (slug, board, author, title, text, created, last) values (?, ?, ?, ?, ?, ?, ?)",
        slugify(title)[:60], int(form.text("board")), user["id"], title, form.text("text"), STAMP, STAMP,
    )  # fmt: skip
    for tag in form.texts("tag"):
        visit.data.change("insert or ignore into thread_tags values (?, ?)", number, tag)
    if form.text("question"):
        visit.data.change(
            "insert into polls values (?, ?, ?)", number, form.text("question"), form.text("closes")
        )
        for name in OPTIONS:
            if text := form.text(name):
                visit.data.change("insert into options (thread, text) values (?, ?)", number, text)
    visit.data.change("insert into votes values (?, 'thread', ?, 1)", user["id"], number)
    if draft:
        visit.data.change("delete from drafts where id = ?", draft["id"])
    visit.tell("Your thread was published.")
    return go(f"/t/{number}/{slugify(title)[:60]}")


@for_members
async def drafts(request: Request, user: Any) -> Response:
    """What the user has not published yet."""
    rows = visit_of(request).data.rows(
        "select d.*, b.name as board_name from drafts d left join boards b on b.id = d.board where d.user = ? order by d.id desc",
        user["id"],
    )
    return render(request, "drafts.html", drafts=rows)


@for_members
async def drop_draft(request: Request, user: Any) -> Response:
    """Deletes a draft."""
    await form_of(request)
    visit = visit_of(request)
    visit.data.change(
        "delete from drafts where id = ? and user = ?", request.path_params["draft"], user["id"]
    )
    visit.tell("The draft was deleted.")
    return go("/drafts")


@for_members
async def reply(request: Request, user: Any) -> Response:
    """Takes a reply to a thread, or to a reply in it."""
    visit, thread = visit_of(request), thread_or_404(request)
    form = await form_of(request)
    if thread["locked"] or thread["gone"]:
        visit.tell("This thread is locked. Nobody can reply any more.", "alert")
        return go(address_of_thread(thread))
    text = form.text("text")
    form.check("text", len(text) >= 2, "Write a reply first.")
    parent = visit.data.row(
        "select * from posts where id = ? and thread = ?", form.text("parent"), thread["id"]
    )
    if not form.ok:
        return _answer_page(request, parent, form) if parent else thread_page(request, thread, form)
    number = 1 + visit.data.value("select coalesce(max(number), 0) from posts where thread = ?", thread["id"])
    made = visit.data.change(
        "insert into posts (thread, number, parent, author, text, created) values (?, ?, ?, ?, ?, ?)",
        thread["id"], number, parent["id"] if parent else None, user["id"], text, STAMP,
    )  # fmt: skip
    visit.data.change("update threads set replies = replies + 1, last = ? where id = ?", STAMP, thread["id"])
    visit.data.change("insert into votes values (?, 'post', ?, 1)", user["id"], made)
    visit.tell("Your reply was posted.")
    return go(address_of_thread(thread, f"?sort=new#r{made}"))


def post_or_404(request: Request) -> Any:
    """The reply that the address names. Raises HTTPException 404."""
    found = talk.post(visit_of(request).data, request.path_params["id"])
    if found is None:
        raise HTTPException(404, "There is no such reply.")
    return found


@for_members
async def answer(request: Request, _user: Any) -> Response:
    """The form to answer a reply, perhaps with its words quoted."""
    return _answer_page(request, post_or_404(request), None)


def _answer_page(request: Request, post: Any, form: Form | None) -> Response:
    shown = talk.post(visit_of(request).data, post["id"])
    quoted = (
        "".join(f"> {line}\n" for line in shown["text"].splitlines()) + "\n"
        if "quote" in request.query_params
        else ""
    )
    return render(request, "answer.html", 422 if form else 200, post=shown, quoted=quoted, form=form)


def _item(request: Request) -> tuple[str, Any]:
    """Which thread or reply an address means, as the table's name and the row."""
    if request.url.path.startswith("/t/"):
        return "threads", thread_or_404(request)
    return "posts", post_or_404(request)


def _back_to(table: str, row: Any) -> str:
    return address_of_thread(row) if table == "threads" else f"/t/{row['thread']}/{row['slug']}#r{row['id']}"


@for_members
async def edit(request: Request, user: Any) -> Response:
    """The form to change what one wrote."""
    table, row = _item(request)
    visit = visit_of(request)
    if row["author"] != user["id"] or row["gone"]:
        visit.tell("You can only edit what you wrote yourself.", "alert")
        return go(_back_to(table, row))
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        form.check("text", len(form.text("text")) >= 2, "Write something, or delete it.")
        if form.ok:
            visit.data.change(
                f"update {table} set text = ?, edited = ? where id = ?", form.text("text"), STAMP, row["id"]
            )
            visit.tell("Your changes were saved.")
            return go(_back_to(table, row))
    return render(request, "edit.html", 422 if form else 200, row=row, form=form, back=_back_to(table, row))


@for_members
async def delete(request: Request, user: Any) -> Response:
    """Deletes what one wrote; a moderator removes what others wrote. Threads are asked about first."""
    table, row = _item(request)
    visit = visit_of(request)
    own = row["author"] == user["id"]
    board = (
        row["board"]
        if table == "threads"
        else visit.data.value("select board from threads where id = ?", row["thread"])
    )
    if not own and not keeps(request, user, board):
        visit.tell("You can only delete what you wrote yourself.", "alert")
        return go(_back_to(table, row))
    if request.method == "GET":
        return render(request, "delete.html", row=row, back=_back_to(table, row))
    await form_of(request)
    visit.data.change(f"update {table} set gone = ? where id = ?", "deleted" if own else "removed", row["id"])
    visit.tell("It was deleted." if own else "It was removed.")
    return go("/" if table == "threads" else _back_to(table, row))
