"""Changes files of the worktree, and never those of anyone else.

Every folder on the way to a file is opened without following links, so that a replaced folder
cannot lead a write out of the repository. A file is replaced as a whole by a rename. The version
before it is *set aside* under a second name until the caller knows that the change stands: whoever
saved the file in the meantime finds that edit back (`restore`).
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.git.program import to_bytes, to_text

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a fifo that somebody put there must not wait for a writer.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_NO_HARD_LINKS = frozenset(
    {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}
)
"""What file systems without hard links answer."""


class EditedMeanwhile(Refusal):
    """Somebody saved a file while the command was at work; that version stays."""

    def __init__(self, path: str) -> None:
        super().__init__(
            "changed-meanwhile",
            say("{path} was changed by somebody else while the command ran.", path=path),
            ExitCode.CONFLICT,
            hint=say(
                "Nothing was written. Run the command again; it will start from the new content."
            ),
            location=Location(path=path),
        )


class Worktree:
    """The files below one folder, written safely.

    Args:
        top: The worktree's root.
        tag: Part of the names of temporary files, so that a later run can tell whose they are.
    """

    def __init__(self, top: str, tag: str) -> None:
        self._top = top
        self._tag = tag

    def read(self, path: str) -> bytes | None:
        """Returns a file's bytes, None where there is no file.

        Raises:
            Refusal: The path leads through a link, or what is there is not a file.
        """
        with self._folder_of(path) as folder:
            return None if folder is None else _read_at(folder, _name(path), path)

    def missing_folders(self, path: str) -> tuple[str, ...]:
        """Names the folders on the way to a path that are not there yet, outermost first."""
        parts = path.split("/")[:-1]
        above = ("/".join(parts[: n + 1]) for n in range(len(parts)))
        return tuple(
            folder
            for folder in above
            if not os.path.lexists(os.path.join(self._root(), to_bytes(folder)))
        )

    def prepare(self, path: str, number: int, content: bytes, *, executable: bool = False) -> None:
        """Writes the new version of a file beside it, complete and on disk, under a temporary name.

        Folders that are missing are made. The file gets the permissions of the one it will replace.
        """
        self._make_folders(path)
        with self._folder_of(path) as folder:
            if folder is None:
                raise EditedMeanwhile(path)
            temporary = self._temporary(number)
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            mode = 0o777 if executable else 0o666
            with _writable(path):
                descriptor = os.open(temporary, _CREATE, mode, dir_fd=folder)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    with suppress(FileNotFoundError):
                        before = os.stat(_name(path), dir_fd=folder, follow_symlinks=False)
                        os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
                    os.fsync(file.fileno())

    def set_aside(self, path: str, number: int) -> None:
        """Gives the version that is there a second name, from which it can be restored."""
        with self._folder_of(path) as folder:
            if folder is None:
                return
            aside = self._aside(number)
            with suppress(FileNotFoundError):
                os.unlink(aside, dir_fd=folder)
            with _writable(path):
                try:
                    os.link(
                        _name(path),
                        aside,
                        src_dir_fd=folder,
                        dst_dir_fd=folder,
                        follow_symlinks=False,
                    )
                except FileNotFoundError:
                    return
                except OSError as error:
                    if error.errno not in _NO_HARD_LINKS:
                        raise
                    os.rename(_name(path), aside, src_dir_fd=folder, dst_dir_fd=folder)

    def place(self, path: str, number: int, before: bytes | None, *, remove: bool) -> None:
        """Puts the prepared version in the place of the one that was set aside.

        Args:
            path: The file.
            number: The number under which it was prepared and set aside.
            before: What the version set aside must hold.
            remove: There is no new version: the file goes.

        Raises:
            EditedMeanwhile: Another version is there than the one that was set aside.
        """
        with self._folder_of(path) as folder:
            if folder is None:
                raise EditedMeanwhile(path)
            name, temporary, aside = _name(path), self._temporary(number), self._aside(number)
            with _writable(path):
                if before is None:
                    _put_new(folder, temporary, name, path)
                else:
                    # An editor that saves by rename gives the file another inode than the one that
                    # was set aside; nothing but this look finds it out.
                    if _inode(folder, name) not in (None, _inode(folder, aside)):
                        raise EditedMeanwhile(path)
                    if remove:
                        with suppress(FileNotFoundError):
                            os.unlink(name, dir_fd=folder)
                    else:
                        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
                os.fsync(folder)

    def is_aside_edited(self, path: str, number: int, before: bytes | None) -> bool:
        """Tells whether somebody wrote into the version set aside, through a file held open."""
        with self._folder_of(path) as folder:
            if folder is None or before is None:
                return False
            kept = _read_at(folder, self._aside(number), path)
            return kept is not None and kept != before

    def restore(self, path: str, number: int, before: bytes | None, after: bytes | None) -> None:
        """Takes back what this program did to a file; what anybody else wrote there stays.

        Args:
            path: The file.
            number: The number under which it was set aside.
            before: The version to go back to when nothing is set aside.
            after: The version that this program put there.
        """
        with self._folder_of(path) as folder:
            if folder is not None:
                name, aside = _name(path), self._aside(number)
                with suppress(FileNotFoundError):
                    os.unlink(self._temporary(number), dir_fd=folder)
                there = _read_at(folder, name, path)
                is_kept = _inode(folder, aside) is not None
                if before == after or (there != after and not (there is None and is_kept)):
                    self._drop_aside(folder, path, number, before)
                    return
                if is_kept:
                    with _writable(path):
                        os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
                        os.fsync(folder)
                    return
                if before is None:
                    with _writable(path):
                        os.unlink(name, dir_fd=folder)
                        os.fsync(folder)
                    return
            elif after is not None or before is None:
                return
        self.prepare(path, number, before)
        with self._folder_of(path) as folder, _writable(path):
            if folder is None:
                raise EditedMeanwhile(path)
            os.rename(self._temporary(number), _name(path), src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)

    def settle(self, path: str, number: int, before: bytes | None) -> None:
        """Forgets the version that was set aside, and drops folders that this left empty."""
        with self._folder_of(path) as folder:
            if folder is None:
                return
            with suppress(FileNotFoundError):
                os.unlink(self._temporary(number), dir_fd=folder)
            self._drop_aside(folder, path, number, before)
            gone = _inode(folder, _name(path)) is None
        if gone:
            parts = path.split("/")[:-1]
            self.drop_empty("/".join(parts[:n]) for n in range(len(parts), 0, -1))

    def drop_empty(self, folders: Iterator[str]) -> None:
        """Removes folders, innermost first, until one is not empty."""
        for folder in folders:
            with self._folder_of(folder) as above:
                if above is None:
                    continue
                try:
                    os.rmdir(_name(folder), dir_fd=above)
                except FileNotFoundError:
                    continue
                except OSError:
                    # Not empty, or not ours to remove: an empty folder is nothing that git records.
                    return

    def _drop_aside(self, folder: int, path: str, number: int, before: bytes | None) -> None:
        aside = self._aside(number)
        kept = _read_at(folder, aside, path)
        if kept is None:
            return
        if (
            before is not None
            and kept != before
            and _inode(folder, _name(path)) != _inode(folder, aside)
        ):
            # Two people saved two versions at once. Both stay, one of them under the name it has.
            return
        with _writable(path):
            os.unlink(aside, dir_fd=folder)

    def _root(self) -> bytes:
        return to_bytes(self._top)

    def _temporary(self, number: int) -> bytes:
        return f".wfp-{self._tag}-{number}.new~".encode()

    def _aside(self, number: int) -> bytes:
        return f".wfp-{self._tag}-{number}.old~".encode()

    def _make_folders(self, path: str) -> None:
        for folder in self.missing_folders(path):
            with self._folder_of(folder) as above, _writable(path):
                if above is not None:
                    os.mkdir(_name(folder), 0o777, dir_fd=above)
                    os.fsync(above)

    @contextmanager
    def _folder_of(self, path: str) -> Iterator[int | None]:
        """Opens the folder that holds a path, None where it is missing; links are refused."""
        descriptor = os.open(self._root(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in path.split("/")[:-1]:
                try:
                    below = _open_folder(to_bytes(part), descriptor, path)
                except FileNotFoundError:
                    yield None
                    return
                os.close(descriptor)
                descriptor = below
            yield descriptor
        finally:
            os.close(descriptor)


def _open_folder(name: bytes, above: int, path: str) -> int:
    if name in (b"", b".", b"..") or name.lower() == b".git":
        raise ValueError(f"not a path inside a worktree: {path!r}")
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _through_a_link(path, to_text(name)) from error
        raise _cannot_write(path, error) from error


def _read_at(folder: int, name: bytes, path: str) -> bytes | None:
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise _not_a_file(path) from error
        raise Refusal(
            "unreadable-file",
            say("{path} cannot be read: {reason}.", path=path, reason=error.strerror or str(error)),
            ExitCode.ENVIRONMENT,
            location=Location(path=path),
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _not_a_file(path)
        return file.read()


def _put_new(folder: int, temporary: bytes, name: bytes, path: str) -> None:
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError as error:
        raise EditedMeanwhile(path) from error
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if _inode(folder, name) is not None:
            raise EditedMeanwhile(path) from error
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    os.unlink(temporary, dir_fd=folder)


def _inode(folder: int, name: bytes) -> int | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return None


def _name(path: str) -> bytes:
    return to_bytes(path.rsplit("/", 1)[-1])


@contextmanager
def _writable(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _cannot_write(path, error) from error


def _cannot_write(path: str, error: OSError) -> Refusal:
    return Refusal(
        "cannot-write",
        say("{path} cannot be written: {reason}.", path=path, reason=error.strerror or str(error)),
        ExitCode.ENVIRONMENT,
        hint=say("Check the permissions of its folder and the free space of the disk."),
        location=Location(path=path),
    )


def _through_a_link(path: str, part: str) -> Refusal:
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


def _not_a_file(path: str) -> Refusal:
    return Refusal(
        "not-a-file",
        say("{path} is a link, a folder or a device, not a file.", path=path),
        ExitCode.ENVIRONMENT,
        hint=say("Replace it by a regular file."),
        location=Location(path=path),
    )
