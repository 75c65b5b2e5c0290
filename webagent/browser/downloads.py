"""Files the browser downloads: saved, counted and told."""

import asyncio
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from webagent.browser.events import Events

if TYPE_CHECKING:
    from playwright.async_api import Download, Page

MOST_FILES = 50
MOST_BYTES = 500_000_000
TOO_LARGE = "too large"
LOOK_SECONDS = 0.2
"""How often a running download is measured."""


class Downloads:
    """Saves downloads under `folder`, or in a temporary folder that goes at the end. `spool` is where the
    browser writes them meanwhile; all that is in it counts, that of runs beside this one too."""

    def __init__(self, events: Events, folder: str, spool: str) -> None:
        self._events = events
        self._spool = spool
        self._given = Path(folder).expanduser() if folder else None
        self._temporary: Path | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._count = 0
        self._bytes = 0
        self._taken: set[str] = set()
        self.begun = 0
        self.changed = asyncio.Event()

    def watch(self, page: "Page") -> None:
        """Takes the downloads of a tab."""
        page.on("download", self._on_download)

    @property
    def folder(self) -> Path:
        """Where files go; made when the first one comes."""
        if self._given is not None:
            self._given.mkdir(parents=True, exist_ok=True)
            return self._given
        if self._temporary is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="webagent-downloads-"))
        return self._temporary

    @property
    def running(self) -> bool:
        return bool(self._running)

    def _on_download(self, download: "Download") -> None:
        self.begun += 1
        self.changed.set()
        task = asyncio.ensure_future(self._save(download))
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        self.changed.set()

    async def _save(self, download: "Download") -> None:
        from playwright.async_api import Error

        name = self._events.quoted(download.suggested_filename, 100)
        too_many = f"download {name} not saved: too many or too large downloads in this run"
        if self._count >= MOST_FILES or self._too_large():
            self._events.add(too_many)
            with suppress(Error):
                await download.cancel()
            return
        self._count += 1
        try:
            failure = await self._failure(download)
            if failure == TOO_LARGE:
                self._events.add(too_many)
                return
            if failure:
                self._events.add(f"download {name} failed: {self._events.quoted(failure, 60)}")
                return
            path = self._free_path(self._events.mask(download.suggested_filename))
            await download.save_as(path)
        except Error:
            self._events.add(f"download {name} failed")
            return
        except OSError as error:
            self._events.add(f"download {name} could not be saved: {error.strerror or 'disk error'}")
            return
        size = path.stat().st_size
        self._bytes += size
        self._events.add(f"download {self._events.quoted(path.name, 100)} {size} bytes saved")

    async def _failure(self, download: "Download") -> str | None:
        """Why a download failed, once it has ended; one that grows too large is ended here."""
        ended = asyncio.ensure_future(download.failure())
        while not (await asyncio.wait({ended}, timeout=LOOK_SECONDS))[0]:
            if self._too_large():
                await download.cancel()
                await ended
                return TOO_LARGE
        return ended.result()

    def _too_large(self) -> bool:
        """Whether the run's downloads are as large as they may be."""
        spooled = 0
        for path in Path(self._spool).iterdir() if self._spool else ():
            with suppress(OSError):  # it may have gone meanwhile
                spooled += path.stat().st_size
        return max(self._bytes, spooled) >= MOST_BYTES

    def _free_path(self, suggested: str) -> Path:
        """A path inside the folder, whatever the server calls the file."""
        name = re.sub(r"[\x00-\x1f/\\:*?\"<>|]", "_", suggested).strip(". ")[:150] or "download"
        stem, dot, suffix = name.rpartition(".")
        number = 1
        while (self.folder / name).exists() or name in self._taken:
            number += 1
            name = f"{stem} ({number}).{suffix}" if dot and stem else f"{suffix} ({number})"
        self._taken.add(name)
        return self.folder / name

    async def close(self) -> None:
        """Waits a moment for running downloads and removes the temporary folder."""
        if self._running:
            await asyncio.wait(set(self._running), timeout=2)
        for task in list(self._running):
            task.cancel()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)
