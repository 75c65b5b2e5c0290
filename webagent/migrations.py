"""The database's schema, as numbered steps. Append only: a step that was released is never edited.

Statements run one by one inside one transaction (`executescript` would commit it)."""

from sqlite_utils import Database, Migrations

MIGRATIONS = Migrations("webagent")


def _execute(db: Database, *statements: str) -> None:
    for statement in statements:
        db.execute(statement)


@MIGRATIONS(name="0001_runs")
def m0001_runs(db: Database) -> None:
    """Runs, what was seen and done in them, and what judges said: what all else is learned from.

    `observations` holds each page text once, since pages repeat from step to step. `process` names
    the process that carries a run out, so that a run whose process died is known from a live one.
    `verdicts` keeps all of them; `runs` shows the one that counts."""
    _execute(
        db,
        """create table observations (hash text primary key, text text not null)""",
        """create table runs (
            id text primary key, goal text not null, site text, hostname text not null,
            start_url text not null, status text, answer text, success integer, judge text,
            reason text, policy text, model text, steps integer not null default 0,
            prompt_tokens integer not null default 0, cached_tokens integer not null default 0,
            completion_tokens integer not null default 0, cost_usd real,
            seconds real not null default 0, started_at text not null, ended_at text,
            task text, prompt_hash text, url text, title text,
            final_hash text references observations(hash), final_seen text, stop text,
            end_reason text, error text, llm_calls integer not null default 0,
            llm_seconds real not null default 0, browser_seconds real not null default 0,
            process text)""",
        "create index runs_started_at on runs(started_at)",
        "create index runs_site on runs(site, started_at)",
        "create index runs_hostname on runs(hostname, started_at)",
        "create index runs_task on runs(task)",
        "create index runs_final_hash on runs(final_hash)",
        "create index runs_open on runs(id) where ended_at is null",
        """create table steps (
            run_id text not null references runs(id) on delete cascade, n integer not null,
            url text not null, observation_hash text not null references observations(hash),
            thought text not null, action text not null, role text, name text,
            error text not null, seconds real not null, title text not null, seen text,
            target text, result text not null, changed integer not null, "by" text not null,
            workflow text not null, created_at text not null,
            primary key (run_id, n))""",
        "create index steps_observation_hash on steps(observation_hash)",
        """create table verdicts (
            run_id text not null references runs(id) on delete cascade, judge text not null,
            success integer, reason text not null, created_at text not null)""",
        "create index verdicts_run_id on verdicts(run_id)",
    )


@MIGRATIONS(name="0002_workflows")
def m0002_workflows(db: Database) -> None:
    """Workflows, one row a version, with where they came from, what became of them, and their uses.

    `n` numbers the rows for the full-text index: rowids may change in a VACUUM. Runs named as
    origins may be deleted, or may come from another database, so `run_id` is no foreign key there.
    At most one version of a workflow is active: the partial index holds that, whoever writes."""
    _execute(
        db,
        """create table workflows (
            id text not null, version integer not null, hostname text not null, name text not null,
            description text not null, body text not null, status text not null,
            source text not null, success_weight real not null default 0,
            failure_weight real not null default 0, uses integer not null default 0,
            created_at text not null, last_used_at text, owner text not null,
            n integer not null unique, primary key (id, version))""",
        "create index workflows_hostname on workflows(hostname, status)",
        "create unique index workflows_one_active on workflows(id) where status = 'active'",
        """create table workflow_origins (
            workflow_id text not null, version integer not null, run_id text not null,
            primary key (workflow_id, version, run_id),
            foreign key (workflow_id, version) references workflows(id, version) on delete cascade)""",
        "create index workflow_origins_run_id on workflow_origins(run_id)",
        """create table workflow_uses (
            workflow_id text not null, version integer not null,
            run_id text not null references runs(id) on delete cascade, mode text not null,
            followed integer not null, success integer,
            primary key (workflow_id, version, run_id, mode),
            foreign key (workflow_id, version) references workflows(id, version) on delete cascade)""",
        "create index workflow_uses_run_id on workflow_uses(run_id)",
        """create table workflow_events (
            workflow_id text not null, version integer not null, status text not null,
            "by" text not null, at text not null, why text not null,
            foreign key (workflow_id, version) references workflows(id, version) on delete cascade)""",
        "create index workflow_events_workflow on workflow_events(workflow_id, version)",
        *_FULL_TEXT,
    )


_INDEX_ROW = """insert into workflows_fts(rowid, scope, name, description, goals)
    select new.n, lower(hex(new.hostname)), new.name, new.description,
        (select group_concat(value, ' ') from json_each(new.body, '$.goals'))
    where new.status in ('candidate', 'active');"""
_FULL_TEXT = (
    # `scope` is the hostname as one token, so that a search within a hostname is one more AND.
    """create virtual table workflows_fts using fts5(
        scope, name, description, goals, tokenize = 'porter unicode61 remove_diacritics 2')""",
    f"create trigger workflows_fts_insert after insert on workflows begin {_INDEX_ROW} end",
    """create trigger workflows_fts_delete after delete on workflows begin
        delete from workflows_fts where rowid = old.n; end""",
    f"""create trigger workflows_fts_update
        after update of hostname, name, description, body, status, n on workflows begin
        delete from workflows_fts where rowid = old.n; {_INDEX_ROW} end""",
)


@MIGRATIONS(name="0003_lessons")
def m0003_lessons(db: Database) -> None:
    """Lessons: short warnings from failed runs, of one hostname each. They outlive their run."""
    _execute(
        db,
        """create table lessons (
            id text primary key, hostname text not null, text text not null, status text not null,
            run_id text references runs(id) on delete set null, uses integer not null default 0,
            created_at text not null, last_used_at text)""",
        "create index lessons_hostname on lessons(hostname, status)",
        "create index lessons_run_id on lessons(run_id)",
    )


@MIGRATIONS(name="0004_lesson_life")
def m0004_lesson_life(db: Database) -> None:
    """Lessons get the life of workflows, since one that misleads must be found out and undone too:
    when they apply (`when_text`), what runs say of them, an owner, their uses, and an event for every
    change. Nothing is overwritten: an edit's event holds the words that it replaced.

    `evidence` is the `run_id#step` a lesson came from, kept where its run was deleted. Lessons from
    before this step get a first event, so that each has a history."""
    _execute(
        db,
        "alter table lessons add column when_text text not null default ''",
        "alter table lessons add column success_weight real not null default 0",
        "alter table lessons add column failure_weight real not null default 0",
        "alter table lessons add column owner text not null default 'program'",
        "alter table lessons add column evidence text not null default ''",
        """create table lesson_events (
            lesson_id text not null references lessons(id) on delete cascade, status text not null,
            "by" text not null, at text not null, why text not null, text text, when_text text)""",
        "create index lesson_events_lesson on lesson_events(lesson_id)",
        """insert into lesson_events (lesson_id, status, "by", at, why)
            select id, status, 'program', created_at, 'stored before changes were noted' from lessons""",
        """create table lesson_uses (
            lesson_id text not null references lessons(id) on delete cascade,
            run_id text not null references runs(id) on delete cascade, success integer,
            primary key (lesson_id, run_id))""",
        "create index lesson_uses_run_id on lesson_uses(run_id)",
    )


@MIGRATIONS(name="0005_workflow_priors")
def m0005_workflow_priors(db: Database) -> None:
    """What a version was worth before this database saw runs of it. Evidence is counted anew from runs;
    a workflow that was restored or imported with its weights came from runs that are not here."""
    _execute(
        db,
        """create table workflow_priors (
            workflow_id text not null, version integer not null, success real not null,
            failure real not null, primary key (workflow_id, version),
            foreign key (workflow_id, version) references workflows(id, version) on delete cascade)""",
    )


@MIGRATIONS(name="0006_steps_posted")
def m0006_steps_posted(db: Database) -> None:
    """Whether a step made its page send something: what must not be done twice is learned from that."""
    _execute(db, "alter table steps add column posted integer not null default 0")


@MIGRATIONS(name="0007_batches")
def m0007_batches(db: Database) -> None:
    """Which run was for which task of a batch, so that a batch that was stopped can go on. `digest`
    tells batches of other tasks or options apart; a task is carried out `repeat` times."""
    _execute(
        db,
        """create table batches (
            id text primary key, file text not null, digest text not null, started_at text not null)""",
        "create index batches_digest on batches(digest, started_at)",
        """create table batch_runs (
            batch_id text not null references batches(id) on delete cascade, task text not null,
            repeat integer not null, run_id text not null references runs(id) on delete cascade,
            primary key (batch_id, run_id))""",
        "create index batch_runs_run_id on batch_runs(run_id)",
    )


@MIGRATIONS(name="0008_evidence")
def m0008_evidence(db: Database) -> None:
    """What bears a run's answer out: whether its pages say it (null where none could: yes or no, a number
    that was counted), and the page and line that do. And what a person was asked before a step."""
    _execute(
        db,
        "alter table runs add column supported integer",
        "alter table runs add column evidence text",
        "alter table steps add column asked text not null default ''",
    )


def migration_names() -> list[str]:
    """All that this program knows, in order: what a new file has pending."""
    empty = Database(memory=True, execute_plugins=False)
    try:
        return [migration.name for migration in MIGRATIONS.pending(empty)]
    finally:
        empty.close()
