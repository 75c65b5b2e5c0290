"""Tasks on the back office."""

from fixtures_sites.admin.tasks import keeping, reading, refused, selling, spanning, stocking
from fixtures_sites.tasks import Book

PARTS = (reading, selling, stocking, keeping, refused, spanning)
BOOK = Book(
    "admin",
    nuisances=[("button", "Don't allow")],
    templates=[template for part in PARTS for template in part.BOOK.templates],
)
