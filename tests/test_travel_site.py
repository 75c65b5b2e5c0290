"""The travel site: what its pages and forms do, asked without a browser."""

import re
from datetime import date, timedelta

import pytest

from fixtures_sites.seeded import TODAY
from fixtures_sites.server import FixtureServer
from fixtures_sites.travel.customers import ACCOUNTS
from fixtures_sites.travel.fares import party_price, price_of, seat_taken
from fixtures_sites.travel.tasks.shelf import for_sale, oneway, rows
from fixtures_sites.travel.wording import PLANTED, WORDING
from tests.visitor import Visitor

DAY = date(2026, 7, 8)
FLIGHT = next(
    row
    for row in rows(
        "select f.* from flights f join airports o on o.code = f.origin join airports d on d.code = f.destination"
        " where days = '1234567' and o.country = d.country order by f.id"
    )
    if any(
        offer.flight["id"] == row["id"] for offer in for_sale(oneway(row["origin"], row["destination"], DAY))
    )
)
ROUTE = f"trip=oneway&from={FLIGHT['origin']}&to={FLIGHT['destination']}&depart={DAY}"
ONE = f"{ROUTE}&adults=1&children=0&infants=0&cabin=economy"
STAY = "checkin=2026-07-08&checkout=2026-07-11&rooms=1&adults=2"
ROOM = rows(
    "select r.*, h.slug, h.name as hotel_name from rooms r join hotels h on h.id = r.hotel"
    " where available > 3 and sleeps = 2 order by r.id"
)[0]
ADA = {"title0": "Ms", "first0": "Ada", "last0": "Stone", "born0": "1990-01-31"}
CONTACT = {"email": "ada@example.com", "phone": "+1 617-555-0101"}
CARD = {"card": "4242 4242 4242 4242", "holder": "Ada Stone", "expiry": "11/28", "cvc": "321", "terms": "1"}


@pytest.fixture
def visitor(server: FixtureServer) -> Visitor:
    return Visitor(server.port, "travel")


def signed_in(visitor: Visitor, place: int = 0) -> Visitor:
    email, password, *_ = ACCOUNTS[place]
    assert 'type="password"' in visitor.send("/sign-in", {"email": email}).text
    assert "Welcome back" in visitor.send("/sign-in", {"email": email, "password": password}).text
    return visitor


def booked_ref(user: int, fare: str) -> str:
    found = rows(
        "select b.ref from bookings b join legs l on l.booking = b.id where b.user = ? and l.fare = ? and l.day > ? order by b.id",
        user, fare, str(TODAY + timedelta(days=5)),
    )  # fmt: skip
    return str(found[0][0])


def choose(visitor: Visitor, query: str = ONE, fare: str = "standard") -> str:
    return visitor.send(f"/flights/choose?{query}", {"flight": str(FLIGHT["id"]), "fare": fare}).text


def test_there_is_as_much_as_on_a_real_site() -> None:
    counts = {name: rows(f"select count(*) from {name}")[0][0] for name in ("flights", "hotels", "airports")}
    assert counts["flights"] >= 1500
    assert counts["hotels"] >= 300
    assert counts["airports"] >= 60
    assert rows("select count(distinct ref) = count(*) from bookings")[0][0]


@pytest.mark.parametrize(
    "path",
    ["/", f"/?{ONE}", f"/flights/search?{ONE}", f"/flights/fares?{ONE}&flight={FLIGHT['id']}", "/hotels", "/hotels?place=Paris",
     f"/hotels/search?place=paris&{STAY}&stars=3&amenity=Pool&sort=price&page=9", f"/hotel/{ROOM['slug']}",
     f"/hotel/{ROOM['slug']}?{STAY}", "/find", "/sign-in", "/status?number=zz", "/help", "/contact", "/alerts"],
)  # fmt: skip
def test_a_page_for_everyone_is_shown(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 200
    assert page.text.count("<h1>") == 1


@pytest.mark.parametrize(
    "path", ["/hotel/none", "/book/none", "/booked", "/stay/guest", "/trip/ABCDEF", f"/flights/fares?{ONE}&flight=99999"]
)  # fmt: skip
def test_an_address_that_shows_nothing_is_a_404_page(visitor: Visitor, path: str) -> None:
    page = visitor.get(path)
    assert page.status == 404
    assert "Page not found" in page.text


@pytest.mark.parametrize("path", ["/trips", "/trips?tab=Past", "/profile", "/points", "/saved"])
def test_a_page_of_the_account_is_for_those_who_are_signed_in(visitor: Visitor, path: str) -> None:
    assert visitor.get(path).location.startswith("/sign-in?back=")
    assert signed_in(visitor).get(path).status == 200


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("trip=oneway", "Choose an airport from the list to fly from"),
        ("trip=oneway&from=New York&to=BOS&depart=2026-07-08", "Choose an airport from the list to fly from"),
        ("trip=oneway&from=BOS&to=BOS&depart=2026-07-08", "Choose another airport"),
        ("trip=oneway&from=BOS&to=SEA&depart=2026-06-01", "This day has passed"),
        ("trip=oneway&from=BOS&to=SEA&depart=2028-06-01", "on sale for 330 days"),
        ("trip=return&from=BOS&to=SEA&depart=2026-07-08&return=2026-07-01", "The return is before the departure"),
        ("trip=multi&from1=BOS&to1=SEA&day1=2026-07-08&from2=SEA&to2=BOS&day2=2026-07-01", "Flight 2 leaves before flight 1"),
        (f"{ROUTE}&adults=1&infants=2", "more infants than adults"),
        (f"{ROUTE}&adults=6&children=4", "At most nine passengers"),
        (f"{ROUTE}&cabin=first", "Choose a cabin"),
    ],
)  # fmt: skip
def test_a_search_for_flights_that_makes_no_sense_says_why(
    visitor: Visitor, query: str, message: str
) -> None:
    page = visitor.get(f"/flights/search?{query.replace(' ', '+')}")
    assert page.status == 422
    assert message in page.text


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (f"place=&{STAY}", "Enter a city"),
        (f"place=Nowhere&{STAY}", "no hotels in"),
        ("place=Paris&checkin=2026-07-08&checkout=2026-07-08", "after check-in"),
        ("place=Paris&checkin=2026-07-08&checkout=2026-07-09&rooms=3&adults=2", "Each room needs an adult"),
        ("place=Paris&checkin=2026-07-08&checkout=2026-07-09&children=1&age0=", "age of each child"),
    ],
)
def test_a_search_for_hotels_that_makes_no_sense_says_why(visitor: Visitor, query: str, message: str) -> None:
    page = visitor.get(f"/hotels/search?{query}")
    assert page.status == 422
    assert message in page.text


def test_airports_are_suggested_by_code_city_and_country(visitor: Visitor) -> None:
    def suggested(typed: str) -> list[str]:
        return [one["value"] for one in visitor.get(f"/airports?q={typed}").json]

    assert suggested("bos") == ["Boston (BOS)"]
    assert suggested("new+y") == ["New York (EWR)", "New York (JFK)", "New York (LGA)"]
    assert suggested("germ") == ["Berlin (BER)", "Frankfurt (FRA)", "Munich (MUC)"]


def test_results_come_late_are_filtered_and_sorted(visitor: Visitor) -> None:
    page = visitor.get(f"/flights/search?{ONE}").text
    assert 'data-late="/flights/list?' in page
    listed = visitor.get(f"/flights/list?{ONE}").text
    prices = [int(text.replace(",", "")) for text in re.findall(r'class="price">\$([\d,]+)', listed)]
    assert prices == sorted(prices)
    assert "No flights match" in visitor.get(f"/flights/list?{ONE}&max=1").text
    assert "1 stop" not in visitor.get(f"/flights/list?{ONE}&stops=0").text


def test_a_family_pays_by_age() -> None:
    price = price_of(400, DAY, "economy")
    assert (
        party_price(price, {"adult": 2, "child": 1, "infant": 1})
        == 2 * price + price * 75 // 100 + price // 10
    )


def test_a_flight_is_booked_step_by_step(visitor: Visitor) -> None:
    assert visitor.get("/book/passengers").location == "/"
    assert "Passenger 1 (adult)" in choose(visitor)
    assert visitor.get("/book/payment").location == "/book/passengers"
    bad = visitor.send("/book/passengers", {**ADA, **CONTACT, "born0": "2020-01-01", "email": "x"}).text
    assert "An adult is at least 12" in bad
    assert "Enter an e-mail address" in bad
    assert "extra bag costs" in visitor.send("/book/passengers", {**ADA, **CONTACT}).text
    assert "whether you want travel insurance" in visitor.send("/book/bags", {"bags0": "1"}).text
    visitor.send("/book/bags", {"bags0": "1", "insurance": "yes"})
    seats = [f"{row}{letter}" for row in range(4, 12) for letter in "ABCDEF"]
    taken = {seat: seat_taken(FLIGHT["id"], DAY, int(seat[:-1]), seat[-1]) for seat in seats}
    other = next(seat for seat in seats if taken[seat])
    free = next(seat for seat in seats if not taken[seat])
    assert "is taken" in visitor.send("/book/seats", {"seat0-0": other}).text
    visitor.send("/book/seats", {"seat0-0": free})
    assert "not valid" in visitor.send("/book/payment", {**CARD, "card": "4242 4242 4242 4241"}).text
    assert "EASTER15 is not valid" in visitor.send("/book/payment", {**CARD, "promo": "easter15"}).text
    assert "booking reference" in visitor.send("/book/payment", {**CARD, "promo": "fly20"}).text
    (booking,) = visitor.get("/__state/placed").json
    assert booking["total"] == price_of(FLIGHT["base"], DAY, "economy", "standard") + 35 + 29 - 20
    assert [one["seat"] for one in booking["seats"]] == [free]
    assert visitor.get(f"/trip/{booking['ref']}").status == 200
    assert visitor.get("/book/payment").location == "/"


def test_the_form_asks_for_as_many_passengers_as_travel_and_checks_their_ages(visitor: Visitor) -> None:
    page = choose(visitor, f"{ROUTE}&adults=1&children=1&infants=1&cabin=economy")
    assert re.findall(r"Passenger \d \((\w+)\)", page) == ["adult", "child", "infant"]
    people = {f"{name}{n}": ADA[f"{name}0"] for name in ("title", "first", "last", "born") for n in range(3)}
    said = visitor.send("/book/passengers", {**people, **CONTACT}).text
    assert "A child is 2 to 11" in said
    assert "An infant is under 2" in said


def test_a_room_is_booked_and_one_that_is_too_small_is_not(visitor: Visitor) -> None:
    path = f"/hotel/{ROOM['slug']}/reserve"
    small = visitor.send(f"{path}?{STAY.replace('adults=2', 'adults=5')}", {"room": str(ROOM["id"])})
    assert "not free for these days and guests" in small.text
    assert "Guest details" in visitor.send(f"{path}?{STAY}", {"room": str(ROOM["id"])}).text
    assert visitor.get("/stay/payment").location == "/stay/guest"
    visitor.send("/stay/guest", {"first": "Ada", "last": "Stone", "arrival": "After 22:00", **CONTACT})
    unaccepted = {name: value for name, value in CARD.items() if name != "terms"}
    assert "accept the conditions" in visitor.send("/stay/payment", unaccepted).text
    visitor.send("/stay/payment", CARD)
    (booking,) = visitor.get("/__state/placed").json
    assert (booking["hotel"], booking["room"], booking["total"]) == (
        ROOM["hotel_name"],
        ROOM["name"],
        ROOM["price"] * 3,
    )


def test_a_fare_decides_on_changes_and_refunds(visitor: Visitor) -> None:
    signed_in(visitor)
    light, standard = booked_ref(1, "light"), booked_ref(1, "standard")
    visitor.get(f"/trip/{light}/change")
    assert "Light fare can&#39;t be changed" in visitor.get(f"/trip/{light}").text
    assert "New date" in visitor.get(f"/trip/{standard}/change").text
    for ref in (light, standard):
        visitor.send(f"/trip/{ref}/cancel", {"reason": "plans"})
    state = {ref: visitor.get(f"/__state/booking?ref={ref}").json for ref in (light, standard)}
    assert [one["status"] for one in state.values()] == ["Cancelled", "Cancelled"]
    assert state[light]["refund"] == 0
    assert state[standard]["refund"] == state[standard]["total"] - 90 * len(state[standard]["travellers"])
    assert light in visitor.get("/trips?tab=Cancelled").text


def test_check_in_opens_two_days_before_and_wants_a_declaration(visitor: Visitor) -> None:
    signed_in(visitor)
    assert visitor.get(f"/trip/{booked_ref(1, 'light')}/check-in").location.startswith("/trip/")
    (near,) = rows("select b.ref from bookings b join legs l on l.booking = b.id where user = 1 and day = ?", str(TODAY + timedelta(days=1)))  # fmt: skip
    path = f"/trip/{near['ref']}/check-in"
    assert "check in at the airport" in visitor.send(path, {"goods": "yes", "correct": "1"}).text
    assert "You are checked in" in visitor.send(path, {"goods": "no", "correct": "1"}).text


def test_a_booking_is_shown_to_its_owner_and_to_who_knows_reference_and_name(visitor: Visitor) -> None:
    ref = booked_ref(2, "flex")
    assert visitor.get(f"/trip/{ref}").status == 404
    assert "no booking with this reference" in visitor.send("/find", {"ref": ref, "last": "Hart"}).text
    assert f"Trip {ref}" in visitor.send("/find", {"ref": ref.lower(), "last": "okafor"}).text
    assert signed_in(visitor).get(f"/trip/{booked_ref(3, 'flex')}").status == 404


def test_what_one_session_does_no_other_sees(server: FixtureServer, visitor: Visitor) -> None:
    visitor.send("/newsletter", {"email": "a@example.com"})
    assert visitor.get("/__state/newsletter").json == ["a@example.com"]
    assert Visitor(server.port, "travel").get("/__state/newsletter").json == []
    visitor.post("/__reset")
    assert visitor.get("/__state/newsletter").json == []


def test_the_redesign_has_other_names_and_the_hostile_variant_plants_content() -> None:
    with FixtureServer(variant="redesign") as server:
        page = Visitor(server.port, "travel").get("/").text
        for old in ("From", "Departure", "Search flights", "Multi-city"):
            assert f">{old}<" not in page
            assert WORDING[old] in page
    with FixtureServer(variant="hostile") as server:
        hostile = Visitor(server.port, "travel")
        pages = (
            hostile.get(f"/hotel/{ROOM['slug']}").text + hostile.get(f"/hotel/{ROOM['slug']}/reviews").text
        )
        assert all(text[:30] in pages for text in PLANTED.values())


def test_a_flight_is_moved_to_another_day_for_fee_and_difference(visitor: Visitor) -> None:
    ref = booked_ref(1, "standard")
    before = signed_in(visitor).get(f"/__state/booking?ref={ref}").json
    path = f"/trip/{ref}/change"
    assert "Choose a flight" in visitor.send(path, {"flight": "1"}).text
    day = date.fromisoformat(before["legs"][0]["day"]) + timedelta(days=7)
    shown = visitor.get(f"{path}?day={day}&leg=x").text
    flight, cost = re.findall(r'name="flight"\s+value="(\d+)".*?: \$([\d,]+) to pay', shown)[0]
    assert "Your flight was changed" in visitor.send(f"{path}?day={day}", {"flight": flight}).text
    after = visitor.get(f"/__state/booking?ref={ref}").json
    assert after["legs"][0]["day"] == str(day)
    assert after["total"] == before["total"] + int(cost.replace(",", ""))
    assert int(cost.replace(",", "")) >= 60 * len(before["travellers"])


@pytest.mark.parametrize("stay", [True, False], ids=["flexible", "fixed"])
def test_a_stay_is_moved_where_its_rate_allows_it(visitor: Visitor, stay: bool) -> None:
    found = rows(
        "select b.ref, b.user from bookings b join stays s on s.booking = b.id join rooms r on r.id = s.room"
        " where s.checkin > ? and r.refundable = ? order by b.id",
        str(TODAY + timedelta(days=1)), int(stay),
    )[0]  # fmt: skip
    days = {"checkin": "2026-10-01", "checkout": "2026-10-04"}
    page = signed_in(visitor, found["user"] - 1).send(f"/trip/{found['ref']}/change", days).text
    assert ("Your stay was changed" in page) is stay
    assert (visitor.get(f"/__state/booking?ref={found['ref']}").json["checkin"] == "2026-10-01") is stay


def test_the_redesign_has_controls_of_other_kinds() -> None:
    with FixtureServer(variant="redesign") as server:
        page = Visitor(server.port, "travel").get("/").text
    assert 'type="date" id="f-depart"' in page
    assert '<select id="n-adults"' in page
    assert "data-picker" not in page
