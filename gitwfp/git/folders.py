"""Files in open folders: the ways of touching a path that cannot be led elsewhere by a link."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.git.program import to_bytes, to_text

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a fifo that somebody put there must not wait for a writer.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_folder(name: bytes, above: int, path: str) -> int:
    """Opens a folder below an open one without following a link; `path` is for the refusal."""
    if name in (b"", b".", b"..") or name.lower() == b".git":
        raise ValueError(f"not a path inside a worktree: {path!r}")
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise through_a_link(path, to_text(name)) from error
        raise cannot_write(path, error) from error


def read_at(folder: int, name: bytes, path: str) -> bytes | None:
    """Returns the bytes of a file in an open folder, None if it is not there."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise not_a_file(path) from error
        raise cannot_read(path, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise not_a_file(path)
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def inode_of(folder: int, name: bytes) -> int | None:
    """Returns which file a name in an open folder stands for, None if it is not there."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return None


def drop_at(folder: int, name: bytes, path: str) -> None:
    """Removes a file of ours from an open folder, if it is there; `path` is for the refusal.

    It is looked for first, because a read-only disk refuses to remove even what is not there. What
    is no file was made by somebody else, and stays.
    """
    if is_file_at(folder, name):
        with writable(path):
            os.unlink(name, dir_fd=folder)


def is_file_at(folder: int, name: bytes) -> bool:
    """Tells whether a name in an open folder stands for a plain file."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    return stat.S_ISREG(mode)


def last_name(path: str) -> bytes:
    """Returns the last part of a path, as the file system spells it."""
    return to_bytes(path.rsplit("/", 1)[-1])


@contextmanager
def writable(path: str) -> Iterator[None]:
    """Turns what the system says about a write into a refusal that names the path."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_read(path: str, error: OSError) -> Refusal:
    """Returns the refusal for a file that the system does not let us read."""
    return Refusal(
        "unreadable-file",
        say("{path} cannot be read: {reason}.", path=path, reason=error.strerror or str(error)),
        ExitCode.ENVIRONMENT,
        location=Location(path=path),
    )


def cannot_write(path: str, error: OSError) -> Refusal:
    """Returns the refusal for a write that the system did not let us do."""
    return Refusal(
        "cannot-write",
        say("{path} cannot be written: {reason}.", path=path, reason=error.strerror or str(error)),
        ExitCode.ENVIRONMENT,
        hint=say("Check the permissions of its folder and the free space of the disk."),
        location=Location(path=path),
    )


def through_a_link(path: str, part: str) -> Refusal:
    """Returns the refusal for a path that leads through a link."""
    return Refusal(
        "linked-folder",
        say(
            "{path} is not written, because {part} on its way is not a real folder.",
            path=path,
            part=part,
        ),
        ExitCode.ENVIRONMENT,
        hint=say("Replace the symbolic link by a folder; plans are never written through links."),
        location=Location(path=path),
    )


def not_a_file(path: str) -> Refusal:
    """Returns the refusal for a path at which there is something else than a file."""
    return Refusal(
        "not-a-file",
        say("{path} is a link, a folder or a device, not a file.", path=path),
        ExitCode.ENVIRONMENT,
        hint=say("Replace it by a regular file."),
        location=Location(path=path),
    )
