"""Pages of an account: signing in, profile, points, alerts, saved hotels."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import EMAIL, form_of, own_path
from fixtures_sites.site import go, render
from fixtures_sites.travel.accounts import for_members, user_of
from fixtures_sites.travel.journey import airport_label, airport_of
from fixtures_sites.travel.passengers import NAME, PHONE, TITLES
from fixtures_sites.visit import visit_of

MEALS = ("No preference", "Vegetarian", "Vegan", "Gluten-free", "Kosher", "Halal")


async def sign_in(request: Request) -> Response:
    """First the e-mail address, then the password."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    back = own_path((form.text("back") if form else request.query_params.get("back", "")) or "/trips")
    if form is None:
        return render(request, "sign_in.html", form=None, back=back, email="")
    email = form.need_match("email", EMAIL, "Enter your e-mail address.").lower()
    if "password" not in form:
        return render(
            request, "sign_in.html", 200 if form.ok else 422, form=None if form.ok else form, back=back,
            email=email if form.ok else "",
        )  # fmt: skip
    password = form.need("password", "Enter your password.")
    user = visit.data.row("select * from users where email = ? and password = ?", email, password)
    form.check("password", user is not None, "E-mail address and password do not match.")
    if user is None:
        return render(request, "sign_in.html", 422, form=form, back=back, email=email)
    visit.remember("user", str(user["id"]))
    visit.tell(f"Welcome back, {user['first']}.")
    return go(back)


async def sign_out(request: Request) -> Response:
    """Signs out."""
    await form_of(request)
    visit_of(request).forget("user")
    return go("/")


@for_members
async def profile(request: Request, user: Any) -> Response:
    """Name, phone, address, meal, newsletter."""
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        form.check("title", form.text("title") in TITLES, "Choose a title.")
        form.need_match("first", NAME, "Enter your first name.")
        form.need_match("last", NAME, "Enter your last name.")
        form.need_match("phone", PHONE, "Enter a phone number, such as +1 617-555-0133.")
        form.check("meal", form.text("meal") in MEALS, "Choose a meal.")
        if form.ok:
            visit = visit_of(request)
            names = ("title", "first", "last", "phone", "address", "meal")
            visit.data.change(
                f"update users set {', '.join(f'{name} = ?' for name in names)}, newsletter = ? where id = ?",
                *(form.text(name) for name in names), int("newsletter" in form), user["id"],
            )  # fmt: skip
            visit.tell("Your profile was saved.")
            return go("/profile")
    return render(
        request, "profile.html", 422 if form else 200, form=form, member=user,
        titles=[(text, text) for text in TITLES], meals=[(text, text) for text in MEALS],
    )  # fmt: skip


@for_members
async def points(request: Request, user: Any) -> Response:
    """The balance of points and how it came about."""
    data = visit_of(request).data
    rows = data.rows("select * from points where user = ? order by day desc, id desc", user["id"])
    return render(
        request, "points.html", points=rows, balance=sum(row["points"] for row in rows), member=user
    )


@for_members
async def saved(request: Request, user: Any) -> Response:
    """Saved hotels."""
    rows = visit_of(request).data.rows(
        "select h.* from saved s join hotels h on h.id = s.hotel where s.user = ? order by h.name", user["id"]
    )
    return render(request, "saved.html", hotels=rows)


async def alerts(request: Request) -> Response:
    """Price alerts: those that there are, and the form of a new one."""
    visit, user = visit_of(request), user_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        origin, destination = (airport_of(visit.data, form.text(name)) for name in ("from", "to"))
        form.check("from", bool(origin), "Choose an airport from the list.")
        form.check("to", bool(destination) and origin != destination, "Choose another airport from the list.")
        ceiling = form.whole("ceiling", 1, 20000, "Enter a price in whole dollars.")
        email = form.need_match("email", EMAIL, "Enter an e-mail address.")
        if form.ok:
            visit.data.change(
                "insert into alerts (email, origin, destination, ceiling) values (?, ?, ?, ?)",
                email, origin, destination, ceiling,
            )  # fmt: skip
            visit.tell(f"We will write to {email} when a flight costs ${ceiling} or less.")
            return go("/alerts")
    rows = [(row, airport_label(visit.data, row["origin"]), airport_label(visit.data, row["destination"]))
            for row in visit.data.rows("select * from alerts order by id")]  # fmt: skip
    return render(request, "alerts.html", 422 if form else 200, form=form, alerts=rows, member=user)


async def delete_alert(request: Request) -> Response:
    """Drops an alert."""
    form = await form_of(request)
    visit = visit_of(request)
    visit.data.change("delete from alerts where id = ?", form.text("alert"))
    visit.tell("The alert was deleted.")
    return go("/alerts")
