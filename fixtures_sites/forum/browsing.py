"""Pages to look around: feeds, boards, tags, threads, search."""

import re
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fixtures_sites.forms import Form
from fixtures_sites.forum import talk
from fixtures_sites.forum.accounts import user_of
from fixtures_sites.forum.talk import FOUND_SORTS, PERIODS, REPLY_SORTS, SORTS, Wanted
from fixtures_sites.paging import cut_of, page_of
from fixtures_sites.site import render
from fixtures_sites.visit import visit_of

PER_PAGE = 15
REPLIES = 20
DAY = re.compile(r"\d{4}-\d\d-\d\d")


async def home(request: Request) -> Response:
    """Threads of all boards."""
    return _feed(request, Wanted.of(request.query_params), "All boards", "/")


async def boards(request: Request) -> Response:
    """All boards by kind."""
    rows = visit_of(request).data.rows(
        "select *, (select count(*) from threads t where t.board = boards.id and t.gone = '') as threads from boards order by id"
    )
    kinds: dict[str, list[Any]] = {}
    for row in rows:
        kinds.setdefault(row["kind"], []).append(row)
    return render(request, "boards.html", kinds=kinds)


def board_or_404(request: Request) -> Any:
    """The board that the address names. Raises HTTPException 404."""
    slug = request.path_params["slug"]
    found = visit_of(request).data.row("select * from boards where slug = ?", slug)
    if found is None:
        raise HTTPException(404, f"There is no board called “{slug}”.")
    return found


async def board(request: Request) -> Response:
    """A board's threads, perhaps only those with a tag."""
    shown = board_or_404(request)
    data = visit_of(request).data
    wanted = Wanted.of(request.query_params, pinned_first=True).narrowed("t.board = ?", shown["id"])
    tag = request.query_params.get("tag", "")
    if tag:
        wanted = wanted.narrowed("t.id in (select thread from thread_tags where tag = ?)", tag)
    return _feed(
        request, wanted, shown["name"], f"/b/{shown['slug']}",
        board=shown, tag=tag,
        tags=data.rows("select name from tags where board = ?", shown["id"]),
        keepers=data.rows("select name from users where id in (select user from moderators where board = ?) order by name", shown["id"]),
        followed=talk.follows(data, user_of(request), "board", shown["id"]),
    )  # fmt: skip


async def tag_page(request: Request) -> Response:
    """Threads of all boards with a tag."""
    name = request.path_params["tag"]
    wanted = Wanted.of(request.query_params).narrowed(
        "t.id in (select thread from thread_tags where tag = ?)", name
    )
    if not talk.count(visit_of(request).data, wanted):
        raise HTTPException(404, f"No thread has the tag “{name}”.")
    return _feed(request, wanted, f"Tagged “{name}”", f"/tag/{name}")


async def following(request: Request) -> Response:
    """Threads of the boards and people that the user follows."""
    user = user_of(request)
    number = user["id"] if user else 0
    wanted = Wanted.of({"sort": "new", **request.query_params}).narrowed(
        "(t.board in (select item from follows where kind = 'board' and user = ?)"
        " or t.author in (select item from follows where kind = 'user' and user = ?))", number, number,
    )  # fmt: skip
    return _feed(request, wanted, "Following", "/following")


def _feed(request: Request, wanted: Wanted, heading: str, action: str, **shown: Any) -> Response:
    data = visit_of(request).data
    cut = cut_of(talk.count(data, wanted), request, PER_PAGE)
    return render(
        request,
        "board.html" if "board" in shown else "feed.html",
        heading=heading,
        action=action,
        wanted=wanted,
        cut=cut,
        threads=talk.listed(data, wanted, PER_PAGE, cut.offset),
        marks=talk.marks(data, user_of(request), "thread"),
        sorts=[(key, name) for key, (name, _) in SORTS.items()],
        periods=[(key, name) for key, (name, _) in PERIODS.items()],
        **shown,
    )


def thread_or_404(request: Request) -> Any:
    """The thread that the address names. Raises HTTPException 404."""
    found = talk.thread(visit_of(request).data, request.path_params["id"])
    if found is None:
        raise HTTPException(404, "There is no such thread.")
    return found


async def thread(request: Request) -> Response:
    """A thread and its replies."""
    return thread_page(request, thread_or_404(request))


def thread_page(request: Request, shown: Any, form: Form | None = None) -> Response:
    """The page of a thread; `form` is a reply that was wrong."""
    data, user = visit_of(request).data, user_of(request)
    sort = request.query_params.get("sort", "old")
    sort = sort if sort in REPLY_SORTS else "old"
    page = page_of(talk.replies(data, shown["id"], sort), request, REPLIES)
    return render(
        request,
        "thread.html",
        422 if form else 200,
        thread=shown,
        page=page,
        sort=sort,
        sorts=[(key, name) for key, (name, _) in REPLY_SORTS.items()],
        marks=talk.marks(data, user, "thread"),
        reply_marks=talk.marks(data, user, "post"),
        poll=talk.poll(data, shown["id"], user),
        keeps=keeps(request, user, shown["board"]),
        invited=user is None and not visit_of(request).remembered("join"),
        form=form,
    )


def keeps(request: Request, user: Any, board: int) -> bool:
    """Whether the user moderates the board."""
    sql = "select 1 from moderators where user = ? and board = ?"
    return user is not None and bool(visit_of(request).data.value(sql, user["id"], board))


async def similar(request: Request) -> Response:
    """Other threads of the board: a piece of the thread's page that comes late."""
    shown = thread_or_404(request)
    wanted = Wanted("top").narrowed("t.board = ? and t.id <> ?", shown["board"], shown["id"])
    return render(request, "similar.html", threads=talk.listed(visit_of(request).data, wanted, 5))


async def search(request: Request) -> Response:
    """Threads or replies by words, author, board and days."""
    asked = request.query_params
    what = "replies" if asked.get("in") == "replies" else "threads"
    sort = asked.get("sort", "newest")
    sort = sort if sort in FOUND_SORTS else "newest"
    where, values, errors = _condition(request, what)
    source = talk.REPLY if what == "replies" else talk.CARD
    total = (
        0
        if errors
        else visit_of(request).data.value(f"select count(*) from ({source} where {where})", *values)
    )
    cut = cut_of(total, request, PER_PAGE)
    rows = visit_of(request).data.rows(
        f"select * from ({source} where {where}) order by {FOUND_SORTS[sort][1]} limit ? offset ?",
        *values, PER_PAGE, cut.offset,
    )  # fmt: skip
    return render(
        request, "search.html", what=what, sort=sort, cut=cut, found=[] if errors else rows, asked=asked, errors=errors,
        sorts=[(key, name) for key, (name, _) in FOUND_SORTS.items()],
    )  # fmt: skip


def _condition(request: Request, what: str) -> tuple[str, list[Any], list[str]]:
    """What a search asks for in SQL, its values, and what is wrong with it."""
    asked, one = request.query_params, "p" if what == "replies" else "t"
    where, values, errors = [f"{one}.gone = ''", "t.gone = ''"], [], []
    for word in asked.get("q", "")[:100].split():
        where.append("p.text like ?" if one == "p" else "(t.title like ? or t.text like ?)")
        values += [f"%{word}%"] * (1 if one == "p" else 2)
    if author := asked.get("author", "").strip().lstrip("@"):
        if not visit_of(request).data.value("select 1 from users where name = ?", author):
            errors.append(f"There is no member called “{author}”.")
        where.append("u.name = ?")
        values.append(author)
    if board := asked.get("board", ""):
        where.append("b.slug = ?")
        values.append(board)
    for key, sign in (("from", ">="), ("to", "<=")):
        if day := asked.get(key, ""):
            if not DAY.fullmatch(day):
                errors.append("Write days as 2026-05-31.")
            where.append(f"substr({one}.created, 1, 10) {sign} ?")
            values.append(day)
    return " and ".join(where), values, errors


async def suggest(request: Request) -> Response:
    """Boards and threads whose name has what is typed so far, as JSON."""
    query = request.query_params.get("q", "")[:60].strip()
    data = visit_of(request).data
    if len(query) < 2:
        return JSONResponse([])
    found = data.rows("select name, '/b/' || slug as url from boards where name like ? limit 3", f"%{query}%")
    found += data.rows(
        "select title as name, '/t/' || id || '/' || slug as url from threads where title like ? and gone = '' order by id desc limit 5",
        f"%{query}%",
    )
    return JSONResponse([dict(row) for row in found])


async def mention(request: Request) -> Response:
    """Members whose name begins with what is typed after an @, as JSON."""
    start = request.query_params.get("q", "")[:30]
    rows = visit_of(request).data.rows(
        "select name from users where name like ? order by name limit 5", f"{start}%"
    )
    return JSONResponse([row["name"] for row in rows])


async def rules(request: Request) -> Response:
    """The house rules."""
    return render(request, "rules.html")
