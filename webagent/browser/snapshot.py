"""Reads a page: Playwright's AI snapshot, and what it does not tell or should not."""

import asyncio
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from webagent.browser.scripts import PAGE_ENGINE, function
from webagent.ids import clean_text
from webagent.masking import MASK, Masker
from webagent.observation import Line, lines_of
from webagent.secrets import PLACEHOLDER
from webagent.snapshot_text import split_snapshot

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page

SNAPSHOT_SECONDS = 1.5
"""How long a page with frames is waited for: one that never answers would hold up the rest."""
ALONE_SECONDS = 15.0
"""The same for a page without frames, which may just be large."""
MOST_FRAMES = 30
SMALL = 2000
"""Elements of a page that is read before it is known to be quiet: reading it in vain costs little."""

FRAME_SECONDS = 0.5
"""How long one frame beside the main one is waited for."""
_NUMBERS = itertools.count(1)
"""Snapshots are numbered, so that what is told is known to belong to one."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Stamp:
    """Tells whether a page changed: `document` names the document, `content` changes with it, `look`
    also where something merely moved or a field holds something else."""

    document: str = ""
    content: str = ""
    look: str = ""
    opening: bool = False
    body: bool = True


@dataclass(frozen=True)
class Reading:
    """A page at one moment."""

    lines: tuple[Line, ...] = ()
    title: str = ""
    viewport: tuple[int, int] = (1280, 720)
    stamp: Stamp = Stamp()


async def stamp_of(page: "Page", seconds: float = 1.0) -> Stamp:
    """The page's stamp; an empty one while it has no document or does not answer."""
    main, *others = await asyncio.gather(
        _ask(page.main_frame, "stamp", seconds),
        *(_ask(frame, "stamp", 0.3) for frame in foreign_frames(page)),
    )
    return joined_stamp(main, others)


def joined_stamp(main: Mapping[str, Any] | None, others: Sequence[Mapping[str, Any] | None]) -> Stamp:
    """The stamp of a page from what its main frame and its foreign frames told."""
    if main is None:
        return Stamp()
    return Stamp(
        document=str(main["document"]),
        content=" ".join([str(main["stamp"]), *(str(one["stamp"]) for one in others if one)]),
        look=str(main["look"]),
        opening=bool(main["opening"]),
        body=bool(main["body"]),
    )


def foreign_frames(page: "Page") -> "list[Frame]":
    """Frames that the page's own scripts can't look into."""
    here = _origin(page.main_frame.url)
    return [
        frame
        for frame in page.frames[1:MOST_FRAMES]
        if _origin(frame.url) not in (here, "") and not frame.is_detached()
    ]


def _origin(url: str) -> str:
    found = re.match(r"https?://[^/]+", url)
    return found[0] if found else ""


async def _ask(frame: "Frame", name: str, seconds: float, argument: Any = None) -> Any:
    """The value of one of our functions in a frame; None where it does not answer in time."""
    from playwright.async_api import Error

    try:
        return await asyncio.wait_for(frame.evaluate(function(name), argument), seconds)
    except (Error, TimeoutError):
        return None


async def read_page(page: "Page", mask: Masker = str, patient: bool = False) -> Reading:
    """Snapshot and probes of all frames, with `mask` over all that the page says. Raises Playwright's
    TimeoutError where the page does not answer, its Error where it is gone."""
    frames = [frame for frame in page.frames[1:MOST_FRAMES] if not frame.is_detached()]
    seconds = ALONE_SECONDS if patient or not frames else SNAPSHOT_SECONDS
    await asyncio.gather(*(_select(frame, "lend") for frame in frames))
    return await _read(page, frames, mask, seconds)


async def glance(page: "Page", mask: Masker = str) -> Reading | None:
    """A reading of a page that may not be quiet yet; it holds if the page's stamp is the same once it
    is. None where one is not worth its time: the page is large, has frames, or is bound to change."""
    from playwright.async_api import Error

    if len(page.frames) > 1 or not await _ask(page.main_frame, "ready", 0.5, SMALL):
        return None
    with suppress(Error, Unread):
        reading = await _read(page, [], mask, SNAPSHOT_SECONDS)
        return reading if len(page.frames) == 1 else None
    return None


async def _select(frame: "Frame", what: str) -> None:
    """Has the engine do something in a frame beside the main one."""
    from playwright.async_api import Error

    with suppress(Error, TimeoutError):
        await asyncio.wait_for(frame.locator(f"{PAGE_ENGINE}={what}").count(), FRAME_SECONDS)


async def _read(page: "Page", frames: "Sequence[Frame]", mask: Masker, seconds: float) -> Reading:
    """The reading of a page, in whose other `frames` it was lent what scripts alone know. Snapshot and
    what it does not tell are asked for at once: the page keeps that until it is asked."""
    number = next(_NUMBERS)
    taken = asyncio.ensure_future(_snapshot(page, number, seconds))
    asked = asyncio.ensure_future(_ask(page.main_frame, "taken", seconds, number))
    try:
        text = await taken
    except BaseException:
        taken.cancel()
        asked.cancel()
        raise
    finally:
        others = await asyncio.gather(*(_told(frame, number) for frame in frames))
    split = split_snapshot(text or "")
    main = await asked
    if main is None:
        raise Unread
    foreign = foreign_frames(page)
    stamp = joined_stamp(
        main["stamp"],
        [one and one["stamp"] for frame, one in zip(frames, others, strict=True) if frame in foreign],
    )
    if text is None:
        return Reading(stamp=stamp)
    known = [main, *(one for one in others if one)]
    boxes: dict[str, list[float]] = {}
    for one in known:
        boxes.update(json.loads(one["boxes"]))
    lines = lines_of(split, boxes)
    if len(known) < len(page.frames):
        lines = mask_frames(lines)
    lines = mask_secrets(lines, [secret for probe in known for secret in probe["secrets"]], mask)
    lines = fill_editors(lines, [editor for probe in known for editor in probe["editors"]])
    lines = name_groups(lines, [select for probe in known for select in probe["selects"]])
    lines = tell_frames(lines, [frame for probe in known for frame in probe["frames"]], mask)
    return Reading(
        lines=place_frames(mask_lines(lines, mask)),
        title=clean_text(mask(str(main["title"]))),
        viewport=(int(main["width"]), int(main["height"])),
        stamp=stamp,
    )


async def _snapshot(page: "Page", number: int, seconds: float) -> str | None:
    """Playwright's snapshot; None where the page has no body yet."""
    from playwright.async_api import Error

    try:
        return await page.locator(f"{PAGE_ENGINE}={number}").aria_snapshot(mode="ai", timeout=seconds * 1000)
    except Error as error:
        if "does not match any element" in str(error):
            return None
        raise


async def _told(frame: "Frame", number: int) -> Any:
    """The probe of a frame beside the main one, once the snapshot is there."""
    _, told = await asyncio.gather(
        _select(frame, f"tell {number}"), _ask(frame, "taken", FRAME_SECONDS, number)
    )
    return told


class Unread(Exception):
    """The main frame gave no answer about its fields, whose secrets could not be masked."""


def mask_frames(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The lines without any field's value inside of frames: one of them was not asked which of its
    fields hold passwords."""
    frames: set[int] = set()
    masked: list[Line] = []
    for line in lines:
        if line.role == "iframe" or line.parent in frames:
            frames.add(line.index)
        hidden = line.parent in frames and line.role in FIELDS and line.text
        masked.append(replace(line, text=MASK) if hidden else line)
    return tuple(masked)


def fill_editors(lines: tuple[Line, ...], editors: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    """Lines of editable elements with their text, which the snapshot leaves out of role textbox."""
    if not editors:
        return lines
    texts = {
        line.index: _text_at(line, editors) for line in lines if line.role == "textbox" and not line.text
    }
    return tuple(replace(line, text=texts[line.index]) if texts.get(line.index) else line for line in lines)


def _text_at(line: Line, editors: Sequence[Mapping[str, Any]]) -> str:
    return next((_words(str(one["text"])) for one in editors if _same_box(line.box, one["box"])), "")


def mask_lines(lines: tuple[Line, ...], mask: Masker) -> tuple[Line, ...]:
    """The lines with `mask` over names and texts."""
    return lines if mask is str else tuple(_masked(line, mask) for line in lines)


def _masked(line: Line, mask: Masker) -> Line:
    name, text = line.name and mask(line.name), line.text and mask(line.text)
    return line if name == line.name and text == line.text else replace(line, name=name, text=text)


def mask_secrets(
    lines: tuple[Line, ...], secrets: Sequence[Mapping[str, Any]], mask: Masker = str
) -> tuple[Line, ...]:
    """The lines without the values of password fields, wherever a field shows them. A field that shows
    a secret of the run and nothing else tells its name."""
    if not secrets:
        return lines
    values = {_words(str(secret["value"])) for secret in secrets}
    boxes = [(tuple(secret["box"]), secret["hidden"]) for secret in secrets]

    def hidden(line: Line) -> Line:
        here = [is_password for box, is_password in boxes if _same_box(line.box, box)]
        if not line.text or line.role not in FIELDS or not (here or _words(line.text) in values):
            return line
        named = mask(_words(line.text))
        told = not any(here) and PLACEHOLDER.fullmatch(named)
        return replace(line, text=named if told else MASK)

    return tuple(map(hidden, lines))


FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})


def _words(text: str) -> str:
    return " ".join(clean_text(text).split())


def _same_box(box: Box | None, other: Sequence[float]) -> bool:
    return box is not None and all(abs(one - two) <= 1.5 for one, two in zip(box, other, strict=True))


def name_groups(lines: tuple[Line, ...], selects: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    """Options of grouped list boxes named `Group: Label`, which the snapshot leaves out."""
    if not selects:
        return lines
    renamed: dict[int, Line] = {}
    for line in lines:
        if line.role not in ("combobox", "listbox"):
            continue
        options = [
            other
            for other in lines[line.index + 1 : line.index + 2001]
            if other.parent == line.index and other.role == "option"
        ]
        for select in selects:
            labels = [str(option["label"]) for option in select["options"]]
            if [option.name for option in options] == labels and _same_box(line.box, select["box"]):
                for option, known in zip(options, select["options"], strict=True):
                    if known["group"]:
                        name = clean_text(f"{known['group']}: {known['label']}")
                        renamed[option.index] = replace(option, name=name)
                break
    return tuple(renamed.get(line.index, line) for line in lines) if renamed else lines


def tell_frames(
    lines: tuple[Line, ...], frames: Sequence[Mapping[str, Any]], mask: Masker = str
) -> tuple[Line, ...]:
    """Lines of frames with the selectors that find them, but where two may be meant, or one would tell
    a secret."""

    def told(line: Line) -> Line:
        here = {clean_text(str(frame["selector"])) for frame in frames if _same_box(line.box, frame["box"])}
        selector = here.pop() if len(here) == 1 else ""
        return replace(line, frame=selector) if selector and mask(selector) == selector else line

    return tuple(told(line) if line.role == "iframe" else line for line in lines)


def place_frames(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Boxes inside of frames as boxes of the page."""
    if not any(line.role == "iframe" for line in lines):
        return lines
    offsets: dict[int, tuple[float, float]] = {}
    placed: list[Line] = []
    for line in lines:
        x, y = offsets.get(line.parent, (0.0, 0.0))
        if line.box is not None and (x or y):
            line = replace(line, box=(line.box[0] + x, line.box[1] + y, line.box[2], line.box[3]))
        if line.role == "iframe" and line.box is not None:
            x, y = line.box[0], line.box[1]
        offsets[line.index] = (x, y)
        placed.append(line)
    return tuple(placed)


_LOADING = re.compile(
    r"^\W*(loading|please wait|one moment|just a moment|laden|wird geladen|chargement|cargando)\b",
    re.IGNORECASE,
)


def is_shell(reading: Reading) -> bool:
    """True for a page that shows nothing yet, or only that it is loading."""
    if any(line.interactive or line.role == "iframe" for line in reading.lines):
        return False
    words = " ".join(line.words for line in reading.lines if not line.role.startswith("/")).strip()
    return not words or (len(words) < 80 and _LOADING.match(words) is not None)
