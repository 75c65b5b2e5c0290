"""The pages of the map site: what each of them shows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.templating import Jinja2Templates

from fixtures_sites.maps import consent
from fixtures_sites.maps.distance import distance_text
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
from fixtures_sites.paging import page_of

POPULAR = (
    "the-white-house", "empire-state-building", "metropolitan-museum-of-art", "space-needle",
    "massachusetts-institute-of-technology", "griffith-observatory", "independence-hall", "field-museum",
)  # fmt: skip
SUGGESTIONS = 6
CHOICES = 10


async def home(request: Request) -> Response:
    """The start page: a search box, popular places and cities."""
    cities = sorted({(known.city, known.state) for known in places()})
    return _page(
        request,
        "home.html",
        popular=[place(slug) for slug in POPULAR],
        cities=[(city, state) for city, state in cities if _count(city, state) >= SUGGESTIONS],
        map=_map("Map of the United States with the places of this atlas", places()),
    )


async def results(request: Request) -> Response:
    """The places that match `q`, ten a page."""
    query = request.query_params.get("q", "").strip()
    page = page_of(search(query), request)
    count = f"{page.total} result{'' if page.total == 1 else 's'}"
    label = f"Map of results {page.first} to {page.first + len(page.items) - 1}"
    return _page(
        request,
        "results.html",
        query=query,
        page=page,
        count=count,
        map=_map(label, page.items, numbered_from=page.first) if page.items else None,
    )


async def suggest(request: Request) -> Response:
    """The first few matches for what is typed so far, as JSON."""
    found = search(request.query_params.get("q", ""))[:SUGGESTIONS]
    return JSONResponse([{"name": p.name, "where": p.locality, "url": f"/place/{p.slug}"} for p in found])


async def place_page(request: Request) -> Response:
    """All facts about one place."""
    shown = _place_or_404(request.path_params["slug"])
    around = nearby(shown)
    kinds = {other.category for other, _ in around}
    label = f"Map of {shown.name} and the places around it"
    return _page(
        request,
        "place.html",
        place=shown,
        category=_sentence(shown.category),
        nearby=[(key, heading) for key, heading in CATEGORIES.items() if key in kinds][:12],
        map=_map(label, [shown], around=[other for other, _ in around[:30]]),
    )


async def nearby_page(request: Request) -> Response:
    """Places of a category near a place, nearest first."""
    shown = _place_or_404(request.query_params.get("place", ""))
    category = request.query_params.get("category", "")
    if category and category not in CATEGORIES:
        raise HTTPException(404, f"There is no category called “{category}”.")
    page = page_of([(other, distance_text(km)) for other, km in nearby(shown, category)], request)
    heading = f"{CATEGORIES[category] if category else 'Places'} near {shown.name}"
    found = [other for other, _ in page.items]
    return _page(
        request,
        "nearby.html",
        place=shown,
        heading=heading,
        category=category,
        page=page,
        categories=CATEGORIES,
        map=_map(f"Map of {heading[0].lower()}{heading[1:]}", found, page.first, origin=shown),
    )


@dataclass(frozen=True)
class _End:
    """What was typed as From or To, and the places that it may mean."""

    label: str
    field: str
    text: str
    found: list[Place]

    @property
    def place(self) -> Place | None:
        return self.found[0] if len(self.found) == 1 else None


async def directions(request: Request) -> Response:
    """The way from one place to another: a form, a choice where a name is not clear, or the route."""
    asked = request.query_params
    mode = asked.get("mode", "car")
    if mode not in MODES:
        raise HTTPException(404, f"There is no way to travel called “{mode}”.")
    start, end = _end("From", "from", asked), _end("To", "to", asked)
    complete = bool(start.text and end.text)
    way = None
    if complete and start.place and end.place and start.place != end.place:
        way = route(start.place, end.place, mode)
    return _page(
        request,
        "directions.html",
        start=start,
        end=end,
        mode=MODES[mode],
        mode_key=mode,
        modes=MODES,
        errors=_direction_errors(start, end) if complete else [],
        choices=[_choice(e, asked) for e in (start, end) if complete and len(e.found) > 1],
        route=way,
        back=urlencode({"from": end.text, "to": start.text, "mode": mode}),
        map=_map(
            f"Map of the way from {start.place.name} to {end.place.name}"
            if way and start.place and end.place
            else "Map of the United States with the places of this atlas",
            [known for e in (start, end) if (known := e.place)] if way else places(),
            line=way is not None,
        ),
    )


async def about(request: Request) -> Response:
    """What the site is and how to use it."""
    return _page(request, "about.html", total=len(places()))


async def failure(request: Request, error: Exception) -> Response:
    """The page for an address that shows nothing."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    detail = error.detail if isinstance(error, HTTPException) else ""
    response = _page(request, "failure.html", status=status, detail=detail)
    response.status_code = status
    return response


def _page(request: Request, template: str, **shown: Any) -> Response:
    made: Jinja2Templates = request.app.state.templates
    return made.TemplateResponse(request, template, shown)


def _shared(request: Request) -> dict[str, Any]:
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return {"undecided": consent.is_undecided(request), "here": here if request.method == "GET" else "/"}


def templates(variant: str) -> Jinja2Templates:
    """The templates of the site; those of a variant stand in a folder of its name, and hide the others."""
    folder = Path(__file__).parent / "templates"
    return Jinja2Templates(
        directory=[folder / variant, folder] if variant else folder, context_processors=[_shared]
    )


def _place_or_404(slug: str) -> Place:
    try:
        return place(slug)
    except KeyError:
        raise HTTPException(404, f"There is no place called “{slug}” on this map.") from None


def _end(label: str, field: str, asked: Mapping[str, str]) -> _End:
    text = asked.get(field, "").strip()
    return _End(label, field, text, candidates(text) if text else [])


def _direction_errors(start: _End, end: _End) -> list[str]:
    unknown = [
        f"{e.label}: no place called “{e.text}” was found. Check the spelling, or use its full name."
        for e in (start, end)
        if not e.found
    ]
    if start.place and start.place == end.place:
        return ["From and To are the same place. Choose two different places."]
    return unknown


def _choice(unclear: _End, asked: Mapping[str, str]) -> dict[str, Any]:
    """The places that may be meant, each as a link that asks again with that place."""
    kept = {key: asked.get(key, "") for key in ("from", "to", "mode") if asked.get(key)}
    options = [
        (found, "/directions?" + urlencode({**kept, unclear.field: found.label}))
        for found in unclear.found[:CHOICES]
    ]
    return {"end": unclear, "options": options, "more": len(unclear.found) - len(options)}


def _map(
    label: str,
    shown: Iterable[Place],
    numbered_from: int = 0,
    *,
    origin: Place | None = None,
    around: Iterable[Place] = (),
    line: bool = False,
) -> dict[str, Any]:
    """What the page's script needs to draw the map; numbers stand at the marks when counted from one."""
    marks = [
        {"lat": p.lat, "lon": p.lon, "name": p.name, "sign": str(numbered_from + i) if numbered_from else ""}
        for i, p in enumerate(shown)
    ]
    start = [{"lat": origin.lat, "lon": origin.lon, "name": origin.name, "sign": "★"}] if origin else []
    dots = [{"lat": p.lat, "lon": p.lon, "name": p.name} for p in around]
    return {"label": label, "data": {"marks": start + marks, "dots": dots, "line": line}}


def _count(city: str, state: str) -> int:
    return sum((known.city, known.state) == (city, state) for known in places())


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
