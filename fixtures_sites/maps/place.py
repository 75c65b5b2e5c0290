"""What a place is: its name, its facts, and where it lies."""

from dataclasses import dataclass

# category -> heading of a list of such places, in the order that menus show
CATEGORIES: dict[str, str] = {
    "restaurant": "Restaurants",
    "cafe": "Cafes",
    "hotel": "Hotels",
    "pharmacy": "Pharmacies",
    "supermarket": "Supermarkets",
    "bank": "Banks",
    "library": "Libraries",
    "park": "Parks",
    "museum": "Museums",
    "post office": "Post offices",
    "fuel station": "Fuel stations",
    "train station": "Train stations",
    "bakery": "Bakeries",
    "bookshop": "Bookshops",
    "cinema": "Cinemas",
    "gym": "Gyms",
    "school": "Schools",
    "university": "Universities",
    "hospital": "Hospitals",
    "stadium": "Stadiums",
    "city hall": "City halls",
    "government building": "Government buildings",
    "monument": "Monuments",
    "theatre": "Theatres",
    "zoo": "Zoos",
    "aquarium": "Aquariums",
    "market": "Markets",
    "church": "Churches",
    "airport": "Airports",
}


@dataclass(frozen=True)
class Place:
    """One place; `lat` and `lon` are degrees, `state` is the postal abbreviation."""

    slug: str
    name: str
    aliases: tuple[str, ...]
    category: str
    street: str
    city: str
    state: str
    zip_code: str
    phone: str
    hours: str
    website: str
    lat: float
    lon: float

    @property
    def locality(self) -> str:
        """Street, city and state: what a list of results shows."""
        return f"{self.street}, {self.city}, {self.state}"

    @property
    def address(self) -> str:
        """The full postal address."""
        return f"{self.locality} {self.zip_code}"

    @property
    def label(self) -> str:
        """Name and address, which no other place shares: what a directions field holds."""
        return f"{self.name}, {self.address}"
