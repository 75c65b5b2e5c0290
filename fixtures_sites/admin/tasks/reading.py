"""Tasks that read: figures, records, reports."""

from fixtures_sites.admin.app import SITE
from fixtures_sites.admin.reports import figures
from fixtures_sites.admin.seeded import STATUSES
from fixtures_sites.admin.tasks.shelf import (
    ADMIN,
    SIGNED,
    SUPPORT,
    UNIQUE_NAME,
    customer,
    filters,
    keyword,
    one,
    open_customer,
    open_order,
    open_product,
    order,
    product,
    rows,
    sign_in,
    to,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.shop.money import money
from fixtures_sites.steps import Step, answer, button, choose, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("admin")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def month(dice: Dice) -> tuple[str, str, str]:
    """A whole month of the last year: its name, first and last day."""
    place = dice.number(7, 16)
    year, number = 2025 + place // 12, place % 12
    return (
        f"{MONTHS[number]} {year}",
        f"{year}-{number + 1:02}-01",
        f"{year}-{number + 1:02}-{LENGTHS[number]}",
    )


def report(page: str, since: str, until: str) -> list[Step]:
    """Sign in and show a report."""
    return [*to(page), fill("From", since), fill("To", until), button("Show report")]


@BOOK.template(
    f"What is the status of order {{number}}? ({SIGNED})",
    f"Tell me how far order {{number}} is: its status. ({SIGNED})",
)
def order_status(dice: Dice) -> Case:
    """Search, read."""
    found = order(dice)
    wrong = next(status for status in STATUSES if status != found["status"])
    way = [*to("Orders"), *keyword(found["number"])]
    return Case(
        {"number": found["number"], **ADMIN}, {"answer": found["status"]}, [*way, answer(found["status"])],
        [*way, answer(wrong)],
    )  # fmt: skip


@BOOK.template(f"Which tracking number does order {{number}} have? ({SIGNED})", count=3)
def tracking_number(dice: Dice) -> Case:
    """Search, open, read."""
    found = order(dice, "tracking <> ''")
    way = open_order(found["number"], SUPPORT)
    return Case(
        {"number": found["number"], **SUPPORT}, {"answer": found["tracking"]}, [*way, answer(found["tracking"])],
        [*way, answer(found["invoice"])],
    )  # fmt: skip


@BOOK.template(
    f"How many orders with the status {{status}} were placed in {{month}}? ({SIGNED})",
    f"Count the {{status}} orders of {{month}}. ({SIGNED})",
)
def orders_counted(dice: Dice) -> Case:
    """Filter by status and dates, read the count."""
    name, since, until = month(dice)
    status = dice.pick(("Delivered", "Cancelled", "Refunded"))
    count = one("select count(*) from orders where status = ? and day between ? and ?", status, since, until)
    every = one("select count(*) from orders where day between ? and ?", since, until)
    dates = (fill("Purchased from", since), fill("Purchased to", until))
    return Case(
        {"status": status, "month": name, **ADMIN}, {"answer": str(count)},
        [*to("Orders"), *filters(*dates, choose("Status", status)), answer(count)],
        [*to("Orders"), *filters(*dates), answer(every)],
    )  # fmt: skip


@BOOK.template(
    f"Who placed the largest order of {{month}}, by grand total? Give the ship-to name. ({SIGNED})",
    count=3,
    hard=True,
)
def largest_order(dice: Dice) -> Case:
    """Filter by dates, sort, read."""
    while True:
        name, since, until = month(dice)
        sql = "select recipient, total from orders where day between ? and ? order by total desc"
        found = rows(sql, since, until)
        if found[0]["total"] > found[1]["total"] and found[0]["recipient"] != found[1]["recipient"]:
            break
    way = [*to("Orders"), *filters(fill("Purchased from", since), fill("Purchased to", until))]
    return Case(
        {"month": name, **ADMIN}, {"answer": found[0]["recipient"]},
        [*way, link("Grand total"), link("Grand total"), answer(found[0]["recipient"])],
        [*way, link("Grand total"), answer(found[-1]["recipient"])],
    )  # fmt: skip


@BOOK.template(
    f"What is the phone number of the customer {{name}}? ({SIGNED})",
    f"I have to call {{name}}, a customer. Which number? ({SIGNED})",
)
def customer_phone(dice: Dice) -> Case:
    """Search, read."""
    found = customer(dice, UNIQUE_NAME)
    way = [*to("All customers", SUPPORT), *keyword(found["name"])]
    return Case(
        {"name": found["name"], **SUPPORT}, {"answer_includes": [found["phone"]]}, [*way, answer(found["phone"])],
        [*way, answer(found["email"])],
    )  # fmt: skip


@BOOK.template(f"How many customers are in the group {{group}}? ({SIGNED})", count=3)
def group_size(dice: Dice) -> Case:
    """Filter, read the count."""
    group = dice.pick(("Wholesale", "VIP", "Retailer", "General"))
    count = one("select count(*) from users where grp = ?", group)
    way = to("All customers")
    return Case(
        {"group": group, **ADMIN}, {"answer": str(count)}, [*way, *filters(choose("Group", group)), answer(count)],
        [*way, answer(one("select count(*) from users"))],
    )  # fmt: skip


@BOOK.template(f"How much has the customer {{name}} ordered for in all, over all orders? ({SIGNED})", count=4)
def customer_spent(dice: Dice) -> Case:
    """Open a customer, read what comes late."""
    found = customer(dice, "id in (select user from orders group by user having count(*) > 1)")
    total = one("select sum(total) from orders where user = ?", found["id"])
    last = one("select total from orders where user = ? order by day desc", found["id"])
    way = open_customer(found)
    return Case(
        {"name": found["name"], **ADMIN},
        {"answer": money(total)},
        [*way, answer(money(total))],
        [*way, answer(money(last))],
    )


@BOOK.template(
    f"How many of the {{product}} do we have in stock? ({SIGNED})",
    f"Look up the stock of the {{product}}. ({SIGNED})",
)
def stock(dice: Dice) -> Case:
    """Search, read."""
    found = product(dice)
    way = [*to("Products"), *keyword(found["name"])]
    return Case(
        {"product": found["name"], **ADMIN}, {"answer": str(found["stock"])}, [*way, answer(found["stock"])],
        [*way, answer(found["stock"] + 1)],
    )  # fmt: skip


@BOOK.template(f"What is the SKU of the {{product}}, and in which category is it? ({SIGNED})", count=3)
def sku(dice: Dice) -> Case:
    """Search, open, read."""
    found = product(dice)
    return Case(
        {"product": found["name"], **ADMIN}, {"answer_includes": [found["sku"], found["leaf"]]},
        [*open_product(found), answer(f"{found['sku']}, {found['leaf']}")], [*open_product(found), answer(found["sku"])],
    )  # fmt: skip


@BOOK.template(
    f"How many enabled products in the category {{category}} are low on stock (fewer than 5 left)? ({SIGNED})",
    count=3,
)
def low_stock(dice: Dice) -> Case:
    """Filter the low-stock report, read the count."""
    sql = (
        "select c.name, count(*) as count from products p join categories c on c.id = p.category where p.stock < 5"
        " and p.enabled = 1 group by c.id having count(*) > 3 order by c.name"
    )
    found = dice.pick(
        [
            row
            for row in rows(sql)
            if one("select count(*) from categories where name like ?", f"%{row['name']}%") == 1
        ]
    )
    way = to("Low stock")
    every = one("select count(*) from products where stock < 5 and enabled = 1")
    return Case(
        {"category": found["name"], **ADMIN}, {"answer": str(found["count"])},
        [*way, *filters(fill("Category", found["name"])), answer(found["count"])], [*way, answer(every)],
    )  # fmt: skip


@BOOK.template(
    f"What was the sales total in {{month}}, according to the sales report? ({SIGNED})",
    f"How much did we sell in {{month}}? The sales report has it. ({SIGNED})",
)
def sales(dice: Dice) -> Case:
    """Show a report, read a cell."""
    name, since, until = month(dice)
    (row,) = figures(SITE.data, "sales", since, until, "Month")
    way = report("Sales report", since, until)
    return Case(
        {"month": name, **ADMIN},
        {"answer": money(row[3])},
        [*way, answer(money(row[3]))],
        [*way, answer(row[1])],
    )


@BOOK.template(
    f"In which month of {{year}} did we have the most orders, by the sales report? ({SIGNED})",
    count=2,
    hard=True,
)
def best_month(dice: Dice) -> Case:
    """Show a report by month, compare."""
    year = dice.pick(("2025", "2026"))
    found = sorted(
        figures(SITE.data, "sales", f"{year}-01-01", f"{year}-12-31", "Month"), key=lambda row: -row[1]
    )
    assert found[0][1] > found[1][1]
    names = [MONTHS[int(row[0][5:]) - 1] for row in found]
    pattern = rf"(?i).*({names[0]}|{found[0][0]}).*"
    way = report("Sales report", f"{year}-01-01", f"{year}-12-31")
    return Case(
        {"year": year, **ADMIN},
        {"answer_matches": pattern},
        [*way, answer(names[0])],
        [*way, answer(names[1])],
    )


@BOOK.template(f"Which product sold best in {{month}}, by quantity? ({SIGNED})", count=4)
def bestseller(dice: Dice) -> Case:
    """Show a report, read its first row."""
    while True:
        name, since, until = month(dice)
        found = figures(SITE.data, "bestsellers", since, until, "Month")
        if found[0][2] > found[1][2]:
            break
    way = report("Bestsellers", since, until)
    return Case(
        {"month": name, **ADMIN},
        {"answer_includes": [found[0][0]]},
        [*way, answer(found[0][0])],
        [*way, answer(found[1][0])],
    )


@BOOK.template(f"How often did people search for “{{term}}” in {{month}}? ({SIGNED})", count=3)
def term_uses(dice: Dice) -> Case:
    """Show a report, find a row."""
    name, since, until = month(dice)
    found = dice.pick(figures(SITE.data, "search-terms", since, until, "Month"))
    way = report("Search terms", since, until)
    return Case(
        {"term": found[0], "month": name, **ADMIN},
        {"answer": str(found[1])},
        [*way, answer(found[1])],
        [*way, answer(found[1] + 3)],
    )


@BOOK.template(f"How much money was refunded in {{month}}? ({SIGNED})", count=3)
def refunded(dice: Dice) -> Case:
    """Show a report, read a cell."""
    while True:
        name, since, until = month(dice)
        found = figures(SITE.data, "refunds", since, until, "Month")
        if found:
            break
    way = report("Refunds", since, until)
    return Case(
        {"month": name, **ADMIN},
        {"answer": money(found[0][2])},
        [*way, answer(money(found[0][2]))],
        [*way, answer(found[0][1])],
    )


@BOOK.template(f"Until when is the coupon {{code}} valid? ({SIGNED})", count=3)
def coupon_end(dice: Dice) -> Case:
    """Open a list, read a cell."""
    found = dice.pick(rows("select * from coupons order by code"))
    year, number, day = found["until"].split("-")
    pattern = rf"(?i).*({found['until']}|{MONTHS[int(number) - 1]} 0?{int(day)},? {year}|0?{int(day)} {MONTHS[int(number) - 1]} {year}).*"
    way = to("Cart price rules")
    return Case(
        {"code": found["code"], **ADMIN},
        {"answer_matches": pattern},
        [*way, answer(found["until"])],
        [*way, answer(found["since"])],
    )


@BOOK.template(f"How many reviews with {{stars}} wait for moderation? ({SIGNED})", count=3)
def reviews_waiting(dice: Dice) -> Case:
    """Filter by two fields, read the count."""
    stars = dice.number(1, 5)
    count = one("select count(*) from reviews where status = 'Pending' and rating = ?", stars)
    way = to("Reviews")
    every = one("select count(*) from reviews where rating = ?", stars)
    return Case(
        {"stars": f"{stars} star{'s' if stars > 1 else ''}", **ADMIN}, {"answer": str(count)},
        [*way, *filters(choose("Status", "Pending"), choose("Stars", str(stars))), answer(count)],
        [*way, *filters(choose("Stars", str(stars))), answer(every)],
    )  # fmt: skip


@BOOK.template(
    f"Who changed something about {{what}} on {{day}}? Give the user name from the action log. ({SIGNED})",
    count=3,
)
def who_did(dice: Dice) -> Case:
    """Search the log."""
    sql = "select * from activity where what like 'Changed%' or what like 'Disabled%' order by id"
    found = dice.pick(
        [
            row
            for row in rows(sql)
            if one("select count(*) from activity where what like ?", f"%{row['what'].split()[-1]}%") == 1
        ]
    )
    other = next(
        row["login"] for row in rows("select login from staff order by id") if row["login"] != found["login"]
    )
    what = found["what"].split()[-1]
    way = [*to("Action log"), *keyword(what)]
    return Case(
        {"what": what, "day": found["time"][:10], **ADMIN}, {"answer": found["login"]}, [*way, answer(found["login"])],
        [*way, answer(other)],
    )  # fmt: skip


@BOOK.template(f"What does the dashboard show for “{{figure}}”? ({SIGNED})", count=3)
def dashboard_figure(dice: Dice) -> Case:
    """Sign in, read."""
    counted = {
        "Orders to ship": "orders where status = 'Processing'",
        "Pending reviews": "reviews where status = 'Pending'",
        "Low stock": "products where stock < 5 and enabled = 1",
        "Customers": "users",
    }
    figure = dice.pick(tuple(counted))
    count = one(f"select count(*) from {counted[figure]}")
    return Case(
        {"figure": figure, **ADMIN},
        {"answer": str(count)},
        [*sign_in(), answer(count)],
        [*sign_in(), answer(count + 1)],
    )
