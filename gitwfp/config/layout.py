"""Where the parts of a settings file stand in its text: headers, settings, inline tables.

The text must be one that a parser of TOML has accepted; nothing is checked here.
"""

import re
from collections.abc import Iterator
from typing import Final

from gitwfp.classes import dataclass

Path = tuple[str, ...]

_PART: Final = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_KEY: Final = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_STRINGS: Final = (
    r'"""(?:[^\\]|\\.)*?"{3,5}',
    r"'''.*?'{3,5}",
    r'"(?:[^"\\\n]|\\.)*"',
    r"'[^'\n]*'",
)
_SCALAR: Final = r"[^,\]}#\r\n]*"
_BLANK: Final = r"(?:[ \t\r\n]|#[^\n]*)*"


@dataclass(frozen=True, slots=True)
class Header:
    """The line that begins a table.

    Attributes:
        path: The table.
        start: Where its line begins.
        end: Where the next line begins.
        is_bare: Whether nothing else is on the line, such as a comment.
        is_item: Whether it is one of an array of tables.
    """

    path: Path
    start: int
    end: int
    is_bare: bool
    is_item: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A name with its value inside an inline table.

    Attributes:
        path: The name, from the root.
        start: Where it begins.
        value: Where its value begins.
        end: Where its value ends.
    """

    path: Path
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A name with its value on lines of their own.

    Attributes:
        path: The name, from the root.
        header: What begins the table that it is in; None at the root.
        start: Where its first line begins.
        key: Where the name begins.
        value: Where its value begins.
        end: Where the line after its last begins.
    """

    path: Path
    header: Header | None
    start: int
    key: int
    value: int
    end: int


def statements(text: str) -> Iterator[Header | Pair]:
    """Yields the headers and pairs of a settings file in their order."""
    at, header = 0, None
    while at < len(text):
        start = at
        at = _match(r"[ \t]*", text, at).end()
        if text.startswith("[", at):
            header = _header(text, start, at)
            yield header
            at = header.end
        elif _is_key(text, at):
            above = () if header is None else header.path
            name, value = _name(text, at)
            after = _end_of_line(text, value_end(text, value))
            yield Pair((*above, *name), header, start, at, value, after)
            at = after
        else:
            at = _end_of_line(text, at)


def members(text: str, at: int, path: Path) -> Iterator[Member]:
    """Yields the members of the inline table that begins somewhere, without those further in.

    Args:
        text: The text of the file.
        at: Where its brace stands.
        path: Its name.
    """
    at = _match(_BLANK, text, at + 1).end()
    while text[at] != "}":
        if text[at] == ",":
            at += 1
        else:
            name, value = _name(text, at)
            end = value_end(text, value)
            yield Member((*path, *name), at, value, end)
            at = end
        at = _match(_BLANK, text, at).end()


def value_end(text: str, at: int) -> int:
    """Returns where a value ends that begins somewhere."""
    if text[at] == "{":
        last = at + 1
        for member in members(text, at, ()):
            last = member.end
        return text.index("}", _match(rf"(?:{_BLANK}|,)*", text, last).end()) + 1
    if text[at] == "[":
        at = _match(_BLANK, text, at + 1).end()
        while text[at] != "]":
            at = at + 1 if text[at] == "," else value_end(text, at)
            at = _match(_BLANK, text, at).end()
        return at + 1
    for kind in _STRINGS:
        found = re.compile(kind, re.DOTALL).match(text, at)
        if found is not None:
            return found.end()
    return at + len(_match(_SCALAR, text, at)[0].rstrip(" \t"))


def _header(text: str, start: int, at: int) -> Header:
    is_item = text.startswith("[[", at)
    found = _match(rf"\[\[?[ \t]*({_KEY})[ \t]*\]\]?", text, at)
    end = _end_of_line(text, found.end())
    is_bare = not text[found.end() : end].strip()
    return Header(_path(found[1]), start, end, is_bare, is_item)


def _name(text: str, at: int) -> tuple[Path, int]:
    """Returns the name that begins somewhere, and where its value does."""
    found = _match(rf"({_KEY})[ \t]*=[ \t]*", text, at)
    return _path(found[1]), found.end()


def _path(key: str) -> Path:
    import tomllib

    parts = []
    content: object = tomllib.loads(f"{key} = 0")
    while isinstance(content, dict):
        ((name, content),) = content.items()
        parts.append(name)
    return tuple(parts)


def _is_key(text: str, at: int) -> bool:
    return re.compile(_PART).match(text, at) is not None


def _end_of_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _match(pattern: str, text: str, at: int) -> re.Match[str]:
    found = re.compile(pattern).match(text, at)
    if found is None:
        raise ValueError(f"no TOML at {at}")
    return found
