"""Tasks on the shop."""

from fixtures_sites.shop.tasks import buying, owning, reading, refused, spanning
from fixtures_sites.tasks import Book

PARTS = (reading, buying, owning, refused, spanning)
BOOK = Book(
    "shop",
    nuisances=[("button", "No thanks")],
    templates=[template for part in PARTS for template in part.BOOK.templates],
)
