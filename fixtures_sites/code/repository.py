"""The files of a project and their history: overview, folders, one file, commits, branches and tags."""

import re
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from fixtures_sites.code.access import AT, for_members, frame, need_role, project_or_404, user_of
from fixtures_sites.code.diffs import changes_of
from fixtures_sites.code.roles import DEVELOPER, MAINTAINER
from fixtures_sites.code.sources import sha
from fixtures_sites.forms import form_of
from fixtures_sites.paging import cut_of
from fixtures_sites.site import go, render
from fixtures_sites.state import Data
from fixtures_sites.visit import visit_of

NAME = re.compile(r"[\w][\w./-]*[\w]|\w", re.ASCII)
COMMIT = "select c.*, u.name as author_name, u.username from commits c join users u on u.id = c.author"


def files_on(data: Data, project: Any, branch: str) -> dict[str, Any]:
    """The files of a branch by path: its own, and those of the default branch that it has not changed."""
    rows = data.rows(
        "select f.*, c.title, c.at, c.sha, u.name as author_name, u.username from files f"
        " left join commits c on c.id = f.commit_id left join users u on u.id = c.author"
        " where f.project = ? and f.branch in (?, ?) order by f.branch = ?, f.path",
        project["id"], project["default_branch"], branch, branch,
    )  # fmt: skip
    found = {row["path"]: row for row in rows}
    return {path: found[path] for path in sorted(found)}


def branches_of(data: Data, project: Any) -> list[str]:
    """The names of the branches, the default one first."""
    rows = data.rows(
        "select name from branches where project = ? order by name <> ?, name",
        project["id"],
        project["default_branch"],
    )
    return [row["name"] for row in rows]


async def overview(request: Request) -> Response:
    """The start of a project: facts, files and the README."""
    project = project_or_404(request)
    return _tree_page(request, project, project["default_branch"], "", start=True)


async def tree(request: Request) -> Response:
    """A folder on a branch."""
    project = project_or_404(request)
    branch, path = _split(request, project)
    return _tree_page(request, project, branch, path)


def _tree_page(request: Request, project: Any, branch: str, path: str, *, start: bool = False) -> Response:
    data, user = visit_of(request).data, user_of(request)
    files = files_on(data, project, branch)
    folder = f"{path}/" if path else ""
    inside = {name: file for name, file in files.items() if name.startswith(folder)}
    if path and not inside:
        raise HTTPException(404, f"“{path}” did not exist on “{branch}”.")
    folders = sorted({name[len(folder) :].split("/")[0] for name in inside if "/" in name[len(folder) :]})
    number = project["id"]
    own = user["id"] if user else 0
    return render(
        request,
        "project.html",
        branch=branch,
        path=path,
        folders=folders,
        files=[file for name, file in inside.items() if "/" not in name[len(folder) :]],
        readme=inside.get(f"{folder}README.md"),
        branches=branches_of(data, project),
        last=data.row(f"{COMMIT} where c.project = ? and c.branch in ('', ?) order by c.at desc, c.id desc limit 1", number, branch),
        start=start,
        facts=data.row(
            "select (select count(*) from commits where project = ?1 and branch = '') as commits,"
            " (select count(*) from branches where project = ?1) as branches,"
            " (select count(*) from tags where project = ?1) as tags,"
            " (select count(*) from releases where project = ?1) as releases", number,
        ),
        starred=data.value("select 1 from stars where user = ? and project = ?", own, number),
        level=data.value("select level from levels where user = ? and project = ?", own, number) or "Global",
        **frame(request, project, "files" if not start else "project"),
    )  # fmt: skip


def _split(request: Request, project: Any) -> tuple[str, str]:
    """Branch or tag, and path, of an address; branches may have slashes."""
    rest = request.path_params["rest"].strip("/")
    data = visit_of(request).data
    for branch in branches_of(data, project):
        if rest == branch or rest.startswith(f"{branch}/"):
            return branch, rest[len(branch) :].strip("/")
    for row in data.rows("select name from tags where project = ?", project["id"]):
        if rest == row["name"] or rest.startswith(f"{row['name']}/"):
            return row["name"], rest[len(row["name"]) :].strip("/")
    raise HTTPException(404, f"There is no branch or tag for “{rest}”.")


def _file_or_404(request: Request, project: Any) -> tuple[str, Any]:
    branch, path = _split(request, project)
    file = files_on(visit_of(request).data, project, branch).get(path)
    if file is None:
        raise HTTPException(404, f"There is no file “{path}” on “{branch}”.")
    return branch, file


async def blob(request: Request) -> Response:
    """One file, with the commit that changed it last."""
    project = project_or_404(request)
    branch, file = _file_or_404(request, project)
    lines = file["content"].rstrip("\n").split("\n")
    branches = branches_of(visit_of(request).data, project)
    return render(
        request,
        "file.html",
        branch=branch,
        file=file,
        lines=lines,
        branches=branches,
        **frame(request, project, "files"),
    )


async def raw(request: Request) -> Response:
    """One file as it is."""
    _, file = _file_or_404(request, project_or_404(request))
    return PlainTextResponse(file["content"])


async def find_file(request: Request) -> Response:
    """All paths of a branch, those first that have the words."""
    project = project_or_404(request)
    branch, _ = _split(request, project)
    wanted = request.query_params.get("q", "").casefold()
    paths = [path for path in files_on(visit_of(request).data, project, branch) if wanted in path.casefold()]
    return render(
        request, "find_file.html", branch=branch, paths=paths, q=wanted, **frame(request, project, "files")
    )


@for_members
async def edit(request: Request, user: Any) -> Response:
    """The editor of a file; saving it makes a commit."""
    project = project_or_404(request)
    need_role(request, project, user, DEVELOPER)
    branch, file = _file_or_404(request, project)
    form = await form_of(request) if request.method == "POST" else None
    shown = {"branch": branch, "file": file, **frame(request, project, "files")}
    if form is None:
        return render(request, "file_edit.html", form=None, **shown)
    title = form.need("message", "Enter a commit message.")
    form.need("content", "The file would be empty.")
    if not form.ok:
        return render(request, "file_edit.html", 422, form=form, **shown)
    data = visit_of(request).data
    text = form.text("content").replace("\r\n", "\n") + "\n"
    own = "" if branch == project["default_branch"] else branch
    commit = _commit(data, project, own, user, title, file["path"])
    if data.row(
        "select 1 from files where project = ? and branch = ? and path = ?",
        project["id"],
        branch,
        file["path"],
    ):
        data.change("update files set content = ?, commit_id = ? where project = ? and branch = ? and path = ?", text, commit,
                    project["id"], branch, file["path"])  # fmt: skip
    else:
        data.change("insert into files (project, branch, path, content, commit_id) values (?, ?, ?, ?, ?)", project["id"], branch,
                    file["path"], text, commit)  # fmt: skip
    visit_of(request).tell("Your changes have been successfully committed.")
    return go(f"/{project['path']}/-/blob/{branch}/{file['path']}")


def _commit(data: Data, project: Any, branch: str, user: Any, title: str, path: str) -> int:
    number = data.value("select max(id) from commits") + 1
    data.change("update projects set updated = ? where id = ?", AT[:10], project["id"])
    return data.change(
        "insert into commits values (?, ?, ?, ?, ?, ?, ?, ?)",
        number, project["id"], branch, sha(project["id"], number), user["id"], title, AT, path,
    )  # fmt: skip


async def commits(request: Request) -> Response:
    """The history of a branch, by author and words of the message."""
    project = project_or_404(request)
    branch, _ = _split(request, project)
    data, asked = visit_of(request).data, request.query_params
    where, values = "c.project = ? and c.branch in ('', ?)", [project["id"], branch]
    if author := asked.get("author", ""):
        where += " and u.username = ?"
        values.append(author)
    if words := asked.get("search", "").strip():
        where += " and c.title like ?"
        values.append(f"%{words}%")
    cut = cut_of(data.value(f"select count(*) from ({COMMIT} where {where})", *values), request, 20)
    found = data.rows(
        f"{COMMIT} where {where} order by c.at desc, c.id desc limit 20 offset ?", *values, cut.offset
    )
    authors = data.rows(
        "select distinct u.username, u.name from commits c join users u on u.id = c.author where c.project = ? order by u.name",
        project["id"],
    )
    return render(
        request, "commits.html", branch=branch, commits=found, cut=cut, authors=authors, asked=asked,
        branches=branches_of(data, project), **frame(request, project, "commits"),
    )  # fmt: skip


async def commit(request: Request) -> Response:
    """One commit with what it changed."""
    project = project_or_404(request)
    data, wanted = visit_of(request).data, request.path_params["sha"]
    found = data.row(f"{COMMIT} where c.project = ? and c.sha like ?", project["id"], f"{wanted}%")
    if found is None or len(wanted) < 7:
        raise HTTPException(404, f"There is no commit {wanted}.")
    changes = changes_of(data, found)
    return render(request, "commit.html", commit=found, changes=changes, **frame(request, project, "commits"))


async def branches(request: Request) -> Response:
    """All branches, and the form of a new one."""
    project = project_or_404(request)
    data, words = visit_of(request).data, request.query_params.get("search", "").strip()
    rows = data.rows(
        "select b.*, c.title, c.sha, c.at from branches b left join commits c on c.id = (select id from commits k"
        " where k.project = b.project and k.branch in ('', b.name) order by k.at desc, k.id desc limit 1)"
        " where b.project = ? and b.name like ? order by b.name <> ?, b.name",
        project["id"], f"%{words}%", project["default_branch"],
    )  # fmt: skip
    return render(
        request, "branches.html", branches=rows, words=words, form=None, **frame(request, project, "branches")
    )


@for_members
async def new_branch(request: Request, user: Any) -> Response:
    """The form of a new branch, and what was sent with it."""
    project = project_or_404(request)
    need_role(request, project, user, DEVELOPER)
    form = await form_of(request) if request.method == "POST" else None
    data = visit_of(request).data
    known = branches_of(data, project)
    if form is not None:
        name = form.need_match("name", NAME, "A branch name has letters, digits, dots, slashes and hyphens.")
        form.check("name", name not in known, f"The branch “{name}” already exists.")
        source = form.text("source")
        form.check("source", source in known, "Choose where to start from.")
        if form.ok:
            data.change("insert into branches values (?, ?, 0)", project["id"], name)
            if source != project["default_branch"]:
                data.change(
                    "insert into files (project, branch, path, content, commit_id)"
                    " select project, ?, path, content, commit_id from files where project = ? and branch = ?",
                    name, project["id"], source,
                )  # fmt: skip
            visit_of(request).tell(f"You created the branch {name}.")
            return go(f"/{project['path']}/-/branches")
    status = 422 if form else 200
    return render(
        request, "branch_new.html", status, form=form, branches=known, **frame(request, project, "branches")
    )


@for_members
async def delete_branch(request: Request, user: Any) -> Response:
    """Deletes a branch that is not protected."""
    project = project_or_404(request)
    form = await form_of(request)
    need_role(request, project, user, DEVELOPER)
    visit, name = visit_of(request), form.text("name")
    branch = visit.data.row("select * from branches where project = ? and name = ?", project["id"], name)
    if branch is None or branch["protected"]:
        visit.tell(f"The branch {name} is protected and can't be deleted.", "alert")
    else:
        visit.data.change("delete from branches where project = ? and name = ?", project["id"], name)
        visit.tell(f"The branch {name} was deleted.")
    return go(f"/{project['path']}/-/branches")


async def tags(request: Request) -> Response:
    """All tags, newest first, and the form of a new one."""
    project = project_or_404(request)
    data = visit_of(request).data
    rows = data.rows(
        "select t.*, c.sha, c.title, c.at from tags t join commits c on c.id = t.commit_id where t.project = ?"
        " order by c.at desc, t.name desc",
        project["id"],
    )
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        need_role(request, project, user_of(request), MAINTAINER)
        name = form.need_match("name", NAME, "A tag name has letters, digits, dots and hyphens.")
        form.check("name", name not in {row["name"] for row in rows}, f"The tag “{name}” already exists.")
        if form.ok:
            last = data.value(
                "select id from commits where project = ? and branch = '' order by at desc, id desc",
                project["id"],
            )
            data.change(
                "insert into tags values (?, ?, ?, ?)", project["id"], name, last, form.text("message")
            )
            visit_of(request).tell(f"The tag {name} was created.")
            return go(f"/{project['path']}/-/tags")
    return render(
        request, "tags.html", 422 if form else 200, tags=rows, form=form, **frame(request, project, "tags")
    )
