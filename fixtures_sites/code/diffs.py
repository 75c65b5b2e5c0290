"""What a commit changed: made from its name and the files it touches, the same each time."""

from dataclasses import dataclass
from typing import Any

from fixtures_sites.state import Data


@dataclass(frozen=True)
class Change:
    """One file of a commit: (sign, number, text) of each line shown; the sign is "+", "-" or " "."""

    path: str
    lines: tuple[tuple[str, int, str], ...]

    @property
    def added(self) -> int:
        return sum(sign == "+" for sign, _, _ in self.lines)

    @property
    def removed(self) -> int:
        return sum(sign == "-" for sign, _, _ in self.lines)


def changes_of(data: Data, commit: Any) -> list[Change]:
    """The changed files of a commit."""
    return [_change(data, commit, path) for path in commit["paths"].split("\n") if path]


def _change(data: Data, commit: Any, path: str) -> Change:
    content = data.value(
        "select content from files where project = ? and path = ? order by branch = ? desc limit 1",
        commit["project"], path, commit["branch"] or "main",
    )  # fmt: skip
    lines = (content or "(removed)").rstrip("\n").split("\n")
    chance = int(commit["sha"][:8], 16) + len(path)
    start, length = chance % len(lines), 1 + chance // 7 % 4
    changed = lines[start : start + length]
    shown = [(" ", start - 1, lines[start - 2])] if start > 1 else []
    if commit["title"] != "Initial commit":
        shown += [
            ("-", start + 1 + place, _older(text)) for place, text in enumerate(changed[: chance // 3 % 3])
        ]
    shown += [("+", start + 1 + place, text) for place, text in enumerate(changed)]
    end = start + len(changed)
    shown += [(" ", end + 1 + place, text) for place, text in enumerate(lines[end : end + 2])]
    return Change(path, tuple(shown))


def _older(text: str) -> str:
    return f"{text.rstrip()[:-1]} (old)" if len(text.strip()) > 3 else "    pass"
