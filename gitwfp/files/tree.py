"""The one reader: read-only trees of files, and edits as values.

A `FileTree` stands for files from anywhere: the worktree, the index, a commit, memory. Every
reader of plans takes one, so that `--at REV`, the gate and a unit test are the same call.
The implementations that need git live in `gitwfp.git.trees`.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Protocol

from gitwfp.classes import dataclass


class EntryKind(StrEnum):
    """What a path in a tree is."""

    FILE = "file"
    LINK = "link"
    SUBMODULE = "submodule"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a tree.

    Attributes:
        path: POSIX path from the root of the tree; bytes that are not UTF-8 are surrogates.
        kind: What it is; folders are not listed.
        id: Object id in hexadecimal where git knows it, else None.
    """

    path: str
    kind: EntryKind
    id: str | None = None


class MissingFile(KeyError):  # noqa: N818 - reads as the fact that it states
    """The tree has no readable file at that path."""


class FileTree(Protocol):
    """A read-only tree of files, addressed by POSIX paths from the repository root."""

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields every path below a folder (all of them for ""), sorted by path.

        A prefix that names a link, a submodule or a file yields that one entry; one that is
        not there yields nothing. Links are never followed.
        """
        ...

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; raises `MissingFile`, and nothing else, if it has none."""
        ...


FileEdits = Mapping[str, bytes | None]
"""The writer is a value: new bytes by path, None for a removal."""


class MemoryFiles:
    """A tree held in a mapping from path to bytes."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(sorted(files.items()))

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        for path in self._files:
            if is_below(path, prefix):
                yield Entry(path, EntryKind.FILE)

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        try:
            return self._files[path]
        except KeyError:
            raise MissingFile(path) from None


class OverlayFiles:
    """Another tree as it would be after some edits."""

    def __init__(self, base: FileTree, edits: FileEdits) -> None:
        self._base = base
        self._edits = dict(edits)

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        found = {e.path: e for e in self._base.entries(prefix) if e.path not in self._edits}
        for path, content in self._edits.items():
            if content is not None and is_below(path, prefix):
                found[path] = Entry(path, EntryKind.FILE)
        for path in sorted(found):
            yield found[path]

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        if path in self._edits:
            content = self._edits[path]
            if content is None:
                raise MissingFile(path)
            return content
        return self._base.read(path)


def is_below(path: str, prefix: str) -> bool:
    """Tells whether a path is the prefix itself or lies below it ("" holds everything)."""
    return not prefix or path == prefix or path.startswith(prefix + "/")
