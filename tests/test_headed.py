"""A real window on a virtual display, and a person's real mouse and keys in it."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import environment
from tests.endpoint import Request, ScriptedEndpoint, text_of
from tests.pages.kit import serving

NEEDED = ("Xvfb", "xdotool", "import", "convert")
MISSING = [name for name in NEEDED if shutil.which(name) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"no virtual display here: {', '.join(MISSING)} missing"),
]
PAGE = """<title>Shop</title><body style='margin: 0'><button style='position: fixed; inset: 0; width: 100vw; height: 60vh'
 onclick="o.textContent += 'pressed '">Press</button><p id=o style='position: fixed; top: 70vh'></p>
 <button style='position: fixed; top: 80vh'>Ask</button>
 <button onclick="setTimeout(() => document.title = confirm('Sure?'))" style='position: fixed; top: 90vh'>Sure</button>"""


@pytest.fixture
def display() -> Iterator[str]:
    """The name of a virtual display of its own."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        yield f":{told.readline().strip()}"
    server.terminate()
    server.wait()


class Person:
    """A run in a window: reads what it says, types in its terminal, points and looks at its display."""

    def __init__(self, display: str, cwd: Path, *arguments: str) -> None:
        self.env = environment({"HOME": str(cwd), "DISPLAY": display})
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "webagent", "run", "press it", "--json", "--headed", *arguments],
            cwd=cwd,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def hears(self, words: str) -> None:
        assert self.process.stderr
        while words not in self.said.rpartition("\f")[2]:
            line = self.process.stderr.readline()
            assert line, f"it ended without {words!r}:\n{self.said}"
            self.said += line
        self.said += "\f"

    def types(self, line: str = "") -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")

    def points(self, *arguments: str) -> None:
        subprocess.run(["xdotool", *arguments], env=self.env, check=True)

    def colours(self, path: Path) -> str:
        """A picture of the whole display, and how many points of it have which colour."""
        subprocess.run(["import", "-window", "root", str(path)], env=self.env, check=True)
        counted = subprocess.run(
            ["convert", str(path), "-format", "%c", "histogram:info:-"],
            capture_output=True,
            text=True,
            check=True,
        )
        return counted.stdout

    def ends(self) -> tuple[int, str]:
        out, err = self.process.communicate(timeout=60)
        self.said += err
        return self.process.returncode, out


def test_a_person_sees_what_comes_takes_over_with_the_mouse_and_gives_the_browser_back(
    tmp_path: Path, display: str
) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, str]]]:
        done = "pressed" in text_of(request)
        return [("stop", {"answer": "ok"})] if done else [("click", {"ref": "e3", "thought": "ask first"})]

    with serving(PAGE) as site, ScriptedEndpoint(act) as endpoint:
        extra = ("--url", site.url(), "--base-url", endpoint.base_url, "--expect", '{"answer": "ok"}')
        person = Person(display, tmp_path, "--step", "--slow-mo", "500", *extra)
        person.hears("Enter = do it")
        picture = person.colours(tmp_path / "before.png")
        for _ in range(20):  # a frame is drawn some milliseconds later
            if "#FF005A" in picture:
                break
            time.sleep(0.2)
            picture = person.colours(tmp_path / "before.png")
        assert "#FF005A" in picture, person.said
        person.types("t")
        person.hears("Enter gives it back")
        person.points("mousemove", "640", "300", "click", "1")
        person.types()
        code, out = person.ends()
        told = text_of(endpoint.acts[-1])
    assert code == 0, person.said
    assert json.loads(out)["policy"] == "mixed"
    assert "the person took over the browser here and acted in it" in told
    assert "pressed" in told
    assert json.loads(out)["workflows"]["learned"] == []


def test_a_question_of_the_page_that_the_person_answered_is_no_longer_open(
    tmp_path: Path, display: str
) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, str]]]:
        done = len(endpoint.acts) > 1
        return [("stop", {"answer": "ok"})] if done else [("click", {"ref": "e3"})]

    with serving(PAGE) as site, ScriptedEndpoint(act) as endpoint:
        extra = ("--url", site.url(), "--base-url", endpoint.base_url, "--expect", '{"answer": "ok"}')
        person = Person(display, tmp_path, "--step", *extra)
        person.hears("Enter = do it")
        person.types("t")
        person.hears("Enter gives it back")
        person.points("mousemove", "30", "755", "click", "1")
        while "#FF005A" in person.colours(tmp_path / "asked.png"):
            pass  # the question darkens the page, its outline too
        person.points("key", "Return")
        while "#FF005A" not in person.colours(tmp_path / "answered.png"):
            pass
        person.types()
        code, _ = person.ends()
        told = text_of(endpoint.acts[-1])
    assert code == 0, person.said
    assert "- dialog" not in told
    assert 'title="true"' in told


def test_a_person_says_yes_by_keys_in_the_window(tmp_path: Path, display: str) -> None:
    def act(request: Request) -> list[tuple[str, dict[str, str]]]:
        done = "gone" in text_of(request)
        return [("stop", {"answer": "gone"})] if done else [("click", {"ref": "e3", "thought": "clear it"})]

    page = """<body><h1>List</h1><button onclick="o.textContent = 'gone'">Delete the list</button><p id=o>42</p>"""
    with serving(page) as site, ScriptedEndpoint(act) as endpoint:
        extra = (
            "--url",
            site.url(),
            "--base-url",
            endpoint.base_url,
            "--confirm",
            "risky",
            "--judge",
            "none",
        )
        person = Person(display, tmp_path, *extra, "--pause-on-error")  # somebody is there for certain
        person.hears("y = do it")
        person.points("mousemove", "640", "700", "click", "1")
        person.colours(tmp_path / "asked.png")
        over = threading.Event()

        def press() -> None:
            while not over.wait(0.5):  # it may not listen yet
                person.points("key", "ctrl+shift+Return")

        pressing = threading.Thread(target=press)
        pressing.start()
        person.hears("clicked")
        over.set()
        pressing.join()
        _, out = person.ends()
    assert json.loads(out)["answer"] == "gone", person.said
