"""Tasks on the travel site."""

from fixtures_sites.tasks import Book
from fixtures_sites.travel.tasks import flying, owning, reading, refused, spanning, staying

PARTS = (reading, flying, staying, owning, refused, spanning)
BOOK = Book(
    "travel",
    nuisances=[("button", "Not now"), ("button", "Reject all")],
    templates=[template for part in PARTS for template in part.BOOK.templates],
)
