"""Where a daemon lives: the folder with its lock, its socket, its board and its log.

The lock says whether one runs, since the system takes it from a process however that ends; a pid
in a file would prove nothing. The socket is reached by a name in its folder, so that the length of
the way there does not matter.
"""

import fcntl
import os
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from gitwfp.git.smallfiles import disk_errors, no_folder, open_own, own_place

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_FOLDER: Final = "daemon"
_SOCKET: Final = "socket"
_LOCK: Final = "lock"
BOARD: Final = "board.json"
LOG: Final = "log"
PROBE: Final = "probe"

_TRIES, _PAUSE = 10, 0.01

_LONGEST: Final = 100
"""A path to a socket may have 107 bytes on Linux and 103 on macOS."""


def folder_of(repo: "Repository", *, make: bool = False) -> str:
    """Returns the folder of the daemon of a worktree.

    Args:
        repo: The repository.
        make: Make it; only its owner gets into it.

    Raises:
        Refusal: Something else is in its place, or it cannot be made.
    """
    with disk_errors(repo):
        folder = own_place(repo, _FOLDER, make=make)
        if make:
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700)
        if os.path.lexists(folder):
            if not stat.S_ISDIR(os.lstat(folder).st_mode):
                raise no_folder(folder)
            if make:
                os.chmod(folder, 0o700)
    return folder


def hold(folder: str) -> int | None:
    """Takes the lock, for as long as the descriptor that is returned is open.

    Returns:
        The descriptor, None if another process has the lock.
    """
    descriptor = open_own(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT)
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Whoever only looks whether it is held has it for an instant.
            time.sleep(_PAUSE)
        else:
            return descriptor
    os.close(descriptor)
    return None


def is_held(folder: str) -> bool:
    """Tells whether a daemon has the lock."""
    try:
        descriptor = open_own(os.path.join(folder, _LOCK), os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        # One that only looks takes it for no longer than this, and together with others who look.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def listen(folder: str) -> socket.socket:
    """Opens the socket; whoever calls it has the lock, so that one that is there is nobody's."""
    place = os.path.join(folder, _SOCKET)
    with suppress(FileNotFoundError):
        os.unlink(place)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with _near(place) as name:
        server.bind(name)
    os.chmod(place, 0o600)
    server.listen(64)
    server.setblocking(False)
    return server


def close(folder: str) -> None:
    """Takes the socket away."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, _SOCKET))


def connect(folder: str, timeout: float) -> socket.socket | None:
    """Returns a connection to the daemon, None if none answers."""
    place = os.path.join(folder, _SOCKET)
    if not os.path.lexists(place):
        return None
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(timeout)
    try:
        with _near(place) as name:
            client.connect(name)
    except OSError:
        # Nobody listens there any more, or it is no socket.
        client.close()
        return None
    return client


def peer(connection: socket.socket) -> tuple[int, int] | None:
    """Returns process and user at the other end, None where the system does not say."""
    if sys.platform != "linux":
        return None
    size = struct.calcsize("3i")
    pid, user, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    )
    return pid, user


@contextmanager
def _near(place: str) -> Iterator[str]:
    """Gives a name for a socket that is short enough for the system."""
    if len(os.fsencode(place)) <= _LONGEST:
        yield place
        return
    before = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.chdir(os.path.dirname(place))
        yield os.path.basename(place)
    finally:
        os.fchdir(before)
        os.close(before)
