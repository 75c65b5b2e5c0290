"""Tasks on merge requests."""

from typing import Any

from fixtures_sites.code.tasks.desk import (
    SIGNED,
    Row,
    member,
    open_project,
    people,
    project_of,
    rows,
    sign_in,
    state,
    user_id,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, choose, click, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")
APPROVED = "id in (select merge from approvals)"
READY = "state = 'open' and draft = 0 and conflicts = 0"


def _chosen(dice: Dice, who: dict[str, str], condition: str) -> tuple[Row, Row]:
    """A project in which someone develops, and a merge request of it."""
    while True:
        found = project_of(dice, who, 30)
        fitting = rows(f"select * from merges where project = ? and {condition} order by id", found["id"])
        if fitting:
            return found, dice.pick(fitting)


def _open(who: dict[str, str], found: Row, merge: Row) -> list[Step]:
    tab = [link("Closed")] if merge["state"] == "closed" else []
    name = f"Draft: {merge['title']}" if merge["draft"] else merge["title"]
    return [*sign_in(who), *open_project(found, "Merge requests"), *tab, link(name)]


def _state(found: Row, merge: Row, **wanted: Any) -> dict[str, Any]:
    return state("merge", wanted, path=found["path"], iid=merge["iid"])


@BOOK.template(f"Approve the merge request “{{title}}” of {{path}}, but don't merge it. ({SIGNED})", count=2)
def approve_request(dice: Dice) -> Case:
    """A button that comes late."""
    who = member(dice)
    found, merge = _chosen(dice, who, f"state = 'open' and not {APPROVED} and author <> {user_id(who)}")
    way = _open(who, found, merge)
    return Case(
        {"path": found["path"], "title": merge["title"], **who},
        _state(found, merge, approved=[who["username"]], state="open"),
        [*way, button("Approve"), done()],
        [*way, fill("Comment", "Approved"), button("Add comment"), done()],
    )


@BOOK.template(f"Merge !{{iid}} of {{path}} and delete its source branch. ({SIGNED})", count=3)
def merge_and_delete(dice: Dice) -> Case:
    """A box and a button that come late."""
    who = member(dice)
    found, merge = _chosen(dice, who, f"{READY} and {APPROVED}")
    left = [
        row["name"]
        for row in rows("select name from branches where project = ? order by 1", found["id"])
        if row["name"] != merge["source"]
    ]
    way = _open(who, found, merge)
    return Case(
        {"path": found["path"], "iid": str(merge["iid"]), **who},
        state("repository", {"branches": left}, path=found["path"]),
        [*way, click("checkbox", "Delete source branch"), button("Merge"), done()],
        [*way, button("Merge"), done()],
    )


@BOOK.template(
    f"Approve the merge request “{{title}}” in {{path}}, then merge it with its commits squashed. ({SIGNED})",
    count=2,
    hard=True,
)
def approve_and_merge(dice: Dice) -> Case:
    """Two steps of which the second needs the first."""
    who = member(dice)
    found, merge = _chosen(dice, who, f"{READY} and not {APPROVED} and author <> {user_id(who)}")
    way = [*_open(who, found, merge), button("Approve")]
    return Case(
        {"path": found["path"], "title": merge["title"], **who},
        _state(found, merge, state="merged", approved=[who["username"]], squashed=1),
        [*way, click("checkbox", "Squash commits"), button("Merge"), done()],
        [*way, button("Merge"), done()],
    )


@BOOK.template(
    f"Close the merge request “{{title}}” of {{path}} and say “{{text}}” in a comment. ({SIGNED})", count=2
)
def close_request(dice: Dice) -> Case:
    """A comment and a button."""
    who, text = (
        member(dice),
        dice.pick(("Superseded by another branch.", "We decided against it.", "Too old to be merged.")),
    )
    found, merge = _chosen(dice, who, "state = 'open'")
    way = _open(who, found, merge)
    return Case(
        {"path": found["path"], "title": merge["title"], "text": text, **who},
        _state(found, merge, state="closed", comments=[{"author": who["username"], "body": text}]),
        [*way, fill("Comment", text), button("Comment & close merge request"), done()],
        [*way, fill("Comment", text), button("Add comment"), done()],
    )


@BOOK.template(f"Take the draft mark off the merge request !{{iid}} in {{path}}. ({SIGNED})", count=2)
def ready(dice: Dice) -> Case:
    """Find out how a draft becomes ready."""
    who = member(dice)
    found, merge = _chosen(dice, who, "state = 'open' and draft = 1")
    way = _open(who, found, merge)
    return Case(
        {"path": found["path"], "iid": str(merge["iid"]), **who},
        _state(found, merge, draft=0, state="open"),
        [*way, button("Mark as ready"), done()],
        [*way, button("Approve"), done()],
    )


@BOOK.template(
    f"Open a merge request in {{path}} from the branch {{source}} into main, titled “{{title}}”, with {{reviewer}} as the reviewer. ({SIGNED})",
    count=2,
    hard=True,
)
def new_request(dice: Dice) -> Case:
    """The whole form of a merge request."""
    who, title = (
        member(dice),
        dice.pick(("Ship the small fix", "Clean up before the release", "Try the new settings")),
    )
    free = "name <> 'main' and name not in (select source from merges m where m.project = b.project and m.state = 'open')"
    while True:
        found = project_of(dice, who, 30)
        sources = rows(f"select name from branches b where project = ? and {free} order by 1", found["id"])
        if sources:
            break
    source, someone = dice.pick(sources)["name"], dice.pick(people(found, "m.role >= 30"))
    way = [
        *sign_in(who),
        *open_project(found, "Merge requests"),
        link("New merge request"),
        choose("Source branch", source),
        fill("Title", title),
    ]
    wanted = {
        "title": title,
        "source": source,
        "target": "main",
        "reviewer": someone["username"],
        "author": who["username"],
    }
    return Case(
        {"path": found["path"], "source": source, "title": title, "reviewer": someone["name"], **who},
        state("new-merges", [wanted], path=found["path"]),
        [*way, choose("Reviewer", someone["name"]), button("Create merge request"), done()],
        [*way, choose("Assignee", someone["name"]), button("Create merge request"), done()],
    )
