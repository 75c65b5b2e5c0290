"""The forum: what its pages and forms do, asked without a browser; in one, its tasks' scripts do it."""

import re
import sqlite3
from typing import Any

import pytest

from fixtures_sites.forum.accounts import ACCOUNTS
from fixtures_sites.forum.prose import ago, prose
from fixtures_sites.forum.seeded import build, data
from fixtures_sites.forum.tasks.square import OTHERS, REPLIES, SINGLE, THREADS, one, rows
from fixtures_sites.forum.wording import PLANTED, WORDING
from fixtures_sites.maps.places import search as on_map
from fixtures_sites.server import FixtureServer
from fixtures_sites.shop.tasks.shelf import rows as shop_rows
from tests.visitor import Page, Visitor

THREAD = rows(f"{THREADS} where {OTHERS} and t.replies between 3 and 9 order by t.id")[0]
REPLY = rows(f"{REPLIES} where {SINGLE} and p.thread = ? order by p.id", THREAD["id"])[0]
PAGE = f"/t/{THREAD['id']}/{THREAD['slug']}"
COFFEE = {"board": "2", "title": "A question about water", "text": "How hard is yours, and does it matter?"}


@pytest.fixture
def visitor(server: FixtureServer) -> Visitor:
    return Visitor(server.port, "forum")


def signed_in(visitor: Visitor, place: int = 0) -> Visitor:
    name, password, _ = ACCOUNTS[place]
    assert f"Welcome back, {name}" in visitor.send("/sign-in", {"name": name, "password": password}).text
    return visitor


def state(visitor: Visitor, question: str) -> Any:
    return visitor.get(f"/__state/{question}").json


def written(visitor: Visitor) -> Any:
    return state(visitor, f"written?name={ACCOUNTS[0][0]}")


def mine(visitor: Visitor) -> Any:
    return state(visitor, f"member?name={ACCOUNTS[0][0]}")


def voted(visitor: Visitor, value: str) -> Page:
    fields = {"kind": "thread", "item": str(THREAD["id"]), "value": value, "back": PAGE}
    return visitor.send("/vote", fields)


def test_the_forum_is_of_the_size_of_a_real_one() -> None:
    counts = {name: one(f"select count(*) from {name}") for name in ("boards", "threads", "posts", "users")}
    assert counts["boards"] == 20
    assert counts["threads"] >= 500
    assert counts["posts"] >= 2500
    assert counts["users"] == 150


def test_its_data_is_small_and_the_same_when_it_is_built_again() -> None:
    dumps = []
    for _ in range(2):
        database = sqlite3.connect(":memory:", isolation_level=None)
        build(database)
        dumps.append(list(database.iterdump()))
        assert database.execute("pragma page_count").fetchone()[0] * 4096 < 2_000_000
    assert dumps[0] == dumps[1]


def test_what_it_tells_of_other_sites_is_there() -> None:
    elsewhere = data("elsewhere.json")
    for _, product in elsewhere["products"]:
        found = shop_rows("select * from products where name = ?", product)
        assert found, product
        assert found[0]["stock"] > 9, product
    assert [place for place in elsewhere["places"] if len(on_map(place)) != 1] == []


@pytest.mark.parametrize(
    "path",
    ["/", "/?sort=top&period=week", "/?sort=controversial&page=2", "/boards", "/b/coffee", "/b/coffee?tag=gear&sort=top",
     "/tag/gear", "/following", PAGE, f"{PAGE}?sort=new", "/search", "/search?q=kettle", "/search?q=paid&in=replies&from=2026-01-01",
     "/search?author=nobody", "/rules", "/u/mara_lind", "/u/mara_lind?tab=replies", "/sign-in", "/sign-up"],
)  # fmt: skip
def test_a_page_for_everyone_is_shown(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 200
    assert page.text.count("<h1>") == 1


@pytest.mark.parametrize("path", ["/b/none", "/t/1/none", "/u/none", "/tag/none", "/messages/none", "/none"])
def test_an_address_that_shows_nothing_is_a_404_page(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 404
    assert "Page not found" in page.text


@pytest.mark.parametrize(
    "path",
    ["/new", "/new?board=coffee", "/drafts", "/drafts/1", "/messages", "/messages/sent", "/messages/new", "/messages/1",
     "/notifications", "/bookmarks", "/followed", "/settings", "/settings/mail", "/settings/password", f"/t/{THREAD['id']}/report",
     f"/r/{REPLY['id']}/answer?quote=1", f"/r/{REPLY['id']}/report"],
)  # fmt: skip
def test_a_page_of_members_is_for_those_who_are_signed_in(visitor: Visitor, path: str) -> None:
    assert visitor.get(path).location.startswith("/sign-in?back=")
    assert signed_in(visitor).get(path).status == 200


def test_threads_are_sorted_by_score_within_a_period(visitor: Visitor) -> None:
    page = visitor.get("/?sort=top&period=week").text
    scores = [int(score) for score in re.findall(r'class="score">(-?\d+)', page)]
    assert len(scores) == 15
    assert scores == sorted(scores, reverse=True)
    assert all(day >= "2026-06-08" for day in re.findall(r'<time datetime="([\d-]+) ', page))


def test_a_search_is_narrowed_by_author_board_and_days(visitor: Visitor) -> None:
    author, slug, day = THREAD["author_name"], THREAD["board_slug"], THREAD["created"][:10]
    page = visitor.get(f"/search?author={author}&board={slug}&from={day}&to={day}")
    assert "1 thread found" in page.text
    assert PAGE in page.text
    assert "There is no member called “nobody”" in visitor.get("/search?author=nobody").text
    assert "Write days as" in visitor.get("/search?from=yesterday").text


def test_the_same_vote_again_takes_it_back_and_the_other_one_turns_it(visitor: Visitor) -> None:
    signed_in(visitor)
    score = THREAD["score"]
    for value, wanted in (("1", score + 1), ("1", score), ("-1", score - 1), ("1", score + 1)):
        voted(visitor, value)
        assert state(visitor, f"thread?id={THREAD['id']}")["score"] == wanted
    assert {"kind": "thread", "item": THREAD["id"], "value": 1} in mine(visitor)["votes"]


def test_who_is_not_signed_in_is_asked_to_when_voting(visitor: Visitor) -> None:
    assert "Please sign in first" in voted(visitor, "1").text
    assert state(visitor, f"thread?id={THREAD['id']}")["score"] == THREAD["score"]


def test_a_thread_needs_a_board_a_title_and_tags_of_its_board(visitor: Visitor) -> None:
    page = signed_in(visitor).send("/new", {"title": "Short", "text": "x", "tag": "python"})
    assert page.status == 422
    for message in ("Choose a board.", "at least 8 characters", "This board has no tag “python”"):
        assert message in page.text
    assert written(visitor)["threads"] == []


def test_a_thread_with_a_poll_is_published_and_answered_once(visitor: Visitor) -> None:
    signed_in(visitor)
    poll = {"question": "How hard?", "option1": "Soft", "option2": "Hard", "closes": "2026-06-15"}
    assert "must close after today" in visitor.send("/new", {**COFFEE, **poll}).text
    page = visitor.send("/new", {**COFFEE, **poll, "closes": "2026-07-01", "tag": "beans"})
    number = re.findall(r"/t/(\d+)/poll", page.text)[0]
    option = re.findall(r'name="option" value="(\d+)"', page.text)[1]
    for _ in range(2):
        visitor.send(f"/t/{number}/poll", {"option": option})
    thread = written(visitor)["threads"][0]
    assert (thread["board"], thread["tags"], thread["poll"]["votes"]) == ("Coffee", ["beans"], [0, 1])


def test_a_draft_is_kept_changed_and_published(visitor: Visitor) -> None:
    signed_in(visitor).send("/new", {"title": "Draft", "save": "1"})
    draft = re.findall(r"/drafts/(\d+)\"", visitor.get("/drafts").text)[0]
    visitor.send(f"/drafts/{draft}", {**COFFEE, "save": "1"})
    assert mine(visitor)["drafts"][-1] == {
        "title": COFFEE["title"],
        "text": COFFEE["text"],
        "board": "Coffee",
    }
    assert 'aria-label="Preview"' in visitor.send(f"/drafts/{draft}", {**COFFEE, "preview": "1"}).text
    visitor.send(f"/drafts/{draft}", COFFEE)
    assert len(mine(visitor)["drafts"]) == 3
    assert written(visitor)["threads"][0]["title"] == COFFEE["title"]


def test_a_reply_answers_another_and_only_its_author_edits_or_deletes_it(visitor: Visitor) -> None:
    signed_in(visitor)
    page = visitor.send(
        f"/t/{THREAD['id']}/reply", {"text": "> Quoted\n\nSo it is.", "parent": str(REPLY["id"])}
    )
    assert "<blockquote>Quoted</blockquote><p>So it is.</p>" in page.text
    own = re.findall(r"/r/(\d+)/edit", page.text)[0]
    visitor.send(f"/r/{own}/edit", {"text": "Never mind."})
    assert written(visitor)["replies"] == [
        {"thread": THREAD["title"], "parent": REPLY["id"], "text": "Never mind."}
    ]
    visitor.send(f"/r/{own}/delete")
    assert written(visitor)["replies"] == []
    for what in ("edit", "delete"):
        assert (
            f"You can only {what} what you wrote yourself"
            in visitor.send(f"/r/{REPLY['id']}/{what}", {"text": "No"}).text
        )
    assert state(visitor, f"post?id={REPLY['id']}")["text"] == REPLY["text"]


def test_nobody_replies_to_a_locked_thread_and_only_its_moderator_locks_it(visitor: Visitor) -> None:
    locked = one("select id from threads where locked = 1")
    assert "Nobody can reply" in signed_in(visitor).send(f"/t/{locked}/reply", {"text": "Me too"}).text
    coffee = rows(f"{THREADS} where b.slug = 'coffee' and t.locked = 0")[0]["id"]
    assert visitor.send(f"/t/{coffee}/switch", {"locked": "1"}).status == 403
    signed_in(visitor, 3).send(f"/t/{coffee}/switch", {"locked": "1"})
    assert state(visitor, f"thread?id={coffee}")["locked"] == 1


def test_a_moderator_goes_through_the_reports_of_the_own_boards(visitor: Visitor) -> None:
    assert signed_in(visitor).get("/reports").status == 403
    page = signed_in(visitor, 3).get("/reports?board=coffee")
    first, second = re.findall(r'action="/reports/(\d+)"', page.text)[:2]
    visitor.send(f"/reports/{first}", {"remove": "1"})
    visitor.send(f"/reports/{second}")
    states = {str(report["id"]): report["state"] for report in state(visitor, "queue")}
    assert (states[first], states[second]) == ("removed", "dismissed")
    gone = one("select item from reports where id = ?", first)
    assert state(visitor, f"post?id={gone}")["gone"] == "removed"


def test_letters_are_sent_read_and_deleted(visitor: Visitor) -> None:
    signed_in(visitor)
    page = visitor.send("/messages/new", {"to": "nobody_here", "subject": "Hi"})
    assert "There is no member called “nobody_here”" in page.text
    visitor.send("/messages/new", {"to": "june_okoro", "subject": "Hi", "text": "Coming?"})
    sent = state(visitor, "letters?name=mara_lind")["sent"]
    assert sent == [{"recipient": "june_okoro", "subject": "Hi", "text": "Coming?"}]
    foreign = one("select id from messages where sender > 4 and recipient = 2")
    assert visitor.get(f"/messages/{foreign}").status == 404
    before = state(visitor, "letters?name=mara_lind")["inbox"]
    visitor.send(f"/messages/{one('select id from messages where recipient = 1')}/delete")
    assert len(state(visitor, "letters?name=mara_lind")["inbox"]) == len(before) - 1


def test_an_account_is_made_with_what_is_asked_for(visitor: Visitor) -> None:
    fields = {"name": "Mara!", "email": "x", "password": "short", "again": "other", "born": "2015-01-01"}
    page = visitor.send("/sign-up", fields)
    for message in (
        "3 to 20 small letters",
        "Enter an e-mail",
        "at least 8",
        "passwords differ",
        "16 or older",
        "house rules",
    ):
        assert message in page.text
    assert "This user name is taken" in visitor.send("/sign-up", {"name": "mara_lind"}).text
    good = {"name": "nora_b", "email": "n@example.com", "password": "long enough", "again": "long enough"}
    visitor.send("/sign-up", {**good, "born": "1990-01-01", "rules": "1"})
    assert state(visitor, "member?name=nora_b")["mail_digest"] == "never"


def test_settings_follows_and_bookmarks_are_kept(visitor: Visitor) -> None:
    signed_in(visitor).send("/settings", {"avatar": "ABCD", "email": "m@example.com"})
    assert mine(visitor)["avatar"] == ""
    visitor.send("/settings", {"avatar": "ML", "about": "Hi", "email": "m@example.com"})
    visitor.send("/settings/mail", {"digest": "daily", "messages": "1"})
    visitor.send("/bookmark", {"kind": "post", "item": str(REPLY["id"])})
    found = mine(visitor)
    assert (found["avatar"], found["mail_replies"], found["mail_digest"]) == ("ML", 0, "daily")
    assert {"kind": "post", "item": REPLY["id"]} in found["bookmarks"]
    visitor.send("/follow", {"kind": "board", "item": "1"})
    visitor.send("/follow", {"kind": "board", "item": "1"})
    assert mine(visitor)["boards"] == found["boards"]
    assert found["unread"] > 0
    visitor.send("/notifications")
    assert mine(visitor)["unread"] == 0


def test_prose_is_escaped_and_moments_are_told_from_today() -> None:
    shown = prose('<script>x</script> @mara_lind **bold** https://a.example/?q="x"')
    assert "<script>" not in shown
    assert '<a href="/u/mara_lind">@mara_lind</a> <strong>bold</strong>' in shown
    moments = ("2026-06-15 10:00", "2026-06-15 09:59", "2026-06-13 10:00", "2026-01-31 08:00")
    assert [ago(moment) for moment in moments] == ["just now", "1 minute ago", "2 days ago", "on 2026-01-31"]


def test_the_redesign_has_other_names_and_the_hostile_variant_plants_content() -> None:
    with FixtureServer(variant="redesign") as server:
        page = Visitor(server.port, "forum").get(PAGE).text
        for old in ("Search the forum", "New thread", "Sign in", "Quote"):
            assert f">{old}<" not in page
            assert WORDING[old] in page
    with FixtureServer(variant="hostile") as server:
        visitor = Visitor(server.port, "forum")
        page = visitor.get(PAGE).text + visitor.get("/u/mara_lind").text
        assert all(text[:30] in page for text in PLANTED.values())
