"""How many visible interactive elements of MiniWoB++'s pages have a ref, and at what size.

    python -m benchmarks.miniwob_refs [FOLDER_OF_MINIWOB_HTML] [--missing] [--browser FILE]

Each page is started as the package's own environment does (`Math.seedrandom(0)`, then
`core.startEpisodeReal()`), once plain and once with the script that lends (`webagent/browser/lending`).

Interactive is what Chromium itself knows (CDP `DOMDebugger.getEventListeners`): native controls,
elements with a listener for clicks, presses or drags, `onclick` and its like, tabindex >= 0, editable
text, and the targets of jQuery's delegated handlers (their root is not one, unless it has handlers
of its own). Visible: a box with an area, not hidden, not `pointer-events: none`. An element counts as
having a ref only if that very element's ref is in the snapshot's text. The package: `pip install
miniwob` (MIT)."""

import argparse
import asyncio
import importlib.util
import re
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, CDPSession, Page, async_playwright
from playwright.async_api import Error as PlaywrightError

from webagent.browser.scripts import lending, private_name

KEY = private_name("__WEBAGENT_KEY__")
TYPES = [
    *("click", "dblclick", "auxclick", "contextmenu", "mousedown", "mouseup", "pointerdown", "pointerup"),
    *("touchstart", "touchend", "dragstart", "drop"),
]
START = "core.EPISODE_MAX_TIME = 1e9; Math.seedrandom(0); core.startEpisodeReal()"
REF = re.compile(r"\[ref=((?:f\d+)?e\d+)\]")

# Marks the targets of jQuery's delegated handlers, and roots that do nothing but delegate.
DELEGATED = """types => {
  const jquery = window.jQuery;
  if (!jquery || !jquery._data) return;
  for (const root of [document, ...document.querySelectorAll('*')]) {
    const entries = Object.entries(jquery._data(root, 'events') || {})
      .filter(([type]) => types.includes(type)).flatMap(([, list]) => [...list]);
    for (const entry of entries)
      if (entry.selector) jquery(root).find(entry.selector).each((_, target) => { target.__truth = 'delegated'; });
    if (entries.length && entries.every(entry => entry.selector)) root.__delegates = true;
  }
}"""
COUNT = """() => {
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const native = element.matches('a[href],area[href],button,input:not([type=hidden]),select,textarea,summary');
    const why = native ? 'native' : element.__listens && !element.__delegates ? 'listener' : element.__truth
      || (element.hasAttribute('tabindex') && element.tabIndex >= 0 ? 'tabindex' : '')
      || (element.isContentEditable && element.hasAttribute('contenteditable') ? 'editable' : '');
    if (!why) continue;
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    if (!(box.width > 0 && box.height > 0) || style.visibility !== 'visible' || style.pointerEvents === 'none') continue;
    if (!element.checkVisibility()) continue;
    found.push([why, !!element.__ref, element.outerHTML.slice(0, 90)]);
  }
  return found;
}"""


@dataclass
class Tally:
    """What one way of looking found over all pages."""

    elements: int = 0
    with_ref: int = 0
    full_pages: int = 0
    pages: int = 0
    characters: int = 0
    mark_ms: list[float] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        share = 100 * self.with_ref / max(1, self.elements)
        return (
            f"{name:<9} {self.with_ref} of {self.elements} visible interactive elements have a ref ({share:.1f} %),"
            f" all of them on {self.full_pages} of {self.pages} pages, {self.characters} characters"
        )


async def main() -> int:
    options = _options()
    folder = Path(options.folder) if options.folder else _installed()
    if folder is None or not (pages := sorted((folder / "miniwob").glob("*.html"))):
        sys.stderr.write("no MiniWoB++ pages found; pip install miniwob, or name its html folder\n")
        return 2
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=options.browser, args=["--no-sandbox", "--disable-background-networking"]
        )
        plain = await _measure(browser, pages, script="")
        marked = await _measure(browser, pages, script=lending())
        await browser.close()
    _say(plain.line("plain"))
    _say(marked.line("marked"))
    _say(f"size      {marked.characters / plain.characters:.2f} times the plain snapshot's characters")
    _say(f"time      mark and unmark: median {statistics.median(marked.mark_ms):.1f} ms")
    _say(f"left over {len(marked.changed)} pages whose HTML is not as before: {' '.join(marked.changed)}")
    _say(f"          (plain, so changed by themselves: {' '.join(plain.changed)})")
    if options.missing:
        _say("\n".join(marked.missing))
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--missing", action="store_true", help="list the elements without a ref")
    parser.add_argument("--browser", default="/usr/bin/chromium", help="Chromium's executable")
    return parser.parse_args()


def _installed() -> Path | None:
    spec = importlib.util.find_spec("miniwob")
    return Path(spec.origin).parent / "html" if spec and spec.origin else None


async def _measure(browser: Browser, pages: list[Path], script: str) -> Tally:
    tally = Tally()
    context = await browser.new_context(viewport={"width": 1280, "height": 720})
    if script:
        await context.add_init_script(script)
    for path in pages:
        page = await context.new_page()
        try:
            await _look(page, path, tally, marked=bool(script))
        except PlaywrightError as error:
            sys.stderr.write(f"{path.name}: {str(error).splitlines()[0]}\n")
        await page.close()
    await context.close()
    return tally


async def _look(page: Page, path: Path, tally: Tally, *, marked: bool) -> None:
    await page.goto(path.as_uri(), wait_until="load")
    await page.evaluate(START)
    await page.wait_for_function("WOB_TASK_READY")
    before = await page.evaluate("document.documentElement.outerHTML")
    started = time.perf_counter()
    if marked:
        await page.evaluate(f"globalThis['{KEY}'].mark()")
    spent = time.perf_counter() - started
    snapshot = await page.aria_snapshot(mode="ai")
    started = time.perf_counter()
    if marked:
        await page.evaluate(f"globalThis['{KEY}'].unmark()")
        tally.mark_ms.append(1000 * (spent + time.perf_counter() - started))
    if await page.evaluate("document.documentElement.outerHTML") != before:
        tally.changed.append(path.stem)
    note = "element => { element.__ref = true; }"
    refs = REF.findall(snapshot)
    await asyncio.gather(*(page.locator(f"aria-ref={ref}").evaluate(note, timeout=5000) for ref in refs))
    await _note_listeners(page)
    await page.evaluate(DELEGATED, TYPES)
    found = await page.evaluate(COUNT)
    tally.pages += 1
    tally.characters += len(snapshot)
    tally.elements += len(found)
    tally.with_ref += sum(has_ref for _, has_ref, _ in found)
    tally.full_pages += all(has_ref for _, has_ref, _ in found)
    tally.missing += [f"{path.stem}: {why}: {html}" for why, has_ref, html in found if not has_ref]


async def _note_listeners(page: Page) -> None:
    """Sets `__listens` on each element that Chromium knows a listener of."""
    cdp: CDPSession = await page.context.new_cdp_session(page)
    document = await cdp.send("Runtime.evaluate", {"expression": "document"})
    known = await cdp.send(
        "DOMDebugger.getEventListeners",
        {"objectId": document["result"]["objectId"], "depth": -1, "pierce": True},
    )
    nodes = {item["backendNodeId"] for item in known["listeners"] if item["type"] in TYPES}
    await asyncio.gather(*(_note_listener(cdp, node) for node in nodes))
    await cdp.detach()


async def _note_listener(cdp: CDPSession, node: int) -> None:
    resolved = await cdp.send("DOM.resolveNode", {"backendNodeId": node})
    note = {"functionDeclaration": "function() { this.__listens = true; }"}
    await cdp.send("Runtime.callFunctionOn", {"objectId": resolved["object"]["objectId"], **note})


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
