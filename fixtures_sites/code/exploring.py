"""Pages to look around: start, search over everything, groups and people."""

from datetime import timedelta
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fixtures_sites.code import finding
from fixtures_sites.code.access import for_members, user_of, visible
from fixtures_sites.code.finding import PROJECT_SORTS
from fixtures_sites.paging import cut_of
from fixtures_sites.seeded import TODAY
from fixtures_sites.site import render
from fixtures_sites.visit import visit_of

LANGUAGES = ("Go", "Python", "Ruby", "Rust", "TypeScript")
KINDS = {
    "projects": "Projects",
    "issues": "Issues",
    "merges": "Merge requests",
    "code": "Code",
    "users": "Users",
}
SORTS = [(key, text) for key, (text, _) in PROJECT_SORTS.items()]
YEAR_AGO = (TODAY - timedelta(days=365)).isoformat()


async def home(request: Request) -> Response:
    """What there is: projects by filters."""
    visit, user, asked = visit_of(request), user_of(request), request.query_params
    where = finding.projects_where(asked, user)
    total = visit.data.value(f"select count(*) from projects p where {where.sql}", *where.values)
    cut = cut_of(total, request, 15)
    found = finding.projects(visit.data, where, asked.get("sort", "updated"), 15, cut.offset)
    return render(
        request, "explore.html", projects=found, cut=cut, asked=asked, sorts=SORTS, languages=LANGUAGES
    )


@for_members
async def dashboard(request: Request, user: Any) -> Response:
    """One's own projects, and what is new for those who came back."""
    visit = visit_of(request)
    projects = visit.data.rows(
        "select p.*, m.role from projects p join members m on m.project = p.id and m.user = ?"
        " order by p.updated desc, p.id",
        user["id"],
    )
    starred = visit.data.rows(
        "select p.* from projects p join stars s on s.project = p.id and s.user = ? order by p.path",
        user["id"],
    )
    news = not visit.remembered("news")
    return render(request, "dashboard.html", projects=projects, starred=starred, news=news)


async def search(request: Request) -> Response:
    """Everything that has the words, kind by kind."""
    visit, user, asked = visit_of(request), user_of(request), request.query_params
    kind = asked.get("kind", "projects")
    kind = kind if kind in KINDS else "projects"
    scope = visit.data.row("select * from projects where path = ?", asked.get("project", ""))
    query = asked.get("q", "").strip()[:100]
    sql, values = _search_sql(kind, query, user, scope["id"] if scope else 0)
    cut = cut_of(visit.data.value(f"select count(*) from ({sql})", *values), request, 20)
    found = visit.data.rows(f"{sql} limit 20 offset ?", *values, cut.offset)
    lines = {row["id"]: _hits(row["content"], query) for row in found} if kind == "code" else {}
    return render(
        request,
        "search.html",
        kind=kind,
        kinds=KINDS.items(),
        found=found,
        cut=cut,
        lines=lines,
        scope=scope,
        q=query,
    )


def _search_sql(kind: str, query: str, user: Any, scope: int) -> tuple[str, list[Any]]:
    like = f"%{query}%"
    within = f" and p.id = {scope}" if scope else ""
    if kind == "projects":
        where = finding.projects_where({"q": query, "archived": "1"}, user)
        return (
            f"select p.* from projects p where {where.sql}{within} order by p.stars desc, p.id",
            where.values,
        )
    if kind == "users":
        sql = "select * from users where name like ? or username like ? order by name, id"
        return sql, [like, like.replace(" ", "")]
    if kind == "code":
        return (
            (
                "select f.*, p.path as project_path from files f join projects p on p.id = f.project"
                f" where f.branch = p.default_branch and f.content like ? and {visible(user)}{within} order by p.path, f.path"
            ),
            [like],
        )
    return (
        (
            f"select i.*, p.path as project_path, u.name as author_name from {kind} i join projects p on p.id = i.project"
            f" join users u on u.id = i.author where (i.title like ? or i.body like ?) and {visible(user)}{within}"
            " order by i.created desc, i.id"
        ),
        [like, like],
    )


def _hits(content: str, query: str) -> list[tuple[int, str]]:
    wanted = query.casefold()
    lines = enumerate(content.split("\n"), 1)
    return [(number, line) for number, line in lines if wanted in line.casefold()][:3]


async def suggest(request: Request) -> Response:
    """The first few projects for what is typed so far, as JSON."""
    query = request.query_params.get("q", "")[:60]
    where = finding.projects_where({"q": query}, user_of(request))
    found = finding.projects(visit_of(request).data, where, "stars", 6) if len(query) > 1 else []
    return JSONResponse([{"name": row["path"], "url": f"/{row['path']}"} for row in found])


async def groups(request: Request) -> Response:
    """All groups."""
    rows = visit_of(request).data.rows(
        "select g.*, (select count(*) from projects p where p.namespace = g.slug) as projects,"
        " (select count(*) from group_members m where m.grp = g.id) as members from groups g order by g.name"
    )
    return render(request, "groups.html", groups=rows)


async def namespace(request: Request) -> Response:
    """A group or a person, whichever has the name."""
    name = request.path_params["namespace"]
    data = visit_of(request).data
    group = data.row("select * from groups where slug = ?", name)
    user = user_of(request)
    where = finding.projects_where({"archived": "1"}, user)
    where.add("p.namespace = ?", name)
    sort = request.query_params.get("sort", "updated")
    shown: dict[str, Any] = {
        "projects": finding.projects(data, where, sort, 50),
        "sorts": SORTS,
        "sort": sort,
    }
    if group is not None:
        members = data.rows(
            "select u.*, m.role from group_members m join users u on u.id = m.user where m.grp = ?"
            " order by m.role desc, u.name",
            group["id"],
        )
        return render(request, "group.html", group=group, members=members, **shown)
    person = data.row("select * from users where username = ?", name)
    if person is None:
        raise HTTPException(404, f"There is no group or person called “{name}”.")
    snippets = data.rows(
        "select * from snippets where author = ? and visibility = 'public' order by id", person["id"]
    )
    return render(request, "person.html", person=person, snippets=snippets, **shown)


async def contributions(request: Request) -> Response:
    """How often a person committed: a piece of the profile that comes late."""
    data = visit_of(request).data
    person = data.row("select * from users where username = ?", request.path_params["namespace"])
    if person is None:
        raise HTTPException(404, "There is no such person.")
    rows = data.rows(
        "select substr(at, 1, 7) as month, count(*) as count from commits where author = ? and at >= ?"
        " group by month order by month",
        person["id"], YEAR_AGO,
    )  # fmt: skip
    return render(request, "contributions.html", months=rows, total=sum(row["count"] for row in rows))
