"""Finds, gets and starts a Chromium, and ends it for certain."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webagent.boundary import Boundary
from webagent.browser.arguments import browser_environment, launch_arguments
from webagent.browser.gateway import Gateway
from webagent.browser.guard import Guard
from webagent.browser.memory import PageMemory
from webagent.browser.options import BrowserOptions
from webagent.browser.scripts import PAGE_ENGINE, function, init_scripts
from webagent.browser.spool import Spool
from webagent.browser.upstream import Routes
from webagent.errors import BrowserFault, first_line

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright, ProxySettings

NAMES = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome", "microsoft-edge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
)
HOW_TO_GET = "run `webagent install-browser`, or name one with --executable-path"
NOTHING = Boundary()
"""What the browser itself reaches, outside of the runs' contexts."""
NO_DISPLAY = (
    "a browser that is seen needs a display, and DISPLAY is not set; start this where there is one "
    "(on the machine itself, or by `ssh -X`)"
)


def find_chromium(executable_path: str = "") -> str | None:
    """The Chromium to start: the given one, Playwright's own, or the system's; None where there is
    none. Raises BrowserFault where the given path is no executable file."""
    if executable_path:
        path = Path(executable_path).expanduser()
        if not path.is_file() or not os.access(path, os.X_OK):
            raise BrowserFault(f"--executable-path {executable_path!r} is not an executable file")
        return str(path)
    candidates = [*_playwright_builds(), *(shutil.which(name) for name in NAMES), *PLACES]
    for candidate in candidates:
        if candidate and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None


def _playwright_builds() -> list[str]:
    """Chromium builds that `playwright install` left, newest first."""
    home = Path.home()
    folders = {
        "darwin": home / "Library" / "Caches" / "ms-playwright",
        "win32": Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "ms-playwright",
    }
    folder = Path(
        os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
        or folders.get(sys.platform, home / ".cache" / "ms-playwright")
    )
    patterns = (
        "chromium-*/chrome-*/chrome",
        "chromium-*/chrome-*/chrome.exe",
        "chromium-*/chrome-*/*.app/Contents/MacOS/*",
    )
    found = [path for pattern in patterns for path in folder.glob(pattern)]
    return [str(path) for path in sorted(found, key=_build_number, reverse=True)]


def _build_number(path: Path) -> int:
    found = re.search(r"chromium-(\d+)", str(path))
    return int(found[1]) if found else 0


def install_chromium() -> str:
    """Downloads Playwright's Chromium, or Debian's package where that fails, and returns its path;
    what the installers print goes to stderr. Raises BrowserFault where neither works."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        commands += [["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]]
    for command in commands:
        done = subprocess.run(command, stdout=sys.stderr, stderr=sys.stderr, check=False)
        path = find_chromium() if done.returncode == 0 else None
        if path:
            return path
    tried = " and ".join(f"`{' '.join(command[-3:])}`" for command in commands)
    raise BrowserFault(
        f"no Chromium could be installed ({tried} failed); install Chrome or Chromium by the system's "
        "means and name it with --executable-path"
    )


def _has_display(environment: Mapping[str, str]) -> bool:
    """Whether a window can be shown; other systems than Linux tell at the start."""
    named = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return bool(named) or not sys.platform.startswith("linux")


class Chromium:
    """One running browser, from which each run gets a context of its own; with `user_data_dir` or
    `cdp_endpoint` there is one context, the browser's."""

    def __init__(self, options: BrowserOptions, playwright: "Playwright") -> None:
        self.options = options
        self._playwright = playwright
        self._browser: Browser | None = None
        self._own: BrowserContext | None = None
        self.guard = Guard()
        self._gateway: Gateway | None = None
        self._spool: Spool | None = None
        self._routes = Routes(options.proxy_server)
        self.memory = PageMemory(0 if options.cdp_endpoint else options.max_page_memory)
        self.starts = 0
        self._drivers = AsyncExitStack()
        self._lock = asyncio.Lock()

    @property
    def spool(self) -> str:
        """The folder that it downloads into; empty where it is not ours."""
        return self._spool.path if self._spool is not None else ""

    @property
    def shared(self) -> bool:
        """True where the browser is someone's own: only the run's tabs may be touched."""
        return bool(self.options.cdp_endpoint)

    @property
    def alive(self) -> bool:
        """False once the browser has gone."""
        return self._browser is not None and self._browser.is_connected()

    async def start(self) -> None:
        """Starts or attaches to the browser. Raises BrowserFault."""
        from playwright.async_api import Error

        if self._gateway is None and not self.shared:
            self._gateway = Gateway(NOTHING, self._routes)
            await self._gateway.open()
            self._spool = Spool()
        try:
            if self.options.cdp_endpoint:
                await self._attach()
            elif self.options.user_data_dir:
                await self._launch_profile()
            else:
                self._browser = await self._playwright.chromium.launch(**self._launch_options())
            if self._browser is not None:
                await self.guard.watch(self._browser)
                await self.memory.watch(self._browser)
            self.starts += 1
        except Error as error:
            raise BrowserFault(self._why(error)) from error

    def _why(self, error: BaseException) -> str:
        if self.options.cdp_endpoint:
            return f"no browser answers at --cdp-endpoint {self.options.cdp_endpoint}: {_reason(error)}"
        return f"the browser did not start: {_reason(error)}; `webagent doctor` tells more"

    def _launch_options(self) -> dict[str, Any]:
        path = find_chromium(self.options.executable_path)
        if path is None:
            raise BrowserFault(f"no Chromium found; {HOW_TO_GET}")
        if self.options.headed and not _has_display(os.environ):
            raise BrowserFault(NO_DISPLAY)
        return {
            "executable_path": path,
            "headless": not self.options.headed,
            "args": launch_arguments(spare=self.options.spare_process, listed=self.options.listed_only),
            "env": browser_environment(os.environ),
            "slow_mo": self.options.slow_mo or None,
            "proxy": _by(self._gateway),
            "downloads_path": self.spool,
            "handle_sigint": False,
            "handle_sigterm": False,
            "handle_sighup": False,
            "timeout": 30_000,
        }

    def _context_options(self, given: BrowserOptions) -> dict[str, Any]:
        width, height = given.viewport_size
        options: dict[str, Any] = {
            "viewport": {"width": width, "height": height},
            "accept_downloads": True,
            "ignore_https_errors": given.ignore_https_errors,
            "locale": given.locale or None,
            "user_agent": given.user_agent or None,
        }
        if given.http_credentials:
            user, password, origin = given.http_credentials
            options["http_credentials"] = {"username": user, "password": password, "origin": origin}
        if given.client_certificate:
            options["client_certificates"] = [dict(given.client_certificate)]
        return options

    async def _attach(self) -> None:
        if self.starts:  # contexts that are there are told of no engine that a driver knew before
            self._playwright = await self._drivers.enter_async_context(driver(self.options))
        self._browser = await self._playwright.chromium.connect_over_cdp(
            self.options.cdp_endpoint, timeout=10_000
        )
        await make_engine_known(self._playwright)
        contexts = self._browser.contexts
        given = self._context_options(self.options)
        self._own = contexts[0] if contexts else await self._browser.new_context(**given)

    async def _launch_profile(self) -> None:
        folder = Path(self.options.user_data_dir).expanduser()
        self._own = await self._playwright.chromium.launch_persistent_context(
            folder, **self._launch_options(), **self._context_options(self.options)
        )
        self._browser = self._own.browser

    async def gateway(self, boundary: Boundary) -> Gateway | None:
        """What all connections of one run go through, until `let_go`; None where the browser is someone's own."""
        if self.shared:
            return None
        if self.options.user_data_dir and self._gateway is not None:
            self._gateway.confine(boundary)
            return self._gateway
        gateway = Gateway(boundary, self._routes)
        await gateway.open()
        return gateway

    async def let_go(self, gateway: Gateway | None) -> None:
        """Closes a run's gateway; a profile's own one stays, and lets nothing through."""
        if gateway is self._gateway and gateway is not None:
            gateway.confine(NOTHING)
        elif gateway is not None:
            await gateway.close()

    async def context(
        self, given: BrowserOptions | None = None, gateway: Gateway | None = None
    ) -> "BrowserContext":
        """A context as the browser's options say, for one run: its state, credentials and certificate go
        first. Without a gateway it reaches nothing. Raises BrowserFault."""
        from playwright.async_api import Error

        given = given or self.options
        state = given.storage_state or self.options.storage_state or None
        own = replace(
            self.options,
            http_credentials=given.http_credentials or self.options.http_credentials,
            client_certificate=given.client_certificate or self.options.client_certificate,
        )
        try:
            if self._own is not None:
                context = self._own
            else:
                assert self._browser is not None
                context = await self._browser.new_context(
                    **self._context_options(own), storage_state=state, proxy=_by(gateway or self._gateway)
                )
            if not self.shared:
                await asyncio.gather(*(context.add_init_script(script) for script in init_scripts()))
        except Error as error:
            raise BrowserFault(f"no browser session could be opened: {_reason(error)}") from error
        except (OSError, ValueError) as error:
            raise BrowserFault(f"--storage-state {state!r} can't be read: {first_line(error)}") from error
        return context

    def keeps(self, context: "BrowserContext") -> bool:
        """True for the browser's own context, which stays when a run has ended."""
        return context is self._own

    async def release(self, context: "BrowserContext") -> None:
        """Ends a run's context; a browser's own one stays."""
        from playwright.async_api import Error

        if not self.keeps(context):
            with suppress(Error, TimeoutError):
                await asyncio.wait_for(context.close(), 5)

    async def answers(self) -> bool:
        """Whether it can be spoken to. One whose driver died passes for alive: nobody is left to tell."""
        from playwright.async_api import Error

        if self._browser is None or not self.alive:
            return False
        try:
            session = await asyncio.wait_for(self._browser.new_browser_cdp_session(), 5)
            await session.detach()
        except (Error, TimeoutError):
            return False
        return True

    async def revive(self) -> None:
        """Starts a dead browser again; does nothing while it lives. Raises BrowserFault."""
        async with self._lock:
            if await self.answers():
                return
            self._own = None
            await self.start()

    async def close(self) -> None:
        """Ends the browser, or lets go of one that is not ours."""
        from playwright.async_api import Error

        await self.guard.close()
        await self.memory.close()
        with suppress(Error, TimeoutError):
            if self._own is not None and not self.shared:
                await asyncio.wait_for(self._own.close(), 5)
            if self._browser is not None:
                await asyncio.wait_for(self._browser.close(), 5)
        await self._drivers.aclose()
        if self._gateway is not None:
            await self._gateway.close()
        if self._spool is not None:
            self._spool.close()


def _by(gateway: Gateway | None) -> "ProxySettings":
    """The gateway as Playwright wants it, for addresses of this machine too."""
    assert gateway is not None, "only a browser of someone's own has none"
    return {"server": gateway.url, "bypass": "<-loopback>"}


def _reason(error: BaseException) -> str:
    """The telling line of Playwright's launch errors, which hold the whole command line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    for line in lines:
        if re.search(
            r"ECONNREFUSED|ENOTFOUND|error while loading|cannot open|profile.*in use|not found", line
        ):
            return line[:200]
    return first_line(error, 200)


@asynccontextmanager
async def open_browser(options: BrowserOptions) -> AsyncIterator[Chromium]:
    """A running browser; none of its processes or temporary files is left afterwards, whatever ends
    the block. Raises BrowserFault where it can't be started."""
    async with driver(options) as playwright, launched(options, playwright) as chromium:
        yield chromium


@asynccontextmanager
async def driver(options: BrowserOptions) -> AsyncIterator["Playwright"]:
    """Playwright's driver, a process through which browsers are started and spoken to."""
    from playwright.async_api import async_playwright

    playwright = await async_playwright().start()
    try:
        if not options.cdp_endpoint:
            await make_engine_known(playwright)
        yield playwright
    finally:
        await _certainly(_ended(playwright))


async def make_engine_known(playwright: "Playwright") -> None:
    """Makes the engine known that selects a page: to contexts that are there (a browser that is attached to has
    some, which are told of no engine that was known before) and to all that come."""
    await playwright.selectors.register(PAGE_ENGINE, function("page"), content_script=True)


@asynccontextmanager
async def launched(options: BrowserOptions, playwright: "Playwright") -> AsyncIterator[Chromium]:
    """A running browser of a driver. Raises BrowserFault where it can't be started."""
    chromium = Chromium(options, playwright)
    try:
        await chromium.start()
        yield chromium
    finally:
        await _certainly(chromium.close())


async def _ended(playwright: "Playwright") -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(playwright.stop(), 5)


async def _certainly(work: Awaitable[None]) -> None:
    """Awaits to the end, also when the task is cancelled meanwhile (a second Ctrl-C)."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
