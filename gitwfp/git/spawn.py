"""Runs one program to its end without the library's `subprocess`, whose import costs more than git.

It does less: no time limit, little input, the program as it is found by our own PATH.
`gitwfp.git.program` takes it where that will do, and the library elsewhere.
"""

import os
import select
from collections.abc import Mapping

MOST_INPUT = 4096
"""So many bytes a pipe takes on every system before anybody reads."""

_CHUNK = 65536
# The numbers of SIGPIPE, SIGXFSZ and SIGTERM everywhere; the module with the names makes
# enumerations of all signals first. Python ignores the former two, and a program inherits that.
_IGNORED_BY_PYTHON = (13, 25)
_TERMINATE = 15


def run_to_end(
    words: list[bytes], environ: Mapping[str, str], input: bytes
) -> tuple[int, bytes, bytes]:
    """Runs a program.

    Args:
        words: Its name, looked for in PATH, and its arguments.
        environ: Its environment.
        input: Its standard input, of at most `MOST_INPUT` bytes.

    Returns:
        The exit code, negative for a signal, and what it wrote to both outputs.

    Raises:
        OSError: It cannot be started.
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
            said = _read_all(out, err)
        except BaseException:
            # Git takes its locks away before it ends.
            os.kill(process, _TERMINATE)
            os.waitpid(process, 0)
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


def _read_all(*ends: int) -> dict[int, bytes]:
    """Reads pipes until all are closed at the other end, whichever of them fills first."""
    said: dict[int, list[bytes]] = {end: [] for end in ends}
    waiting = select.poll()
    for end in ends:
        waiting.register(end, select.POLLIN)
    left = len(ends)
    while left:
        for end, _ in waiting.poll():
            chunk = os.read(end, _CHUNK)
            said[end].append(chunk)
            if not chunk:
                waiting.unregister(end)
                left -= 1
    return {end: b"".join(chunks) for end, chunks in said.items()}


def _close(ends: list[int]) -> None:
    while ends:
        os.close(ends.pop())
