"""Workflows as Agent Skills: a folder for each, with a SKILL.md (agentskills.io)."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import yaml

from webagent.errors import UsageError
from webagent.exchange.text import write_workflow
from webagent.ids import one_line
from webagent.workflow import Workflow

NAME_LENGTH = 64
DESCRIPTION_LENGTH = 1024


def write_skills(workflows: Sequence[Workflow], folder: Path) -> list[Path]:
    """Writes `NAME/SKILL.md` for each workflow into a folder, which is made where there is none; a
    file that is there is replaced. Raises UsageError where it can't be written."""
    paths = []
    taken: set[str] = set()
    for workflow in workflows:
        name = skill_name(workflow, taken)
        taken.add(name)
        path = folder / name / "SKILL.md"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(skill_text(workflow, name), "utf-8")
        except OSError as error:
            raise UsageError(f"{path} can't be written: {error.strerror or error}") from error
        paths.append(path)
    return paths


def skill_name(workflow: Workflow, taken: set[str]) -> str:
    """Lower-case letters, digits and single hyphens, at most 64, and none of `taken`."""
    plain = unicodedata.normalize("NFKD", workflow.name).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:NAME_LENGTH].strip("-")
    name = name or re.sub(r"[^a-z0-9]+", "-", workflow.id.lower()).strip("-") or "workflow"
    free, n = name, 2
    while free in taken:
        end = f"-{n}"
        free, n = name[: NAME_LENGTH - len(end)].strip("-") + end, n + 1
    return free


def skill_text(workflow: Workflow, name: str) -> str:
    """The file: name and description as YAML, then when it applies and its steps."""
    asked = "; ".join(workflow.goals)
    use = f"Use it on {workflow.hostname}" + (f" when asked to: {asked}" if asked else "")
    description = one_line(f"{workflow.description or workflow.name} {use}", DESCRIPTION_LENGTH)
    head = {
        "name": name,
        "description": description,
        "metadata": {"workflow": workflow.label, "hostname": workflow.hostname},
    }
    front = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=10_000)
    _, _, rest = write_workflow(workflow).partition("\n")
    steps = "\n".join(line for line in rest.splitlines() if not line.startswith(("goal: ", "goals: ")))
    return (
        f"---\n{front}---\n\n# {one_line(workflow.name, 200)}\n\n"
        f"A routine of {workflow.hostname}, learned from runs. It is a guide: where the page differs, the\n"
        f"page is right. A `{{variable}}` stands for a value of the task at hand.\n\n"
        f"```text\n{steps.replace('```', '` ` `').strip()}\n```\n"
    )
