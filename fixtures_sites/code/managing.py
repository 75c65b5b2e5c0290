"""What those do who run a project: members, labels, milestones, settings."""

import re
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.code.access import (
    for_members,
    frame,
    need_role,
    people_of,
    project_or_404,
    role_in,
    user_of,
)
from fixtures_sites.code.roles import GRANTED, MAINTAINER, OWNER, REPORTER, ROLES
from fixtures_sites.forms import Form, form_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of

DAY = re.compile(r"\d{4}-\d\d-\d\d")
SLUG = re.compile(r"[a-z0-9][a-z0-9._-]*")
COLOR = re.compile(r"#[0-9a-fA-F]{6}")


async def members(request: Request) -> Response:
    """Who belongs to a project, by name; those who run it invite others."""
    return _members_page(request, project_or_404(request))


def _members_page(request: Request, project: Any, form: Form | None = None) -> Response:
    words = request.query_params.get("search", "").casefold()
    everyone = people_of(visit_of(request).data, project)
    shown = [row for row in everyone if words in f"{row['name']} {row['username']}".casefold()]
    if request.query_params.get("sort") == "role":
        shown.sort(key=lambda row: (-row["role"], row["name"]))
    return render(
        request, "members.html", 422 if form else 200, members=shown, total=len(everyone), words=words, roles=ROLES, granted=GRANTED,
        form=form, sort=request.query_params.get("sort", "name"), **frame(request, project, "members"),
    )  # fmt: skip


@for_members
async def invite(request: Request, user: Any) -> Response:
    """Adds a person."""
    project = project_or_404(request)
    form = await form_of(request)
    need_role(request, project, user, MAINTAINER)
    visit = visit_of(request)
    who = form.need("who", "Enter a user name or e-mail address.").lstrip("@").lower()
    found = visit.data.row("select * from users where username = ?1 or email = ?1", who)
    form.check("who", found is not None, f"There is nobody called “{who}”.")
    form.check("role", form.text("role") in dict(GRANTED), "Choose a role.")
    form.need_match("expires", r"(\d{4}-\d\d-\d\d)?", "Enter a day, or nothing.")
    if found is not None and form.ok:
        known = visit.data.value(
            "select 1 from members where project = ? and user = ?", project["id"], found["id"]
        )
        form.check("who", not known, f"{found['name']} is already a member.")
    if found is None or not form.ok:
        return _members_page(request, project, form)
    visit.data.change("insert into members values (?, ?, ?, ?, ?)", project["id"], found["id"], int(form.text("role")),
                      TODAY.isoformat(), form.text("expires"))  # fmt: skip
    visit.tell(f"{found['name']} was added to the project.")
    return go(f"/{project['path']}/-/project_members")


@for_members
async def change_member(request: Request, user: Any) -> Response:
    """Gives another role, or removes the person; members may leave by themselves."""
    project = project_or_404(request)
    form = await form_of(request)
    visit = visit_of(request)
    who = form.text("user")
    role = visit.data.value("select role from members where project = ? and user = ?", project["id"], who)
    if who != str(user["id"]):
        need_role(request, project, user, MAINTAINER)
    if role is None or role >= OWNER:
        visit.tell("The owner stays as they are.", "alert")
    elif "remove" in form:
        visit.data.change("delete from members where project = ? and user = ?", project["id"], who)
        visit.tell("The member was removed.")
        if who == str(user["id"]):
            return go("/dashboard")
    elif form.text("role") in dict(GRANTED) and role_in(visit.data, project, user) >= MAINTAINER:
        visit.data.change(
            "update members set role = ? where project = ? and user = ?",
            int(form.text("role")),
            project["id"],
            who,
        )
        visit.tell("The role was updated.")
    return go(f"/{project['path']}/-/project_members")


async def labels(request: Request) -> Response:
    """All labels with how often they are used; the form of a new one, and what was sent with it."""
    project = project_or_404(request)
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        need_role(request, project, user_of(request), REPORTER)
        if "delete" in form:
            visit.data.change("delete from issue_labels where label = ?", form.text("delete"))
            visit.data.change(
                "delete from labels where id = ? and project = ?", form.text("delete"), project["id"]
            )
            visit.tell("The label was deleted.")
            return go(f"/{project['path']}/-/labels")
        name = form.need("name", "Title can't be blank.")
        color = form.need_match("color", COLOR, "Choose a colour such as #5cb85c.")
        known = visit.data.value("select 1 from labels where project = ? and name = ?", project["id"], name)
        form.check("name", not known, f"A label “{name}” already exists.")
        if form.ok:
            visit.data.change("insert into labels (project, name, color, description) values (?, ?, ?, ?)", project["id"], name,
                              color, form.text("description"))  # fmt: skip
            visit.tell(f"The label {name} was created.")
            return go(f"/{project['path']}/-/labels")
    rows = visit.data.rows(
        "select l.*, (select count(*) from issue_labels il join issues i on i.id = il.issue where il.label = l.id"
        " and i.state = 'open') as open from labels l where l.project = ? order by l.name",
        project["id"],
    )
    return render(
        request,
        "labels.html",
        422 if form else 200,
        labels=rows,
        form=form,
        **frame(request, project, "labels"),
    )


async def milestones(request: Request) -> Response:
    """All milestones with how far they are; the form of a new one, and what was sent with it."""
    project = project_or_404(request)
    visit = visit_of(request)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        need_role(request, project, user_of(request), REPORTER)
        if "state" in form:
            visit.data.change("update milestones set state = ? where id = ? and project = ?",
                              "closed" if form.text("state") == "close" else "active", form.text("milestone"), project["id"])  # fmt: skip
            return go(f"/{project['path']}/-/milestones")
        title = form.need("title", "Title can't be blank.")
        due = form.need_match("due", r"(\d{4}-\d\d-\d\d)?", "Enter a day, or nothing.")
        known = visit.data.value(
            "select 1 from milestones where project = ? and title = ?", project["id"], title
        )
        form.check("title", not known, f"A milestone “{title}” already exists.")
        if form.ok:
            visit.data.change("insert into milestones (project, title, description, due, state) values (?, ?, ?, ?, 'active')",
                              project["id"], title, form.text("description"), due)  # fmt: skip
            visit.tell(f"The milestone {title} was created.")
            return go(f"/{project['path']}/-/milestones")
    rows = visit.data.rows(
        "select m.*, (select count(*) from issues i where i.milestone = m.id) as total, (select count(*) from issues i"
        " where i.milestone = m.id and i.state = 'closed') as done from milestones m where m.project = ? order by m.due, m.id",
        project["id"],
    )
    return render(
        request,
        "milestones.html",
        422 if form else 200,
        milestones=rows,
        form=form,
        **frame(request, project, "milestones"),
    )


@for_members
async def settings(request: Request, user: Any) -> Response:
    """All settings of a project, and what was sent with one of its forms."""
    project = project_or_404(request)
    need_role(request, project, user, MAINTAINER)
    form = await form_of(request) if request.method == "POST" else None
    if form is None:
        return _settings_page(request, project, None)
    what = form.text("what")
    if what == "delete":
        return _deleted(request, project, user, form)
    visit = visit_of(request)
    changed = {"general": _general, "visibility": _visibility, "path": _path, "archive": _archive}.get(what)
    if changed is None:
        raise HTTPException(400, "Nothing to change.")
    assignments = changed(request, form, project)
    if not form.ok:
        return _settings_page(request, project, form)
    for column, value in assignments.items():
        visit.data.change(f"update projects set {column} = ? where id = ?", value, project["id"])
    visit.tell(f"Project “{assignments.get('name', project['name'])}” was successfully updated.")
    return go(f"/{assignments.get('path', project['path'])}/-/settings")


def _settings_page(request: Request, project: Any, form: Form | None) -> Response:
    branches = visit_of(request).data.rows(
        "select name from branches where project = ? order by name", project["id"]
    )
    return render(
        request, "settings.html", 422 if form else 200, form=form, opened=form.text("what") if form else "",
        branches=[(row["name"], row["name"]) for row in branches], **frame(request, project, "settings"),
    )  # fmt: skip


def _general(_request: Request, form: Form, _project: Any) -> dict[str, Any]:
    form.need("name", "The project needs a name.")
    return {name: form.text(name) for name in ("name", "description", "topics", "default_branch")}


def _visibility(_request: Request, form: Form, _project: Any) -> dict[str, Any]:
    form.check("visibility", form.text("visibility") in ("public", "private"), "Choose a visibility.")
    return {"visibility": form.text("visibility")}


def _path(request: Request, form: Form, project: Any) -> dict[str, Any]:
    slug = form.need_match("slug", SLUG, "A path has small letters, digits, dots and hyphens.")
    path = f"{project['namespace']}/{slug}"
    taken = visit_of(request).data.value(
        "select 1 from projects where path = ? and id <> ?", path, project["id"]
    )
    form.check("slug", not taken, "This path is taken.")
    return {"slug": slug, "path": path}


def _archive(_request: Request, _form: Form, project: Any) -> dict[str, Any]:
    return {"archived": 0 if project["archived"] else 1}


def _deleted(request: Request, project: Any, user: Any, form: Form) -> Response:
    visit = visit_of(request)
    if role_in(visit.data, project, user) < OWNER:
        raise HTTPException(403, "Only the owner may delete a project.")
    form.check("confirm", form.text("confirm") == project["path"], f"Enter {project['path']} to confirm.")
    if not form.ok:
        return _settings_page(request, project, form)
    visit.data.change("delete from projects where id = ?", project["id"])
    for table in ("members", "stars", "issues", "merges", "todos"):
        visit.data.change(f"delete from {table} where project = ?", project["id"])
    visit.tell(f"Project {project['path']} was deleted.")
    return go("/dashboard")
