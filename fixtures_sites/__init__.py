"""Web sites made for practice and tests, each served at NAME.localhost."""

# name of a site -> where its factory `create_app(variant: str) -> Starlette` lives
FACTORIES: dict[str, str] = {
    "maps": "fixtures_sites.maps.app:create_app",
}

SITES: tuple[str, ...] = tuple(FACTORIES)

VARIANTS: tuple[str, ...] = ("redesign",)
"""Other makes of the sites: with `redesign` controls are renamed, moved and of another kind."""

DEFAULT_PORT = 8931
