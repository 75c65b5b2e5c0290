"""How the runs went that a workflow came from, that followed it, and that did not."""

from webagent.store.connection import Connection, Row


class Outcomes(Connection):
    """The part of `Store` that reviews ask."""

    def origin_rows(self, workflow_id: str, version: int) -> list[Row]:
        """The runs that a version came from: run_id, and goal, status, success, judge, reason, ended_at
        (all None for a run that is not in this database)."""
        rows = self._rows(
            """select o.run_id, r.goal, r.status, r.success, r.judge, r.reason, r.ended_at
            from workflow_origins o left join runs r on r.id = o.run_id
            where o.workflow_id = ? and o.version = ? order by o.rowid""",
            workflow_id,
            version,
        )
        return [{**row, "success": None if row["success"] is None else bool(row["success"])} for row in rows]

    def provenance(self, workflow_id: str, version: int) -> Row | None:
        """Where a version came from: name, hostname, status, source, created_at, the runs it was learned
        from (`origins`), and the `imported` event (at, why) of it or of an earlier version, None where all
        of it was learned here. None for a version that is not there."""
        row = self._row(
            """select name, hostname, status, source, created_at from workflows where id = ? and version = ?""",
            workflow_id,
            version,
        )
        if row is None:
            return None
        imported = self.imported(workflow_id, version)
        return {**row, "imported": imported, "origins": self.origin_rows(workflow_id, version)}

    def imported(self, workflow_id: str, version: int) -> Row | None:
        """When and whence a version, or an earlier one, was imported (at, why); None where none was."""
        return self._row(
            """select at, why from workflow_events where workflow_id = ? and version <= ? and "by" = 'import'
            order by rowid limit 1""",
            workflow_id,
            version,
        )

    def calls(self, workflow_id: str | None = None, hostname: str | None = None) -> tuple[int, int]:
        """How many runs called a workflow (this one, one of this hostname) as an action, and how many had it
        in their prompt. Only runs in which a model acted count: others never had the choice."""
        (row,) = self._rows(
            """select count(distinct case when u.mode = 'action' then u.run_id end) as called,
                count(distinct u.run_id) as shown
            from workflow_uses u join runs r on r.id = u.run_id
            where u.mode != 'replay' and coalesce(r.model, '') != '' and (?1 is null or u.workflow_id = ?1)
                and (?2 is null or r.hostname = ?2) and (r.policy = 'llm'
                    or exists (select 1 from steps s where s.run_id = r.id and s.by = 'llm'))""",
            workflow_id,
            hostname,
        )
        return row["called"], row["shown"]

    def outcomes(self, workflow_id: str | None = None) -> list[Row]:
        """Of each workflow: id, hostname, the runs with a verdict that followed any version of it
        (runs, successes, and how many by prompt, replay and action), and those of its hostname that
        did not (other_runs, other_successes)."""
        return self._rows(
            """with judged as (select id, hostname, success from runs where success is not null),
            followed as (
                select u.workflow_id, j.id, j.hostname, j.success, max(u.mode = 'prompt') as prompt,
                    max(u.mode = 'replay') as replay, max(u.mode = 'action') as action
                from workflow_uses u join judged j on j.id = u.run_id
                where u.followed group by u.workflow_id, j.id),
            sites as (select hostname, count(*) as runs, sum(success) as successes from judged group by hostname)
            select w.id, w.hostname, count(f.id) as runs, coalesce(sum(f.success), 0) as successes,
                coalesce(sum(f.prompt), 0) as prompt, coalesce(sum(f.replay), 0) as replay,
                coalesce(sum(f.action), 0) as action,
                coalesce(s.runs, 0) - coalesce(sum(f.hostname = w.hostname), 0) as other_runs,
                coalesce(s.successes, 0)
                    - coalesce(sum(f.success and f.hostname = w.hostname), 0) as other_successes
            from (select distinct id, hostname from workflows) w
            left join followed f on f.workflow_id = w.id left join sites s on s.hostname = w.hostname
            where ?1 is null or w.id = ?1 group by w.id order by w.hostname, w.id""",
            workflow_id,
        )
