"""The maps site: its data, its pages, its tasks, and what a browser's snapshot shows of it."""

import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from http.client import HTTPConnection
from importlib.resources import files
from urllib.parse import quote_plus, urlencode

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from fixtures_sites.maps.distance import distance_text, time_text
from fixtures_sites.maps.places import (
    CATEGORIES,
    MODES,
    Place,
    candidates,
    nearby,
    place,
    places,
    route,
    search,
)
from fixtures_sites.server import FixtureServer
from tests.visitor import Visitor

CMU = "carnegie-mellon-university"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-background-networking"]
        )
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, server: FixtureServer) -> Iterator[Page]:
    """A page of a new browser context whose script errors fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, base_url=server.url("maps"))
    context.set_default_timeout(5000)
    shown = context.new_page()
    errors: list[str] = []
    shown.on("pageerror", lambda error: errors.append(str(error)))
    yield shown
    context.close()
    assert errors == []


def ask(
    server: FixtureServer, path: str, body: str | None = None, cookie: str = ""
) -> tuple[int, str, dict[str, str]]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=5)
    headers = {"Host": f"maps.localhost:{server.port}", "Cookie": cookie}
    if body is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    connection.request("POST" if body is not None else "GET", path, body=body, headers=headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text, dict(response.getheaders())


def html(server: FixtureServer, path: str) -> str:
    status, text, _ = ask(server, path)
    assert status == 200, (path, status)
    return text


def visible(text: str) -> str:
    """The text of a page as a person reads it."""
    text = re.sub(r"(?s)<script.*?</script>", " ", text)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def facts(text: str) -> dict[str, str]:
    return {term: visible(value) for term, value in re.findall(r"(?s)<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", text)}


def result_slugs(text: str) -> list[str]:
    return re.findall(r'<h2><a href="/place/([^"]+)">', text)


def directions(start: str, end: str, mode: str) -> str:
    return "/directions?" + urlencode({"from": start, "to": end, "mode": mode})


# --- data


def test_there_are_enough_places_and_enough_true_ones() -> None:
    assert len(places()) >= 600
    assert sum(not known.website.split("/")[2].endswith(".example") for known in places()) >= 100


@pytest.mark.parametrize("attribute", ["slug", "phone", "label"])
def test_no_two_places_share(attribute: str) -> None:
    counted = Counter(getattr(known, attribute) for known in places())
    assert [value for value, times in counted.items() if times > 1] == []


def test_zip_codes_belong_to_their_cities() -> None:
    beginnings = {
        ("Pittsburgh", "PA"): {"152"}, ("Boston", "MA"): {"021", "022"}, ("Cambridge", "MA"): {"021"},
        ("New York", "NY"): {"100", "101"}, ("Bronx", "NY"): {"104"}, ("Brooklyn", "NY"): {"112"},
        ("Philadelphia", "PA"): {"191"}, ("Washington", "DC"): {"200", "202", "204", "205"},
        ("Chicago", "IL"): {"606"}, ("Evanston", "IL"): {"602"}, ("Los Angeles", "CA"): {"900"},
        ("Pasadena", "CA"): {"911"}, ("San Francisco", "CA"): {"941"}, ("Stanford", "CA"): {"943"},
        ("Berkeley", "CA"): {"947"}, ("Moffett Field", "CA"): {"940"}, ("Seattle", "WA"): {"981"},
        ("Springfield", "IL"): {"627"}, ("Springfield", "MA"): {"011"}, ("Springfield", "MO"): {"658"},
        ("Chestnut Hill", "MA"): {"024"},
    }  # fmt: skip
    wrong = [
        known.label for known in places() if known.zip_code[:3] not in beginnings[known.city, known.state]
    ]
    assert wrong == []
    assert all(re.fullmatch(r"\d{5}", known.zip_code) for known in places())


def test_places_of_a_city_lie_together() -> None:
    by_city: dict[tuple[str, str], list[Place]] = {}
    for known in places():
        by_city.setdefault((known.city, known.state), []).append(known)
    for group in by_city.values():
        lat = statistics.median(known.lat for known in group)
        lon = statistics.median(known.lon for known in group)
        assert all(abs(known.lat - lat) < 0.25 and abs(known.lon - lon) < 0.3 for known in group)


def test_made_up_places_have_fictional_numbers_and_every_category_is_known() -> None:
    for known in places():
        assert known.category in CATEGORIES
        assert re.fullmatch(r"\+1 \d{3}-\d{3}-\d{4}", known.phone)
        if ".example/" in known.website:
            assert re.search(r"-555-01\d\d$", known.phone)


def test_opening_hours_have_known_forms() -> None:
    days = r"(?:Daily|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:-(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun))?)"
    span = r"\d{1,2}:\d\d [AP]M-\d{1,2}:\d\d [AP]M"
    form = rf"Open 24 hours|Event days only|{days} (?:{span}|closed)(?:; {days} (?:{span}|closed))*"
    assert [known.hours for known in places() if not re.fullmatch(form, known.hours)] == []


def test_the_made_up_places_are_the_same_on_every_machine() -> None:
    shown = [
        known.label for known in places() if known.name == "Bluebird Coffee" and known.city == "Pittsburgh"
    ]
    assert shown == [
        "Bluebird Coffee, 530 East Ohio Street, Pittsburgh, PA 15212",
        "Bluebird Coffee, 1872 Atwood Street, Pittsburgh, PA 15213",
    ]


def test_true_addresses_of_well_known_places() -> None:
    assert place(CMU).address == "5000 Forbes Avenue, Pittsburgh, PA 15213"
    assert (
        place("massachusetts-institute-of-technology").address
        == "77 Massachusetts Avenue, Cambridge, MA 02139"
    )
    assert place("university-of-pittsburgh").address == "4200 Fifth Avenue, Pittsburgh, PA 15260"
    assert place("the-white-house").address == "1600 Pennsylvania Avenue NW, Washington, DC 20500"


# --- search


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("CMU", CMU),
        ("  cmu ", CMU),
        ("carnegie mellon university", CMU),
        ("CMU, Pittsburgh, PA", CMU),
        ("white house", "the-white-house"),
        ("the met", "metropolitan-museum-of-art"),
        ("MoMA", "museum-of-modern-art"),
        ("childrens hospital of pittsburgh", "upmc-childrens-hospital-of-pittsburgh"),
        ("Springfield Public Library, Springfield, MO", "springfield-public-library-springfield-mo"),
        ("springfield public library missouri", "springfield-public-library-springfield-mo"),
    ],
)
def test_the_place_that_is_meant_comes_first(query: str, first: str) -> None:
    assert search(query)[0].slug == first


def test_places_of_that_name_or_alias_come_before_all_others() -> None:
    named: dict[str, list[Place]] = {}
    for known in places():
        for name in (known.name, *known.aliases):
            named.setdefault(name, []).append(known)
    for name, wanted in named.items():
        same = candidates(name)
        assert [known for known in wanted if known not in same] == []
        assert search(name)[: len(same)] == same


@pytest.mark.parametrize("query", ["", "   ", "!!!", "zip code of CMU", "qwertyuiop", "“”", "\x00"])
def test_a_query_that_names_no_place_finds_none(query: str) -> None:
    assert search(query) == []


def test_a_category_and_a_city_find_such_places_only() -> None:
    found = search("restaurants in Boston")
    assert len(found) > 10
    assert {(known.category, known.city) for known in found} == {("restaurant", "Boston")}


# --- distances


def test_the_way_back_is_as_long() -> None:
    for start, end in zip(places()[::7], places()[3::7], strict=False):
        for mode in MODES:
            there, back = route(start, end, mode), route(end, start, mode)
            assert (there.distance_km, there.minutes) == (back.distance_km, back.minutes)


def test_walking_is_shorter_but_slower_than_driving() -> None:
    start, end = place(CMU), place("pnc-park")
    car, bicycle, foot = (route(start, end, mode) for mode in ("car", "bicycle", "foot"))
    assert car.distance_km > bicycle.distance_km > foot.distance_km
    assert car.minutes < bicycle.minutes < foot.minutes


def test_the_turns_begin_at_the_start_and_end_at_the_goal() -> None:
    turns = route(place(CMU), place("pnc-park"), "car").turns
    assert turns[0].text == "Head west on Forbes Avenue"
    assert turns[-2].text.endswith("onto Federal Street")
    assert turns[-1].text == "Arrive at PNC Park"


def test_every_route_has_turns_of_positive_length() -> None:
    for start, end in zip(places()[::11], places()[5::11], strict=False):
        for mode in MODES:
            turns = route(start, end, mode).turns
            assert len(turns) >= 2
            assert all(
                re.fullmatch(r"[1-9]\d*(\.\d)? k?m|0\.\d km", turn.distance_text) for turn in turns[:-1]
            )


@pytest.mark.parametrize(
    ("km", "text"),
    [(0, "10 m"), (0.85, "850 m"), (0.994, "990 m"), (0.996, "1.0 km"), (3.42, "3.4 km"), (487.4, "487 km")],
)
def test_distances_are_written_as_people_read_them(km: float, text: str) -> None:
    assert distance_text(km) == text


@pytest.mark.parametrize(("minutes", "text"), [(1, "1 min"), (65, "1 h 5 min"), (120, "2 h")])
def test_times_are_written_as_people_read_them(minutes: int, text: str) -> None:
    assert time_text(minutes) == text


def test_nearby_places_are_sorted_and_leave_out_the_place_itself() -> None:
    found = nearby(place("carnegie-museum-of-art"), "museum")
    distances = [km for _, km in found]
    assert distances == sorted(distances)
    assert "carnegie-museum-of-art" not in {known.slug for known, _ in found}
    assert {known.city for known, _ in found} == {"Pittsburgh"}


# --- pages


PAGES = [
    "/",
    "/search?q=city+hall",
    f"/place/{CMU}",
    f"/nearby?place={CMU}&category=restaurant",
    "/directions",
    "/directions?from=CMU&to=PNC+Park&mode=foot",
    "/about",
    "/suggest?q=carn",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_answers_quickly(server: FixtureServer, path: str) -> None:
    seconds = []
    for _ in range(9):
        started = time.perf_counter()
        html(server, path)
        seconds.append(time.perf_counter() - started)
    assert statistics.median(seconds) < 0.03


@pytest.mark.parametrize("path", [path for path in PAGES if "suggest" not in path])
def test_a_page_has_one_heading_landmarks_and_one_search_box(server: FixtureServer, path: str) -> None:
    text = html(server, path)
    assert text.count("<h1>") == 1
    assert text.count("<main") == 1
    assert text.count('role="search"') == 1
    assert '<html lang="en">' in text


def test_every_place_has_a_page_with_its_facts(server: FixtureServer) -> None:
    for known in (*places()[:140:5], *places()[140::29]):
        shown = facts(html(server, f"/place/{known.slug}"))
        assert shown["Address"] == known.address
        assert shown["ZIP code"] == known.zip_code
        assert shown["Phone"] == known.phone
        assert shown["Opening hours"] == known.hours
        assert shown["Coordinates"] == f"{known.lat:.4f}, {known.lon:.4f}"
        assert shown["Category"].lower() == known.category


def test_a_list_of_results_tells_same_named_places_apart_but_keeps_the_zip_code_for_the_place(
    server: FixtureServer,
) -> None:
    text = html(server, "/search?q=Springfield+Public+Library")
    assert len(result_slugs(text)) == 3
    shown = visible(text)
    for known in search("Springfield Public Library"):
        assert f"Library · {known.locality}" in shown
        assert known.zip_code not in text


def test_paging_shows_every_result_once(server: FixtureServer) -> None:
    wanted = [known.slug for known in search("bluebird coffee")]
    assert len(wanted) > 20
    path: str | None = "/search?q=bluebird+coffee"
    seen: list[str] = []
    while path:
        text = html(server, path)
        seen += result_slugs(text)
        following = re.search(r'<a href="([^"]+)" rel="next">Next page</a>', text)
        path = unescape(following[1]) if following else None
    assert seen == wanted
    assert "Previous page" in text
    assert f"{len(wanted)} results" in text


@pytest.mark.parametrize(
    ("number", "shown"),
    [("0", 1), ("-3", 1), ("x", 1), ("", 1), ("²", 1), ("999", 3), ("9" * 5000, 1)],
)
def test_a_page_number_out_of_range_shows_the_nearest_page(
    server: FixtureServer, number: str, shown: int
) -> None:
    assert f"Page {shown} of 3" in html(server, f"/search?q=bluebird+coffee&page={quote_plus(number)}")


def test_no_results_says_what_to_try(server: FixtureServer) -> None:
    shown = visible(html(server, "/search?q=zip+code+of+CMU"))
    assert "No results for “zip code of CMU”" in shown
    assert "Search for the place alone" in shown


def test_an_empty_search_asks_for_words(server: FixtureServer) -> None:
    assert "Type the name of a place" in visible(html(server, "/search?q="))


def test_what_is_typed_is_escaped(server: FixtureServer) -> None:
    attack = quote_plus('"><script>alert(1)</script>')
    for path in (f"/search?q={attack}", f"/directions?from={attack}&to={attack}", f"/place/{attack}"):
        assert "<script>alert" not in ask(server, path)[1]


def test_nearby_lists_distances_in_order_over_several_pages(server: FixtureServer) -> None:
    path = f"/nearby?place={CMU}&category=restaurant"
    wanted = nearby(place(CMU), "restaurant")
    assert len(wanted) > 10
    text = html(server, path)
    assert result_slugs(text) == [known.slug for known, _ in wanted[:10]]
    assert distance_text(wanted[0][1]) in visible(text)
    assert result_slugs(html(server, path + "&page=2")) == [known.slug for known, _ in wanted[10:20]]


@pytest.mark.parametrize(
    "path",
    [
        "/place/nowhere",
        "/nearby?place=nowhere",
        f"/nearby?place={CMU}&category=volcano",
        "/directions?mode=boat",
        "/x",
    ],
)
def test_an_address_of_nothing_is_a_404_page_with_a_search_box(server: FixtureServer, path: str) -> None:
    status, text, _ = ask(server, path)
    assert status == 404
    assert 'role="alert"' in text
    assert 'name="q"' in text


@pytest.mark.parametrize("mode", MODES)
def test_directions_show_distance_time_and_turns(server: FixtureServer, mode: str) -> None:
    text = html(server, directions("CMU", "PNC Park", mode))
    way = route(place(CMU), place("pnc-park"), mode)
    shown = facts(text)
    assert (shown["Travel by"], shown["Distance"], shown["Time"]) == (
        MODES[mode].name,
        way.distance_text,
        way.time_text,
    )
    assert text.count("<li>") >= len(way.turns)
    assert all(turn.text in text for turn in way.turns)


def test_an_unclear_place_is_a_choice_of_links_that_lead_to_the_route(server: FixtureServer) -> None:
    text = html(server, directions("Springfield Public Library", "Central Station", "bicycle"))
    assert "From: which “Springfield Public Library” do you mean?" in visible(text)
    assert "To: which “Central Station” do you mean?" in visible(text)
    link = next(href for href in re.findall(r'<a href="(/directions\?[^"]+)"', text) if "MO+65806" in href)
    text = html(server, unescape(link))
    assert "From: which" not in visible(text)
    last = next(href for href in re.findall(r'<a href="(/directions\?[^"]+)"', text) if "Seattle" in href)
    shown = facts(html(server, unescape(last)))
    start = place("springfield-public-library-springfield-mo")
    assert shown["Distance"] == route(start, place("central-station-seattle-wa"), "bicycle").distance_text


def test_an_unknown_place_is_an_alert(server: FixtureServer) -> None:
    text = html(server, directions("Atlantis", "CMU", "car"))
    assert 'role="alert"' in text
    assert "From: no place called “Atlantis” was found." in visible(text)


def test_the_same_place_twice_is_an_alert(server: FixtureServer) -> None:
    text = html(server, directions("CMU", "Carnegie Mellon University", "car"))
    assert "From and To are the same place." in visible(text)


def test_every_label_means_its_own_place() -> None:
    assert all(candidates(known.label) == [known] for known in places())


def test_suggestions_are_the_first_results(server: FixtureServer) -> None:
    found = json.loads(html(server, "/suggest?q=carn"))
    assert found[0] == {"name": place(CMU).name, "where": place(CMU).locality, "url": f"/place/{CMU}"}
    assert len(found) <= 6


# --- the cookie notice


@pytest.mark.parametrize("choice", ["all", "none"])
def test_the_notice_is_gone_once_answered(server: FixtureServer, choice: str) -> None:
    visitor = Visitor(server.port, "maps")
    assert "Cookie notice" in visitor.get("/about").text
    page = visitor.post("/cookies", {"choice": choice, "back": "/search?q=cmu"})
    assert "Results for “cmu”" in page.text
    assert "Cookie notice" not in page.text
    assert "Cookie notice" not in visitor.get("/about").text


@pytest.mark.parametrize(
    "back", ["//evil.example/", "https://evil.example/", "/\\evil.example", "", "javascript:x"]
)
def test_the_notice_never_leads_to_another_site(server: FixtureServer, back: str) -> None:
    _, _, headers = ask(server, "/cookies", urlencode({"choice": "all", "back": back}))
    assert headers["location"] == "/"


@pytest.mark.parametrize("body", ["", "choice=maybe", "\x00\x01", "choice=all" * 2000])
def test_another_answer_to_the_notice_is_refused(server: FixtureServer, body: str) -> None:
    assert ask(server, "/cookies", body)[0] == 400


# --- tasks


def bluebird_on_atwood_street() -> Place:
    return next(known for known in search("bluebird coffee pittsburgh") if "Atwood" in known.street)


def on_place(known: Place, attribute: str, term: str) -> tuple[str, str, str]:
    return getattr(known, attribute), f"/place/{known.slug}", term


def on_route(start: str, end: str, mode: str, attribute: str, term: str) -> tuple[str, str, str]:
    return getattr(route(place(start), place(end), mode), attribute), directions(
        place(start).label, place(end).label, mode
    ), term  # fmt: skip


def on_nearby(slug: str, category: str) -> tuple[str, str, str]:
    path = "/nearby?" + urlencode({"place": slug, "category": category})
    return nearby(place(slug), category)[0][0].name, path, ""


# the truth of each task, the page that shows it, and the fact's name there (none: the first of a list)
TRUTHS: dict[str, Callable[[], tuple[str, str, str]]] = {
    "maps-zip-cmu": lambda: on_place(place(CMU), "zip_code", "ZIP code"),
    "maps-zip-pitt": lambda: on_place(place("university-of-pittsburgh"), "zip_code", "ZIP code"),
    "maps-zip-empire-state": lambda: on_place(place("empire-state-building"), "zip_code", "ZIP code"),
    "maps-zip-stanford": lambda: on_place(place("stanford-university"), "zip_code", "ZIP code"),
    "maps-zip-library-springfield-mo": lambda: on_place(
        place("springfield-public-library-springfield-mo"), "zip_code", "ZIP code"
    ),
    "maps-phone-moma": lambda: on_place(place("museum-of-modern-art"), "phone", "Phone"),
    "maps-phone-carnegie-art": lambda: on_place(place("carnegie-museum-of-art"), "phone", "Phone"),
    "maps-phone-starlight-seattle": lambda: on_place(place("starlight-cinema-seattle-wa"), "phone", "Phone"),
    "maps-hours-amnh": lambda: on_place(
        place("american-museum-of-natural-history"), "hours", "Opening hours"
    ),
    "maps-hours-bluebird-atwood": lambda: on_place(bluebird_on_atwood_street(), "hours", "Opening hours"),
    "maps-hours-city-hall-seattle": lambda: on_place(place("city-hall-seattle-wa"), "hours", "Opening hours"),
    "maps-distance-cmu-pnc-foot": lambda: on_route(CMU, "pnc-park", "foot", "distance_text", "Distance"),
    "maps-distance-harvard-mit-bicycle": lambda: on_route(
        "harvard-university", "massachusetts-institute-of-technology", "bicycle", "distance_text", "Distance"
    ),
    "maps-time-white-house-supreme-court-car": lambda: on_route(
        "the-white-house", "supreme-court-of-the-united-states", "car", "time_text", "Time"
    ),
    "maps-time-fenway-science-foot": lambda: on_route(
        "fenway-park", "museum-of-science", "foot", "time_text", "Time"
    ),
    "maps-time-cmu-airport-car": lambda: on_route(
        CMU, "pittsburgh-international-airport", "car", "time_text", "Time"
    ),
    "maps-nearest-cafe-cmu": lambda: on_nearby(CMU, "cafe"),
    "maps-nearest-pharmacy-space-needle": lambda: on_nearby("space-needle", "pharmacy"),
    "maps-nearest-hotel-independence-hall": lambda: on_nearby("independence-hall", "hotel"),
    "maps-address-getty": lambda: on_place(place("getty-center"), "address", "Address"),
    "maps-address-roadrunner-chicago": lambda: on_place(
        place("roadrunner-fuel-chicago-il"), "address", "Address"
    ),
}

TASKS = [
    json.loads(line)
    for line in (files("fixtures_sites.maps") / "tasks.jsonl").read_text("utf-8").splitlines()
]


def test_the_first_task_is_the_zip_code_of_cmu_and_each_has_a_truth() -> None:
    assert TASKS[0]["id"] == "maps-zip-cmu"
    assert TASKS[0]["goal"] == "find zip code of CMU"
    assert TASKS[0]["expect"] == {"answer": "15213"}
    assert [task["id"] for task in TASKS] == list(TRUTHS)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["id"])
def test_a_task_expects_what_is_true_and_shown(server: FixtureServer, task: dict[str, object]) -> None:
    truth, path, term = TRUTHS[str(task["id"])]()
    assert task["expect"] == {"answer": truth}
    assert task["site"] == "maps"
    text = html(server, path)
    if term:
        assert facts(text)[term] == truth
    else:
        assert place(result_slugs(text)[0]).name == truth


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["id"])
def test_a_goal_fills_its_template(task: dict[str, str]) -> None:
    pattern = re.sub(r"\\\{\w+\\\}", "(.+)", re.escape(task["template"]))
    assert re.fullmatch(pattern, task["goal"])


# --- in a browser


def snapshot(page: Page) -> str:
    text = page.aria_snapshot(mode="ai")
    return re.sub(r" \[(?:ref=\w+|cursor=pointer|active)\]", "", text)


def test_the_start_page_has_named_controls(page: Page) -> None:
    page.goto("/")
    shown = snapshot(page)
    for line in (
        'heading "Find a place" [level=1]',
        'searchbox "Search for a place"',
        'button "Search"',
        'navigation "Main"',
        'link "Directions"',
        'img "Map of the United States with the places of this atlas"',
        'region "Cookie notice"',
        'button "Accept all"',
        'button "Reject all"',
    ):
        assert f"- {line}" in shown


def test_results_have_named_links(page: Page) -> None:
    page.goto("/search?q=city+hall")
    shown = snapshot(page)
    for line in (
        'searchbox "Search for a place": city hall',
        "status: 13 results, showing 1 to 10",
        'list "Search results"',
        'link "Boston City Hall"',
        "paragraph: City hall · 1 City Hall Square, Boston, MA",
        'link "Next page"',
        'img "Map of results 1 to 10"',
    ):
        assert f"- {line}" in shown


def test_a_place_has_named_facts(page: Page) -> None:
    page.goto(f"/place/{CMU}")
    shown = snapshot(page)
    assert re.search(r'- term: ZIP code\n\s*- definition: "15213"', shown)
    for line in (
        'heading "Carnegie Mellon University" [level=1]',
        'link "Directions to here"',
        'link "Directions from here"',
        'navigation "Nearby"',
        'link "Restaurants"',
        'img "Map of Carnegie Mellon University and the places around it"',
        'button "Zoom in"',
    ):
        assert f"- {line}" in shown


def test_directions_have_named_controls(page: Page) -> None:
    page.goto("/directions?from=CMU&to=PNC+Park&mode=foot")
    shown = snapshot(page)
    for line in (
        'textbox "From"',
        'textbox "To"',
        'group "Travel by"',
        'radio "Car"',
        'radio "Bicycle"',
        'radio "On foot" [checked]',
        'button "Get directions"',
        "definition: 6.3 km",
        "definition: 1 h 16 min",
        'list "Turn by turn"',
    ):
        assert f"- {line}" in shown


def test_a_person_finds_the_zip_code_of_cmu(page: Page) -> None:
    page.goto("/")
    page.get_by_role("searchbox", name="Search for a place").fill("CMU")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Carnegie Mellon University", exact=True).click()
    expect(page.get_by_role("definition").filter(has_text=re.compile(r"^15213$"))).to_be_visible()


def test_a_person_finds_a_way_on_foot(page: Page) -> None:
    page.goto("/place/pnc-park")
    page.get_by_role("link", name="Directions to here").click()
    page.get_by_role("textbox", name="From").fill("CMU")
    page.get_by_role("radio", name="On foot").check()
    page.get_by_role("button", name="Get directions").click()
    expect(page.get_by_text("6.3 km", exact=True)).to_be_visible()


def test_the_cookie_notice_goes_away_stays_away_and_keeps_the_page(page: Page) -> None:
    page.goto("/search?q=city+hall&page=2")
    notice = page.get_by_role("region", name="Cookie notice")
    box = notice.bounding_box()
    assert box is not None
    assert box["height"] < 120
    page.get_by_role("button", name="Reject all").click()
    expect(notice).to_have_count(0)
    expect(page).to_have_url(re.compile(r"/search\?q=city\+hall&page=2$"))
    page.goto("/about")
    expect(notice).to_have_count(0)


def test_suggestions_appear_while_typing_and_leave_with_escape(page: Page) -> None:
    page.goto("/")
    box = page.get_by_role("searchbox")
    box.press_sequentially("carnegie mel")
    suggestions = page.get_by_role("list", name="Suggestions")
    expect(suggestions.get_by_role("link").first).to_have_attribute("href", f"/place/{CMU}")
    box.press("Escape")
    expect(suggestions).to_have_count(0)


@pytest.mark.parametrize("path", ["/", f"/place/{CMU}", "/directions?from=CMU&to=PNC+Park"])
def test_the_map_is_drawn_and_zooms(page: Page, path: str) -> None:
    page.goto(path)
    picture = page.locator("canvas")
    count_colours = (
        "canvas => new Set(new Uint32Array(canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size"
    )
    page.wait_for_function(f"({count_colours})(document.querySelector('canvas')) > 5")
    before = picture.evaluate("canvas => canvas.toDataURL()")
    page.get_by_role("button", name="Zoom in").click()
    assert picture.evaluate("canvas => canvas.toDataURL()") != before


def test_nothing_is_wider_than_the_window(page: Page) -> None:
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 720})
        for path in PAGES[:-1]:
            page.goto(path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)


def test_search_works_without_scripts(browser: Browser, server: FixtureServer) -> None:
    context = browser.new_context(base_url=server.url("maps"), java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("searchbox").fill("CMU")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_role("link", name="Carnegie Mellon University", exact=True)).to_be_visible()
    context.close()
