"""What people put up: projects and their forks, stars, releases, wiki pages and snippets."""

import re
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fixtures_sites.code.access import AT, for_members, frame, need_role, project_or_404, user_of
from fixtures_sites.code.managing import SLUG
from fixtures_sites.code.roles import DEVELOPER, OWNER
from fixtures_sites.code.sources import sha
from fixtures_sites.forms import Form, form_of
from fixtures_sites.paging import cut_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import go, render
from fixtures_sites.slugs import slugify
from fixtures_sites.state import Data
from fixtures_sites.visit import visit_of

VISIBILITIES = (("public", "Public"), ("private", "Private"))
LEVELS = ("Global", "Watch", "Participate", "On mention", "Disabled")


def namespaces_of(data: Data, user: Any) -> list[tuple[str, str]]:
    """Where a person may put projects: their own name, and groups in which they develop."""
    groups = data.rows(
        "select g.slug, g.name from group_members m join groups g on g.id = m.grp where m.user = ? and m.role >= ? order by g.name",
        user["id"], DEVELOPER,
    )  # fmt: skip
    return [(user["username"], user["username"]), *((row["slug"], row["name"]) for row in groups)]


@for_members
async def new_project(request: Request, user: Any) -> Response:
    """The form of a new project, and what was sent with it."""
    form = await form_of(request) if request.method == "POST" else None
    data = visit_of(request).data
    namespaces = namespaces_of(data, user)
    if form is not None:
        name = form.need("name", "Enter a project name.")
        slug = form.text("slug") or slugify(name)
        path = _free_path(data, form, namespaces, slug)
        form.check(
            "visibility", form.text("visibility") in dict(VISIBILITIES), "Choose who can see the project."
        )
        if form.ok:
            number = _project(data, user, form, path, name, "readme" in form)
            visit_of(request).tell(f"Project “{name}” was successfully created.")
            return go(f"/{data.value('select path from projects where id = ?', number)}")
    return render(
        request,
        "project_new.html",
        422 if form else 200,
        form=form,
        namespaces=namespaces,
        visibilities=VISIBILITIES,
    )


def _free_path(data: Data, form: Form, namespaces: list[tuple[str, str]], slug: str) -> str:
    namespace = form.text("namespace")
    form.check("namespace", namespace in dict(namespaces), "Choose a group or your own name.")
    form.check(
        "slug", SLUG.fullmatch(slug) is not None, "The path may have small letters, digits, dots and hyphens."
    )
    path = f"{namespace}/{slug}"
    taken = data.value("select 1 from projects where path = ?", path)
    form.check("slug", not taken, f"{path} has already been taken.")
    return path


def _project(data: Data, user: Any, form: Form, path: str, name: str, readme: bool) -> int:
    namespace, slug = path.split("/")
    number = data.change(
        "insert into projects (namespace, slug, path, name, description, language, license, topics, visibility, stars, forks,"
        " created, updated) values (?, ?, ?, ?, ?, '', '', '', ?, 0, 0, ?, ?)",
        namespace, slug, path, name, form.text("description"), form.text("visibility"), AT[:10], AT[:10],
    )  # fmt: skip
    data.change(
        "insert into members (project, user, role, since) values (?, ?, ?, ?)",
        number,
        user["id"],
        OWNER,
        AT[:10],
    )
    data.change("insert into branches values (?, 'main', 1)", number)
    if readme:
        commit = data.change(
            "insert into commits (project, branch, sha, author, title, at, paths) values (?, '', ?, ?, 'Initial commit', ?, 'README.md')",
            number, sha(number, "readme"), user["id"], AT,
        )  # fmt: skip
        data.change("insert into files (project, branch, path, content, commit_id) values (?, 'main', 'README.md', ?, ?)", number,
                    f"# {name}\n\n{form.text('description')}\n", commit)  # fmt: skip
    return number


@for_members
async def fork(request: Request, user: Any) -> Response:
    """The form of a fork, and what was sent with it."""
    project = project_or_404(request)
    form = await form_of(request) if request.method == "POST" else None
    data = visit_of(request).data
    namespaces = namespaces_of(data, user)
    if form is not None:
        name = form.need("name", "Enter a project name.")
        path = _free_path(data, form, namespaces, form.text("slug") or slugify(name))
        form.check(
            "visibility", form.text("visibility") in dict(VISIBILITIES), "Choose who can see the fork."
        )
        if form.ok:
            number = _project(data, user, form, path, name, readme=False)
            _copy(data, project["id"], number)
            data.change("update projects set forked_from = ?, language = ?, license = ?, topics = ? where id = ?", project["path"],
                        project["language"], project["license"], project["topics"], number)  # fmt: skip
            data.change("update projects set forks = forks + 1 where id = ?", project["id"])
            visit_of(request).tell("The project was forked.")
            return go(f"/{path}")
    return render(
        request, "fork.html", 422 if form else 200, form=form, namespaces=namespaces, visibilities=VISIBILITIES,
        **frame(request, project, "project"),
    )  # fmt: skip


def _copy(data: Data, source: int, target: int) -> None:
    data.change(
        "insert into commits (project, branch, sha, author, title, at, paths) select ?, branch, sha, author, title, at, paths"
        " from commits where project = ? order by id", target, source,
    )  # fmt: skip
    data.change(
        "insert into files (project, branch, path, content, commit_id) select ?1, f.branch, f.path, f.content, n.id from files f"
        " left join commits o on o.id = f.commit_id left join commits n on n.project = ?1 and n.sha = o.sha where f.project = ?2",
        target, source,
    )  # fmt: skip
    data.change(
        "insert or ignore into branches select ?, name, protected from branches where project = ?",
        target,
        source,
    )


@for_members
async def star(request: Request, user: Any) -> Response:
    """Stars a project, or takes the star away."""
    project = project_or_404(request)
    await form_of(request)
    data = visit_of(request).data
    if data.value("select 1 from stars where user = ? and project = ?", user["id"], project["id"]):
        data.change("delete from stars where user = ? and project = ?", user["id"], project["id"])
        data.change("update projects set stars = stars - 1 where id = ?", project["id"])
    else:
        data.change("insert into stars values (?, ?)", user["id"], project["id"])
        data.change("update projects set stars = stars + 1 where id = ?", project["id"])
    return go(f"/{project['path']}")


@for_members
async def notify(request: Request, user: Any) -> Response:
    """Sets how much a person hears of a project."""
    project = project_or_404(request)
    form = await form_of(request)
    visit = visit_of(request)
    if form.text("level") in LEVELS:
        visit.data.change(
            "insert or replace into levels values (?, ?, ?)", user["id"], project["id"], form.text("level")
        )
        visit.tell(f"Notification level: {form.text('level')}.")
    return go(f"/{project['path']}")


async def releases(request: Request) -> Response:
    """All releases, newest first."""
    project = project_or_404(request)
    rows = visit_of(request).data.rows(
        "select * from releases where project = ? order by at desc, id desc", project["id"]
    )
    return render(request, "releases.html", releases=rows, **frame(request, project, "releases"))


@for_members
async def new_release(request: Request, user: Any) -> Response:
    """The form of a release, and what was sent with it."""
    project = project_or_404(request)
    need_role(request, project, user, DEVELOPER)
    form = await form_of(request) if request.method == "POST" else None
    data = visit_of(request).data
    tags = [
        (row["name"], row["name"])
        for row in data.rows("select name from tags where project = ? order by name desc", project["id"])
    ]
    if form is not None:
        tag, title = form.text("tag"), form.need("title", "Enter a title.")
        form.check("tag", tag in dict(tags), "Choose a tag.")
        used = data.value("select 1 from releases where project = ? and tag = ?", project["id"], tag)
        form.check("tag", not used, f"There is a release of {tag} already.")
        if form.ok:
            data.change("insert into releases (project, tag, title, notes, at) values (?, ?, ?, ?, ?)", project["id"], tag, title,
                        form.text("notes"), AT)  # fmt: skip
            return go(f"/{project['path']}/-/releases")
    return render(
        request,
        "release_new.html",
        422 if form else 200,
        form=form,
        tags=tags,
        **frame(request, project, "releases"),
    )


async def wiki(request: Request) -> Response:
    """A page of the wiki."""
    project = project_or_404(request)
    data = visit_of(request).data
    slug = request.path_params.get("page", "home")
    page = data.row(
        "select w.*, u.name as author_name from wiki w join users u on u.id = w.author where w.project = ? and w.slug = ?",
        project["id"], slug,
    )  # fmt: skip
    if page is None:
        raise HTTPException(404, f"The wiki has no page “{slug}”.")
    pages = data.rows(
        "select slug, title from wiki where project = ? order by slug <> 'home', title", project["id"]
    )
    return render(request, "wiki.html", page=page, pages=pages, **frame(request, project, "wiki"))


@for_members
async def edit_wiki(request: Request, user: Any) -> Response:
    """The form of a wiki page, new or known, and what was sent with it."""
    project = project_or_404(request)
    need_role(request, project, user, DEVELOPER)
    data, slug = visit_of(request).data, request.path_params.get("page", "")
    page = data.row("select * from wiki where project = ? and slug = ?", project["id"], slug)
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        title = form.need("title", "Enter a title.")
        content = form.need("content", "The page would be empty.").replace("\r\n", "\n")
        fresh = slugify(title) or "page"
        taken = data.value("select 1 from wiki where project = ? and slug = ?", project["id"], fresh)
        form.check("title", page is not None or not taken, "There is a page of that name.")
        if form.ok and page is not None:
            data.change("update wiki set title = ?, content = ?, author = ?, updated = ? where id = ?", title, content, user["id"],
                        TODAY.isoformat(), page["id"])  # fmt: skip
            return go(f"/{project['path']}/-/wikis/{slug}")
        if form.ok:
            data.change("insert into wiki (project, slug, title, content, author, updated) values (?, ?, ?, ?, ?, ?)", project["id"],
                        fresh, title, content, user["id"], TODAY.isoformat())  # fmt: skip
            return go(f"/{project['path']}/-/wikis/{fresh}")
    return render(
        request,
        "wiki_edit.html",
        422 if form else 200,
        form=form,
        page=page,
        **frame(request, project, "wiki"),
    )


SNIPPET = "select s.*, u.name as author_name, u.username from snippets s join users u on u.id = s.author"
FILENAME = re.compile(r"[\w.-]+\.[a-z]+")


async def snippets(request: Request) -> Response:
    """All public snippets, newest first, by words."""
    visit, user = visit_of(request), user_of(request)
    words = f"%{request.query_params.get('search', '').strip()}%"
    where = f"(s.visibility = 'public' or s.author = {user['id'] if user else 0}) and s.title like ?"
    cut = cut_of(visit.data.value(f"select count(*) from snippets s where {where}", words), request, 12)
    rows = visit.data.rows(
        f"{SNIPPET} where {where} order by s.created desc, s.id desc limit 12 offset ?", words, cut.offset
    )
    return render(request, "snippets.html", snippets=rows, cut=cut, words=words.strip("%"))


def _snippet_or_404(request: Request) -> Any:
    user = user_of(request)
    found = visit_of(request).data.row(
        f"{SNIPPET} where s.id = ? and (s.visibility = 'public' or s.author = ?)",
        request.path_params["id"],
        user["id"] if user else 0,
    )
    if found is None:
        raise HTTPException(404, "There is no such snippet.")
    return found


async def snippet(request: Request) -> Response:
    """One snippet."""
    return render(request, "snippet.html", snippet=_snippet_or_404(request))


@for_members
async def new_snippet(request: Request, user: Any) -> Response:
    """The form of a snippet, and what was sent with it."""
    form = await form_of(request) if request.method == "POST" else None
    if form is not None:
        title = form.need("title", "Title can't be blank.")
        form.need_match("filename", FILENAME, "Enter a file name with an ending.")
        form.need("content", "The snippet would be empty.")
        form.check("visibility", form.text("visibility") in dict(VISIBILITIES), "Choose who can see it.")
        if form.ok:
            number = visit_of(request).data.change(
                "insert into snippets (author, title, description, filename, content, visibility, created) values (?, ?, ?, ?, ?, ?, ?)",
                user["id"], title, form.text("description"), form.text("filename"), form.text("content").replace("\r\n", "\n"),
                form.text("visibility"), TODAY.isoformat(),
            )  # fmt: skip
            return go(f"/-/snippets/{number}")
    return render(request, "snippet_new.html", 422 if form else 200, form=form, visibilities=VISIBILITIES)


@for_members
async def delete_snippet(request: Request, user: Any) -> Response:
    """Deletes one's own snippet."""
    await form_of(request)
    found, visit = _snippet_or_404(request), visit_of(request)
    if found["author"] != user["id"]:
        raise HTTPException(403, "This snippet is not yours.")
    visit.data.change("delete from snippets where id = ?", found["id"])
    visit.tell("The snippet was deleted.")
    return go("/-/snippets")
