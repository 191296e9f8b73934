"""Files that git was told not to look at: a sparse checkout's, and those with private edits."""

import errno
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.files.tree import Entry, EntryKind, FileTree, MissingFile, is_below
from gitwfp.git.conversion import worktree_forms
from gitwfp.git.index import IndexEntry, read_entries
from gitwfp.git.trees import kind_of_mode
from gitwfp.git.worktree import Worktree

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR})


class Mark(StrEnum):
    """What the index says of a file that git does not look at, as `update-index` spells it."""

    SKIP = "skip-worktree"
    ASSUME = "assume-unchanged"


@dataclass(frozen=True, slots=True)
class HiddenEdit:
    """A file that differs from its index entry, and git does not see it.

    Attributes:
        indexed: What a checkout of the entry would write.
        mark: Why git does not see it; None where the file is only left out of the worktree.
    """

    indexed: bytes
    mark: Mark | None


def hidden_edits(repo: "Repository", folder: str) -> Mapping[str, HiddenEdit]:
    """Returns the files at or below a folder that differ from the index unseen by git.

    Args:
        repo: The repository; it has a worktree.
        folder: The folder, from the repository root.
    """
    marked = {
        path: entry
        for path, entry in read_entries(repo, (folder,)).items()
        if (entry.skip_worktree or entry.assume_unchanged) and _is_file(entry)
    }
    if not marked:
        return {}
    blobs = {path: entry.entry.split(" ")[1] for path, entry in marked.items()}
    forms = worktree_forms(repo, blobs)
    files = Worktree(repo.require_worktree(), "")
    found = {}
    for path, entry in marked.items():
        there = files.read(path)
        if there is None and entry.skip_worktree:
            found[path] = HiddenEdit(forms[path], None)
        elif there not in (forms[path], repo.objects().read_blob(blobs[path])):
            mark = Mark.SKIP if entry.skip_worktree else Mark.ASSUME
            found[path] = HiddenEdit(forms[path], mark)
    return found


class SparseFiles:
    """A worktree together with the files that a sparse checkout leaves out of it.

    Args:
        repo: The repository, whose index knows the files.
        worktree: What is there.
        index: The same paths as they are staged.
    """

    def __init__(self, repo: "Repository", worktree: FileTree, index: FileTree) -> None:
        self._repo = repo
        self._worktree = worktree
        self._index = index
        self._listed: dict[str, Mapping[str, IndexEntry]] = {}

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        found = {entry.path: entry for entry in self._worktree.entries(prefix)}
        for path, entry in self._left_out(prefix).items():
            if path not in found and is_below(path, prefix):
                mode, object_id = entry.entry.split(" ")
                found[path] = Entry(path, kind_of_mode(int(mode, 8)), object_id)
        for path in sorted(found):
            yield found[path]

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        try:
            return self._worktree.read(path)
        except MissingFile as missing:
            is_absent = len(missing.args) > 1 and missing.args[1] in _ABSENT
            if not is_absent or path not in self._left_out(path.partition("/")[0]):
                raise
            return self._index.read(path)

    def _left_out(self, prefix: str) -> Mapping[str, IndexEntry]:
        for listed, entries in self._listed.items():
            if is_below(prefix, listed):
                return entries
        entries = {
            path: entry
            for path, entry in read_entries(self._repo, (prefix,)).items()
            if entry.skip_worktree
        }
        self._listed[prefix] = entries
        return entries


def _is_file(entry: IndexEntry) -> bool:
    mode = int(entry.entry.split(" ")[0], 8)
    return not entry.unmerged and kind_of_mode(mode) is EntryKind.FILE
