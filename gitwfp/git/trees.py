"""File trees that need git or a disk: the worktree, the index, a commit."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gitwfp.files.tree import Entry, MissingFile
from gitwfp.git.objects import ObjectStore

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

FILE_BYTES = 8 * 1024 * 1024


class FileTooLarge(MissingFile):
    """The file is larger than `limits.file_bytes`; args are path, size and limit."""


class WorktreeFiles:
    """The files of a worktree as they are on disk now."""

    def __init__(self, root: str, file_bytes: int = FILE_BYTES) -> None:
        raise NotImplementedError

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        raise NotImplementedError

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        raise NotImplementedError


class IndexFiles:
    """The files as they are staged."""

    def __init__(self, repo: "Repository", file_bytes: int = FILE_BYTES) -> None:
        raise NotImplementedError

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        raise NotImplementedError

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        raise NotImplementedError


class CommitFiles:
    """The files of a tree object; `tree_id` None is the empty tree."""

    def __init__(
        self, store: ObjectStore, tree_id: str | None, file_bytes: int = FILE_BYTES
    ) -> None:
        raise NotImplementedError

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        raise NotImplementedError

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        raise NotImplementedError
