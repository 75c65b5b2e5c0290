"""Binding without a model: the variables of a workflow from the words of a goal."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from webagent.dates import said_in, spelt_like
from webagent.wordings import QUOTES, trimmed, what_is_asked, without_politeness
from webagent.words import telling_words
from webagent.workflow import VARIABLE, Variable, Workflow, variables_in

SURE = 0.6
"""Confidence below which a binding must not be acted on."""
DOUBTED = 0.3
"""The confidence of a binding with a doubt."""
EXACT, POLITE, ASKED = 1.0, 0.95, 0.9
"""Confidence where a template fits as it stands, but for polite words, but for how it is asked."""
SHORTENED = 0.05
"""What a choice named by a part of its words takes off."""

_ARTICLE = r"(?:(?:the|a|an)\s+)?"
_ARTICLES = frozenset({"the", "a", "an"})
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
_HANGING = re.compile(
    r"^(?:by|on|via|with|to|from|of|for|at|using)\s|\s(?:by|on|in|via|with|to|from|of|for|at|using|and)$",
    re.I,
)
_NO_NAME = re.compile(
    r"\b(?:nearest|closest|next to|near|then|whose|which|that|who|where|any|either|each|every|all|both|same|"
    r"it|them|they|you|your|me|my|our|here|there|or|not|but|without|except|via|"
    r"now|today|tonight|tomorrow|weekdays?|weekends?|on (?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Binding:
    """Values for a workflow's variables, how sure that is (0 to 1), and for each variable that is in
    doubt why."""

    values: Mapping[str, str]
    confidence: float
    doubts: Mapping[str, str] = field(default_factory=dict)

    @property
    def sure(self) -> bool:
        return self.confidence >= SURE


def bind(workflow: Workflow, goal: str) -> dict[str, str] | None:
    """A value for every variable that the goal must name, or None where no template of the workflow
    fits the goal for sure."""
    found = binding(workflow, goal)
    return dict(found.values) if found is not None and found.sure else None


def binding(workflow: Workflow, goal: str) -> Binding | None:
    """The best binding of a goal: of those that are sure the one with the most literal words in its
    template; None where no template fits at all."""
    known = {variable.name: variable for variable in workflow.variables}
    needed = {variable.name for variable in workflow.variables if variable.in_goal}
    asks = bool(workflow.steps and workflow.steps[-1].arguments.get("answer"))
    best: tuple[tuple[float, int], Binding] | None = None
    said = telling_words(goal)
    for template in workflow.goals:
        if not _telling(template, asks) <= said or not needed <= set(variables_in(template)):
            continue
        literal = len([word for word in template.split() if not VARIABLE.search(word)])
        for found in _fits(template, goal, known, asks=asks):
            rank = (found.confidence, literal)
            if best is None or rank > best[0]:
                best = (rank, found)
    return best[1] if best else None


def _fits(template: str, goal: str, known: Mapping[str, Variable], *, asks: bool) -> Iterator[Binding]:
    """Bindings by one template, by choices known first; the first way that fits ends it."""
    choosing = [name for name in variables_in(template) if name in known and known[name].choices]
    ways = ((1.0, "full"), (1.0 - SHORTENED, "short"), (1.0, "")) if choosing else ((1.0, ""),)
    for certain, way in ways:
        choices = {name: _spoken(known[name].choices, way) for name in choosing} if way else {}
        for confidence, written, said in _wordings(template, goal, asks=asks):
            values = _values(written, said, choices)
            if values is None:
                continue
            bound, doubts = _typed(values, known)
            if (other := _values(written, said, choices, greedy=True)) != values:
                split = [name for name in values if (other or {}).get(name) != values[name]]
                doubts |= dict.fromkeys(split, "the goal can be read in more than one way")
            yield Binding(bound, DOUBTED if doubts else confidence * certain, doubts)
            return


def _wordings(template: str, goal: str, *, asks: bool) -> Iterator[tuple[float, str, str]]:
    """The template and the goal, word for word and with ever less of what does not matter."""
    yield EXACT, trimmed(template), trimmed(goal)
    polite = without_politeness(template), without_politeness(goal)
    yield POLITE, *polite
    if not asks:
        return
    wanted, said = what_is_asked(template), what_is_asked(goal)
    if not telling_words(wanted) and wanted != polite[0]:
        return
    yield ASKED, wanted, said
    of = re.fullmatch(r"(?:the )?(.+) (?:of|for) (\{[a-z][a-z0-9_-]*\})", wanted)
    if of:
        yield ASKED, f"{of[1]} of {of[2]}", said
        yield ASKED, f"{of[1]} for {of[2]}", said
        yield ASKED, f"{of[2]}'s {of[1]}", said


def _spoken(choices: Sequence[str], way: str) -> dict[str, str]:
    """What a goal may say for each choice: its words (full), or those of them that tell (short)."""
    if way == "full":
        return {choice: choice for choice in choices}
    short = [" ".join(sorted(telling_words(choice))) for choice in choices]
    return {
        word: choice for word, choice in zip(short, choices, strict=True) if word and short.count(word) == 1
    }


def _values(
    template: str, goal: str, choices: Mapping[str, Mapping[str, str]], *, greedy: bool = False
) -> dict[str, str] | None:
    found = _pattern(template, choices, greedy=greedy).fullmatch(goal)
    if found is None:
        return None
    values = {
        name: found[_group(name)].strip().strip(",;:").strip(QUOTES).strip()
        for name in variables_in(template)
    }
    for name, spoken in choices.items():
        folded = {" ".join(words.casefold().split()): choice for words, choice in spoken.items()}
        values[name] = folded.get(" ".join(values[name].casefold().split()), values[name])
    return values if all(values.values()) else None


def _typed(values: dict[str, str], known: Mapping[str, Variable]) -> tuple[dict[str, str], dict[str, str]]:
    """The values as their variables' kinds want them, and what is doubtful about which."""
    doubts: dict[str, str] = {}
    bound = dict(values)
    for name, value in values.items():
        variable = known.get(name, Variable(name))
        chosen = as_taken(variable, value)
        if chosen is None and variable.kind == "date":
            doubts[name] = f'"{value}" is no date like {variable.example}'
        elif chosen is None:
            doubts[name] = f'"{value}" is none of the choices known ({", ".join(variable.choices)})'
        elif variable.kind == "number" and not _NUMBER.fullmatch(value):
            doubts[name] = f'"{value}" is no number'
        elif not variable.choices and _HANGING.search(value):
            doubts[name] = f'"{value}" begins or ends in the middle of something'
        elif not variable.choices and _NO_NAME.search(value) and not _NO_NAME.search(variable.example):
            doubts[name] = f'"{value}" may describe something rather than name it'
        bound[name] = chosen or value
    return bound, doubts


def _is_alike(value: str, example: str) -> bool:
    """Whether a date has the spelling of another: digits stand for digits."""
    shape = re.sub(r"\d+", "0", example)
    return bool(_DATE.fullmatch(value)) and (not shape or re.sub(r"\d+", "0", value) == shape)


def as_taken(variable: Variable, value: str) -> str | None:
    """A value as its field takes it: the choice that it means, a date in the spelling of the example; None
    where that can't be told."""
    if variable.kind == "date" and not variable.choices and not _is_alike(value, variable.example):
        return spelt_like(value, variable.example)
    return chosen_of(variable, value)


def chosen_of(variable: Variable, value: str) -> str | None:
    """The choice that a value means: itself where no choices are known, None where it is none of them."""
    if not variable.choices:
        return value
    folded = " ".join(value.casefold().split())
    exact = [choice for choice in variable.choices if " ".join(choice.casefold().split()) == folded]
    words = telling_words(value)
    near = exact or [choice for choice in variable.choices if words and words == telling_words(choice)]
    return near[0] if len(near) == 1 else None


def _pattern(
    template: str, choices: Mapping[str, Mapping[str, str]], *, greedy: bool = False
) -> re.Pattern[str]:
    """A goal template (`find zip code of {place}`) as a pattern: case, spaces, hyphens, articles and
    punctuation between words don't matter."""
    parts: list[str] = []
    for word in _words(template):
        literal = not VARIABLE.search(word)
        part = _ARTICLE + _word_pattern(word, choices, greedy=greedy)
        if parts:
            parts.append(r"(?:[,:;]?\s+|-)" if literal else r"[,:;]?\s+")
        parts.append(part)
    return re.compile(r"\s*" + "".join(parts) + r"\s*", re.IGNORECASE | re.DOTALL)


def _words(template: str) -> list[str]:
    """Words, without articles; `what is` and `what's` are one."""
    text = re.sub(r"\b(what|where|when|who)(?:['’]s| is| are)\b", r"\1's", trimmed(template), flags=re.I)
    return [word for word in text.split() if word.lower() not in _ARTICLES]


_BE = re.compile(r"(what|where|when|who)'s", re.IGNORECASE)


def _word_pattern(word: str, choices: Mapping[str, Mapping[str, str]], *, greedy: bool) -> str:
    if asked := _BE.fullmatch(word):
        return rf"{asked[1]}(?:['’]?s|\s+is|\s+are)"
    pattern = ""
    end = 0
    for found in VARIABLE.finditer(word):
        pattern += _literal(word[end : found.start()])
        group = _group(found[1])
        if f"(?P<{group}>" in pattern:
            pattern += f"(?P={group})"
        else:
            pattern += f"(?P<{group}>{_slot(choices.get(found[1]), greedy=greedy)})"
        end = found.end()
    return pattern + _literal(word[end:])


def _slot(spoken: Mapping[str, str] | None, *, greedy: bool) -> str:
    if spoken is None:
        return r"\S.*" if greedy else r"\S.*?"
    longest = sorted(spoken, key=len, reverse=True)
    return "|".join(r"\s+".join(map(re.escape, words.split())) for words in longest) or r"(?!)"


def _literal(text: str) -> str:
    return re.escape(text).replace("'", "['’]")


def _group(variable: str) -> str:
    return "v_" + variable.replace("-", "__")


def with_kind(variable: Variable, seen: Sequence[str], choices: Sequence[str]) -> Variable:
    """The variable with the kind that its values and its control tell: several choices, numbers or
    dates in more than one run; text else."""
    if len(choices) > 1:
        return replace(variable, kind="choice", choices=tuple(choices))
    several = len({value.casefold() for value in seen}) > 1
    if several and all(_DATE.fullmatch(value) for value in seen):
        return replace(variable, kind="date")
    if several and all(_NUMBER.fullmatch(value) for value in seen):
        return replace(variable, kind="number")
    return variable


@cache
def _telling(template: str, asks: bool) -> frozenset[str]:
    """The words that a goal must have to fit: a look at them spares compiling most patterns, which was
    three quarters of recall."""
    core = what_is_asked(template) if asks else without_politeness(template)
    return telling_words(" ".join(word for word in core.split() if "{" not in word))


def template_of(goal: str, values: Mapping[str, str]) -> str:
    """The goal with each value replaced by its variable, longest first; whole words only."""
    template = goal
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        if value.strip():
            words = value if _whole(value).search(template) else said_in(template, value) or value
            template = _whole(words).sub(f"{{{name}}}", template)
    return template


def _whole(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w{{]){re.escape(value.strip())}(?![\w}}])", re.IGNORECASE)


def named_in(value: str, goal: str) -> bool:
    """Whether the goal says this value, as whole words, or this day in another spelling."""
    return bool(value.strip()) and bool(_whole(value).search(goal) or said_in(goal, value))
