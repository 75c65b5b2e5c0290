"""Orders: the grid, one order, and what can be done with it."""

import sqlite3
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.admin.amounts import cents
from fixtures_sites.admin.grid import Column, Filter, Grid, shown
from fixtures_sites.admin.seeded import CARRIERS, REASONS, STATUSES
from fixtures_sites.admin.staff import for_staff, log
from fixtures_sites.forms import form_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.shop.checkout import need_address
from fixtures_sites.shop.money import money
from fixtures_sites.shop.seeded import STATES
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

OPEN = ("Pending", "Processing", "On hold")
"""Statuses in which an order can still be cancelled."""
CLOSED = ("Cancelled", "Refunded")
GRID = Grid(
    "*", "orders",
    (Column("number", "ID", link="/orders/{number}"), Column("day", "Purchase date"), Column("recipient", "Ship-to name"),
     Column("email", "E-mail"), Column("total", "Grand total", "money"), Column("status", "Status"),
     Column("method", "Shipping")),
    (Filter("number", "Order number", "number like ?"), Filter("from", "Purchased from", "day >= ?", "date"),
     Filter("to", "Purchased to", "day <= ?", "date"), Filter("customer", "Ship-to name", "recipient like ?"),
     Filter("status", "Status", "status = ?", "choice", STATUSES), Filter("min", "Total from", "total >= ?", "money"),
     Filter("max", "Total to", "total <= ?", "money")),
    ("number", "recipient", "email"), "day desc, number desc",
    (("hold", "Hold"), ("unhold", "Unhold"), ("cancel", "Cancel")), "/orders/bulk", "number",
)  # fmt: skip


def can(order: sqlite3.Row) -> dict[str, bool]:
    """What can be done with an order now."""
    status = order["status"]
    return {
        "cancel": status in OPEN,
        "hold": status in ("Pending", "Processing"),
        "unhold": status == "On hold",
        "invoice": not order["invoice"] and status in ("Pending", "Processing"),
        "ship": status in ("Processing", "Shipped"),
        "refund": bool(order["invoice"]) and status not in CLOSED and order["refunded"] < order["total"],
        "status": status not in (*CLOSED, "Delivered"),
    }


def _order(request: Request) -> Any:
    number = request.path_params["number"]
    order = visit_of(request).data.row("select * from orders where number = ?", number)
    if order is None:
        raise HTTPException(404, f"There is no order {number}.")
    return order


def _set(request: Request, number: str, status: str) -> None:
    visit_of(request).data.change("update orders set status = ? where number = ?", status, number)


@for_staff()
async def listing(request: Request) -> Response:
    """All orders, newest first."""
    return render(request, "grid.html", title="Orders", shown=shown(GRID, request))


@for_staff("sales")
async def bulk(request: Request) -> Response:
    """One action on the ticked orders; those that do not allow it are left alone."""
    form = await form_of(request)
    visit = visit_of(request)
    action, done = form.text("action"), 0
    wanted = {"hold": "On hold", "unhold": "Processing", "cancel": "Cancelled"}.get(action)
    if wanted is None or not form.texts("ids"):
        visit.tell("Select an action and at least one item.", "alert")
        return go("/orders")
    for number in form.texts("ids"):
        order = visit.data.row("select * from orders where number = ?", number)
        if order is not None and can(order)[action]:
            _set(request, number, wanted)
            done += 1
    visit.tell(f"{done} order(s) were changed, {len(form.texts('ids')) - done} could not be.")
    log(request, f"Changed {done} orders to {wanted}")
    return go("/orders")


@for_staff()
async def detail(request: Request) -> Response:
    """One order."""
    order = _order(request)
    data = visit_of(request).data
    lines = data.rows(
        "select l.*, coalesce(p.name, 'Deleted product') as name, p.sku, p.id as pid from order_lines l"
        " left join products p on p.id = l.product"
        " where l.number = ? order by l.id",
        order["number"],
    )
    notes = data.rows("select * from order_notes where number = ? order by id desc", order["number"])
    refunds = data.rows("select * from refunds where number = ? order by id", order["number"])
    return render(
        request, "order.html", order=order, lines=lines, notes=notes, refunds=refunds, can=can(order),
        carriers=[(one, one) for one in CARRIERS], statuses=[(one, one) for one in STATUSES[:5]],
    )  # fmt: skip


@for_staff("sales")
async def change(request: Request) -> Response:
    """Status, tracking, invoice, hold and cancel, by the name of the action in the path."""
    form = await form_of(request)
    order = _order(request)
    visit, number, what = visit_of(request), order["number"], request.path_params["what"]
    back = go(f"/orders/{number}")
    needed = {"tracking": "ship"}.get(what, what)
    if not can(order).get(needed):
        visit.tell(f"This is not possible for an order that is {order['status'].lower()}.", "alert")
        return back
    if what == "tracking":
        if form.text("carrier") not in CARRIERS or len(form.text("tracking")) < 6:
            visit.tell("Choose a carrier and enter a tracking number of at least 6 characters.", "alert")
            return back
        visit.data.change(
            "update orders set carrier = ?, tracking = ?, status = 'Shipped' where number = ?",
            form.text("carrier"), form.text("tracking"), number,
        )  # fmt: skip
    elif what == "invoice":
        visit.data.change(
            "update orders set invoice = ?, status = 'Processing' where number = ?", f"INV-{number}", number
        )
    elif what == "status":
        if form.text("status") not in STATUSES[:5]:
            visit.tell("Choose a status.", "alert")
            return back
        _set(request, number, form.text("status"))
    else:
        _set(request, number, {"hold": "On hold", "unhold": "Processing", "cancel": "Cancelled"}[what])
    said = {"tracking": "The shipment has been created.", "invoice": "The invoice has been created.",
            "status": "The status was changed.", "hold": "You put the order on hold.",
            "unhold": "You released the order from holding.", "cancel": "You canceled the order."}  # fmt: skip
    visit.tell(said[what])
    log(request, f"{said[what].rstrip('.')} ({number})")
    return back


@for_staff("sales")
async def refund(request: Request) -> Response:
    """The form of a refund, and what was sent with it."""
    order = _order(request)
    visit = visit_of(request)
    left = order["total"] - order["refunded"]
    if not can(order)["refund"]:
        visit.tell("This order cannot be refunded.", "alert")
        return go(f"/orders/{order['number']}")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        amount = cents(form.text("amount"))
        form.check(
            "amount", amount is not None and 0 < amount <= left, f"Enter an amount up to {money(left)}."
        )
        form.check("reason", form.text("reason") in REASONS, "Choose a reason.")
        if form.ok and amount:
            visit.data.change(
                "insert into refunds (number, amount, reason, day) values (?, ?, ?, ?)",
                order["number"], amount, form.text("reason"), TODAY.isoformat(),
            )  # fmt: skip
            status = "Refunded" if amount == left else order["status"]
            visit.data.change(
                "update orders set refunded = refunded + ?, status = ? where number = ?",
                amount,
                status,
                order["number"],
            )
            visit.tell(f"You refunded {money(amount)}.")
            log(request, f"Refunded {money(amount)} of order {order['number']}")
            return go(f"/orders/{order['number']}")
    return render(
        request, "refund.html", 422 if form else 200, order=order, left=left, form=form,
        reasons=[(one, one) for one in REASONS],
    )  # fmt: skip


@for_staff("notes")
async def note(request: Request) -> Response:
    """Adds a note to the order."""
    form = await form_of(request)
    order = _order(request)
    text = form.text("text")
    if text:
        visit_of(request).data.change(
            "insert into order_notes (number, text, told) values (?, ?, ?)",
            order["number"],
            text,
            int("told" in form),
        )
        visit_of(request).tell("The note was added.")
        log(request, f"Added a note to order {order['number']}")
    else:
        visit_of(request).tell("Please enter a comment.", "alert")
    return go(f"/orders/{order['number']}")


@for_staff("sales")
async def address(request: Request) -> Response:
    """The form of the address that the order goes to."""
    order = _order(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        said = need_address(form)
        if form.ok:
            visit_of(request).data.change(
                "update orders set recipient = ?, street = ?, city = ?, state = ?, zip = ? where number = ?",
                said["recipient"], said["street"], said["city"], said["state"], said["zip"], order["number"],
            )  # fmt: skip
            visit_of(request).tell("You updated the order address.")
            log(request, f"Changed the address of order {order['number']}")
            return go(f"/orders/{order['number']}")
    return render(
        request,
        "address.html",
        422 if form else 200,
        order=order,
        form=form,
        states=[(one, one) for one in STATES],
    )
