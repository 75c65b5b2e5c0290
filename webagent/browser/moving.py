"""Actions that move about: scroll, goto, back, tab, wait."""

import time
from collections.abc import Mapping
from typing import Any

from webagent.actions import Action
from webagent.browser.gateway import BLOCKED
from webagent.browser.scripts import function
from webagent.browser.stage import Stage, plain_reason
from webagent.errors import ActionError
from webagent.hosts import absolute_url, host_of

PAGE_MS = 20_000
"""How long a page may take to begin to answer."""
LONGEST_WAIT = 10.0


async def scroll(stage: Stage, action: Action) -> str:
    """Scrolls the box around an element, the page, or the page's largest box."""
    from playwright.async_api import Error

    direction = str(action.arguments["direction"])
    if action.ref is not None:
        element = await stage.element(action.ref)
        done = await stage.run(element, "scroll", direction)
    else:
        try:
            done = await stage.page.evaluate(
                f"(direction) => ({function('scroll')})(null, direction)", direction
            )
            for frame in stage.page.frames[1:12]:
                if done["found"]:
                    break
                done = await frame.evaluate(
                    f"(direction) => ({function('scroll')})(null, direction)", direction
                )
        except Error as error:
            raise ActionError(f"not scrolled: {plain_reason(error)}") from error
    return _told(done, direction)


def _told(done: Mapping[str, Any], direction: str) -> str:
    if not done["found"]:
        return f"nothing here scrolls {direction}"
    what = "the page" if done["page"] else "the box"
    if not done["moved"]:
        return f"not moved: {what} is already at its end ({direction})"
    return f"scrolled {what} by {abs(done['moved'])} pixels" + (", to its end" if done["end"] else "")


async def goto(stage: Stage, action: Action) -> str:
    """Opens a URL in the current tab."""
    await open_url(stage, str(action.arguments["url"]))
    return "opened"


async def open_url(stage: Stage, url: str) -> None:
    """Opens a URL in the current tab. Raises ActionError where it is not allowed or does not answer."""
    from playwright.async_api import Error, TimeoutError

    url = check_url(stage, url)
    begun = stage.downloads.begun
    try:
        if stage.dialogs.flooding(stage.page):
            stage.tabs.drop(stage.page)
            await stage.tabs.open(stage.context)
        await stage.page.goto(url, wait_until="commit", timeout=PAGE_MS)
    except TimeoutError as error:
        raise ActionError(f"not opened: no answer within {PAGE_MS // 1000} s") from error
    except Error as error:
        reason = stage.why(url, plain_reason(error))
        if reason == BLOCKED:
            raise ActionError(stage.boundary.refusal(url)) from error
        if "Download is starting" in str(error) or stage.downloads.begun > begun:
            return
        if stage.refused:
            return
        raise ActionError(f"not opened: {reason}") from error


def check_url(stage: Stage, url: str) -> str:
    """The absolute URL. Raises ActionError where it is no web address or not allowed."""
    text = url.strip()
    if (
        "://" not in text
        and not text.startswith(("/", "?", "#", "."))
        and ":" not in text.split("/")[0].split("?")[0]
    ):
        text = f"//{text}" if "." in text.split("/")[0] else text
    absolute = absolute_url(text, stage.page.url)
    if not host_of(absolute):
        raise ActionError("only http and https addresses can be opened")
    if not stage.boundary.opens(absolute):
        raise ActionError(stage.boundary.refusal(absolute))
    return absolute


async def back(stage: Stage, action: Action) -> str:
    """Goes back one page of the current tab."""
    from playwright.async_api import Error

    page = stage.page
    try:
        session = await stage.context.new_cdp_session(page)
        history = await session.send("Page.getNavigationHistory")
        await session.detach()
        earlier = history["entries"][: history["currentIndex"]]
        if not earlier or earlier[-1]["url"] == "about:blank":
            raise ActionError("there is no page to go back to in this tab")
        await page.go_back(wait_until="commit", timeout=PAGE_MS)
    except Error as error:
        raise ActionError(f"not gone back: {plain_reason(error)}") from error
    return "went back"


async def tab(stage: Stage, action: Action) -> str:
    """Opens, switches to or closes a tab."""
    from playwright.async_api import Error

    given = action.arguments
    tabs = stage.tabs
    try:
        if given["op"] == "new":
            url = check_url(stage, str(given["url"])) if given.get("url") else ""
            if len(tabs.pages) >= 10:
                raise ActionError("too many tabs are open; close one first")
            await tabs.open(stage.context)
            if url:
                await open_url(stage, url)
            return f"opened tab {tabs.index}"
        index = given.get("index", tabs.index if given["op"] == "close" else 0)
        if not 1 <= index <= len(tabs.pages):
            raise ActionError(f"no tab {index}; there are {len(tabs.pages)}, counted from 1")
        if given["op"] == "close":
            if len(tabs.pages) == 1:
                raise ActionError("the last tab is not closed")
            await tabs.close(index)
            return f"closed tab {index}"
        tabs.switch(index)
        await stage.page.bring_to_front()
    except Error as error:
        raise ActionError(f"the tab did not obey: {plain_reason(error)}") from error
    return f"switched to tab {index}"


async def wait(stage: Stage, action: Action) -> str:
    """Waits some seconds, or until a text shows."""
    given = action.arguments
    seconds = max(
        0.0, min(LONGEST_WAIT, float(given.get("seconds", LONGEST_WAIT if "text" in given else 1.0)))
    )
    end = time.monotonic() + seconds
    text = " ".join(str(given.get("text", "")).split()).casefold()
    if not text:
        await stage.pause(seconds)
        return f"waited {seconds:g} s"
    while True:
        page = await stage.look()
        if any(text in " ".join(line.words.split()).casefold() for line in page.lines):
            return "it shows"
        left = end - time.monotonic()
        if left <= 0:
            raise ActionError(f"it did not show within {seconds:g} s")
        await stage.change(min(left, 0.5))


async def find(stage: Stage, action: Action) -> str:
    """Looks for a text in the whole page; the next observation shows the matches."""
    text = str(action.arguments["text"])
    stage.find = text
    words = " ".join(text.split()).casefold()
    count = sum(words in " ".join(line.words.split()).casefold() for line in stage.observation.lines)
    if not count:
        return "no line has that text"
    return f"{count} line{'s have' if count != 1 else ' has'} that text"


def cause_of(error: ActionError) -> str:
    """Why the start URL could not be opened, and what can be done about it."""
    cause = str(error).removeprefix("not opened: ")
    return cause + next((hint for sign, hint in _HINTS if sign in cause), "")


_HINTS = (
    (
        "ERR_BAD_SSL_CLIENT_AUTH_CERT",
        "; it wants a certificate: CLIENT_CERT and CLIENT_KEY, lines of the --secrets file that name PEM files",
    ),
    ("ERR_CERT_", "; --ignore-https-errors accepts its certificate as it is"),
    ("ERR_PROXY_CONNECTION_FAILED", "; nothing answers at --proxy-server"),
    ("ERR_TUNNEL_CONNECTION_FAILED", "; --proxy-server refuses that host"),
    (
        "ERR_UNEXPECTED_PROXY_AUTH",
        "; --proxy-server wants a user and password: http://user:password@proxy:3128",
    ),
    (
        "ERR_INVALID_AUTH_CREDENTIALS",
        "; it wants the right HTTP_USER and HTTP_PASSWORD, lines of the --secrets file",
    ),
)
"""What can be done about a network error."""
