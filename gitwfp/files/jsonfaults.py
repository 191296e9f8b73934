"""What can be wrong with a JSON file, in words and with its place.

Every way in which a file fails to be the JSON that plans are made of becomes one `BadJson`, with a
stable code and a sentence that says what to do. Lines and columns are counted from 1, columns in
characters; a line ends at a line feed, and the byte order mark is not part of the text.
"""

import json

from gitwfp.errors import Text, say

UTF8_MARK = "\ufeff"

_OTHER_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_QUOTE_LIMIT = 60


class BadJson(Exception):  # noqa: N818 - it names the text that is bad, as `MissingFile` does
    """A text is not the JSON that plans are made of.

    Attributes:
        code: Stable kebab-case reference: `encoding`, `empty`, `conflict-markers`,
            `duplicate-key`, `not-a-number`, `number-too-large`, `too-deep`,
            `control-character`, `bad-escape`, `trailing-comma`, `trailing-text`,
            `unfinished` or `syntax`.
        reason: What is wrong and what to do, as a sentence.
        line: Line, counted from 1.
        column: Column in characters, counted from 1.
    """

    def __init__(self, code: str, reason: Text, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column


def decode(data: bytes) -> tuple[str, str]:
    """Splits a file into its byte order mark ("" or one character) and its text.

    Args:
        data: The bytes of the file.

    Returns:
        The mark and the text; together they encode to the same bytes again.

    Raises:
        BadJson: The bytes are not UTF-8.
    """
    for mark, name in _OTHER_MARKS:
        if data.startswith(mark):
            reason = say(
                "The file begins with a byte order mark of {encoding}; save it as UTF-8.",
                encoding=name,
            )
            raise BadJson("encoding", reason, 1, 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8").removeprefix(UTF8_MARK)
        reason = say(
            "The byte {byte} is not UTF-8 here; save the file as UTF-8.",
            byte=f"0x{data[error.start]:02X}",
        )
        raise BadJson("encoding", reason, *place(before, len(before))) from error
    mark_length = 1 if text.startswith(UTF8_MARK) else 0
    return text[:mark_length], text[mark_length:]


def place(text: str, offset: int) -> tuple[int, int]:
    """Returns line and column of an offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def fault(text: str, at: int, code: str, reason: Text) -> BadJson:
    """Returns the error for an offset of a text."""
    return BadJson(code, reason, *place(text, at))


def string_fault(text: str, start: int, at: int) -> BadJson:
    """Returns the error for a string.

    Args:
        text: The text.
        start: Where the string begins.
        at: The first character that cannot stand in it.
    """
    found = text[at : at + 1]
    if not found:
        reason = say("The string that begins here has no closing quotation mark.")
        return fault(text, start, "unfinished", reason)
    if found == "\\":
        escape = text[at : at + (6 if text.startswith("u", at + 1) else 2)]
        reason = say(
            "The escape {escape} is not JSON; a backslash is written as two.",
            escape=shown(escape, quoted=False),
        )
        return fault(text, at, "bad-escape", reason)
    if found in "\r\n":
        reason = say(
            "The string does not end on its line; close it, or write {escape} for the break.",
            escape="\\n",
        )
        return fault(text, at, "control-character", reason)
    return _control_character(text, at)


def unexpected(
    text: str, at: int, wanted: Text, *, unclosed: int | None, code: str = "syntax"
) -> BadJson:
    """Returns the error for a text that cannot go on as it does; common slips are named.

    Args:
        text: The text.
        at: Where it cannot go on.
        wanted: What is missing there, for the case that nothing better can be said.
        unclosed: Where the innermost bracket stands that is still open, if one is.
        code: The code that goes with `wanted`.
    """
    found = text[at : at + 1]
    if not found and unclosed is not None:
        wanted = say(
            "The file ends too early: the {bracket} of line {line} is never closed.",
            bracket=text[unclosed],
            line=place(text, unclosed)[0],
        )
    if not found:
        return fault(text, at, "unfinished", wanted)
    if found < " " or found == UTF8_MARK:
        return _control_character(text, at)
    if text.startswith(("//", "/*", "#"), at):
        return fault(text, at, "syntax", say("JSON has no comments; remove this one."))
    if found == "'":
        reason = say("JSON strings stand in double quotes, not in single ones.")
        return fault(text, at, "syntax", reason)
    return fault(text, at, code, wanted)


def _control_character(text: str, at: int) -> BadJson:
    code = ord(text[at])
    reason = say(
        "The control character {character} may not stand here; inside a string write {escape}.",
        character=f"U+{code:04X}",
        escape=f"\\u{code:04x}",
    )
    return fault(text, at, "control-character", reason)


def shown(text: str, *, quoted: bool = True) -> str:
    """Returns text from a file so that it fits into a sentence: short, and on one line."""
    cut = text if len(text) <= _QUOTE_LIMIT else text[: _QUOTE_LIMIT - 1] + "…"
    quote = json.dumps(cut, ensure_ascii=False)
    safe = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in quote)
    return safe if quoted else safe[1:-1].replace("\\\\", "\\")
