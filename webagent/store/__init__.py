"""The database: one file of runs, workflows and lessons. No SQL stands outside this folder and
`migrations`."""

from webagent.store.batches import Batches
from webagent.store.evidence import Evidence
from webagent.store.lessons import Lessons
from webagent.store.outcomes import Outcomes
from webagent.store.runs import RunRow, Runs
from webagent.store.transfer import Transfer
from webagent.store.workflows import LIVE, Workflows

__all__ = ["LIVE", "RunRow", "Store"]


class Store(Runs, Batches, Workflows, Evidence, Lessons, Outcomes, Transfer):
    """The open database: `with Store.open("workflows.db") as store: …`."""

    def hostnames(self) -> list[str]:
        """All hostnames that anything is kept for."""
        rows = self._rows(
            """select hostname from workflows union select hostname from lessons
            union select hostname from runs order by hostname"""
        )
        return [row["hostname"] for row in rows]

    def counts(self) -> dict[str, int]:
        """Rows of each table, and of workflows by status (`active`, `candidate`, …)."""
        tables = ("runs", "steps", "observations", "workflows", "lessons", "verdicts")
        counts = {table: int(self._value(f"select count(*) from {table}")) for table in tables}
        by_status = self._rows("select status, count(*) as n from workflows group by status order by status")
        return counts | {row["status"]: row["n"] for row in by_status}

    def schema(self) -> dict[str, list[str]]:
        """The columns of each table that others may query."""
        hidden = ("sqlite_%", "_sqlite%", "%_fts%")
        rows = self._rows(
            """select t.name as name, c.name as field from pragma_table_list t join pragma_table_info(t.name) c
            where t.schema = 'main' and not (t.name like ? or t.name like ? or t.name like ?)
            order by t.name, c.cid""",
            *hidden,
        )
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(row["name"], []).append(row["field"])
        return found
