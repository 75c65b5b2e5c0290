"""Export of chosen workflows in one of the forms that go out."""

from collections.abc import Callable, Sequence

from webagent.exchange.awm import write_awm
from webagent.exchange.jsonl import write_jsonl
from webagent.exchange.text import write_workflow
from webagent.store import Store
from webagent.workflow import Workflow, expand

FORMS = ("jsonl", "text", "awm", "skill", "playwright", "pytest")


def with_callees(store: Store, workflows: Sequence[Workflow]) -> list[Workflow]:
    """The workflows and those they call, each once, callees first: what they need elsewhere."""
    found: dict[str, Workflow] = {}

    def take(workflow: Workflow, above: tuple[str, ...]) -> None:
        for step in workflow.steps:
            called = step.arguments.get("id", "") if step.tool == "workflow" else ""
            callee = store.workflow(called) if called and called not in (*above, *found) else None
            if callee is not None:
                take(callee, (*above, workflow.id))
        found.setdefault(workflow.label, workflow)

    for workflow in workflows:
        take(workflow, (workflow.id,))
    return list(found.values())


def export_jsonl(
    store: Store,
    workflows: Sequence[Workflow] | None = None,
    labels: Sequence[str] = (),
    hostname: Callable[[str], bool] = bool,
) -> str:
    """All versions of the workflows (None: of all) whose hostname is wanted; of those with a label
    (`id@version`) only these."""
    rows = store.transfer_rows(None if workflows is None else [each.id for each in workflows])
    single = {label.partition("@")[0] for label in labels}
    return write_jsonl(
        [
            row
            for row in rows
            if hostname(row["hostname"])
            and (row["id"] not in single or f"{row['id']}@{row['version']}" in labels)
        ]
    )


def export_text(workflows: Sequence[Workflow]) -> str:
    return "\n".join(write_workflow(workflow) for workflow in workflows)


def export_awm(store: Store, workflows: Sequence[Workflow]) -> str:
    """Calls are replaced by the steps of what they call, since AWM has none."""
    return "\n".join(
        write_awm(workflow, expand(workflow, store.workflow) or workflow.steps) for workflow in workflows
    )
