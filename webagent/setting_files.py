"""The files that settings are read from: `webagent.toml` of the project and of the user."""

import json
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webagent.errors import UsageError
from webagent.settings import BY_KEY, PROJECT_FILE, Option

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def user_file() -> Path:
    """The file of settings for all of a user's projects."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "webagent" / PROJECT_FILE


def read_files(project: Path | None = None, user: Path | None = None) -> dict[str, Any]:
    """The settings of the user's file and, over them, the project's; keys as options are called,
    with - or _. Raises UsageError that names the file and the key."""
    merged: dict[str, Any] = {}
    for path in (user or user_file(), project or Path(PROJECT_FILE)):
        try:
            text = path.read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} can't be read: {error}") from error
        merged |= _parsed(path, text)
    return merged


def _toml_value(path: Path, option: Option, value: Any) -> Any:
    """A list of hosts as one text, a success test as its JSON; numbers must be numbers."""
    if isinstance(value, list) and option.kind is str:
        return ",".join(str(part) for part in value)
    if isinstance(value, dict) and option.kind is str:
        return json.dumps(value)
    fits = isinstance(value, option.kind) or (option.kind is float and isinstance(value, int))
    if not fits or (option.kind is not bool and isinstance(value, bool)):
        raise UsageError(f"{path}: {option.name} must be a {option.kind.__name__}, not {value!r:.60}")
    return value


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        loaded = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    values = {}
    for name, value in loaded.items():
        option = BY_KEY.get(name.replace("-", "_"))
        if name in ("sites", "logins"):
            continue
        if option is None:
            raise UsageError(
                f"{path}: unknown setting {name!r}; the settings are those of `webagent run --help`"
            )
        values[option.key] = _toml_value(path, option, value)
    return values


def project_document(path: Path) -> "TOMLDocument":
    """The project file, to be changed; empty where there is none. Raises UsageError."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(path.read_text("utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} can't be read: {error}") from error
    except TOMLKitError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error


def write_project(path: Path, document: "TOMLDocument") -> None:
    """Writes the project file; comments and order stay. Raises UsageError."""
    import tomlkit

    try:
        path.write_text(tomlkit.dumps(document), "utf-8")
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error}") from error
