"""The schema is SPEC's, older files are upgraded with a backup, newer ones are refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from webagent.errors import DatabaseFault
from webagent.migrations import MIGRATIONS, migration_names
from webagent.store import Store

SPEC = {
    "runs": "id goal site hostname start_url status answer success judge reason policy model steps prompt_tokens "
    "cached_tokens completion_tokens cost_usd seconds started_at ended_at",
    "steps": "run_id n url observation_hash thought action role name error seconds",
    "observations": "hash text",
    "workflows": "id version hostname name description body status source success_weight failure_weight uses "
    "created_at last_used_at owner",
    "workflow_origins": "workflow_id version run_id",
    "workflow_uses": "workflow_id version run_id mode followed success",
    "lessons": "id hostname text status run_id uses created_at last_used_at",
    "verdicts": "run_id judge success reason created_at",
}


def make_old(path: Path, stop_before: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        db = Database(connection)
        MIGRATIONS.apply(db, stop_before=stop_before)
        db.execute(
            "insert into runs (id, goal, hostname, start_url, started_at) values ('old', 'g', 'h', 'u', '2020')"
        )
        connection.commit()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workflows.db"


def test_tables_begin_with_the_columns_of_the_contract(path: Path) -> None:
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        db = Database(connection)
        for table, columns in SPEC.items():
            wanted = columns.split()
            assert [column.name for column in db[table].columns][: len(wanted)] == wanted


def test_every_migration_says_why_and_they_are_numbered_without_gaps() -> None:
    names = migration_names()
    assert [name[:5] for name in names] == [f"{n:04}_" for n in range(1, len(names) + 1)]
    assert all(migration.fn.__doc__ for migration in MIGRATIONS._migrations)


def test_the_released_migrations_are_still_there_in_order() -> None:
    assert migration_names()[:3] == ["0001_runs", "0002_workflows", "0003_lessons"]


def test_upgrading_step_by_step_gives_the_same_schema_as_a_new_file(tmp_path: Path) -> None:
    schemas = []
    for n, start in enumerate([*migration_names()[1:], None]):
        path = tmp_path / f"{n}.db"
        if start:
            make_old(path, start)
        Store.open(path).close()
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute(
                "select type, name, tbl_name, sql from sqlite_master order by type, name"
            )
            schemas.append(rows.fetchall())
    assert all(schema == schemas[0] for schema in schemas)
    assert {row[1] for row in schemas[0] if row[0] == "trigger"} == {
        "workflows_fts_insert",
        "workflows_fts_update",
        "workflows_fts_delete",
    }


def test_a_file_that_is_up_to_date_gets_no_backup(path: Path) -> None:
    for _ in range(2):
        Store.open(path).close()
    assert [each.name for each in path.parent.iterdir()] == ["workflows.db"]


def test_an_older_file_opened_to_read_is_left_as_it_is(path: Path) -> None:
    make_old(path, "0003_lessons")
    before = path.read_bytes()
    with Store.open(path, read_only=True) as store:
        assert store.pending() == migration_names()[2:]
        assert store.run("old") is not None
        with pytest.raises(DatabaseFault, match=r"workflows\.db has an older schema .*0003_lessons"):
            store.lessons()
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["workflows.db"]


def test_lessons_of_an_older_file_keep_their_words_and_get_a_history(path: Path) -> None:
    make_old(path, "0004_lesson_life")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "insert into lessons (id, hostname, text, status, run_id, created_at) "
            "values ('ls_1', 'maps.localhost', 'wait for the list', 'active', 'old', '2020')"
        )
        connection.commit()
    with Store.open(path) as store:
        row = store.lessons("maps.localhost")[0]
        assert (row["text"], row["when_text"], row["owner"]) == ("wait for the list", "", "program")
        event = store.lesson_history("ls_1")[0]
        assert (event["status"], event["by"], event["at"]) == ("active", "program", "2020")
        assert store.check() == []


def test_a_migration_that_fails_leaves_the_old_file_whole(path: Path) -> None:
    make_old(path, "0002_workflows")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table lessons (surprise text)")  # collides with 0003, after 0002 is done
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        Store.open(path)
    with closing(sqlite3.connect(path)) as connection:
        assert not connection.execute("select 1 from sqlite_master where name = 'workflows'").fetchall()
        assert connection.execute("select id from runs").fetchall() == [("old",)]


def test_migrations_run_one_statement_at_a_time_inside_one_transaction(path: Path) -> None:
    statements: list[str] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        db = Database(connection)
        db.execute("begin immediate")
        connection.set_trace_callback(statements.append)
        MIGRATIONS.apply(db)
        connection.set_trace_callback(None)
        assert connection.in_transaction
        assert not [each for each in statements if each.strip().lower() in ("commit", "begin")]
        db.execute("rollback")
        assert db.table_names() == []
