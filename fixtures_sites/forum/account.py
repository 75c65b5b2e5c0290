"""An account: signing in and up, settings, notifications, bookmarks."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import EMAIL, Form, form_of, own_path
from fixtures_sites.forum import talk
from fixtures_sites.forum.accounts import for_members
from fixtures_sites.paging import cut_of
from fixtures_sites.seeded import NOW
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

DIGESTS = (("never", "Never"), ("daily", "Every day"), ("weekly", "Every week"))
NAME = r"[a-z][a-z0-9_]{2,19}"
OLD_ENOUGH = f"{NOW.year - 16}-{NOW:%m-%d}"


async def sign_in(request: Request) -> Response:
    """The form to sign in, and what was sent with it."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    back = own_path(form.text("back", "/") if form else request.query_params.get("back", "/"))
    if form is not None:
        name = form.need("name", "Enter your user name.")
        password = form.need("password", "Enter your password.")
        user = visit.data.row(
            "select * from users where (name = ?1 or email = ?1) and password = ?2", name, password
        )
        form.check("password", user is not None, "User name and password do not match.")
        if user is not None:
            visit.remember("user", str(user["id"]))
            visit.tell(f"Welcome back, {user['name']}.")
            return go(back)
    return render(request, "sign_in.html", 422 if form else 200, form=form, back=back)


async def sign_out(request: Request) -> Response:
    """Signs out."""
    await form_of(request)
    visit_of(request).forget("user")
    return go("/")


async def sign_up(request: Request) -> Response:
    """The form of a new account, and what was sent with it."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        name = form.need_match("name", NAME, "A user name has 3 to 20 small letters, digits or underscores.")
        taken = visit.data.value("select 1 from users where name = ?", name)
        form.check("name", not taken, "This user name is taken.")
        email = form.need_match("email", EMAIL, "Enter an e-mail address.")
        form.check("password", len(form.text("password")) >= 8, "Use at least 8 characters.")
        form.check("again", form.text("again") == form.text("password"), "The two passwords differ.")
        born = form.need_match("born", r"\d{4}-\d\d-\d\d", "Enter your date of birth.")
        form.check("born", born <= OLD_ENOUGH, "Members must be 16 or older.")
        form.check("rules", "rules" in form, "Please accept the house rules.")
        if form.ok:
            number = visit.data.change(
                "insert into users (name, email, password, joined, born, mail_digest) values (?, ?, ?, ?, ?, ?)",
                name, email, form.text("password"), f"{NOW:%Y-%m-%d}", born, "weekly" if "digest" in form else "never",
            )  # fmt: skip
            visit.remember("user", str(number))
            visit.tell(f"Welcome, {name}. Your account is ready.")
            return go("/")
    return render(request, "sign_up.html", 422 if form else 200, form=form)


@for_members
async def settings(request: Request, user: Any) -> Response:
    """What others see of the user."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        avatar, about = form.text("avatar"), form.text("about")
        form.check("avatar", len(avatar) <= 3, "The avatar text may have 3 characters at most.")
        form.check("about", len(about) <= 160, "Write 160 characters at most.")
        email = form.need_match("email", EMAIL, "Enter an e-mail address.")
        if form.ok:
            visit.data.change(
                "update users set avatar = ?, about = ?, location = ?, email = ? where id = ?",
                avatar, about, form.text("location"), email, user["id"],
            )  # fmt: skip
            visit.tell("Your profile was saved.")
            return go("/settings")
    return render(request, "settings.html", 422 if form else 200, form=form)


@for_members
async def mail(request: Request, user: Any) -> Response:
    """Which e-mails the user gets."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        digest = form.text("digest")
        form.check("digest", digest in dict(DIGESTS), "Choose how often.")
        if form.ok:
            visit.data.change(
                "update users set mail_replies = ?, mail_messages = ?, mail_digest = ? where id = ?",
                int("replies" in form), int("messages" in form), digest, user["id"],
            )  # fmt: skip
            visit.tell("Your e-mail preferences were saved.")
            return go("/settings/mail")
    return render(request, "mail.html", 422 if form else 200, form=form, digests=DIGESTS)


@for_members
async def password(request: Request, user: Any) -> Response:
    """A new password."""
    form = await form_of(request) if request.method == "POST" else None
    if form is not None and _new_password(request, user, form):
        visit_of(request).tell("Your password was changed.")
        return go("/settings")
    return render(request, "password.html", 422 if form else 200, form=form)


def _new_password(request: Request, user: Any, form: Form) -> bool:
    form.check("old", form.text("old") == user["password"], "This is not your password.")
    form.check("new", len(form.text("new")) >= 8, "Use at least 8 characters.")
    form.check("again", form.text("again") == form.text("new"), "The two passwords differ.")
    if form.ok:
        visit_of(request).data.change(
            "update users set password = ? where id = ?", form.text("new"), user["id"]
        )
    return form.ok


@for_members
async def notifications(request: Request, user: Any) -> Response:
    """What others did that concerns the user; a form marks one or all as read."""
    visit = visit_of(request)
    if request.method == "POST":
        form = await form_of(request)
        one = form.text("one")
        sql = "update notifications set read = 1 where user = ?"
        visit.data.change(f"{sql} and id = ?" if one else sql, user["id"], *([one] if one else []))
        return go("/notifications")
    unread = request.query_params.get("show") == "unread"
    rows = visit.data.rows(
        "select n.*, u.name as actor_name, t.title, t.slug from notifications n join users u on u.id = n.actor"
        f" join threads t on t.id = n.thread where n.user = ? {'and n.read = 0' if unread else ''} order by n.created desc, n.id desc",
        user["id"],
    )
    return render(request, "notifications.html", rows=rows, unread=unread)


@for_members
async def bookmarks(request: Request, user: Any) -> Response:
    """Threads and replies that the user saved."""
    data = visit_of(request).data
    where = "in (select item from bookmarks where user = ? and kind = ?)"
    cut = cut_of(
        data.value("select count(*) from bookmarks where user = ? and kind = 'thread'", user["id"]),
        request,
        20,
    )
    threads = data.rows(
        f"{talk.CARD} where t.id {where} order by t.id desc limit 20 offset ?",
        user["id"],
        "thread",
        cut.offset,
    )
    replies = data.rows(f"{talk.REPLY} where p.id {where} order by p.id desc", user["id"], "post")
    return render(request, "bookmarks.html", threads=threads, replies=replies, cut=cut)


@for_members
async def followed(request: Request, user: Any) -> Response:
    """The boards and people that the user follows."""
    data = visit_of(request).data
    where = "id in (select item from follows where user = ? and kind = ?) order by name"
    return render(
        request, "followed.html",
        boards=data.rows(f"select * from boards where {where}", user["id"], "board"),
        people=data.rows(f"select * from users where {where}", user["id"], "user"),
    )  # fmt: skip
