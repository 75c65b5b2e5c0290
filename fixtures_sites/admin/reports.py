"""Reports by period, the dashboard's figures, and exports as CSV."""

import csv
import io
import sqlite3
from datetime import timedelta
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.admin.grid import is_date
from fixtures_sites.admin.staff import for_staff, log, staff_of
from fixtures_sites.forms import form_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.state import Data
from fixtures_sites.visit import visit_of

CUTS = {"Day": 10, "Month": 7, "Year": 4}
"""How many characters of a day name its period."""
KEPT = "status <> 'Cancelled'"
TITLES = {
    "sales": "Sales report",
    "bestsellers": "Bestsellers report",
    "search-terms": "Search terms report",
    "refunds": "Refunds report",
}
HEADINGS = {
    "sales": ("Period", "Orders", "Items", "Sales total", "Shipping"),
    "bestsellers": ("Product", "SKU", "Quantity ordered", "Sales total"),
    "search-terms": ("Search term", "Uses", "Results"),
    "refunds": ("Period", "Refunds", "Refunded total"),
}
MONEY = {"sales": (3, 4), "bestsellers": (3,), "search-terms": (), "refunds": (2,)}
"""Which columns are amounts."""
EXPORTS = {
    "Orders": "select number, day, status, email, recipient, total / 100.0 as total from orders where day between ? and ? order by number",
    "Customers": "select id, name, email, phone, grp, joined from users where joined between ? and ? order by id",
    "Refunds": "select number, day, amount / 100.0 as amount, reason from refunds where day between ? and ? order by id",
    "Coupons": "select code, text, kind, value, since, until, used from coupons where since between ? and ? order by code",
}


def figures(data: Data, kind: str, since: str, until: str, cut: str) -> list[sqlite3.Row]:
    """The rows of a report; days are ISO, `cut` is one of CUTS."""
    width = CUTS[cut]
    if kind == "sales":
        return data.rows(
            f"select substr(day, 1, {width}) as period, count(*), sum((select sum(quantity) from order_lines l where"
            f" l.number = o.number)), sum(total), sum(shipping) from orders o where {KEPT} and day between ? and ?"
            " group by period order by period",
            since, until,
        )  # fmt: skip
    if kind == "bestsellers":
        return data.rows(
            "select p.name, p.sku, sum(l.quantity) as sold, sum(l.quantity * l.price) from orders o"
            f" join order_lines l on l.number = o.number join products p on p.id = l.product where o.{KEPT}"
            " and o.day between ? and ? group by p.id order by sold desc, 4 desc, p.id limit 25",
            since, until,
        )  # fmt: skip
    if kind == "search-terms":
        return data.rows(
            "select term, sum(uses) as asked, max(results) from terms where month between ? and ?"
            " group by term order by asked desc, term",
            since[:7], until[:7],
        )  # fmt: skip
    return data.rows(
        f"select substr(day, 1, {width}) as period, count(*), sum(amount) from refunds where day between ? and ?"
        " group by period order by period",
        since, until,
    )  # fmt: skip


@for_staff()
async def report(request: Request) -> Response:
    """The form of a report, and its rows once a period was chosen."""
    kind, asked = request.path_params["kind"], request.query_params
    if kind not in TITLES:
        raise HTTPException(404, "There is no such report.")
    since, until, cut = asked.get("from", ""), asked.get("to", ""), asked.get("cut", "Month")
    wrong = ""
    rows = None
    if "from" in asked or "to" in asked:
        if not (is_date(since) and is_date(until) and cut in CUTS):
            wrong = "Choose a start date and an end date."
        elif since > until:
            wrong = "The end date lies before the start date."
        else:
            rows = figures(visit_of(request).data, kind, since, until, cut)
    return render(
        request, "report.html", kind=kind, title=TITLES[kind], headings=HEADINGS[kind], money_in=MONEY[kind], rows=rows,
        wrong=wrong, since=since, until=until, cut=cut, cuts=CUTS, grouped=kind in ("sales", "refunds"),
    )  # fmt: skip


@for_staff()
async def dashboard_page(request: Request) -> Response:
    """Figures of the last 30 days; lists come late."""
    data = visit_of(request).data
    since = (TODAY - timedelta(days=30)).isoformat()
    month = data.row(
        f"select count(*) as orders, sum(total) as sales from orders where {KEPT} and day > ?", since
    )
    figures_shown = {
        "Pending reviews": data.value("select count(*) from reviews where status = 'Pending'"),
        "Orders to ship": data.value("select count(*) from orders where status = 'Processing'"),
        "Low stock": data.value("select count(*) from products where stock < 5 and enabled = 1"),
        "Customers": data.value("select count(*) from users"),
    }
    return render(
        request,
        "dashboard.html",
        month=month,
        counts=figures_shown,
        asked=visit_of(request).remembered("usage"),
    )


async def dashboard(request: Request) -> Response:
    """The start page: the dashboard, or the form to sign in."""
    if staff_of(request) is None:
        return render(request, "sign_in.html", form=None, back="/")
    return await dashboard_page(request)


@for_staff()
async def dashboard_lists(request: Request) -> Response:
    """Last orders, bestsellers and search terms of the dashboard."""
    data = visit_of(request).data
    since, until = (TODAY - timedelta(days=30)).isoformat(), TODAY.isoformat()
    return render(
        request, "dashboard_lists.html", last=data.rows("select * from orders order by day desc, number desc limit 5"),
        best=figures(data, "bestsellers", since, until, "Month")[:5],
        terms=figures(data, "search-terms", since, until, "Month")[:5],
    )  # fmt: skip


@for_staff()
async def exports(request: Request) -> Response:
    """The form of an export, and those that were made."""
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        what, since, until = form.text("what"), form.text("since"), form.text("until")
        form.check("what", what in EXPORTS, "Choose what to export.")
        form.check("since", is_date(since), "Enter a date.")
        form.check("until", is_date(until) and until >= since, "Enter a date after the first.")
        if form.ok:
            visit.data.change("insert into exports (what, since, until) values (?, ?, ?)", what, since, until)
            visit.tell("The file is ready to be downloaded.")
            log(request, f"Exported {what.lower()}")
            return go("/exports")
    made = visit.data.rows("select * from exports order by id desc")
    return render(
        request,
        "exports.html",
        422 if form else 200,
        form=form,
        made=made,
        kinds=[(one, one) for one in EXPORTS],
    )


@for_staff()
async def download(request: Request) -> Response:
    """An export as a CSV file."""
    data = visit_of(request).data
    made = data.row("select * from exports where id = ?", request.path_params["id"])
    if made is None:
        raise HTTPException(404, "There is no such file.")
    rows: list[Any] = data.rows(EXPORTS[made["what"]], made["since"], made["until"])
    text = io.StringIO()
    writer = csv.writer(text)
    if rows:
        writer.writerow(rows[0].keys())
        writer.writerows(tuple(row) for row in rows)
    name = f"{made['what'].lower()}-{made['since']}-{made['until']}.csv"
    return Response(
        text.getvalue(),
        media_type="text/csv",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
