"""Runs one program to its end without the library's `subprocess`, whose import costs more than git.

It does less: little input, the program as it is found by our own PATH.
`gitwfp.git.program` takes it where that will do, and the library elsewhere.
"""

import os
import select
import time
from collections.abc import Mapping

MOST_INPUT = 4096
"""So many bytes a pipe takes on every system before anybody reads."""

_CHUNK = 65536
# The numbers of SIGPIPE, SIGXFSZ, SIGTERM and SIGKILL everywhere; the module with the names makes
# enumerations of all signals first. Python ignores the former two, and a program inherits that.
_IGNORED_BY_PYTHON = (13, 25)
_TERMINATE, _KILL = 15, 9
_PATIENCE, _PAUSE = 25, 0.01


class TookTooLong(Exception):  # noqa: N818 - reads as the fact that it states
    """A program was ended because its time was over."""


def run_to_end(
    words: list[bytes],
    environ: Mapping[str, str],
    input: bytes,
    timeout: float | None = None,
) -> tuple[int, bytes, bytes]:
    """Runs a program.

    Args:
        words: Its name, looked for in PATH, and its arguments.
        environ: Its environment.
        input: Its standard input, of at most `MOST_INPUT` bytes.
        timeout: Seconds after which it is ended.

    Returns:
        The exit code, negative for a signal, and what it wrote to both outputs.

    Raises:
        OSError: It cannot be started.
        TookTooLong: The time was over.
    """
    ours: list[int] = []
    theirs: list[int] = []
    try:
        feed, out, err = (_pipe(ours, theirs, reads=reads) for reads in (True, False, False))
        os.write(feed, input)
        os.close(feed)
        ours.remove(feed)
        moves = [(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(theirs)]
        process = os.posix_spawnp(
            words[0], words, environ, file_actions=moves, setsigdef=_IGNORED_BY_PYTHON
        )
        try:
            _close(theirs)
            said = _read_all(out, err, timeout)
        except BaseException:
            _end(process)
            raise
        _, status = os.waitpid(process, 0)
        return os.waitstatus_to_exitcode(status), said[out], said[err]
    finally:
        _close(ours)
        _close(theirs)


def _pipe(ours: list[int], theirs: list[int], *, reads: bool) -> int:
    """Opens a pipe that the program reads or writes, and returns our end of it."""
    reading, writing = os.pipe()
    mine, its = (writing, reading) if reads else (reading, writing)
    ours.append(mine)
    theirs.append(its)
    return mine


def _end(process: int) -> None:
    """Ends a program: politely, so that git takes its locks away, then by force."""
    os.kill(process, _TERMINATE)
    for _ in range(_PATIENCE):
        if os.waitpid(process, os.WNOHANG)[0]:
            return
        select.select([], [], [], _PAUSE)
    os.kill(process, _KILL)
    os.waitpid(process, 0)


def _read_all(out: int, err: int, timeout: float | None) -> dict[int, bytes]:
    """Reads two pipes until both are closed at the other end, whichever of them fills first."""
    said: dict[int, list[bytes]] = {out: [], err: []}
    waiting = select.poll()
    for end in said:
        waiting.register(end, select.POLLIN)
    left = len(said)
    until = None if timeout is None else time.monotonic() + timeout
    while left:
        seconds = None if until is None else until - time.monotonic()
        if seconds is not None and seconds <= 0:
            raise TookTooLong
        for end, _ in waiting.poll(None if seconds is None else seconds * 1000):
            chunk = os.read(end, _CHUNK)
            said[end].append(chunk)
            if not chunk:
                waiting.unregister(end)
                left -= 1
    return {end: b"".join(chunks) for end, chunks in said.items()}


def _close(ends: list[int]) -> None:
    while ends:
        os.close(ends.pop())
