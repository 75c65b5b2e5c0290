"""Pages to look around: start, listings, products and their reviews."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fixtures_sites.forms import Form, form_of
from fixtures_sites.paging import cut_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.shop import catalogue
from fixtures_sites.shop.accounts import user_of
from fixtures_sites.shop.catalogue import SORTS, Wanted
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

PER_PAGE = 24
REVIEWS = 5
REVIEW_ORDERS = {
    "newest": "day desc, id",
    "highest": "rating desc, id",
    "lowest": "rating, id",
    "helpful": "helpful desc, id",
}


async def home(request: Request) -> Response:
    """Departments, what is new and what is reduced."""
    data = visit_of(request).data
    return render(
        request,
        "home.html",
        newest=catalogue.listed(data, Wanted(sort="newest", in_stock=True), 8),
        deals=catalogue.listed(data, Wanted(sort="rating", on_sale=True, in_stock=True), 8),
        departments=catalogue.departments(data),
    )


async def search(request: Request) -> Response:
    """Products that match the words, and the filters."""
    wanted = _wanted(request)
    heading = f"Results for “{wanted.query}”" if wanted.query else "All products"
    return _listing(request, wanted, heading, "/search")


async def category(request: Request) -> Response:
    """The products of a department or category."""
    slug = request.path_params["slug"]
    found = visit_of(request).data.row("select * from categories where slug = ?", slug)
    if found is None:
        raise HTTPException(404, f"There is no category called “{slug}”.")
    return _listing(request, _wanted(request, slug), found["name"], f"/category/{slug}", newsletter=True)


async def brand(request: Request) -> Response:
    """All products of a brand."""
    slug = request.path_params["slug"]
    found = visit_of(request).data.row("select * from brands where slug = ?", slug)
    if found is None:
        raise HTTPException(404, f"There is no brand called “{slug}”.")
    wanted = Wanted.of(request.query_params, [slug])
    return _listing(request, wanted, found["name"], f"/brand/{slug}")


def _wanted(request: Request, slug: str = "") -> Wanted:
    return Wanted.of(request.query_params, request.query_params.getlist("brand"), slug)


def _listing(
    request: Request, wanted: Wanted, heading: str, action: str, *, newsletter: bool = False
) -> Response:
    visit = visit_of(request)
    cut = cut_of(catalogue.count(visit.data, wanted), request, PER_PAGE)
    return render(
        request,
        "listing.html",
        heading=heading,
        action=action,
        wanted=wanted,
        asked=request.query_params,
        cut=cut,
        products=catalogue.listed(visit.data, wanted, PER_PAGE, cut.offset),
        brands=catalogue.brands_in(visit.data, wanted),
        sorts=[(key, text) for key, (text, _) in SORTS.items()],
        newsletter=newsletter and not visit.remembered("newsletter"),
    )


async def suggest(request: Request) -> Response:
    """The first few matches for what is typed so far, as JSON."""
    wanted = Wanted(query=request.query_params.get("q", "")[:60])
    found = catalogue.listed(visit_of(request).data, wanted, 6) if len(wanted.query) > 1 else []
    return JSONResponse([{"name": row["name"], "url": f"/product/{row['slug']}"} for row in found])


async def product(request: Request) -> Response:
    """All about one product."""
    return _product_page(request)


def _product_page(request: Request, form: Form | None = None, status: int = 200) -> Response:
    data = visit_of(request).data
    shown = product_or_404(request)
    stars = request.query_params.get("stars", "")
    order = request.query_params.get("order", "newest")
    only = " and rating = ?" if stars in ("1", "2", "3", "4", "5") else ""
    values: list[Any] = [shown["id"], *([int(stars)] if only else [])]
    total = data.value(f"select count(*) from reviews where product = ?{only}", *values)
    cut = cut_of(total, request, REVIEWS)
    ordered = REVIEW_ORDERS.get(order, REVIEW_ORDERS["newest"])
    return render(
        request,
        "product.html",
        status,
        product=shown,
        department=data.row(
            "select d.* from categories d join categories c on c.parent = d.id where c.id = ?", shown["category"]
        ),
        options=catalogue.options(data, shown["id"]),
        facts=data.rows("select name, value from facts where product = ?", shown["id"]),
        reviews=data.rows(
            f"select * from reviews where product = ?{only} order by {ordered} limit ? offset ?",
            *values, REVIEWS, cut.offset,
        ),
        spread=_spread(request, shown["id"]),
        cut=cut,
        stars=stars,
        order=order,
        wished=_is_wished(request, shown["id"]),
        form=form,
    )  # fmt: skip


def product_or_404(request: Request) -> Any:
    """The product that the address names. Raises HTTPException 404."""
    slug = request.path_params["slug"]
    found = catalogue.product(visit_of(request).data, slug)
    if found is None:
        raise HTTPException(404, f"There is no product called “{slug}”.")
    return found


async def also(request: Request) -> Response:
    """What others bought: a piece of the product page that comes late."""
    shown = product_or_404(request)
    others = visit_of(request).data.rows(
        f"{catalogue.CARD} where p.category = ? and p.id <> ? order by p.rating desc, p.id limit 4",
        shown["category"], shown["id"],
    )  # fmt: skip
    return render(request, "also.html", products=others)


async def write_review(request: Request) -> Response:
    """The form of a review, and what was sent with it."""
    user = user_of(request)
    shown = product_or_404(request)
    if user is None:
        return go(f"/account/sign-in?back=/product/{shown['slug']}/review")
    form = await form_of(request) if request.method == "POST" else None
    if form is None or not _reviewed(request, form, shown, user):
        return render(request, "review.html", 422 if form else 200, product=shown, form=form)
    return go(f"/product/{shown['slug']}#reviews")


def _reviewed(request: Request, form: Form, shown: Any, user: Any) -> bool:
    """Stores a review that is complete."""
    visit = visit_of(request)
    rating = form.whole("rating", 1, 5, "Choose how many stars you give.")
    title = form.need("title", "Give your review a title.")
    text = form.text("text")
    form.check("text", len(text) >= 10, "Write at least 10 characters.")
    if not form.ok:
        return False
    visit.data.change(
        "insert into reviews (product, author, rating, title, text, day, user) values (?, ?, ?, ?, ?, ?, ?)",
        shown["id"], user["name"], rating, title, text, TODAY.isoformat(), user["id"],
    )  # fmt: skip
    visit.data.change(
        "update products set (rating, reviews) = (select round(avg(rating), 1), count(*) from reviews where product = ?1)"
        " where id = ?1",
        shown["id"],
    )
    visit.tell("Thank you! Your review was published.")
    return True


async def helpful(request: Request) -> Response:
    """Counts a vote for a review."""
    form = await form_of(request)
    visit = visit_of(request)
    shown = product_or_404(request)
    review = form.text("review")
    if visit.remembered(f"helpful-{review}"):
        visit.tell("You have voted for this review already.", "alert")
    else:
        visit.data.change(
            "update reviews set helpful = helpful + 1 where id = ? and product = ?", review, shown["id"]
        )
        visit.remember(f"helpful-{review}", "1")
        visit.tell("Thank you for your vote.")
    return go(f"/product/{shown['slug']}#reviews")


def _spread(request: Request, number: int) -> list[tuple[int, int]]:
    counts = dict(
        tuple(row)
        for row in visit_of(request).data.rows(
            "select rating, count(*) from reviews where product = ? group by rating", number
        )
    )
    return [(stars, counts.get(stars, 0)) for stars in range(5, 0, -1)]


def _is_wished(request: Request, number: int) -> bool:
    user = user_of(request)
    return user is not None and bool(
        visit_of(request).data.value(
            "select 1 from wishes where user = ? and product = ?", user["id"], number
        )
    )
