"""File trees that need git or a disk: the worktree, the index, a commit.

All three follow the contract of `gitwfp.files.tree.FileTree`, and so agree on the same files: links
and submodules are one entry each and are never followed, and whatever is not a plain file that can
be read raises `MissingFile`.
"""

import errno
import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gitwfp.errors import Refusal, say
from gitwfp.files.tree import Entry, EntryKind, MissingFile, is_below
from gitwfp.git.objectstore import LINK_MODE, SUBMODULE_MODE, TREE_MODE, ObjectStore, TreeEntry
from gitwfp.git.program import to_bytes, to_text
from gitwfp.git.state import staged_entries
from gitwfp.git.witness import Witness

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_NO_FILE = say("it is not a regular file")

FILE_BYTES = 8 * 1024 * 1024
"""The default of `limits.file_bytes`."""


class FileTooLarge(MissingFile):
    """The file is larger than `limits.file_bytes`.

    Args:
        path: Path of the file.
        size: Its size in bytes.
        limit: The limit in bytes.
    """

    def __init__(self, path: str, size: int, limit: int) -> None:
        super().__init__(
            path,
            errno.EFBIG,
            say(
                "it has {size} bytes, and limits.file_bytes allows {limit}", size=size, limit=limit
            ),
        )
        self.path = path
        self.size = size
        self.limit = limit


class WorktreeFiles:
    """The files of a worktree as they are on disk now.

    A file that cannot be read raises `MissingFile(path, errno, why)`; a folder that cannot be read
    is one entry of kind OTHER, so that it is not taken for an empty one.

    Args:
        root: Top of the worktree.
        file_bytes: Size above which a file raises `FileTooLarge`.
        witness: Notes what is looked at.
    """

    def __init__(
        self, root: str, file_bytes: int = FILE_BYTES, witness: Witness | None = None
    ) -> None:
        self._root = to_bytes(root)
        self._file_bytes = file_bytes
        self._witness = witness

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        self._note(to_bytes(prefix))
        if not prefix or (_is_path(prefix) and self._is_reached(to_bytes(prefix))):
            yield from sorted(self._below(to_bytes(prefix)), key=lambda entry: entry.path)

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        if not _is_path(path):
            raise MissingFile(path, errno.ENOENT)
        self._note(to_bytes(path))
        try:
            return self._read(path)
        except OSError as error:
            raise MissingFile(path, error.errno, error.strerror) from error

    def _note(self, path: bytes) -> None:
        if self._witness is not None:
            self._witness.note(os.path.join(self._root, path))

    def _is_reached(self, path: bytes) -> bool:
        """Tells whether all that is above a path are folders of this worktree."""
        parts = path.split(b"/")
        try:
            return all(
                self._kind(b"/".join(parts[:depth])) is None for depth in range(1, len(parts))
            )
        except OSError:
            return False

    def _kind(self, path: bytes) -> EntryKind | None:
        """Returns what a path is, None for a folder of this worktree."""
        mode = os.lstat(os.path.join(self._root, path)).st_mode
        if stat.S_ISDIR(mode):
            inner = bool(path) and os.path.lexists(os.path.join(self._root, path, b".git"))
            return EntryKind.SUBMODULE if inner else None
        if stat.S_ISREG(mode):
            return EntryKind.FILE
        return EntryKind.LINK if stat.S_ISLNK(mode) else EntryKind.OTHER

    def _below(self, start: bytes) -> Iterator[Entry]:
        """Yields a path, or all paths below it if it is a folder of this worktree."""
        found = self._entry(start)
        if found is not None:
            yield found
            return
        # No recursion: folders may be nested deeper than the interpreter's stack.
        waiting = [start]
        while waiting:
            path = waiting.pop()
            try:
                self._note(path)
                with os.scandir(os.path.join(self._root, path)) as listing:
                    inner = list(listing)
            except FileNotFoundError:
                # Gone since the folder above was listed.
                continue
            except OSError:
                yield self._entry(path) or Entry(to_text(path), EntryKind.OTHER)
                continue
            if path and any(entry.name == b".git" for entry in inner):
                yield Entry(to_text(path), EntryKind.SUBMODULE)
                continue
            start = path + b"/" if path else b""
            for entry in inner:
                # Most systems say with the name what it is.
                if entry.is_file(follow_symlinks=False):
                    yield Entry(to_text(start + entry.name), EntryKind.FILE)
                elif entry.is_dir(follow_symlinks=False):
                    waiting += [start + entry.name] if path or entry.name != b".git" else []
                else:
                    odd = self._entry(start + entry.name)
                    if odd is not None:
                        yield odd

    def _entry(self, path: bytes) -> Entry | None:
        """Returns a path that is there and no folder of this worktree."""
        try:
            kind = self._kind(path)
        except FileNotFoundError:
            return None
        except OSError:
            kind = EntryKind.OTHER
        return None if kind is None else Entry(to_text(path), kind)

    def _read(self, path: str) -> bytes:
        # Each folder is opened from the one above it: so no link can lead out of the worktree, not
        # even one that is put there while we look.
        *parents, name = to_bytes(path).split(b"/")
        folder = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for parent in parents:
                below = os.open(parent, _FOLDER_FLAGS, dir_fd=folder)
                os.close(folder)
                folder = below
                if _holds_repository(folder):
                    raise MissingFile(
                        path, errno.EXDEV, say("a folder above it is a repository of its own")
                    )
            if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                raise MissingFile(path, errno.EINVAL, _NO_FILE)
            file = os.open(name, _FILE_FLAGS, dir_fd=folder)
        finally:
            os.close(folder)
        with open(file, "rb") as stream:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                raise MissingFile(path, errno.EINVAL, _NO_FILE)
            if status.st_size > self._file_bytes:
                raise FileTooLarge(path, status.st_size, self._file_bytes)
            return stream.read()


_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# Without O_NONBLOCK, a pipe that has taken the file's place would be waited for.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def _holds_repository(folder: int) -> bool:
    try:
        os.stat(b".git", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _is_path(path: str) -> bool:
    """Tells whether a text is a path that a tree can have (and not one into git's own folder)."""
    parts = path.split("/")
    return parts[0] != ".git" and "\0" not in path and not {"", ".", ".."}.intersection(parts)


class _StoredFiles:
    """What the index and a commit have in common: entries with ids, and a store."""

    def __init__(self, store: ObjectStore, file_bytes: int) -> None:
        self._store = store
        self._file_bytes = file_bytes

    def _content(self, path: str, entry: Entry | None) -> bytes:
        if entry is None or entry.kind is not EntryKind.FILE or entry.id is None:
            raise MissingFile(path, errno.ENOENT)
        try:
            data = self._store.read_blob(entry.id)
        except Refusal as refusal:
            raise MissingFile(path, errno.EIO, refusal.message) from refusal
        if len(data) > self._file_bytes:
            raise FileTooLarge(path, len(data), self._file_bytes)
        return data


class IndexFiles(_StoredFiles):
    """The files as they are staged.

    A path that is unmerged is one entry of kind OTHER. One that is only announced (`add
    --intent-to-add`) has no content yet and is not there. Each folder is listed once, when it is
    first asked for.

    Args:
        repo: The repository; its environment may name another index file.
        file_bytes: Size above which a file raises `FileTooLarge`.
    """

    def __init__(self, repo: "Repository", file_bytes: int = FILE_BYTES) -> None:
        super().__init__(repo.objects(), file_bytes)
        self._repo = repo
        self._listed: dict[str, dict[str, Entry]] = {}

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        listing = self._listing(prefix) if not prefix or _is_path(prefix) else {}
        for path in sorted(listing):
            if is_below(path, prefix):
                yield listing[path]

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        top = path.split("/", 1)[0]
        return self._content(path, self._listing(top).get(path) if _is_path(path) else None)

    def _listing(self, prefix: str) -> dict[str, Entry]:
        for listed, entries in self._listed.items():
            if is_below(prefix, listed):
                return entries
        found: dict[str, Entry] = {}
        for staged in staged_entries(self._repo, prefix):
            kind = EntryKind.OTHER if staged.stage else kind_of_mode(staged.mode)
            found[staged.path] = Entry(staged.path, kind, None if staged.stage else staged.id)
        self._listed[prefix] = found
        return found


class CommitFiles(_StoredFiles):
    """The files of a tree object; each folder is read once.

    Args:
        store: Where the objects are.
        tree_id: The tree; None is the empty one.
        file_bytes: Size above which a file raises `FileTooLarge`.
    """

    def __init__(
        self, store: ObjectStore, tree_id: str | None, file_bytes: int = FILE_BYTES
    ) -> None:
        super().__init__(store, file_bytes)
        self._root = None if tree_id is None else TreeEntry("", TREE_MODE, tree_id)
        self._folders: dict[str, dict[str, TreeEntry]] = {}

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        start = self._find(prefix)
        if start is not None:
            yield from sorted(self._below(prefix, start), key=lambda entry: entry.path)

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        found = self._find(path)
        is_entry = found is not None and not found.is_tree
        return self._content(path, _entry(path, found) if found and is_entry else None)

    def folder_id(self, path: str) -> str | None:
        """Returns the id of a folder, None if there is none of that path."""
        found = self._find(path)
        return found.id if found is not None and found.is_tree else None

    def _folder(self, tree_id: str) -> dict[str, TreeEntry]:
        if tree_id not in self._folders:
            self._folders[tree_id] = {e.name: e for e in self._store.read_tree(tree_id)}
        return self._folders[tree_id]

    def _find(self, path: str) -> TreeEntry | None:
        found = self._root
        for name in path.split("/") if path else ():
            if found is None or not found.is_tree:
                return None
            found = self._folder(found.id).get(name)
        return found

    def _below(self, path: str, entry: TreeEntry) -> Iterator[Entry]:
        # No recursion: folders may be nested deeper than the interpreter's stack.
        waiting = [(path, entry)]
        while waiting:
            path, entry = waiting.pop()
            if entry.is_tree:
                start = path + "/" if path else ""
                waiting += [(start + e.name, e) for e in self._folder(entry.id).values()]
            else:
                yield _entry(path, entry)


def _entry(path: str, entry: TreeEntry) -> Entry:
    return Entry(path, kind_of_mode(entry.mode), entry.id)


def kind_of_mode(mode: int) -> EntryKind:
    """Returns what git's mode of an entry, other than a folder's, says that it is."""
    if mode == LINK_MODE:
        return EntryKind.LINK
    if mode == SUBMODULE_MODE:
        return EntryKind.SUBMODULE
    return EntryKind.FILE if mode & 0o170000 == 0o100000 else EntryKind.OTHER
