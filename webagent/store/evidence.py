"""What runs say of workflows: the rows that evidence is made from, and the weights it comes to."""

from typing import Any

from webagent.store.connection import Connection, Row

MOST_SIGNALS = 200
"""The newest runs of a version that count: a site of today is judged by today's runs."""


class Evidence(Connection):
    """The part of `Store` about evidence."""

    def signal_rows(self, workflow_id: str, version: int) -> list[Row]:
        """The runs that a version came from or that were given it, oldest first: mode (`origin` for
        the former), followed, the verdict that counts (success, judge), how it ended (status),
        who acted (policy), and the goal."""
        return self._rows(
            """select * from (
                select r.id as run_id, 'origin' as mode, 1 as followed, r.success, r.judge, r.status,
                    r.policy, r.goal, r.started_at
                from workflow_origins o join runs r on r.id = o.run_id
                where o.workflow_id = ?1 and o.version = ?2
                union all
                select r.id, u.mode, u.followed, r.success, r.judge, r.status, r.policy, r.goal,
                    r.started_at
                from workflow_uses u join runs r on r.id = u.run_id
                where u.workflow_id = ?1 and u.version = ?2 and not exists (
                    select 1 from workflow_origins o
                    where o.workflow_id = ?1 and o.version = ?2 and o.run_id = u.run_id)
                order by started_at desc, run_id desc limit ?3)
            order by started_at, run_id""",
            workflow_id,
            version,
            MOST_SIGNALS,
        )

    def prior(self, workflow_id: str, version: int) -> tuple[float, float] | None:
        """Success and failure weight that a version came with; None where that was not noted yet."""
        row = self._row(
            "select success, failure from workflow_priors where workflow_id = ? and version = ?",
            workflow_id,
            version,
        )
        return (row["success"], row["failure"]) if row else None

    def set_prior(self, workflow_id: str, version: int, success: float, failure: float) -> None:
        """Notes what a version came with."""
        with self.writing():
            self._run(
                "insert or ignore into workflow_priors values (?, ?, ?, ?)",
                workflow_id,
                version,
                success,
                failure,
            )

    def has_missing_origins(self, workflow_id: str, version: int) -> bool:
        """Whether a version came from runs that are not in this database."""
        found = self._value(
            """select 1 from workflow_origins o where o.workflow_id = ? and o.version = ?
            and not exists (select 1 from runs r where r.id = o.run_id) limit 1""",
            workflow_id,
            version,
        )
        return found is not None

    def add_origin(self, workflow_id: str, version: int, run_id: str) -> None:
        """One more run that a version explains: the same routine, found again."""
        with self.writing():
            self._run("insert or ignore into workflow_origins values (?, ?, ?)", workflow_id, version, run_id)

    def versions_of_run(self, run_id: str) -> list[tuple[str, int]]:
        """The workflow versions that a run was given or that came from it."""
        rows = self._rows(
            """select workflow_id, version from workflow_uses where run_id = ?1
            union select workflow_id, version from workflow_origins where run_id = ?1""",
            run_id,
        )
        return [(row["workflow_id"], row["version"]) for row in rows]

    def set_weights(self, workflow_id: str, version: int, success: float, failure: float) -> None:
        """The evidence of a version, as it was last counted."""
        with self.writing():
            self._run(
                "update workflows set success_weight = ?, failure_weight = ? where id = ? and version = ?",
                success,
                failure,
                workflow_id,
                version,
            )

    def judge_agreement(self) -> tuple[int, int]:
        """Of the runs that both the model and a real signal judged: how many they agreed on, and all."""
        row = self._row(
            """select coalesce(sum(l.success = e.success), 0) as agreed, count(*) as seen from
            (select run_id, success, max(rowid) from verdicts
                where judge = 'llm' and success is not null group by run_id) l
            join (select run_id, success, max(rowid) from verdicts
                where judge in ('expect', 'human') and success is not null group by run_id) e
            on e.run_id = l.run_id"""
        )
        assert row is not None
        return int(row["agreed"]), int(row["seen"])

    def idle_since(self, hostname: str, moment: str) -> list[tuple[str, int]]:
        """Live versions of a hostname that were neither made nor used since then (ISO 8601, UTC)."""
        rows: list[dict[str, Any]] = self._rows(
            """select id, version from workflows where hostname = ? and status in ('candidate', 'active')
            and coalesce(last_used_at, created_at) < ? and created_at < ?""",
            hostname,
            moment,
            moment,
        )
        return [(row["id"], row["version"]) for row in rows]

    def came_from(self, workflow_id: str, *, goal: str = "", task: str = "") -> bool:
        """Whether any version of a workflow came from a run of this goal (case folded) or task."""
        found = self._value(
            """select 1 from workflow_origins o join runs r on r.id = o.run_id where o.workflow_id = ?
            and ((? <> '' and lower(r.goal) = lower(?)) or (? <> '' and r.task = ?)) limit 1""",
            workflow_id,
            goal,
            goal,
            task,
            task,
        )
        return found is not None

    def is_called(self, workflow_id: str, hostname: str) -> bool:
        """Whether a live workflow of the hostname calls this one."""
        found = self._value(
            """select 1 from workflows w, json_each(w.body, '$.steps') s
            where w.hostname = ? and w.status in ('candidate', 'active')
            and json_extract(s.value, '$.tool') = 'workflow'
            and json_extract(s.value, '$.arguments.id') = ? limit 1""",
            hostname,
            workflow_id,
        )
        return found is not None
