"""Pieces of the strict JSON schemas that replies are asked for under."""

from collections.abc import Mapping
from typing import Any

TEXT: Mapping[str, Any] = {"type": "string"}


def an_object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these properties, all of them required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def a_list(items: Mapping[str, Any]) -> dict[str, Any]:
    """A list of these."""
    return {"type": "array", "items": items}
