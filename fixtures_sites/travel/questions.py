"""What tasks may ask of the travel site's state."""

from collections.abc import Mapping
from typing import Any

from fixtures_sites.site import Question
from fixtures_sites.state import Data
from fixtures_sites.travel import bookings
from fixtures_sites.travel.customers import SEEDED


def placed(data: Data, _asked: Mapping[str, str]) -> Any:
    """The bookings made in this session, oldest first."""
    return [
        _booking(data, row) for row in data.rows("select * from bookings where id > ? order by id", SEEDED)
    ]


def booking(data: Data, asked: Mapping[str, str]) -> Any:
    """The booking with this `ref`."""
    found = bookings.by_ref(data, asked.get("ref", ""))
    return None if found is None else _booking(data, found)


def _booking(data: Data, row: Any) -> dict[str, Any]:
    keys = (
        "ref",
        "kind",
        "status",
        "name",
        "email",
        "phone",
        "total",
        "card",
        "insurance",
        "refund",
        "promo",
    )
    head = {key: row[key] for key in keys}
    return {**head, **(_flights(data, row["id"]) if row["kind"] == "flight" else _stay(data, row["id"]))}


def _flights(data: Data, number: int) -> dict[str, Any]:
    seats = bookings.seats(data, number)
    return {
        "legs": [
            {
                key: leg[key]
                for key in ("number", "origin", "destination", "day", "fare", "cabin", "checked_in")
            }
            for leg in bookings.legs(data, number)
        ],
        "travellers": [
            {
                key: one[key]
                for key in ("kind", "title", "first", "last", "born", "passport", "nationality", "bags")
            }
            for one in bookings.travellers(data, number)
        ],
        "seats": [{"leg": leg, "traveller": one, "seat": seats[leg, one]} for leg, one in sorted(seats)],
    }


def _stay(data: Data, number: int) -> dict[str, Any]:
    stay = bookings.stay(data, number)
    keys = ("name", "room_name", "checkin", "checkout", "rooms", "adults", "children", "arrival", "request")
    return {
        "hotel" if key == "name" else "room" if key == "room_name" else key: stay[key] for key in keys
    } | {"guest": data.value("select name from bookings where id = ?", number)}


def account(data: Data, asked: Mapping[str, str]) -> Any:
    """What is kept of the person with this `email`."""
    user = data.row("select * from users where email = ?", asked.get("email", ""))
    if user is None:
        return None
    saved = data.rows("select h.name from saved s join hotels h on h.id = s.hotel where s.user = ? order by h.name", user["id"])  # fmt: skip
    return {
        **{key: user[key] for key in ("title", "first", "last", "phone", "address", "meal", "newsletter")},
        "saved": [row["name"] for row in saved],
        "reviews": data.objects(
            "select h.name as hotel, r.rating, r.title, r.text from reviews r join hotels h on h.id = r.hotel"
            " where r.user = ? order by r.id",
            user["id"],
        ),
    }


def alerts(data: Data, _asked: Mapping[str, str]) -> Any:
    """Price alerts."""
    return data.objects("select email, origin, destination, ceiling from alerts order by id")


def newsletter(data: Data, _asked: Mapping[str, str]) -> Any:
    """The addresses that subscribed."""
    return [row["email"] for row in data.rows("select email from newsletter order by email")]


def messages(data: Data, _asked: Mapping[str, str]) -> Any:
    """What was sent by the contact form."""
    return data.objects("select email, topic, ref, text from messages order by id")


QUESTIONS: Mapping[str, Question] = {
    "placed": placed,
    "booking": booking,
    "account": account,
    "alerts": alerts,
    "newsletter": newsletter,
    "messages": messages,
}
