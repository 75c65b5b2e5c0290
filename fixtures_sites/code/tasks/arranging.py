"""Tasks that change many issues at once, and what is kept beside issues: labels, milestones, to-dos, stars."""

from typing import Any

from fixtures_sites.code.tasks.desk import (
    SIGNED,
    Row,
    member,
    open_project,
    people,
    project,
    project_of,
    rows,
    sign_in,
    state,
    user_id,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")


def _wanted(found: Row, ids: list[int], change: dict[str, Any]) -> list[dict[str, Any]]:
    known = rows("select id, iid, state from issues where project = ? order by iid", found["id"])
    return [
        {"iid": row["iid"], "state": row["state"], **(change if row["id"] in ids else {})} for row in known
    ]


@BOOK.template(
    f"Close all open issues of {{path}} that have the label “{{label}}”. ({SIGNED})", count=2, hard=True
)
def close_labelled(dice: Dice) -> Case:
    """Filter, choose, change many at once."""
    who = member(dice)
    sql = (
        "select i.id, i.iid from issues i join issue_labels il on il.issue = i.id join labels l on l.id = il.label"
        " where i.project = ? and i.state = 'open' and l.name = ? order by i.id"
    )
    while True:
        found = project_of(dice, who, 20)
        label = dice.pick(rows("select name from labels where project = ? order by id", found["id"]))["name"]
        chosen = rows(sql, found["id"], label)
        if 1 < len(chosen) < 6:
            break
    way = [
        *sign_in(who),
        *open_project(found, "Issues"),
        choose("Label", label),
        button("Apply filters"),
        link("Bulk edit"),
    ]
    boxes = [click("checkbox", f"Select #{row['iid']}") for row in chosen]
    end = [choose("Status", "Closed"), button("Update selected"), done()]
    return Case(
        {"path": found["path"], "label": label, **who},
        state(
            "issues", _wanted(found, [row["id"] for row in chosen], {"state": "closed"}), path=found["path"]
        ),
        [*way, *boxes, *end],
        [*way, *boxes[:-1], *end],
    )


@BOOK.template(
    f"Give the issues #{{one}} and #{{two}} of {{path}} to {{assignee}} and put both into the milestone {{milestone}}. ({SIGNED})",
    count=2,
    hard=True,
)
def bulk_plan(dice: Dice) -> Case:
    """Choose two, change two things."""
    who = member(dice)
    while True:
        found = project_of(dice, who, 20)
        both = dice.some(
            rows("select * from issues where project = ? and state = 'open' order by id", found["id"]), 2
        )
        if len(both) == 2:
            break
    someone = dice.pick(people(found))
    milestone = dice.pick(
        rows("select title from milestones where project = ? and state = 'active' order by id", found["id"])
    )["title"]
    known = rows(
        "select i.iid, u.username, m.title from issues i left join users u on u.id = i.assignee left join milestones m on m.id = i.milestone"
        " where i.project = ? and i.state = 'open' order by i.iid",
        found["id"],
    )
    chosen = [row["iid"] for row in both]
    wanted = [
        {"iid": row["iid"], "assignee": someone["username"], "milestone": milestone}
        if row["iid"] in chosen
        else {"iid": row["iid"], "assignee": row["username"], "milestone": row["title"]}
        for row in known
    ]
    way = [*sign_in(who), *open_project(found, "Issues"), link("Bulk edit")]
    end = [
        choose("New assignee", someone["name"]),
        choose("New milestone", milestone),
        button("Update selected"),
        done(),
    ]
    boxes = [click("checkbox", f"Select #{number}") for number in chosen]
    third = next((row["iid"] for row in known if row["iid"] not in chosen), chosen[0])
    return Case(
        {
            "path": found["path"],
            "one": str(chosen[0]),
            "two": str(chosen[1]),
            "assignee": someone["name"],
            "milestone": milestone,
            **who,
        },
        state("issues", wanted, path=found["path"], state="open"),
        [*way, *boxes, *end],
        [*way, boxes[0], click("checkbox", f"Select #{third}"), *end],
    )


@BOOK.template(f"Mark the to-do about “{{title}}” in {{path}} as done. ({SIGNED})", count=2)
def finish_todo(dice: Dice) -> Case:
    """One of many buttons that look the same."""
    who = member(dice)
    known = rows(
        "select t.id, p.path, i.iid, i.title from (select * from todos where user = ? order by at desc, id desc limit 20) t"
        " join projects p on p.id = t.project join issues i on i.id = t.target where t.kind = 'issue' order by t.id",
        user_id(who),
    )
    chosen, other = dice.some(known, 2)
    left = rows(
        "select p.path, t.kind, coalesce(i.iid, m.iid) as iid from todos t join projects p on p.id = t.project left join issues i on"
        " t.kind = 'issue' and i.id = t.target left join merges m on t.kind = 'merge' and m.id = t.target where t.user = ? and t.id <> ?"
        " order by t.at, t.id",
        user_id(who), chosen["id"],
    )  # fmt: skip
    way = [*sign_in(who), link("To-do list")]
    return Case(
        {"path": chosen["path"], "title": chosen["title"], **who},
        state("person", {"todos": [dict(row) for row in left]}, user=who["username"]),
        [*way, button("Mark as done", row=chosen["title"]), done()],
        [*way, button("Mark as done", row=other["title"]), done()],
    )


@BOOK.template(
    f"Create the label “{{label}}” in {{path}} with the colour {{color}} and the description “{{text}}”. ({SIGNED})",
    count=2,
)
def new_label(dice: Dice) -> Case:
    """A form at the end of a list."""
    who = member(dice)
    found = project_of(dice, who, 20)
    label, text = dice.pick(
        (("regression", "Worked before"), ("help wanted", "We could use a hand"), ("ux", "How it feels"))
    )
    color = dice.pick(("#112233", "#aa5500", "#00aa88"))
    way = [*sign_in(who), *open_project(found, "Labels"), fill("Title", label), fill("Description", text)]
    return Case(
        {"path": found["path"], "label": label, "text": text, "color": color, **who},
        state(
            "label",
            {"name": label, "color": color, "description": text},
            path=found["path"],
            name=label.replace(" ", "+"),
        ),
        [*way, fill("Background color", color), button("Create label"), done()],
        [*way, button("Create label"), done()],
    )


@BOOK.template(f"Add a milestone “{{title}}” that is due on {{due}} to {{path}}. ({SIGNED})", count=2)
def new_milestone(dice: Dice) -> Case:
    """A form with a date."""
    who = member(dice)
    found = project_of(dice, who, 20)
    title, due = (
        dice.pick(("Autumn cleanup", "Beta", "Long-term support")),
        f"2026-{dice.number(9, 12):02}-{dice.number(10, 28)}",
    )
    known = rows("select title, due, state from milestones where project = ? order by id", found["id"])
    way = [*sign_in(who), *open_project(found, "Milestones"), fill("Title", title)]
    return Case(
        {"path": found["path"], "title": title, "due": due, **who},
        state(
            "repository",
            {"milestones": [*map(dict, known), {"title": title, "due": due, "state": "active"}]},
            path=found["path"],
        ),
        [*way, fill("Due date", due), button("Create milestone"), done()],
        [*way, button("Create milestone"), done()],
    )


@BOOK.template(f"Star the project {{path}}. ({SIGNED})", f"Give {{path}} a star. ({SIGNED})", count=2)
def star(dice: Dice) -> Case:
    """Sign in, open a project, press a button."""
    who = member(dice)
    starred = [
        row["path"]
        for row in rows(
            "select p.path from stars s join projects p on p.id = s.project where s.user = ? order by 1",
            user_id(who),
        )
    ]
    while True:
        found, other = project(dice), project(dice)
        if found["path"] not in starred and other["path"] not in (found["path"], *starred):
            break
    return Case(
        {"path": found["path"], **who},
        state("person", {"stars": sorted([*starred, found["path"]])}, user=who["username"]),
        [*sign_in(who), *open_project(found), button("Star"), done()],
        [*sign_in(who), *open_project(other), button("Star"), done()],
    )
