"""Web sites made for practice and tests, each served at NAME.localhost."""

# name of a site -> where its factory `create_app() -> Starlette` lives
FACTORIES: dict[str, str] = {
    "maps": "fixtures_sites.maps.app:create_app",
}

SITES: tuple[str, ...] = tuple(FACTORIES)

DEFAULT_PORT = 8931
