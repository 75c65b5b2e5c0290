"""What a person reads of an action before it is carried out."""

from webagent.actions import Action
from webagent.interfaces import Intent
from webagent.observation import Observation
from webagent.risk import SAYS
from webagent.terminal import printable

GOAL, THOUGHT, VALUE = 120, 240, 80
"""Characters shown of each."""
ASKED = "Ctrl+Shift+Enter = do it · Ctrl+Shift+Backspace = don't · or answer in the terminal"


def action_words(action: Action, observation: Observation) -> str:
    """An action with its elements in words: `type textbox "Search" text "CMU" submit`."""
    parts = [action.tool]
    for key, value in action.arguments.items():
        if key in ("ref", "to_ref"):
            parts += (["to"] if key == "to_ref" else []) + [_element(str(value), observation)]
        elif value is True and action.tool != "dialog":
            parts.append(key)
        elif isinstance(value, bool):
            parts.append(f"{key} {str(value).lower()}")
        elif isinstance(value, list):
            parts.append(f"{key} {', '.join(_quoted(one) for one in value)}")
        else:
            parts.append(f"{key} {_quoted(value)}")
    return " ".join(parts)


def _element(ref: str, observation: Observation) -> str:
    line = observation.by_ref.get(ref)
    if line is None:
        return ref
    name = printable(observation.label_of(line), VALUE)
    return f'{line.role} "{name}"' if name else line.role


def _quoted(value: object) -> str:
    text = printable(str(value), VALUE)
    return text if isinstance(value, int | float) else f'"{text}"'


def caption(intent: Intent) -> str:
    """Step number and goal, the action, the thought: a line each."""
    lines = [
        f"step {intent.n} · {printable(intent.goal, GOAL)}",
        f"this {SAYS[intent.risk]}: {ASKED}" if intent.risk else "",
        action_words(intent.action, intent.observation),
        printable(intent.action.thought, THOUGHT),
    ]
    return "\n".join(line for line in lines if line)
