"""What can be bought: products by search, category and filters, and all about one of them."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fixtures_sites.slugs import words
from fixtures_sites.state import Data

SORTS = {
    "relevance": ("Best match", "p.reviews desc, p.id"),
    "price-asc": ("Price: low to high", "p.price, p.id"),
    "price-desc": ("Price: high to low", "p.price desc, p.id"),
    "rating": ("Customer rating", "p.rating desc, p.reviews desc, p.id"),
    "newest": ("Newest", "p.released desc, p.id"),
    "reviews": ("Most reviewed", "p.reviews desc, p.id"),
}
CARD = (
    "select p.*, b.name as brand_name, b.slug as brand_slug, c.name as category_name, c.slug as category_slug"
    " from products p join brands b on b.id = p.brand join categories c on c.id = p.category"
)


@dataclass(frozen=True)
class Wanted:
    """What a listing shows: the words searched for, a category, and filters. Prices in cents."""

    query: str = ""
    category: str = ""
    brands: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    rating: int = 0
    in_stock: bool = False
    on_sale: bool = False
    sort: str = "relevance"

    @classmethod
    def of(cls, asked: Mapping[str, str], brands: list[str], category: str = "") -> "Wanted":
        """From the address of a listing; values that mean nothing are left out."""
        return cls(
            query=asked.get("q", "").strip()[:120],
            category=category or asked.get("category", ""),
            brands=tuple(brands),
            low=_cents(asked.get("min", "")),
            high=_cents(asked.get("max", "")),
            rating=int(asked["rating"]) if asked.get("rating", "") in ("1", "2", "3", "4") else 0,
            in_stock=asked.get("stock") == "1",
            on_sale=asked.get("sale") == "1",
            sort=asked.get("sort", "") if asked.get("sort", "") in SORTS else "relevance",
        )

    def condition(self, *, with_brands: bool = True) -> tuple[str, list[Any]]:
        """The SQL condition and its values."""
        parts: list[str] = []
        values: list[Any] = []
        for word in words(self.query):
            parts.append("p.search like ?")
            values.append(f"%{word}%")
        if self.category:
            parts.append("(c.slug = ? or c.parent = (select id from categories where slug = ?))")
            values += [self.category, self.category]
        if self.brands and with_brands:
            parts.append(f"b.slug in ({', '.join('?' * len(self.brands))})")
            values += self.brands
        for sign, amount in ((">=", self.low), ("<=", self.high)):
            if amount is not None:
                parts.append(f"p.price {sign} ?")
                values.append(amount)
        if self.rating:
            parts.append("p.rating >= ?")
            values.append(self.rating)
        if self.in_stock:
            parts.append("p.stock > 0")
        if self.on_sale:
            parts.append("p.list_price is not null")
        return " and ".join(parts) or "1", values


def count(data: Data, wanted: Wanted) -> int:
    """How many products a listing has."""
    condition, values = wanted.condition()
    return int(data.value(f"select count(*) from ({CARD} where {condition})", *values))


def listed(data: Data, wanted: Wanted, limit: int = 24, offset: int = 0) -> list[sqlite3.Row]:
    """A part of a listing, in its order."""
    condition, values = wanted.condition()
    order = SORTS[wanted.sort][1]
    return data.rows(f"{CARD} where {condition} order by {order} limit ? offset ?", *values, limit, offset)


def brands_in(data: Data, wanted: Wanted, most: int = 12) -> list[sqlite3.Row]:
    """The brands of a listing with how many products each has there, by name."""
    condition, values = wanted.condition(with_brands=False)
    return data.rows(
        f"select brand_slug as slug, brand_name as name, count(*) as count from ({CARD} where {condition})"
        " group by brand_slug order by count(*) desc, brand_name limit ?",
        *values,
        most,
    )


def product(data: Data, slug: str) -> sqlite3.Row | None:
    """A product by the last part of its address."""
    return data.row(f"{CARD} where p.slug = ?", slug)


def options(data: Data, number: int) -> dict[str, list[str]]:
    """What must be chosen before a product can be bought: values by kind."""
    found: dict[str, list[str]] = {}
    for row in data.rows("select kind, value from options where product = ? order by rowid", number):
        found.setdefault(row["kind"], []).append(row["value"])
    return found


def departments(data: Data) -> list[tuple[sqlite3.Row, list[sqlite3.Row]]]:
    """The departments, each with its categories."""
    rows = data.rows("select * from categories order by id")
    return [
        (row, [leaf for leaf in rows if leaf["parent"] == row["id"]]) for row in rows if not row["parent"]
    ]


def query_string(asked: Mapping[str, str], **changes: str) -> str:
    """The address's query with some values changed; empty ones are left out."""
    return urlencode({key: value for key, value in {**asked, **changes}.items() if value})


def _cents(text: str) -> int | None:
    text = text.strip().removeprefix("$")
    try:
        amount = float(text)
    except ValueError:
        return None
    return round(amount * 100) if 0 <= amount < 1_000_000 else None
