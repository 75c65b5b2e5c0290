"""The folder of a run's trace: Playwright's trace.zip, a picture and the exact messages of each step."""

import json
from collections.abc import Sequence
from pathlib import Path

from webagent.errors import EnvironmentFault
from webagent.interfaces import Message


class TraceFolder:
    """`screenshots/step-01.png` after each step, `prompts/turn-01.json` for each call of the model.
    Pages can hold private things: the folder is for its owner alone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._turns = 0
        try:
            for folder in (path, path / "screenshots", path / "prompts"):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.chmod(0o700)
        except OSError as error:
            raise EnvironmentFault(f"--output-dir {str(path)!r} can't be used: {error}") from error

    def screenshot(self, n: int) -> Path:
        """Where the picture after step `n` goes."""
        return self.path / "screenshots" / f"step-{n:02}.png"

    def prompt(self, messages: Sequence[Message]) -> None:
        """Writes the messages of one turn."""
        self._turns += 1
        text = json.dumps(list(messages), ensure_ascii=False, indent=1)
        (self.path / "prompts" / f"turn-{self._turns:02}.json").write_text(text, "utf-8", errors="replace")
