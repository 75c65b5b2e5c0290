"""Secrets as a pure module: the file, the hosts, filling in and masking."""

import base64
import html
import json
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from webagent.browser.options import BrowserOptions
from webagent.cli import cli
from webagent.errors import ActionError, UsageError
from webagent.secrets import Secrets
from webagent.settings import Settings

NASTY = "p\"ä&%<'x /\\+é😀 \n zz"
HERE = "http://shop.localhost:8080/login"


def parsed(text: str) -> Secrets:
    return Secrets.parse(text, "--secrets 'f.env'")


class TestTheFile:
    def test_it_is_a_dotenv_file_in_which_dollars_mean_nothing(self) -> None:
        secrets = parsed('# mine\n\nexport A=a b # note\nB=\'$A "q"\'\nC@*.x.com="one\\ntwo"\n')
        assert [(one.name, one.value, one.host) for one in secrets.known] == [
            ("A", "a b", ""), ("B", '$A "q"', ""), ("C", "one\ntwo", "*.x.com"),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("text", "line", "says"),
        [
            ("A=1\n\n\nno value here\n", 4, "not NAME=value"),
            ("A=1\nB\n", 2, "not NAME=value"),
            ("A='1\nB=2\n", 1, "not NAME=value"),
            ("\nA=\n", 2, "no value"),
            ("A='  '\n", 1, "no value"),
            ("1A=hunter2\n", 1, "a name is made of"),
            ("A@=hunter2\n", 1, "no host"),
            ("A@*=hunter2\n", 1, "no host"),
            ("A@*.=hunter2\n", 1, "no host"),
            ("A=hunter2\nA=hunter3\n", 2, "given before"),
        ],
    )
    def test_a_bad_line_is_named_without_its_value(self, text: str, line: int, says: str) -> None:
        with pytest.raises(UsageError, match=rf"--secrets 'f.env', line {line}: .*{says}") as caught:
            parsed(text)
        assert "hunter" not in str(caught.value)

    def test_a_file_that_others_can_read_is_noticed(self, tmp_path: Path) -> None:
        file = tmp_path / "s.env"
        file.write_text("A=hunter2")
        for mode, exposed in ((0o600, False), (0o640, True), (0o604, True)):
            file.chmod(mode)
            assert Secrets.read(str(file)).exposed is exposed

    @pytest.mark.parametrize("content", [None, b"A=\xff\xfe"])
    def test_a_file_that_can_not_be_read_is_bad_usage(self, tmp_path: Path, content: bytes | None) -> None:
        file = tmp_path / "s.env"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(UsageError, match=r"--secrets '.*s.env' (can't be read|is not UTF-8)"):
            Settings.of({"secrets": str(file)}, {})

    def test_the_command_line_warns_of_a_file_that_others_can_read(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("s.env").write_text("A=hunter2")
        Path("s.env").chmod(0o644)
        with pytest.raises(UsageError, match="the goal is empty"):
            cli.main(["run", " ", "--secrets", "s.env"], "webagent", standalone_mode=False)
        assert capsys.readouterr().err == (
            "warning: others can read --secrets 's.env'; `chmod 600` keeps it yours\n"
        )

    def test_no_value_is_in_any_repr(self, tmp_path: Path) -> None:
        file = tmp_path / "s.env"
        file.write_text("A=hunter2")
        settings = Settings.of({"secrets": str(file)}, {})
        options = BrowserOptions(secrets=settings.secret_values)
        assert options.secrets.known[0].value == "hunter2"
        assert "hunter2" not in f"{settings!r} {options!r} {options.secrets!r} {options.secrets.known!r}"


class TestHosts:
    SECRETS = parsed(
        "ANY=one\nHOST@shop.localhost=two\nWILD@*.shop.localhost=three\nPORT@shop.localhost:81=four\n"
        "HOST@*.shop.localhost=five"
    )

    @pytest.mark.parametrize(
        ("url", "names"),
        [
            (HERE, ("ANY", "HOST", "WILD")),
            ("https://www.shop.localhost/", ("ANY", "WILD", "HOST")),
            ("http://SHOP.localhost.:81/", ("ANY", "HOST", "WILD", "PORT")),
            ("http://shop.localhost.evil/", ()),
            ("http://evilshop.localhost/", ()),
            ("http://shop.localhost@evil/", ()),
            ("about:blank", ()),
            ("data:text/html,<input>", ()),
            ("", ()),
        ],
    )
    def test_a_name_goes_where_it_is_bound_and_an_unbound_one_where_the_run_may_go(
        self, url: str, names: tuple[str, ...]
    ) -> None:
        assert self.SECRETS.names_for([url], ["*.shop.localhost"]) == names

    def test_the_closest_binding_counts(self) -> None:
        assert self.SECRETS.fill("<secret:HOST>", HERE, ["*"]) == "two"
        assert self.SECRETS.fill("<secret:HOST>", "http://a.shop.localhost/", ["*"]) == "five"

    def test_a_text_may_hold_several(self) -> None:
        assert self.SECRETS.fill("<secret:ANY>:<secret:HOST>!", HERE, [HERE]) == "one:two!"

    @pytest.mark.parametrize("text", ["<secret:NO>", "a <secret:PORT>", "<secret:any>"])
    def test_what_may_not_be_typed_is_refused_with_the_names_that_may(self, text: str) -> None:
        with pytest.raises(ActionError, match="<secret:ANY>, <secret:HOST>, <secret:WILD>") as caught:
            self.SECRETS.fill(text, HERE, [HERE])
        assert not any(one.value in str(caught.value) for one in self.SECRETS.known)

    def test_a_run_without_secrets_says_so(self) -> None:
        with pytest.raises(ActionError, match="started without --secrets"):
            Secrets().fill("<secret:A>", HERE, [HERE])


class TestMasking:
    @pytest.mark.parametrize(
        "spelling",
        [
            str,
            str.upper,
            quote,
            lambda text: quote(text, safe=""),
            lambda text: quote(text, safe="").lower(),
            lambda text: quote(text, safe="!'()*"),
            lambda text: quote(quote(text)),
            quote_plus,
            lambda text: quote_plus(text.replace("\n", "\r\n")),
            json.dumps,
            lambda text: json.dumps(text, ensure_ascii=False),
            lambda text: json.dumps({"x": json.dumps([text])}),
            lambda text: json.dumps(text).replace("/", "\\/"),
            html.escape,
            lambda text: html.escape(text, quote=False),
            lambda text: html.escape(html.escape(text)),
            lambda text: " ".join(text.split()),
            lambda text: base64.b64encode(f"a{text}".encode()).decode(),
            lambda text: base64.b64encode(f"ab{text}c".encode()).decode(),
            lambda text: base64.urlsafe_b64encode(f"abc{text}cd".encode()).decode(),
            lambda text: quote(base64.b64encode(text.encode()).decode(), safe=""),
        ],
    )
    @pytest.mark.parametrize("value", [NASTY, "correct horse", "hunter2!", "ananas@example.com", "Ölçü=?~~~"])
    def test_a_value_is_found_however_it_is_spelt(self, value: str, spelling: object) -> None:
        assert callable(spelling)
        secrets = Secrets.parse(f"A={json.dumps(value, ensure_ascii=False)}", "f")
        assert secrets.known[0].value == value
        masked = secrets.mask(f"before {spelling(value)} after")
        assert "<secret:A>" in masked
        assert len(masked) <= len('before "\\"<secret:A>\\"" after') + 14
        assert masked.startswith("before ")
        assert masked.endswith(" after")

    def test_the_longer_of_two_goes_first(self) -> None:
        assert parsed("A=hunter\nB=hunter2").mask("hunter hunter2") == "<secret:A> <secret:B>"

    def test_a_short_value_is_masked_as_a_word_only(self) -> None:
        assert parsed("A=ab").mask("ab cab ab. abc q=ab&") == "<secret:A> cab <secret:A>. abc q=<secret:A>&"

    def test_a_document_of_json_stays_one(self) -> None:
        secrets = Secrets.parse(f"A={json.dumps(NASTY)}", "f")
        assert json.loads(secrets.mask(json.dumps({"a": [NASTY, f"x{NASTY}y"]}))) == {
            "a": ["<secret:A>", "x<secret:A>y"]
        }

    def test_without_secrets_nothing_changes(self) -> None:
        assert Secrets().mask("all of it") == "all of it"
