"""A long list cut into numbered pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.requests import Request

PER_PAGE = 10

T = TypeVar("T")


@dataclass(frozen=True)
class Cut:
    """Which part of a list of `total` a page shows; `previous_url` and `next_url` are empty at the
    ends."""

    number: int
    count: int
    total: int
    per_page: int
    urls: tuple[str, ...]
    """Of all pages, in order."""

    @property
    def offset(self) -> int:
        """How many items come before."""
        return (self.number - 1) * self.per_page

    @property
    def first(self) -> int:
        """Number of the first item, counted from 1 over the whole list."""
        return self.offset + 1

    @property
    def last(self) -> int:
        """Number of the last item."""
        return min(self.total, self.offset + self.per_page)

    @property
    def previous_url(self) -> str:
        return self.urls[self.number - 2] if self.number > 1 else ""

    @property
    def next_url(self) -> str:
        return self.urls[self.number] if self.number < self.count else ""


@dataclass(frozen=True)
class Page(Cut, Generic[T]):
    """One page of a list that is at hand as a whole."""

    items: Sequence[T] = ()


def cut_of(total: int, request: Request, per_page: int = PER_PAGE) -> Cut:
    """The page that the address asks for by `page`, or the nearest one that there is."""
    return Cut(*_numbers(total, request, per_page))


def page_of(items: Sequence[T], request: Request, per_page: int = PER_PAGE) -> Page[T]:
    """The same with the items of that page."""
    number, count, total, per_page, urls = _numbers(len(items), request, per_page)
    start = (number - 1) * per_page
    return Page(number, count, total, per_page, urls, items[start : start + per_page])


def _numbers(total: int, request: Request, per_page: int) -> tuple[int, int, int, int, tuple[str, ...]]:
    count = max(1, -(-total // per_page))
    wanted = request.query_params.get("page", "1")
    number = min(max(1, int(wanted)), count) if wanted.isdecimal() and len(wanted) < 7 else 1

    def url(page: int) -> str:
        target = request.url.include_query_params(page=page)
        return f"{target.path}?{target.query}"

    return number, count, total, per_page, tuple(url(page) for page in range(1, count + 1))
