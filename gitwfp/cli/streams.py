"""The standard streams as they really are: closed, broken, full, and in any encoding.

Output never fails for a character: what an encoding lacks is replaced. A reader that has gone away
(`git wfp log | head`) silences a stream and stops nothing, least of all a command that is writing.
"""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from gitwfp.errors import ExitCode, Refusal, say

NARROWEST = 20
USUAL_COLUMNS = 80
USUAL_ROWS = 24


def open_missing_streams() -> None:
    """Opens the null device for each standard stream that is closed.

    Otherwise the first file that anybody opens gets its number, and a message ends up in it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def is_terminal(stream: TextIO | None) -> bool:
    """Tells whether a stream is there, open, and a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        # It was closed.
        return False


def size(stream: TextIO | None, environ: Mapping[str, str]) -> tuple[int, int]:
    """Returns the columns and rows of a terminal; COLUMNS and LINES win, as in git."""
    columns, rows = 0, 0
    with suppress(OSError, ValueError):
        columns, rows = os.get_terminal_size(stream.fileno() if stream is not None else -1)
    columns = _number(environ.get("COLUMNS")) or columns or USUAL_COLUMNS
    return max(NARROWEST, columns), _number(environ.get("LINES")) or rows or USUAL_ROWS


def _number(text: str | None) -> int:
    return int(text) if text is not None and re.fullmatch("[0-9]{1,5}", text) else 0


def encoding_of(stream: TextIO | None) -> str:
    """Returns the encoding of a stream in lower case, such as `utf-8` or `cp1252`."""
    return (getattr(stream, "encoding", None) or "utf-8").lower()


def can_show(stream: TextIO | None, character: str) -> bool:
    """Tells whether the encoding of a stream has a character."""
    try:
        character.encode(encoding_of(stream))
    except UnicodeEncodeError:
        return False
    return True


def write(stream: TextIO | None, text: str) -> bool:
    """Writes to a stream at once.

    Returns:
        Whether anybody still reads it.

    Raises:
        Refusal: The text cannot be written, because a disk is full for example (environment).
    """
    if stream is None:
        return False
    encoding = encoding_of(stream)
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding, "replace"))
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
        return False
    except (OSError, ValueError) as error:
        _silence(stream)
        raise Refusal(
            "output-failed",
            say("The output cannot be written: {reason}.", reason=_reason(error)),
            ExitCode.ENVIRONMENT,
        ) from error
    return True


def read_line(stream: TextIO | None) -> str:
    """Reads a line; an empty text is the end of the input."""
    if stream is None:
        return ""
    raw = getattr(stream, "buffer", None)
    if raw is None:
        return stream.readline()
    line: bytes = raw.readline()
    return line.decode(encoding_of(stream), "replace")


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _silence(stream: TextIO) -> None:
    """Leads a stream to the null device: Python flushes what is left in it when it ends."""
    # A stream without a number (one of a test) has nothing to be led anywhere.
    with suppress(OSError, ValueError):
        number = stream.fileno()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)
