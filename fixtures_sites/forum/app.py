"""The forum as a web application: which address is answered by which page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route

from fixtures_sites.forum import account, browsing, moderating, people, taking_part, writing
from fixtures_sites.forum.accounts import user_of
from fixtures_sites.forum.prose import ago, prose
from fixtures_sites.forum.questions import QUESTIONS
from fixtures_sites.forum.seeded import build
from fixtures_sites.forum.wording import PLANTED, WORDING
from fixtures_sites.site import Site
from fixtures_sites.visit import visit_of

POST = ["POST"]
BOTH = ["GET", "POST"]


def shared(request: Request) -> Mapping[str, Any]:
    """What the header and the side of every page show."""
    data, user = visit_of(request).data, user_of(request)
    number = user["id"] if user else 0
    return {
        "user": user,
        "unread": data.value("select count(*) from notifications where user = ? and read = 0", number),
        "letters_unread": data.value(
            "select count(*) from messages where recipient = ? and read = 0 and hidden = 0", number
        ),
        "moderates": bool(data.value("select 1 from moderators where user = ?", number)),
        "board_names": data.rows("select id, slug, name from boards order by name"),
        "announced": not visit_of(request).remembered("spring"),
        "query": request.query_params.get("q", ""),
    }


SITE = Site(
    name="forum",
    folder=Path(__file__).parent,
    build=build,
    routes=[
        Route("/", browsing.home),
        Route("/boards", browsing.boards),
        Route("/b/{slug}", browsing.board),
        Route("/tag/{tag}", browsing.tag_page),
        Route("/following", browsing.following),
        Route("/search", browsing.search),
        Route("/suggest", browsing.suggest),
        Route("/mention", browsing.mention),
        Route("/rules", browsing.rules),
        Route("/new", writing.new_thread, methods=BOTH),
        Route("/drafts", writing.drafts),
        Route("/drafts/{draft:int}", writing.new_thread, methods=BOTH),
        Route("/drafts/{draft:int}/delete", writing.drop_draft, methods=POST),
        Route("/t/{id:int}/reply", writing.reply, methods=POST),
        Route("/t/{id:int}/poll", taking_part.answer_poll, methods=POST),
        Route("/t/{id:int}/switch", moderating.switch, methods=POST),
        Route("/t/{id:int}/similar", browsing.similar),
        Route("/r/{id:int}/answer", writing.answer),
        Route("/t/{id:int}/edit", writing.edit, methods=BOTH),
        Route("/r/{id:int}/edit", writing.edit, methods=BOTH),
        Route("/t/{id:int}/delete", writing.delete, methods=BOTH),
        Route("/r/{id:int}/delete", writing.delete, methods=BOTH),
        Route("/t/{id:int}/report", taking_part.report, methods=BOTH),
        Route("/r/{id:int}/report", taking_part.report, methods=BOTH),
        Route("/t/{id:int}/{slug}", browsing.thread),
        Route("/vote", taking_part.vote, methods=POST),
        Route("/bookmark", taking_part.bookmark, methods=POST),
        Route("/follow", taking_part.follow, methods=POST),
        Route("/u/{name}", people.profile),
        Route("/messages", people.messages),
        Route("/messages/sent", people.messages),
        Route("/messages/new", people.write_message, methods=BOTH),
        Route("/messages/{id:int}", people.message),
        Route("/messages/{id:int}/delete", people.drop_message, methods=POST),
        Route("/notifications", account.notifications, methods=BOTH),
        Route("/bookmarks", account.bookmarks),
        Route("/followed", account.followed),
        Route("/settings", account.settings, methods=BOTH),
        Route("/settings/mail", account.mail, methods=BOTH),
        Route("/settings/password", account.password, methods=BOTH),
        Route("/sign-in", account.sign_in, methods=BOTH),
        Route("/sign-out", account.sign_out, methods=POST),
        Route("/sign-up", account.sign_up, methods=BOTH),
        Route("/reports", moderating.queue),
        Route("/reports/{id:int}", moderating.decide, methods=POST),
    ],
    questions=QUESTIONS,
    wording=WORDING,
    planted=PLANTED,
    shared=shared,
    filters={"prose": prose, "ago": ago},
)


def create_app(variant: str = "") -> Starlette:
    """The forum, or a variant of it."""
    return SITE.create(variant)
