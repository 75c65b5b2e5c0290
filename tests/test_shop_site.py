"""The shop: what its pages and forms do, asked without a browser; in one, its tasks' scripts do it."""

import re

import pytest

from fixtures_sites.server import FixtureServer
from fixtures_sites.shop.seeded import ACCOUNTS
from fixtures_sites.shop.tasks.shelf import PLAIN, rows
from fixtures_sites.shop.wording import PLANTED, WORDING
from tests.visitor import Visitor

PRODUCT = rows(f"select * from products where {PLAIN} and price > 3000 order by id")[0]
ADD = f"/product/{PRODUCT['slug']}/add"
GUEST = {
    "email": "a@example.com",
    "recipient": "Ana",
    "street": "1 Elm",
    "city": "Omaha",
    "state": "NE",
    "zip": "68102",
}
CARD = {"card": "4242 4242 4242 4242", "holder": "Ana", "expiry": "12/28", "cvc": "123"}


@pytest.fixture
def visitor(server: FixtureServer) -> Visitor:
    return Visitor(server.port, "shop")


def signed_in(visitor: Visitor) -> Visitor:
    email, password, *_ = ACCOUNTS[0]
    assert "Welcome back" in visitor.send("/account/sign-in", {"email": email, "password": password}).text
    return visitor


def test_the_catalogue_is_of_the_size_of_a_real_one() -> None:
    counts = {name: rows(f"select count(*) from {name}")[0][0] for name in ("products", "reviews", "brands")}
    assert counts["products"] >= 1500
    assert counts["reviews"] >= 3000
    assert counts["brands"] >= 40


@pytest.mark.parametrize(
    "path",
    ["/", "/search", "/search?q=kettle", "/search?q=zzzz", "/category/boots?rating=4&sort=price-asc&page=2", "/brand/juno",
     f"/product/{PRODUCT['slug']}", f"/product/{PRODUCT['slug']}/also", "/cart", "/help", "/contact", "/account/sign-in"],
)  # fmt: skip
def test_a_page_for_everyone_is_shown(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 200
    assert page.text.count("<h1>") == (0 if path.endswith("/also") else 1)


@pytest.mark.parametrize(
    "path", ["/product/none", "/category/none", "/brand/none", "/checkout/none", "/account/none"]
)
def test_an_address_that_shows_nothing_is_a_404_page(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 404
    assert "Page not found" in page.text


@pytest.mark.parametrize(
    "path", ["/account", "/account/orders", "/account/addresses", "/account/addresses/new", "/account/addresses/1",
             "/account/profile", "/account/password", "/wish-list", f"/product/{PRODUCT['slug']}/review"]
)  # fmt: skip
def test_a_page_of_the_account_is_for_those_who_are_signed_in(visitor: Visitor, path: str) -> None:
    assert visitor.get(path).location.startswith("/account/sign-in?back=")
    assert signed_in(visitor).get(path).status == 200


def test_a_wrong_password_is_said_beside_the_field(visitor: Visitor) -> None:
    page = visitor.send("/account/sign-in", {"email": ACCOUNTS[0][0], "password": "no"})
    assert page.status == 422
    assert re.search(
        r'<span class="error" id="e-password">E-mail address and password do not match', page.text
    )


def test_filters_narrow_and_sorting_orders(visitor: Visitor) -> None:
    page = visitor.get("/search?q=boots&max=120&sort=price-desc&stock=1").text
    prices = [float(text.replace(",", "")) for text in re.findall(r'class="price">\$([\d.,]+)', page)]
    assert prices == sorted(prices, reverse=True)
    assert 0 < max(prices) <= 120


def test_a_product_with_choices_is_not_added_without_them(visitor: Visitor) -> None:
    slug = rows(
        "select slug from products where stock > 9 and id in (select product from options) order by id"
    )[0][0]
    assert "Please choose a" in visitor.send(f"/product/{slug}/add", {"quantity": "1"}).text
    assert visitor.get("/__state/cart").json["lines"] == []


def test_a_guest_orders_with_a_coupon(visitor: Visitor) -> None:
    visitor.send(ADD, {"quantity": "3"})
    assert "expired" in visitor.send("/cart/coupon", {"code": "SPRING25"}).text
    assert "was applied" in visitor.send("/cart/coupon", {"code": "welcome10"}).text
    assert visitor.get("/checkout/payment").location == "/checkout/address"
    bad = visitor.send("/checkout/address", {**GUEST, "zip": "1", "email": "x"})
    assert "ZIP code of five digits" in bad.text
    assert "Enter an e-mail address" in bad.text
    visitor.send("/checkout/address", GUEST)
    visitor.send("/checkout/shipping", {"method": "Express"})
    assert "not valid" in visitor.send("/checkout/payment", {**CARD, "card": "4242 4242 4242 4241"}).text
    visitor.send("/checkout/payment", CARD)
    assert "accept the terms" in visitor.send("/checkout/review").text
    assert "Thank you for your order" in visitor.send("/checkout/review", {"terms": "1"}).text
    (order,) = visitor.get("/__state/placed").json
    total = PRODUCT["price"] * 3 - round(PRODUCT["price"] * 3 * 10 / 100) + 1295
    assert (order["total"], order["coupon"], order["card"]) == (total, "WELCOME10", "4242")
    assert visitor.get("/__state/cart").json == {"lines": [], "coupon": None}


def test_only_an_order_that_is_processing_can_be_cancelled(visitor: Visitor) -> None:
    signed_in(visitor)
    delivered = rows("select number from orders where user = 1 and status = 'Delivered'")[0][0]
    processing = rows("select number from orders where user = 1 and status = 'Processing'")[0][0]
    assert "can be cancelled" in visitor.send(f"/account/orders/{delivered}/cancel").text
    visitor.send(f"/account/orders/{processing}/cancel")
    assert visitor.get(f"/__state/order?number={processing}").json["status"] == "Cancelled"
    other = rows("select number from orders where user = 2")[0][0]
    assert visitor.get(f"/account/orders/{other}").status == 404


def test_what_one_session_does_no_other_sees(server: FixtureServer, visitor: Visitor) -> None:
    visitor.send(ADD, {"quantity": "2"})
    assert len(visitor.get("/__state/cart").json["lines"]) == 1
    assert Visitor(server.port, "shop").get("/__state/cart").json["lines"] == []
    visitor.post("/__reset")
    assert visitor.get("/__state/cart").json["lines"] == []


def test_the_redesign_has_other_names_and_the_hostile_variant_plants_content() -> None:
    with FixtureServer(variant="redesign") as server:
        page = Visitor(server.port, "shop").get(f"/product/{PRODUCT['slug']}").text
        for old in ("Add to cart", "Search products", "Quantity"):
            assert f">{old}<" not in page
            assert WORDING[old] in page
    reviewed = rows("select slug from products where reviews > 0 order by id")[0][0]
    with FixtureServer(variant="hostile") as server:
        page = Visitor(server.port, "shop").get(f"/product/{reviewed}").text
        assert all(text[:30] in page for text in PLANTED.values())
