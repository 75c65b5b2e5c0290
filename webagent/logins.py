"""Logins that are kept: files of cookies and storage by site, named under `[logins]` in webagent.toml."""

import json
import time
from pathlib import Path

from webagent.errors import UsageError
from webagent.ids import scope_of
from webagent.setting_files import project_document, write_project
from webagent.settings import PROJECT_FILE

FOLDER = Path(".webagent")
"""Where they are kept unless a file is named: for its owner alone, and ignored by git."""


def login_name(site: str | None, url: str | None) -> str:
    """What a login is called: its site's name, or the hostname of a URL."""
    return site or scope_of(url or "")


def logins(path: Path = Path(PROJECT_FILE)) -> dict[str, str]:
    """Name to file. Raises UsageError where the project file says it otherwise."""
    known = project_document(path).get("logins", {})
    if not isinstance(known, dict) or not all(isinstance(file, str) for file in known.values()):
        raise UsageError(f'{path}: [logins] must hold lines like name = ".webagent/name.state.json"')
    return {str(name): str(file) for name, file in known.items()}


def keep_login(name: str, file: Path, path: Path = Path(PROJECT_FILE)) -> None:
    """Names a file as the login of a site."""
    import tomlkit

    document = project_document(path)
    document.setdefault("logins", tomlkit.table())[name] = file.as_posix()
    write_project(path, document)


def forget_login(name: str, path: Path = Path(PROJECT_FILE)) -> bool:
    """Takes a login and its file away; False where there is none."""
    document = project_document(path)
    file = logins(path).get(name)
    if file is None:
        return False
    del document["logins"][name]
    write_project(path, document)
    Path(file).expanduser().unlink(missing_ok=True)
    return True


def login_file(name: str, folder: Path = FOLDER) -> Path:
    """Where a login is kept by default; its folder is there afterwards. Raises UsageError."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / ".gitignore").write_text("*\n")
    except OSError as error:
        raise UsageError(f"{folder} can't be written: {error.strerror or error}") from error
    return folder / f"{name.replace(':', '_')}.state.json"


def login_of(name: str, path: Path = Path(PROJECT_FILE)) -> str | None:
    """The file of a login that is kept, if one is. Raises UsageError where it is gone."""
    file = logins(path).get(name)
    if file is not None and not Path(file).expanduser().is_file():
        raise UsageError(f"the login of {name!r} is gone: there is no {file}; {how_to_renew(name)}")
    return file


def has_expired(file: str) -> bool:
    """Whether every cookie that was to last is over."""
    try:
        cookies = json.loads(Path(file).expanduser().read_text("utf-8")).get("cookies", [])
        ends = [cookie["expires"] for cookie in cookies if cookie.get("expires", -1) > 0]
    except (OSError, ValueError, AttributeError, TypeError, KeyError):
        return False
    return bool(ends) and max(ends) < time.time()


def how_to_renew(name: str) -> str:
    """Says how a login is made anew."""
    where = f"--url http://{name}/" if "." in name else f"--site {name}"
    return f"`webagent login {where}` makes it anew, `webagent sites remove {name}` forgets it"
