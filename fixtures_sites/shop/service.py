"""Help, the contact form and the newsletter."""

from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.forms import EMAIL, form_of
from fixtures_sites.shop.seeded import COUPONS, FREE_FROM, SHIPPING
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

TOPICS = ("Order", "Product", "Return", "Payment", "Other")


async def help_page(request: Request) -> Response:
    """Shipping, returns and coupons."""
    return render(request, "help.html", methods=SHIPPING.items(), free_from=FREE_FROM, coupons=COUPONS[:2])


async def contact(request: Request) -> Response:
    """The contact form, and what was sent with it."""
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        email = form.need_match("email", EMAIL, "Enter an e-mail address.")
        topic = form.text("topic")
        form.check("topic", topic in TOPICS, "Choose a topic.")
        text = form.text("text")
        form.check("text", len(text) >= 10, "Write at least 10 characters.")
        if form.ok:
            visit = visit_of(request)
            visit.data.change(
                "insert into messages (email, topic, number, text) values (?, ?, ?, ?)",
                email,
                topic,
                form.text("number"),
                text,
            )
            visit.tell("Thank you. We answer within two days.")
            return go("/contact")
    return render(request, "contact.html", 422 if form else 200, form=form, topics=[(t, t) for t in TOPICS])


async def newsletter(request: Request) -> Response:
    """Subscribes an address."""
    form = await form_of(request)
    visit = visit_of(request)
    email = form.need_match("email", EMAIL, "Enter an e-mail address to subscribe.")
    if form.ok:
        visit.data.change("insert or ignore into newsletter values (?)", email.lower())
        visit.remember("newsletter", "yes")
        visit.tell(f"{email} is subscribed to our newsletter.")
    else:
        visit.tell(form.errors["email"], "alert")
    return go("/")
