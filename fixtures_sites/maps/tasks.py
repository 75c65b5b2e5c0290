"""Tasks on the map."""

from fixtures_sites.maps.places import Place, places, search
from fixtures_sites.seeded import Dice
from fixtures_sites.steps import answer, button, fill, link
from fixtures_sites.tasks import Book, Case

BOOK = Book("maps", nuisances=[("button", "Reject all")])


def _single(dice: Dice) -> Place:
    """A place that its name alone finds."""
    while len(search((place := dice.pick(places())).name)) != 1:
        pass
    return place


@BOOK.template("find zip code of {place}", count=5)
def zip_code(dice: Dice) -> Case:
    """Search, open, read."""
    place = _single(dice)
    look = [fill("Search for a place", place.name, role="searchbox"), button("Search")]
    return Case(
        {"place": place.name},
        {"answer": place.zip_code},
        [*look, link(place.name), answer(place.zip_code)],
        [*look, link(place.name), answer(place.phone)],
    )
