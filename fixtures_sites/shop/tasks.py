"""Tasks on the shop."""

from fixtures_sites.seeded import Dice
from fixtures_sites.shop.app import SITE
from fixtures_sites.shop.money import money
from fixtures_sites.steps import answer, button, fill
from fixtures_sites.tasks import Book, Case

BOOK = Book("shop", nuisances=[("button", "No thanks")])


def _product(dice: Dice, condition: str = "stock > 9"):  # type: ignore[no-untyped-def]
    return dice.pick(SITE.data.rows(f"select * from products where {condition} order by id"))


def _search(text: str) -> list[dict[str, object]]:
    return [fill("Search products", text, role="searchbox"), button("Search")]


@BOOK.template("What does the {product} cost?", "Find the price of the {product}.", count=5)
def price(dice: Dice) -> Case:
    """Search, read."""
    product = _product(dice)
    return Case(
        {"product": product["name"]},
        {"answer": money(product["price"])},
        [*_search(product["name"]), answer(money(product["price"]))],
        [*_search(product["name"]), answer(money(product["price"] + 100))],
    )
