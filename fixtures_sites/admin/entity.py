"""Plain records with a grid and a form: coupons, pages, tax rates and the like."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fixtures_sites.admin.amounts import cents, plain
from fixtures_sites.admin.grid import Grid, is_date, shown
from fixtures_sites.admin.staff import for_staff, log
from fixtures_sites.forms import EMAIL, Form, form_of
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of


@dataclass(frozen=True)
class Field:
    """A field of the form; `kind` is text, area, whole, money, date, choice, tick, email or code."""

    name: str
    caption: str
    kind: str = "text"
    options: tuple[str, ...] = ()
    needed: bool = True
    hint: str = ""

    def read(self, form: Form) -> Any:
        """The value to keep; what is wrong with it is noted in the form."""
        text = form.text(self.name)
        if self.kind == "tick":
            return int(self.name in form)
        if not text:
            form.check(self.name, not self.needed, "This is a required field.")
            return None if self.kind in ("money", "whole") else ""
        if self.kind == "money":
            form.check(self.name, cents(text) is not None, "Enter an amount such as 12.50.")
            return cents(text)
        if self.kind == "whole":
            return form.whole(self.name, 0, 99_999, "Enter a whole number of 0 or more.")
        checks: dict[str, Callable[[], bool]] = {
            "date": lambda: is_date(text),
            "choice": lambda: text in self.options,
            "email": lambda: re.fullmatch(EMAIL, text) is not None,
            "code": lambda: re.fullmatch(r"[A-Z0-9]{3,20}", text) is not None,
            "rate": lambda: re.fullmatch(r"\d{1,2}(\.\d{1,3})?", text) is not None,
        }
        messages = {
            "date": "Enter a date.",
            "choice": "Choose one.",
            "email": "Enter an e-mail address, such as name@example.com.",
            "code": "Use 3 to 20 capital letters and digits.",
            "rate": "Enter a percentage such as 7.25.",
        }
        form.check(self.name, self.kind not in checks or checks[self.kind](), messages.get(self.kind, ""))
        return text

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The options as a list box needs them."""
        return [(one, one) for one in self.options]

    def shown(self, value: Any) -> Any:
        """The value as the form shows it."""
        return plain(value) if self.kind == "money" else "" if value is None else value


@dataclass(frozen=True)
class Entity:
    """A kind of record. `unique` is the field that no two may share, `tells` the one that names it."""

    table: str
    path: str
    title: str
    one: str
    area: str
    grid: Grid
    fields: Sequence[Field]
    unique: str
    deletable: bool = True
    makeable: bool = True
    check: Callable[[Form, dict[str, Any]], None] = lambda _form, _values: None

    def routes(self) -> list[Route]:
        """The pages of the grid, of a record, of a new one."""
        guard = for_staff(self.area)
        both = ["GET", "POST"]
        return [
            Route(self.path, for_staff()(self.listing)),
            *([Route(f"{self.path}/new", guard(self.edit), methods=both)] if self.makeable else []),
            Route(f"{self.path}/{{id:int}}", guard(self.edit), methods=both),
            *(
                [Route(f"{self.path}/{{id:int}}/delete", guard(self.delete), methods=["POST"])]
                if self.deletable
                else []
            ),
        ]

    async def listing(self, request: Request) -> Response:
        """The grid of all."""
        new = (f"Add new {self.one}", f"{self.path}/new") if self.makeable else None
        return render(request, "grid.html", title=self.title, shown=shown(self.grid, request), new=new)

    async def edit(self, request: Request) -> Response:
        """The form of a new or a known record, and what was sent with it."""
        data = visit_of(request).data
        number = request.path_params.get("id")
        known = (
            data.row(f"select rowid as id, * from {self.table} where rowid = ?", number) if number else None
        )
        if number and known is None:
            raise HTTPException(404, f"This {self.one} no longer exists.")
        form = await form_of(request) if request.method == "POST" else None
        if form is not None:
            values = {field.name: field.read(form) for field in self.fields}
            taken = data.value(
                f"select rowid from {self.table} where {self.unique} = ? and rowid <> ?",
                values[self.unique],
                number or 0,
            )
            form.check(self.unique, taken is None, f"There is a {self.one} with this already.")
            self.check(form, values)
            if form.ok:
                self._save(request, number, values)
                return go(self.path)
        return render(request, "edit.html", 422 if form else 200, entity=self, known=known, form=form)

    def _save(self, request: Request, number: int | None, values: dict[str, Any]) -> None:
        data = visit_of(request).data
        if number:
            sets = ", ".join(f"{name} = ?" for name in values)
            data.change(f"update {self.table} set {sets} where rowid = ?", *values.values(), number)
        else:
            holes = ", ".join("?" * len(values))
            data.change(f"insert into {self.table} ({', '.join(values)}) values ({holes})", *values.values())
        visit_of(request).tell(f"You saved the {self.one}.")
        log(request, f"Saved the {self.one} {values[self.unique]}")

    async def delete(self, request: Request) -> Response:
        """Deletes the record."""
        await form_of(request)
        visit_of(request).data.change(f"delete from {self.table} where rowid = ?", request.path_params["id"])
        visit_of(request).tell(f"You deleted the {self.one}.")
        log(request, f"Deleted a {self.one}")
        return go(self.path)
