"""The way from the cart to an order: address, shipping, payment, review, done."""

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import EMAIL, Form, form_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.shop import basket
from fixtures_sites.shop.accounts import user_of
from fixtures_sites.shop.seeded import SHIPPING, STATES
from fixtures_sites.site import go, render
from fixtures_sites.visit import Visit, visit_of

STEPS = ("address", "shipping", "payment", "review")
PLACE = ("recipient", "street", "city", "state", "zip")


async def start(request: Request) -> Response:
    """Guest or account; who is signed in goes straight to the address."""
    if not basket.lines(visit_of(request).data):
        visit_of(request).tell("Your cart is empty.", "alert")
        return go("/cart")
    if user_of(request) is not None:
        return go("/checkout/address")
    return render(request, "checkout_start.html")


async def step(request: Request) -> Response:
    """One step of the checkout; those before it must have been done."""
    name = request.path_params["step"]
    visit = visit_of(request)
    if name not in STEPS:
        raise HTTPException(404, f"The checkout has no step called “{name}”.")
    if not basket.lines(visit.data):
        return go("/cart")
    known = _known(visit)
    missing = next((before for before in STEPS[: STEPS.index(name)] if before not in known), "")
    if missing:
        return go(f"/checkout/{missing}")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        said = TAKERS[name](request, form)
        if form.ok:
            return _go_on(request, name, known, said)
    return _page(request, name, known, form)


def _page(request: Request, name: str, known: dict[str, Any], form: Form | None) -> Response:
    visit, user = visit_of(request), user_of(request)
    method = known.get("shipping", {}).get("method", "Standard")
    code = visit.remembered("coupon")
    return render(
        request,
        f"checkout_{name}.html",
        422 if form else 200,
        step=name,
        known=known,
        form=form,
        states=[(state, state) for state in STATES],
        methods=[(key, basket.totals(visit.data, code, key).shipping) for key in SHIPPING],
        addresses=_addresses(visit, user),
        lines=basket.lines(visit.data),
        totals=basket.totals(visit.data, code, method),
    )


def _go_on(request: Request, name: str, known: dict[str, Any], said: dict[str, Any]) -> Response:
    visit = visit_of(request)
    if name == "review":
        number = _place(request, known)
        return go(f"/checkout/done/{number}")
    visit.remember("checkout", json.dumps({**known, name: said}))
    return go(f"/checkout/{STEPS[STEPS.index(name) + 1]}")


async def finished(request: Request) -> Response:
    """Thanks for an order that this session placed."""
    number = request.path_params["number"]
    order = visit_of(request).data.row("select * from orders where number = ?", number)
    if order is None or visit_of(request).remembered("placed") != number:
        raise HTTPException(404, f"There is no new order {number}.")
    return render(request, "checkout_done.html", order=order)


def _address(request: Request, form: Form) -> dict[str, Any]:
    visit, user = visit_of(request), user_of(request)
    saved = form.text("saved")
    if user is not None and saved and saved != "new":
        row = visit.data.row("select * from addresses where id = ? and user = ?", saved, user["id"])
        form.check("saved", row is not None, "Choose one of your addresses.")
        return (
            {"recipient": row["name"], "email": user["email"], **{k: row[k] for k in PLACE[1:]}}
            if row
            else {}
        )
    if user is not None:
        form.check("saved", bool(saved), "Choose one of your addresses, or a new one.")
    said = need_address(form)
    email = user["email"] if user else form.need_match("email", EMAIL, "Enter an e-mail address.")
    return {**said, "email": email}


def need_address(form: Form) -> dict[str, str]:
    """The fields of an address, checked."""
    state = form.text("state")
    form.check("state", state in STATES, "Choose a state.")
    return {
        "recipient": form.need("recipient", "Enter the recipient's name."),
        "street": form.need("street", "Enter street and number."),
        "city": form.need("city", "Enter the city."),
        "state": state,
        "zip": form.need_match("zip", r"\d{5}", "Enter a ZIP code of five digits."),
    }


def _shipping(_request: Request, form: Form) -> dict[str, Any]:
    form.check("method", form.text("method") in SHIPPING, "Choose a shipping method.")
    return {"method": form.text("method"), "gift_note": form.text("gift_note")[:200]}


def _payment(_request: Request, form: Form) -> dict[str, Any]:
    number = form.text("card").replace(" ", "").replace("-", "")
    form.check(
        "card", number.isdecimal() and len(number) == 16 and _luhn(number), "This card number is not valid."
    )
    form.need("holder", "Enter the name on the card.")
    expiry = form.need_match("expiry", r"(0[1-9]|1[0-2])/\d\d", "Enter the expiry date as MM/YY.")
    if "expiry" not in form.errors:
        month, year = expiry.split("/")
        form.check(
            "expiry", (2000 + int(year), int(month)) >= (TODAY.year, TODAY.month), "This card has expired."
        )
    form.need_match("cvc", r"\d{3}", "Enter the three digits on the back of the card.")
    return {"card": number[-4:]}


def _review(_request: Request, form: Form) -> dict[str, Any]:
    form.check("terms", "terms" in form, "Please accept the terms and conditions.")
    return {}


TAKERS = {"address": _address, "shipping": _shipping, "payment": _payment, "review": _review}


def _place(request: Request, known: dict[str, Any]) -> str:
    """Makes the cart an order; its number."""
    visit, user = visit_of(request), user_of(request)
    code = visit.remembered("coupon")
    said = {**known["address"], **known["shipping"], **known["payment"]}
    totals = basket.totals(visit.data, code, said["method"])
    number = str(max(200000, int(visit.data.value("select max(number) from orders"))) + 17)
    visit.data.change(
        "insert into orders (number, user, email, day, status, subtotal, discount, shipping, total, method, recipient,"
        " street, city, state, zip, card, coupon, gift_note) values (?, ?, ?, ?, 'Processing', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        number, user["id"] if user else None, said["email"], TODAY.isoformat(), totals.subtotal, totals.discount,
        totals.shipping, totals.total, said["method"], *(said[key] for key in PLACE), said["card"], code or None,
        said["gift_note"],
    )  # fmt: skip
    for line in basket.lines(visit.data):
        visit.data.change(
            "insert into order_lines (number, product, options, quantity, price) values (?, ?, ?, ?, ?)",
            number, line["product"], line["options"], line["quantity"], line["price"],
        )  # fmt: skip
        visit.data.change(
            "update products set stock = max(0, stock - ?) where id = ?", line["quantity"], line["product"]
        )
    visit.data.change("delete from cart")
    visit.forget("coupon")
    visit.forget("checkout")
    visit.remember("placed", number)
    return number


def _known(visit: Visit) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(visit.remembered("checkout") or "{}")
    return known


def _addresses(visit: Visit, user: Any) -> list[Any]:
    if user is None:
        return []
    return visit.data.rows("select * from addresses where user = ? order by preferred desc, id", user["id"])


def _luhn(number: str) -> bool:
    digits = [int(char) for char in reversed(number)]
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
