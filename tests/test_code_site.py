"""The host of repositories: what its pages and forms do, asked without a browser."""

import re

import pytest

from fixtures_sites.code.app import SITE
from fixtures_sites.code.seeded import ACCOUNTS
from fixtures_sites.code.tasks.desk import Row, one, project_of, rows
from fixtures_sites.code.text import ago, markdown
from fixtures_sites.code.wording import PLANTED, WORDING
from fixtures_sites.seeded import Dice
from fixtures_sites.server import FixtureServer
from tests.visitor import Visitor

USERNAME, PASSWORD, NAME = ACCOUNTS[0]
WHO = {"username": USERNAME, "password": PASSWORD, "name": NAME}
PUBLIC = "p.visibility = 'public'"


def project_as(low: int, high: int, condition: str = PUBLIC) -> Row:
    """A project in which Maya has a role within bounds."""
    return project_of(Dice(1), WHO, low, high, condition)


RUN, DEVELOPED, REPORTED = project_as(40, 40), project_as(30, 30), project_as(20, 20)
FOREIGN = rows(
    "select * from projects p where visibility = 'private' and not exists"
    " (select 1 from members m where m.project = p.id and m.user = 1)"
)[0]


@pytest.fixture
def visitor(server: FixtureServer) -> Visitor:
    return Visitor(server.port, "code")


@pytest.fixture
def maya(visitor: Visitor) -> Visitor:
    assert "Your projects" in visitor.send("/sign-in", {"login": USERNAME, "password": PASSWORD}).text
    return visitor


def test_there_is_as_much_as_on_a_small_real_host() -> None:
    tables = ("projects", "commits", "issues", "merges", "users")
    counts = {name: one(f"select count(*) from {name}") for name in tables}
    assert counts["projects"] == 60
    assert counts["commits"] >= 2000
    assert counts["issues"] >= 800
    assert (counts["merges"], counts["users"]) == (200, 80)


P = f"/{RUN['path']}"
BRANCH = rows(
    "select name from branches where project = ? and name like '%/%' or name like '%-%'", RUN["id"]
)[0][0]


@pytest.mark.parametrize(
    "path",
    ["/", "/?q=map&language=Rust&sort=stars", "/search?q=map", "/search?q=load&kind=code", "/search?q=cache&kind=issues",
     "/search?q=maya&kind=users", "/search?q=fix&kind=merges", "/groups", "/aurora", f"/{USERNAME}", "/sign-in", "/-/snippets",
     "/-/snippets/3", P, f"{P}/-/tree/main/config", f"{P}/-/blob/main/README.md", f"{P}/-/find_file/main?q=src",
     f"{P}/-/commits/main?author={USERNAME}", f"{P}/-/branches", f"{P}/-/tags", f"{P}/-/issues?state=all&sort=due&due=any",
     f"{P}/-/issues?label=bug&assignee=none&milestone=none&search=the", f"{P}/-/issues/3", f"{P}/-/merge_requests?state=all",
     f"{P}/-/merge_requests/1", f"{P}/-/merge_requests/1?tab=changes", f"{P}/-/merge_requests/1?tab=commits", f"{P}/-/labels",
     f"{P}/-/milestones", f"{P}/-/project_members?sort=role", f"{P}/-/releases", f"{P}/-/wikis", f"{P}/-/wikis/on-call"],
)  # fmt: skip
def test_a_page_for_everyone_is_shown(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 200
    assert page.text.count("<h1") == 1


@pytest.mark.parametrize("path", [f"{P}/-/merge_requests/1/widget", f"/{USERNAME}/-/contributions"])
def test_a_late_piece_of_a_page_is_only_a_piece(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 200
    assert "<html" not in page.text


@pytest.mark.parametrize(
    "path",
    ["/nobody", "/aurora/none", f"{P}/-/blob/main/none.md", f"{P}/-/tree/none", f"{P}/-/issues/999", f"{P}/-/merge_requests/999",
     f"{P}/-/commit/12", f"{P}/-/wikis/none", "/-/snippets/999", f"/{FOREIGN['path']}"],
)  # fmt: skip
def test_an_address_that_shows_nothing_is_a_404_page(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 404
    assert "Page not found" in page.text


@pytest.mark.parametrize(
    "path",
    ["/dashboard", "/-/profile", "/-/tokens", "/-/todos", "/-/todos?state=done", "/-/snippets/new", "/-/projects/new",
     f"{P}/-/edit/main/README.md", f"{P}/-/branches/new", f"{P}/-/issues/new", f"{P}/-/issues/3/edit",
     f"{P}/-/merge_requests/new", f"{P}/-/settings", f"{P}/-/fork", f"{P}/-/releases/new", f"{P}/-/wikis/new"],
)  # fmt: skip
def test_a_page_for_members_asks_others_to_sign_in(visitor: Visitor, path: str) -> None:
    assert visitor.get(path).location.startswith("/sign-in?back=/")
    visitor.send("/sign-in", {"login": f"{USERNAME}@example.com", "password": PASSWORD})
    assert visitor.get(path).status == 200


def test_a_wrong_password_is_said_beside_the_field(visitor: Visitor) -> None:
    page = visitor.send("/sign-in", {"login": USERNAME, "password": "no"})
    assert page.status == 422
    assert re.search(r'<span class="error" id="e-password">Invalid login or password', page.text)


def test_the_sites_own_addresses_do_not_hide_those_of_the_arena(visitor: Visitor) -> None:
    assert visitor.get("/static/code.css").status == 200
    assert visitor.get(f"/__state/project?path={RUN['path']}").json["name"] == RUN["name"]


def test_a_branch_has_its_own_files_and_those_it_did_not_change(visitor: Visitor) -> None:
    branch = one("select branch from files where project = ? and branch <> 'main'", RUN["id"])
    for path, same in (("config/settings.yml", False), ("LICENSE", True)):
        main, other = (visitor.get(f"{P}/-/raw/{name}/{path}").text for name in ("main", branch))
        assert (main == other) is same


@pytest.mark.parametrize(
    ("found", "path", "status"),
    [(REPORTED, "/-/settings", 403), (DEVELOPED, "/-/settings", 403), (RUN, "/-/settings", 200),
     (REPORTED, "/-/edit/main/LICENSE", 403), (DEVELOPED, "/-/edit/main/LICENSE", 200), (REPORTED, "/-/issues/new", 200),
     (REPORTED, "/-/merge_requests/new", 403)],
)  # fmt: skip
def test_what_a_member_may_do_depends_on_the_role(maya: Visitor, found: Row, path: str, status: int) -> None:
    assert maya.get(f"/{found['path']}{path}").status == status


def test_an_archived_project_takes_nothing_new(maya: Visitor) -> None:
    path = one("select path from projects where archived = 1 and visibility = 'public'")
    page = maya.send(f"/{path}/-/issues/new", {"title": "x"})
    assert page.status == 403
    assert "read-only" in page.text


def test_an_issue_is_written_planned_discussed_and_closed(maya: Visitor) -> None:
    label = one("select id from labels where project = ?", RUN["id"])
    assert "Title can&#39;t be blank" in maya.send(f"{P}/-/issues/new", {"title": " "}).text
    assert "Due date must be a day" in maya.send(f"{P}/-/issues/new", {"title": "A", "due": "soon"}).text
    maya.send(
        f"{P}/-/issues/new",
        {"title": "A", "body": "B", "assignee": "1", "label": str(label), "due": "2026-07-01"},
    )
    (issue,) = maya.get(f"/__state/issues?path={RUN['path']}&new=1").json
    assert (issue["title"], issue["assignee"], issue["due"], len(issue["labels"])) == (
        "A",
        USERNAME,
        "2026-07-01",
        1,
    )
    there = f"{P}/-/issues/{issue['iid']}"
    maya.send(f"{there}/plan", {"what": "assignee", "value": ""})
    maya.send(f"{there}/comment", {"body": "See #1 and @mayachen", "state": "1"})
    after = maya.get(f"/__state/issue?path={RUN['path']}&iid={issue['iid']}").json
    assert (after["state"], after["assignee"]) == ("closed", None)
    assert after["comments"] == [{"author": USERNAME, "body": "See #1 and @mayachen"}]
    assert f'<a href="{P}/-/issues/1">#1</a>' in maya.get(there).text


def test_a_merge_request_needs_an_approval_of_someone_else_and_no_conflicts(maya: Visitor) -> None:
    merge = rows(
        "select m.*, p.path from merges m join projects p on p.id = m.project join members r on r.project = p.id and r.user = 1"
        " where m.state = 'open' and m.draft = 0 and m.conflicts = 0 and m.author <> 1 and r.role >= 30 and p.archived = 0"
        " and m.id not in (select merge from approvals) order by m.id"
    )[0]
    there = f"/{merge['path']}/-/merge_requests/{merge['iid']}"
    assert "1 approval required" in maya.send(f"{there}/act", {"what": "merge"}).text
    maya.send(f"{there}/act", {"what": "approve"})
    maya.send(f"{there}/act", {"what": "merge", "remove": "1"})
    after = maya.get(f"/__state/merge?path={merge['path']}&iid={merge['iid']}").json
    assert (after["state"], after["merged_by"], after["approved"]) == ("merged", USERNAME, [USERNAME])
    assert merge["source"] not in maya.get(f"/__state/repository?path={merge['path']}").json["branches"]
    stuck = rows(
        "select m.iid, p.path from merges m join projects p on p.id = m.project where conflicts = 1 and visibility = 'public'"
    )[0]
    assert "merge conflicts" in maya.get(f"/{stuck['path']}/-/merge_requests/{stuck['iid']}/widget").text


def test_only_the_owner_deletes_a_project_and_only_with_its_path_typed(maya: Visitor) -> None:
    own = project_as(50, 50, "1")
    assert maya.send(f"{P}/-/settings", {"what": "delete", "confirm": RUN["path"]}).status == 403
    assert maya.send(f"/{own['path']}/-/settings", {"what": "delete", "confirm": "yes"}).status == 422
    assert (
        "was deleted"
        in maya.send(f"/{own['path']}/-/settings", {"what": "delete", "confirm": own["path"]}).text
    )
    assert maya.get(f"/{own['path']}").status == 404


def test_a_fork_has_the_files_and_a_new_project_a_readme(maya: Visitor) -> None:
    maya.send(f"{P}/-/fork", {"name": "Copy", "namespace": USERNAME, "slug": "copy", "visibility": "private"})
    assert maya.get(f"/{USERNAME}/copy/-/raw/main/LICENSE").text == maya.get(f"{P}/-/raw/main/LICENSE").text
    form = {"name": "Salt Marsh", "namespace": USERNAME, "visibility": "public", "readme": "1"}
    assert "Salt Marsh" in maya.send("/-/projects/new", form).text
    assert "already been taken" in maya.send("/-/projects/new", form).text
    assert "# Salt Marsh" in maya.get(f"/{USERNAME}/salt-marsh/-/raw/main/README.md").text


def test_a_token_is_shown_once(maya: Visitor) -> None:
    form = {"name": "ci", "expires": "2026-12-24", "scope": "api"}
    assert "must be in the future" in maya.send("/-/tokens", {**form, "expires": "2026-01-01"}).text
    assert "Your new token: <code>fdry-" in maya.send("/-/tokens", form).text
    assert "fdry-" not in maya.get("/-/tokens").text


def test_what_one_session_does_no_other_sees(server: FixtureServer, maya: Visitor) -> None:
    before = RUN["stars"]
    maya.send(f"{P}/-/star")
    assert maya.get(f"/__state/project?path={RUN['path']}").json["stars"] != before
    assert Visitor(server.port, "code").get(f"/__state/project?path={RUN['path']}").json["stars"] == before


def test_markup_of_users_stays_text_and_times_are_told_as_people_do() -> None:
    assert "<script>" not in markdown("<script>alert(1)</script> [x](javascript:alert)")
    assert "javascript:" not in re.findall(r'href="([^"]*)"', markdown("[x](javascript:alert)"))
    assert "<h2>" in markdown("# One")
    assert "@mayachen</a>" not in markdown("`@mayachen`")
    assert [ago(day) for day in ("2026-06-15", "2026-06-14 10:00", "2026-05-15", "2024-06-01")] == [
        "today", "1 day ago", "1 month ago", "2 years ago",
    ]  # fmt: skip


def test_every_template_of_a_page_is_used_by_a_page() -> None:
    sources = "".join(
        path.read_text("utf-8") for path in SITE.folder.rglob("*") if path.suffix in (".py", ".html")
    )
    for template in (SITE.folder / "templates").glob("*.html"):
        # the framework shows the one for failures
        assert f'"{template.name}"' in sources or template.name == "failure.html", template.name


def test_the_redesign_has_other_names_and_the_hostile_variant_plants_content() -> None:
    with FixtureServer(variant="redesign") as server:
        page = Visitor(server.port, "code").get(P).text
        for old in ("Issues", "Merge requests", "Star", "Search Foundry"):
            assert f">{old}<" not in page
            assert WORDING[old] in page
    with FixtureServer(variant="hostile") as server:
        pages = [Visitor(server.port, "code").get(path).text for path in (P, f"{P}/-/issues/1")]
        assert all(any(text[:30] in page for page in pages) for text in PLANTED.values())
