"""A checkout whose reply may be lost after the order was stored."""

import socket
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from tests.pages.kit import Reply, Site

FAULTS = (
    "", "drop", "error", "slow", "confirm", "fetch", "fetch-drop", "fetch-error", "late", "refused", "changed",
)  # fmt: skip
"""How the checkout behaves; each but `refused` and `confirm` stores the order first."""

FORM = """<title>Shop</title><h1>Checkout</h1>
<form method=post action=/order {extra}>
<p><label>Article <input name=article></label></p>
<p><label>Amount <input name=amount value=1></label></p>
<p><label>Delivery <select name=delivery><option>Post</option><option>Courier</option><option>Pickup</option></select></label></p>
<button>Go on</button></form><div id=told role=status></div><script>{script}</script>"""
FETCH = """document.forms[0].onsubmit = async (event) => {
  event.preventDefault();
  try {
    const reply = await fetch('/order', {method: 'POST', body: new URLSearchParams(new FormData(event.target))});
    if (reply.ok) { document.body.innerHTML = await reply.text(); }
  } catch (error) {}
};"""
CHANGED = (
    "document.forms[0].article.onchange = (event) => { event.target.value = event.target.value + ' XL' }"
)
CONFIRM = "document.forms[0].onsubmit = () => confirm('Order now?')"


class Shop(Site):
    """`orders` are the articles ordered, one for each order that arrived; `fault` how the next
    checkouts behave."""

    def __init__(self) -> None:
        self.orders: list[str] = []
        self.fault = ""
        super().__init__({"/": self.form, "/order": self.order, "/orders": self.listed})

    def form(self, request: BaseHTTPRequestHandler) -> Reply:
        script = {"confirm": CONFIRM, "changed": CHANGED}.get(
            self.fault, FETCH if "fetch" in self.fault else ""
        )
        return self._html(FORM.format(extra="", script=script))

    def order(self, request: BaseHTTPRequestHandler) -> Reply | None:
        if request.command != "POST":
            return self._html("<h1>Nothing here</h1>", 405)
        length = int(request.headers.get("Content-Length") or 0)
        fields = parse_qs(request.rfile.read(length).decode())
        if self.fault == "refused":
            return self._html("<h1>Not now</h1>", 503)
        self.orders.append(fields["article"][0])
        if self.fault.endswith("drop"):
            request.connection.shutdown(socket.SHUT_RDWR)
            return None
        if self.fault.endswith("error"):
            return self._html("<h1>Internal error</h1>", 500)
        if self.fault == "slow":
            time.sleep(0.7)
        if self.fault == "late":
            return self._html("<title>Shop</title><h1>Checkout</h1><p>We are working on it")
        number = len(self.orders)
        return self._html(f"<title>Shop</title><h1>Thank you</h1><dl><dt>Order number<dd>No. {number}</dl>")

    def listed(self, request: BaseHTTPRequestHandler) -> Reply:
        wanted = parse_qs(urlsplit(request.path).query).get("article", [""])[0]
        return self._html(f"<h1>Orders</h1><p>{wanted}: {self.orders.count(wanted)}")

    def _html(self, body: str, status: int = 200) -> Reply:
        return status, {"Content-Type": "text/html; charset=utf-8"}, body.encode()
