"""How a contender is told what to do: a JSON object a line on stdin, its answer a line on stdout.

Knows only the standard library, for it runs in the environments of the others too."""

import asyncio
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

NUDGE = """() => {
  const line = document.querySelector('[data-nudge]') || document.body.appendChild(document.createElement('p'));
  line.setAttribute('data-nudge', '');
  line.textContent = 'changed ' + Math.random();
}"""
"""Changes the page a little, so that nobody can show what was read before."""

KNOW = """() => {
  const wanted = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[onclick],[role=button],[role=link],'
    + '[role=tab],[role=menuitem],[role=checkbox],[role=radio],[role=option],[role=switch],[role=textbox],'
    + '[role=combobox],[role=slider],[tabindex]:not([tabindex="-1"]),[contenteditable=""],[contenteditable=true]';
  let count = 0;
  for (const element of document.querySelectorAll(wanted)) {
    const box = element.getBoundingClientRect();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    if (!box.width || !box.height || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const hit = document.elementFromPoint(x, y);
    if (!hit || !(element.contains(hit) || hit.contains(element))) continue;
    element.setAttribute('data-known', '');
    count++;
  }
  return count;
}"""
"""Marks what a person can use in view, by the page's own HTML; how many that are."""

TOLD = "element => element.setAttribute('data-told', '')"
"""Marks an element that a text names."""

SHARE = """() => {
  const told = [...document.querySelectorAll('[data-told]')], known = [...document.querySelectorAll('[data-known]')];
  const area = (element) => { const box = element.getBoundingClientRect(); return box.width * box.height; };
  const names = (one, other) => one === other || one.contains(other)
    || (other.contains(one) && area(other) <= 2 * area(one));
  const found = known.filter((one) => told.some((other) => names(one, other))).length;
  for (const element of [...told, ...known]) { element.removeAttribute('data-told'); element.removeAttribute('data-known'); }
  return [found, known.length];
}"""
"""How many of the marked elements were told, and how many there are. One that is told by what it
holds, or by what stands closely around it, counts."""

Handlers = Mapping[str, Callable[..., Any]]


def _channel() -> Any:
    """Where answers go; all else that is printed goes to stderr."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return channel


def _tell(channel: Any, answer: Any) -> None:
    channel.write(json.dumps(answer) + "\n")
    channel.flush()


def serve(handlers: Handlers) -> None:
    """Answers until stdin ends."""
    channel = _channel()
    _tell(channel, "ready")
    for line in sys.stdin:
        asked = json.loads(line)
        _tell(channel, handlers[asked.pop("do")](**asked))


async def serve_async(handlers: Handlers) -> None:
    """The same for coroutine functions."""
    channel = _channel()
    _tell(channel, "ready")
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        answer = handlers[asked.pop("do")](**asked)
        _tell(channel, await answer if inspect.isawaitable(answer) else answer)
