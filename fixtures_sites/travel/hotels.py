"""Pages of hotels: search, results, a hotel with rooms and reviews, and the booking of a room."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fixtures_sites.forms import Form, form_of
from fixtures_sites.paging import page_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.travel import bookings, lodging
from fixtures_sites.travel.accounts import user_of
from fixtures_sites.travel.fares import PROMOTIONS
from fixtures_sites.travel.journey import asked_of
from fixtures_sites.travel.lodging import Stay
from fixtures_sites.travel.passengers import NAME, need_card, need_contact
from fixtures_sites.travel.seeded import vocabulary
from fixtures_sites.visit import visit_of

PER_PAGE = 8
ARRIVALS = ("I don't know yet", "Before 15:00", "15:00 to 18:00", "18:00 to 22:00", "After 22:00")
SOME_DAY = Stay(TODAY + timedelta(days=14), TODAY + timedelta(days=15), 1, 2)
"""What prices are shown for where no days are asked for."""


async def home(request: Request) -> Response:
    """The search form, and cities."""
    return _search_page(request, None)


def _search_page(request: Request, form: Form | None) -> Response:
    cities = visit_of(request).data.rows("select city, count(*) as count, min(lowest) as lowest from hotels group by city order by city")  # fmt: skip
    return render(
        request, "hotels.html", 422 if form else 200,
        form=form, asked=form or asked_of(request), cities=cities, member=user_of(request),
    )  # fmt: skip


async def destinations(request: Request) -> Response:
    """Cities and hotels that begin with what is typed, as JSON."""
    typed = request.query_params.get("q", "").strip().lower()[:40]
    data = visit_of(request).data
    cities = data.rows("select distinct city, country from hotels where lower(city) like ? order by city limit 4", f"{typed}%")  # fmt: skip
    named = data.rows(
        "select name, city from hotels where lower(name) like ? order by name limit 4", f"{typed}%"
    )
    return JSONResponse(
        [{"value": row["city"], "more": row["country"]} for row in cities]
        + [{"value": row["name"], "more": "Hotel"} for row in named]
    )


async def search(request: Request) -> Response:
    """Hotels that fit, with filters."""
    form = asked_of(request)
    place = form.need("place", "Enter a city or the name of a hotel.")
    stay = lodging.stay_of(form)
    data = visit_of(request).data
    if form.ok and not data.value(
        "select 1 from hotels where city = ? collate nocase or name like ?", place, f"%{place}%"
    ):
        form.check("place", False, f"We have no hotels in “{place}”.")
    if stay is None or not form.ok:
        return _search_page(request, form)
    found = lodging.find(data, place, request.query_params)
    return render(
        request, "hotel_results.html",
        place=place, stay=stay, cut=page_of(found, request, PER_PAGE), asked=request.query_params, sorts=lodging.SORTS,
        amenities=vocabulary()["amenities"], form=None,
    )  # fmt: skip


async def hotel(request: Request) -> Response:
    """All about a hotel; its reviews come late."""
    found = hotel_or_404(request)
    form = asked_of(request)
    asked = "checkin" in form
    stay = lodging.stay_of(form) if asked else SOME_DAY
    visit, user = visit_of(request), user_of(request)
    saved = user and visit.data.value(
        "select 1 from saved where user = ? and hotel = ?", user["id"], found["id"]
    )
    rooms = lodging.rooms_of(visit.data, found["id"])
    return render(
        request, "hotel.html", 200 if stay else 422,
        hotel=found, stay=stay or SOME_DAY, dated=bool(asked and stay), form=form if asked else None,
        rooms=[(room, lodging.fits(room, stay or SOME_DAY)) for room in rooms], saved=saved,
    )  # fmt: skip


def hotel_or_404(request: Request) -> Any:
    """The hotel that the address names. Raises HTTPException 404."""
    slug = request.path_params["slug"]
    found = visit_of(request).data.row("select * from hotels where slug = ?", slug)
    if found is None:
        raise HTTPException(404, f"There is no hotel called “{slug}”.")
    return found


async def reviews(request: Request) -> Response:
    """Guests' reviews: a piece of the hotel's page."""
    found = hotel_or_404(request)
    rows = visit_of(request).data.rows(
        "select * from reviews where hotel = ? order by day desc, id", found["id"]
    )
    return render(request, "reviews.html", hotel=found, reviews=rows)


async def save(request: Request) -> Response:
    """Adds a hotel to the saved ones, or takes it off."""
    form = await form_of(request)
    found, user = hotel_or_404(request), user_of(request)
    visit = visit_of(request)
    if user is None:
        visit.tell("Please sign in to save hotels.", "alert")
        return go(f"/sign-in?back=/hotel/{found['slug']}")
    if "remove" in form:
        visit.data.change("delete from saved where user = ? and hotel = ?", user["id"], found["id"])
        visit.tell(f"{found['name']} was removed from your saved hotels.")
    else:
        visit.data.change("insert or ignore into saved values (?, ?)", user["id"], found["id"])
        visit.tell(f"{found['name']} was saved.")
    return go("/saved" if "list" in form else f"/hotel/{found['slug']}")


async def review(request: Request) -> Response:
    """The form of a review, and what was sent with it."""
    found, user = hotel_or_404(request), user_of(request)
    if user is None:
        return go(f"/sign-in?back=/hotel/{found['slug']}/review")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        rating = form.whole("rating", 1, 5, "Choose a rating.")
        title = form.need("title", "Give your review a title.")
        form.check("text", len(form.text("text")) >= 10, "Write at least 10 characters.")
        if form.ok:
            visit = visit_of(request)
            visit.data.change(
                "insert into reviews (hotel, author, rating, title, text, day, user) values (?, ?, ?, ?, ?, ?, ?)",
                found["id"], f"{user['first']} {user['last'][0]}.", rating, title, form.text("text"), TODAY.isoformat(),
                user["id"],
            )  # fmt: skip
            visit.data.change(
                "update hotels set (rating, reviews) = (select round(avg(rating), 1), count(*) from reviews where hotel = ?1)"
                " where id = ?1", found["id"],
            )  # fmt: skip
            visit.tell("Thank you! Your review was published.")
            return go(f"/hotel/{found['slug']}")
    return render(request, "review.html", 422 if form else 200, hotel=found, form=form)


async def reserve(request: Request) -> Response:
    """Takes a room for the days of the address, on to the guest's details."""
    form = await form_of(request)
    found = hotel_or_404(request)
    visit = visit_of(request)
    stay = lodging.stay_of(asked_of(request))
    room = visit.data.row("select * from rooms where id = ? and hotel = ?", form.text("room"), found["id"])
    if stay is None or room is None or not lodging.fits(room, stay):
        visit.tell("This room is not free for these days and guests.", "alert")
        return go(f"/hotel/{found['slug']}")
    visit.remember("stay", json.dumps({"room": room["id"], "query": stay.query}))
    return go("/stay/guest")


async def guest(request: Request) -> Response:
    """Who comes, and when."""
    visit = visit_of(request)
    kept = _kept(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        said = {
            name: form.need_match(name, NAME, f"Enter the guest's {name} name.") for name in ("first", "last")
        }
        said |= need_contact(form)
        form.check("arrival", form.text("arrival") in ARRIVALS, "Choose when you arrive.")
        if form.ok:
            said |= {"arrival": form.text("arrival"), "request": form.text("request")[:300]}
            visit.remember("stay", json.dumps({**kept, "guest": said}))
            return go("/stay/payment")
    return _stay_page(request, "stay_guest.html", form, arrivals=[(text, text) for text in ARRIVALS])


async def payment(request: Request) -> Response:
    """The card, and then the booking."""
    visit = visit_of(request)
    kept = _kept(request)
    if "guest" not in kept:
        return go("/stay/guest")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        card = need_card(form)
        code = form.text("promo").upper()
        form.check(
            "promo", not code or code in PROMOTIONS, f"The code {code} is not valid, or it has expired."
        )
        form.check("terms", "terms" in form, "Please accept the conditions of the hotel.")
        if form.ok:
            visit.remember("booked", str(_store(request, kept, card, code)))
            visit.forget("stay")
            return go("/booked")
    return _stay_page(request, "stay_payment.html", form)


def _kept(request: Request) -> dict[str, Any]:
    """What is chosen. Raises HTTPException 404 where it is nothing."""
    kept: dict[str, Any] = json.loads(visit_of(request).remembered("stay") or "{}")
    if not kept:
        raise HTTPException(404, "Choose a room first.")
    return kept


def _chosen(request: Request) -> tuple[Any, Any, Stay]:
    kept, data = _kept(request), visit_of(request).data
    room = data.row("select * from rooms where id = ?", kept["room"])
    assert room is not None
    stay = lodging.stay_of(Form(parse_qs(kept["query"])))
    assert stay is not None
    return data.row("select * from hotels where id = ?", room["hotel"]), room, stay


def _stay_page(request: Request, template: str, form: Form | None, **shown: Any) -> Response:
    found, room, stay = _chosen(request)
    total = room["price"] * stay.nights * stay.rooms
    return render(
        request, template, 422 if form else 200,
        hotel=found, room=room, stay=stay, total=total, form=form, member=user_of(request), **shown,
    )  # fmt: skip


def _store(request: Request, kept: dict[str, Any], card: str, code: str) -> int:
    found, room, stay = _chosen(request)
    data, said = visit_of(request).data, kept["guest"]
    total = max(0, room["price"] * stay.nights * stay.rooms - PROMOTIONS.get(code, 0))
    number = bookings.add(
        data, "hotel", user_of(request), name=f"{said['first']} {said['last']}", email=said["email"], phone=said["phone"],
        total=total, card=card, promo=code,
    )  # fmt: skip
    data.change(
        "insert into stays values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        number, found["id"], room["id"], stay.checkin.isoformat(), stay.checkout.isoformat(), stay.rooms, stay.adults,
        ", ".join(str(age) for age in stay.ages), said["arrival"], said["request"],
    )  # fmt: skip
    return number
