"""Starting, stopping and asking a daemon from another process."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from gitwfp.classes import dataclass
from gitwfp.daemon import place
from gitwfp.errors import ExitCode, Refusal, say

_PAUSE: Final = 0.01
_START_BY: Final = 20.0
_CONNECT_BY: Final = 2.0
_ANSWER_BY: Final = 30.0
_STOP_BY: Final = 1.7
"""Seconds after which a daemon that was asked to stop is ended."""

_CHUNK: Final = 65536

# Where a hook or an alias starts us, git has told the process which repository is meant; the daemon
# finds it by its folder.
_FOREIGN: Final = ("GIT_PREFIX", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_QUARANTINE_PATH")


@dataclass(frozen=True, slots=True)
class Running:
    """A daemon that answers.

    Attributes:
        pid: Its process, None where the system does not say.
        answer: What it answered.
    """

    pid: int | None
    answer: Mapping[str, object]


def ask(folder: str, operation: str) -> Running | None:
    """Asks a daemon one thing.

    Args:
        folder: Its folder.
        operation: `status`, `as-of-now`, `hello` or `stop`.

    Returns:
        Its answer, None if none answers.
    """
    connection = place.connect(folder, _CONNECT_BY)
    if connection is None:
        return None
    with connection:
        known = place.peer(connection)
        connection.settimeout(_ANSWER_BY)
        try:
            connection.sendall(json.dumps({"op": operation}).encode() + b"\n")
            line = next(_lines(connection.recv), b"")
            answer = json.loads(line) if line else None
        except (OSError, ValueError):
            return None
    if not isinstance(answer, dict):
        return None
    return Running(None if known is None else known[0], answer)


def follow(folder: str) -> Iterator[bytes] | None:
    """Subscribes to a daemon.

    Returns:
        Its lines, the board first, until it ends; None if none answers.
    """
    connection = place.connect(folder, _CONNECT_BY)
    if connection is None:
        return None
    connection.settimeout(None)
    try:
        connection.sendall(b'{"op": "subscribe"}\n')
    except OSError:
        connection.close()
        return None

    def lines() -> Iterator[bytes]:
        with connection, suppress(ConnectionError):
            yield from _lines(connection.recv)

    return lines()


def start(folder: str, words: Sequence[str], environ: Mapping[str, str]) -> tuple[Running, bool]:
    """Starts a daemon that goes on by itself, if none runs.

    Args:
        folder: Its folder, which exists.
        words: The command that runs one in the foreground.
        environ: Its environment.

    Returns:
        The daemon that runs, and whether it was started now.

    Raises:
        Refusal: None could be started; says why.
    """
    running = ask(folder, "hello")
    if running is not None:
        return running, False
    kept = {name: value for name, value in environ.items() if name not in _FOREIGN}
    errors = os.path.join(folder, "start")
    with open(os.open(errors, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as said:
        # Nothing of the caller's is inherited: whoever captures our output must not wait for it.
        process = subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            cwd="/",
            env=kept,
            start_new_session=True,
        )
        deadline = time.monotonic() + _START_BY
        while time.monotonic() < deadline:
            running = ask(folder, "hello")
            if running is not None:
                # It goes on after us, and nobody waits for it.
                process.returncode = 0
                return running, running.pid in (process.pid, None)
            code = process.poll()
            if code is not None and not place.is_held(folder):
                said.seek(0)
                raise _not_started(said.read().decode("utf-8", "replace"))
            time.sleep(_PAUSE)
        process.kill()
        process.wait()
    raise _not_started("")


def stop(folder: str) -> bool:
    """Ends the daemon; returns whether there was one.

    Raises:
        Refusal: It cannot be ended.
    """
    if not place.is_held(folder):
        return False
    pid = _tell_to_stop(folder)
    deadline = time.monotonic() + _STOP_BY
    while place.is_held(folder):
        if time.monotonic() >= deadline:
            _end(pid)
            pid = None
            deadline += _STOP_BY
        time.sleep(_PAUSE)
    place.close(folder)
    return True


def _tell_to_stop(folder: str) -> int | None:
    """Asks the daemon to stop; returns its process as far as the system knows it."""
    connection = place.connect(folder, _CONNECT_BY)
    if connection is None:
        return None
    with connection, suppress(OSError):
        known = place.peer(connection)
        connection.sendall(b'{"op": "stop"}\n')
        return None if known is None else known[0]
    return None


def _end(pid: int | None) -> None:
    """Ends the process that has the socket; it is known by that, and not by a file."""
    if pid is None:
        raise Refusal(
            "daemon-not-stopped",
            say("The daemon holds its lock and does not answer."),
            ExitCode.ENVIRONMENT,
            hint=say("Look for a process named {name} and end it.", name="git-wfp daemon run"),
        )
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def own_words(top: str) -> tuple[str, ...]:
    """Returns the command that runs a daemon in the foreground, with this very Python."""
    # Without -P, a folder named gitwfp where we stand would be taken for this package.
    return (sys.executable, "-P", "-m", "gitwfp", "-C", top, "daemon", "run", "--detached")


def _lines(receive: object) -> Iterator[bytes]:
    heard = b""
    assert callable(receive)  # noqa: S101 - the method of a socket
    while chunk := receive(_CHUNK):
        heard += chunk
        *lines, heard = heard.split(b"\n")
        yield from lines


def _not_started(text: str) -> Refusal:
    reason = " ".join(text.split()) or "it gave no reason"
    return Refusal(
        "daemon-not-started",
        say("The daemon did not start: {reason}", reason=reason.removeprefix("error: ")),
        ExitCode.ENVIRONMENT,
        hint=say("git wfp daemon run shows what happens."),
    )
