"""Tasks on the host of repositories."""

from fixtures_sites.code.tasks import (
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

PARTS = (reading, discussing, planning, reviewing, managing, authoring, refused, spanning)
BOOK = Book(
    "code",
    nuisances=[("button", "Got it")],
    templates=[template for part in PARTS for template in part.BOOK.templates],
)
