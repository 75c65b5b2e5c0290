"""How far places are from one another, and how that is written."""

import math

from fixtures_sites.maps.place import Place

EARTH_RADIUS_KM = 6371.0


def great_circle_km(start: Place, end: Place) -> float:
    """Kilometres as the crow flies (haversine formula)."""
    lat_1, lat_2 = math.radians(start.lat), math.radians(end.lat)
    half_lat, half_lon = (lat_2 - lat_1) / 2, math.radians(end.lon - start.lon) / 2
    square = math.sin(half_lat) ** 2 + math.cos(lat_1) * math.cos(lat_2) * math.sin(half_lon) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(square))


def bearing_degrees(start: Place, end: Place) -> float:
    """The direction of travel at the start, clockwise from north, 0 to 360."""
    lat_1, lat_2 = math.radians(start.lat), math.radians(end.lat)
    lon = math.radians(end.lon - start.lon)
    east = math.sin(lon) * math.cos(lat_2)
    north = math.cos(lat_1) * math.sin(lat_2) - math.sin(lat_1) * math.cos(lat_2) * math.cos(lon)
    return math.degrees(math.atan2(east, north)) % 360


def distance_text(km: float) -> str:
    """ "850 m" below a kilometre, "3.4 km" below 100, "487 km" above."""
    if km < 0.995:
        return f"{max(10, round(km * 100) * 10)} m"
    return f"{km:.1f} km" if km < 100 else f"{km:.0f} km"


def time_text(minutes: int) -> str:
    """ "12 min", "1 h 5 min", "2 h"."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{rest} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"
