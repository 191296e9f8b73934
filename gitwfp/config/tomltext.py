"""The text of `.wfp.toml`: its values, and the lines on which they stand.

The standard library parses TOML but tells no positions of values, and a key of very many parts
or values nested very deeply keep it busy for minutes or exhaust its stack. So the text is
cut into statements first, which bounds both and knows where each statement begins.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gitwfp.errors import ExitCode, Location, Refusal, Text, say

MAX_BYTES: Final = 256 * 1024
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

_MAX_DEPTH = 32
_SETTING_DEPTH = 3
# Strings and comments, so that what looks like syntax inside them is passed over; then the syntax.
# The end of a string is optional: what is not closed is read to its end once, not once a quote.
# Compiled at first use: most commands meet no settings file.
_LEXEMES = (
    r'"""(?:[^\\]|\\.)*?(?:"{3,5}|\\?\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    r'|"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*"?'
    r"|'[^'\n]*'?"
    r"|\#[^\n]*"
    r"|[\[\]{},=.\n]"
)
_PLACE = r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)"


class Document:
    """A parsed file.

    Args:
        values: The whole of it as nested mappings.
        statements: Line and text of each statement.
    """

    def __init__(
        self, values: Mapping[str, object], statements: tuple[tuple[int, str], ...]
    ) -> None:
        self.values = values
        self._statements = statements
        self._lines: Mapping[tuple[str, ...], int] | None = None

    def line(self, path: tuple[str, ...]) -> int | None:
        """Returns the line on which a table or setting first appears, counted from 1."""
        if self._lines is None:
            self._lines = _lines(self._statements)
        return self._lines.get(path)


def parse_document(toml: bytes, path: str) -> Document:
    """Parses the bytes of a settings file; a byte order mark and CRLF are as good as none.

    Args:
        toml: The content.
        path: The name of the file in messages.

    Raises:
        Refusal: `bad-config-file`: it is not UTF-8, not TOML, too large or too deep.
    """
    import tomllib

    text = _decoded(toml, path).replace("\r\n", "\n")
    statements = tuple(_statements(text, path))
    try:
        return Document(tomllib.loads(text), statements)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(error, text, path) from error
    except ValueError as error:
        # Python turns no text of more than 4,300 digits into a number.
        raise _refusal(
            say("{path} holds a number with too many digits.", path=path),
            Location(path, _line_of_failure(statements)),
        ) from error


def _decoded(toml: bytes, path: str) -> str:
    if len(toml) > MAX_BYTES:
        raise _refusal(
            say(
                "{path} has {size} bytes; a settings file may have {limit}.",
                path=path,
                size=len(toml),
                limit=MAX_BYTES,
            ),
            Location(path),
        )
    content = toml.removeprefix(BYTE_ORDER_MARK)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        line, column = _end(before)
        raise _refusal(
            say(
                "{path} is not UTF-8 at line {line}, column {column}.",
                path=path,
                line=line,
                column=column,
            ),
            Location(path, line, column),
            say("Save the file as UTF-8."),
        ) from error


def _statements(text: str, path: str) -> Iterator[tuple[int, str]]:
    """Yields line and text of each statement; it is exact up to the first error in the text."""
    begin, begin_line, line = 0, 1, 1
    depth = dots = 0
    for token in re.finditer(_LEXEMES, text, re.DOTALL):
        sign = token[0]
        line += sign.count("\n")
        if sign in {"[", "{"}:
            depth += 1
        elif sign in {"]", "}"}:
            depth = max(0, depth - 1)
        if sign == ".":
            dots += 1
        elif sign in {"[", "]", "{", "}", ",", "=", "\n"}:
            dots = 0
        if max(depth, dots) > _MAX_DEPTH:
            line, column = _end(text[: token.start()])
            raise _refusal(
                say(
                    "{path} is nested too deeply at line {line}, column {column}.",
                    path=path,
                    line=line,
                    column=column,
                ),
                Location(path, line, column),
            )
        if sign == "\n" and depth == 0:
            yield begin_line, text[begin : token.start()]
            begin, begin_line = token.end(), line
    yield begin_line, text[begin:]


def _lines(statements: tuple[tuple[int, str], ...]) -> Mapping[tuple[str, ...], int]:
    """Returns the first line of every table and setting of a valid document."""
    import tomllib

    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for line, statement in statements:
        content = tomllib.loads(statement)
        if statement.lstrip(" \t").startswith("["):
            table = ()
            paths = tuple(_paths(content))
            table = paths[-1]
        else:
            paths = tuple(table + path for path in _paths(content))
        for path in paths:
            lines.setdefault(path, line)
    return lines


def _paths(content: Mapping[str, object], depth: int = 1) -> Iterator[tuple[str, ...]]:
    """Yields the path of everything in a mapping, outer before inner, as deep as settings go."""
    for name, value in content.items():
        yield (name,)
        if isinstance(value, dict) and depth < _SETTING_DEPTH:
            yield from ((name, *inner) for inner in _paths(value, depth + 1))


def _not_toml(error: ValueError, text: str, path: str) -> Refusal:
    # tomllib has the place in its message only; attributes for it came with Python 3.14.
    found = re.fullmatch(_PLACE, str(error), re.DOTALL)
    reason = found[1] if found else str(error)
    line, column = (int(found[2]), int(found[3])) if found and found[2] else _end(text)
    return _refusal(
        say(
            "{path} is not valid TOML at line {line}, column {column}: {reason}.",
            path=path,
            line=line,
            column=column,
            reason=reason if len(reason) <= 200 else reason[:200] + "...",
        ),
        Location(path, line, column),
        say("Correct that line: texts stand in quotation marks, lists in square brackets."),
    )


def _line_of_failure(statements: tuple[tuple[int, str], ...]) -> int | None:
    import tomllib

    for line, statement in statements:
        try:
            tomllib.loads(statement)
        except ValueError:
            return line
    return None


def _end(text: str) -> tuple[int, int]:
    """Returns line and column of the place behind a text."""
    return text.count("\n") + 1, len(text) - text.rfind("\n")


def _refusal(message: Text, location: Location, hint: Text | None = None) -> Refusal:
    return Refusal("bad-config-file", message, ExitCode.USAGE, hint=hint, location=location)
