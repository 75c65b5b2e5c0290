"""What became of each thing that was to be imported."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from webagent.workflow import Workflow


@dataclass(frozen=True)
class Imported:
    """One workflow version or run. `result` is imported, new version or skipped; `line` is where it
    begins in `path`; `note` says what a person should know."""

    result: str
    path: str
    line: int
    kind: str
    id: str
    version: int | None
    name: str
    hostname: str
    status: str
    steps: int
    note: str = ""

    def as_object(self) -> dict[str, Any]:
        """The object that `import --json` prints."""
        return asdict(self)


@dataclass(frozen=True)
class Report:
    """All that one import did, in order, and what it left out."""

    rows: Sequence[Imported]
    left_out: Sequence[str] = ()


def imported_workflow(result: str, workflow: Workflow, path: str, line: int, note: str = "") -> Imported:
    """The row of a workflow as it was stored, or as it was found."""
    return Imported(
        result=result,
        path=path,
        line=line,
        kind="workflow",
        id=workflow.id,
        version=workflow.version,
        name=workflow.name,
        hostname=workflow.hostname,
        status=workflow.status,
        steps=len(workflow.steps),
        note=note,
    )
