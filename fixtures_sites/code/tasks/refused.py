"""Tasks that can't be done: the right end is to say so."""

from fixtures_sites.code.tasks.desk import (
    SIGNED,
    member,
    open_project,
    project,
    project_of,
    rows,
    search,
    sign_in,
    user_id,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import answer, button, done, fill, infeasible, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")
NEVER = {"infeasible": True}


@BOOK.template("How many stars does the project {path} have?", count=2)
def no_such_project(dice: Dice) -> Case:
    """There is no such project."""
    path = f"{dice.pick(('aurora', 'quarry', 'tidepool'))}/{dice.pick(('zeppelin', 'quillwort', 'umbrella-stand'))}"
    other = project(dice)
    return Case(
        {"path": path},
        NEVER,
        [*search(path.split("/")[1]), infeasible()],
        [*open_project(other), answer(other["stars"])],
    )


@BOOK.template(f"Merge the merge request “{{title}}” of {{path}}. ({SIGNED})", count=3)
def conflicts(dice: Dice) -> Case:
    """It has conflicts, which need work outside."""
    who = member(dice)
    while True:
        found = project_of(dice, who, 30)
        stuck = rows(
            "select title from merges where project = ? and state = 'open' and conflicts = 1", found["id"]
        )
        if stuck:
            break
    way = [*sign_in(who), *open_project(found, "Merge requests"), link(stuck[0]["title"])]
    return Case(
        {"path": found["path"], "title": stuck[0]["title"], **who},
        NEVER,
        [*way, infeasible()],
        [*way, fill("Comment", "Merged."), button("Add comment"), done()],
    )


@BOOK.template(f"Create an issue “{{title}}” in {{path}}. ({SIGNED})", count=2)
def archived(dice: Dice) -> Case:
    """The project is archived."""
    who, title = (
        member(dice),
        dice.pick(("Update the licence", "Wrong link in the README", "Bring back the old icon")),
    )
    found = dice.pick(rows("select * from projects where archived = 1 and visibility = 'public' order by id"))
    way = [*sign_in(who), *open_project(found, "Issues")]
    return Case(
        {"path": found["path"], "title": title, **who},
        NEVER,
        [*way, infeasible()],
        [*way, link("All"), done()],
    )


@BOOK.template(f"Rename the project {{path}} to “{{name}}”. ({SIGNED})", count=3)
def not_allowed(dice: Dice) -> Case:
    """Only maintainers may, and the person is none."""
    who = member(dice)
    found = project_of(dice, who, 20, 30)
    way = [*sign_in(who), *open_project(found)]
    return Case(
        {"path": found["path"], "name": f"{found['name']} plus", **who},
        NEVER,
        [*way, infeasible()],
        [*way, link("Members"), done()],
    )


@BOOK.template(f"Add the user {{name}} to {{path}} as a Developer. ({SIGNED})", count=2)
def nobody(dice: Dice) -> Case:
    """There is no such person."""
    who = member(dice)
    found = project_of(dice, who, 40)
    name = dice.pick(("horatiopugh", "wilhelminastern", "zacharyblot"))
    way = [
        *sign_in(who),
        *open_project(found, "Members"),
        button("Invite member"),
        fill("Username or email", name),
        button("Invite"),
    ]
    return Case({"path": found["path"], "name": name, **who}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template(f"Delete the project {{path}}. ({SIGNED})", count=2)
def not_the_owner(dice: Dice) -> Case:
    """A maintainer sees the settings, but may not delete."""
    who = member(dice)
    found = project_of(dice, who, 40, 40)
    way = [*sign_in(who), *open_project(found, "Settings"), button("Expand", row="Advanced")]
    return Case({"path": found["path"], **who}, NEVER, [*way, infeasible()], [*way, done()])


@BOOK.template(f"Approve the merge request “{{title}}” of {{path}}. ({SIGNED})", count=2)
def ones_own(dice: Dice) -> Case:
    """One can't approve one's own merge request."""
    who = member(dice)
    found = dice.pick(
        rows(
            "select p.slug, p.path, m.title from merges m join projects p on p.id = m.project where m.author = ? and m.state = 'open'"
            " and m.draft = 0 and p.archived = 0 order by m.id",
            user_id(who),
        )
    )
    way = [*sign_in(who), *open_project(found, "Merge requests"), link(found["title"]), button("Approve")]
    return Case(
        {"path": found["path"], "title": found["title"], **who}, NEVER, [*way, infeasible()], [*way, done()]
    )


@BOOK.template(
    f"Add the label “{{label}}” to issue #{{iid}} of {{path}}; don't create labels. ({SIGNED})", count=2
)
def no_such_label(dice: Dice) -> Case:
    """The project has no such label."""
    who = member(dice)
    found = project_of(dice, who, 20)
    chosen = dice.pick(
        rows("select * from issues where project = ? and state = 'open' order by id", found["id"])
    )
    label = dice.pick(("wontfix", "research", "customer request"))
    way = [*sign_in(who), *open_project(found, "Issues"), link(chosen["title"])]
    return Case(
        {"path": found["path"], "iid": str(chosen["iid"]), "label": label, **who},
        NEVER,
        [*way, button("Edit", row="Labels"), infeasible()],
        [*way, fill("Comment", label), button("Add comment"), done()],
    )
