"""Tasks on the host of repositories."""

from fixtures_sites.code.tasks import (
    arranging,
    authoring,
    discussing,
    managing,
    planning,
    reading,
    refused,
    reviewing,
    spanning,
)
from fixtures_sites.tasks import Book

PARTS = (reading, discussing, planning, arranging, reviewing, managing, authoring, refused, spanning)
BOOK = Book(
    "code",
    nuisances=[("button", "Got it")],
    templates=[template for part in PARTS for template in part.BOOK.templates],
)
