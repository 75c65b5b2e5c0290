"""Merge requests of a project: the list, one of them, and what becomes of it."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

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
from fixtures_sites.code.diffs import changes_of
from fixtures_sites.code.finding import STATES
from fixtures_sites.code.issues import comments_of
from fixtures_sites.code.repository import COMMIT, branches_of
from fixtures_sites.code.roles import DEVELOPER
from fixtures_sites.forms import form_of
from fixtures_sites.paging import cut_of
from fixtures_sites.site import go, render
from fixtures_sites.visit import visit_of


async def listing(request: Request) -> Response:
    """Merge requests by state, words and author."""
    project = project_or_404(request)
    data, asked = visit_of(request).data, request.query_params
    where, values = (
        "i.project = ? and i.title like ?",
        [project["id"], f"%{asked.get('search', '').strip()}%"],
    )
    if author := asked.get("author", ""):
        where += " and u.username = ?"
        values.append(author)
    sql = f"from merges i join users u on u.id = i.author where {where}"
    counts = {
        row[0]: row[1] for row in data.rows(f"select i.state, count(*) {sql} group by i.state", *values)
    }
    counts["all"] = sum(counts.values())
    state = asked.get("state", "open")
    cut = cut_of(counts.get(state, 0), request, 20)
    found = data.rows(
        f"select i.*, u.name as author_name, (select count(*) from approvals a where a.merge = i.id) as approvals {sql}"
        f" and {STATES.get(state, STATES['open'])} order by i.created desc, i.id desc limit 20 offset ?",
        *values, cut.offset,
    )  # fmt: skip
    return render(
        request, "merges.html", merges=found, counts=counts, cut=cut, state=state, asked=asked, people=people_of(data, project),
        **frame(request, project, "merges"),
    )  # fmt: skip


def _merge_or_404(request: Request, project: Any) -> Any:
    found = visit_of(request).data.row(
        "select i.*, u.name as author_name, u.username, r.name as reviewer_name, s.name as assignee_name, b.name as merged_by_name"
        " from merges i join users u on u.id = i.author left join users r on r.id = i.reviewer"
        " left join users s on s.id = i.assignee left join users b on b.id = i.merged_by where i.project = ? and i.iid = ?",
        project["id"], request.path_params["iid"],
    )  # fmt: skip
    if found is None:
        raise HTTPException(
            404, f"There is no merge request !{request.path_params['iid']} in {project['path']}."
        )
    return found


async def show(request: Request) -> Response:
    """One merge request: overview, commits or changes."""
    project = project_or_404(request)
    merge, data = _merge_or_404(request, project), visit_of(request).data
    commits = data.rows(
        f"{COMMIT} where c.project = ? and c.branch = ? order by c.at desc", project["id"], merge["source"]
    )
    tab = request.query_params.get("tab", "overview")
    return render(
        request, "merge.html", merge=merge, commits=commits, tab=tab,
        changes=[change for one in commits for change in changes_of(data, one)] if tab == "changes" else [],
        comments=comments_of(data, "merge", merge["id"]), **frame(request, project, "merges"),
    )  # fmt: skip


async def widget(request: Request) -> Response:
    """Approvals and whether it can be merged: a piece of the page that comes late."""
    project = project_or_404(request)
    merge, data, user = _merge_or_404(request, project), visit_of(request).data, user_of(request)
    approved = data.rows(
        "select u.* from approvals a join users u on u.id = a.user where a.merge = ? order by u.name",
        merge["id"],
    )
    own = user["id"] if user else 0
    return render(
        request, "merge_widget.html", merge=merge, approved=approved, why=_obstacle(request, project, merge),
        has_approved=own in [row["id"] for row in approved], own=own, **frame(request, project, "merges"),
    )  # fmt: skip


def _obstacle(request: Request, project: Any, merge: Any) -> str:
    """Why it can't be merged; empty where it can."""
    data = visit_of(request).data
    if merge["draft"]:
        return "Merge blocked: it is a draft."
    if merge["conflicts"]:
        return "Merge blocked: there are merge conflicts."
    if not data.value("select 1 from approvals where merge = ?", merge["id"]):
        return "Merge blocked: 1 approval required."
    if role_in(data, project, user_of(request)) < DEVELOPER:
        return "Ready to be merged by someone with the right role."
    return ""


@for_members
async def act(request: Request, user: Any) -> Response:
    """Comments, approves, merges, closes, opens again, or takes the draft mark away."""
    project = project_or_404(request)
    form = await form_of(request)
    need_role(request, project, user)
    merge, visit = _merge_or_404(request, project), visit_of(request)
    if text := form.text("body"):
        visit.data.change("insert into comments (kind, target, author, body, at) values ('merge', ?, ?, ?, ?)", merge["id"],
                          user["id"], text, AT)  # fmt: skip
    what = form.text("what")
    if what == "comment" and not text:
        visit.tell("Write something first.", "alert")
    elif what in ("approve", "revoke"):
        need_role(request, project, user, DEVELOPER)
        if merge["author"] == user["id"]:
            visit.tell("You can't approve your own merge request.", "alert")
        elif what == "approve":
            visit.data.change("insert or ignore into approvals values (?, ?)", merge["id"], user["id"])
        else:
            visit.data.change("delete from approvals where merge = ? and user = ?", merge["id"], user["id"])
    elif what == "merge":
        _carry_out(request, project, merge, user, squash="squash" in form, remove="remove" in form)
    elif what in ("close", "reopen", "ready"):
        if merge["author"] != user["id"]:
            need_role(request, project, user, DEVELOPER)
        change = {"close": "state = 'closed'", "reopen": "state = 'open'", "ready": "draft = 0"}[what]
        visit.data.change(
            f"update merges set {change}, updated = ? where id = ? and state <> 'merged'", AT, merge["id"]
        )
    return go(f"/{project['path']}/-/merge_requests/{merge['iid']}")


def _carry_out(request: Request, project: Any, merge: Any, user: Any, *, squash: bool, remove: bool) -> None:
    visit = visit_of(request)
    why = _obstacle(request, project, merge) or ("" if merge["state"] == "open" else "It is not open.")
    if why:
        visit.tell(why, "alert")
        return
    data, number = visit.data, project["id"]
    data.change("update merges set state = 'merged', merged_by = ?, squashed = ?, updated = ? where id = ?", user["id"],
                int(squash), AT, merge["id"])  # fmt: skip
    for row in data.rows(
        "select path, content, commit_id from files where project = ? and branch = ?", number, merge["source"]
    ):
        data.change("update files set content = ?, commit_id = ? where project = ? and branch = ? and path = ?", row["content"],
                    row["commit_id"], number, merge["target"], row["path"])  # fmt: skip
    data.change("update commits set branch = '' where project = ? and branch = ?", number, merge["source"])
    if remove:
        data.change(
            "delete from branches where project = ? and name = ? and protected = 0", number, merge["source"]
        )
    visit.tell("Merged.")


@for_members
async def new(request: Request, user: Any) -> Response:
    """The form of a new merge request, and what was sent with it."""
    project = project_or_404(request)
    need_role(request, project, user, DEVELOPER)
    form = await form_of(request) if request.method == "POST" else None
    data = visit_of(request).data
    branches = branches_of(data, project)
    if form is not None:
        source, target = form.text("source"), form.text("target")
        form.check("source", source in branches, "Choose a source branch.")
        form.check(
            "target", target in branches and target != source, "Source and target must be different branches."
        )
        title = form.need("title", "Title can't be blank.")
        same = "select iid from merges where project = ? and source = ? and target = ? and state = 'open'"
        known = data.value(same, project["id"], source, target)
        form.check(
            "source", not known, f"Another open merge request already exists for this source branch: !{known}"
        )
        if form.ok:
            iid = data.value("select coalesce(max(iid), 0) + 1 from merges where project = ?", project["id"])
            data.change(
                "insert into merges (project, iid, title, body, author, assignee, reviewer, source, target, state, draft, conflicts,"
                " created, updated) values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, 0, ?, ?)",
                project["id"], iid, title, form.text("body"), user["id"], form.text("assignee") or None,
                form.text("reviewer") or None, source, target, int("draft" in form), AT, AT,
            )  # fmt: skip
            return go(f"/{project['path']}/-/merge_requests/{iid}")
    return render(
        request, "merge_new.html", 422 if form else 200, form=form, branches=branches, people=people_of(data, project),
        asked=request.query_params, **frame(request, project, "merges"),
    )  # fmt: skip
