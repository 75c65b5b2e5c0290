"""The host of repositories as a web application: which address is answered by which page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from fixtures_sites.code import accounts, exploring, issues, managing, merges, publishing, repository
from fixtures_sites.code.access import user_of
from fixtures_sites.code.questions import QUESTIONS
from fixtures_sites.code.seeded import build
from fixtures_sites.code.text import ago, markdown
from fixtures_sites.code.wording import PLANTED, WORDING
from fixtures_sites.site import Site
from fixtures_sites.visit import visit_of

POST = ["POST"]
BOTH = ["GET", "POST"]
P = "/{namespace}/{slug}"
"""Where a project is; what is in it follows after "/-/"."""


def shared(request: Request) -> Mapping[str, Any]:
    """What the header of every page shows."""
    data, user = visit_of(request).data, user_of(request)
    waiting = user and data.value("select count(*) from todos where user = ? and done = 0", user["id"])
    return {
        "user": user,
        "waiting": waiting,
        "query": request.query_params.get("q", "") if request.url.path == "/search" else "",
        "news": False,
    }


SITE = Site(
    name="code",
    folder=Path(__file__).parent,
    build=build,
    routes=[
        Route("/", exploring.home),
        Route("/dashboard", exploring.dashboard),
        Route("/search", exploring.search),
        Route("/suggest", exploring.suggest),
        Route("/groups", exploring.groups),
        Route("/sign-in", accounts.sign_in, methods=BOTH),
        Route("/sign-out", accounts.sign_out, methods=POST),
        Route("/-/profile", accounts.profile, methods=BOTH),
        Route("/-/status", accounts.status, methods=POST),
        Route("/-/tokens", accounts.tokens, methods=BOTH),
        Route("/-/tokens/{id:int}/revoke", accounts.revoke, methods=POST),
        Route("/-/todos", accounts.todos),
        Route("/-/todos/change", accounts.change_todo, methods=POST),
        Route("/-/snippets", publishing.snippets),
        Route("/-/snippets/new", publishing.new_snippet, methods=BOTH),
        Route("/-/snippets/{id:int}", publishing.snippet),
        Route("/-/snippets/{id:int}/delete", publishing.delete_snippet, methods=POST),
        Route("/-/projects/new", publishing.new_project, methods=BOTH),
        Route("/{namespace}", exploring.namespace),
        Route("/{namespace}/-/contributions", exploring.contributions),
        Route(P, repository.overview),
        Route(f"{P}/-/tree/{{rest:path}}", repository.tree),
        Route(f"{P}/-/blob/{{rest:path}}", repository.blob),
        Route(f"{P}/-/raw/{{rest:path}}", repository.raw),
        Route(f"{P}/-/edit/{{rest:path}}", repository.edit, methods=BOTH),
        Route(f"{P}/-/find_file/{{rest:path}}", repository.find_file),
        Route(f"{P}/-/commits/{{rest:path}}", repository.commits),
        Route(f"{P}/-/commit/{{sha}}", repository.commit),
        Route(f"{P}/-/branches", repository.branches),
        Route(f"{P}/-/branches/new", repository.new_branch, methods=BOTH),
        Route(f"{P}/-/branches/delete", repository.delete_branch, methods=POST),
        Route(f"{P}/-/tags", repository.tags, methods=BOTH),
        Route(f"{P}/-/issues", issues.listing),
        Route(f"{P}/-/issues/new", issues.new, methods=BOTH),
        Route(f"{P}/-/issues/bulk", issues.bulk, methods=POST),
        Route(f"{P}/-/issues/{{iid:int}}", issues.show),
        Route(f"{P}/-/issues/{{iid:int}}/edit", issues.edit, methods=BOTH),
        Route(f"{P}/-/issues/{{iid:int}}/comment", issues.comment, methods=POST),
        Route(f"{P}/-/issues/{{iid:int}}/plan", issues.plan, methods=POST),
        Route(f"{P}/-/issues/{{iid:int}}/todo", issues.remember, methods=POST),
        Route(f"{P}/-/merge_requests", merges.listing),
        Route(f"{P}/-/merge_requests/new", merges.new, methods=BOTH),
        Route(f"{P}/-/merge_requests/{{iid:int}}", merges.show),
        Route(f"{P}/-/merge_requests/{{iid:int}}/widget", merges.widget),
        Route(f"{P}/-/merge_requests/{{iid:int}}/act", merges.act, methods=POST),
        Route(f"{P}/-/project_members", managing.members),
        Route(f"{P}/-/project_members/invite", managing.invite, methods=POST),
        Route(f"{P}/-/project_members/change", managing.change_member, methods=POST),
        Route(f"{P}/-/labels", managing.labels, methods=BOTH),
        Route(f"{P}/-/milestones", managing.milestones, methods=BOTH),
        Route(f"{P}/-/settings", managing.settings, methods=BOTH),
        Route(f"{P}/-/star", publishing.star, methods=POST),
        Route(f"{P}/-/notify", publishing.notify, methods=POST),
        Route(f"{P}/-/fork", publishing.fork, methods=BOTH),
        Route(f"{P}/-/releases", publishing.releases),
        Route(f"{P}/-/releases/new", publishing.new_release, methods=BOTH),
        Route(f"{P}/-/wikis", publishing.wiki),
        Route(f"{P}/-/wikis/new", publishing.edit_wiki, methods=BOTH),
        Route(f"{P}/-/wikis/{{page}}", publishing.wiki),
        Route(f"{P}/-/wikis/{{page}}/edit", publishing.edit_wiki, methods=BOTH),
    ],
    questions=QUESTIONS,
    wording=WORDING,
    planted=PLANTED,
    shared=shared,
    filters={"markdown": markdown, "ago": ago},
)


def create_app(variant: str = "") -> Starlette:
    """The site in a variant."""
    return SITE.create(variant)
