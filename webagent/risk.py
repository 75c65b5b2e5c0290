"""Whether an action would do what a person should be asked about (`--confirm`): buy, pay, send, delete,
transfer, export, change credentials.

Told by what the page says: the words of the control that is pressed, the form that is sent with it, the
address that is opened, the message of a dialog that is accepted. A control that hides what it does, such
as an icon whose script sends something, is not told; `--confirm all` asks about that too."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from webagent.actions import Action
from webagent.deeds import HARMLESS, SUBMITS, SURE, begins_with_deed, deed_of, deed_of_url, plain_words
from webagent.observation import Line, Observation

LOOKING = frozenset({"find", "wait", "scroll", "ask", "workflow", "stop"})
"""Tools that do nothing to a page; the steps of a workflow are asked about one by one."""
SPACES = ("Space", " ")
"""Keys that press a button, and are a letter in a field."""
CHOICES = frozenset({"radio", "checkbox", "option", "tab", "treeitem", "heading"})
"""Roles that only choose or tell: what is chosen takes effect with a button."""
BUTTONS = frozenset({"button", "menuitem", "switch"})
SHORT = 4
"""Words up to which the name of a link is taken for what it does; longer ones tell of something."""
ASKING = ("how", "what", "why", "when", "where", "about", "who", "which", "can", "faq", "help")
"""First words of links that lead to a text about a deed."""
MESSAGE = (
    "message",
    "reply",
    "comment",
    "post",
    "nachricht",
    "antwort",
    "kommentar",
    "mensaje",
    "messaggio",
    "mensagem",
)
"""Words of fields outside of forms that Enter sends."""

SAYS: Mapping[str, str] = {
    "pay": "pays",
    "buy": "buys or orders",
    "transfer": "transfers",
    "delete": "deletes or cancels",
    "credentials": "changes credentials",
    "export": "exports",
    "send": "sends",
    "agree": "agrees to what the page asks",
    "any": "acts",
}
"""What a step of each kind does, for people and for the model."""


@dataclass(frozen=True)
class Effect:
    """What the page says that pressing an element, or Enter in it, would set off. `names` are the words of
    the controls there; `pressed` tells that one is a control by its tag or role, `field` that it takes text; `sends` that a form would be sent, whose `method`
    is in small letters (`said` where the page names one), `place` its address, `searching` that it is a
    search, `passwords` the number of password fields in it, `new_password` and `card` that it asks for
    one; `verb` is a method that a script or a hidden field names; `href` is where a link leads."""

    names: tuple[str, ...] = ()
    pressed: bool = False
    field: bool = False
    sends: bool = False
    method: str = ""
    said: bool = False
    place: str = ""
    searching: bool = False
    passwords: int = 0
    new_password: bool = False
    card: bool = False
    verb: str = ""
    href: str = ""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Effect":
        """From what the page's script told."""
        known = {one.name for one in fields(cls)}
        given = {key: value for key, value in told.items() if key in known}
        return cls(**{**given, "names": tuple(map(str, told.get("names", ())))})


def risk_of(action: Action, observation: Observation, effect: Effect) -> str:
    """The kind of deed (a key of `SAYS`) that a person should be asked about; empty for none."""
    if action.tool == "dialog":
        return _dialog_risk(observation) if action.arguments.get("accept") else ""
    if action.tool in ("goto", "tab"):
        return deed_of_url(str(action.arguments.get("url") or ""))
    if action.tool in LOOKING or action.tool in ("back", "hover"):
        return ""
    if action.tool == "drag":
        onto = observation.by_ref.get(str(action.arguments["to_ref"]))
        return deed_of(observation.label_of(onto)) if onto else ""
    return _pressed_risk(action, observation, effect)


def _dialog_risk(observation: Observation) -> str:
    message = observation.dialog.message if observation.dialog else ""
    return deed_of(message) or ("agree" if SURE.search(plain_words(message)) else "")


def _pressed_risk(action: Action, observation: Observation, effect: Effect) -> str:
    line = observation.by_ref.get(action.ref or "")
    if line is None and action.ref is None:
        line = next((one for one in observation.lines if "active" in one.states), None)
    key = str(action.arguments.get("key", ""))
    if action.tool == "press" and not _presses(key):
        return "delete" if key.split("+")[-1] in ("Delete", "Backspace") and not effect.field else ""
    enters = action.tool == "press" or bool(action.arguments.get("submit"))
    if action.tool == "select" and not effect.method:
        return deed_of(" ".join(map(str, action.arguments["options"])))
    if effect.field and (not enters or key.split("+")[-1] in SPACES):
        return ""
    names = _names(line, observation, effect)
    kind = _form_risk(names, effect) if effect.sends else ""
    if effect.field:
        return kind or _field_risk(line, observation, effect, key)
    return kind or _control_risk(line, names, observation, effect)


def _presses(key: str) -> bool:
    """Whether a key presses what has the focus, or sends its form."""
    return key.split("+")[-1] in ("Enter", "NumpadEnter", "\n", "\r", *SPACES)


def _names(line: Line | None, observation: Observation, effect: Effect) -> list[str]:
    label = observation.label_of(line) if line is not None and not effect.field else ""
    return [name for name in dict.fromkeys((label, *effect.names)) if name.strip()]


def _form_risk(names: list[str], effect: Effect) -> str:
    """Of a form that is sent, by any of its buttons' words, its fields, its address and its method."""
    if effect.new_password or effect.passwords > 1:
        return "credentials"
    kind = next((kind for name in names if (kind := deed_of(name))), "")
    kind = kind or ("pay" if effect.card else "") or _verb_risk(effect) or deed_of_url(effect.place)
    if kind or effect.method != "post":
        return kind
    harmless = effect.searching or effect.passwords == 1 or any(map(_is_harmless, names))
    return "" if harmless else "send"


def _verb_risk(effect: Effect) -> str:
    return {"delete": "delete", "post": "send", "put": "send", "patch": "send"}.get(effect.verb, "")


def _field_risk(line: Line | None, observation: Observation, effect: Effect, key: str) -> str:
    """Of Enter in a field that is in no form, or with Control: a chat sends so."""
    label = observation.label_of(line) if line is not None else ""
    words = plain_words(" ".join((label, *effect.names))).casefold()
    chats = not effect.method or "+" in key
    return "send" if chats and any(word in words for word in MESSAGE) else ""


def _control_risk(line: Line | None, names: list[str], observation: Observation, effect: Effect) -> str:
    role = line.role if line else ""
    if role in CHOICES:
        return ""
    button = role in BUTTONS or (effect.pressed and not effect.href)
    for name in names:
        kind = deed_of(name)
        if kind and (button or _is_order(name)):
            return kind
    kind = _verb_risk(effect) or deed_of_url(effect.href)
    if kind or not button or any(map(_is_harmless, names)):
        return kind
    asked = _question_risk(line, observation) if line is not None else ""
    scripted = not (effect.said or effect.place)
    return asked or ("send" if scripted and any(map(_submits, names)) else "")


def _is_order(name: str) -> bool:
    words = plain_words(name).casefold().split()
    if words and words[0].strip(":,?") in ASKING:
        return False
    return len(words) <= SHORT or begins_with_deed(name)


def _is_harmless(name: str) -> bool:
    return HARMLESS.match(plain_words(name)) is not None


def _submits(name: str) -> bool:
    return SUBMITS.match(plain_words(name)) is not None


def _question_risk(line: Line, observation: Observation) -> str:
    """Of a button such as Yes or OK in a dialog of the page's own that asks about a deed."""
    box = next((one for one in observation.ancestors(line) if one.role in ("dialog", "alertdialog")), None)
    return deed_of(observation.words_of(box, 400)) if box is not None else ""
