import asyncio
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.pages.kit import own_chrome, serving, visiting
from webagent.browser.arguments import browser_environment
from webagent.browser.launch import find_chromium, open_browser
from webagent.browser.options import BrowserOptions
from webagent.browser.spool import Spool
from webagent.errors import BrowserFault


def test_importing_the_browser_package_does_not_import_playwright() -> None:
    code = (
        "import sys, webagent.browser.launch, webagent.browser.session; sys.exit('playwright' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_given_path_that_is_no_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "none", tmp_path):
        with pytest.raises(BrowserFault, match=str(path)):
            find_chromium(str(path))


def test_a_chromium_is_found_here() -> None:
    path = find_chromium()
    assert path is not None
    assert os.access(path, os.X_OK)
    assert find_chromium(path) == path


def test_the_browser_gets_no_keys_of_ours() -> None:
    given = {
        "PATH": "/bin",
        "OPENAI_API_KEY": "k",
        "GITHUB_TOKEN": "t",
        "MY_SECRET_X": "s",
        "OTEL_EXPORTER_OTLP_HEADERS": "h",
    }
    assert browser_environment(given) == {"PATH": "/bin"}


@pytest.mark.parametrize("length", [30, 58, 66, 90, 200])
async def test_a_browser_starts_wherever_temporary_files_are_kept(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chromium names a socket in TMPDIR, and dies where the name gets longer than 107 characters."""
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        folder = Path(short, "x" * (length - len(short) - 1))
        folder.mkdir()
        monkeypatch.setenv("TMPDIR", str(folder))
        with serving("<h1>Hi</h1>") as site:
            async with open_browser(BrowserOptions()) as running, visiting(running, site.url()) as hand:
                assert "Hi" in hand.text
        assert not list(folder.iterdir())


async def test_a_browser_that_cannot_start_is_a_fault_of_one_line(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(BrowserFault) as caught:
        async with open_browser(BrowserOptions(executable_path=str(program))):
            pass
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


async def test_what_playwright_turns_off_stays_off(tmp_path: Path) -> None:
    """Of two `--disable-features` Chromium heeds the last, which is ours."""
    program = tmp_path / "chromium"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\nexit 1\n')
    program.chmod(0o755)
    with pytest.raises(BrowserFault):
        async with open_browser(BrowserOptions(executable_path=str(program))):
            pass
    flag = "--disable-features="
    arguments = (tmp_path / "arguments").read_text().splitlines()
    lists = [set(one.removeprefix(flag).split(",")) for one in arguments if one.startswith(flag)]
    assert lists[0] < lists[-1]


async def test_a_browser_that_is_not_there_to_attach_to_is_a_fault_of_one_line() -> None:
    with pytest.raises(BrowserFault, match=r"127\.0\.0\.1:9"):
        async with open_browser(BrowserOptions(cdp_endpoint="http://127.0.0.1:9")):
            pass


async def test_cookies_are_kept_in_a_file_of_ones_own_and_used_again(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    with serving("<script>document.write(document.cookie || 'none')</script>") as site:
        async with open_browser(BrowserOptions()) as running, visiting(running, site.url()) as hand:
            await hand.session.evaluate("document.cookie = 'who=ana; max-age=1000'")
            await hand.session.storage_state(state)
        assert state.stat().st_mode & 0o777 == 0o600
        async with open_browser(BrowserOptions(storage_state=str(state))) as running:
            session_options = {"storage_state": str(state)}
            async with visiting(running, site.url(), **session_options) as hand:
                assert "who=ana" in hand.text


async def test_a_profile_folder_is_used_and_kept(tmp_path: Path) -> None:
    options = BrowserOptions(user_data_dir=str(tmp_path / "profile"))
    with serving("<h1>Hi</h1>") as site:
        for shown in ("null", "kept"):
            async with open_browser(options) as running, visiting(running, site.url()) as hand:
                assert str(await hand.session.evaluate("localStorage.getItem('x') || 'null'")) == shown
                await hand.session.evaluate("localStorage.setItem('x', 'kept')")


def test_what_killed_programs_left_is_swept_and_what_living_ones_use_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "from webagent.browser.spool import Spool; import os; Spool(); os.kill(os.getpid(), 9)"
    command, env = [sys.executable, "-c", code], {**os.environ, "TMPDIR": str(tmp_path)}
    assert subprocess.run(command, env=env, check=False).returncode == -9
    [left] = tmp_path.iterdir()
    (left / "half a download").write_text("x")
    (tmp_path / "webagent-spool-note").write_text("a file")
    one = Spool()
    other = Spool()
    assert {*map(str, tmp_path.iterdir())} == {one.path, other.path, str(tmp_path / "webagent-spool-note")}
    one.close()
    other.close()
    assert [path.name for path in tmp_path.iterdir()] == ["webagent-spool-note"]


async def test_a_missing_storage_state_is_a_fault_that_names_it(tmp_path: Path) -> None:
    options = BrowserOptions(storage_state=str(tmp_path / "none.json"))
    async with open_browser(options) as running:
        with pytest.raises(BrowserFault, match=r"none\.json"):
            await running.context()


def tabs_of(port: int) -> list[str]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as answer:
        return [one["url"] for one in json.load(answer) if one["type"] == "page"]


async def test_a_browser_of_someone_elses_is_used_and_left_as_it_was(tmp_path: Path) -> None:
    async with own_chrome(tmp_path) as (browser, port):
        options = BrowserOptions(cdp_endpoint=f"http://127.0.0.1:{port}")
        with serving({"/": "<a href=/two target=_blank>Two</a>", "/two": "<h1>Second</h1>"}) as site:
            async with open_browser(options) as running, visiting(running, site.url()) as hand:
                assert hand.line("link", "Two").box
                await hand.do("click", ref=hand.ref("link", "Two"))
                assert "Second" in hand.text
                assert (hand.seen.tab, hand.seen.tabs) == (2, 2)
                refused = await hand.refuse("goto", url="http://evil.localhost/")
                assert "evil.localhost" in refused.error
        assert browser.returncode is None
        assert await asyncio.to_thread(tabs_of, port) == ["about:blank"]


async def test_a_browser_of_someone_elses_that_was_started_anew_is_attached_to_again(tmp_path: Path) -> None:
    with serving("<h1>Hi</h1>") as site:
        async with AsyncExitStack() as stack:
            async with own_chrome(tmp_path / "one") as (_, port):
                options = BrowserOptions(cdp_endpoint=f"http://127.0.0.1:{port}")
                running = await stack.enter_async_context(open_browser(options))
                async with visiting(running, site.url()) as hand:
                    assert "Hi" in hand.text
            for folder in ("two", "three"):
                async with own_chrome(tmp_path / folder, port):
                    await running.revive()
                    async with visiting(running, site.url()) as hand:
                        assert "Hi" in hand.text


async def test_a_window_without_a_display_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(BrowserFault, match="DISPLAY is not set"):
        async with open_browser(BrowserOptions(headed=True)):
            pass


async def test_a_trace_is_saved_beside_the_downloads(tmp_path: Path) -> None:
    with serving("<h1>Hi</h1>") as site:
        async with (
            open_browser(BrowserOptions()) as running,
            visiting(running, site.url(), save_trace=True, output_dir=str(tmp_path)) as hand,
        ):
            assert "Hi" in hand.text
    assert (tmp_path / "trace.zip").stat().st_size > 0
