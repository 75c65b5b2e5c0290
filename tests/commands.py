"""Runs the command line as a user does: a process of its own, in a folder of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without any settings of webagent or keys."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("WEBAGENT_", "OPENAI_"))}
    return {**kept, **(extra or {})}


def webagent(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 100,
    typed: str = "",
) -> Done:
    """`webagent ARGUMENTS`, waited for; `typed` is what a person types, to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "webagent", *arguments],
        cwd=cwd,
        env=environment({"HOME": str(cwd), **(env or {})}),
        input=typed,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
