"""Customers: the grid, one customer, blocking, notes, and e-mails to many."""

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.admin.grid import Column, Filter, Grid, shown
from fixtures_sites.admin.seeded import GROUPS
from fixtures_sites.admin.staff import for_staff, log
from fixtures_sites.forms import EMAIL, form_of
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

GRID = Grid(
    "*, (select count(*) from orders o where o.user = users.id) as orders", "users",
    (Column("id", "ID"), Column("name", "Name", link="/customers/{id}"), Column("email", "E-mail"),
     Column("phone", "Phone"), Column("grp", "Group"), Column("joined", "Customer since"), Column("orders", "Orders"),
     Column("blocked", "Blocked", "tick")),
    (Filter("name", "Name", "name like ?"), Filter("email", "E-mail", "email like ?"),
     Filter("group", "Group", "grp = ?", "choice", GROUPS), Filter("from", "Joined from", "joined >= ?", "date"),
     Filter("to", "Joined to", "joined <= ?", "date")),
    ("name", "email", "phone"), "id desc",
    tuple((f"group-{group}", f"Assign to {group}") for group in GROUPS), "/customers/bulk",
)  # fmt: skip
EVERYONE = "All customers"


def _customer(request: Request) -> Any:
    number = request.path_params["id"]
    customer = visit_of(request).data.row("select * from users where id = ?", number)
    if customer is None:
        raise HTTPException(404, f"There is no customer {number}.")
    return customer


@for_staff()
async def listing(request: Request) -> Response:
    """All customers."""
    return render(request, "grid.html", title="Customers", shown=shown(GRID, request))


@for_staff("customers")
async def bulk(request: Request) -> Response:
    """Puts the ticked customers into a group."""
    form = await form_of(request)
    visit, group = visit_of(request), form.text("action").removeprefix("group-")
    if group not in GROUPS or not form.texts("ids"):
        visit.tell("Select an action and at least one item.", "alert")
        return go("/customers")
    for number in form.texts("ids"):
        visit.data.change("update users set grp = ? where id = ?", group, number)
    visit.tell(f"A total of {len(form.texts('ids'))} record(s) were updated.")
    log(request, f"Assigned {len(form.texts('ids'))} customers to {group}")
    return go("/customers")


@for_staff("customers")
async def edit(request: Request) -> Response:
    """One customer: the form, the notes; the orders come late."""
    customer = _customer(request)
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        name = form.need("name", "This is a required field.")
        email = form.need_match("email", EMAIL, "Enter an e-mail address, such as name@example.com.").lower()
        phone = form.need_match(
            "phone", r"[+\d][\d ()-]{6,20}", "Enter a phone number, such as +1 503-555-0142."
        )
        taken = visit.data.value("select id from users where email = ? and id <> ?", email, customer["id"])
        form.check("email", taken is None, "A customer with this e-mail address exists already.")
        form.check("grp", form.text("grp") in GROUPS, "Choose a group.")
        if form.ok:
            visit.data.change(
                "update users set name = ?, email = ?, phone = ?, grp = ?, newsletter = ? where id = ?",
                name, email, phone, form.text("grp"), int("newsletter" in form), customer["id"],
            )  # fmt: skip
            visit.tell("You saved the customer.")
            log(request, f"Saved the customer {email}")
            return go(f"/customers/{customer['id']}")
    notes = visit.data.rows("select * from customer_notes where user = ? order by id desc", customer["id"])
    return render(
        request, "customer.html", 422 if form else 200, customer=customer, form=form, notes=notes,
        groups=[(one, one) for one in GROUPS],
    )  # fmt: skip


@for_staff()
async def orders(request: Request) -> Response:
    """The customer's orders, a part of the page that comes late."""
    rows = visit_of(request).data.rows(
        "select * from orders where user = ? order by day desc", request.path_params["id"]
    )
    return render(request, "customer_orders.html", orders=rows, spent=sum(row["total"] for row in rows))


@for_staff("customers")
async def block(request: Request) -> Response:
    """Asks whether a customer is to be blocked (or let in again), and does it."""
    customer = _customer(request)
    visit = visit_of(request)
    if request.method == "GET":
        return render(request, "block.html", customer=customer)
    await form_of(request)
    visit.data.change("update users set blocked = 1 - blocked where id = ?", customer["id"])
    said = "unblocked" if customer["blocked"] else "blocked"
    visit.tell(f"The account of {customer['name']} was {said}.")
    log(request, f"Account {customer['email']} {said}")
    return go(f"/customers/{customer['id']}")


@for_staff("notes")
async def note(request: Request) -> Response:
    """Adds a note to the customer."""
    form = await form_of(request)
    customer = _customer(request)
    if form.text("text"):
        visit_of(request).data.change(
            "insert into customer_notes (user, text) values (?, ?)", customer["id"], form.text("text")
        )
        visit_of(request).tell("The note was added.")
    else:
        visit_of(request).tell("Please enter a comment.", "alert")
    return go(f"/customers/{customer['id']}")


@for_staff("marketing")
async def mailing(request: Request) -> Response:
    """The form of an e-mail to many; it is not sent before it was confirmed."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    draft = json.loads(visit.remembered("draft") or "{}")
    if form is not None:
        group = form.text("grp")
        form.check("grp", group in (*GROUPS, EVERYONE), "Choose who gets it.")
        draft = {"grp": group, "subject": form.need("subject", "This is a required field."),
                 "text": form.need("text", "This is a required field.")}  # fmt: skip
        if form.ok:
            visit.remember("draft", json.dumps(draft))
            return go("/mailing/confirm")
    sent = visit.data.rows("select * from mails order by id desc")
    return render(
        request, "mailing.html", 422 if form else 200, form=form, draft=draft, sent=sent,
        groups=[(one, one) for one in (EVERYONE, *GROUPS)],
    )  # fmt: skip


@for_staff("marketing")
async def confirm_mailing(request: Request) -> Response:
    """Shows who would get the e-mail, and sends it."""
    visit = visit_of(request)
    draft = json.loads(visit.remembered("draft") or "{}")
    if not draft:
        return go("/mailing")
    condition, values = (
        ("blocked = 0", []) if draft["grp"] == EVERYONE else ("blocked = 0 and grp = ?", [draft["grp"]])
    )
    count = visit.data.value(f"select count(*) from users where {condition}", *values)
    if request.method == "GET":
        return render(request, "mailing_confirm.html", draft=draft, count=count)
    await form_of(request)
    visit.data.change(
        "insert into mails (grp, subject, text, recipients) values (?, ?, ?, ?)",
        draft["grp"], draft["subject"], draft["text"], count,
    )  # fmt: skip
    visit.forget("draft")
    visit.tell(f"The e-mail is being sent to {count} customers.")
    log(request, f"Sent “{draft['subject']}” to {count} customers")
    return go("/mailing")
