"""Ids in the repository's workflows.db, which are new each time it is built: found by their names."""

from pathlib import Path

from webagent.store import Store

SEED = Path(__file__).parent.parent / "workflows.db"


def workflow_id(name: str) -> str:
    """The id of the seed's workflow that is called so."""
    with Store.open(SEED, read_only=True) as store:
        return next(workflow.id for workflow in store.workflows() if workflow.name == name)


def run_id(goal: str) -> str:
    """The id of the seed's run of this goal."""
    with Store.open(SEED, read_only=True) as store:
        return str(next(row["id"] for row in store.runs(None) if row["goal"] == goal))
