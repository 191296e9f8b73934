"""JSON values as the model holds them: immutable by convention, compared by type and content.

Python says `True == 1 == 1.0`; a plan does not. `same` and `canonical` keep them apart, so that
a value that changes its type counts as changed.
"""

import json
from collections.abc import Mapping
from typing import TypeAlias

Value: TypeAlias = bool | int | float | str | tuple["Value", ...] | Mapping[str, "Value"] | None
"""A frozen JSON value: lists are tuples, objects are mappings that nobody changes."""


def freeze(value: object) -> Value:
    """Returns a parsed JSON value with its lists turned into tuples."""
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, Mapping):
        return {str(key): freeze(item) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(type(value).__name__)


def thaw(value: Value) -> object:
    """Returns the value as lists and dicts that a JSON writer understands."""
    if isinstance(value, tuple):
        return [thaw(item) for item in value]
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    return value


def canonical(value: Value) -> str:
    """Returns the one text that equal values share, whatever their key order."""
    return json.dumps(thaw(value), sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def same(one: Value, other: Value) -> bool:
    """Tells whether two values are equal in type and content; key order does not count."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return canonical(one) == canonical(other)


def is_empty(value: Value) -> bool:
    """Tells whether a value says nothing: null, an empty string, list or object."""
    return value is None or (isinstance(value, str | tuple | Mapping) and len(value) == 0)


def strings(value: Value) -> tuple[str, ...]:
    """Reads a value as a list of texts: a bare text is a list of one, numbers become digits.

    Objects in lists, which some writers use, count by their first telling text.
    """
    if isinstance(value, tuple):
        return tuple(_text_of(item) for item in value)
    text = _text_of(value)
    return (text,) if text else ()


def _text_of(value: Value) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, Mapping):
        for key in ("text", "description", "title", "task_id", "id", "path", "name", "criterion"):
            inner = value.get(key)
            if isinstance(inner, str) and inner.strip():
                return inner
    return canonical(value)
