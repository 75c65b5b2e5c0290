"""The cart: adding, changing, coupons."""

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import Form, form_of
from fixtures_sites.shop import basket, catalogue
from fixtures_sites.shop.browsing import product_or_404
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of


async def show(request: Request) -> Response:
    """What is in the cart."""
    return _page(request)


def _page(request: Request, form: Form | None = None) -> Response:
    visit = visit_of(request)
    code = visit.remembered("coupon")
    if code and basket.refusal(visit.data, code):
        visit.forget("coupon")
        code = ""
    return render(
        request,
        "cart.html",
        422 if form else 200,
        lines=basket.lines(visit.data),
        coupon=code,
        totals=basket.totals(visit.data, code),
        form=form,
    )


async def add(request: Request) -> Response:
    """Adds what the product page's form says."""
    form = await form_of(request)
    visit = visit_of(request)
    shown = product_or_404(request)
    quantity = form.whole("quantity", 1, basket.MOST, f"Choose a quantity from 1 to {basket.MOST}.")
    chosen = []
    for kind, values in catalogue.options(visit.data, shown["id"]).items():
        value = form.text(kind.lower())
        form.check(kind, value in values, f"Please choose a {kind.lower()}.")
        chosen.append(f"{kind}: {value}")
    form.check("stock", shown["stock"] >= quantity, f"Only {shown['stock']} of this product are left.")
    if not form.ok:
        for message in form.errors.values():
            visit.tell(message, "alert")
        return go(f"/product/{shown['slug']}")
    basket.add(visit.data, shown["id"], ", ".join(chosen), quantity)
    visit.tell(f"{shown['name']} was added to your cart.")
    return go(f"/product/{shown['slug']}")


async def change(request: Request) -> Response:
    """Sets the quantity of a line; 0 takes it out."""
    form = await form_of(request)
    visit = visit_of(request)
    line = visit.data.row("select * from cart where id = ?", form.text("line"))
    if line is None:
        return go("/cart")
    quantity = form.whole("quantity", 0, basket.MOST, f"The quantity must be from 0 to {basket.MOST}.")
    if not form.ok:
        visit.tell(form.errors["quantity"], "alert")
    elif quantity == 0 or "remove" in form:
        visit.data.change("delete from cart where id = ?", line["id"])
        visit.tell("The item was removed from your cart.")
    else:
        visit.data.change("update cart set quantity = ? where id = ?", quantity, line["id"])
        visit.tell("Your cart was updated.")
    return go("/cart")


async def empty(request: Request) -> Response:
    """Takes everything out."""
    await form_of(request)
    visit = visit_of(request)
    visit.data.change("delete from cart")
    visit.forget("coupon")
    visit.tell("Your cart is empty now.")
    return go("/cart")


async def coupon(request: Request) -> Response:
    """Applies a coupon code, or takes it away."""
    form = await form_of(request)
    visit = visit_of(request)
    if "remove" in form:
        visit.forget("coupon")
        visit.tell("The coupon was removed.")
        return go("/cart")
    code = form.text("code").upper()
    why = basket.refusal(visit.data, code)
    form.check("code", not why, why)
    if not form.ok:
        return _page(request, form)
    visit.remember("coupon", code)
    visit.tell(f"The coupon {code} was applied.")
    return go("/cart")
