"""The back office as a web application: which address is answered by which page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from fixtures_sites.admin import customers, orders, products, records, reports, staff
from fixtures_sites.admin.amounts import plain
from fixtures_sites.admin.questions import QUESTIONS
from fixtures_sites.admin.seeded import build
from fixtures_sites.admin.wording import PLANTED, WORDING
from fixtures_sites.shop.money import money
from fixtures_sites.site import Site

POST = ["POST"]
BOTH = ["GET", "POST"]
MENU = {
    "Sales": (("Orders", "/orders"),),
    "Catalog": (("Products", "/products"), ("Categories", "/categories"), ("Attributes", "/attributes"),
                ("Low stock", "/low-stock")),
    "Customers": (("All customers", "/customers"),),
    "Marketing": (("Cart price rules", "/coupons"), ("Reviews", "/reviews"), ("E-mail to customers", "/mailing")),
    "Content": (("Pages", "/pages"), ("Blocks", "/blocks")),
    "Reports": (("Sales report", "/reports/sales"), ("Bestsellers", "/reports/bestsellers"),
                ("Search terms", "/reports/search-terms"), ("Refunds", "/reports/refunds")),
    "System": (("Store information", "/store/1"), ("Shipping methods", "/shipping"), ("Tax rates", "/taxes"),
               ("All users", "/staff"), ("User roles", "/roles"), ("Action log", "/activity"), ("Export", "/exports")),
}  # fmt: skip
"""The menu: its parts, and in each the pages."""


def shared(request: Request) -> Mapping[str, Any]:
    """What the frame of every page shows."""
    return {"person": staff.staff_of(request), "menu": MENU}


SITE = Site(
    name="admin",
    folder=Path(__file__).parent,
    build=build,
    routes=[
        Route("/", reports.dashboard),
        Route("/dashboard/lists", reports.dashboard_lists),
        Route("/sign-in", staff.sign_in, methods=BOTH),
        Route("/sign-out", staff.sign_out, methods=POST),
        Route("/orders", orders.listing),
        Route("/orders/bulk", orders.bulk, methods=POST),
        Route("/orders/{number}", orders.detail),
        Route("/orders/{number}/refund", orders.refund, methods=BOTH),
        Route("/orders/{number}/address", orders.address, methods=BOTH),
        Route("/orders/{number}/note", orders.note, methods=POST),
        Route("/orders/{number}/{what}", orders.change, methods=POST),
        Route("/customers", customers.listing),
        Route("/customers/bulk", customers.bulk, methods=POST),
        Route("/customers/{id:int}", customers.edit, methods=BOTH),
        Route("/customers/{id:int}/orders", customers.orders),
        Route("/customers/{id:int}/block", customers.block, methods=BOTH),
        Route("/customers/{id:int}/note", customers.note, methods=POST),
        Route("/mailing", customers.mailing, methods=BOTH),
        Route("/mailing/confirm", customers.confirm_mailing, methods=BOTH),
        Route("/products", products.listing),
        Route("/products/bulk", products.bulk, methods=POST),
        Route("/products/inline", products.inline, methods=POST),
        Route("/products/{id:int}", products.edit, methods=BOTH),
        Route("/low-stock", products.low_stock),
        Route("/reviews", products.reviews),
        Route("/reviews/bulk", products.bulk_reviews, methods=POST),
        Route("/reviews/{id:int}", products.review, methods=BOTH),
        Route("/reports/{kind}", reports.report),
        Route("/exports", reports.exports, methods=BOTH),
        Route("/exports/{id:int}.csv", reports.download),
        Route("/roles", records.roles),
        Route("/activity", records.activity),
        *[route for entity in records.ENTITIES for route in entity.routes()],
    ],
    questions=QUESTIONS,
    wording=WORDING,
    planted=PLANTED,
    shared=shared,
    filters={"money": money, "plain": plain},
)


def create_app(variant: str = "") -> Starlette:
    """The site in a variant."""
    return SITE.create(variant)
