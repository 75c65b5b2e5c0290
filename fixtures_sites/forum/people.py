"""Members: profiles, and the letters between them."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import form_of
from fixtures_sites.forum import talk
from fixtures_sites.forum.accounts import for_members, user_of
from fixtures_sites.forum.talk import Wanted
from fixtures_sites.forum.writing import STAMP
from fixtures_sites.paging import cut_of
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

PER_PAGE = 10
LETTER = (
    "select m.*, s.name as sender_name, r.name as recipient_name from messages m"
    " join users s on s.id = m.sender join users r on r.id = m.recipient"
)


async def profile(request: Request) -> Response:
    """A member: who it is, threads, replies."""
    data, name = visit_of(request).data, request.path_params["name"]
    shown = data.row("select * from users where name = ?", name)
    if shown is None:
        raise HTTPException(404, f"There is no member called “{name}”.")
    tab = "replies" if request.query_params.get("tab") == "replies" else "threads"
    wanted = Wanted("new").narrowed("t.author = ?", shown["id"])
    counts = {
        "threads": talk.count(data, wanted),
        "replies": data.value("select count(*) from posts where author = ? and gone = ''", shown["id"]),
        "followers": data.value("select count(*) from follows where kind = 'user' and item = ?", shown["id"]),
        "points": data.value(
            "select coalesce((select sum(up - down) from threads where author = ?1), 0)"
            " + coalesce((select sum(up - down) from posts where author = ?1), 0)", shown["id"]),
    }  # fmt: skip
    cut = cut_of(counts[tab], request, PER_PAGE)
    if tab == "threads":
        rows = talk.listed(data, wanted, PER_PAGE, cut.offset)
    else:
        sql = f"{talk.REPLY} where p.author = ? and p.gone = '' order by p.created desc, p.id desc limit ? offset ?"
        rows = data.rows(sql, shown["id"], PER_PAGE, cut.offset)
    user = user_of(request)
    return render(
        request, "profile.html", shown=shown, tab=tab, counts=counts, cut=cut, rows=rows,
        marks=talk.marks(data, user, "thread"), followed=talk.follows(data, user, "user", shown["id"]),
        keeps=data.rows("select name, slug from boards where id in (select board from moderators where user = ?)", shown["id"]),
    )  # fmt: skip


@for_members
async def messages(request: Request, user: Any) -> Response:
    """The letters that the user got, or sent."""
    data = visit_of(request).data
    box = "sent" if request.url.path.endswith("/sent") else "inbox"
    where = "m.sender = ?" if box == "sent" else "m.recipient = ? and m.hidden = 0"
    cut = cut_of(data.value(f"select count(*) from messages m where {where}", user["id"]), request, 8)
    rows = data.rows(
        f"{LETTER} where {where} order by m.sent desc, m.id desc limit 8 offset ?", user["id"], cut.offset
    )
    return render(request, "messages.html", letters=rows, cut=cut, box=box)


def _letter(request: Request, user: Any) -> Any:
    number = request.path_params["id"]
    found = visit_of(request).data.row(
        f"{LETTER} where m.id = ?1 and (m.sender = ?2 or m.recipient = ?2 and m.hidden = 0)",
        number,
        user["id"],
    )
    if found is None:
        raise HTTPException(404, "You have no such message.")
    return found


@for_members
async def message(request: Request, user: Any) -> Response:
    """One letter; it counts as read then."""
    shown = _letter(request, user)
    if shown["recipient"] == user["id"] and not shown["read"]:
        visit_of(request).data.change("update messages set read = 1 where id = ?", shown["id"])
    return render(request, "message.html", letter=shown)


@for_members
async def drop_message(request: Request, user: Any) -> Response:
    """Takes a letter out of the inbox."""
    await form_of(request)
    shown, visit = _letter(request, user), visit_of(request)
    visit.data.change(
        "update messages set hidden = 1 where id = ? and recipient = ?", shown["id"], user["id"]
    )
    visit.tell("The message was deleted.")
    return go("/messages")


@for_members
async def write_message(request: Request, user: Any) -> Response:
    """The form of a letter, and what was sent with it."""
    visit, asked = visit_of(request), request.query_params
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        name = form.need("to", "Say who is to get it.").lstrip("@")
        recipient = visit.data.row("select * from users where name = ?", name)
        form.check("to", recipient is not None, f"There is no member called “{name}”.")
        form.check("to", recipient is None or recipient["id"] != user["id"], "You can't write to yourself.")
        subject = form.need("subject", "Give your message a subject.")
        text = form.need("text", "Write a message.")
        if form.ok and recipient is not None:
            visit.data.change(
                "insert into messages (sender, recipient, subject, text, sent) values (?, ?, ?, ?, ?)",
                user["id"], recipient["id"], subject, text, STAMP,
            )  # fmt: skip
            visit.tell(f"Your message to {recipient['name']} was sent.")
            return go("/messages/sent")
    return render(
        request,
        "write_message.html",
        422 if form else 200,
        form=form,
        to=asked.get("to", ""),
        subject=asked.get("subject", ""),
    )
