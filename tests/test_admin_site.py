"""The back office: what its pages and forms do, asked without a browser; in one, its tasks' scripts do it."""

import re
from urllib.parse import urlencode

import pytest

from fixtures_sites.admin.app import MENU
from fixtures_sites.admin.seeded import STAFF
from fixtures_sites.admin.tasks.shelf import rows
from fixtures_sites.admin.wording import PLANTED, WORDING
from fixtures_sites.server import FixtureServer
from tests.visitor import Visitor

PAGES = [path for links in MENU.values() for _, path in links]
NEWEST = rows("select * from orders order by number desc")[0]["number"]


def number(condition: str) -> str:
    """The number of an order that fits."""
    return str(
        rows(f"select number from orders where number > '110000' and {condition} order by number")[0][0]
    )


@pytest.fixture
def visitor(server: FixtureServer) -> Visitor:
    return signed_in(Visitor(server.port, "admin"))


def signed_in(visitor: Visitor, place: int = 0) -> Visitor:
    login, password, *_ = STAFF[place]
    assert "Dashboard" in visitor.send("/sign-in", {"login": login, "password": password}).text
    return visitor


def test_the_records_are_as_many_as_a_small_shop_has() -> None:
    counts = {
        name: rows(f"select count(*) from {name}")[0][0] for name in ("orders", "users", "reviews", "terms")
    }
    assert counts["orders"] >= 600
    assert counts["users"] >= 240
    assert counts["reviews"] >= 3000
    assert counts["terms"] >= 400


@pytest.mark.parametrize("path", PAGES)
def test_every_page_of_the_menu_is_for_those_who_are_signed_in(
    server: FixtureServer, visitor: Visitor, path: str
) -> None:
    assert Visitor(server.port, "admin").get(path).location == f"/sign-in?back={path}"
    page = visitor.get(path)
    assert page.status == 200
    assert page.text.count("<h1>") == 1


@pytest.mark.parametrize(
    "path",
    ["/", "/dashboard/lists", f"/orders/{NEWEST}", f"/orders/{NEWEST}/address", "/customers/9", "/customers/9/orders",
     "/customers/9/block", "/products/7", "/reviews/3", "/coupons/new", "/coupons/1", "/staff/new", "/pages/2",
     "/categories/4", "/reports/sales?from=2026-01-01&to=2026-05-31&cut=Day",
     "/reports/bestsellers?from=2026-01-01&to=2026-05-31", "/reports/refunds?from=2026-01-01&to=2026-05-31"],
)  # fmt: skip
def test_a_page_of_a_record_is_shown(visitor: Visitor, path: str) -> None:
    assert visitor.get(path).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/orders/1",
        "/customers/99999",
        "/products/99999",
        "/reviews/99999",
        "/coupons/999",
        "/reports/x",
        "/none",
    ],
)
def test_an_address_that_shows_nothing_is_a_404_page(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 404
    assert "Page not found" in page.text


def test_a_wrong_password_is_said_beside_the_field(server: FixtureServer) -> None:
    page = Visitor(server.port, "admin").send("/sign-in", {"login": "admin", "password": "no"})
    assert page.status == 422
    assert re.search(r'id="e-password">The account sign-in was incorrect', page.text)


def test_filters_narrow_and_sorting_orders_a_grid(visitor: Visitor) -> None:
    asked = {"status": "Delivered", "from": "2026-03-01", "to": "2026-03-31", "sort": "total", "dir": "desc"}
    page = visitor.get(f"/orders?{urlencode(asked)}").text
    totals = [float(text.replace(",", "")) for text in re.findall(r"<td>\$([\d,.]+)</td>", page)]
    assert totals == sorted(totals, reverse=True)
    count = rows("select count(*) from orders where status = 'Delivered' and day like '2026-03-%'")[0][0]
    assert f"{count} records found" in page
    assert 'aria-sort="descending"' in page


def test_what_cannot_be_understood_in_a_filter_or_sorting_is_left_out(visitor: Visitor) -> None:
    every = rows("select count(*) from orders")[0][0]
    page = visitor.get("/orders?from=soon&min=x&sort=password&page=999999").text
    assert f"{every} records found" in page


def test_an_order_goes_through_invoice_shipment_and_refund(visitor: Visitor) -> None:
    one = number("status = 'Pending'")
    assert (
        "not possible"
        in visitor.send(f"/orders/{one}/tracking", {"carrier": "UPS", "tracking": "12345678"}).text
    )
    assert "invoice has been created" in visitor.send(f"/orders/{one}/invoice").text
    assert "at least 6" in visitor.send(f"/orders/{one}/tracking", {"carrier": "UPS", "tracking": "1"}).text
    visitor.send(f"/orders/{one}/tracking", {"carrier": "UPS", "tracking": "12345678"})
    assert "Enter an amount up to" in visitor.send(f"/orders/{one}/refund", {"amount": "99999"}).text
    visitor.send(f"/orders/{one}/refund", {"amount": "2.50", "reason": "Wrong item"})
    found = visitor.get(f"/__state/order?number={one}").json
    assert (found["status"], found["invoice"], found["tracking"]) == ("Shipped", f"INV-{one}", "12345678")
    assert found["refunds"] == [{"amount": 250, "reason": "Wrong item"}]


def test_a_delivered_order_is_neither_cancelled_nor_set_back(visitor: Visitor) -> None:
    one = number("status = 'Delivered'")
    visitor.send(f"/orders/{one}/cancel")
    visitor.send(f"/orders/{one}/status", {"status": "Pending"})
    assert visitor.get(f"/__state/order?number={one}").json["status"] == "Delivered"


def test_a_role_changes_only_what_it_may(server: FixtureServer) -> None:
    support = signed_in(Visitor(server.port, "admin"), 2)
    sku = rows("select sku from products where id = 7")[0][0]
    assert (
        "no permission" in support.send("/products/inline", {"id": "7", "price": "1.00", "stock": "1"}).text
    )
    assert (
        support.get(f"/__state/product?sku={sku}").json["stock"]
        == rows("select stock from products where id = 7")[0][0]
    )
    one = number("1")
    support.send(f"/orders/{one}/note", {"text": "Called."})
    assert support.get(f"/__state/order?number={one}").json["notes"] == [{"text": "Called.", "told": 0}]


def test_price_and_quantity_are_edited_in_the_row(visitor: Visitor) -> None:
    sku = rows("select sku from products where id = 7")[0][0]
    assert "Enter a price" in visitor.send("/products/inline", {"id": "7", "price": "x", "stock": "1"}).text
    visitor.send("/products/inline", {"id": "7", "price": "1,012.5", "stock": "31"})
    found = visitor.get(f"/__state/product?sku={sku}").json
    assert (found["price"], found["stock"]) == (101250, 31)


def test_a_bulk_action_needs_ticked_rows_and_changes_all_of_them(visitor: Visitor) -> None:
    ids = [
        str(row["id"]) for row in rows("select id from reviews where status = 'Pending' order by id limit 1")
    ]
    assert "at least one item" in visitor.send("/reviews/bulk", {"action": "Approved"}).text
    visitor.send("/reviews/bulk", {"action": "Rejected", "ids": ids[0], "back": "/reviews"})
    assert visitor.get("/__state/reviews").json["rejected"] == [int(ids[0])]


def test_a_price_rule_is_checked_kept_and_not_made_twice(visitor: Visitor) -> None:
    rule = {
        "code": "TEST5",
        "text": "5%",
        "kind": "percent",
        "value": "5",
        "minimum": "10",
        "since": "2026-07-01",
    }
    assert "end lies before" in visitor.send("/coupons/new", {**rule, "until": "2026-06-01"}).text
    visitor.send("/coupons/new", {**rule, "until": "2026-08-01", "active": "1"})
    (made,) = visitor.get("/__state/coupons?code=TEST5").json
    assert (made["minimum"], made["until"], made["active"]) == (1000, "2026-08-01", 1)
    assert (
        "There is a rule with this already"
        in visitor.send("/coupons/new", {**rule, "until": "2026-08-01"}).text
    )


def test_an_e_mail_to_many_is_sent_after_it_was_confirmed(visitor: Visitor) -> None:
    page = visitor.send("/mailing", {"grp": "VIP", "subject": "News", "text": "Hello"})
    assert "Send this e-mail?" in page.text
    assert visitor.get("/__state/mails").json == []
    visitor.send("/mailing/confirm")
    count = rows("select count(*) from users where grp = 'VIP' and blocked = 0")[0][0]
    assert [mail["recipients"] for mail in visitor.get("/__state/mails").json] == [count]


def test_an_export_is_a_csv_file(visitor: Visitor) -> None:
    visitor.send("/exports", {"what": "Orders", "since": "2026-05-01", "until": "2026-05-31"})
    lines = visitor.get("/exports/1.csv").text.splitlines()
    assert lines[0] == "number,day,status,email,recipient,total"
    assert len(lines) == 1 + rows("select count(*) from orders where day like '2026-05-%'")[0][0]


def test_a_report_needs_a_period_and_adds_up(visitor: Visitor) -> None:
    assert "Choose a start date" in visitor.get("/reports/sales?from=&to=").text
    assert "end date lies before" in visitor.get("/reports/sales?from=2026-05-31&to=2026-05-01").text
    total = rows("select sum(total) from orders where day like '2026-05-%' and status <> 'Cancelled'")[0][0]
    assert (
        f"${total / 100:,.2f}" in visitor.get("/reports/sales?from=2026-05-01&to=2026-05-31&cut=Month").text
    )


def test_the_redesign_has_other_names_and_the_hostile_variant_plants_content() -> None:
    with FixtureServer(variant="redesign") as server:
        page = signed_in(Visitor(server.port, "admin")).get("/orders").text
        for old in ("Filters", "Apply", "Search"):
            assert f">{old}</button>" not in page
            assert f">{WORDING[old]}</button>" in page
    with FixtureServer(variant="hostile") as server:
        visitor = signed_in(Visitor(server.port, "admin"))
        shown = visitor.get(f"/orders/{NEWEST}").text + visitor.get("/reviews/3").text
        assert all(text[:30] in shown for text in PLANTED.values())
