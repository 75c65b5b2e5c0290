"""A long list cut into numbered pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.requests import Request

PER_PAGE = 10

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list; `previous_url` and `next_url` are empty at the ends."""

    items: Sequence[T]
    number: int
    count: int
    total: int
    previous_url: str
    next_url: str

    @property
    def first(self) -> int:
        """Number of the first item, counted from 1 over the whole list."""
        return (self.number - 1) * PER_PAGE + 1


def page_of(items: Sequence[T], request: Request) -> Page[T]:
    """The page that the address asks for by `page`, or the nearest one that there is."""
    count = max(1, -(-len(items) // PER_PAGE))
    wanted = request.query_params.get("page", "1")
    number = min(max(1, int(wanted)), count) if wanted.isdecimal() and len(wanted) < 7 else 1
    start = (number - 1) * PER_PAGE

    def url(other: int) -> str:
        target = request.url.include_query_params(page=other)
        return f"{target.path}?{target.query}" if 1 <= other <= count else ""

    return Page(items[start : start + PER_PAGE], number, count, len(items), url(number - 1), url(number + 1))
