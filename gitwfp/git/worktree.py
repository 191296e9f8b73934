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
from gitwfp.git.folders import (
    drop_at,
    inode_of,
    is_file_at,
    last_name,
    open_folder,
    read_at,
    writable,
)
from gitwfp.git.program import to_bytes

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
            return None if folder is None else read_at(folder, last_name(path), path)

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
            drop_at(folder, temporary, path)
            mode = 0o777 if executable else 0o666
            with writable(path):
                descriptor = os.open(temporary, _CREATE, mode, dir_fd=folder)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    with suppress(FileNotFoundError):
                        before = os.stat(last_name(path), dir_fd=folder, follow_symlinks=False)
                        os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
                    os.fsync(file.fileno())

    def set_aside(self, path: str, number: int) -> None:
        """Gives the version that is there a second name, from which it can be restored."""
        with self._folder_of(path) as folder:
            if folder is None:
                return
            aside = self._aside(number)
            drop_at(folder, aside, path)
            with writable(path):
                try:
                    os.link(
                        last_name(path),
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
                    os.rename(last_name(path), aside, src_dir_fd=folder, dst_dir_fd=folder)

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
            name, temporary, aside = last_name(path), self._temporary(number), self._aside(number)
            with writable(path):
                if before is None:
                    _put_new(folder, temporary, name, path)
                else:
                    # An editor that saves by rename gives the file another inode than the one that
                    # was set aside; nothing but this look finds it out.
                    if inode_of(folder, name) not in (None, inode_of(folder, aside)):
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
            kept = read_at(folder, self._aside(number), path)
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
                name, aside = last_name(path), self._aside(number)
                drop_at(folder, self._temporary(number), path)
                there = read_at(folder, name, path)
                is_kept = is_file_at(folder, aside)
                if before == after or (there != after and not (there is None and is_kept)):
                    self._drop_aside(folder, path, number, before)
                    return
                if is_kept:
                    with writable(path):
                        os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
                        os.fsync(folder)
                    return
                if before is None:
                    with writable(path):
                        os.unlink(name, dir_fd=folder)
                        os.fsync(folder)
                    return
            elif after is not None or before is None:
                return
        self.prepare(path, number, before)
        with self._folder_of(path) as folder, writable(path):
            if folder is None:
                raise EditedMeanwhile(path)
            os.rename(
                self._temporary(number), last_name(path), src_dir_fd=folder, dst_dir_fd=folder
            )
            os.fsync(folder)

    def settle(self, path: str, number: int, before: bytes | None) -> None:
        """Forgets the version that was set aside, and drops folders that this left empty."""
        with self._folder_of(path) as folder:
            if folder is None:
                return
            drop_at(folder, self._temporary(number), path)
            self._drop_aside(folder, path, number, before)
            gone = inode_of(folder, last_name(path)) is None
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
                    os.rmdir(last_name(folder), dir_fd=above)
                except FileNotFoundError:
                    continue
                except OSError:
                    # Not empty, or not ours to remove: an empty folder is nothing that git records.
                    return

    def _drop_aside(self, folder: int, path: str, number: int, before: bytes | None) -> None:
        aside = self._aside(number)
        if not is_file_at(folder, aside):
            return
        kept = read_at(folder, aside, path)
        if (
            before is not None
            and kept != before
            and inode_of(folder, last_name(path)) != inode_of(folder, aside)
        ):
            # Two people saved two versions at once. Both stay, one of them under the name it has.
            return
        with writable(path):
            os.unlink(aside, dir_fd=folder)

    def _root(self) -> bytes:
        return to_bytes(self._top)

    def _temporary(self, number: int) -> bytes:
        return f".wfp-{self._tag}-{number}.new~".encode()

    def _aside(self, number: int) -> bytes:
        return f".wfp-{self._tag}-{number}.old~".encode()

    def _make_folders(self, path: str) -> None:
        for folder in self.missing_folders(path):
            with self._folder_of(folder) as above, writable(path):
                if above is not None:
                    os.mkdir(last_name(folder), 0o777, dir_fd=above)
                    os.fsync(above)

    @contextmanager
    def _folder_of(self, path: str) -> Iterator[int | None]:
        """Opens the folder that holds a path, None where it is missing; links are refused."""
        descriptor = os.open(self._root(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in path.split("/")[:-1]:
                try:
                    below = open_folder(to_bytes(part), descriptor, path)
                except FileNotFoundError:
                    yield None
                    return
                os.close(descriptor)
                descriptor = below
            yield descriptor
        finally:
            os.close(descriptor)


def _put_new(folder: int, temporary: bytes, name: bytes, path: str) -> None:
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError as error:
        raise EditedMeanwhile(path) from error
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if inode_of(folder, name) is not None:
            raise EditedMeanwhile(path) from error
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    os.unlink(temporary, dir_fd=folder)
