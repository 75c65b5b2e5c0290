"""Runs benchmarks and writes their tables: `python -m benchmarks [PART …]`.

Tables go into docs/benchmarks.md, each between its own markers, and their figures into docs/benchmarks.json. What
is not measured anew stays as it is."""

import argparse
import json
import os
import platform
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import database, prompts, reading, starting, steps, throughput
from benchmarks.measuring import ROOT, Table

PARTS: Mapping[str, Callable[[int], Iterator[Table]]] = {
    "reading": reading.measure,
    "steps": steps.measure,
    "prompts": prompts.measure,
    "starting": starting.measure,
    "throughput": throughput.measure,
    "database": database.measure,
}
PAGE = ROOT / "docs" / "benchmarks.md"
FIGURES = PAGE.with_suffix(".json")


def written(text: str, table: Table) -> str:
    """The page with a table in the place of its older self, or at its end."""
    start, end = f"<!-- {table.title} -->", f"<!-- end of {table.title} -->"
    block = f"{start}\n{table.markdown()}\n{end}"
    if start not in text:
        return f"{text.rstrip()}\n\n{block}\n"
    return re.sub(f"{re.escape(start)}.*?{re.escape(end)}", lambda _: block, text, flags=re.DOTALL)


def keep(table: Table, page: Path = PAGE, figures: Path = FIGURES) -> None:
    """Writes a table and its figures."""
    page.write_text(written(page.read_text(encoding="utf-8"), table), encoding="utf-8")
    known: dict[str, Any] = json.loads(figures.read_text(encoding="utf-8")) if figures.exists() else {}
    known[table.title] = {
        "part": table.part,
        "measured": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "columns": list(table.columns),
        "rows": [list(row) for row in table.rows],
        "figures": table.figures,
    }
    figures.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Parts in the order given, all of them where none is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "part", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"of {', '.join(PARTS)}"
    )
    parser.add_argument("--rounds", type=int, default=12, help="measurements of each (default: %(default)s)")
    parser.add_argument("--print", action="store_true", help="only print, leave docs/ as it is")
    given = parser.parse_args()
    for part in given.part or PARTS:
        for table in PARTS[part](given.rounds):
            sys.stdout.write(f"{table.markdown()}\n\n")
            sys.stdout.flush()
            if not given.print:
                keep(table)


if __name__ == "__main__":
    main()
