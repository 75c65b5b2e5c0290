"""Binding without a model: the variables of a workflow from the words of a goal."""

import re
from collections.abc import Mapping

from webagent.workflow import VARIABLE, Workflow, variables_in

_ARTICLE = r"(?:(?:the|a|an)\s+)?"
_ARTICLES = frozenset({"the", "a", "an"})
_QUOTES = "\"'“”‘’«»`"


def goal_pattern(template: str) -> re.Pattern[str]:
    """A goal template (`find zip code of {place}`) as a pattern: case, spaces, articles and the
    punctuation at the end don't matter."""
    parts = []
    for word in _words(template):
        if word.lower() in _ARTICLES:
            continue
        parts.append(_ARTICLE + _word_pattern(word))
    return re.compile(r"\s*" + r"\s+".join(parts) + r"\s*[.?!]*\s*", re.IGNORECASE | re.DOTALL)


def _words(template: str) -> list[str]:
    return template.strip().rstrip(".?! ").split()


def _word_pattern(word: str) -> str:
    pattern = ""
    end = 0
    for found in VARIABLE.finditer(word):
        pattern += re.escape(word[end : found.start()])
        group = _group(found[1])
        pattern += f"(?P={group})" if f"(?P<{group}>" in pattern else f"(?P<{group}>\\S.*?)"
        end = found.end()
    return pattern + re.escape(word[end:])


def _group(variable: str) -> str:
    return "v_" + variable.replace("-", "__")


def bind(workflow: Workflow, goal: str) -> dict[str, str] | None:
    """A value for every variable that the goal must name, or None where no template of the workflow
    fits the goal. The template with the most literal words wins."""
    needed = {variable.name for variable in workflow.variables if variable.in_goal}
    best: tuple[int, dict[str, str]] | None = None
    for template in workflow.goals:
        values = bind_template(template, goal)
        if values is None or not needed <= values.keys():
            continue
        literal = len([word for word in _words(template) if not VARIABLE.search(word)])
        if best is None or literal > best[0]:
            best = (literal, values)
    return best[1] if best else None


def bind_template(template: str, goal: str) -> dict[str, str] | None:
    """The values a goal gives to a template's variables, or None."""
    if not _literals(template) <= _bare_words(goal):
        return None
    found = goal_pattern(template).fullmatch(goal)
    if found is None:
        return None
    values = {name: found[_group(name)].strip().strip(_QUOTES).strip() for name in variables_in(template)}
    return values if all(values.values()) else None


def _literals(template: str) -> frozenset[str]:
    """The words that a goal must have to fit: a look at them spares compiling most patterns, which
    was three quarters of recall."""
    return _bare_words(" ".join(word for word in template.split() if "{" not in word)) - _ARTICLES


def _bare_words(text: str) -> frozenset[str]:
    return frozenset(word.strip(".?!,;:\"'“”‘’«»`").casefold() for word in text.split()) - {""}


def template_of(goal: str, values: Mapping[str, str]) -> str:
    """The goal with each value replaced by its variable, longest first; whole words only."""
    template = goal
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        if value.strip():
            template = _whole(value).sub(f"{{{name}}}", template)
    return template


def _whole(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w{{]){re.escape(value.strip())}(?![\w}}])", re.IGNORECASE)


def named_in(value: str, goal: str) -> bool:
    """Whether the goal says this value, as whole words."""
    return bool(value.strip()) and bool(_whole(value).search(goal))
