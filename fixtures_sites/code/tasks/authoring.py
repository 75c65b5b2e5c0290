"""Tasks that make or change files, branches, projects, snippets, releases and wiki pages."""

from fixtures_sites.code.tasks.desk import (
    SIGNED,
    member,
    one,
    open_file,
    open_project,
    project,
    project_of,
    rows,
    sign_in,
    state,
    user_id,
)
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, button, choose, confirm, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")


@BOOK.template(
    f"Replace the content of docs/install.md in {{path}} by the line “{{text}}”, with the commit message “{{message}}”. ({SIGNED})",
    count=2,
    hard=True,
)
def edit_file(dice: Dice) -> Case:
    """Open a file, edit it, commit."""
    who = member(dice)
    found = project_of(dice, who, 30)
    text, message = (
        dice.pick(("Moved to the wiki.", "See the website.", "Run make install.")),
        dice.pick(("Shorten the manual", "Point elsewhere")),
    )
    way = [
        *sign_in(who),
        *open_project(found),
        *open_file("docs/install.md"),
        link("Edit"),
        fill("File content", text),
    ]
    return Case(
        {"path": found["path"], "text": text, "message": message, **who},
        state("file", {"lines": [text], "message": message}, path=found["path"], file="docs/install.md"),
        [*way, fill("Commit message", message), button("Commit changes"), done()],
        [*way, button("Commit changes"), done()],
    )


@BOOK.template(f"Create a branch {{name}} in {{path}}, starting from {{source}}. ({SIGNED})", count=2)
def new_branch(dice: Dice) -> Case:
    """A form with a list of branches."""
    who = member(dice)
    found = project_of(dice, who, 30)
    known = [
        row["name"] for row in rows("select name from branches where project = ? order by 1", found["id"])
    ]
    name = dice.pick(("hotfix-2026", "spike/offline", "docs-refresh"))
    way = [
        *sign_in(who),
        *open_project(found, "Branches"),
        link("New branch"),
        choose("Create from", dice.pick(known)),
    ]
    return Case(
        {"path": found["path"], "name": name, "source": way[-1]["options"][0], **who},
        state("repository", {"branches": sorted([*known, name])}, path=found["path"]),
        [*way, fill("Branch name", name), button("Create branch"), done()],
        [*way, fill("Branch name", f"{name}-1"), button("Create branch"), done()],
    )


@BOOK.template(f"Delete the branch {{name}} of {{path}}. ({SIGNED})", count=2)
def delete_branch(dice: Dice) -> Case:
    """A button that is only a picture."""
    who = member(dice)
    found = project_of(dice, who, 30)
    known = [
        row["name"] for row in rows("select name from branches where project = ? order by 1", found["id"])
    ]
    out = dice.pick([name for name in known if name != "main"])
    way = [*sign_in(who), *open_project(found, "Branches"), button("Delete branch", row=out)]
    return Case(
        {"path": found["path"], "name": out, **who},
        state("repository", {"branches": [name for name in known if name != out]}, path=found["path"]),
        [*way, confirm(), done()],
        [*way, confirm(accept=False), done()],
    )


@BOOK.template(f"Fork {{path}} into my own namespace, publicly, under its own name. ({SIGNED})", count=2)
def fork(dice: Dice) -> Case:
    """A form of three lists."""
    who = member(dice)
    found = project(dice, f"namespace <> '{who['username']}'")
    target = f"{who['username']}/{found['slug']}"
    way = [*sign_in(who), *open_project(found), link("Fork"), choose("Project URL", who["username"])]
    return Case(
        {"path": found["path"], **who},
        state("project", {"forked_from": found["path"], "visibility": "public"}, path=target),
        [*way, choose("Visibility level", "Public"), button("Fork project"), done()],
        [*way, choose("Visibility level", "Private"), button("Fork project"), done()],
    )


@BOOK.template(
    f"Create a {{visibility}} project called “{{name}}” in the group {{group}} with the description “{{text}}”. ({SIGNED})",
    f"Start a new project “{{name}}” ({{visibility}}) in {{group}}; describe it as “{{text}}”. ({SIGNED})",
    count=3,
    hard=True,
)
def new_project(dice: Dice) -> Case:
    """A menu, and a form."""
    who = member(dice)
    name, text = dice.pick(
        (
            ("Salt Marsh", "Where data settles"),
            ("Copper Bell", "Rings when it is done"),
            ("Night Train", "Slow jobs, by night"),
        )
    )
    group = dice.pick(
        rows(
            "select g.* from group_members m join groups g on g.id = m.grp where m.user = ? and m.role >= 30 order by g.id",
            user_id(who),
        )
    )
    visibility, other = dice.some(("Public", "Private"), 2)

    def way(level: str) -> list[Step]:
        return [
            *sign_in(who), button("Create new"), link("New project"), fill("Project name", name), choose("Project URL", group["name"]),
            fill("Project description", text), choose("Visibility level", level), button("Create project"), done(),
        ]  # fmt: skip

    return Case(
        {"name": name, "text": text, "group": group["name"], "visibility": visibility.lower(), **who},
        state(
            "project",
            {"name": name, "description": text, "visibility": visibility.lower()},
            path=f"{group['slug']}/{name.lower().replace(' ', '-')}",
        ),
        way(visibility),
        way(other),
    )


@BOOK.template(
    f"Publish a public snippet “{{title}}” with the file {{file}} that contains: {{text}} ({SIGNED})", count=2
)
def new_snippet(dice: Dice) -> Case:
    """A menu, and a form."""
    who = member(dice)
    title, file, text = dice.pick(
        (
            ("Free space", "free.sh", "df -h /"),
            ("Today", "today.py", "print(date.today())"),
            ("All users", "users.sql", "select * from users;"),
        )
    )
    known = rows(
        "select title, filename, content, visibility from snippets where author = ? order by id", user_id(who)
    )
    way = [
        *sign_in(who),
        link("Snippets"),
        link("New snippet"),
        fill("Title", title),
        fill("File name", file),
        fill("File content", text),
    ]
    return Case(
        {"title": title, "file": file, "text": text, **who},
        state(
            "person",
            {
                "snippets": [{"title": row["title"]} for row in known]
                + [{"title": title, "filename": file, "content": text, "visibility": "public"}]
            },
            user=who["username"],
        ),
        [*way, choose("Visibility level", "Public"), button("Create snippet"), done()],
        [*way, button("Create snippet"), done()],
    )


@BOOK.template(
    f"Publish a release of {{path}} for the tag {{tag}}, titled “{{title}}”, with the notes “{{notes}}”. ({SIGNED})",
    count=2,
)
def new_release(dice: Dice) -> Case:
    """A form with a list of tags."""
    who = member(dice)
    found = project_of(dice, who, 30)
    tag = one(
        "select name from tags where project = ? and name not in (select tag from releases where project = tags.project)",
        found["id"],
    )
    title, notes = (
        dice.pick(("First steps", "The beginning", "Preview")),
        dice.pick(("For the record.", "Published late.")),
    )
    known = rows("select tag, title from releases where project = ? order by id", found["id"])
    way = [
        *sign_in(who),
        *open_project(found, "Releases"),
        link("New release"),
        choose("Tag name", tag),
        fill("Release title", title),
    ]
    return Case(
        {"path": found["path"], "tag": tag, "title": title, "notes": notes, **who},
        state(
            "repository",
            {"releases": [*map(dict, known), {"tag": tag, "title": title, "notes": notes}]},
            path=found["path"],
        ),
        [*way, fill("Release notes", notes), button("Create release"), done()],
        [*way, button("Create release"), done()],
    )


@BOOK.template(
    f"Change the wiki page “On call” of {{path}} so that it says only: {{text}} ({SIGNED})", count=2
)
def edit_wiki(dice: Dice) -> Case:
    """Open a page of the wiki, edit it."""
    who = member(dice)
    found = project_of(dice, who, 30)
    text = dice.pick(
        ("There is no on-call duty in summer.", "Ask in the chat first.", "Call the front desk.")
    )
    look = [*sign_in(who), *open_project(found, "Wiki")]
    end = [link("Edit page"), fill("Content", text), button("Save changes"), done()]
    return Case(
        {"path": found["path"], "text": text, **who},
        state("wiki", {"title": "On call", "content": text}, path=found["path"], page="on-call"),
        [*look, link("On call"), *end],
        [*look, link("Release process"), *end],
    )
