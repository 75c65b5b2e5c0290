"""Workflows: versions that are only ever added, their life, their uses, and the search for them."""

import json
import math
import unicodedata
from collections.abc import Sequence
from typing import Any

from webagent.errors import DatabaseFault
from webagent.ids import clean_text, now
from webagent.store.bodies import body_of, workflow_of
from webagent.store.connection import Connection, Row
from webagent.workflow import Workflow

LIVE = ("active", "candidate")
STATUSES = (*LIVE, "quarantined", "retired")
SOURCES = ("llm", "rule", "person", "import")
MODES = ("prompt", "replay", "action")
WORKFLOW_COLUMNS = [
    "id",
    "version",
    "hostname",
    "name",
    "description",
    "body",
    "status",
    "source",
    "success_weight",
    "failure_weight",
    "uses",
    "created_at",
    "last_used_at",
    "owner",
]
"""What others may query, in order (SPEC section 5)."""
MAX_WORDS = 30
"""Words of a goal that are searched for."""
IN_DESCRIPTION = 0.3
"""What a word that only the description has counts, against one in the goals or the name."""


class Workflows(Connection):
    """The part of `Store` about workflows."""

    def save_workflow(self, workflow: Workflow, origins: Sequence[str], by: str, why: str) -> Workflow:
        """Stores a new version, numbered after the newest of its id, with the runs it came from; the
        workflow as stored is returned. An active one retires the version that was active."""
        _one_of(workflow.status, STATUSES)
        _one_of(workflow.source, SOURCES)
        with self.writing():
            newest = self._value("select max(version) from workflows where id = ?", workflow.id) or 0
            version = newest + 1
            if workflow.status == "active":
                self._retire_active(workflow.id, version, by)
            keys = {
                "id": workflow.id,
                "version": version,
                "status": workflow.status,
                "source": workflow.source,
                "success_weight": workflow.success_weight,
                "failure_weight": workflow.failure_weight,
                "uses": workflow.uses,
                "created_at": now(),
                "n": (self._value("select max(n) from workflows") or 0) + 1,
            }
            told = {name: getattr(workflow, name) for name in ("hostname", "name", "description", "owner")}
            self._insert("workflows", keys, {**told, "body": body_of(workflow)})
            for run_id in dict.fromkeys(origins):
                self._insert(
                    "workflow_origins", {"workflow_id": workflow.id, "version": version, "run_id": run_id}, {}
                )
            self._add_event(workflow.id, version, workflow.status, by, why)
            return self._needed(workflow.id, version)

    def set_status(self, workflow_id: str, version: int, status: str, by: str, why: str) -> Workflow:
        """Changes the status of a version and notes who did and why; making one active retires the
        version that was. Raises KeyError where there is no such version."""
        _one_of(status, STATUSES)
        with self.writing():
            before = self._needed(workflow_id, version)
            if before.status == status:
                return before
            if status == "active":
                self._retire_active(workflow_id, version, by)
            self._run(
                "update workflows set status = ? where id = ? and version = ?", status, workflow_id, version
            )
            self._add_event(workflow_id, version, status, by, why)
            return self._needed(workflow_id, version)

    def _retire_active(self, workflow_id: str, successor: int, by: str) -> None:
        old = self._value("select version from workflows where id = ? and status = 'active'", workflow_id)
        if old is not None:
            self._run(
                "update workflows set status = 'retired' where id = ? and version = ?", workflow_id, old
            )
            self._add_event(workflow_id, old, "retired", by, f"replaced by version {successor}")

    def _add_event(self, workflow_id: str, version: int, status: str, by: str, why: str) -> None:
        keys = {"workflow_id": workflow_id, "version": version, "status": status, "at": now()}
        self._insert("workflow_events", keys, {"by": by, "why": why})

    def workflow(self, name: str) -> Workflow | None:
        """The newest version of an id or the start of one, or the version that `id@version` names.
        Raises UsageError where several ids fit."""
        start, at, wanted = name.partition("@")
        if at and not wanted.isdigit():
            return None
        workflow_id = self._full_id("workflows", start)
        if workflow_id is None:
            return None
        found = self.versions(workflow_id)
        fitting = [each for each in found if not at or each.version == int(wanted)]
        return fitting[-1] if fitting else None

    def workflows(
        self, hostname: str | None = None, statuses: Sequence[str] | None = None, query: str | None = None
    ) -> list[Workflow]:
        """The newest version of each workflow among those with one of the statuses (default: live
        ones), by hostname and name; `query` is text that name, description or body holds."""
        return self._workflows(*self._listed(hostname, statuses, query))

    def workflow_rows(
        self, hostname: str | None = None, statuses: Sequence[str] | None = None, query: str | None = None
    ) -> list[Row]:
        """As `workflows`, as rows of SPEC's columns: what `workflows list --json` prints."""
        return [_spec_row(row) for row in self._rows(*self._listed(hostname, statuses, query))]

    def version_rows(self, workflow_id: str) -> list[Row]:
        """All versions of one workflow as rows of SPEC's columns, oldest first."""
        rows = self._rows("select * from workflows where id = ? order by version", workflow_id)
        return [_spec_row(row) for row in rows]

    def _listed(
        self, hostname: str | None, statuses: Sequence[str] | None, query: str | None
    ) -> tuple[Any, ...]:
        statuses = LIVE if statuses is None else tuple(statuses)
        fits = f"status in ({', '.join('?' * len(statuses))})"
        where, values = [f"w.{fits}"], [*statuses]
        newer = f"select 1 from workflows o where o.id = w.id and o.version > w.version and o.{fits}"
        where.append(f"not exists ({newer})")
        values += statuses
        if hostname is not None:
            where.append("w.hostname = ?")
            values.append(hostname)
        if query:
            where.append("instr(lower(w.name || ' ' || w.description || ' ' || w.body), lower(?)) > 0")
            values.append(query)
        sql = f"select w.* from workflows w where {' and '.join(where)} order by hostname, name, id"
        return (sql, *values)

    def versions(self, workflow_id: str) -> list[Workflow]:
        """All versions of one workflow, oldest first."""
        return self._workflows("select * from workflows where id = ? order by version", workflow_id)

    def history(self, workflow_id: str) -> list[Row]:
        """What became of each version: version, status, by, at, why, oldest first."""
        return self._rows(
            'select version, status, "by", at, why from workflow_events where workflow_id = ? order by rowid',
            workflow_id,
        )

    def search_workflows(
        self, hostname: str | None, goal: str, limit: int = 10, statuses: Sequence[str] = LIVE
    ) -> list[tuple[Workflow, float]]:
        """Live workflows whose goals, name or description share words with the goal, best first, the
        newest fitting version of each, with a score above 0. Hostname None searches all. Any text is
        a goal: its words are quoted one by one."""
        words = _words(goal)
        scores = self._scores_anywhere(words, limit) if hostname is None else self._scores(hostname, words)
        rows = self._rows(
            f"""select w.* from json_each(?) found join workflows w on w.n = found.value
            where w.status in ({", ".join("?" * len(statuses))}) order by w.id, w.version""",
            json.dumps(list(scores)),
            *statuses,
        )
        newest = {row["id"]: row for row in rows}
        best = sorted(newest.values(), key=lambda row: (-scores[row["n"]], len(row["name"]), row["id"]))[
            :limit
        ]
        return [(self._build(row), scores[row["n"]]) for row in best]

    def _scores(self, hostname: str, words: Sequence[str]) -> dict[int, float]:
        """The score of each row of the index that has a word. It is BM25's sum over words of their
        rarity, counted *within the hostname*: FTS5's own bm25() counts in the whole index, where a
        hostname's rare word may be common, gives 0 in small ones, and took 26 ms at the 95th
        percentile for 100,000 workflows (this: 6)."""
        among = self._value(
            "select count(*) from workflows where hostname = ? and status in ('active', 'candidate')",
            hostname,
        )
        sql = "select rowid from workflows_fts where workflows_fts match ?"
        scope = f'scope : "{hostname.encode().hex()}" AND'
        scores: dict[int, float] = {}
        for word in words:
            named = {row["rowid"] for row in self._rows(sql, f'{scope} {{name goals}} : "{word}"')}
            told = {row["rowid"] for row in self._rows(sql, f'{scope} description : "{word}"')} - named
            count = len(named) + len(told)
            rarity = math.log(1 + (among - count + 0.5) / (count + 0.5))
            for row in named | told:
                scores[row] = scores.get(row, 0.0) + rarity * (1.0 if row in named else IN_DESCRIPTION)
        return scores

    def _scores_anywhere(self, words: Sequence[str], limit: int) -> dict[int, float]:
        """FTS5's own bm25 scores of the best rows of the whole index."""
        if not words:
            return {}
        query = "{name description goals} : (" + " OR ".join(f'"{word}"' for word in words) + ")"
        rows = self._rows(
            f"""select rowid, -bm25(workflows_fts, 0.0, 1.0, {IN_DESCRIPTION}, 1.0) as score from workflows_fts
            where workflows_fts match ? order by score desc, rowid limit ?""",
            query,
            limit * 2,
        )
        return {row["rowid"]: row["score"] for row in rows}

    def add_use(
        self,
        workflow_id: str,
        version: int,
        run_id: str,
        mode: str,
        followed: bool,
        success: bool | None = None,
    ) -> None:
        """Notes that a run was given a workflow, and whether it followed it; a second call for the
        same run and mode adds to the first. The first time it is followed counts as a use."""
        _one_of(mode, MODES)
        with self.writing():
            before = self._value(
                "select max(followed) from workflow_uses where workflow_id = ? and version = ? and run_id = ?",
                workflow_id,
                version,
                run_id,
            )
            self._run(
                """insert into workflow_uses (workflow_id, version, run_id, mode, followed, success)
                values (?, ?, ?, ?, ?, ?) on conflict do update set
                followed = max(followed, excluded.followed), success = coalesce(excluded.success, success)""",
                workflow_id,
                version,
                run_id,
                mode,
                followed,
                success,
            )
            if followed and not before:
                self.touch_workflow(workflow_id, version)

    def touch_workflow(self, workflow_id: str, version: int) -> None:
        """Counts one use, now."""
        with self.writing():
            self._run(
                "update workflows set uses = uses + 1, last_used_at = ? where id = ? and version = ?",
                now(),
                workflow_id,
                version,
            )

    def settle_uses(self, run_id: str, success: bool | None) -> None:
        """Tells all uses of a run how it went."""
        with self.writing():
            self._run("update workflow_uses set success = ? where run_id = ?", success, run_id)

    def uses(self, *, run_id: str | None = None, workflow_id: str | None = None) -> list[Row]:
        """Rows of workflow_uses of a run, a workflow, or both, oldest first."""
        rows = self._rows(
            """select workflow_id, version, run_id, mode, followed, success from workflow_uses
            where (?1 is null or run_id = ?1) and (?2 is null or workflow_id = ?2) order by rowid""",
            run_id,
            workflow_id,
        )
        truth = {None: None, 0: False, 1: True}
        return [{**row, "followed": bool(row["followed"]), "success": truth[row["success"]]} for row in rows]

    def add_weights(self, workflow_id: str, version: int, success: float = 0.0, failure: float = 0.0) -> None:
        """Adds evidence to a version."""
        with self.writing():
            self._run(
                """update workflows set success_weight = success_weight + ?,
                failure_weight = failure_weight + ? where id = ? and version = ?""",
                success,
                failure,
                workflow_id,
                version,
            )

    def learned_from(self, run_id: str) -> list[str]:
        """Labels (`id@version`) of the workflows that came from a run."""
        rows = self._rows(
            "select workflow_id, version from workflow_origins where run_id = ? order by rowid", run_id
        )
        return [f"{row['workflow_id']}@{row['version']}" for row in rows]

    def _needed(self, workflow_id: str, version: int) -> Workflow:
        found = self._workflows("select * from workflows where id = ? and version = ?", workflow_id, version)
        if not found:
            raise KeyError(f"{workflow_id}@{version}")
        return found[0]

    def _workflows(self, sql: str, *values: Any) -> list[Workflow]:
        return self._built(self._rows(sql, *values))

    def _built(self, rows: Sequence[Row]) -> list[Workflow]:
        return [self._build(row) for row in rows]

    def _build(self, row: Row) -> Workflow:
        origins = self._rows(
            "select run_id from workflow_origins where workflow_id = ? and version = ? order by rowid",
            row["id"],
            row["version"],
        )
        try:
            return workflow_of(row, json.loads(row["body"]), [origin["run_id"] for origin in origins])
        except ValueError as error:
            raise DatabaseFault(
                f"the database {self.path} holds a broken workflow {row['id']}@{row['version']} ({error}); "
                "restore its body from a copy, or delete that row"
            ) from error


def _spec_row(row: Row) -> Row:
    return {**{name: row[name] for name in WORKFLOW_COLUMNS}, "body": json.loads(row["body"])}


def _words(text: str) -> list[str]:
    """Runs of letters, digits and their marks, each once: what the index's tokenizer splits at too."""
    kept = (char if unicodedata.category(char)[0] in "LNM" else " " for char in clean_text(text))
    return list(dict.fromkeys("".join(kept).lower().split()))[:MAX_WORDS]


def _one_of(value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{value!r} is none of {', '.join(allowed)}")
