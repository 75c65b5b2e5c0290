"""The table of checks in docs/security.md: what is promised, by which test, and what is not covered.

    python scripts/checks_table.py    # the tables; exit code 1 where something is wrong with them

A check is a test `test_check_NN_…` in tests/test_checks_*.py; the first sentence of its docstring is the
promise. `NOT_COVERED = {NN: "reason"}` in such a file says what no test holds. The files are read, not
imported, so that no browser is needed."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
SECTIONS = {
    "A. Prompt injection": range(1, 11),
    "B. Allowed hosts": range(11, 19),
    "C. Secrets": range(19, 28),
    "D. Workflow memory": range(28, 39),
    "E. Judge": range(39, 43),
    "G. Storage and batches": range(53, 61),
    "H. Model provider": range(61, 70),
    "I. Browser and page": range(70, 81),
}
"""Numbers are those of the list that the checks come from; F, a dashboard, has none yet."""
REPORTS = {
    2: "how real models take the pages of section A is measured by hand, model by model",
    80: "how real applications fare is measured by hand, application by application",
}
MOST_NOT_COVERED = 5
_NAME = re.compile(r"test_check_(\d{2,})_\w+")
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s+[A-Z`*]|\s*$)", re.DOTALL)


@dataclass(frozen=True)
class Row:
    """One line of the table; `test` is `file::name`, empty where there is none."""

    number: int
    promise: str
    test: str
    outcome: str

    def markdown(self) -> str:
        cells = (str(self.number), self.promise, f"`{self.test}`" if self.test else "", self.outcome)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def rows_of(path: Path) -> Iterator[Row]:
    """The checks of one file of tests, and what it says is not covered. Raises ValueError for a check
    that promises nothing."""
    module = ast.parse(path.read_text("utf-8"))
    whole_slow = any(_says_slow(node.value) for node in module.body if _assigned(node) == "pytestmark")
    for node in module.body:
        if _assigned(node) == "NOT_COVERED" and isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            for number, reason in ast.literal_eval(node.value).items():
                yield Row(int(number), "", "", f"not covered: {reason}")
        yield from _tests(node, path, slow=whole_slow)


def _assigned(node: ast.stmt) -> str:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return targets[0].id if isinstance(targets[0], ast.Name) else ""


def _says_slow(node: ast.AST | None) -> bool:
    return node is not None and any(
        isinstance(part, ast.Attribute) and part.attr == "slow" for part in ast.walk(node)
    )


def _tests(node: ast.stmt, path: Path, *, slow: bool) -> Iterator[Row]:
    if isinstance(node, ast.ClassDef):
        for part in node.body:
            yield from _tests(part, path, slow=slow or any(map(_says_slow, node.decorator_list)))
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    named = _NAME.fullmatch(node.name)
    if named is None:
        return
    told = _SENTENCE.match(ast.get_docstring(node) or "")
    if told is None:
        raise ValueError(f"{path.name}: {node.name} has no docstring whose first sentence is its promise")
    slow = slow or any(map(_says_slow, node.decorator_list))
    outcome = "slow: `make checks`" if slow else "in every run"
    yield Row(int(named[1]), " ".join(told[1].split()), f"{path.name}::{node.name}", outcome)


def rows() -> list[Row]:
    """All checks, by number; in the order of their files where several are of one number."""
    found = [row for path in sorted(TESTS.glob("test_checks_*.py")) for row in rows_of(path)]
    found += [Row(number, "", "", f"report: {why}") for number, why in REPORTS.items()]
    return sorted(found, key=lambda row: row.number)


def faults(found: list[Row]) -> list[str]:
    """What is wrong with the list of checks: numbers that nobody speaks of, and too many excuses."""
    known = [number for numbers in SECTIONS.values() for number in numbers]
    spoken = {row.number for row in found}
    bare = [row.number for row in found if row.outcome.startswith("not covered")]
    said = [f"check {number} has neither a test nor a reason" for number in known if number not in spoken]
    said += [f"there is no check {number}" for number in sorted(spoken - set(known))]
    if len(bare) > MOST_NOT_COVERED:
        said.append(f"{len(bare)} checks are not covered; at most {MOST_NOT_COVERED} may be")
    return said


def table() -> str:
    """A Markdown table for each section."""
    found = rows()
    parts = []
    for title, numbers in SECTIONS.items():
        lines = [row.markdown() for row in found if row.number in numbers]
        if lines:
            parts += ["", f"### {title}", "", "| | what is promised | test | outcome |", "|---|---|---|---|"]
            parts += lines
    return "\n".join(parts[1:])


def main() -> int:
    """Prints the tables, and what is wrong with them to stderr."""
    wrong = faults(rows())
    sys.stdout.write(table() + "\n")
    sys.stderr.writelines(f"{line}\n" for line in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
