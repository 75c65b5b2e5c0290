"""Tasks on coupons, reviews, content and settings."""

from fixtures_sites.admin.seeded import GROUPS, ROLES
from fixtures_sites.admin.tasks.shelf import (
    ADMIN,
    SIGNED,
    Row,
    apply,
    asked,
    filters,
    keyword,
    one,
    rows,
    tick,
    to,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, choose, click, confirm, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("admin")
CODES = ("AUTUMN15", "GARDEN20", "LUCKY7", "CAMPFIRE12", "ROOFTOP10", "HARVEST25")
SENTENCES = (
    "We are closed on Mondays in August.", "Orders before noon are sent the same day.", "Our new lamps are here.",
    "Ask us about wholesale prices.", "Free gift wrapping until Friday.",
)  # fmt: skip


def _coupon(code: str, percent: int, since: str, until: str) -> list[Step]:
    return [
        *to("Cart price rules"), link("Add new rule"), fill("Coupon code", code), fill("Description", f"{percent}% off"),
        choose("Type", "percent"), fill("Discount", percent), fill("Minimum subtotal", "20.00"), fill("Start date", since),
        fill("End date", until), button("Save"), done(),
    ]  # fmt: skip


@BOOK.template(
    f"Create the coupon {{code}}: {{percent}} percent off from a subtotal of $20.00, valid from {{since}} to {{until}}; description"
    f" “{{percent}}% off”. ({SIGNED})",
    count=4,
    hard=True,
)
def new_coupon(dice: Dice) -> Case:
    """Fill a long form with dates."""
    code, percent, day = dice.pick(CODES), dice.number(5, 40), dice.number(1, 28)
    since, until = f"2026-07-{day:02}", f"2026-{dice.number(8, 12):02}-{day:02}"
    wanted = {
        "code": code,
        "kind": "percent",
        "value": percent,
        "minimum": 2000,
        "since": since,
        "until": until,
        "active": 1,
    }
    return Case(
        {"code": code, "percent": str(percent), "since": since, "until": until, **ADMIN}, asked("coupons", [wanted], code=code),
        _coupon(code, percent, since, until), _coupon(code, percent, since, "2027-01-31"),
    )  # fmt: skip


@BOOK.template(
    f"Extend the coupon {{code}} until {{until}}. ({SIGNED})",
    f"Let the coupon {{code}} end on {{until}}. ({SIGNED})",
    count=3,
)
def extend_coupon(dice: Dice) -> Case:
    """Open a record, change a date, save."""
    code = dice.pick(rows("select code from coupons where kind = 'percent' and active order by code"))["code"]
    until = f"2027-{dice.number(4, 9):02}-{dice.number(1, 28):02}"
    way = [*to("Cart price rules"), link(code)]
    since = one("select since from coupons where code = ?", code)
    return Case(
        {"code": code, "until": until, **ADMIN}, asked("coupons", [{"since": since, "until": until}], code=code),
        [*way, fill("End date", until), button("Save"), done()], [*way, fill("Start date", until), button("Save"), done()],
    )  # fmt: skip


@BOOK.template(f"Switch the coupon {{code}} off, but don't delete it. ({SIGNED})", count=3)
def stop_coupon(dice: Dice) -> Case:
    """Open a record, untick, save."""
    code = dice.pick(rows("select code from coupons where active order by code"))["code"]
    way = [*to("Cart price rules"), link(code)]
    return Case(
        {"code": code, **ADMIN}, asked("coupons", [{"code": code, "active": 0}], code=code),
        [*way, click("checkbox", "Active"), button("Save"), done()], [*way, button("Delete rule"), confirm(), done()],
    )  # fmt: skip


def _waiting(ids: list[int], **out: object) -> dict[str, object]:
    pending = [row["id"] for row in rows("select id from reviews where status = 'Pending' order by id")]
    return asked("reviews", {"pending": [number for number in pending if number not in ids], **out})


@BOOK.template(f"{{verb}} the pending review that {{author}} wrote. ({SIGNED})", count=5)
def moderate(dice: Dice) -> Case:
    """Search, open, choose, save."""
    found = dice.pick(rows("select * from reviews where status = 'Pending' order by id"))
    verb, status, wrong = dice.pick((("Approve", "Approved", "Rejected"), ("Reject", "Rejected", "Approved")))
    way = [*to("Reviews"), *keyword(found["author"]), link(str(found["id"]))]
    return Case(
        {"verb": verb, "author": found["author"], **ADMIN},
        _waiting([found["id"]], rejected=[found["id"]] if status == "Rejected" else []),
        [*way, choose("Status", status), button("Save"), done()], [*way, choose("Status", wrong), button("Save"), done()],
    )  # fmt: skip


@BOOK.template(
    f"Reject all pending reviews with the title “{{title}}”, and no others. ({SIGNED})", count=2, hard=True
)
def reject_spam(dice: Dice) -> Case:
    """Filter, tick all, choose an action, confirm."""
    title = dice.pick(("Buy followers cheap", "WIN A PHONE NOW"))
    ids = [
        row["id"]
        for row in rows("select id from reviews where title = ? and status = 'Pending' order by id", title)
    ]
    way = [*to("Reviews"), *filters(choose("Status", "Pending"), fill("Title", title))]
    return Case(
        {"title": title, **ADMIN}, _waiting(ids, rejected=ids),
        [*way, click("checkbox", "Select all"), *apply("Reject"), done()],
        [*way, click("checkbox", "Select all"), *apply("Approve"), done()],
    )  # fmt: skip


@BOOK.template(f"Approve all pending reviews with {{stars}} stars. ({SIGNED})", count=3, hard=True)
def approve_stars(dice: Dice) -> Case:
    """The same by stars."""
    stars = dice.number(2, 5)
    ids = [
        row["id"]
        for row in rows("select id from reviews where rating = ? and status = 'Pending' order by id", stars)
    ]
    way = [*to("Reviews"), *filters(choose("Status", "Pending"), choose("Stars", str(stars)))]
    return Case(
        {"stars": str(stars), **ADMIN}, _waiting(ids, rejected=[]),
        [*way, click("checkbox", "Select all"), *apply("Approve"), done()], [*way, *tick(ids[0]), *apply("Approve", False), done()],
    )  # fmt: skip


@BOOK.template(
    f"Change the text of the page “{{title}}” to: {{text}} ({SIGNED})",
    f"The page “{{title}}” should say: {{text}} ({SIGNED})",
    count=3,
)
def page_text(dice: Dice) -> Case:
    """Open a record, write, save."""
    found, text = dice.pick(rows("select * from pages order by id")), dice.pick(SENTENCES)
    way = [*to("Pages"), link(found["title"])]
    return Case(
        {"title": found["title"], "text": text, **ADMIN}, asked("pages", [{"title": found["title"], "body": text}], slug=found["slug"]),
        [*way, fill("Content", text), button("Save"), done()], [*way, fill("Title", text), button("Save"), done()],
    )  # fmt: skip


@BOOK.template(f"Switch the block “{{title}}” {{what}}. ({SIGNED})", count=3)
def block_switch(dice: Dice) -> Case:
    """Open a record, tick or untick, save."""
    found = dice.pick(rows("select * from blocks order by id"))
    way = [*to("Blocks"), link(found["title"]), click("checkbox", "Enabled")]
    return Case(
        {"title": found["title"], "what": "off" if found["active"] else "on", **ADMIN},
        asked("blocks", [{"slug": found["slug"], "active": 1 - found["active"]}], slug=found["slug"]),
        [*way, button("Save"), done()], [*way, link("Back"), done()],
    )  # fmt: skip


@BOOK.template(
    f"Set the price of the shipping method {{name}} to ${{price}} and its delivery days to {{days}}. ({SIGNED})",
    count=3,
)
def shipping(dice: Dice) -> Case:
    """Open a record, change two fields, save."""
    name, new, days = (
        dice.pick(("Standard", "Express", "Pickup point")),
        f"{dice.number(6, 19)}.50",
        dice.number(6, 9),
    )
    way = [*to("Shipping methods"), link(name), fill("Price", new)]
    return Case(
        {"name": name, "price": new, "days": str(days), **ADMIN},
        asked("methods", [{"price": int(new.replace(".", "")), "days": days, "active": 1}], name=name.replace(" ", "%20")),
        [*way, fill("Delivery days", days), button("Save"), done()], [*way, button("Save"), done()],
    )  # fmt: skip


@BOOK.template(f"The sales tax of {{state}} is {{rate}} percent now. Change it. ({SIGNED})", count=3)
def tax(dice: Dice) -> Case:
    """Open a record, change a field, save."""
    state, other = dice.some([row["state"] for row in rows("select state from taxes order by state")], 2)
    rate = f"{dice.number(40, 48) / 4:.2f}"

    def way(which: str) -> list[Step]:
        return [*to("Tax rates"), link(which), fill("Rate", rate), button("Save"), done()]

    return Case(
        {"state": state, "rate": rate, **ADMIN},
        asked("taxes", [{"rate": rate}], state=state),
        way(state),
        way(other),
    )


@BOOK.template(
    f"Create a user for {{name}}: user name {{new}}, e-mail {{email}}, role {{role}}. ({SIGNED})", count=4
)
def new_user(dice: Dice) -> Case:
    """Fill a form."""
    name = dice.pick(("Greta Stone", "Ravi Menon", "Ellen Park", "Boris Klein", "Zadie Cole"))
    new = f"{name[0]}.{name.split()[1]}".lower()
    role, wrong = dice.some(tuple(ROLES), 2)
    email = f"{new}@hearthfield.example"
    form = [
        *to("All users"),
        link("Add new user"),
        fill("User name", new),
        fill("Full name", name),
        fill("E-mail", email),
    ]
    wanted = {"name": name, "email": email, "role": role, "active": 1}
    return Case(
        {"name": name, "new": new, "email": email, "role": role, **ADMIN}, asked("staff", [wanted], login=new),
        [*form, choose("Role", role), button("Save"), done()], [*form, choose("Role", wrong), button("Save"), done()],
    )  # fmt: skip


@BOOK.template(f"{{name}} has left the company. Deactivate the account. ({SIGNED})", count=3)
def deactivate_user(dice: Dice) -> Case:
    """Open a record, untick, save."""
    found, other = dice.some(rows("select * from staff where id > 3 and active order by id"), 2)

    def way(who: Row) -> list[Step]:
        return [
            *to("All users"),
            link(who["login"]),
            click("checkbox", "This account is active"),
            button("Save"),
            done(),
        ]

    wanted = [{"role": found["role"], "active": 0}]
    return Case(
        {"name": found["name"], **ADMIN}, asked("staff", wanted, login=found["login"]), way(found), way(other)
    )


@BOOK.template(f"Send an e-mail to {{group}}, subject “{{subject}}”, message: {{text}} ({SIGNED})", count=4)
def mail(dice: Dice) -> Case:
    """Fill a form, confirm on a page."""
    group, subject, text = (
        dice.pick((*GROUPS, "All customers")),
        dice.pick(("Summer news", "A small thank you", "New arrivals")),
        dice.pick(SENTENCES),
    )
    way = [
        *to("E-mail to customers"),
        choose("Recipients", group),
        fill("Subject", subject),
        fill("Message", text),
        button("Continue"),
    ]
    told = group.lower() if group == "All customers" else f"the customer group {group}"
    return Case(
        {"group": told, "subject": subject, "text": text, **ADMIN}, asked("mails", [{"grp": group, "subject": subject, "text": text}]),
        [*way, button("Send now"), done()], [*way, done()],
    )  # fmt: skip


@BOOK.template(f"Export the {{what}} from {{since}} to {{until}} as a CSV file. ({SIGNED})", count=3)
def export(dice: Dice) -> Case:
    """Fill a form with dates."""
    what = dice.pick(("Orders", "Customers", "Refunds"))
    since, until = f"2026-0{dice.number(1, 3)}-01", f"2026-0{dice.number(4, 6)}-15"

    def way(last: str) -> list[Step]:
        return [
            *to("Export"),
            choose("Records", what),
            fill("From", since),
            fill("To", last),
            button("Create export"),
            done(),
        ]

    return Case(
        {"what": what.lower(), "since": since, "until": until, **ADMIN}, asked("exports", [{"what": what, "since": since, "until": until}]),
        way(until), way("2026-06-30"),
    )  # fmt: skip
