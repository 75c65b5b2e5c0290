"""Tasks on products, categories and attributes."""

from fixtures_sites.admin.tasks.shelf import (
    ADMIN,
    SIGNED,
    apply,
    asked,
    edit_row,
    filters,
    keyword,
    one,
    open_product,
    product,
    product_is,
    rows,
    tick,
    to,
    two,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("admin")


@BOOK.template(
    f"Change the price of the {{product}} to ${{price}}. ({SIGNED})",
    f"The {{product}} should cost ${{price}} from now on. ({SIGNED})",
    count=5,
)
def price(dice: Dice) -> Case:
    """Search, edit in the row, save."""
    found, other = two(dice)
    new = f"{dice.number(15, 240)}.{dice.pick(('00', '50', '95', '99'))}"
    cents = int(new.replace(".", ""))
    return Case(
        {"product": found["name"], "price": new, **ADMIN}, product_is(found, price=cents),
        [*to("Products"), *edit_row(found, new), done()], [*to("Products"), *edit_row(other, new), done()],
    )  # fmt: skip


@BOOK.template(
    f"We counted {{count}} pieces of the product with SKU {{sku}}. Correct its quantity. ({SIGNED})",
    f"Set the stock of {{sku}} to {{count}}. ({SIGNED})",
    count=4,
)
def quantity(dice: Dice) -> Case:
    """Search, edit in the row, save."""
    found, count = product(dice), dice.number(121, 480)
    edit = edit_row(found, stock=count)
    return Case(
        {"sku": found["sku"], "count": str(count), **ADMIN}, product_is(found, stock=count),
        [*to("Products"), *edit, done()], [*to("Products"), *edit[:-1], button("Cancel"), done()],
    )  # fmt: skip


@BOOK.template(f"{{product}}: new price ${{price}}, {{count}} in stock. ({SIGNED})", count=3)
def price_and_quantity(dice: Dice) -> Case:
    """The same with both fields."""
    found, count, new = product(dice), dice.number(121, 480), f"{dice.number(15, 240)}.50"
    return Case(
        {"product": found["name"], "price": new, "count": str(count), **ADMIN},
        product_is(found, price=int(new.replace(".", "")), stock=count),
        [*to("Products"), *edit_row(found, new, count), done()], [*to("Products"), *edit_row(found, new), done()],
    )  # fmt: skip


@BOOK.template(
    f"Disable the {{product}}. ({SIGNED})", f"Take the {{product}} off sale: disable it. ({SIGNED})", count=4
)
def disable(dice: Dice) -> Case:
    """Open a product, untick, save."""
    found = product(dice)
    way = [*open_product(found), click("checkbox", "Enable product")]
    return Case(
        {"product": found["name"], **ADMIN},
        product_is(found, enabled=0),
        [*way, button("Save"), done()],
        [*way, link("Back"), done()],
    )


@BOOK.template(f"Enable the {{product}} again and set its quantity to {{count}}. ({SIGNED})", count=3)
def enable(dice: Dice) -> Case:
    """Open a product, tick, fill, save."""
    found, count = product(dice, "p.enabled = 0"), dice.number(121, 300)
    way = [*open_product(found), fill("Quantity", count, role="spinbutton")]
    return Case(
        {"product": found["name"], "count": str(count), **ADMIN}, product_is(found, enabled=1, stock=count),
        [*way, click("checkbox", "Enable product"), button("Save"), done()], [*way, button("Save"), done()],
    )  # fmt: skip


@BOOK.template(
    f"Disable all products in the category {{category}} that cost ${{price}} or more. ({SIGNED})",
    count=4,
    hard=True,
)
def disable_dear(dice: Dice) -> Case:
    """Filter by two fields, tick all, choose an action, confirm."""
    sql = "select * from products where category = ? and enabled = 1 order by price desc, id"
    while True:
        leaf = dice.pick(rows("select * from categories where parent is not null order by id"))
        if one("select count(*) from categories where name like ?", f"%{leaf['name']}%") > 1:
            continue
        found = rows(sql, leaf["id"])
        limit = found[dice.number(2, 6)]["price"] // 100
        dear = rows(
            "select * from products where category = ? and price >= ? order by id", leaf["id"], limit * 100
        )
        if 2 <= len(dear) <= 9 and all(row["price"] != limit * 100 or True for row in dear):
            break
    off = rows("select id, sku from products where enabled = 0")
    wanted = [sku for _, sku in sorted({(row["id"], row["sku"]) for row in (*off, *dear)})]
    way = [*to("Products"), *filters(fill("Category", leaf["name"]), fill("Price from", limit))]
    last = sorted(row["id"] for row in dear if row["enabled"])[-1]
    return Case(
        {"category": leaf["name"], "price": str(limit), **ADMIN}, asked("disabled", wanted),
        [*way, click("checkbox", "Select all"), *apply("Disable"), done()], [*way, *tick(last), *apply("Disable"), done()],
    )  # fmt: skip


@BOOK.template(f"Move the {{product}} to the category {{category}}. ({SIGNED})", count=3)
def move(dice: Dice) -> Case:
    """Open a product, choose, save."""
    found = product(dice)
    new, wrong = dice.some([row["name"] for row in rows("select name from categories where parent is not null and id <> ? order by id", found["category"])], 2)  # fmt: skip
    way = open_product(found)
    return Case(
        {"product": found["name"], "category": new, **ADMIN}, product_is(found, category=new),
        [*way, choose("Category", new), button("Save"), done()], [*way, choose("Category", wrong), button("Save"), done()],
    )  # fmt: skip


@BOOK.template(f"Rename the category {{old}} to “{{new}}”. ({SIGNED})", count=3)
def rename_category(dice: Dice) -> Case:
    """Open a record, change a field, save."""
    old = dice.pick(rows("select * from categories where parent is not null order by id"))
    new = f"{dice.pick(('Fine', 'Handmade', 'Everyday'))} {old['name']}"
    way = [*to("Categories"), *keyword(old["name"]), link(old["name"]), fill("Category", new)]
    return Case(
        {"old": old["name"], "new": new, **ADMIN}, asked("categories", [{"name": new, "slug": old["slug"]}], slug=old["slug"]),
        [*way, button("Save"), done()], [*way, link("Back"), done()],
    )  # fmt: skip


@BOOK.template(
    f"Add the value “{{value}}” at the end of the values of the attribute {{name}}. ({SIGNED})", count=3
)
def attribute_value(dice: Dice) -> Case:
    """Open a record, add to a field, save."""
    name, value = dice.pick(
        (
            ("Colour", "Copper"),
            ("Size", "XXL"),
            ("Season", "Spring"),
            ("Pattern", "Dotted"),
            ("Fit", "Tailored"),
        )
    )
    old = one("select vals from attributes where name = ?", name)
    way = [*to("Attributes"), link(name)]
    return Case(
        {"name": name, "value": value, **ADMIN}, asked("attributes", [{"vals": f"{old}, {value}"}], name=name),
        [*way, fill("Values", f"{old}, {value}"), button("Save"), done()], [*way, fill("Values", value), button("Save"), done()],
    )  # fmt: skip
