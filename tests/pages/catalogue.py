"""A small catalogue that can be redesigned: controls renamed, moved, and one made into another kind."""

from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from tests.pages.kit import Reply, Site

PRICES = {f"{name} {size}": f"{n * 7 + len(size)}.50" for n, name in enumerate(("Lamp", "Rug", "Desk", "Sofa", "Bed"), 3) for size in ("small", "medium", "large")}  # fmt: skip


class Catalogue(Site):
    """`redesign` is set between runs."""

    def __init__(self) -> None:
        self.redesign = False
        super().__init__({"/": self.home, "/found": self.found, "/item": self.item, "/sheet": self.sheet})

    def home(self, request: BaseHTTPRequestHandler) -> Reply:
        if self.redesign:
            return self._html(
                "<h1>Catalogue</h1><nav><a href=/help>Help</a></nav><form action=/found><button>Look it up</button>"
                "<label>What are you after? <input type=search name=q></label></form>"
            )
        return self._html(
            "<h1>Catalogue</h1><form action=/found><label>Search items <input type=search name=q></label>"
            "<button>Search</button></form>"
        )

    def found(self, request: BaseHTTPRequestHandler) -> Reply:
        wanted = parse_qs(urlsplit(request.path).query).get("q", [""])[0]
        rows = "".join(f"<li><a href='/item?n={n}'>{n}</a>" for n in PRICES if wanted.lower() in n.lower())
        return self._html(f"<h1>Found</h1><ul>{rows}</ul>")

    def item(self, request: BaseHTTPRequestHandler) -> Reply:
        name = self._name(request)
        if self.redesign:
            button = f"<form action=/sheet><input type=hidden name=n value='{name}'><button>All facts</button></form>"
            return self._html(f"<h1>{name}</h1>{button}")
        return self._html(f"<h1>{name}</h1><a href='/sheet?n={name}'>Data sheet</a>")

    def sheet(self, request: BaseHTTPRequestHandler) -> Reply:
        name = self._name(request)
        return self._html(f"<h1>{name}</h1><dl><dt>Price<dd>{PRICES[name]}<dt>Weight<dd>{len(name)} kg</dl>")

    def _name(self, request: BaseHTTPRequestHandler) -> str:
        return parse_qs(urlsplit(request.path).query)["n"][0]

    def _html(self, body: str) -> Reply:
        return 200, {"Content-Type": "text/html; charset=utf-8"}, f"<title>Shop</title>{body}".encode()
