"""Plain data as JSON objects and back, without loss: what `workflows.body` and other JSON columns hold."""

import dataclasses
import functools
import types
import typing
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

from webagent.workflow import Workflow

BODY_FIELDS = ("steps", "variables", "goals", "start", "reader", "learned")
"""Fields of a workflow that have no column of their own."""

T = TypeVar("T")


def body_of(workflow: Workflow) -> dict[str, Any]:
    """What has no column of its own, as a JSON object; fields at their defaults are left out."""
    return {name: value for name, value in object_of(workflow).items() if name in BODY_FIELDS}


def workflow_of(row: Mapping[str, Any], body: Mapping[str, Any], origins: Sequence[str]) -> Workflow:
    """The workflow of a row. Raises ValueError naming the field of `body` that is wrong."""
    fields = {field.name for field in dataclasses.fields(Workflow)}
    columns = {name: value for name, value in row.items() if name in fields and name not in BODY_FIELDS}
    inside = {name: value for name, value in body.items() if name in BODY_FIELDS}
    return from_object(Workflow, {**columns, **inside, "origins": list(origins)})


def object_of(value: Any) -> Any:
    """A dataclass as a JSON object without the fields that are at their defaults."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {field.name: object_of(item) for field, item in fields if not _is_default(field, item)}
    if isinstance(value, Mapping):
        return {str(key): object_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [object_of(item) for item in value]
    return value


def _is_default(field: "dataclasses.Field[Any]", value: Any) -> bool:
    if field.default_factory is not dataclasses.MISSING:
        return bool(value == field.default_factory())
    return field.default is not dataclasses.MISSING and bool(value == field.default)


def from_object(cls: type[T], data: Any, where: str = "") -> T:
    """The dataclass of an object, each field checked against its type; sequences become tuples.

    Raises ValueError naming the field that is wrong, as in `steps[2].tool`."""
    if not isinstance(data, Mapping):
        raise ValueError(f"{where or cls.__name__} must be an object")
    kinds = _kinds(typing.cast(Hashable, cls))
    unknown = [str(name) for name in data if name not in kinds]
    if unknown:
        raise ValueError(f"{where or cls.__name__} has an unknown field {unknown[0]!r:.60}")
    values = {}
    for name, value in data.items():
        values[name] = _checked(kinds[name], value, f"{where}.{name}" if where else name)
    try:
        return cls(**values)
    except TypeError as error:
        raise ValueError(f"{where or cls.__name__} lacks a field: {error}") from error


@functools.cache
def _kinds(cls: Hashable) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(typing.cast(type, cls))}


def _checked(kind: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        choices = [choice for choice in typing.get_args(kind) if choice is not type(None)]
        return None if value is None else _checked(choices[0], value, where)
    if origin in (tuple, Sequence):
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where} must be a list")
        items = typing.get_args(kind)[0]
        return tuple(_checked(items, item, f"{where}[{n}]") for n, item in enumerate(value))
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} must be an object")
        return dict(value)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return from_object(kind, value, where)
    return _checked_plain(kind, value, where)


def _checked_plain(kind: Any, value: Any, where: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind in (str, int, float, bool) and type(value) is not kind:
        raise ValueError(f"{where} must be of type {kind.__name__}, not {type(value).__name__}")
    return value
