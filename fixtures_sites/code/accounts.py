"""Signing in, one's own profile, tokens and to-dos."""

from datetime import date
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.code.access import for_members
from fixtures_sites.code.sources import sha
from fixtures_sites.forms import EMAIL, Form, form_of, own_path
from fixtures_sites.paging import cut_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

SCOPES = ("api", "read_api", "read_user", "read_repository", "write_repository")
PROFILE = ("name", "pronouns", "bio", "location", "company", "website")


async def sign_in(request: Request) -> Response:
    """The form to sign in, and what was sent with it."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is None:
        back = own_path(request.query_params.get("back", "/dashboard"))
        return render(request, "sign_in.html", form=None, back=back)
    login = form.need("login", "Enter your user name or e-mail address.").lower()
    password = form.need("password", "Enter your password.")
    user = visit.data.row(
        "select * from users where (username = ?1 or email = ?1) and password = ?2", login, password
    )
    form.check("password", user is not None, "Invalid login or password.")
    back = own_path(form.text("back", "/dashboard"))
    if user is None or not form.ok:
        return render(request, "sign_in.html", 422, form=form, back=back)
    visit.remember("user", str(user["id"]))
    return go(back)


async def sign_out(request: Request) -> Response:
    """Signs out."""
    await form_of(request)
    visit_of(request).forget("user")
    return go("/")


@for_members
async def profile(request: Request, user: Any) -> Response:
    """The form of one's profile, and what was sent with it."""
    form = await form_of(request) if request.method == "POST" else None
    visit = visit_of(request)
    if form is not None:
        form.need("name", "Enter your name.")
        form.need_match("email", EMAIL, "Enter an e-mail address.")
        form.check("bio", len(form.text("bio")) <= 250, "The bio may have up to 250 characters.")
        if form.ok:
            for name in (*PROFILE, "email"):
                visit.data.change(f"update users set {name} = ? where id = ?", form.text(name), user["id"])
            visit.tell("Profile was successfully updated.")
            return go("/-/profile")
    return render(request, "profile_edit.html", 422 if form else 200, form=form, person=user)


@for_members
async def status(request: Request, user: Any) -> Response:
    """Sets or clears the words beside one's name."""
    form = await form_of(request)
    visit = visit_of(request)
    text = "" if "clear" in form else form.text("status")[:100]
    visit.data.change("update users set status = ? where id = ?", text, user["id"])
    visit.tell("Status updated." if text else "Status cleared.")
    return go(f"/{user['username']}")


@for_members
async def tokens(request: Request, user: Any) -> Response:
    """Access tokens: those in use, the form of a new one, and a new one once."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None and _token_made(request, form, user):
        return go("/-/tokens")
    fresh = visit.remembered("fresh-token")
    visit.forget("fresh-token")
    active = visit.data.rows("select * from tokens where user = ? and revoked = 0 order by id", user["id"])
    return render(
        request, "tokens.html", 422 if form else 200, form=form, tokens=active, scopes=SCOPES, fresh=fresh
    )


def _token_made(request: Request, form: Form, user: Any) -> bool:
    visit = visit_of(request)
    name = form.need("name", "Enter a token name.")
    expires = form.need_match("expires", r"\d{4}-\d\d-\d\d", "Choose an expiration date.")
    if form.ok:
        form.check("expires", TODAY.isoformat() < expires, "The expiration date must be in the future.")
        form.check("expires", _is_day(expires), "This is not a date.")
    scopes = [scope for scope in SCOPES if scope in form.texts("scope")]
    form.check("scope", bool(scopes), "Select at least one scope.")
    if not form.ok:
        return False
    made = visit.data.change(
        "insert into tokens (user, name, scopes, expires, created) values (?, ?, ?, ?, ?)",
        user["id"], name, ", ".join(scopes), expires, TODAY.isoformat(),
    )  # fmt: skip
    visit.remember("fresh-token", f"fdry-{sha('token', made, name)[:20]}")
    return True


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


@for_members
async def revoke(request: Request, user: Any) -> Response:
    """Ends a token."""
    await form_of(request)
    visit = visit_of(request)
    token = visit.data.row(
        "select * from tokens where id = ? and user = ?", request.path_params["id"], user["id"]
    )
    if token is None:
        raise HTTPException(404, "You have no such token.")
    visit.data.change("update tokens set revoked = 1 where id = ?", token["id"])
    visit.tell(f"Revoked access token {token['name']}.")
    return go("/-/tokens")


@for_members
async def todos(request: Request, user: Any) -> Response:
    """What waits for the person, or what is done."""
    data = visit_of(request).data
    done = int(request.query_params.get("state") == "done")
    total = data.value("select count(*) from todos where user = ? and done = ?", user["id"], done)
    cut = cut_of(total, request, 20)
    rows = data.rows(
        "select t.*, p.path, u.name as by_name, coalesce(i.iid, m.iid) as iid, coalesce(i.title, m.title) as title"
        " from todos t join projects p on p.id = t.project join users u on u.id = t.by"
        " left join issues i on t.kind = 'issue' and i.id = t.target"
        " left join merges m on t.kind = 'merge' and m.id = t.target"
        " where t.user = ? and t.done = ? order by t.at desc, t.id desc limit ? offset ?",
        user["id"], done, cut.per_page, cut.offset,
    )  # fmt: skip
    return render(request, "todos.html", todos=rows, cut=cut, done=done)


@for_members
async def change_todo(request: Request, user: Any) -> Response:
    """Marks a to-do, or all of them, as done, or adds it again."""
    form = await form_of(request)
    visit = visit_of(request)
    if "all" in form:
        visit.data.change("update todos set done = 1 where user = ?", user["id"])
        visit.tell("Everything on your to-do list is marked as done.")
        return go("/-/todos")
    done = int("done" in form)
    visit.data.change(
        "update todos set done = ? where id = ? and user = ?", done, form.text("todo"), user["id"]
    )
    return go("/-/todos" if done else "/-/todos?state=done")
