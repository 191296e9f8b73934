"""Small files in git's own folder: git's, which are only read, and those that are ours.

Ours lie in `wfp/` below the worktree's own git folder. Whatever else somebody put in their places,
a folder, a link, a pipe, is refused in a sentence: it is neither followed nor waited for.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.git.folders import cannot_read, cannot_write, not_a_file
from gitwfp.git.program import to_bytes

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

# O_NONBLOCK: opening a pipe that somebody put there must not wait for a writer.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
_OWN = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_if_file(path: str | bytes, most: int = -1) -> bytes | None:
    """Returns the bytes of a regular file that is no link, None where there is none.

    Args:
        path: The file.
        most: How many bytes to read at most; all by default.
    """
    try:
        if not stat.S_ISREG(os.lstat(_bytes(path)).st_mode):
            return None
        with open(os.open(_bytes(path), _READ), "rb") as file:
            return file.read(most)
    except (FileNotFoundError, NotADirectoryError):
        return None


def own_place(repo: "Repository", name: str, *, make: bool = False) -> str:
    """Returns the path of a file of ours.

    Args:
        repo: The repository.
        name: The file's name.
        make: Make the folder that it lies in.

    Raises:
        Refusal: Something else than a folder is where our folder should be.
    """
    folder = os.path.join(repo.git_dir, "wfp")
    try:
        is_folder = stat.S_ISDIR(os.lstat(folder).st_mode)
    except FileNotFoundError:
        is_folder = True
        if make:
            os.makedirs(folder, exist_ok=True)
            # A repository shared by a group (core.sharedRepository) is wider open than the umask.
            os.chmod(folder, os.stat(repo.git_dir).st_mode & 0o7777)
    if not is_folder:
        raise no_folder(folder)
    place = os.path.join(folder, name)
    repo.look_at(place)
    return place


def read_own(repo: "Repository", name: str) -> bytes | None:
    """Returns the bytes of a file of ours, None if it is not there.

    Raises:
        Refusal: Something else than a file is in its place, or it cannot be read.
    """
    place = own_place(repo, name)
    try:
        descriptor = open_own(place, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        return file.read()


def write_own(repo: "Repository", name: str, content: bytes) -> None:
    """Writes a file of ours, whole or not at all.

    Raises:
        Refusal: It cannot be written.
    """
    with disk_errors(repo):
        place = own_place(repo, name, make=True)
    temporary = f"{place}.{os.getpid()}"
    try:
        with open(open_own(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(content)
        os.replace(temporary, place)
    except OSError as error:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise cannot_write(place, error) from error


def open_own(place: str, flags: int) -> int:
    """Opens a file of ours; raises `FileNotFoundError` if it is not there.

    Raises:
        Refusal: Something else than a file is in its place, or it cannot be opened.
    """
    try:
        descriptor = os.open(place, flags | _OWN, 0o666)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise not_a_file(place) from error
        if flags & os.O_ACCMODE == os.O_RDONLY:
            raise cannot_read(place, error) from error
        raise cannot_write(place, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise not_a_file(place)
    return descriptor


@contextmanager
def disk_errors(repo: "Repository") -> Iterator[None]:
    """Turns what the system says about writing into the git folder into a refusal."""
    try:
        yield
    except OSError as error:
        raise cannot_write(str(error.filename or repo.git_dir), error) from error


def no_folder(path: str) -> Refusal:
    """Returns the refusal for something in the place of a folder of ours."""
    return Refusal(
        "not-a-folder",
        say("{path} is not a folder.", path=path),
        ExitCode.ENVIRONMENT,
        hint=say("Look at what it is and move it away; git-wfp makes the folder itself."),
        location=Location(path=path),
    )


def _bytes(path: str | bytes) -> bytes:
    return path if isinstance(path, bytes) else to_bytes(path)
