"""Tasks of those who run projects, and on one's own account."""

from typing import Any

from fixtures_sites.code.roles import ROLES
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
from fixtures_sites.steps import Step, button, choose, click, confirm, done, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("code")
GENERAL, ADVANCED = "Naming, description, topics", "Advanced"


def _run(dice: Dice, low: int = 40) -> tuple[dict[str, str], Row]:
    """Someone, and a project that they run."""
    who = member(dice)
    return who, project_of(dice, who, low)


def _settings(who: dict[str, str], found: Row, part: str) -> list[Step]:
    return [*sign_in(who), *open_project(found, "Settings"), button("Expand", row=part)]


def _members(found: Row, **changes: str) -> list[dict[str, str]]:
    """The members as the state tells them, with other roles for some ("": removed)."""
    roles = {row["username"]: ROLES[row["role"]] for row in people(found)} | changes
    return [{"user": name, "role": role} for name, role in sorted(roles.items()) if role]


def _project_is(found: Row, **wanted: Any) -> dict[str, Any]:
    return state("project", wanted, path=found["path"])


@BOOK.template(
    f"Add {{name}} to the members of {{path}} as a {{role}}. ({SIGNED})",
    f"Invite {{name}} to {{path}}, with the role {{role}}. ({SIGNED})",
    count=3,
)
def invite(dice: Dice) -> Case:
    """Find out the user name, open a form, fill it."""
    who, found = _run(dice)
    known = [row["id"] for row in people(found)]
    someone = dice.pick(
        [row for row in rows("select * from users where id > 4 order by id") if row["id"] not in known]
    )
    role = dice.pick(("Guest", "Reporter", "Developer", "Maintainer"))
    other = "Developer" if role != "Developer" else "Guest"

    def way(given: str) -> list[Step]:
        return [
            *sign_in(who), *open_project(found, "Members"), button("Invite member"), fill("Username or email", someone["username"]),
            choose("Role", given), button("Invite"), done(),
        ]  # fmt: skip

    return Case(
        {"path": found["path"], "name": f"{someone['name']} ({someone['username']})", "role": role, **who},
        state("members", _members(found, **{someone["username"]: role}), path=found["path"]),
        way(role),
        way(other),
    )


@BOOK.template(f"Make {{name}} a {{role}} of {{path}}. ({SIGNED})", count=2)
def change_role(dice: Dice) -> Case:
    """A list box in a row of a table."""
    who, found = _run(dice)
    one, two = dice.some(people(found, f"m.role < 50 and u.id <> {user_id(who)}"), 2)
    role = dice.pick(
        [name for number, name in ROLES.items() if number < 50 and number not in (one["role"], two["role"])]
    )
    way = [*sign_in(who), *open_project(found, "Members")]

    def end(row: Row) -> list[Step]:
        return [
            choose("Role of member", role, row=row["username"]),
            button("Update", row=row["username"]),
            done(),
        ]

    return Case(
        {"path": found["path"], "name": one["name"], "role": role, **who},
        state("members", _members(found, **{one["username"]: role}), path=found["path"]),
        [*way, *end(one)],
        [*way, *end(two)],
    )


@BOOK.template(f"Remove {{name}} from the project {{path}}. ({SIGNED})", count=2)
def remove_member(dice: Dice) -> Case:
    """A button in a row, and a question of the browser."""
    who, found = _run(dice)
    one = dice.pick(people(found, f"m.role < 50 and u.id <> {user_id(who)}"))
    way = [*sign_in(who), *open_project(found, "Members"), button("Remove member", row=one["username"])]
    return Case(
        {"path": found["path"], "name": one["name"], **who},
        state("members", _members(found, **{one["username"]: ""}), path=found["path"]),
        [*way, confirm(), done()],
        [*way, confirm(accept=False), done()],
    )


@BOOK.template(f"Rename the project {{path}} to “{{name}}”; leave its path as it is. ({SIGNED})", count=2)
def rename(dice: Dice) -> Case:
    """A folded part of the settings."""
    who, found = _run(dice)
    name = f"{found['slug'].replace('-', ' ').title()} {dice.pick(('Next', 'Classic', 'Two', 'Pro'))}"
    way = [*_settings(who, found, GENERAL), fill("Project name", name)]
    return Case(
        {"path": found["path"], "name": name, **who},
        _project_is(found, name=name),
        [*way, button("Save changes", row=GENERAL), done()],
        [*way, done()],
    )


@BOOK.template(f"Change the description of {{path}} to “{{text}}”. ({SIGNED})", count=2)
def describe(dice: Dice) -> Case:
    """Another field there."""
    who, found = _run(dice)
    text = dice.pick(
        ("Small, sharp and tested", "In maintenance mode until autumn", "Rewritten from scratch")
    )
    way = _settings(who, found, GENERAL)
    return Case(
        {"path": found["path"], "text": text, **who},
        _project_is(found, description=text, name=found["name"]),
        [*way, fill("Project description", text), button("Save changes", row=GENERAL), done()],
        [*way, fill("Project name", text), button("Save changes", row=GENERAL), done()],
    )


@BOOK.template(
    f"Make the project {{path}} private. ({SIGNED})",
    f"Nobody but members should see {{path}} any more. ({SIGNED})",
    count=2,
)
def hide(dice: Dice) -> Case:
    """A list box of the settings."""
    who = member(dice)
    found = project_of(dice, who, 40, condition="p.visibility = 'public'")
    way = _settings(who, found, "Visibility")
    return Case(
        {"path": found["path"], **who},
        _project_is(found, visibility="private"),
        [*way, choose("Project visibility", "Private"), button("Save changes", row="Visibility"), done()],
        [*way, button("Save changes", row="Visibility"), done()],
    )


@BOOK.template(f"Archive the project {{path}}. ({SIGNED})", count=2)
def archive(dice: Dice) -> Case:
    """A button behind two doors."""
    who, found = _run(dice)
    way = [*_settings(who, found, ADVANCED), button("Archive project")]
    return Case(
        {"path": found["path"], **who},
        _project_is(found, archived=1),
        [*way, confirm(), done()],
        [*way, confirm(accept=False), done()],
    )


@BOOK.template(f"Delete the project {{path}} for good. ({SIGNED})", count=3, hard=True)
def delete(dice: Dice) -> Case:
    """A dialog that wants the path typed."""
    who, found = _run(dice, 50)
    way = [*_settings(who, found, ADVANCED), button("Delete project")]
    return Case(
        {"path": found["path"], **who},
        state("project", None, path=found["path"]),
        [*way, fill("Confirm project path", found["path"]), button("Yes, delete project"), done()],
        [*way, button("Cancel, keep project"), done()],
    )


@BOOK.template(
    f"Create an access token called {{name}} with the scopes {{scopes}} that expires on {{day}}. ({SIGNED})",
    count=2,
)
def new_token(dice: Dice) -> Case:
    """A form in the menu of the account."""
    who, name = member(dice), dice.pick(("nightly-sync", "release-bot", "grafana"))
    one, two = dice.some(("api", "read_api", "read_user", "read_repository", "write_repository"), 2)
    day = f"2026-{dice.number(8, 12):02}-{dice.number(10, 28)}"
    known = rows("select name, scopes, expires from tokens where user = ? order by id", user_id(who))
    order = ("api", "read_api", "read_user", "read_repository", "write_repository")
    scopes = ", ".join(sorted((one, two), key=order.index))
    way = [
        *sign_in(who), button("Account menu"), link("Access tokens"), fill("Token name", name), fill("Expiration date", day),
        click("checkbox", one),
    ]  # fmt: skip
    return Case(
        {"name": name, "scopes": f"{one} and {two}", "day": day, **who},
        state(
            "person",
            {"tokens": [*map(dict, known), {"name": name, "scopes": scopes, "expires": day}]},
            user=who["username"],
        ),
        [*way, click("checkbox", two), button("Create token"), done()],
        [*way, button("Create token"), done()],
    )


@BOOK.template(f"Revoke my access token {{name}}. ({SIGNED})", count=2)
def revoke_token(dice: Dice) -> Case:
    """A button in a row, and a question of the browser."""
    who = member(dice)
    known = rows("select name, scopes, expires from tokens where user = ? order by id", user_id(who))
    out, other = dice.some(known, 2)
    way = [*sign_in(who), button("Account menu"), link("Access tokens")]
    return Case(
        {"name": out["name"], **who},
        state(
            "person",
            {"tokens": [dict(row) for row in known if row["name"] != out["name"]]},
            user=who["username"],
        ),
        [*way, button("Revoke", row=out["name"]), confirm(), done()],
        [*way, button("Revoke", row=other["name"]), confirm(), done()],
    )


@BOOK.template(
    f"In my profile, set the location to {{location}} and the organization to {{company}}. ({SIGNED})",
    count=2,
)
def profile(dice: Dice) -> Case:
    """Two fields of a form."""
    who = member(dice)
    location, company = (
        dice.pick(("Bergen", "Porto", "Ljubljana")),
        dice.pick(("Northern Lights Inc.", "Self-employed", "Blue Door")),
    )
    way = [*sign_in(who), button("Account menu"), link("Edit profile"), fill("Location", location)]
    return Case(
        {"location": location, "company": company, **who},
        state(
            "person", {"location": location, "company": company, "name": who["name"]}, user=who["username"]
        ),
        [*way, fill("Organization", company), button("Update profile settings"), done()],
        [*way, button("Update profile settings"), done()],
    )


@BOOK.template(f"Set my status to “{{text}}”. ({SIGNED})", count=2)
def status(dice: Dice) -> Case:
    """A field of one's own profile."""
    who, text = member(dice), dice.pick(("Back on Monday", "Hunting a bug", "In training all week"))
    way = [*sign_in(who), button("Account menu"), link("Your profile"), fill("Your status", text)]
    return Case(
        {"text": text, **who},
        state("person", {"status": text}, user=who["username"]),
        [*way, button("Set status"), done()],
        [*way, button("Clear status"), done()],
    )


@BOOK.template(f"Set my notification level for {{path}} to “{{level}}”. ({SIGNED})", count=2)
def notifications(dice: Dice) -> Case:
    """A list box with a button beside it."""
    who, found, level = (
        member(dice),
        project(dice),
        dice.pick(("Watch", "Participate", "On mention", "Disabled")),
    )
    way = [*sign_in(who), *open_project(found), choose("Notifications", level)]
    return Case(
        {"path": found["path"], "level": level, **who},
        state("person", {"levels": [{"path": found["path"], "level": level}]}, user=who["username"]),
        [*way, button("Set"), done()],
        [*way, done()],
    )
