"""The shop as a web application: which address is answered by which page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from fixtures_sites.shop import account, browsing, cart, catalogue, checkout, service
from fixtures_sites.shop.accounts import user_of
from fixtures_sites.shop.money import money
from fixtures_sites.shop.questions import QUESTIONS
from fixtures_sites.shop.seeded import build
from fixtures_sites.shop.wording import PLANTED, WORDING
from fixtures_sites.site import Site
from fixtures_sites.visit import visit_of

POST = ["POST"]
BOTH = ["GET", "POST"]


def shared(request: Request) -> Mapping[str, Any]:
    """What the header of every page shows."""
    data = visit_of(request).data
    return {
        "user": user_of(request),
        "cart_count": data.value("select coalesce(sum(quantity), 0) from cart"),
        "menu": catalogue.departments(data),
        "query": request.query_params.get("q", ""),
    }


SITE = Site(
    name="shop",
    folder=Path(__file__).parent,
    build=build,
    routes=[
        Route("/", browsing.home),
        Route("/search", browsing.search),
        Route("/suggest", browsing.suggest),
        Route("/category/{slug}", browsing.category),
        Route("/brand/{slug}", browsing.brand),
        Route("/product/{slug}", browsing.product),
        Route("/product/{slug}/also", browsing.also),
        Route("/product/{slug}/review", browsing.write_review, methods=BOTH),
        Route("/product/{slug}/helpful", browsing.helpful, methods=POST),
        Route("/product/{slug}/add", cart.add, methods=POST),
        Route("/cart", cart.show),
        Route("/cart/change", cart.change, methods=POST),
        Route("/cart/empty", cart.empty, methods=POST),
        Route("/cart/coupon", cart.coupon, methods=POST),
        Route("/checkout", checkout.start),
        Route("/checkout/{step}", checkout.step, methods=BOTH),
        Route("/checkout/done/{number}", checkout.finished),
        Route("/account", account.overview),
        Route("/account/sign-in", account.sign_in, methods=BOTH),
        Route("/account/sign-out", account.sign_out, methods=POST),
        Route("/account/orders", account.orders),
        Route("/account/orders/{number}", account.order),
        Route("/account/orders/{number}/cancel", account.cancel, methods=BOTH),
        Route("/account/orders/{number}/again", account.buy_again, methods=POST),
        Route("/account/orders/{number}/return/{line:int}", account.send_back, methods=BOTH),
        Route("/account/addresses", account.addresses),
        Route("/account/addresses/new", account.edit_address, methods=BOTH),
        Route("/account/addresses/{id:int}", account.edit_address, methods=BOTH),
        Route("/account/addresses/{id:int}/change", account.change_address, methods=POST),
        Route("/account/profile", account.profile, methods=BOTH),
        Route("/account/password", account.password, methods=BOTH),
        Route("/wish-list", account.wishes),
        Route("/wish-list/{what}", account.change_wish, methods=POST),
        Route("/help", service.help_page),
        Route("/contact", service.contact, methods=BOTH),
        Route("/newsletter", service.newsletter, methods=POST),
    ],
    questions=QUESTIONS,
    wording=WORDING,
    planted=PLANTED,
    shared=shared,
    filters={"money": money},
)


def create_app(variant: str = "") -> Starlette:
    """The site in a variant."""
    return SITE.create(variant)
