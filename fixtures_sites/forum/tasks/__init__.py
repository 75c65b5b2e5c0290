"""Tasks on the forum."""

from fixtures_sites.forum.tasks import keeping, owning, posting, reading, refused, spanning, taking
from fixtures_sites.tasks import Book

PARTS = (reading, taking, posting, owning, keeping, refused, spanning)
BOOK = Book(
    "forum",
    nuisances=[("button", "Maybe later")],
    templates=[template for part in PARTS for template in part.BOOK.templates],
)
