"""Steps of a workflow as statements of Playwright's sync API."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webagent.errors import UsageError
from webagent.observation import Target
from webagent.routine import is_consent
from webagent.secrets import PLACEHOLDER
from webagent.workflow import NAME_LIMIT, VARIABLE, AnswerReader, Workflow, WorkflowStep, variables_in

WIDTH = 110
"""Columns of a line, as the project's formatter has them."""
NAMELESS = frozenset(
    [
        "code",
        "definition",
        "deletion",
        "emphasis",
        "insertion",
        "list",
        "listitem",
        "mark",
        "paragraph",
        "rowgroup",
        "strong",
        "subscript",
        "superscript",
        "term",
        "time",
    ]
)
"""Roles without a name in ARIA: a target of theirs is called by the words in it."""
CUT = NAME_LIMIT - 1
"""Characters from which on a name is the beginning of a longer one."""
ROWS = "li, tr, article, [role=listitem], [role=row]"
URL_SAFE = "/:?&=#%+,;@"
IMPORTS = {
    "at": ("re", "quote"),
    "dismiss": ("Locator",),
    "named": ("re",),
    "pick": ("Any", "Error", "FrameLocator", "Locator", "suppress"),
    "rank": ("re",),
    "read": ("re", "Error", "Locator", "suppress"),
}
NEEDS = {"pick": ("rank", "tidy"), "rank": ("tidy",), "read": ("LOOK", "tidy")}
"""Parts that other parts call."""

_PARTS = re.compile("((?:" + re.sub(r"\((?!\?)", "(?:", f"{VARIABLE.pattern}|{PLACEHOLDER.pattern}") + "))")


def literal(text: str) -> str:
    """A string of Python that holds this text and nothing else, quoted as the formatter quotes it."""
    body = "".join(char if char in "\"'" else repr(char)[1:-1] for char in text)
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + body.replace(quote, "\\" + quote) + quote


def kept_whole(statement: str) -> str:
    """The statement; one that the formatter would break is kept as it is."""
    longest = max(statement.split("\n"), key=len)
    wide = sum(2 if unicodedata.east_asian_width(char) in "WFA" else 1 for char in longest)
    return f"{statement}  # fmt: skip" if wide > WIDTH - 2 else statement


@dataclass
class Writer:
    """Writes the statements of one workflow. `known` are variables with a value so far, `used` the
    parts and modules that the statements need."""

    workflow: Workflow
    known: list[str]
    used: set[str] = field(default_factory=set)

    def statements(self, steps: Sequence[WorkflowStep]) -> list[list[str]]:
        """Those of each step; at the end the answer is read and returned, or the last URL. Raises
        UsageError for what can't be written."""
        acting = [step for step in steps if step.tool != "stop"]
        written: list[list[str]] = []
        for n, step in enumerate(acting):
            later = acting[n + 1 :]
            asked = [self._dialog(later[0])] if later and later[0].tool == "dialog" else []
            done = list(self._step(n + 1, step, later))
            if step.opens:
                with_popup = f"with page.expect_popup() as popup:\n    {done[-1]}"
                done = [*done[:-1], with_popup, "page = popup.value"]
            written.append([*asked, *done])
            if step.expect and step.expect != step.page and not is_consent(step.target):
                written[-1].append(self._arrival(step.expect))
        return [*written, [self._end(steps)]]

    def use(self, *names: str) -> None:
        """Notes parts, what they need, and what has to be imported for them."""
        for name in names:
            if name not in self.used:
                self.used.add(name)
                self.use(*NEEDS.get(name, ()), *IMPORTS.get(name, ()))

    def expression(self, text: Any) -> str:
        """The text as an expression, with its variables, and with secrets read from the environment."""
        said: list[str] = []
        plain = ""
        for part in _PARTS.split(str(text)):
            variable, secret = VARIABLE.fullmatch(part), PLACEHOLDER.fullmatch(part)
            if secret is not None:
                self.use("os")
                value = f"os.environ[{literal(secret[1])}]"
            elif variable is not None and variable[1] in self.known:
                value = f"values[{literal(variable[1])}]"
            else:
                plain += part
                continue
            said += [literal(plain)] * bool(plain) + [value]
            plain = ""
        said += [literal(plain)] * bool(plain)
        return " + ".join(said) or '""'

    def _step(self, n: int, step: WorkflowStep, later: Sequence[WorkflowStep]) -> Iterator[str]:
        arguments = step.arguments
        match step.tool:
            case "goto":
                self.use("quote", "urljoin")
                url = self.expression(arguments.get("url", ""))
                yield f"page.goto(urljoin(page.url, quote({url}, safe={literal(URL_SAFE)})))"
            case "back":
                yield "page.go_back()"
            case "wait" if arguments.get("text"):
                yield f"page.get_by_text({self.expression(arguments['text'])}).first.wait_for()"
            case "wait":
                yield f"page.wait_for_timeout({round(float(arguments.get('seconds') or 1) * 1000)})"
            case "tab":
                yield from _tab(arguments, self.expression(arguments.get("url", "")))
            case "dialog" | "find" | "ask":
                pass
            case "drag" | "workflow":
                raise self._unwritable(n, step, "does not say where to" if step.tool == "drag" else "is gone")
            case _:
                yield from self._on_element(n, step, later)

    def _on_element(self, n: int, step: WorkflowStep, later: Sequence[WorkflowStep]) -> Iterator[str]:
        if step.target is None:
            yield from self._on_focus(n, step)
            return
        if is_consent(step.target):
            self.use("dismiss")
            yield f"dismiss({self._locator(step.target, nth=False)})"
            return
        element = self._locator(step.target)
        for name in [name for name in variables_in(step.target.name) if name not in self.known]:
            self.known.append(name)
            if _is_used(name, later, self.workflow.reader):
                yield f"result = {element}"
                yield f"values = {{**values, {literal(name)}: result.inner_text()}}"
                element = "result"
        yield from self._act(n, step, element)

    def _act(self, n: int, step: WorkflowStep, element: str) -> Iterator[str]:
        arguments = step.arguments
        match step.tool:
            case "click":
                button = arguments.get("button", "left")
                said = "" if button == "left" else f"button={literal(button)}"
                yield f"{element}.{'dblclick' if arguments.get('double') else 'click'}({said})"
            case "type":
                method = "fill" if arguments.get("clear", True) else "press_sequentially"
                yield f"{element}.{method}({self.expression(arguments.get('text', ''))})"
                if arguments.get("submit"):
                    yield f'{element}.press("Enter")'
            case "select":
                options = ", ".join(self.expression(option) for option in arguments.get("options", ()))
                yield f"{element}.select_option([{options}])"
            case "press":
                yield f"{element}.press({self.expression(arguments.get('key', ''))})"
            case "hover":
                yield f"{element}.hover()"
            case "scroll":
                yield f"{element}.hover()"
                yield _scroll(arguments)
            case "upload":
                paths = ", ".join(self.expression(path) for path in arguments.get("paths", ()))
                yield f"with page.expect_file_chooser() as chooser:\n    {element}.click()"
                yield f"chooser.value.set_files([{paths}])"
            case _:
                raise self._unwritable(n, step, "is unknown")

    def _on_focus(self, n: int, step: WorkflowStep) -> Iterator[str]:
        """Steps on whatever has the focus, or on the page."""
        arguments = step.arguments
        match step.tool:
            case "type":
                if arguments.get("clear", True):
                    yield 'page.keyboard.press("ControlOrMeta+A")'
                yield f"page.keyboard.type({self.expression(arguments.get('text', ''))})"
                if arguments.get("submit"):
                    yield 'page.keyboard.press("Enter")'
            case "press":
                yield f"page.keyboard.press({self.expression(arguments.get('key', ''))})"
            case "scroll":
                yield _scroll(arguments)
            case _:
                raise self._unwritable(n, step, "names no element")

    def _unwritable(self, n: int, step: WorkflowStep, why: str) -> UsageError:
        return UsageError(f"{self.workflow.label} is no script: its step {n}, {step.tool}, {why}")

    def _locator(self, target: Target, *, nth: bool = True) -> str:
        """The target as a locator; a name that is a variable of a list is chosen among its results."""
        role = literal(target.role)
        unknown = [name for name in variables_in(target.name) if name not in self.known]
        lone = VARIABLE.fullmatch(target.name)
        if unknown or (lone and target.role == "link"):
            self.use("pick")
            wanted = self.known if unknown else variables_in(target.name)
            said = ", ".join(f"values[{literal(name)}]" for name in wanted)
            return f"pick({self._place(target.frame)}, {role}, {said})"
        around = self._row(target)
        if target.role in ("generic", "text"):
            exact = ", exact=True" if len(target.name) < CUT else ""
            found = f"{around}.get_by_text({self.expression(target.name)}{exact})"
        elif target.role in NAMELESS and target.name:
            found = f"{around}.get_by_role({role}).filter(has_text={self.expression(target.name)})"
        elif not target.name:
            found = f"{around}.get_by_role({role})"
        elif variables_in(target.name):
            self.use("named")
            found = f"{around}.get_by_role({role}, name=named({self.expression(target.name)}))"
        else:
            exact = ", exact=True" if len(target.name) < CUT else ""
            found = f"{around}.get_by_role({role}, name={literal(target.name)}{exact})"
        return found + (_nth(target, held=bool(self._held(target))) if nth else "")

    def _row(self, target: Target) -> str:
        """Where to look: in the row that holds the values its words name, else on the whole page or frame."""
        place, held = self._place(target.frame), self._held(target)
        if not held:
            return place
        filters = "".join(f".filter(has_text=values[{literal(name)}])" for name in held)
        return f"{place}.locator({literal(ROWS)}){filters}"

    def _held(self, target: Target) -> list[str]:
        return [name for name in variables_in(target.row) if name in self.known]

    def _place(self, frame: Sequence[str] | None) -> str:
        """The page, or the frame in it."""
        return "page" + "".join(f".frame_locator({literal(selector)})" for selector in frame or ())

    def _arrival(self, path: str) -> str:
        self.use("at")
        return f"page.wait_for_url(at({literal(path)}))"

    def _dialog(self, step: WorkflowStep) -> str:
        if not step.arguments.get("accept"):
            return 'page.once("dialog", lambda dialog: dialog.dismiss())'
        text = step.arguments.get("text")
        said = self.expression(text) if text is not None else ""
        return f'page.once("dialog", lambda dialog: dialog.accept({said}))'

    def _end(self, steps: Sequence[WorkflowStep]) -> str:
        reader = self.workflow.reader
        asks = bool(steps) and steps[-1].tool == "stop" and steps[-1].arguments.get("answer")
        if reader is None and asks:
            raise UsageError(f"{self.workflow.label} is no script: how to read its answer was not learned")
        if reader is None:
            return "return page.url"
        if reader.frame is None and any(step.target and step.target.frame for step in steps):
            raise UsageError(
                f"{self.workflow.label} is no script: in which frame its answer stands is not known"
            )
        self.use("read")
        place = self._place(reader.frame)
        elements = {
            "generic": f'{place}.locator("div:visible, span:visible")',
            "text": f'{place}.locator("body *")',
        }
        said = [
            elements.get(reader.role, f"{place}.get_by_role({literal(reader.role)})"),
            literal(reader.pattern),
        ]
        for name in ("label", "heading"):
            if getattr(reader, name):
                said.append(f"{name}={self.expression(getattr(reader, name))}")
        if reader.role == "text":
            said.append("bare=True")
        return f"return read({', '.join(said)})"


def _nth(target: Target, *, held: bool) -> str:
    if target.nth and not held:
        return f".nth({target.nth})"
    return ".first" if target.row and not held else ""


def _is_used(name: str, later: Sequence[WorkflowStep], reader: AnswerReader | None) -> bool:
    texts = [f"{reader.label} {reader.heading}"] if reader else []
    for step in later:
        texts.append(str(dict(step.arguments)))
        if step.target is not None:
            texts.append(f"{step.target.name} {step.target.row}")
    return any(name in variables_in(text) for text in texts)


def _scroll(arguments: Mapping[str, Any]) -> str:
    moves = {"up": "0, -600", "left": "-600, 0", "right": "600, 0"}
    return f"page.mouse.wheel({moves.get(arguments.get('direction', ''), '0, 600')})"


def _tab(arguments: Mapping[str, Any], url: str) -> Iterator[str]:
    index = int(arguments.get("index") or 1)
    match arguments.get("op"):
        case "new":
            yield "page = page.context.new_page()"
            if arguments.get("url"):
                yield f"page.goto({url})"
        case "switch":
            yield f"page = page.context.pages[{index - 1}]"
        case _:
            yield "tabs = page.context.pages"
            yield f"{f'tabs[{index - 1}]' if arguments.get('index') else 'page'}.close()"
            yield "page = page.context.pages[-1]"
