import pytest

from tests.pages.kit import Reply, serving, visiting
from webagent.browser.launch import Chromium
from webagent.errors import EnvironmentFault

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_frames_of_other_hosts_load_and_go_where_they_want(chromium: Chromium) -> None:
    page = (
        "<iframe id=f></iframe><script>f.src = 'http://other.localhost:' + location.port + '/frame'</script>"
    )
    inner = "<button>Framed</button><a href=/next>Further</a><form action=/next><button>Send</button></form>"
    with serving({"/": page, "/frame": inner, "/next": "<p>Went on</p>"}) as site:
        for role, name in (("link", "Further"), ("button", "Send")):
            async with visiting(chromium, site.url()) as hand:
                assert "Framed" in hand.text
                await hand.do("click", ref=hand.ref(role, name))
                assert "Went on" in hand.text
                assert hand.seen.url == site.url()


async def test_other_hosts_are_allowed_by_pattern(chromium: Chromium) -> None:
    with serving({"/": "<h1>Home</h1>"}) as site:
        allowed = ("pages.localhost", "*.friend.localhost")
        async with visiting(chromium, site.url(), allowed_domains=allowed) as hand:
            await hand.do("goto", url=site.url("/", host="a.friend.localhost"))
            await hand.do("goto", url=site.url("/", host="friend.localhost"))
            await hand.refuse("goto", url=site.url("/", host="sub.pages.localhost"))


async def test_runs_with_different_hosts_share_a_browser(chromium: Chromium) -> None:
    with serving({"/": "<h1>Home</h1>"}) as site:
        async with (
            visiting(chromium, site.url(host="one.localhost"), listed_only=True) as one,
            visiting(chromium, site.url(host="two.localhost"), listed_only=True) as two,
        ):
            await one.refuse("goto", url=site.url(host="two.localhost"))
            await two.refuse("goto", url=site.url(host="one.localhost"))
            await one.do("goto", url=site.url(host="one.localhost"))
            assert one.seen.url != two.seen.url
            for hand in (one, two):
                for host in ("one", "two"):
                    url = site.url(f"/by-{hand.seen.url[7:10]}", host=f"{host}.localhost")
                    await hand.session.evaluate(f"fetch({url!r}, {{mode: 'no-cors'}}).catch(() => 0)")
        hits = [(host.partition(".")[0], path) for host, path in site.hits if path.startswith("/by-")]
        assert hits == [("one", "/by-one"), ("two", "/by-two")]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://nowhere.invalid/"])
async def test_a_start_url_that_cannot_be_reached_is_named_in_one_line(chromium: Chromium, url: str) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        async with visiting(chromium, url):
            pass
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_start_url_that_leads_to_another_host_is_refused(chromium: Chromium) -> None:
    def redirect(request: object) -> Reply:
        port = request.server.server_address[1]  # type: ignore[attr-defined]
        return 302, {"Location": f"http://evil.localhost:{port}/"}, b""

    with serving({"/redirect": redirect}) as site, pytest.raises(EnvironmentFault, match=r"evil\.localhost"):
        async with visiting(chromium, site.url("/redirect")):
            pass
