"""The upload action: files of one folder for file fields and file choosers."""

import base64
import mimetypes
from pathlib import Path

from webagent.actions import Action
from webagent.browser.pointing import press_at
from webagent.browser.stage import Element, Stage, plain_reason
from webagent.errors import ActionError

LARGEST_DROP = 20_000_000
"""Bytes of one file that may be dropped: it travels as text."""


def inside(folder: str, names: list[str]) -> list[Path]:
    """The files or folders of these names below the upload folder. Raises ActionError for any that is missing
    or lies elsewhere, also by a symbolic link."""
    if not folder:
        raise ActionError("no files may be uploaded in this run: it was started without --upload DIR")
    root = Path(folder).expanduser().resolve()
    found = []
    for name in names:
        path = (root / name).resolve()
        if Path(name).is_absolute() and not Path(name).resolve().is_relative_to(root):
            raise ActionError(
                f"{name!r:.80} is not inside of the --upload folder; give a path relative to it"
            )
        if not path.is_relative_to(root):
            raise ActionError(
                f"{name!r:.80} is not inside of the --upload folder; give a path relative to it"
            )
        if not path.exists():
            raise ActionError(f"no file {name!r:.80} in the --upload folder; it has {_listing(root)}")
        found.append(path)
    return found


def _listing(root: Path) -> str:
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    if not names:
        return "no files"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


async def upload(stage: Stage, action: Action) -> str:
    """Gives files to a file field, or to the chooser that a control opens."""
    from playwright.async_api import Error, TimeoutError

    files = inside(stage.options.upload_dir, [str(path) for path in action.arguments["paths"]])
    element = await stage.element(action.arguments["ref"])
    what = await stage.run(element, "describe")
    try:
        if what["type"] == "file":
            _check_kind(files, multiple=what["multiple"], folder=what["folder"])
            await element.locator.set_input_files(files, timeout=3000)
        else:
            stage.choosing = True
            try:
                async with stage.page.expect_file_chooser(timeout=3000) as chosen:
                    await press_at(stage, element, {})
                chooser = await chosen.value
                folder = await chooser.element.evaluate("(field) => !!field.webkitdirectory")
                _check_kind(files, multiple=chooser.is_multiple(), folder=folder)
                await chooser.set_files(files, timeout=3000)
            finally:
                stage.choosing = False
    except TimeoutError as error:
        await _without_chooser(stage, element, files, error)
    except Error as error:
        raise ActionError(f"not uploaded: {plain_reason(error)}") from error
    return f"gave {len(files)} file{'s' if len(files) != 1 else ''}"


async def _without_chooser(stage: Stage, element: Element, files: list[Path], reason: BaseException) -> None:
    """Files for the field inside of an element, or dropped on it. Raises ActionError."""
    field = element.locator.locator("input[type=file]")
    if await field.count() == 1:
        _check_kind(files, multiple=bool(await field.get_attribute("multiple") is not None), folder=False)
        await field.set_input_files(files, timeout=3000)
        return
    if any(path.is_dir() or path.stat().st_size > LARGEST_DROP for path in files):
        raise ActionError(f"{element.line.ref} opened no file chooser") from reason
    dropped = [
        {
            "name": path.name,
            "type": mimetypes.guess_type(path.name)[0] or "",
            "data": base64.b64encode(path.read_bytes()).decode(),
        }
        for path in files
    ]
    if not await stage.run(element, "drop", dropped, seconds=10):
        raise ActionError(f"{element.line.ref} opened no file chooser") from reason


def _check_kind(files: list[Path], *, multiple: bool, folder: bool) -> None:
    if folder != any(path.is_dir() for path in files) or (folder and len(files) > 1):
        takes = "a folder: name one below the --upload folder" if folder else "files, no folder"
        raise ActionError(f"this field takes {takes}")
    if len(files) > 1 and not multiple and not folder:
        raise ActionError("this file field takes one file")
