"""Tasks that ask about issues, milestones and merge requests."""

from fixtures_sites.code.tasks.desk import issue, one, open_project, people, project, rows
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import answer, button, choose, done, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")
LABELLED = (
    "select l.name, sum(i.state = 'open') as open, sum(i.state = 'closed') as closed from labels l join issue_labels il on il.label = l.id"
    " join issues i on i.id = il.issue where l.project = ? group by l.id order by l.name"
)


@BOOK.template(
    "How many open issues of {path} have the label “{label}”?",
    "Count the open issues labelled “{label}” in {path}.",
    count=3,
)
def label_count(dice: Dice) -> Case:
    """Filter issues by a label, read the count."""
    while True:
        found = project(dice)
        label = dice.pick(rows(LABELLED, found["id"]))
        if label["open"] and label["closed"]:
            break
    look = [*open_project(found, "Issues"), choose("Label", label["name"]), button("Apply filters")]
    return Case(
        {"path": found["path"], "label": label["name"]},
        {"answer": str(label["open"])},
        [*look, answer(label["open"])],
        [*look, link("All"), answer(label["open"] + label["closed"])],
    )


@BOOK.template("How many open issues in {path} are assigned to {name}?", count=3)
def assigned_count(dice: Dice) -> Case:
    """Filter issues by assignee, read the count."""
    while True:
        found = project(dice)
        someone = dice.pick(people(found))
        count = one(
            "select count(*) from issues where project = ? and assignee = ? and state = 'open'",
            found["id"],
            someone["id"],
        )
        if count:
            break
    total = one("select count(*) from issues where project = ? and state = 'open'", found["id"])
    look = open_project(found, "Issues")
    return Case(
        {"path": found["path"], "name": someone["name"]},
        {"answer": str(count)},
        [*look, choose("Assignee", someone["name"]), button("Apply filters"), answer(count)],
        [*look, answer(total + 1)],
    )


@BOOK.template(
    "Which open issue of {path} is the oldest? Give its title.",
    "What is the title of the open issue of {path} that was created first?",
    count=2,
)
def oldest_issue(dice: Dice) -> Case:
    """Sort issues, read the first."""
    found = project(dice)
    titles = [
        row["title"]
        for row in rows(
            "select title from issues where project = ? and state = 'open' order by created", found["id"]
        )
    ]
    look = [*open_project(found, "Issues"), choose("Sort by", "Oldest created"), button("Apply filters")]
    return Case(
        {"path": found["path"]},
        {"answer": titles[0]},
        [*look, answer(titles[0])],
        [*look, answer(titles[-1])],
    )


@BOOK.template(
    "Which open issue of {path} has to be done first, going by due dates? Give its title.", count=2
)
def next_due(dice: Dice) -> Case:
    """Sort issues by due date, read the first."""
    while True:
        found = project(dice)
        due = rows(
            "select title, due from issues where project = ? and state = 'open' and due <> '' order by due",
            found["id"],
        )
        if len(due) > 1 and due[0]["due"] < due[1]["due"]:
            break
    look = [*open_project(found, "Issues"), choose("Sort by", "Due date"), button("Apply filters")]
    return Case(
        {"path": found["path"]},
        {"answer": due[0]["title"]},
        [*look, answer(due[0]["title"])],
        [*look, answer(due[1]["title"])],
    )


@BOOK.template("When is the milestone {title} of {path} due? Answer as YYYY-MM-DD.", count=2)
def milestone_due(dice: Dice) -> Case:
    """Open the milestones, read."""
    found = project(dice)
    asked, other = dice.some(
        rows("select title, due from milestones where project = ? order by id", found["id"]), 2
    )
    look = open_project(found, "Milestones")
    return Case(
        {"path": found["path"], "title": asked["title"]},
        {"answer": asked["due"]},
        [*look, answer(asked["due"])],
        [*look, answer(other["due"])],
    )


@BOOK.template("How many comments does the issue “{title}” of {path} have?", count=2)
def comment_count(dice: Dice) -> Case:
    """Open an issue, count."""
    while True:
        found = project(dice)
        chosen = issue(dice, found)
        count = chosen and one(
            "select count(*) from comments where kind = 'issue' and target = ?", chosen["id"]
        )
        if chosen and count:
            break
    look = [*open_project(found, "Issues"), link(chosen["title"])]
    return Case(
        {"path": found["path"], "title": chosen["title"]},
        {"answer": str(count)},
        [*look, answer(count)],
        [*look, answer(count + 1)],
    )


@BOOK.template("Who merged the merge request “{title}” of {path}?", count=2)
def merged_by(dice: Dice) -> Case:
    """Open a merged request, read; its status comes late."""
    found = project(dice)
    merge = dice.pick(
        rows(
            "select m.title, u.name, a.name as author from merges m join users u on u.id = m.merged_by join users a on a.id = m.author"
            " where m.project = ? and m.state = 'merged'",
            found["id"],
        )
    )
    look = [*open_project(found, "Merge requests"), link("Merged"), link(merge["title"])]
    return Case(
        {"path": found["path"], "title": merge["title"]},
        {"answer": merge["name"]},
        [*look, answer(merge["name"])],
        [*look, answer(merge["author"])],
    )


@BOOK.template("Show me the closed issues of {path} with the label “{label}”.", count=2)
def closed_with_label(dice: Dice) -> Case:
    """Filter issues by state and label."""
    found = project(dice)
    label = dice.pick(rows(LABELLED, found["id"]))["name"]
    look = open_project(found, "Issues")
    choice = [choose("Label", label), button("Apply filters"), done()]
    return Case(
        {"path": found["path"], "label": label},
        {
            "url": f"/{found['path']}/-/issues?state=closed&label={label.replace(' ', '+').replace(':', '%3A')}"
        },
        [*look, link("Closed"), *choice],
        [*look, *choice],
    )


@BOOK.template("Show the changes of the open merge request “{title}” in {path}.", count=2)
def show_changes(dice: Dice) -> Case:
    """Open a merge request and one of its tabs."""
    found = project(dice)
    merge = dice.pick(
        rows(
            "select * from merges where project = ? and state = 'open' and draft = 0 order by id", found["id"]
        )
    )
    look = [*open_project(found, "Merge requests"), link(merge["title"])]
    return Case(
        {"path": found["path"], "title": merge["title"]},
        {"url": f"/{found['path']}/-/merge_requests/{merge['iid']}?tab=changes"},
        [*look, link("Changes"), done()],
        [*look, link("Its commits"), done()],
    )
