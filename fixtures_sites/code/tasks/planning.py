"""Tasks that write and change single issues."""

from fixtures_sites.code.tasks.desk import (
    SIGNED,
    Row,
    issue,
    issue_state,
    labels,
    member,
    open_issue,
    open_project,
    people,
    project,
    project_of,
    rows,
    sign_in,
    state,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")
TITLES = (
    "Typo on the start page",
    "Icons are missing in print",
    "Support for left-handed mode",
    "Wrong plural in the summary",
    "Tab order skips the search field",
)
TEXTS = (
    "I can take care of this tomorrow.",
    "Please add the exact version.",
    "This also happens on the staging server.",
    "Duplicate of an older report, I think.",
)


def _chosen(
    dice: Dice, who: dict[str, str], condition: str = "state = 'open'", low: int = 20
) -> tuple[Row, Row]:
    """A project in which someone may plan, and an issue of it."""
    while True:
        found = project_of(dice, who, low)
        chosen = issue(dice, found, condition)
        if chosen is not None:
            return found, chosen


def _said(who: dict[str, str], text: str) -> list[dict[str, str]]:
    return [{"author": who["username"], "body": text}]


@BOOK.template(
    f"Create an issue in {{path}} with the title “{{title}}” and the description “{{text}}”. ({SIGNED})",
    count=2,
)
def new_issue(dice: Dice) -> Case:
    """Sign in, open a project, fill a form."""
    who, found, title, text = member(dice), project(dice), dice.pick(TITLES), dice.pick(TEXTS)
    way = [*sign_in(who), *open_project(found, "Issues"), link("New issue"), fill("Title", title)]
    return Case(
        {"path": found["path"], "title": title, "text": text, **who},
        state(
            "issues", [{"title": title, "body": text, "author": who["username"]}], path=found["path"], new=1
        ),
        [*way, fill("Description", text), button("Create issue"), done()],
        [*way, button("Create issue"), done()],
    )


@BOOK.template(
    f"In {{path}}, report “{{title}}”: label it “{{label}}”, assign it to {{assignee}}, put it into the milestone {{milestone}} and make it"
    f" due on {{due}}. ({SIGNED})",
    count=3,
    hard=True,
)
def planned_issue(dice: Dice) -> Case:
    """The whole form of an issue."""
    who, title = member(dice), dice.pick(TITLES)
    found = project_of(dice, who, 20)
    label = dice.pick(rows("select name from labels where project = ? order by id", found["id"]))["name"]
    someone = dice.pick(people(found))
    milestone = dice.pick(
        rows("select title from milestones where project = ? and state = 'active' order by id", found["id"])
    )["title"]
    due = f"2026-{dice.number(7, 9):02}-{dice.number(1, 28):02}"

    def way(day: str) -> list[Step]:
        return [
            *sign_in(who), *open_project(found, "Issues"), link("New issue"), fill("Title", title),
            choose("Assignee", someone["name"]), choose("Milestone", milestone), click("checkbox", label),
            fill("Due date", day), button("Create issue"), done(),
        ]  # fmt: skip

    wanted = {
        "title": title,
        "labels": [label],
        "assignee": someone["username"],
        "milestone": milestone,
        "due": due,
    }
    return Case(
        {
            "path": found["path"],
            "title": title,
            "label": label,
            "assignee": someone["name"],
            "milestone": milestone,
            "due": due,
            **who,
        },
        state("issues", [wanted], path=found["path"], new=1),
        way(due),
        way(f"{due[:8]}{29 - int(due[8:]):02}" if due[8:] != "14" else f"{due[:8]}28"),
    )


@BOOK.template(
    f"Comment on the issue “{{title}}” of {{path}}: “{{text}}” ({SIGNED})",
    f"Write “{{text}}” under the issue “{{title}}” in {{path}}. ({SIGNED})",
    count=2,
)
def comment(dice: Dice) -> Case:
    """Sign in, open an issue, write."""
    who, text = member(dice), dice.pick(TEXTS)
    found, chosen = _chosen(dice, who)
    other = next(
        row
        for row in rows("select * from issues where project = ? and state = 'open' order by id", found["id"])
        if row["id"] != chosen["id"]
    )
    end = [fill("Comment", text), button("Add comment"), done()]
    return Case(
        {"path": found["path"], "title": chosen["title"], "text": text, **who},
        issue_state(found, chosen, comments=_said(who, text), state="open"),
        [*sign_in(who), *open_issue(found, chosen), *end],
        [*sign_in(who), *open_issue(found, other), *end],
    )


@BOOK.template(f"Close the issue “{{title}}” of {{path}}. ({SIGNED})", count=2)
def close(dice: Dice) -> Case:
    """Sign in, open an issue, close it."""
    who = member(dice)
    found, chosen = _chosen(dice, who)
    way = [*sign_in(who), *open_issue(found, chosen)]
    return Case(
        {"path": found["path"], "title": chosen["title"], **who},
        issue_state(found, chosen, state="closed"),
        [*way, button("Close issue"), done()],
        [*way, fill("Comment", "Closed."), button("Add comment"), done()],
    )


@BOOK.template(f"Close the issue “{{title}}” of {{path}} with the comment “{{text}}” ({SIGNED})", count=2)
def close_with_comment(dice: Dice) -> Case:
    """Two things with one form."""
    who, text = member(dice), dice.pick(TEXTS)
    found, chosen = _chosen(dice, who)
    way = [*sign_in(who), *open_issue(found, chosen)]
    return Case(
        {"path": found["path"], "title": chosen["title"], "text": text, **who},
        issue_state(found, chosen, state="closed", comments=_said(who, text)),
        [*way, fill("Comment", text), button("Comment & close issue"), done()],
        [*way, button("Close issue"), done()],
    )


@BOOK.template(f"Reopen the closed issue “{{title}}” of {{path}}. ({SIGNED})", count=2)
def reopen(dice: Dice) -> Case:
    """Find a closed issue, open it again."""
    who = member(dice)
    found, chosen = _chosen(dice, who, "state = 'closed'")
    way = [*sign_in(who), *open_issue(found, chosen)]
    return Case(
        {"path": found["path"], "title": chosen["title"], **who},
        issue_state(found, chosen, state="open"),
        [*way, button("Reopen issue"), done()],
        [*way, button("Add a to-do item"), done()],
    )


@BOOK.template(f"Assign the issue “{{title}}” of {{path}} to {{assignee}}. ({SIGNED})", count=2)
def assign(dice: Dice) -> Case:
    """One field of the side bar."""
    who = member(dice)
    found, chosen = _chosen(dice, who)
    one_, two = dice.some([row for row in people(found) if row["id"] != chosen["assignee"]], 2)
    way = [*sign_in(who), *open_issue(found, chosen), button("Edit", row="Assignee")]
    return Case(
        {"path": found["path"], "title": chosen["title"], "assignee": one_["name"], **who},
        issue_state(found, chosen, assignee=one_["username"]),
        [*way, choose("Choose assignee", one_["name"]), button("Save", row="Assignee"), done()],
        [*way, choose("Choose assignee", two["name"]), button("Save", row="Assignee"), done()],
    )


@BOOK.template(
    f"Add the label “{{label}}” to the issue “{{title}}” in {{path}}, and keep the labels it has. ({SIGNED})",
    count=2,
)
def add_label(dice: Dice) -> Case:
    """Boxes of the side bar."""
    who = member(dice)
    while True:
        found, chosen = _chosen(dice, who, "state = 'open' and id in (select issue from issue_labels)")
        known = labels(chosen)
        free = [
            row["name"]
            for row in rows("select name from labels where project = ? order by id", found["id"])
            if row["name"] not in known
        ]
        if free:
            break
    label = dice.pick(free)
    way = [*sign_in(who), *open_issue(found, chosen), button("Edit", row="Labels"), click("checkbox", label)]
    return Case(
        {"path": found["path"], "title": chosen["title"], "label": label, **who},
        issue_state(found, chosen, labels=sorted([*known, label])),
        [*way, button("Save", row="Labels"), done()],
        [*way, click("checkbox", known[0]), button("Save", row="Labels"), done()],
    )


@BOOK.template(f"Set the due date of the issue “{{title}}” in {{path}} to {{day}}. ({SIGNED})", count=2)
def due_date(dice: Dice) -> Case:
    """A native date field."""
    who = member(dice)
    found, chosen = _chosen(dice, who)
    month, number = dice.number(7, 9), dice.number(2, 28)
    spoken = f"{('July', 'August', 'September')[month - 7]} {number}, 2026"
    way = [*sign_in(who), *open_issue(found, chosen), button("Edit", row="Due date")]

    def end(day: str) -> list[Step]:
        return [fill("Choose due date", day), button("Save", row="Due date"), done()]

    return Case(
        {"path": found["path"], "title": chosen["title"], "day": spoken, **who},
        issue_state(found, chosen, due=f"2026-{month:02}-{number:02}"),
        [*way, *end(f"2026-{month:02}-{number:02}")],
        [*way, *end(f"2026-{month:02}-{number - 1:02}")],
    )


@BOOK.template(f"Change the title of issue #{{iid}} of {{path}} to “{{title}}”. ({SIGNED})", count=2)
def retitle(dice: Dice) -> Case:
    """Edit an issue; the control is only a sign."""
    who, title = member(dice), dice.pick(TITLES)
    found, chosen = _chosen(dice, who)
    way = [*sign_in(who), *open_issue(found, chosen), link("Edit title and description")]
    return Case(
        {"path": found["path"], "iid": str(chosen["iid"]), "title": title, **who},
        issue_state(found, chosen, title=title, body=chosen["body"].replace("\r", ""), labels=labels(chosen)),
        [*way, fill("Title", title), button("Save changes"), done()],
        [*way, fill("Title", title.lower()), button("Save changes"), done()],
    )
