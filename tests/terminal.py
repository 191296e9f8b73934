"""Runs a program on a pseudo-terminal, and takes the machine out of what it printed."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

LINES, COLUMNS = 24, 80
_END_OF_INPUT = b"\x04"


def run_in_terminal(
    argv: Sequence[str], folder: Path, environ: Mapping[str, str], typed: bytes, patience: float
) -> tuple[int, bytes]:
    """Runs a program whose three standard streams are one terminal.

    What is typed is not echoed, so that the output is the program's own.

    Args:
        argv: The program and its arguments.
        folder: Where it runs.
        environ: Its whole environment.
        typed: What is typed, then the end of input.
        patience: Seconds after which it is killed and the test fails.

    Returns:
        The exit code, and everything that it printed, with line feeds only.
    """
    ours, theirs = pty.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        modes = termios.tcgetattr(theirs)
        modes[1] &= ~termios.OPOST
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        program = subprocess.Popen(
            argv,
            cwd=folder,
            env={**environ, "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
    finally:
        os.close(theirs)
    try:
        os.write(ours, typed + _END_OF_INPUT)
        output = _read_all(ours, patience, argv)
        return program.wait(timeout=patience), output
    finally:
        os.close(ours)
        if program.poll() is None:
            program.kill()
            program.wait()


def _read_all(terminal: int, patience: float, argv: Sequence[str]) -> bytes:
    """Reads until the last process has closed the terminal."""
    deadline = time.monotonic() + patience
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise AssertionError(f"{' '.join(argv)} did not end; it said {b''.join(parts)!r}")
        try:
            part = os.read(terminal, 65536)
        except OSError:
            # Linux reports a terminal whose other end is closed as an input error.
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)


_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?(?:Z\b| ?[+-]\d\d:?\d\d\b)?"
)
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_ID = re.compile(r"\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,64}\b")


def without_machine(text: str, places: Mapping[str, str]) -> str:
    """Replaces what differs from run to run by names.

    Args:
        text: What a program printed.
        places: Names of paths; a longer path is replaced before a shorter one.

    Returns:
        The text with `<time>`, `<date>`, the names of the places, and `<id1>`, `<id2>`, ... for
        object ids in the order in which they appear; an abbreviated id has the name of the whole.
    """
    for path in sorted(places, key=len, reverse=True):
        text = text.replace(path, places[path])
    text = _DATE.sub("<date>", _TIME.sub("<time>", text))
    seen: list[str] = []

    def name(match: re.Match[str]) -> str:
        found = match.group()
        for number, known in enumerate(seen):
            if known.startswith(found) or found.startswith(known):
                seen[number] = max(known, found, key=len)
                return f"<id{number + 1}>"
        seen.append(found)
        return f"<id{len(seen)}>"

    return _ID.sub(name, text)
