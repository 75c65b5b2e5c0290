"""Pages of an account: signing in, orders, addresses, wish list, profile."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import form_of, own_path
from fixtures_sites.paging import cut_of
from fixtures_sites.shop import basket, catalogue
from fixtures_sites.shop.accounts import user_of
from fixtures_sites.shop.checkout import need_address
from fixtures_sites.shop.seeded import STATES
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

PER_PAGE = 8
Handler = Callable[[Request, Any], Awaitable[Response]]


def for_members(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A page for those who are signed in; others are asked to, and come back."""

    async def page(request: Request) -> Response:
        user = user_of(request)
        if user is None:
            back = request.url.path if request.method == "GET" else "/account"
            visit_of(request).tell("Please sign in first.", "alert")
            return go(f"/account/sign-in?back={back}")
        return await handler(request, user)

    return page


async def sign_in(request: Request) -> Response:
    """The form to sign in, and what was sent with it."""
    visit = visit_of(request)
    back = own_path(request.query_params.get("back", "/account"))
    form = await form_of(request) if request.method == "POST" else None
    if form is None:
        return render(request, "sign_in.html", form=None, back=back)
    email = form.need("email", "Enter your e-mail address.")
    password = form.need("password", "Enter your password.")
    user = visit.data.row("select * from users where email = ? and password = ?", email.lower(), password)
    form.check("password", user is not None, "E-mail address and password do not match.")
    if user is None:
        return render(request, "sign_in.html", 422, form=form, back=own_path(form.text("back", "/account")))
    visit.remember("user", str(user["id"]))
    visit.tell(f"Welcome back, {user['name'].split()[0]}.")
    return go(own_path(form.text("back", "/account")))


async def sign_out(request: Request) -> Response:
    """Signs out."""
    await form_of(request)
    visit_of(request).forget("user")
    return go("/")


@for_members
async def overview(request: Request, user: Any) -> Response:
    """Where everything of the account is."""
    recent = visit_of(request).data.rows(
        "select * from orders where user = ? order by number desc limit 3", user["id"]
    )
    return render(request, "account.html", recent=recent)


@for_members
async def orders(request: Request, user: Any) -> Response:
    """All orders, newest first, by status and year."""
    data = visit_of(request).data
    status, year = request.query_params.get("status", ""), request.query_params.get("year", "")
    where, values = "user = ?", [user["id"]]
    for value, condition in ((status, "status = ?"), (year, "substr(day, 1, 4) = ?")):
        if value:
            where += f" and {condition}"
            values.append(value)
    cut = cut_of(data.value(f"select count(*) from orders where {where}", *values), request, PER_PAGE)
    rows = data.rows(
        f"select *, (select sum(quantity) from order_lines l where l.number = orders.number) as items"
        f" from orders where {where} order by number desc limit ? offset ?",
        *values,
        PER_PAGE,
        cut.offset,
    )
    years = [row[0] for row in data.rows("select distinct substr(day, 1, 4) from orders where user = ? order by 1 desc", user["id"])]  # fmt: skip
    return render(request, "orders.html", orders=rows, cut=cut, status_chosen=status, year=year, years=years)


def _own_order(request: Request, user: Any) -> Any:
    number = request.path_params["number"]
    order = visit_of(request).data.row(
        "select * from orders where number = ? and user = ?", number, user["id"]
    )
    if order is None:
        raise HTTPException(404, f"You have no order {number}.")
    return order


@for_members
async def order(request: Request, user: Any) -> Response:
    """One order with its lines."""
    shown = _own_order(request, user)
    lines = visit_of(request).data.rows(
        "select l.*, p.name, p.slug, (select reason from returns r where r.line = l.id) as returned"
        " from order_lines l join products p on p.id = l.product where l.number = ? order by l.id",
        shown["number"],
    )
    return render(request, "order.html", order=shown, lines=lines)


@for_members
async def cancel(request: Request, user: Any) -> Response:
    """Asks whether an order is to be cancelled, and cancels it."""
    shown = _own_order(request, user)
    visit = visit_of(request)
    path = f"/account/orders/{shown['number']}"
    if shown["status"] != "Processing":
        visit.tell("Only orders that are still processing can be cancelled.", "alert")
        return go(path)
    if request.method == "GET":
        return render(request, "cancel.html", order=shown)
    await form_of(request)
    visit.data.change("update orders set status = 'Cancelled' where number = ?", shown["number"])
    visit.tell(f"Order {shown['number']} was cancelled.")
    return go(path)


@for_members
async def send_back(request: Request, user: Any) -> Response:
    """The form to return a line of a delivered order."""
    shown = _own_order(request, user)
    visit = visit_of(request)
    line = visit.data.row(
        "select l.*, p.name from order_lines l join products p on p.id = l.product where l.id = ? and l.number = ?",
        request.path_params["line"],
        shown["number"],
    )
    if line is None or shown["status"] != "Delivered":
        raise HTTPException(404, "This can't be returned.")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        reason = form.need("reason", "Choose a reason.")
        if form.ok:
            visit.data.change(
                "insert into returns (number, line, reason, note) values (?, ?, ?, ?)",
                shown["number"], line["id"], reason, form.text("note"),
            )  # fmt: skip
            visit.tell(f"Your return of {line['name']} was registered.")
            return go(f"/account/orders/{shown['number']}")
    return render(request, "return.html", 422 if form else 200, order=shown, line=line, form=form)


@for_members
async def buy_again(request: Request, user: Any) -> Response:
    """Puts what was ordered into the cart once more."""
    await form_of(request)
    shown = _own_order(request, user)
    visit = visit_of(request)
    for line in visit.data.rows("select * from order_lines where number = ?", shown["number"]):
        basket.add(visit.data, line["product"], line["options"], line["quantity"])
    visit.tell(f"The items of order {shown['number']} were added to your cart.")
    return go("/cart")


@for_members
async def addresses(request: Request, user: Any) -> Response:
    """The saved addresses."""
    rows = visit_of(request).data.rows("select * from addresses where user = ? order by id", user["id"])
    return render(request, "addresses.html", addresses=rows)


@for_members
async def edit_address(request: Request, user: Any) -> Response:
    """The form of a new or a saved address."""
    visit = visit_of(request)
    number = request.path_params.get("id", "new")
    known = visit.data.row("select * from addresses where id = ? and user = ?", number, user["id"])
    if known is None and number != "new":
        raise HTTPException(404, "You have no such address.")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        said = need_address(form)
        if form.ok:
            values = tuple(said.values())
            if known is None:
                number = visit.data.change(
                    "insert into addresses (name, street, city, state, zip, user) values (?, ?, ?, ?, ?, ?)",
                    *values,
                    user["id"],
                )
            else:
                visit.data.change(
                    "update addresses set name = ?, street = ?, city = ?, state = ?, zip = ? where id = ?",
                    *values,
                    number,
                )
            if "preferred" in form:
                _prefer(request, user, number)
            visit.tell("The address was saved.")
            return go("/account/addresses")
    return render(
        request,
        "address.html",
        422 if form else 200,
        address=known,
        form=form,
        states=[(state, state) for state in STATES],
    )


@for_members
async def change_address(request: Request, user: Any) -> Response:
    """Makes an address the preferred one, or deletes it."""
    form = await form_of(request)
    visit = visit_of(request)
    number = request.path_params["id"]
    if "delete" in form:
        visit.data.change("delete from addresses where id = ? and user = ?", number, user["id"])
        visit.tell("The address was deleted.")
    else:
        _prefer(request, user, number)
        visit.tell("Your default address was changed.")
    return go("/account/addresses")


def _prefer(request: Request, user: Any, number: Any) -> None:
    visit_of(request).data.change(
        "update addresses set preferred = (id = cast(? as integer)) where user = ?", number, user["id"]
    )


@for_members
async def profile(request: Request, user: Any) -> Response:
    """Name, phone and newsletter."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        name = form.need("name", "Enter your name.")
        phone = form.need_match(
            "phone", r"[+\d][\d ()-]{6,20}", "Enter a phone number, such as +1 503-555-0142."
        )
        if form.ok:
            visit.data.change(
                "update users set name = ?, phone = ?, newsletter = ? where id = ?",
                name, phone, int("newsletter" in form), user["id"],
            )  # fmt: skip
            visit.tell("Your profile was saved.")
            return go("/account/profile")
    return render(request, "profile.html", 422 if form else 200, form=form)


@for_members
async def password(request: Request, user: Any) -> Response:
    """A new password."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        form.check("old", form.text("old") == user["password"], "This is not your password.")
        new = form.text("new")
        form.check("new", len(new) >= 8, "Use at least 8 characters.")
        form.check("again", form.text("again") == new, "The two passwords differ.")
        if form.ok:
            visit.data.change("update users set password = ? where id = ?", new, user["id"])
            visit.tell("Your password was changed.")
            return go("/account")
    return render(request, "password.html", 422 if form else 200, form=form)


@for_members
async def wishes(request: Request, user: Any) -> Response:
    """The wish list."""
    rows = visit_of(request).data.rows(
        f"{catalogue.CARD} join wishes w on w.product = p.id where w.user = ? order by w.rowid", user["id"]
    )
    return render(request, "wishes.html", products=rows)


@for_members
async def change_wish(request: Request, user: Any) -> Response:
    """Adds a product to the wish list, or takes it off."""
    form = await form_of(request)
    visit = visit_of(request)
    found = catalogue.product(visit.data, form.text("slug"))
    if found is None:
        raise HTTPException(404, "There is no such product.")
    if request.path_params["what"] == "add":
        visit.data.change("insert or ignore into wishes values (?, ?)", user["id"], found["id"])
        visit.tell(f"{found['name']} is on your wish list.")
        return go(f"/product/{found['slug']}")
    visit.data.change("delete from wishes where user = ? and product = ?", user["id"], found["id"])
    visit.tell(f"{found['name']} was removed from your wish list.")
    return go("/wish-list")
