"""A grid of records as the back office shows them: keyword, filters, sorting, pages, bulk actions."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from fixtures_sites.admin.amounts import cents
from fixtures_sites.paging import Cut, cut_of
from fixtures_sites.visit import visit_of

PER_PAGE = 20


@dataclass(frozen=True)
class Column:
    """A column: the name it has in the query, its heading, what it holds (text, money, tick), and
    `link`, a path with {names} of the row."""

    name: str
    caption: str
    kind: str = "text"
    link: str = ""


@dataclass(frozen=True)
class Filter:
    """A field of the filter panel and the condition it stands for; `kind` is text, choice, date, money
    or number."""

    name: str
    caption: str
    sql: str
    kind: str = "text"
    options: tuple[str, ...] = ()

    def value(self, text: str) -> Any:
        """What the condition compares with; None where nothing sensible was entered."""
        if self.kind == "text":
            return f"%{text}%" if text else None
        if self.kind == "money":
            return cents(text)
        if self.kind == "number":
            return int(text) if text.isdecimal() and len(text) < 10 else None
        if self.kind == "date":
            return text if is_date(text) else None
        return text or None


@dataclass(frozen=True)
class Grid:
    """Which records, and how they are shown. `keyword` are the columns that the search box looks into,
    `order` is the order before anyone sorts, `bulk` the actions on ticked rows as (key, name)."""

    select: str
    source: str
    columns: Sequence[Column]
    filters: Sequence[Filter] = ()
    keyword: Sequence[str] = ()
    order: str = "rowid"
    bulk: Sequence[tuple[str, str]] = ()
    bulk_path: str = ""
    key: str = "id"


@dataclass(frozen=True)
class Shown:
    """What of a grid a page shows."""

    grid: Grid
    rows: Sequence[sqlite3.Row]
    cut: Cut
    asked: Mapping[str, str]
    headings: Sequence[tuple[Column, str, str]]
    """Column, address that sorts by it, and how it is sorted now (ascending, descending or empty)."""

    @property
    def filtered(self) -> bool:
        """Whether any filter is set."""
        return any(self.asked.get(one.name) for one in self.grid.filters)


def is_date(text: str) -> bool:
    """Whether it is a day such as 2026-06-15."""
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


def shown(grid: Grid, request: Request, per_page: int = PER_PAGE) -> Shown:
    """The rows that the address asks for."""
    asked = {key: value.strip()[:120] for key, value in request.query_params.items()}
    where, values = _conditions(grid, asked)
    data = visit_of(request).data
    total = data.value(f"select count(*) from {grid.source} where {where}", *values)
    cut = cut_of(total, request, per_page)
    sort, down = asked.get("sort", ""), asked.get("dir") == "desc"
    known = {column.name for column in grid.columns}
    order = f'"{sort}" {"desc" if down else "asc"}, place' if sort in known else "place"
    # a column's name may be that of several tables: it is sorted by what the grid shows
    rows = data.rows(
        f"select * from (select {grid.select}, row_number() over (order by {grid.order}) as place"
        f" from {grid.source} where {where}) order by {order} limit ? offset ?",
        *values,
        per_page,
        cut.offset,
    )
    headings = [
        (column, _sorting(request, column.name, sort == column.name and not down),
         ("descending" if down else "ascending") if sort == column.name else "")
        for column in grid.columns
    ]  # fmt: skip
    return Shown(grid, rows, cut, asked, headings)


def _conditions(grid: Grid, asked: Mapping[str, str]) -> tuple[str, list[Any]]:
    parts, values = ["1"], []
    if (text := asked.get("q", "")) and grid.keyword:
        parts.append("(" + " or ".join(f"{column} like ?" for column in grid.keyword) + ")")
        values += [f"%{text}%"] * len(grid.keyword)
    for one in grid.filters:
        value = one.value(asked.get(one.name, ""))
        if value is not None:
            parts.append(one.sql)
            values.append(value)
    return " and ".join(parts), values


def _sorting(request: Request, name: str, down: bool) -> str:
    kept = {key: value for key, value in request.query_params.items() if key not in ("sort", "dir", "page")}
    return f"{request.url.path}?{urlencode({**kept, 'sort': name, 'dir': 'desc' if down else 'asc'})}"
