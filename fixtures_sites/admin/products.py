"""Products: the editable grid, one product, bulk actions, low stock; and reviews of them."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.admin.amounts import cents
from fixtures_sites.admin.grid import Column, Filter, Grid, shown
from fixtures_sites.admin.staff import for_staff, log
from fixtures_sites.forms import Form, form_of, own_path
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

_SOURCE = "products p join categories c on c.id = p.category"
_SELECT = "p.id, p.name, p.sku, p.price, p.stock, p.enabled, c.name as category"
GRID = Grid(
    _SELECT, _SOURCE,
    (Column("id", "ID"), Column("name", "Name", link="/products/{id}"), Column("sku", "SKU"),
     Column("category", "Category"), Column("price", "Price", "money"), Column("stock", "Quantity"),
     Column("enabled", "Enabled", "tick")),
    (Filter("name", "Name", "p.name like ?"), Filter("sku", "SKU", "p.sku like ?"),
     Filter("category", "Category", "c.name like ?"), Filter("min", "Price from", "p.price >= ?", "money"),
     Filter("max", "Price to", "p.price <= ?", "money"), Filter("below", "Quantity up to", "p.stock <= ?", "number"),
     Filter("state", "Enabled", "p.enabled = (? = 'Yes')", "choice", ("Yes", "No"))),
    ("p.name", "p.sku"), "p.id desc",
    (("enable", "Enable"), ("disable", "Disable"), ("empty", "Set out of stock"), ("delete", "Delete")), "/products/bulk",
)  # fmt: skip
LOW = Grid(
    _SELECT, f"{_SOURCE} and p.stock < 5 and p.enabled = 1",
    (Column("name", "Name", link="/products/{id}"), Column("sku", "SKU"), Column("category", "Category"),
     Column("stock", "Quantity")),
    (Filter("category", "Category", "c.name like ?"),), (), "stock, p.id",
)  # fmt: skip
REVIEWS = Grid(
    "r.id, r.day, r.status, r.title, r.author, r.rating, r.text, p.name as product",
    "reviews r join products p on p.id = r.product",
    (Column("id", "ID", link="/reviews/{id}"), Column("day", "Created"), Column("status", "Status"),
     Column("title", "Title"), Column("author", "Nickname"), Column("rating", "Stars"), Column("product", "Product")),
    (Filter("status", "Status", "r.status = ?", "choice", ("Pending", "Approved", "Rejected")),
     Filter("stars", "Stars", "r.rating = ?", "choice", ("1", "2", "3", "4", "5")),
     Filter("product", "Product", "p.name like ?"), Filter("author", "Nickname", "r.author like ?"),
     Filter("title", "Title", "r.title like ?")),
    ("r.title", "r.author", "p.name"), "r.status = 'Pending' desc, r.day desc, r.id desc",
    (("Approved", "Approve"), ("Rejected", "Reject"), ("delete", "Delete")), "/reviews/bulk",
)  # fmt: skip


def _product(request: Request) -> Any:
    number = request.path_params["id"]
    product = visit_of(request).data.row(f"select p.*, c.name as leaf from {_SOURCE} where p.id = ?", number)
    if product is None:
        raise HTTPException(404, f"There is no product {number}.")
    return product


@for_staff()
async def listing(request: Request) -> Response:
    """All products; price and quantity can be edited in their row."""
    return render(request, "grid.html", title="Products", shown=shown(GRID, request), inline=True)


@for_staff()
async def low_stock(request: Request) -> Response:
    """Enabled products of which fewer than five are left."""
    return render(request, "grid.html", title="Low stock", shown=shown(LOW, request))


@for_staff("catalog")
async def inline(request: Request) -> Response:
    """Keeps price and quantity of a row of the grid."""
    form = await form_of(request)
    visit = visit_of(request)
    amount, stock = (
        cents(form.text("price")),
        form.whole("stock", 0, 99_999, "Enter a quantity of 0 or more."),
    )
    form.check("price", bool(amount), "Enter a price such as 12.50.")
    if form.ok:
        visit.data.change(
            "update products set price = ?, stock = ? where id = ?", amount, stock, form.text("id")
        )
        visit.tell("You saved the product.")
        log(request, f"Changed price and quantity of product {form.text('id')}")
    else:
        visit.tell(" ".join(form.errors.values()), "alert")
    return go(own_path(form.text("back", "/products")))


@for_staff("catalog")
async def bulk(request: Request) -> Response:
    """One action on the ticked products."""
    form = await form_of(request)
    changes = {
        "enable": "update products set enabled = 1 where id = ?",
        "disable": "update products set enabled = 0 where id = ?",
        "empty": "update products set stock = 0 where id = ?",
        "delete": "delete from products where id = ?",
    }
    return _bulk(request, form, changes, "product")


@for_staff("catalog")
async def edit(request: Request) -> Response:
    """One product."""
    product = _product(request)
    visit = visit_of(request)
    leaves = visit.data.rows("select id, name from categories where parent is not null order by name")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        name = form.need("name", "This is a required field.")
        amount, special = cents(form.text("price")), form.text("list_price")
        form.check("price", bool(amount), "Enter a price such as 12.50.")
        form.check(
            "list_price", not special or bool(cents(special)), "Enter a price such as 12.50, or nothing."
        )
        stock = form.whole("stock", 0, 99_999, "Enter a quantity of 0 or more.")
        form.check(
            "category", form.text("category") in {str(leaf["id"]) for leaf in leaves}, "Choose a category."
        )
        if form.ok:
            visit.data.change(
                "update products set name = ?, price = ?, list_price = ?, stock = ?, category = ?, description = ?,"
                " enabled = ? where id = ?",
                name, amount, cents(special) if special else None, stock, int(form.text("category")),
                form.text("description"), int("enabled" in form), product["id"],
            )  # fmt: skip
            visit.tell("You saved the product.")
            log(request, f"Saved the product {product['sku']}")
            return go(f"/products/{product['id']}")
    options = visit.data.rows("select kind, group_concat(value, ', ') as vals from options where product = ? group by kind", product["id"])  # fmt: skip
    return render(
        request, "product.html", 422 if form else 200, product=product, form=form, options=options,
        leaves=[(leaf["id"], leaf["name"]) for leaf in leaves],
    )  # fmt: skip


@for_staff()
async def reviews(request: Request) -> Response:
    """All reviews, those that wait first."""
    return render(request, "grid.html", title="Reviews", shown=shown(REVIEWS, request))


@for_staff("content")
async def bulk_reviews(request: Request) -> Response:
    """One action on the ticked reviews."""
    form = await form_of(request)
    changes = {
        "Approved": "update reviews set status = 'Approved' where id = ?",
        "Rejected": "update reviews set status = 'Rejected' where id = ?",
        "delete": "delete from reviews where id = ?",
    }
    return _bulk(request, form, changes, "review")


@for_staff("content")
async def review(request: Request) -> Response:
    """One review, with its status."""
    visit = visit_of(request)
    number = request.path_params["id"]
    found = visit.data.row(
        "select r.*, p.name as name, p.slug as slug from reviews r join products p on p.id = r.product where r.id = ?",
        number,
    )
    if found is None:
        raise HTTPException(404, f"There is no review {number}.")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        form.check("status", form.text("status") in ("Pending", "Approved", "Rejected"), "Choose a status.")
        title = form.need("title", "This is a required field.")
        if form.ok:
            visit.data.change(
                "update reviews set status = ?, title = ?, text = ? where id = ?",
                form.text("status"), title, form.text("text"), number,
            )  # fmt: skip
            visit.tell("You saved the review.")
            log(request, f"Saved the review {number}")
            return go("/reviews")
    return render(request, "review.html", 422 if form else 200, review=found, form=form)


def _bulk(request: Request, form: Form, changes: dict[str, str], one: str) -> Response:
    visit, numbers = visit_of(request), form.texts("ids")
    sql = changes.get(form.text("action"))
    if sql is None or not numbers:
        visit.tell("Select an action and at least one item.", "alert")
    else:
        for number in numbers:
            visit.data.change(sql, number)
        visit.tell(f"A total of {len(numbers)} record(s) were updated.")
        log(request, f"Updated {len(numbers)} {one}s: {form.text('action').lower()}")
    return go(own_path(form.text("back", f"/{one}s")))
