"""Web sites made for practice and tests, each served at NAME.localhost."""

# name of a site -> where its factory `create_app(variant: str) -> Starlette` lives
FACTORIES: dict[str, str] = {
    "maps": "fixtures_sites.maps.app:create_app",
    "shop": "fixtures_sites.shop.app:create_app",
    "admin": "fixtures_sites.admin.app:create_app",
    "forum": "fixtures_sites.forum.app:create_app",
    "travel": "fixtures_sites.travel.app:create_app",
    "code": "fixtures_sites.code.app:create_app",
}

SITES: tuple[str, ...] = tuple(FACTORIES)

VARIANTS: tuple[str, ...] = ("redesign", "slow", "hostile", "flaky")
"""Other makes of the sites: controls renamed, moved and of another kind; delays and late rendering;
instructions and fake controls among the content; requests that fail now and then."""

DEFAULT_PORT = 8931
