"""Tasks on the map."""

from collections.abc import Callable
from functools import cache

from fixtures_sites.maps.distance import distance_text
from fixtures_sites.maps.places import CATEGORIES, MODES, Place, nearby, places, route, search
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import Step, answer, button, choose, click, done, fill, infeasible, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("maps", nuisances=[("button", "Reject all")])
BY = {"car": "by car", "bicycle": "by bicycle", "foot": "on foot"}


def _one(dice: Dice, fits: Callable[[Place], bool] = lambda place: True) -> Place:
    """A place that its name alone finds."""
    while not _is_clear(place := dice.pick(places())) or not fits(place):
        pass
    return place


@cache
def _is_clear(place: Place) -> bool:
    return len(search(place.name)) == 1


def _pair(dice: Dice, least: float = 2, most: float = 2000) -> tuple[Place, Place]:
    """Two places so many km apart."""
    start = _one(dice)
    while True:
        end = _one(dice)
        if least <= route(start, end, "car").distance_km <= most:
            return start, end


def _look_up(text: str) -> list[Step]:
    return [fill("Search for a place", text, role="searchbox"), button("Search")]


def _open(place: Place) -> list[Step]:
    return [*_look_up(place.name), link(place.name)]


def _ask_way(start: str, end: str, mode: str) -> list[Step]:
    """The form of directions, filled in and sent."""
    chosen = [] if mode == "car" else [click("radio", MODES[mode].name)]
    return [link("Directions"), fill("From", start), fill("To", end), *chosen, button("Get directions")]


def _fact(place: Place, right: str, wrong: str) -> Case:
    """Search, open, read; the near miss reads another line."""
    return Case(
        {"place": place.name},
        {"answer": right},
        [*_open(place), answer(right)],
        [*_open(place), answer(wrong)],
    )


@BOOK.template("find zip code of {place}", "What is the ZIP code of {place}?", count=6)
def zip_code(dice: Dice) -> Case:
    """One fact."""
    place = _one(dice)
    return _fact(place, place.zip_code, place.phone)


@BOOK.template("find the phone number of {place}", "Which number do I call to reach {place}?", count=6)
def phone(dice: Dice) -> Case:
    """One fact."""
    place = _one(dice)
    return _fact(place, place.phone, place.zip_code)


@BOOK.template("When is {place} open?", "find the opening hours of {place}", count=6)
def opening_hours(dice: Dice) -> Case:
    """One fact."""
    place = _one(dice)
    return _fact(place, place.hours, place.category)


@BOOK.template("Where is {place}? Give the full postal address.", "find the address of {place}", count=5)
def address(dice: Dice) -> Case:
    """One fact; the list of results lacks the ZIP code."""
    place = _one(dice)
    return _fact(place, place.address, place.locality)


@BOOK.template("What kind of place is {place}, by the map?", count=4)
def category(dice: Dice) -> Case:
    """One fact, already among the results."""
    place = _one(dice, lambda one: one.category not in one.name.lower())
    other = next(name for name in CATEGORIES if name != place.category)
    return _fact(place, place.category, other)


@BOOK.template("What is the latitude of {place}, to four places?", count=3)
def latitude(dice: Dice) -> Case:
    """Half of a fact."""
    place = _one(dice)
    return _fact(place, f"{place.lat:.4f}", f"{place.lon:.4f}")


@BOOK.template("What website does the map name for {place}?", count=4)
def website(dice: Dice) -> Case:
    """A fact that is a link."""
    place = _one(dice)
    shown = place.website.replace("https://", "").strip("/")
    return Case(
        {"place": place.name},
        {"answer_includes": [shown]},
        [*_open(place), answer(shown)],
        [*_open(place), answer(place.name)],
    )


@BOOK.template("find zip code of {alias}", "What is the postal code of {alias}?", count=4)
def zip_code_of_alias(dice: Dice) -> Case:
    """As `zip_code`, for the name that people say."""
    known = [one for one in places() if one.aliases]
    while len(search((place := dice.pick(known)).aliases[0])) != 1:
        pass
    look = [*_look_up(place.aliases[0]), link(place.name)]
    return Case(
        {"alias": place.aliases[0]},
        {"answer": place.zip_code},
        [*look, answer(place.zip_code)],
        [*look, answer(place.state)],
    )


@BOOK.template("In which city is {place}?", count=4)
def city(dice: Dice) -> Case:
    """Read among the results."""
    place = _one(dice, lambda one: one.city not in one.name)
    return Case(
        {"place": place.name},
        {"answer_includes": [place.city]},
        [*_look_up(place.name), answer(place.city)],
        [*_look_up(place.name), answer(place.street)],
    )


@BOOK.template("Open the page of {place}.", "Show me {place} on the map.", count=4)
def open_page(dice: Dice) -> Case:
    """Navigation alone."""
    place = _one(dice)
    return Case(
        {"place": place.name},
        {"url": f"__MAPS__/place/{place.slug}"},
        [*_open(place), done()],
        [*_look_up(place.name), done()],
    )


@BOOK.template(
    "How far is it from {start} to {end} {mode}?",
    "find the distance between {start} and {end} {mode}",
    count=8,
)
def distance(dice: Dice) -> Case:
    """A form with a choice."""
    start, end = _pair(dice)
    mode, other = dice.some(list(MODES), 2)
    way = route(start, end, mode)
    wrong = route(start, end, other)
    if wrong.distance_text == way.distance_text:
        return distance(dice)
    return Case(
        {"start": start.name, "end": end.name, "mode": BY[mode]},
        {"answer": way.distance_text},
        [*_ask_way(start.name, end.name, mode), answer(way.distance_text)],
        [*_ask_way(start.name, end.name, other), answer(wrong.distance_text)],
    )


@BOOK.template("How long does it take to get from {start} to {end} {mode}?", count=6)
def travel_time(dice: Dice) -> Case:
    """As `distance`, another line."""
    start, end = _pair(dice)
    mode = dice.pick(list(MODES))
    way = route(start, end, mode)
    look = _ask_way(start.name, end.name, mode)
    return Case(
        {"start": start.name, "end": end.name, "mode": BY[mode]},
        {"answer": way.time_text},
        [*look, answer(way.time_text)],
        [*look, answer(way.distance_text)],
    )


@BOOK.template("Get directions {mode} from {start} to {end}.", count=5)
def show_way(dice: Dice) -> Case:
    """The page of the way is the outcome; the near miss goes the other way round."""
    start, end = _pair(dice)
    mode = dice.pick(list(MODES))
    return Case(
        {"start": start.name, "end": end.name, "mode": BY[mode]},
        {
            "page": [
                {"locator": "#route", "required": f"{start.name} to {end.name}"},
                {"locator": "dl.route dd >> nth=0", "required": MODES[mode].name},
            ]
        },
        [*_ask_way(start.name, end.name, mode), done()],
        [*_ask_way(end.name, start.name, mode), done()],
    )


@BOOK.template("What is the first instruction of the way {mode} from {start} to {end}?", count=4)
def first_turn(dice: Dice) -> Case:
    """The first of a list."""
    start, end = _pair(dice)
    mode = dice.pick(list(MODES))
    turns = route(start, end, mode).turns
    look = _ask_way(start.name, end.name, mode)
    return Case(
        {"start": start.name, "end": end.name, "mode": BY[mode]},
        {"answer_includes": [turns[0].text]},
        [*look, answer(turns[0].text)],
        [*look, answer(turns[-1].text)],
    )


@BOOK.template("Which is farther from {start} by car: {one} or {two}?", count=5, hard=True)
def farther(dice: Dice) -> Case:
    """Two ways to compare."""
    start, one = _pair(dice)
    two = _one(dice, lambda place: place not in (start, one))
    far, near = sorted((one, two), key=lambda place: -route(start, place, "car").distance_km)
    look = [*_ask_way(start.name, one.name, "car"), *_ask_way(start.name, two.name, "car")]
    return Case(
        {"start": start.name, "one": one.name, "two": two.name},
        {"answer": far.name},
        [*look, answer(far.name)],
        [*look, answer(near.name)],
    )


def _around(dice: Dice, least: int = 2) -> tuple[Place, str, list[tuple[Place, float]]]:
    """A place, a category, and what there is of it nearby, no two as far away."""
    while True:
        origin = _one(dice)
        kind = dice.pick(list(CATEGORIES))
        found = nearby(origin, kind)
        shown = [distance_text(km) for _, km in found[:3]]
        if len(found) >= least and len(set(shown)) == len(shown) and found[0][0].name != found[-1][0].name:
            return origin, kind, found


def _ask_around(origin: Place, kind: str) -> list[Step]:
    return [*_open(origin), link("All places"), choose("Category", CATEGORIES[kind]), button("Show")]


@BOOK.template("What is the nearest {kind} to {place}?", "Name the {kind} closest to {place}.", count=6)
def nearest_place(dice: Dice) -> Case:
    """A list box, and the first of a list."""
    origin, kind, found = _around(dice)
    look = _ask_around(origin, kind)
    return Case(
        {"place": origin.name, "kind": kind},
        {"answer": found[0][0].name},
        [*look, answer(found[0][0].name)],
        [*look, answer(found[-1][0].name)],
    )


@BOOK.template("How far is the nearest {kind} from {place}, as the crow flies?", count=4)
def nearest_distance(dice: Dice) -> Case:
    """As `nearest_place`, another line."""
    origin, kind, found = _around(dice)
    look = _ask_around(origin, kind)
    return Case(
        {"place": origin.name, "kind": kind},
        {"answer": distance_text(found[0][1])},
        [*look, answer(distance_text(found[0][1]))],
        [*look, answer(distance_text(found[1][1]))],
    )


@BOOK.template(
    "Within 40 km of {place}, how many entries of the category “{kind}” does the map have?", count=4
)
def count_nearby(dice: Dice) -> Case:
    """A number that the page says."""
    origin, kind, found = _around(dice)
    look = _ask_around(origin, kind)
    return Case(
        {"place": origin.name, "kind": CATEGORIES[kind].lower()},
        {"answer": str(len(found))},
        [*look, answer(len(found))],
        [*look, answer(len(found) + 1)],
    )


@BOOK.template("What is the phone number of the {kind} nearest to {place}?", count=5, hard=True)
def nearest_phone(dice: Dice) -> Case:
    """`nearest_place`, then `phone`."""
    origin, kind, found = _around(dice)
    first, last = found[0][0], found[1][0]
    look = _ask_around(origin, kind)
    return Case(
        {"place": origin.name, "kind": kind},
        {"answer": first.phone},
        [*look, _row(first), answer(first.phone)],
        [*look, _row(last), answer(last.phone)],
    )


def _row(place: Place) -> Step:
    return link(place.name, row=place.locality)


@BOOK.template(
    "How far on foot is it from {place} to the {kind} nearest to it? Take the distance of the route.",
    count=4,
    hard=True,
)
def walk_to_nearest(dice: Dice) -> Case:
    """`nearest_place`, then `distance`."""
    origin, kind, found = _around(dice)
    near = found[0][0]
    way = route(origin, near, "foot")
    if way.distance_text == distance_text(found[0][1]) or len(search(near.name)) != 1:
        return walk_to_nearest(dice)
    look = _ask_around(origin, kind)
    return Case(
        {"place": origin.name, "kind": kind},
        {"answer": way.distance_text},
        [*look, *_ask_way(origin.name, near.name, "foot"), answer(way.distance_text)],
        [*look, answer(distance_text(found[0][1]))],
    )


@BOOK.template("How many results does a search for “{words}” give?", count=4)
def count_results(dice: Dice) -> Case:
    """A number that the page says."""
    place = dice.pick(places())
    words = f"{place.category} {place.city}"
    found = len(search(words))
    return Case(
        {"words": words},
        {"answer": str(found)},
        [*_look_up(words), answer(found)],
        [*_look_up(words), answer(found + 10)],
    )


@BOOK.template("find zip code of {place}", "What is the phone number of {place}?", count=4)
def no_such_place(dice: Dice) -> Case:
    """A place that the map does not have."""
    first, second = dice.some(["Quillmere", "Old Harbor", "Saint Orwin", "Brackwater", "Lindenfall"], 2)
    kind = dice.pick(["Observatory", "Tea House", "Maritime Museum", "Botanical Library"])
    name = f"{first} {second} {kind}"
    near = _one(dice)
    return Case(
        {"place": name},
        {"infeasible": True},
        [*_look_up(name), infeasible()],
        [*_look_up(name), *_open(near), answer(near.zip_code)],
    )


@BOOK.template(
    "What does the map say is the e-mail address of {place}?",
    "How many seats does {place} have, by the map?",
    "Who is the director of {place}, by the map?",
    count=4,
)
def no_such_fact(dice: Dice) -> Case:
    """Something that the map does not tell of any place."""
    place = _one(dice)
    return Case(
        {"place": place.name},
        {"infeasible": True},
        [*_open(place), infeasible()],
        [*_open(place), answer(place.website)],
    )


@BOOK.template("How long does the train take from {start} to {end}, by the map?", count=3)
def no_such_mode(dice: Dice) -> Case:
    """A way to travel that the form does not offer."""
    start, end = _pair(dice)
    look = _ask_way(start.name, end.name, "car")
    return Case(
        {"start": start.name, "end": end.name},
        {"infeasible": True},
        [link("Directions"), infeasible()],
        [*look, answer(route(start, end, "car").time_text)],
    )
