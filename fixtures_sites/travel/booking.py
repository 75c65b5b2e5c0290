"""The way from chosen flights to a booking: passengers, bags, seats, payment, done."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import Form, form_of
from fixtures_sites.site import go, render
from fixtures_sites.state import Data
from fixtures_sites.travel import bookings, timetable
from fixtures_sites.travel.accounts import user_of
from fixtures_sites.travel.fares import (
    BAG,
    EXIT_ROW,
    FARES,
    INSURANCE,
    KINDS,
    LETTERS,
    PROMOTIONS,
    ROWS,
    party_price,
    price_of,
    seat_kind,
    seat_price,
    seat_taken,
)
from fixtures_sites.travel.journey import Journey, journey_of
from fixtures_sites.travel.passengers import NATIONS, TITLES, need_card, need_contact, need_passenger
from fixtures_sites.visit import Visit, visit_of

STEPS = ("passengers", "bags", "seats", "payment")
NAMES = {"passengers": "Passengers", "bags": "Bags and extras", "seats": "Seats", "payment": "Payment"}


@dataclass(frozen=True)
class Cart:
    """Chosen flights, each an offer with its fare, and what is known of their booking so far."""

    journey: Journey
    offers: tuple[tuple[timetable.Offer, str], ...]
    known: dict[str, Any]

    @property
    def kinds(self) -> list[str]:
        """The kind of each traveller, adults first."""
        return [kind for kind, count in self.journey.party.items() for _ in range(count)]

    @property
    def abroad(self) -> bool:
        """Whether a flight crosses a border, so that passports are asked for."""
        return any(offer.flight["abroad"] for offer, _ in self.offers)

    @property
    def lines(self) -> list[tuple[str, int]]:
        """What is to be paid, line by line."""
        lines = []
        for offer, fare in self.offers:
            price = price_of(offer.flight["base"], offer.day, self.journey.cabin, fare)
            name = f"{offer.flight['number']}, {FARES[fare].name} fare"
            lines.append((name, party_price(price, self.journey.party)))
        bags = sum(self.known.get("bags", {}).get("bags", []))
        seats = sum(
            seat_price(int(seat[:-1]), self.offers[leg][1])
            for leg, taken in enumerate(self.known.get("seats", {}).get("seats", []))
            for seat in taken.values()
        )
        insured = INSURANCE * len(self.kinds) if self.known.get("bags", {}).get("insurance") else 0
        more = [
            ("Checked bags", bags * BAG * len(self.offers)),
            ("Seats", seats),
            ("Travel insurance", insured),
        ]
        return [*lines, *((name, amount) for name, amount in more if amount)]

    @property
    def total(self) -> int:
        """All of it."""
        return sum(amount for _, amount in self.lines)


def cart_of(visit: Visit) -> Cart | None:
    """What this session is about to book; None where nothing is chosen."""
    kept = json.loads(visit.remembered("journey") or "{}")
    journey = journey_of(visit.data, Form(parse_qs(kept.get("query", ""))))
    if journey is None or len(kept["legs"]) < len(journey.legs):
        return None
    offers = tuple(
        (timetable.offer(timetable.flight_by(visit.data, one["flight"]), leg.day, journey), one["fare"])
        for one, leg in zip(kept["legs"], journey.legs, strict=True)
    )
    return Cart(journey, offers, json.loads(visit.remembered("booking") or "{}"))


async def step(request: Request) -> Response:
    """One step of a booking; those before it must have been done."""
    name = request.path_params["step"]
    if name not in STEPS:
        raise HTTPException(404, f"A booking has no step called “{name}”.")
    visit = visit_of(request)
    cart = cart_of(visit)
    if cart is None:
        visit.tell("Choose your flights first.", "alert")
        return go("/")
    missing = next((before for before in STEPS[: STEPS.index(name)] if before not in cart.known), "")
    if missing:
        return go(f"/book/{missing}")
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        said = TAKERS[name](cart, form)
        if form.ok:
            return _go_on(request, cart, name, said)
    return _page(request, cart, name, form)


def _page(request: Request, cart: Cart, name: str, form: Form | None) -> Response:
    return render(
        request, f"book_{name}.html", 422 if form else 200,
        cart=cart, step=name, steps=NAMES, form=form, titles=TITLES, nations=NATIONS, kinds=KINDS, bag=BAG,
        insurance=INSURANCE, member=user_of(request), people=_people(cart), fares=FARES,
        maps=_maps(cart) if name == "seats" else [],
    )  # fmt: skip


def _people(cart: Cart) -> list[str]:
    people = cart.known.get("passengers", {}).get("people", [])
    return [f"{one['first']} {one['last']}" for one in people]


def _maps(cart: Cart) -> list[list[tuple[int, list[dict[str, Any]]]]]:
    """The seats of each flight, row by row."""
    young = cart.journey.children + cart.journey.infants > 0
    return [
        [
            (row, [{"name": f"{row}{letter}", "kind": seat_kind(letter), "price": seat_price(row, fare),
                    "taken": seat_taken(offer.flight["id"], offer.day, row, letter) or (young and row == EXIT_ROW)}
                   for letter in LETTERS])
            for row in range(1, ROWS + 1)
        ]
        for offer, fare in cart.offers
    ]  # fmt: skip


def _passengers(cart: Cart, form: Form) -> dict[str, Any]:
    first, last = cart.journey.legs[0].day, cart.journey.legs[-1].day
    people = [
        need_passenger(form, place, kind, (first, last), abroad=cart.abroad)
        for place, kind in enumerate(cart.kinds)
    ]
    return {"people": people, **need_contact(form)}


def _bags(cart: Cart, form: Form) -> dict[str, Any]:
    bags = [0 if kind == "infant" else form.whole(f"bags{place}", 0, 2, "Choose up to two extra bags.")
            for place, kind in enumerate(cart.kinds)]  # fmt: skip
    form.check(
        "insurance", form.text("insurance") in ("yes", "no"), "Choose whether you want travel insurance."
    )
    return {"bags": bags, "insurance": form.text("insurance") == "yes"}


def _seats(cart: Cart, form: Form) -> dict[str, Any]:
    chosen: list[dict[str, str]] = []
    for leg, rows in enumerate(_maps(cart)):
        free = {seat["name"] for _, seats in rows for seat in seats if not seat["taken"]}
        said = {str(n): form.text(f"seat{leg}-{n}") for n in range(cart.journey.seats)}
        taken = {} if "skip" in form else {place: seat for place, seat in said.items() if seat}
        form.check("seats", set(taken.values()) <= free, "One of these seats is taken. Choose another one.")
        form.check(
            "seats", len(set(taken.values())) == len(taken), "Two passengers can't have the same seat."
        )
        chosen.append(taken)
    return {"seats": chosen}


def _payment(_cart: Cart, form: Form) -> dict[str, Any]:
    card = need_card(form)
    code = form.text("promo").upper()
    form.check("promo", not code or code in PROMOTIONS, f"The code {code} is not valid, or it has expired.")
    form.check("terms", "terms" in form, "Please accept the conditions of carriage.")
    return {"card": card, "promo": code}


TAKERS = {"passengers": _passengers, "bags": _bags, "seats": _seats, "payment": _payment}


def _go_on(request: Request, cart: Cart, name: str, said: dict[str, Any]) -> Response:
    visit = visit_of(request)
    if name != "payment":
        visit.remember("booking", json.dumps({**cart.known, name: said}))
        return go(f"/book/{STEPS[STEPS.index(name) + 1]}")
    number = _store(request, cart, said)
    visit.forget("booking")
    visit.forget("journey")
    visit.remember("booked", str(number))
    return go("/booked")


def _store(request: Request, cart: Cart, paid: dict[str, Any]) -> int:
    data, user = visit_of(request).data, user_of(request)
    passengers, bags = cart.known["passengers"], cart.known["bags"]
    lead = passengers["people"][0]
    number = bookings.add(
        data, "flight", user, name=f"{lead['first']} {lead['last']}", email=passengers["email"], phone=passengers["phone"],
        total=max(0, cart.total - PROMOTIONS.get(paid["promo"], 0)), card=paid["card"], insurance=int(bags["insurance"]),
        promo=paid["promo"],
    )  # fmt: skip
    for place, (offer, fare) in enumerate(cart.offers):
        data.change(
            "insert into legs (booking, place, flight, day, fare, cabin) values (?, ?, ?, ?, ?, ?)",
            number, place, offer.flight["id"], offer.day.isoformat(), fare, cart.journey.cabin,
        )  # fmt: skip
    for place, (one, count) in enumerate(zip(passengers["people"], bags["bags"], strict=True)):
        _store_traveller(data, number, place, one, count)
    for leg, taken in enumerate(cart.known["seats"]["seats"]):
        for traveller, seat in taken.items():
            data.change("insert into seats values (?, ?, ?, ?)", number, leg, int(traveller), seat)
    return number


def _store_traveller(data: Data, number: int, place: int, one: dict[str, str], bags: int) -> None:
    data.change(
        "insert into travellers (booking, place, kind, title, first, last, born, passport, nationality, bags)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        number, place, one["kind"], one["title"], one["first"], one["last"], one["born"], one["passport"],
        one["nationality"], bags,
    )  # fmt: skip


async def booked(request: Request) -> Response:
    """Thanks for what this session has booked last."""
    visit = visit_of(request)
    found = bookings.by_number(visit.data, visit.remembered("booked"))
    if found is None:
        raise HTTPException(404, "Nothing was booked yet.")
    return render(request, "booked.html", booking=found)
