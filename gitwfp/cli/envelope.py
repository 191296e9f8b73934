"""The one JSON document that a command answers with, whatever happens.

Its form is the same for every command and for every failure; only `data` differs, and its form is
a dataclass of `gitwfp.cli.outputs` that `kind` names. Messages are English. The text is safe to
look at in a terminal and can be written in the encoding of any.
"""

import json
import re
from collections.abc import Mapping
from enum import Enum
from math import isfinite
from typing import Final

from gitwfp.classes import dataclass, fields, is_dataclass
from gitwfp.cli.look import UNSAFE
from gitwfp.errors import Diagnostic, ExitCode, Refusal, Severity, Text
from gitwfp.patterns import regex

SCHEMA_VERSION: Final = "1"
ERROR_KIND: Final = "error"

_HALF_PAIR: Final = regex("[\ud800-\udfff]")
_UNSAFE: Final = regex(UNSAFE)
_NOT_ASCII: Final = regex(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Document:
    """What a command answers.

    Attributes:
        kind: Which form `data` has; `error` when there is none.
        data: The answer, None when the command failed.
        exit_code: The exit code of the process.
        diagnostics: What a person should know, and why the command failed.
    """

    kind: str
    data: object | None
    exit_code: ExitCode = ExitCode.DONE
    diagnostics: tuple[Diagnostic, ...] = ()


def failure(refusal: Refusal, warnings: tuple[Diagnostic, ...] = ()) -> Document:
    """Returns the document of a command that would not go on.

    Args:
        refusal: Why; it is the first diagnostic, its details are the next ones.
        warnings: What was said before.
    """
    main = Diagnostic(refusal.code, refusal.message, Severity.ERROR, refusal.location, refusal.hint)
    return Document(ERROR_KIND, None, refusal.exit_code, (main, *refusal.details, *warnings))


def to_json(value: object) -> object:  # noqa: PLR0911 - one return a kind of value
    """Returns a value as JSON knows it.

    Dataclasses become objects, tuples and sets lists, members of an enumeration their values,
    sentences English, bytes text. A number that JSON cannot write becomes null.

    Raises:
        TypeError: It is of a kind that no output may hold.
    """
    match value:
        case Enum():
            return to_json(value.value)
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else None
        case Text():
            return str(value)
        case bytes():
            return value.decode("utf-8", "replace")
        case Mapping():
            return {str(to_json(key)): to_json(item) for key, item in value.items()}
        case tuple() | list():
            return [to_json(item) for item in value]
        case set() | frozenset():
            return sorted((to_json(item) for item in value), key=str)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def envelope(document: Document) -> dict[str, object]:
    """Returns a document as the JSON object that is published."""
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": document.kind,
        "ok": document.exit_code is ExitCode.DONE,
        "exit_code": int(document.exit_code),
        "data": to_json(document.data),
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in document.diagnostics],
    }


def dump(value: object, *, ascii_only: bool = False, indent: int | None = None) -> str:
    """Returns a JSON value as text without a final newline.

    Args:
        value: What `to_json` or `envelope` has made.
        ascii_only: Whether the output can hold nothing else.
        indent: Spaces a level; None for one line.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    text = _HALF_PAIR.sub("\ufffd", text)
    # Outside of strings there are no such characters but the line feeds of an indentation.
    text = _UNSAFE.sub(lambda match: match[0] if match[0] == "\n" else _escaped(match), text)
    return _NOT_ASCII.sub(_escaped, text) if ascii_only else text


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "message": str(diagnostic.message),
        "location": to_json(diagnostic.location),
        "hint": to_json(diagnostic.hint),
    }
