import pytest

from webagent.browser.choices import Ambiguous, choose
from webagent.browser.values import for_field
from webagent.errors import ActionError
from webagent.hosts import allows, default_hosts, host_of


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("date", "2027-03-09", "2027-03-09"),
        ("date", "2027/3/9", "2027-03-09"),
        ("date", "9 March 2027", "2027-03-09"),
        ("date", "March 9th, 2027", "2027-03-09"),
        ("date", "25/03/2027", "2027-03-25"),
        ("date", "03/25/2027", "2027-03-25"),
        ("date", "9.3.2027", "2027-03-09"),
        ("date", "03/04/2027", None),
        ("date", "2027-02-30", None),
        ("date", "tomorrow", None),
        ("time", "16:05", "16:05"),
        ("time", "4:05 pm", "16:05"),
        ("time", "12 am", "00:00"),
        ("time", "9", None),
        ("time", "25:00", None),
        ("datetime-local", "2027-03-09 16:05", "2027-03-09T16:05"),
        ("datetime-local", "9 March 2027 at 4:05 pm", "2027-03-09T16:05"),
        ("month", "April 2027", "2027-04"),
        ("month", "2027-4", "2027-04"),
        ("week", "2027-W7", "2027-W07"),
        ("week", "week 7 of 2027", "2027-W07"),
        ("week", "2027-03-09", "2027-W10"),
        ("color", "#F00", "#ff0000"),
        ("color", "rgb(1, 2, 3)", "#010203"),
        ("color", "mauvish", None),
        ("range", "21,5", "21.5"),
        ("range", "50 %", "50"),
        ("range", "high", None),
        ("date", "", ""),
    ],
)
def test_words_become_what_a_native_field_takes_or_nothing(kind: str, text: str, value: str | None) -> None:
    assert for_field(kind, text) == value


@pytest.mark.parametrize(
    ("url", "patterns", "allowed"),
    [
        ("http://x.com/", ("x.com",), True),
        ("http://a.x.com/", ("x.com",), False),
        ("http://a.x.com/", ("*.x.com",), True),
        ("http://x.com/", ("*.x.com",), True),
        ("http://notx.com/", ("*.x.com",), False),
        ("http://x.com.evil.com/", ("*.x.com",), False),
        ("http://x.com@evil.com/", ("*.x.com",), False),
        ("http://X.COM./", ("x.com",), True),
        ("https://bücher.de/", ("xn--bcher-kva.de",), True),
        ("http://x.com:81/", ("x.com:80",), False),
        ("http://x.com/", ("x.com:80",), True),
        ("http://x.com/", ("http://x.com/path",), True),
        ("http://[::1]:8000/", ("[::1]",), True),
        ("http://anything.org/", ("*",), True),
        ("file:///etc/passwd", ("*",), False),
        ("chrome://version", ("*",), False),
        ("not a url", ("*",), False),
        ("http://x.com/", (), False),
    ],
)
def test_hosts_fit_patterns_by_their_normal_form(url: str, patterns: tuple[str, ...], allowed: bool) -> None:
    assert allows(url, patterns) is allowed


def test_by_default_a_host_and_its_subdomains_are_allowed_and_of_an_address_only_itself() -> None:
    assert default_hosts("https://www.x.com/a") == ("*.x.com",)
    assert default_hosts("http://127.0.0.1:80/") == ("127.0.0.1",)
    assert default_hosts("http://localhost:80/") == ("localhost",)
    assert host_of("ftp://x.com") == ""


CHOICES = [
    {"index": n, "label": label, "value": value, "group": group, "disabled": off, "selected": False}
    for n, (label, value, group, off) in enumerate(
        [
            ("Choose", "", "", False),
            ("Monthly", "o1", "Office", False),
            ("Monthly", "w1", "Warehouse", False),
            ("Weekly", "w2", "Warehouse", True),
            ("a: b", "ab", "", False),
        ]
    )
]


@pytest.mark.parametrize(
    ("wanted", "indexes"),
    [
        (["Warehouse: Monthly"], [2]),
        (["warehouse:monthly"], [2]),
        (["o1"], [1]),
        (["choose", "w1"], [0, 2]),
        (["a: b"], [4]),
    ],
)
def test_options_are_meant_by_label_value_or_group_and_label(wanted: list[str], indexes: list[int]) -> None:
    assert choose(CHOICES, wanted) == indexes


@pytest.mark.parametrize("wanted", ["Monthly", "Yearly", "Weekly", ""])
def test_ambiguous_unknown_and_disabled_options_are_refused(wanted: str) -> None:
    with pytest.raises(Ambiguous) as caught:
        choose(CHOICES, [wanted])
    assert isinstance(caught.value, ActionError)
