"""How text looks in a terminal: made harmless, translated, coloured, measured.

Text that comes from a plan can hold anything. `visible` turns what a terminal would obey (escape
sequences, control characters, marks that reorder a line) into what it would show; `Look.say` does
that to every value of a sentence.
"""

import re
from enum import StrEnum
from typing import Final

from gitwfp.classes import dataclass, replace
from gitwfp.cli.language import Translator
from gitwfp.errors import Text
from gitwfp.patterns import regex

# Control characters of both sets, marks that change the direction of writing, the two line breaks
# that only Unicode knows, and halves of surrogate pairs, which also stand for undecodable bytes.
UNSAFE: Final = (
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_UNSAFE: Final = regex(UNSAFE)
_UNSAFE_BUT_COLOUR: Final = regex(r"\x1b\[[0-9;]*m|" + UNSAFE)
_NAMED: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_RESET: Final = "\x1b[0m"


class Style(StrEnum):
    """What a piece of text is, as the colour that says so (an SGR code)."""

    PLAIN = "0"
    HEADING = "1"
    QUIET = "2"
    ADDED = "32"
    REMOVED = "31"
    CHANGED = "36"
    ERROR = "1;31"
    WARNING = "1;33"
    HINT = "33"


def visible(text: str) -> str:
    r"""Returns a text with everything that a terminal would obey written as an escape.

    Example:
        >>> visible("red \x1b[31m")
        'red \\x1b[31m'
    """
    return _UNSAFE.sub(_escape, text)


def harmless(line: str, *, colour: bool) -> str:
    """Returns a finished line with at most colours left of what a terminal obeys."""
    if not colour:
        return visible(line)
    return _UNSAFE_BUT_COLOUR.sub(lambda m: m[0] if len(m[0]) > 1 else _escape(m), line)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        # A byte that is no UTF-8, as the operating system's names are decoded (PEP 383).
        code -= 0xDC00
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def visible_values(text: Text) -> Text:
    """Returns a sentence whose values are harmless; the template is ours and stays."""
    values = {
        name: visible_values(value)
        if isinstance(value, Text)
        else value
        if isinstance(value, bool | int | float)
        else visible(str(value))
        for name, value in text.values.items()
    }
    return replace(text, values=values)


def cells(text: str) -> int:
    """Returns how many columns a text takes; wide characters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def fit(text: str, columns: int, *, mark: str = "…") -> str:
    """Returns a text cut to some columns, with a mark where something was cut off."""
    if cells(text) <= columns:
        return text
    room = max(0, columns - cells(mark))
    used, kept = 0, 0
    for character in text:
        used += cells(character)
        if used > room:
            break
        kept += 1
    return text[:kept] + mark if columns >= cells(mark) else ""


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Returns a text filled up with spaces to some columns."""
    space = " " * max(0, columns - cells(text))
    return space + text if right else text + space


def wrap(text: str, columns: int) -> tuple[str, ...]:
    """Returns a text as lines of at most some columns.

    Lines break at spaces, and between wide characters, whose languages have no spaces.
    """
    lines, line, width = [], "", 0
    for piece in re.findall(r"\s+|[\u1100-\uffef]|[^\s\u1100-\uffef]+", text):
        size = cells(piece)
        if line and width + size > columns:
            lines.append(line.rstrip())
            line, width = "", 0
        if line or not piece.isspace():
            line, width = line + piece, width + size
    return (*lines, line.rstrip()) if line.strip() or not lines else tuple(lines)


@dataclass(frozen=True, slots=True)
class Look:
    """How one output shows text.

    Attributes:
        speak: Says a sentence in the person's language.
        colour: Whether colours are wanted.
        columns: How wide it is; None for a file or a pipe, which has no width.
        mark: What stands for text that was cut off.
    """

    speak: Translator = str
    colour: bool = False
    columns: int | None = None
    mark: str = "…"

    def say(self, text: Text) -> str:
        """Returns a sentence in the person's language, its values made harmless."""
        return self.speak(visible_values(text))

    def paint(self, text: str, style: Style) -> str:
        """Returns a text in a colour, or as it is where colours are not wanted."""
        return f"\x1b[{style.value}m{text}{_RESET}" if self.colour and text else text


PLAIN: Final = Look()
"""English, without colour and of any width."""
