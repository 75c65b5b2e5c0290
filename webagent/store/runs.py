"""Runs: started, recorded step by step, ended, judged; and read again as trajectories."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from webagent.ids import now
from webagent.interfaces import Usage, Verdict
from webagent.masking import Masker
from webagent.observation import Observation, parse_snapshot
from webagent.store.bodies import from_object
from webagent.store.connection import Connection, Row
from webagent.store.processes import is_gone, this_process
from webagent.store.rows import RUN_COLUMNS, around, loaded, run_row, step_columns, step_of, truth
from webagent.support import support_of
from webagent.trajectory import Step, Stop, Trajectory

_TOLD = ("answer", "reason", "url", "title", "end_reason", "error", "site", "hostname", "model", "task")
_COUNTED = [
    "status",
    "policy",
    "prompt_hash",
    "steps",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "cost_usd",
    "seconds",
    "llm_calls",
    "llm_seconds",
    "browser_seconds",
    "ended_at",
]
ABANDONED = timedelta(hours=24)
"""A run of another machine or container that has not ended by then counts as interrupted."""


@dataclass(frozen=True)
class RunRow:
    """What is known of a run as it begins."""

    id: str
    goal: str
    hostname: str
    start_url: str
    site: str | None = None
    policy: str | None = None
    model: str | None = None
    task: str | None = None
    prompt_hash: str | None = None
    started_at: str = field(default_factory=now)


class Runs(Connection):
    """The part of `Store` about runs."""

    def start_run(self, run: RunRow) -> None:
        """Stores a run that this process now carries out."""
        keys = {
            "id": run.id,
            "policy": run.policy,
            "prompt_hash": run.prompt_hash,
            "started_at": run.started_at,
            "process": this_process(),
        }
        told = {
            name: getattr(run, name) for name in ("goal", "hostname", "start_url", "site", "model", "task")
        }
        with self.writing():
            self._insert("runs", keys, told)

    def add_step(self, run_id: str, step: Step) -> None:
        """Stores a step; once this returns it is committed and outlives the process."""
        with self.writing():
            keys = {
                "run_id": run_id,
                "n": step.n,
                "observation_hash": self._keep_text(step.observation),
                "seconds": step.seconds,
                "changed": step.outcome.changed,
                "posted": step.outcome.posted,
                "by": step.by,
                "workflow": step.workflow,
                "asked": step.asked,
                "created_at": now(),
            }
            self._insert("steps", keys, step_columns(step))
            self._run(
                "update runs set steps = (select count(*) from steps where run_id = ?1) where id = ?1", run_id
            )

    def _keep_text(self, seen: Observation) -> str:
        """The hash of the page's text as it is stored, which is once, whatever URL it was seen at."""
        text = self.masked(seen.page_text)
        digest = hashlib.sha256(text.encode()).hexdigest()[:20]
        self._run("insert or ignore into observations (hash, text) values (?, ?)", digest, text)
        return digest

    def finish_run(
        self, trajectory: Trajectory, usage: Usage | None = None, *, seconds: float = 0.0, **columns: Any
    ) -> None:
        """Ends a run as its trajectory did; `columns` are others of `end_run`'s."""
        usage = usage or Usage()
        stop = trajectory.stop
        with self.writing():
            if trajectory.final:
                final = trajectory.final
                self._run(
                    "update runs set final_hash = ?, final_seen = ? where id = ?",
                    self._keep_text(final),
                    self.masked(around(final)),
                    trajectory.run_id,
                )
                columns.setdefault("title", final.title)
            if stop:
                said = {"status": stop.status, "thought": stop.thought, "by": stop.by}
                self._run("update runs set stop = ? where id = ?", self.masked(said), trajectory.run_id)
            support = support_of(trajectory)
            if support is not None:
                evidence = self.masked(support.as_object()) if support.line else None
                self._run(
                    "update runs set supported = ?, evidence = ? where id = ?",
                    support.supported,
                    evidence,
                    trajectory.run_id,
                )
            known = {
                "status": trajectory.status,
                "end_reason": trajectory.reason,
                "answer": trajectory.answer,
                "url": trajectory.url,
                "seconds": seconds,
                "prompt_tokens": usage.prompt_tokens,
                "cached_tokens": usage.cached_tokens,
                "completion_tokens": usage.completion_tokens,
                "cost_usd": usage.cost_usd,
                "llm_calls": usage.calls,
                "llm_seconds": usage.seconds,
            }
            self.end_run(trajectory.run_id, **{**known, **columns})

    def end_run(self, run_id: str, *, status: str, **columns: Any) -> None:
        """Marks a run as ended with these columns. What judges say is `add_verdict`'s."""
        self.update_run(run_id, **{"status": status, "ended_at": now(), **columns})

    def hide(self, run_id: str, mask: Masker) -> None:
        """Takes a secret out of what is stored of a run, and, until that is over, out of all that will be; page texts
        keep their hash."""
        self.secrets.add(mask, run_id)
        with self.writing():
            self._rewrite(mask, "runs", ("goal", "start_url"), "id = ?", run_id)
            told = ("url", "title", "seen", "thought", "action", "name", "target", "result", "error")
            self._rewrite(mask, "steps", told, "run_id = ?", run_id)
            where = "hash in (select observation_hash from steps where run_id = ?)"
            self._rewrite(mask, "observations", ("text",), where, run_id)

    def over(self, run_id: str) -> None:
        """Nothing more will be stored of a run. What it typed in secret is forgotten: a batch types many secrets."""
        self.secrets.drop(run_id)

    def _rewrite(self, mask: Masker, table: str, columns: Sequence[str], where: str, value: str) -> None:
        for row in self._rows(f"select rowid as n, {', '.join(columns)} from {table} where {where}", value):
            new = {name: mask(row[name]) for name in columns if row[name] and mask(row[name]) != row[name]}
            for name, text in new.items():
                self._run(f"update {table} set {name} = ? where rowid = ?", text, row["n"])

    def update_run(self, run_id: str, **columns: Any) -> None:
        """Changes columns of a run. Raises TypeError for a column that is not to be set so."""
        unknown = [name for name in columns if name not in _TOLD and name not in _COUNTED]
        if unknown:
            raise TypeError(
                f"no column {unknown[0]!r} of runs to set; there are {', '.join((*_TOLD, *_COUNTED))}"
            )
        row = {name: self.masked(value) if name in _TOLD else value for name, value in columns.items()}
        assignments = ", ".join(f'"{name}" = ?' for name in row)
        with self.writing():
            self._run(f"update runs set {assignments} where id = ?", *row.values(), run_id)

    def add_verdict(self, run_id: str, verdict: Verdict) -> Verdict:
        """Stores a verdict, and shows in the run the one that counts, which is returned: the newest
        real signal (expect, human), else the newest of the LLM judge; abstentions count last."""
        with self.writing():
            keys = {"run_id": run_id, "judge": verdict.judge, "success": verdict.success, "created_at": now()}
            self._insert("verdicts", keys, {"reason": verdict.reason})
            row = self._row(
                """select success, judge, reason from verdicts where run_id = ? order by success is null,
                case when judge in ('expect', 'human') then 0 when judge = 'llm' then 1 else 2 end,
                rowid desc limit 1""",
                run_id,
            )
            assert row is not None
            self._run(
                "update runs set success = ?, judge = ?, reason = ? where id = ?", *row.values(), run_id
            )
        return Verdict(truth(row["success"]), row["judge"], row["reason"])

    def verdicts(self, run_id: str) -> list[Row]:
        """All verdicts of a run, oldest first."""
        rows = self._rows(
            "select run_id, judge, success, reason, created_at from verdicts where run_id = ? order by rowid",
            run_id,
        )
        return [{**row, "success": truth(row["success"])} for row in rows]

    def mark_interrupted(self) -> list[str]:
        """Ends the runs whose process is gone, as interrupted; their ids. Runs of living processes stay."""
        long_ago = (datetime.now(UTC) - ABANDONED).isoformat()
        gone = [row["id"] for row in self._rows(_OPEN) if _is_abandoned(row, long_ago)]
        if not gone:
            return []
        with self.writing():
            for run_id in gone:
                self._run(
                    """update runs set status = 'interrupted', end_reason = 'its process ended',
                    ended_at = coalesce((select max(created_at) from steps where run_id = ?1), started_at)
                    where id = ?1 and ended_at is null""",
                    run_id,
                )
        return gone

    def runs(
        self,
        limit: int | None = 50,
        site: str | None = None,
        status: str | None = None,
        hostname: str | None = None,
        task: str | None = None,
    ) -> list[Row]:
        """Rows of runs, newest first; status `running` means not ended yet."""
        wanted = {"site": site, "hostname": hostname, "task": task}
        where = [f"{name} = ?" for name, value in wanted.items() if value is not None]
        values: list[Any] = [value for value in wanted.values() if value is not None]
        if status == "running":
            where.append("ended_at is null")
        elif status is not None:
            where.append("status = ?")
            values.append(status)
        condition = f"where {' and '.join(where)}" if where else ""
        sql = f"select * from runs {condition} order by started_at desc, id desc limit ?"
        return [run_row(row) for row in self._rows(sql, *values, -1 if limit is None else limit)]

    def run_rows(
        self, limit: int | None = None, site: str | None = None, status: str | None = None
    ) -> list[Row]:
        """As `runs`, with SPEC's columns only: what `runs list --json` prints."""
        return [{name: row[name] for name in RUN_COLUMNS} for row in self.runs(limit, site, status)]

    def run(self, id_or_prefix: str) -> Row | None:
        """The row of a run by its id or the start of it. Raises UsageError where several fit."""
        run_id = self._full_id("runs", id_or_prefix)
        row = self._row("select * from runs where id = ?", run_id) if run_id else None
        return run_row(row) if row else None

    def steps(self, run_id: str) -> list[Row]:
        """Rows of a run's steps, in order, with JSON columns as objects."""
        rows = self._rows("select * from steps where run_id = ? order by n", run_id)
        return [
            {
                **row,
                **{name: loaded(row[name]) for name in ("action", "target", "seen")},
                "changed": bool(row["changed"]),
            }
            for row in rows
        ]

    def observation_text(self, digest: str) -> str | None:
        """The page text stored under a hash."""
        found = self._value("select text from observations where hash = ?", digest)
        return None if found is None else str(found)

    def trajectory(self, run_id: str) -> Trajectory:
        """The run as it was recorded, also one that has not ended. Raises KeyError for an unknown id."""
        row = self._row("select * from runs where id = ?", run_id)
        if row is None:
            raise KeyError(run_id)
        texts = self._rows(
            """select hash, text from observations where hash in
            (select observation_hash from steps where run_id = ?1 union select final_hash from runs where id = ?1)""",
            run_id,
        )
        lines = {text["hash"]: parse_snapshot(text["text"]) for text in texts}

        def seen(url: str, title: str, digest: str, around: str | None) -> Observation:
            known = {"url": url, "title": title, **(loaded(around) or {})}
            return replace(from_object(Observation, known), lines=lines[digest])

        final = None
        if row["final_hash"]:
            final = seen(row["url"] or "", row["title"] or "", row["final_hash"], row["final_seen"])
        uses = [
            (f"{use['workflow_id']}@{use['version']}", use)
            for use in self._rows("select * from workflow_uses where run_id = ? order by rowid", run_id)
        ]
        return Trajectory(
            run_id=row["id"],
            goal=row["goal"],
            start_url=row["start_url"],
            steps=tuple(
                step_of(each, seen(each["url"], each["title"], each["observation_hash"], each["seen"]))
                for each in self._rows("select * from steps where run_id = ? order by n", run_id)
            ),
            stop=Stop(row["answer"], **json.loads(row["stop"])) if row["stop"] else None,
            final=final,
            status=row["status"] or "failed",
            reason=row["end_reason"] or "",
            followed=tuple(dict.fromkeys(label for label, use in uses if use["followed"])),
            replayed=next((label for label, use in uses if use["mode"] == "replay"), ""),
        )

    def trajectories(self, run_ids: Sequence[str]) -> list[Trajectory]:
        """The trajectories of those runs that are still there."""
        there = [run_id for run_id in run_ids if self._value("select 1 from runs where id = ?", run_id)]
        return [self.trajectory(run_id) for run_id in there]

    def delete_run(self, run_id: str) -> bool:
        """Deletes a run, all that hangs on it, and page texts that no other run has; False where
        there is none. Workflows learned from it stay, with its id among their origins."""
        with self.writing():
            hashes = self._rows(
                "select observation_hash h from steps where run_id = ?1 union select final_hash from runs where id = ?1",
                run_id,
            )
            found = self._run("delete from runs where id = ?", run_id) > 0
            for row in hashes:
                self._run(
                    """delete from observations where hash = ?1
                    and not exists (select 1 from steps where observation_hash = ?1)
                    and not exists (select 1 from runs where final_hash = ?1)""",
                    row["h"],
                )
        return found


_OPEN = "select id, process, started_at from runs where ended_at is null"


def _is_abandoned(row: Row, long_ago: str) -> bool:
    gone = is_gone(row["process"])
    return row["started_at"] < long_ago if gone is None else gone
