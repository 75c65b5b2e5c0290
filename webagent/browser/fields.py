"""Actions of the keyboard and of list boxes: type, press, select."""

from typing import TYPE_CHECKING, Any

from webagent.actions import Action
from webagent.browser.choices import Ambiguous, choose, full_label
from webagent.browser.entry import Entry, entry, focused, is_private
from webagent.browser.pointing import press_at
from webagent.browser.scripts import function
from webagent.browser.sliders import slide
from webagent.browser.stage import Element, Stage, plain_reason
from webagent.browser.values import FORMATS, for_field
from webagent.errors import ActionError
from webagent.observation import Line, Observation
from webagent.secrets import PLACEHOLDER

if TYPE_CHECKING:
    from playwright.async_api import Page

LONG = 200
"""Characters beyond which text is inserted at once instead of key by key."""
NEW_LINE = "Shift+Enter"
"""A line's end within a text: Enter alone would send what a chat box holds so far."""
SAID = "typed, not submitted"
SAID_AGAIN = "the field held this text already, so nothing changed; submit it, or go on"
"""Small models type again and again where they are not told what is still to be done."""
CLICKED = ("checkbox", "radio", "button", "submit", "reset", "image")
"""Types of inputs that take a click and no text."""
OPTION_ROLES = frozenset({"option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem", "radio"})


async def type_text(stage: Stage, action: Action) -> str:
    """Types with real key events, then tells in an event what the field holds where that is not
    what was typed."""
    given = action.arguments
    text = str(given["text"])
    if given.get("ref") is None:
        await _type_focused(stage, text, given)
        return SAID
    element = await stage.element(given["ref"])
    what = await stage.run(element, "describe", [*FORMATS, "file", *CLICKED])
    stage.typed_secret = is_private(text, what)
    _refuse_untypable(what, element)
    typed = await _entry(stage, element, what, text)
    text = typed.text
    if what["tag"] == "select":
        await _select_native(stage, element, [text])
        return "selected"
    if element.line.role == "slider" and what["tag"] != "input":
        report(stage, element, await slide(stage, element, text), text, secret=False)
        return "moved"
    if what["type"] in FORMATS:
        await _fill_native(stage, element, what["type"], text)
    else:
        if not what["focused"]:
            # Editors and wrappers of fields want a click.
            await press_at(stage, element, {})
        await _enter(element.locator.page, typed, what, clear=given.get("clear", True))
        await _finish_boxes(stage, element, what, text)
    what["secret"] = what["secret"] or typed.check is not None
    await _read_back(stage, element, what, text)
    if given.get("submit"):
        stage.typed.pop(element.line.ref, None)
        await element.locator.page.keyboard.press("Enter")
        return "typed and pressed Enter"
    return SAID_AGAIN if text and text == what.get("value") else SAID


async def _entry(stage: Stage, element: Element, what: dict[str, Any], text: str) -> Entry:
    from playwright.async_api import Error

    try:
        handle = await element.locator.element_handle(timeout=1000) if PLACEHOLDER.search(text) else None
        return await entry(stage, text, handle, what)
    except Error as error:
        raise ActionError(f"not typed: {plain_reason(error)}") from error


def _refuse_untypable(what: dict[str, Any], element: Element) -> None:
    ref = element.line.ref
    if what["type"] == "file":
        raise ActionError(f"{ref} is a file field; use upload")
    if what["type"] in CLICKED:
        raise ActionError(f"{ref} is a {what['type']}, which takes a click and no text")
    if what["disabled"]:
        raise ActionError(f"{ref} ({element.line.role}) is disabled")
    if what["readonly"]:
        raise ActionError(
            f"{ref} ({element.line.role}) can't be typed into: it is read-only; click it instead"
        )


async def _type_focused(stage: Stage, text: str, given: Any) -> None:
    """Types into what has the focus, in whichever frame."""
    from playwright.async_api import Error

    handle, _ = await focused(stage)
    what: dict[str, Any] = {"tag": "", "type": "", "value": "", "editable": False, "maxlength": -1}
    typed = Entry(text)
    if handle is not None:
        try:
            what = await handle.evaluate(function("describe"))
            stage.typed_secret = is_private(text, what)
            typed = await entry(stage, text, handle, what)
            text = typed.text
            if what["type"] in FORMATS:
                value = for_field(what["type"], text)
                if value is None:
                    raise ActionError(f"a {what['type']} field takes {FORMATS[what['type']]}")
                await handle.fill(value, timeout=2000)
                if given.get("submit"):
                    await stage.page.keyboard.press("Enter")
                return
        except Error as error:
            raise ActionError(f"not typed: {plain_reason(error)}") from error
    elif PLACEHOLDER.search(text):
        raise ActionError("not typed: a secret goes into a text field only, and none has the focus")
    await _enter(stage.page, typed, what, clear=given.get("clear", True))
    if given.get("submit"):
        await stage.page.keyboard.press("Enter")


async def _enter(page: "Page", entered: Entry, what: dict[str, Any], *, clear: bool) -> None:
    """Key events for each character; long text goes in at once. Where a secret is typed, the focus is
    looked at before each."""
    from playwright.async_api import Error

    text, check = entered.text, entered.check
    one_line = what["tag"] == "input"
    if one_line:
        text = " ".join(text.splitlines()) if "\n" in text or "\r" in text else text
    text = text.replace("\t", " ") if one_line else text
    keyboard = page.keyboard
    try:
        if clear and what["value"].strip("\n"):
            await keyboard.press("ControlOrMeta+a")
            await keyboard.press("Backspace")
        elif what["value"] and not clear:
            await keyboard.press("ControlOrMeta+End" if not one_line else "End")
        if check is not None:
            await check()
        if len(text) > LONG:
            whole = text if check is not None else text[:-1]
            await keyboard.insert_text(whole)
            text = text[len(whole) :]
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if number:
                await keyboard.press(NEW_LINE)
            for piece in line if check is not None else [line] * bool(line):
                if check is not None:
                    await check()
                await keyboard.type(piece)
    except Error as error:
        raise ActionError(f"not typed: {plain_reason(error)}") from error


async def _finish_boxes(stage: Stage, element: Element, what: dict[str, Any], text: str) -> None:
    """One-digit code boxes whose focus does not move by itself: one character into each."""
    from playwright.async_api import Error

    if what["maxlength"] != 1 or len(text) < 2:
        return
    held = await stage.run(element, "boxes")
    if not held or "".join(held).startswith(text[: len(held)]):
        return
    try:
        boxes = await element.locator.evaluate_handle(
            "(e) => { let a = e.parentElement; for (; a; a = a.parentElement) {"
            " const all = [...a.querySelectorAll('input')].filter((one) => one.maxLength === 1);"
            " if (all.length > 1) return all.slice(all.indexOf(e)); } return [e]; }"
        )
        for index, character in enumerate(text[: len(held)]):
            box = (await boxes.evaluate_handle("(all, i) => all[i]", index)).as_element()
            if box is None:
                return
            await box.focus()
            await box.select_text(timeout=500)
            await stage.page.keyboard.type(character)
    except Error as error:
        raise ActionError(f"not typed: {plain_reason(error)}") from error


async def _fill_native(stage: Stage, element: Element, kind: str, text: str) -> None:
    """Native pickers take one form of value only, and silently stay empty with any other."""
    from playwright.async_api import Error

    value = for_field(kind, text)
    if value is None:
        raise ActionError(f"not typed: a {kind} field takes {FORMATS[kind]}")
    try:
        await element.locator.fill(value, timeout=2000)
    except Error as error:
        if "Malformed" in str(error):
            raise ActionError(f"not typed: a {kind} field takes {FORMATS[kind]}") from error
        raise ActionError(f"not typed: {plain_reason(error)}") from error


async def _read_back(stage: Stage, element: Element, what: dict[str, Any], text: str) -> None:
    """Tells what a field holds where it did not take the text as typed."""
    try:
        held = str(await stage.run(element, "value", seconds=0.7))
    except ActionError:
        return
    wanted = for_field(what["type"], text) or "" if what["type"] in FORMATS else text
    if what["code"] or (what["tag"] not in ("input", "textarea") and not what["editable"]):
        return
    in_boxes = what["maxlength"] == 1 and len(text) > 1
    if in_boxes:
        boxes = await stage.run(element, "boxes", seconds=0.7)
        held = "".join(boxes) if boxes else held
    report(stage, element, held, wanted, secret=what["secret"])
    if not what["secret"] and not in_boxes:
        stage.typed[element.line.ref] = (element.label, " ".join(stage.events.mask(held).split()))


def report(stage: Stage, element: Element, held: str, wanted: str, *, secret: bool) -> None:
    """An event where a field holds something else than wanted; a password's length alone."""
    if " ".join(held.split()) == " ".join(wanted.split()) or same_value(held, wanted):
        return
    if secret:
        stage.events.add(f"the password field now holds {len(held)} characters")
    else:
        stage.events.add(
            f"the field {stage.events.quoted(element.label, 60)} now holds {stage.events.quoted(held)}"
        )


def same_value(held: str, wanted: str) -> bool:
    """True for two ways to write one number or time: `5` and `5.0`, `16:05` and `16:05:00`."""
    try:
        return float(held) == float(wanted)
    except ValueError:
        return (
            bool(held and wanted) and held.removesuffix(":00") == wanted.removesuffix(":00") and ":" in held
        )


async def press(stage: Stage, action: Action) -> str:
    """Presses a key or chord, on an element or where the focus is."""
    from playwright.async_api import Error

    key = str(action.arguments["key"])
    page = stage.page
    try:
        if action.ref is not None:
            element = await stage.element(action.ref)
            await element.locator.focus(timeout=1000)
        await page.keyboard.press(key)
    except Error as error:
        if "Unknown key" in str(error):
            raise ActionError(
                f"no key is called {key!r:.40}; examples: Enter, Escape, ArrowDown, Control+A"
            ) from error
        raise ActionError(f"not pressed: {plain_reason(error)}") from error
    return "pressed"


async def select(stage: Stage, action: Action) -> str:
    """Chooses options of a native list box, or of one that is built from other elements."""
    wanted = [str(option) for option in action.arguments["options"]]
    element = await stage.element(action.arguments["ref"])
    what = await stage.run(element, "describe")
    if what["tag"] == "select":
        await _select_native(stage, element, wanted)
        return "selected"
    return await _select_built(stage, element, wanted)


async def _select_native(stage: Stage, element: Element, wanted: list[str]) -> None:
    from playwright.async_api import Error

    choices = await stage.run(element, "options")
    try:
        indexes = choose(choices, wanted)
    except Ambiguous:
        listed = ", ".join(
            stage.events.quoted(full_label(choice), 60) for choice in choices[:40] if choice["label"]
        )
        stage.events.add(f"the choices are: {listed}")
        raise
    try:
        await element.locator.select_option(index=indexes, timeout=2000)
    except Error as error:
        raise ActionError(f"not selected: {plain_reason(error)}") from error
    try:
        after = await stage.run(element, "options")
    except ActionError:
        return  # the choice has led elsewhere
    chosen = [choice for choice in after if choice["selected"]]
    if {choice["index"] for choice in chosen} != set(indexes):
        held = ", ".join(full_label(choice) for choice in chosen)
        stage.events.add(
            f"the field {stage.events.quoted(element.label, 60)} now holds {stage.events.quoted(held)}"
        )


async def _select_built(stage: Stage, element: Element, wanted: list[str]) -> str:
    """Opens a combobox where its options don't show yet, and clicks each option. Options elsewhere on
    the page count only where they came with the opening: they are some other list's otherwise."""
    if element.line.role == "link":
        raise ActionError(f"{element.line.ref} is a link and has no options; click it")
    for text in wanted:
        page = await stage.look()
        opened = "expanded" in element.line.states
        others = set() if opened else {line.ref for line in page.lines if line.role in OPTION_ROLES}
        option = _option(page, element.line, text, others)
        if option is None:
            await press_at(stage, element, {})
            option = await _await_option(stage, element.line, text, others)
        await press_at(stage, stage.element_of(stage.now, option), {})
    return "selected"


async def _await_option(stage: Stage, box: Line, text: str, others: set[str]) -> Line:
    """The option once it shows, which may take a request."""
    for _ in range(4):
        await stage.quiet.settle()
        page = await stage.look()
        option = _option(page, box, text, others)
        if option is not None:
            return option
        if not await stage.change(0.6):
            break
    shown = [page.label_of(line) for line in page.lines if line.role in OPTION_ROLES and line.ref]
    if shown:
        stage.events.add(
            f"the choices are: {', '.join(stage.events.quoted(name, 60) for name in shown[:30])}"
        )
    raise ActionError("nothing selected: no such option shows")


def _option(page: Observation, box: Line, text: str, others: set[str]) -> Line | None:
    """The one option with this name: inside of the box first, then anywhere but among `others`."""
    wanted = " ".join(text.split()).casefold()
    near = page.subtree(page.by_ref[box.ref])[1:] if box.ref in page.by_ref else ()
    for lines in (near, [line for line in page.lines if line.ref not in others]):
        options = [line for line in lines if line.ref and line.role in OPTION_ROLES]
        found = [line for line in options if page.label_of(line).casefold() == wanted]
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise Ambiguous(f"nothing selected: {len(found)} options fit; click the one you mean")
    return None
