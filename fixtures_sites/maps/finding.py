"""Find places by what a person types, or by how near they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from fixtures_sites.maps.distance import great_circle_km
from fixtures_sites.maps.place import CATEGORIES, Place
from fixtures_sites.slugs import words

STATES = {
    "CA": "California", "DC": "District of Columbia", "IL": "Illinois", "MA": "Massachusetts",
    "MO": "Missouri", "NY": "New York", "PA": "Pennsylvania", "WA": "Washington",
}  # fmt: skip
_IGNORED = frozenset({"the", "of", "in", "at", "a", "and"})
# what people type and what addresses say
_SHORT = {
    "st": "street", "ave": "avenue", "av": "avenue", "blvd": "boulevard", "rd": "road", "univ": "university",
    "n": "north", "s": "south", "e": "east", "w": "west",
}  # fmt: skip


@dataclass(frozen=True)
class _Entry:
    """A place with its texts ready for comparing."""

    place: Place
    names: tuple[tuple[str, ...], ...]
    name_words: frozenset[str]
    all_words: frozenset[str]


class Index:
    """All places, ready to be searched."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._entries = [_entry(place) for place in places]
        self._by_label = {tuple(words(place.label)): place for place in places}

    def search(self, query: str) -> list[Place]:
        """Places that have every word of the query (or its beginning), best first.

        Best is the same name or alias, then a name that begins so, then all words
        in the name, then all words in name, category and address together.
        """
        wanted = _key(query)
        if not wanted:
            return []
        ranked = [(_rank(entry, wanted), position) for position, entry in enumerate(self._entries)]
        return [self._entries[position].place for rank, position in sorted(ranked) if rank < _NO_MATCH]

    def candidates(self, query: str) -> list[Place]:
        """The places that a directions field may mean: one when it is clear, several when it is not."""
        exact = self._by_label.get(tuple(words(query)))
        if exact:
            return [exact]
        wanted = _key(query)
        same = [entry.place for entry in self._entries if wanted in entry.names]
        return same or self.search(query)


def nearest(places: Sequence[Place], origin: Place, category: str = "") -> list[tuple[Place, float]]:
    """Other places within 40 km with their distance in km as the crow flies, nearest first."""
    measured = [
        (place, great_circle_km(origin, place))
        for place in places
        if place.slug != origin.slug and category in ("", place.category)
    ]
    return sorted(
        (pair for pair in measured if pair[1] <= NEARBY_KM), key=lambda pair: (pair[1], pair[0].slug)
    )


NEARBY_KM = 40.0
_NO_MATCH = 4


def _entry(place: Place) -> _Entry:
    names = tuple(_key(name) for name in (place.name, *place.aliases))
    name_words = frozenset(word for name in names for word in name)
    rest = _key(f"{place.category} {CATEGORIES[place.category]} {place.address} {STATES[place.state]}")
    # "Springfield Public Library, Springfield, MO": a name with its city is as good as the name
    with_city = tuple((*name, *_key(place.city)) for name in names)
    with_state = tuple((*name, *_key(f"{place.city} {place.state}")) for name in names)
    return _Entry(place, (*names, *with_city, *with_state), name_words, name_words | frozenset(rest))


def _rank(entry: _Entry, wanted: tuple[str, ...]) -> int:
    if wanted in entry.names:
        return 0
    if any(_begins(name, wanted) for name in entry.names):
        return 1
    if _has_all(entry.name_words, wanted):
        return 2
    return 3 if _has_all(entry.all_words, wanted) else _NO_MATCH


def _begins(name: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    last = len(wanted) - 1
    return name[:last] == wanted[:last] and len(name) > last and name[last].startswith(wanted[last])


def _has_all(have: frozenset[str], wanted: tuple[str, ...]) -> bool:
    return all(word in have or any(other.startswith(word) for other in have) for word in wanted)


def _key(text: str) -> tuple[str, ...]:
    found = [_SHORT.get(word, word) for word in words(text)]
    return tuple(word for word in found if word not in _IGNORED) or tuple(found)
