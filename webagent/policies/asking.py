"""Small questions to a model that a replay needs answered: values for a goal, and the answer on a page.

What the model says is checked against the goal and the page; what does not hold is no reply."""

from collections.abc import Mapping, Sequence

from webagent.answers import normal
from webagent.binding import as_taken, named_in
from webagent.interfaces import ChatModel, Message
from webagent.observation import Observation
from webagent.prompt import prompt_file
from webagent.schemas import TEXT, an_object
from webagent.shown import render
from webagent.wordings import QUOTES
from webagent.workflow import Variable, Workflow

ANSWER = an_object(answer=TEXT, quote=TEXT)
LONGEST_GOAL = 4000
LONGEST_LINE = 4000
"""Characters of what is told of a workflow, line by line."""


async def ask_binding(model: ChatModel, workflow: Workflow, goal: str) -> dict[str, str] | None:
    """Values for all variables that the goal must name, each of them said in the goal and spelt as
    its field takes it; None where the model has none. Raises ModelFault."""
    needed = [variable for variable in workflow.variables if variable.in_goal]
    schema = an_object(arguments=an_object(**{variable.name: TEXT for variable in needed}))
    reply = await model.ask("bind", _bind_messages(workflow, needed, goal), schema)
    given = (reply or {}).get("arguments")
    if not isinstance(given, Mapping):
        return None
    values = {}
    for variable in needed:
        value = str(given.get(variable.name) or "").strip().strip(QUOTES).strip()
        chosen = as_taken(variable, value) if value and named_in(value, goal) else None
        if chosen is None:
            return None
        values[variable.name] = chosen
    return values


def _bind_messages(workflow: Workflow, needed: Sequence[Variable], goal: str) -> list[Message]:
    lines = [
        f"Routine: {workflow.name}",
        "Used for:",
        *(f"- {known}" for known in workflow.goals[:8]),
        "Variables:",
    ]
    for variable in needed:
        choices = f", one of: {', '.join(variable.choices)}" if variable.choices else ""
        lines.append(
            f'- {variable.name}: {variable.description or variable.kind}, e.g. "{variable.example}"{choices}'
        )
    text = "\n".join(line[:LONGEST_LINE] for line in lines).replace("<", "‹")
    said = goal[:LONGEST_GOAL].replace("<", "‹")
    return [
        {"role": "system", "content": prompt_file("bind")},
        {"role": "user", "content": f"{text}\n<goal>\n{said}\n</goal>"},
    ]


async def ask_answer(model: ChatModel, goal: str, observation: Observation, budget: int) -> str | None:
    """The answer that a page gives to a goal, where its quote is on the page and holds it; None
    otherwise. Raises ModelFault."""
    said = goal[:LONGEST_GOAL].replace("<", "‹")
    messages: list[Message] = [
        {"role": "system", "content": prompt_file("answer")},
        {"role": "user", "content": f"<goal>\n{said}\n</goal>\n{render(observation, budget)}"},
    ]
    reply = await model.ask("answer", messages, ANSWER) or {}
    answer, quote = str(reply.get("answer") or "").strip(), str(reply.get("quote") or "").strip()
    return answer if holds(observation, answer, quote) else None


def holds(observation: Observation, answer: str, quote: str) -> bool:
    """Whether a quote is on the page, within the words of one element and its children or of two
    neighbours, and has the answer in it."""
    wanted, passage = _plain(answer), _plain(quote)
    if not wanted or wanted not in passage:
        return False
    words = " ".join(line.words for line in observation.lines if line.words and not line.role.startswith("/"))
    return passage in _plain(words) or passage in _plain(observation.page_text)


def _plain(text: str) -> str:
    return normal(text.replace("‹", "<"))
