"""Which lines of a file a change touches, and which lines a value of a JSON file has.

Written for the tests alone and independent of the product's own reader of JSON, which it judges.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from json import JSONDecoder
from pathlib import Path
from typing import Any

from tests.corpus.folders import git

Keys = tuple[str | int, ...]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_HEADER = re.compile(r"(?:--- a|\+\+\+ b)/(.*?)\t?")
_SPACE = re.compile(r"[ \t\r\n]*")


@dataclass(slots=True)
class Touched:
    """The lines of one file that differ between two commits, by their numbers from 1.

    Attributes:
        removed: Lines of the older file.
        added: Lines of the newer one.
    """

    removed: dict[int, str] = field(default_factory=dict)
    added: dict[int, str] = field(default_factory=dict)

    @property
    def both(self) -> tuple[dict[int, str], dict[int, str]]:
        """Removed and added lines."""
        return self.removed, self.added


def touched_lines(path: Path, old: str, new: str) -> dict[str, Touched]:
    """Returns what `git diff -U0` shows between two commits, by file."""
    shown = git(path, "-c", "core.quotePath=false", "diff", "-U0", "--text", old, new)
    found: dict[str, Touched] = {}
    name = ""
    left = right = 0
    for line in shown.split("\n"):
        if line.startswith("diff --git "):
            left = right = 0
        elif hunk := _HUNK.match(line):
            left, right = int(hunk[1]), int(hunk[3])
        elif not (left or right):
            if header := _HEADER.fullmatch(line):
                name = header[1]
        elif line.startswith("-"):
            found.setdefault(name, Touched()).removed[left] = line[1:]
            left += 1
        elif line.startswith("+"):
            found.setdefault(name, Touched()).added[right] = line[1:]
            right += 1
    return found


def differences(old: Any, new: Any, keys: Keys = ()) -> Iterator[Keys]:
    """Yields where two JSON values differ: the deepest keys at which one of them is no object.

    A list is one value, unless it holds objects and is as long in both.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            if key in old and key in new:
                yield from differences(old[key], new[key], (*keys, key))
            else:
                yield (*keys, key)
    elif _is_table(old) and _is_table(new) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, (*keys, index))
    elif old != new or type(old) is not type(new):
        yield keys


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def value_lines(text: str) -> Mapping[Keys, range]:
    """Returns the lines, numbered from 1, that each value of a JSON text has, key included."""
    found: dict[Keys, range] = {}
    end = _value(text, _skip(text, 0), (), 0, found)
    assert not text[end:].strip(), "there is more than one value"
    return found


def _value(text: str, at: int, keys: Keys, start: int, found: dict[Keys, range]) -> int:
    if text[at] in "{[":
        end = _members(text, at, keys, found)
    else:
        _, end = JSONDecoder().raw_decode(text, at)
    found[keys] = range(_line(text, start), _line(text, end - 1) + 1)
    return end


def _members(text: str, at: int, keys: Keys, found: dict[Keys, range]) -> int:
    closing = "}" if text[at] == "{" else "]"
    at, index = _skip(text, at + 1), 0
    while text[at] != closing:
        start, key = at, index
        name: str | int = key
        if closing == "}":
            name, at = JSONDecoder().raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        at = _skip(text, _value(text, at, (*keys, name), start, found))
        if text[at] == ",":
            at = _skip(text, at + 1)
        index += 1
    return at + 1


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match is not None else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
