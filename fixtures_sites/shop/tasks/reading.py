"""Tasks that ask for something that is written in the shop."""

from fixtures_sites.seeded import Dice
from fixtures_sites.shop.money import money
from fixtures_sites.shop.seeded import SHIPPING
from fixtures_sites.shop.tasks.shelf import (
    PLAIN,
    SIGNED,
    kinds,
    member,
    one,
    open_category,
    open_order,
    open_product,
    order_lines,
    orders,
    product,
    rows,
    search,
    sign_in,
)
from fixtures_sites.steps import answer, button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("shop")
LEAVES = "select * from categories where parent is not null order by id"


@BOOK.template("What does the {product} cost?", "Find the price of the {product}.", count=5)
def price(dice: Dice) -> Case:
    """Search, read."""
    found = product(dice, "list_price is not null")
    look = search(found["name"])
    return Case(
        {"product": found["name"]},
        {"answer": money(found["price"])},
        [*look, answer(money(found["price"]))],
        [*look, answer(money(found["list_price"]))],
    )


@BOOK.template("What is the item number of the {product}?", count=4)
def item_number(dice: Dice) -> Case:
    """Search, open, read."""
    found = product(dice)
    look = open_product(found["name"])
    return Case(
        {"product": found["name"]},
        {"answer": found["sku"]},
        [*look, answer(found["sku"])],
        [*look, answer(found["id"])],
    )


@BOOK.template(
    "{fact} of the {product}: what does the shop say?", "Look up “{fact}” for the {product}.", count=6
)
def fact(dice: Dice) -> Case:
    """Search, open, read among the details."""
    found = product(dice, "1")
    known = rows("select name, value from facts where product = ? order by rowid", found["id"])
    asked, other = dice.some(known, 2)
    look = open_product(found["name"])
    return Case(
        {"product": found["name"], "fact": asked["name"]},
        {"answer": asked["value"]},
        [*look, answer(asked["value"])],
        [*look, answer(f"{other['name']}: {other['value']}")],
    )


@BOOK.template("What average rating did customers give the {product}?", count=4)
def rating(dice: Dice) -> Case:
    """Search, open, read."""
    found = product(dice, "reviews > 2 and rating > 1 and rating < 5")
    look = open_product(found["name"])
    return Case(
        {"product": found["name"]},
        {"answer_matches": rf"(?<![\d.]){found['rating']}(?![\d])"},
        [*look, answer(f"{found['rating']} out of 5")],
        [*look, answer(f"{found['reviews']} reviews")],
    )


@BOOK.template("How many {stars}-star reviews does the {product} have?", count=4)
def star_reviews(dice: Dice) -> Case:
    """Search, open, count."""
    found = product(dice, "reviews > 7")
    stars = dice.number(3, 5)
    sql = "select count(*) from reviews where product = ? and rating = ?"
    count, other = one(sql, found["id"], stars), found["reviews"] + 1
    look = open_product(found["name"])
    name = f"{stars} stars"
    return Case(
        {"product": found["name"], "stars": str(stars)},
        {"answer": str(count)},
        [*look, link(name), answer(count)],
        [*look, link(name), answer(other)],
    )


@BOOK.template("Who wrote the most helpful review of the {product}?", count=4)
def helpful_author(dice: Dice) -> Case:
    """Sort the reviews, read."""
    while True:
        found = product(dice, "reviews > 7")
        known = rows(
            "select author, helpful from reviews where product = ? order by helpful desc", found["id"]
        )
        if known[0]["helpful"] > known[1]["helpful"]:
            break
    look = [*open_product(found["name"]), choose("Sort reviews", "Most helpful"), button("Sort")]
    return Case(
        {"product": found["name"]},
        {"answer": known[0]["author"]},
        [*look, answer(known[0]["author"])],
        [*look, answer(known[1]["author"])],
    )


@BOOK.template(
    "What is the cheapest product in {category}?", "Name the product of least price in {category}.", count=5
)
def cheapest(dice: Dice) -> Case:
    """Open a category, sort, read."""
    while True:
        leaf = dice.pick(rows(LEAVES))
        found = rows("select name, price from products where category = ? order by price", leaf["id"])
        if found[0]["price"] < found[1]["price"]:
            break
    look = [*open_category(leaf["name"]), choose("Sort by", "Price: low to high"), button("Show results")]
    return Case(
        {"category": leaf["name"]},
        {"answer": found[0]["name"]},
        [*look, answer(found[0]["name"])],
        [*look, answer(found[1]["name"])],
    )


@BOOK.template("How many products by {brand} are there in the category {category}?", count=4)
def brand_count(dice: Dice) -> Case:
    """Open a category, filter by brand, count."""
    leaf = dice.pick(rows(LEAVES))
    brand = rows(
        "select b.name, count(*) as count from products p join brands b on b.id = p.brand where p.category = ?"
        " group by b.id order by count(*) desc, b.name limit 6",
        leaf["id"],
    )[dice.number(0, 5)]
    look = [*open_category(leaf["name"]), click("checkbox", brand["name"]), button("Show results")]
    return Case(
        {"category": leaf["name"], "brand": brand["name"]},
        {"answer": str(brand["count"])},
        [*look, answer(brand["count"])],
        [*open_category(leaf["name"]), answer(38)],
    )


@BOOK.template("How many {category} are there for {limit} or less?", count=4)
def count_below(dice: Dice) -> Case:
    """Open a category, set a price, count."""
    leaf = dice.pick(rows(LEAVES))
    prices = [
        row["price"]
        for row in rows("select price from products where category = ? order by price", leaf["id"])
    ]
    limit = prices[dice.number(4, 14)] // 500 * 500 + 500
    count = sum(amount <= limit for amount in prices)
    look = open_category(leaf["name"])
    return Case(
        {"category": leaf["name"].lower(), "limit": f"${limit // 100}"},
        {"answer": str(count)},
        [*look, fill("Maximum price", limit // 100), button("Show results"), answer(count)],
        [
            *look,
            fill("Minimum price", limit // 100),
            button("Show results"),
            answer(len(prices) - count + 100),
        ],
    )


@BOOK.template("Which is the most expensive product by {brand}?", count=4)
def dearest_of_brand(dice: Dice) -> Case:
    """Find a brand's page, sort, read."""
    while True:
        brand = dice.pick(rows("select * from brands order by id"))
        found = rows("select name, price from products where brand = ? order by price desc", brand["id"])
        if found[0]["price"] > found[1]["price"]:
            break
    look = [*open_product(found[2]["name"]), link(brand["name"]), choose("Sort by", "Price: high to low")]
    return Case(
        {"brand": brand["name"]},
        {"answer": found[0]["name"]},
        [*look, button("Show results"), answer(found[0]["name"])],
        [*look, button("Show results"), answer(found[1]["name"])],
    )


@BOOK.template("How many of the {product} are left in stock?", count=4)
def left_in_stock(dice: Dice) -> Case:
    """Search, read."""
    found = product(dice, "stock between 1 and 4")
    look = search(found["name"])
    return Case(
        {"product": found["name"]},
        {"answer": str(found["stock"])},
        [*look, answer(found["stock"])],
        [*look, answer(found["stock"] + 1)],
    )


@BOOK.template("In which colours can I get the {product}?", count=4)
def colours(dice: Dice) -> Case:
    """Search, open, list."""
    found = product(dice, "stock > 0 and id in (select product from options where kind = 'Colour')")
    offered = kinds(found["id"])["Colour"]
    look = open_product(found["name"])
    return Case(
        {"product": found["name"]},
        {"answer_includes": offered},
        [*look, answer(", ".join(offered))],
        [*look, answer(", ".join(offered[1:]))],
    )


@BOOK.template("Which one costs less, the {product} or the {other}?", count=4)
def cheaper_of_two(dice: Dice) -> Case:
    """Two searches, compare."""
    one_, two = dice.some(rows(f"select * from products where {PLAIN} order by id"), 2)
    if one_["price"] == two["price"]:
        return cheaper_of_two(dice)
    low, high = sorted((one_, two), key=lambda row: int(row["price"]))
    look = [*search(one_["name"]), *search(two["name"])]
    return Case(
        {"product": one_["name"], "other": two["name"]},
        {"answer": low["name"]},
        [*look, answer(low["name"])],
        [*look, answer(high["name"])],
    )


@BOOK.template("What does {method} shipping cost without any discount?", count=3)
def shipping_price(dice: Dice) -> Case:
    """Read the help page."""
    method = dice.pick(tuple(SHIPPING))
    other = dice.pick([name for name in SHIPPING if name != method])
    look = [link("Help and returns")]
    return Case(
        {"method": method.lower()},
        {"answer": money(SHIPPING[method])},
        [*look, answer(money(SHIPPING[method]))],
        [*look, answer(money(SHIPPING[other]))],
    )


@BOOK.template("Open the page of the {product}.", "Show me the {product}.", count=4)
def open_page(dice: Dice) -> Case:
    """Search, open."""
    found = product(dice, "1")
    other = product(dice, f"id <> {found['id']}")
    return Case(
        {"product": found["name"]},
        {"url": f"/product/{found['slug']}"},
        [*open_product(found["name"]), done()],
        [*open_product(other["name"]), done()],
    )


@BOOK.template("Show me {category} rated 4 stars and up, cheapest first.", count=4)
def filtered_page(dice: Dice) -> Case:
    """Open a category, filter and sort."""
    leaf = dice.pick(rows(LEAVES))
    look = [*open_category(leaf["name"]), choose("Sort by", "Price: low to high")]
    return Case(
        {"category": leaf["name"].lower()},
        {"url": f"/category/{leaf['slug']}?rating=4&sort=price-asc"},
        [*look, click("radio", "4 stars and up"), button("Show results"), done()],
        [*look, click("radio", "3 stars and up"), button("Show results"), done()],
    )


@BOOK.template(f"What is the status of my order {{number}}? ({SIGNED})", count=4)
def order_status(dice: Dice) -> Case:
    """Sign in, open an order, read."""
    who = member(dice)
    order = dice.pick(orders(who))
    look = open_order(who, order["number"])
    wrong = "Returned" if order["status"] == "Shipped" else "Shipped"
    return Case(
        {"number": order["number"], **who},
        {"answer": order["status"]},
        [*look, answer(order["status"])],
        [*look, answer(wrong)],
    )


@BOOK.template(f"How many orders did I place in {{year}}? ({SIGNED})", count=5)
def orders_in_year(dice: Dice) -> Case:
    """Sign in, filter, count."""
    who = member(dice)
    year = dice.pick(("2024", "2025", "2026"))
    count = len(orders(who, f"substr(day, 1, 4) = '{year}'"))
    look = [*sign_in(who), link("Orders")]
    return Case(
        {"year": year, **who},
        {"answer": str(count)},
        [*look, choose("Year", year), button("Show orders"), answer(count)],
        [*look, answer(len(orders(who)))],
    )


@BOOK.template(f"What did I order on {{day}}? Name one of the products. ({SIGNED})", count=4)
def ordered_on(dice: Dice) -> Case:
    """Sign in, find an order by its day, read."""
    who = member(dice)
    order = dice.pick(orders(who))
    names = [line["name"] for line in order_lines(order["number"])]
    other = next(row for row in orders(who) if row["number"] != order["number"])
    wrong = [line["name"] for line in order_lines(other["number"]) if line["name"] not in names]
    return Case(
        {"day": order["day"], **who},
        {"answer": names},
        [*open_order(who, order["number"]), answer(names[0])],
        [*open_order(who, other["number"]), answer(wrong[0])],
    )
