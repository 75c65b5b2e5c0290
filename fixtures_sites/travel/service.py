"""Help, flight status, the contact form and the newsletter."""

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import EMAIL, form_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.travel.fares import BAG, FARES, INSURANCE
from fixtures_sites.travel.timetable import FLIGHT, Offer
from fixtures_sites.visit import visit_of

TOPICS = ("Booking", "Baggage", "Refund", "Special assistance", "Other")
STATES = ("On time", "On time", "On time", "Delayed by {} minutes", "Boarding", "Cancelled")


async def help_page(request: Request) -> Response:
    """Fares, bags, check-in."""
    return render(request, "help.html", fares=FARES.values(), bag=BAG, insurance=INSURANCE)


async def status(request: Request) -> Response:
    """How a flight of today does."""
    typed = request.query_params.get("number", "").strip()
    number = "".join(typed.split()).upper()
    found = (
        visit_of(request).data.row(f"{FLIGHT} where replace(f.number, ' ', '') = ?", number)
        if number
        else None
    )
    shown = None if found is None else Offer(found, TODAY, "economy", 0, 0, 0)
    return render(request, "status.html", typed=typed, flight=shown, state=status_of(found["id"]) if found else "",
                  gate=f"{'ABCD'[found['id'] % 4]}{found['id'] % 37 + 1}" if found else "")  # fmt: skip


def status_of(flight: int) -> str:
    """What is said of a flight today."""
    return STATES[flight * 7 % len(STATES) if flight % 5 else 3].format(5 * (flight % 20 + 2))


async def contact(request: Request) -> Response:
    """The contact form, and what was sent with it."""
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        email = form.need_match("email", EMAIL, "Enter an e-mail address.")
        form.check("topic", form.text("topic") in TOPICS, "Choose a topic.")
        form.check("text", len(form.text("text")) >= 10, "Write at least 10 characters.")
        if form.ok:
            visit = visit_of(request)
            visit.data.change(
                "insert into messages (email, topic, ref, text) values (?, ?, ?, ?)",
                email, form.text("topic"), form.text("ref"), form.text("text"),
            )  # fmt: skip
            visit.tell("Thank you. We answer within a day.")
            return go("/contact")
    return render(request, "contact.html", 422 if form else 200, form=form, topics=[(t, t) for t in TOPICS])


async def newsletter(request: Request) -> Response:
    """Subscribes an address."""
    form = await form_of(request)
    visit = visit_of(request)
    email = form.need_match("email", EMAIL, "Enter an e-mail address to subscribe.")
    if form.ok:
        visit.data.change("insert or ignore into newsletter values (?)", email.lower())
        visit.tell(f"{email} will get our travel deals.")
    else:
        visit.tell(form.errors["email"], "alert")
    return go("/")
