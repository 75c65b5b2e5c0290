"""Fields of a task or success test, brought to their types; errors name the field and its value."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.errors import UsageError


def short(value: Any, limit: int = 80) -> str:
    """A value as one short line of JSON, for messages."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def fault(where: str, message: str) -> UsageError:
    """The error to raise: the place first, then what is wrong there."""
    return UsageError(f"{where}: {message}")


def text(value: Any, where: str) -> str:
    """Text that is not empty; numbers are taken as they are written."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise fault(where, f"must be text, not {short(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise fault(where, f"must be text or a finite number, not {value}")
    written = str(value)
    if not written.strip():
        raise fault(where, "is empty")
    return written


def texts(value: Any, where: str) -> tuple[str, ...]:
    """A list of texts, at least one; a single text is a list of one."""
    if not isinstance(value, list | tuple):
        return (text(value, where),)
    if not value:
        raise fault(where, "is an empty list; leave the key out, or name at least one text")
    return tuple(text(item, f"{where}[{n}]") for n, item in enumerate(value, 1))


def mapping(value: Any, where: str, known: Sequence[str] = ()) -> Mapping[str, Any]:
    """An object; with `known`, one that has no other keys."""
    if not isinstance(value, Mapping):
        raise fault(where, f"must be an object, not {short(value)}")
    if known:
        unknown = [str(key) for key in value if key not in known]
        if unknown:
            named = ", ".join(repr(key) for key in unknown)
            raise fault(where, f"unknown key {named}; the keys are: {', '.join(known)}")
    return value


def items(value: Any, where: str) -> list[tuple[str, Any]]:
    """The entries of a list, each with its place; a single object is a list of one."""
    if isinstance(value, Mapping):
        return [(where, value)]
    if not isinstance(value, list | tuple) or not value:
        raise fault(where, f"must be an object or a list of objects, not {short(value)}")
    return [(f"{where}[{n}]", item) for n, item in enumerate(value, 1)]


def whole(value: Any, where: str, minimum: int = 1, maximum: int = 1_000_000) -> int:
    """A whole number within bounds; digits in text are taken too (CSV has nothing else)."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:10])
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise fault(where, f"must be a whole number from {minimum} to {maximum}, not {short(value)}")
    return value


def flag(value: Any, where: str) -> bool:
    """True or false; the words are taken too (CSV has nothing else)."""
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if not isinstance(value, bool):
        raise fault(where, f"must be true or false, not {short(value)}")
    return value


def loads(written: str, where: str) -> Any:
    """JSON text as a value; the error says where it breaks."""
    try:
        return json.loads(written, parse_constant=_reject)
    except json.JSONDecodeError as error:
        lines = written.count("\n") > 0
        place = f"line {error.lineno} column {error.colno}" if lines else f"column {error.colno}"
        near = written[max(0, error.pos - 15) : error.pos + 15].replace("\n", " ")
        raise fault(where, f"not JSON: {error.msg} at {place}, near {near!r}") from None
    except (ValueError, RecursionError) as error:
        raise fault(where, f"not JSON: {error}") from None


def _reject(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")
