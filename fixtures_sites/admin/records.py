"""The plain records of the back office: which there are, their grids and forms."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.admin.entity import Entity, Field
from fixtures_sites.admin.grid import Column, Filter, Grid, shown
from fixtures_sites.admin.seeded import ROLES
from fixtures_sites.admin.staff import for_staff
from fixtures_sites.forms import Form
from fixtures_sites.shop.seeded import STATES
from fixtures_sites.site import render

KINDS = ("percent", "amount", "shipping")


def _dates(form: Form, values: dict[str, Any]) -> None:
    form.check("until", values["since"] <= values["until"], "The end lies before the start.")
    if values["kind"] == "percent" and values["value"] is not None:
        form.check("value", 1 <= values["value"] <= 90, "Enter a percentage from 1 to 90.")


COUPONS = Entity(
    "coupons", "/coupons", "Cart price rules", "rule", "marketing",
    Grid(
        "rowid as id, *", "coupons",
        (Column("code", "Coupon code", link="/coupons/{id}"), Column("text", "Description"), Column("kind", "Type"),
         Column("since", "Start"), Column("until", "End"), Column("used", "Uses"), Column("active", "Active", "tick")),
        (Filter("code", "Coupon code", "code like ?"), Filter("kind", "Type", "kind = ?", "choice", KINDS),
         Filter("on", "Valid on", "? between since and until", "date")),
        ("code", "text"), "code",
    ),
    (Field("code", "Coupon code", "code"), Field("text", "Description"), Field("kind", "Type", "choice", KINDS),
     Field("value", "Discount", "whole", hint="Percent, or cents for an amount."),
     Field("minimum", "Minimum subtotal", "money"), Field("since", "Start date", "date"),
     Field("until", "End date", "date"), Field("active", "Active", "tick")),
    "code", check=_dates,
)  # fmt: skip
_CONTENT = (
    Field("slug", "URL key"), Field("title", "Title"), Field("body", "Content", "area"), Field("active", "Enabled", "tick"),
)  # fmt: skip


def _content(table: str, title: str, one: str) -> Entity:
    columns = (
        Column("title", "Title", link=f"/{table}/{{id}}"),
        Column("slug", "URL key"),
        Column("active", "Enabled", "tick"),
    )
    return Entity(
        table, f"/{table}", title, one, "content",
        Grid("rowid as id, *", table, columns, (), ("title", "slug", "body"), "title"), _CONTENT, "slug",
    )  # fmt: skip


PAGES = _content("pages", "Pages", "page")
BLOCKS = _content("blocks", "Blocks", "block")
METHODS = Entity(
    "methods", "/shipping", "Shipping methods", "shipping method", "system",
    Grid("rowid as id, *", "methods",
         (Column("name", "Method", link="/shipping/{id}"), Column("price", "Price", "money"), Column("days", "Days"),
          Column("active", "Enabled", "tick"))),
    (Field("name", "Method"), Field("price", "Price", "money"), Field("days", "Delivery days", "whole"),
     Field("active", "Enabled", "tick")),
    "name", deletable=False,
)  # fmt: skip
TAXES = Entity(
    "taxes", "/taxes", "Tax rates", "tax rate", "system",
    Grid("rowid as id, *", "taxes",
         (Column("state", "State", link="/taxes/{id}"), Column("rate", "Rate %"),
          Column("shipping_too", "On shipping", "tick")), order="state"),
    (Field("state", "State", "choice", STATES), Field("rate", "Rate", "rate"),
     Field("shipping_too", "Tax shipping as well", "tick")),
    "state",
)  # fmt: skip
ATTRIBUTES = Entity(
    "attributes", "/attributes", "Attributes", "attribute", "catalog",
    Grid("rowid as id, *", "attributes",
         (Column("name", "Attribute", link="/attributes/{id}"), Column("vals", "Values"),
          Column("filterable", "In filters", "tick")), (), ("name", "vals"), "name"),
    (Field("name", "Attribute"), Field("vals", "Values", hint="With a comma between them."),
     Field("filterable", "Use in filters", "tick")),
    "name",
)  # fmt: skip
STAFF = Entity(
    "staff", "/staff", "All users", "user", "system",
    Grid("rowid as id, *", "staff",
         (Column("login", "User name", link="/staff/{id}"), Column("name", "Name"), Column("email", "E-mail"),
          Column("role", "Role"), Column("active", "Active", "tick")),
         (Filter("role", "Role", "role = ?", "choice", tuple(ROLES)),), ("login", "name"), "login"),
    (Field("login", "User name"), Field("name", "Full name"), Field("email", "E-mail", "email"),
     Field("role", "Role", "choice", tuple(ROLES)), Field("active", "This account is active", "tick")),
    "login", deletable=False,
)  # fmt: skip
CATEGORIES = Entity(
    "categories", "/categories", "Categories", "category", "catalog",
    Grid("c.id, c.name, c.slug, p.name as above, (select count(*) from products x where x.category = c.id) as products",
         "categories c left join categories p on p.id = c.parent",
         (Column("name", "Category", link="/categories/{id}"), Column("above", "Parent"), Column("slug", "URL key"),
          Column("products", "Products")), (), ("c.name",), "c.id"),
    (Field("name", "Category"), Field("slug", "URL key")),
    "name", deletable=False, makeable=False,
)  # fmt: skip
STORE = Entity(
    "store", "/store", "Store information", "store information", "system",
    Grid("rowid as id, *", "store", (Column("name", "Store", link="/store/{id}"), Column("phone", "Phone"))),
    (Field("name", "Store name"), Field("email", "E-mail", "email"), Field("phone", "Phone"),
     Field("street", "Street"), Field("city", "City"), Field("state", "State"), Field("zip", "ZIP code"),
     Field("hours", "Opening hours"), Field("free_from", "Free shipping from", "money")),
    "name", deletable=False, makeable=False,
)  # fmt: skip
ENTITIES = (COUPONS, PAGES, BLOCKS, METHODS, TAXES, ATTRIBUTES, STAFF, CATEGORIES, STORE)
ACTIVITY = Grid(
    "*", "activity", (Column("time", "Time"), Column("login", "User name"), Column("what", "Action")),
    (Filter("login", "User name", "login like ?"), Filter("from", "From", "time >= ?", "date"),
     Filter("to", "To", "substr(time, 1, 10) <= ?", "date")),
    ("what",), "id desc",
)  # fmt: skip


@for_staff()
async def activity(request: Request) -> Response:
    """What the staff did, newest first."""
    return render(request, "grid.html", title="Action log", shown=shown(ACTIVITY, request))


@for_staff()
async def roles(request: Request) -> Response:
    """Which role may change what."""
    return render(request, "roles.html", roles=ROLES)
