"""Issues of a project: the list with its filters, one issue, and everything that changes them."""

import re
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.code import finding
from fixtures_sites.code.access import (
    AT,
    for_members,
    frame,
    need_role,
    people_of,
    project_or_404,
    role_in,
    user_of,
)
from fixtures_sites.code.finding import ISSUE_SORTS
from fixtures_sites.code.roles import REPORTER
from fixtures_sites.forms import Form, form_of
from fixtures_sites.paging import cut_of
from fixtures_sites.site import go, render
from fixtures_sites.state import Data
from fixtures_sites.visit import visit_of

SORTS = [(key, text) for key, (text, _) in ISSUE_SORTS.items()]
DAY = re.compile(r"(\d{4}-\d\d-\d\d)?")


def _choices(data: Data, project: Any) -> dict[str, Any]:
    number = project["id"]
    return {
        "people": people_of(data, project),
        "labels": data.rows("select * from labels where project = ? order by name", number),
        "milestones": data.rows("select * from milestones where project = ? order by due, id", number),
    }


async def listing(request: Request) -> Response:
    """Issues by filters; in the bulk mode with a box before each."""
    project = project_or_404(request)
    data, asked = visit_of(request).data, request.query_params
    where = finding.issues_where(asked, project["id"])
    state = asked.get("state", "open")
    counts = finding.counts(data, "issues", where)
    cut = cut_of(counts.get(state, 0), request, 20)
    shown = frame(request, project, "issues")
    return render(
        request, "issues.html", issues=finding.issues(data, where, state, asked.get("sort", ""), 20, cut.offset), counts=counts,
        cut=cut, state=state, asked=asked, sorts=SORTS, bulk=asked.get("bulk") == "1" and shown["role"] >= REPORTER,
        **_choices(data, project), **shown,
    )  # fmt: skip


def _issue_or_404(request: Request, project: Any) -> Any:
    found = visit_of(request).data.row(
        "select i.*, a.name as author_name, a.username, s.name as assignee_name, s.username as assignee_username,"
        " m.title as milestone_title from issues i join users a on a.id = i.author"
        " left join users s on s.id = i.assignee left join milestones m on m.id = i.milestone"
        " where i.project = ? and i.iid = ?",
        project["id"], request.path_params["iid"],
    )  # fmt: skip
    if found is None:
        raise HTTPException(404, f"There is no issue #{request.path_params['iid']} in {project['path']}.")
    return found


def _may_close(request: Request, project: Any, issue: Any, user: Any) -> bool:
    return bool(user) and (
        issue["author"] == user["id"] or role_in(visit_of(request).data, project, user) >= REPORTER
    )


async def show(request: Request) -> Response:
    """One issue with its discussion."""
    project = project_or_404(request)
    issue, data, user = _issue_or_404(request, project), visit_of(request).data, user_of(request)
    return render(
        request, "issue.html", issue=issue, own_labels=finding.labels_of(data, issue["id"]),
        comments=comments_of(data, "issue", issue["id"]), may_close=_may_close(request, project, issue, user),
        todo=user and data.value(
            "select 1 from todos where user = ? and kind = 'issue' and target = ? and done = 0", user["id"], issue["id"]
        ),
        **_choices(data, project), **frame(request, project, "issues"),
    )  # fmt: skip


def comments_of(data: Data, kind: str, target: int) -> list[Any]:
    """What people said, oldest first."""
    return data.rows(
        "select c.*, u.name, u.username from comments c join users u on u.id = c.author where c.kind = ? and c.target = ?"
        " order by c.at, c.id",
        kind, target,
    )  # fmt: skip


@for_members
async def new(request: Request, user: Any) -> Response:
    """The form of a new issue, and what was sent with it."""
    project = project_or_404(request)
    need_role(request, project, user)
    form = await form_of(request) if request.method == "POST" else None
    data, shown = visit_of(request).data, frame(request, project, "issues")
    if form is not None and (iid := _made(data, form, project, user, plans=shown["role"] >= REPORTER)):
        return go(f"/{project['path']}/-/issues/{iid}")
    return render(
        request,
        "issue_edit.html",
        422 if form else 200,
        form=form,
        issue=None,
        own_labels=[],
        **_choices(data, project),
        **shown,
    )


def _made(data: Data, form: Form, project: Any, user: Any, *, plans: bool) -> int:
    """Stores a new issue; its number, 0 where the form is wrong. Who plans sets label, milestone and so on."""
    _check(form)
    if not form.ok:
        return 0
    number = project["id"]
    iid = int(data.value("select coalesce(max(iid), 0) + 1 from issues where project = ?", number))
    made = data.change(
        "insert into issues (project, iid, title, body, author, state, created, updated, confidential)"
        " values (?, ?, ?, ?, ?, 'open', ?, ?, ?)",
        number, iid, form.text("title"), form.text("body"), user["id"], AT, AT, int("confidential" in form),
    )  # fmt: skip
    if plans:
        _planned(data, form, made)
    return iid


def _check(form: Form) -> None:
    title = form.need("title", "Title can't be blank.")
    form.check("title", len(title) <= 255, "Title is too long.")
    form.need_match("due", DAY, "Due date must be a day.")


def _planned(data: Data, form: Form, issue: int) -> None:
    data.change(
        "update issues set assignee = ?, milestone = ?, due = ? where id = ?",
        form.text("assignee") or None, form.text("milestone") or None, form.text("due"), issue,
    )  # fmt: skip
    data.change("delete from issue_labels where issue = ?", issue)
    for label in form.texts("label"):
        data.change("insert or ignore into issue_labels values (?, ?)", issue, label)


@for_members
async def edit(request: Request, user: Any) -> Response:
    """The form of an issue that there is."""
    project = project_or_404(request)
    issue, data = _issue_or_404(request, project), visit_of(request).data
    need_role(request, project, user)
    if not _may_close(request, project, issue, user):
        raise HTTPException(403, "You may not edit this issue.")
    form = await form_of(request) if request.method == "POST" else None
    shown = frame(request, project, "issues")
    if form is not None:
        _check(form)
        if form.ok:
            data.change("update issues set title = ?, body = ?, confidential = ?, updated = ? where id = ?", form.text("title"),
                        form.text("body"), int("confidential" in form), AT, issue["id"])  # fmt: skip
            if shown["role"] >= REPORTER:
                _planned(data, form, issue["id"])
            return go(f"/{project['path']}/-/issues/{issue['iid']}")
    own = [row["id"] for row in finding.labels_of(data, issue["id"])]
    return render(
        request,
        "issue_edit.html",
        422 if form else 200,
        form=form,
        issue=issue,
        own_labels=own,
        **_choices(data, project),
        **shown,
    )


@for_members
async def comment(request: Request, user: Any) -> Response:
    """Adds a comment, and closes or opens the issue where that was wanted."""
    project = project_or_404(request)
    form = await form_of(request)
    need_role(request, project, user)
    issue, visit = _issue_or_404(request, project), visit_of(request)
    text = form.text("body")
    if text:
        visit.data.change("insert into comments (kind, target, author, body, at) values ('issue', ?, ?, ?, ?)", issue["id"],
                          user["id"], text, AT)  # fmt: skip
    elif "state" not in form:
        visit.tell("Write something first.", "alert")
    if "state" in form and _may_close(request, project, issue, user):
        state = "closed" if issue["state"] == "open" else "open"
        visit.data.change("update issues set state = ?, updated = ? where id = ?", state, AT, issue["id"])
        visit.tell(f"Issue #{issue['iid']} is {state} now.")
    return go(f"/{project['path']}/-/issues/{issue['iid']}")


@for_members
async def plan(request: Request, user: Any) -> Response:
    """Sets one thing of the issue's side bar: assignee, labels, milestone or due date."""
    project = project_or_404(request)
    form = await form_of(request)
    need_role(request, project, user, REPORTER)
    issue, visit = _issue_or_404(request, project), visit_of(request)
    what = form.text("what")
    if what == "labels":
        visit.data.change("delete from issue_labels where issue = ?", issue["id"])
        for label in form.texts("label"):
            visit.data.change("insert or ignore into issue_labels values (?, ?)", issue["id"], label)
    elif what == "due" and DAY.fullmatch(form.text("value")):
        visit.data.change("update issues set due = ? where id = ?", form.text("value"), issue["id"])
    elif what in ("assignee", "milestone"):
        visit.data.change(
            f"update issues set {what} = ? where id = ?", form.text("value") or None, issue["id"]
        )
    visit.data.change("update issues set updated = ? where id = ?", AT, issue["id"])
    return go(f"/{project['path']}/-/issues/{issue['iid']}")


@for_members
async def remember(request: Request, user: Any) -> Response:
    """Puts the issue on the person's to-do list."""
    project = project_or_404(request)
    await form_of(request)
    issue, visit = _issue_or_404(request, project), visit_of(request)
    known = "select 1 from todos where user = ? and kind = 'issue' and target = ? and done = 0"
    if not visit.data.value(known, user["id"], issue["id"]):
        visit.data.change(
            "insert into todos (user, project, kind, target, action, by, at) values (?, ?, 'issue', ?, 'added a to-do', ?, ?)",
            user["id"], project["id"], issue["id"], user["id"], AT,
        )  # fmt: skip
    return go(f"/{project['path']}/-/issues/{issue['iid']}")


@for_members
async def bulk(request: Request, user: Any) -> Response:
    """Changes all chosen issues at once."""
    project = project_or_404(request)
    form = await form_of(request)
    need_role(request, project, user, REPORTER)
    visit = visit_of(request)
    chosen = [int(number) for number in form.texts("issue") if number.isdecimal()]
    if not chosen:
        visit.tell("Select at least one issue.", "alert")
        return go(f"/{project['path']}/-/issues?bulk=1")
    within = f"project = ? and id in ({', '.join('?' * len(chosen))})"
    for name in ("state", "assignee", "milestone"):
        if value := form.text(name):
            visit.data.change(
                f"update issues set {name} = ?, updated = ? where {within}", None if value == "none" else value, AT,
                project["id"], *chosen,
            )  # fmt: skip
    if label := form.text("label"):
        for number in chosen:
            visit.data.change("insert or ignore into issue_labels values (?, ?)", number, label)
    visit.tell(f"{len(chosen)} issue{'' if len(chosen) == 1 else 's'} updated.")
    return go(f"/{project['path']}/-/issues")
