"""Answers read from a page by what was learned: which element, and which part of its words."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from webagent.observation import Line, Observation
from webagent.workflow import AnswerReader, WorkflowStep, fill

CONTEXT = 40
"""Characters on either side of an answer that a pattern may be anchored to."""


def normal(text: str) -> str:
    """Text for comparing: case and white space folded, quotes and a full stop at the end gone."""
    return " ".join(text.casefold().split()).strip("\"'“”.")


def read_answer(reader: AnswerReader, observation: Observation, values: Mapping[str, str]) -> str | None:
    """The answer, where the page holds exactly one reading; None otherwise."""
    found = {text for _, text in _readings(reader, observation, values)}
    return found.pop() if len(found) == 1 else None


def _readings(
    reader: AnswerReader, observation: Observation, values: Mapping[str, str]
) -> Iterator[tuple[Line, str]]:
    """Lines of which the reader reads something, and what."""
    for line in observation.lines:
        if line.role != reader.role or line.role.startswith("/"):
            continue
        if reader.frame is not None and observation.frame_of(line) not in (None, reader.frame):
            continue
        if reader.label and normal(label_before(observation, line)) != normal(fill(reader.label, values)):
            continue
        if reader.heading and normal(observation.heading_above(line)) != normal(fill(reader.heading, values)):
            continue
        match = re.fullmatch(reader.pattern, own_words(observation, line), re.DOTALL)
        if match and match[1].strip():
            yield line, match[1].strip()


def written_reader(steps: Sequence[WorkflowStep]) -> AnswerReader | None:
    """What reads the answer of a workflow that a person wrote: `[definition] ZIP code: {zip} -> STOP
    {zip}` means the definition after the words `ZIP code`. None where the last step says no such thing."""
    last = steps[-1] if steps else None
    if last is None or last.tool != "stop" or last.target is None or not last.target.role:
        return None
    found = _LABELLED.fullmatch(last.target.name)
    if found is None or f"{{{found[2]}}}" != last.arguments.get("answer"):
        return None
    return AnswerReader(role=last.target.role, label=(found[1] or "").strip())


_LABELLED = re.compile(r"(?:(.+?):\s*)?\{([a-z][a-z0-9_-]*)\}", re.DOTALL)


def own_words(observation: Observation, line: Line) -> str:
    """What a person reads at a line: its text, or the words of its subtree, or its name."""
    return line.text or observation.words_of(line)


def label_before(observation: Observation, line: Line) -> str:
    """The words that label a value: the sibling just before it, or its row's first cell."""
    if line.parent < 0:
        return ""
    before = ""
    for sibling in observation.children(observation.lines[line.parent]):
        if sibling.index == line.index:
            break
        if not sibling.role.startswith("/"):
            before = observation.words_of(sibling)
    return before if len(before) <= 60 else ""


def candidate_readers(observation: Observation, answer: str, values: Mapping[str, str]) -> list[AnswerReader]:
    """Readers that read this answer from this page, most trustworthy first: a labelled value, a
    value that is an element's whole text, then parts of longer texts."""
    wanted = answer.strip()
    if not wanted:
        return []
    readers: list[tuple[int, AnswerReader]] = []
    for line in observation.lines:
        words = own_words(observation, line)
        if line.role.startswith("/") or len(words) > 400 or normal(wanted) not in normal(words):
            continue
        label = label_before(observation, line)
        for rank, pattern in _patterns(words, wanted):
            for heading in ("", observation.heading_above(line)):
                reader = AnswerReader(
                    role=line.role,
                    label=_template(label, values),
                    heading=_template(heading, values),
                    pattern=pattern,
                    examples=(wanted,),
                )
                cost = rank + (0 if label else 2) + bool(heading) + _holds_a_value(label, values) * 4
                if normal(read_answer(reader, observation, values) or "") == normal(wanted):
                    readers.append((cost, reader))
    readers.sort(key=lambda item: item[0])
    return list(dict.fromkeys(reader for _, reader in readers))


def is_anchored(reader: AnswerReader) -> bool:
    """Whether words of the page tell the answer from others of its kind: a label, a heading, or the
    words around it."""
    return bool(reader.label or reader.heading or re.search(r"(?<!\\)[^\W\d_]", reader.pattern))


def _patterns(words: str, answer: str) -> list[tuple[int, str]]:
    """Patterns that cut the answer out of these words, with a cost: the whole text, or the text
    between the words around it, the answer's own shape held where it is a number or a code."""
    if normal(words) == normal(answer):
        return [(0, r"(.+)")]
    at = words.casefold().find(answer.casefold())
    if at < 0:
        return []
    before, after = words[:at], words[at + len(answer) :]
    left, right = _stable(before, last=True), _stable(after, last=False)
    lead, tail = ("" if before == left else ".*"), ("" if after == right else ".*")
    shape = _shape(answer)
    patterns = [(2, f"{lead}{re.escape(left)}({shape}){re.escape(right)}{tail}")]
    if shape != ".+?":
        patterns.append((3, f"(?:.*\\W)?({shape})(?:\\W.*)?"))
    return patterns


def _stable(text: str, *, last: bool) -> str:
    """The part of the words beside an answer that is likely the same on another page: punctuation
    and lower-case words, up to the first thing that looks like data."""
    pieces = re.findall(r"[^\W\d_]+|\d+|[\W_]+", text[-CONTEXT:] if last else text[:CONTEXT])
    ordered = list(reversed(pieces)) if last else pieces
    kept: list[str] = []
    for piece in ordered:
        if piece.isdigit() or (piece[0].isalpha() and piece[0].isupper()):
            break
        kept.append(piece)
    return "".join(reversed(kept) if last else kept)


def _shape(answer: str) -> str:
    """Digits as digits, so that a zip code is read as one; free text otherwise."""
    if re.fullmatch(r"[\d\W]*\d[\d\W]*", answer):
        return "".join(
            r"\d+" if piece[0].isdigit() else re.escape(piece) for piece in re.findall(r"\d+|\D+", answer)
        )
    return ".+?"


def _template(text: str, values: Mapping[str, str]) -> str:
    """Words with the run's own values replaced by variables."""
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        if value:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", f"{{{name}}}", text, flags=re.IGNORECASE)
    return text


def _holds_a_value(label: str, values: Mapping[str, str]) -> bool:
    return any(value and value.casefold() in label.casefold() for value in values.values())


def common_readers(
    seen: Sequence[tuple[Observation, str, Mapping[str, str]]],
) -> list[AnswerReader]:
    """Readers learned from the first example that read every other one right too, in its frame where
    the pages tell of that."""
    if not seen:
        return []
    observation, answer, values = seen[0]
    readers = candidate_readers(observation, answer, values)
    for other, right, bound in seen[1:]:
        readers = [
            reader for reader in readers if normal(read_answer(reader, other, bound) or "") == normal(right)
        ]
    examples = tuple(dict.fromkeys(right for _, right, _ in seen))
    return [
        replace(
            reader, examples=examples, frame=_frame_read(reader, [(page, bound) for page, _, bound in seen])
        )
        for reader in readers
    ]


def _frame_read(
    reader: AnswerReader, pages: Sequence[tuple[Observation, Mapping[str, str]]]
) -> tuple[str, ...] | None:
    """The one frame in which the reader reads its answer on these pages; those that were stored don't
    tell it."""
    frames = {page.frame_of(line) for page, bound in pages for line, _ in _readings(reader, page, bound)}
    return one_frame(frames)


def one_frame(frames: Collection[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    """The frame that several runs tell of; None where they differ, or none of them knows it."""
    known = set(frames) - {None}
    return known.pop() if len(known) == 1 and (len(frames) == 1 or () not in known) else None
