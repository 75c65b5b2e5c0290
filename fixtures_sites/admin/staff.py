"""Who of the staff is signed in, and what their role lets them change."""

import sqlite3
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.admin.seeded import ROLES
from fixtures_sites.forms import form_of, own_path
from fixtures_sites.seeded import NOW
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

Page = Callable[[Request], Awaitable[Response]]


def staff_of(request: Request) -> sqlite3.Row | None:
    """The member of staff who is signed in; None where nobody is."""
    visit = visit_of(request)
    number = visit.remembered("staff")
    return visit.data.row("select * from staff where id = ?", number) if number else None


def may_change(person: sqlite3.Row, area: str) -> bool:
    """Whether the role lets someone change this part; all but the content team write notes."""
    return area in ROLES[person["role"]] or (area == "notes" and person["role"] != "Content")


def for_staff(area: str = "") -> Callable[[Page], Page]:
    """A page for those who are signed in. Forms of an area are only taken from roles that may change it."""

    def guard(page: Page) -> Page:
        async def guarded(request: Request) -> Response:
            person = staff_of(request)
            if person is None:
                back = request.url.path if request.method == "GET" else "/"
                return go(f"/sign-in?back={back}")
            if request.method == "POST" and area and not may_change(person, area):
                visit_of(request).tell(f"Your role “{person['role']}” has no permission to do this.", "alert")
                return go("/")
            return await page(request)

        return guarded

    return guard


def log(request: Request, what: str) -> None:
    """Notes in the activity log what was done."""
    person = staff_of(request)
    visit_of(request).data.change(
        "insert into activity (time, login, what) values (?, ?, ?)",
        f"{NOW:%Y-%m-%d %H:%M}", person["login"] if person else "", what,
    )  # fmt: skip


async def sign_in(request: Request) -> Response:
    """The form to sign in, and what was sent with it."""
    visit = visit_of(request)
    back = own_path(request.query_params.get("back", "/"))
    form = await form_of(request) if request.method == "POST" else None
    if form is None:
        return render(request, "sign_in.html", form=None, back=back)
    login = form.need("login", "This is a required field.")
    password = form.need("password", "This is a required field.")
    person = visit.data.row(
        "select * from staff where login = ? and password = ? and password <> '' and active", login, password
    )
    form.check(
        "password", person is not None, "The account sign-in was incorrect or the account is disabled."
    )
    if person is None:
        return render(request, "sign_in.html", 422, form=form, back=own_path(form.text("back", "/")))
    visit.remember("staff", str(person["id"]))
    return go(own_path(form.text("back", "/")))


async def sign_out(request: Request) -> Response:
    """Signs out."""
    await form_of(request)
    visit_of(request).forget("staff")
    visit_of(request).tell("You have signed out.")
    return go("/")
