"""The worktree as one judgement has seen it, so that the next one can tell whether it still is so.

What lies in a plan's session is read anew for each judgement. Files elsewhere, of which plans only
say that they are there, are not watched: one that was missing is looked for each time, one that was
there is believed until a rescan.
"""

import os
from collections.abc import Iterator, Mapping
from hashlib import blake2b

from gitwfp.files.tree import Entry, EntryKind, FileTree, MissingFile, is_below
from gitwfp.git.program import to_bytes

Seen = dict[str, bytes]
"""What was looked at: a digest of the content by path, of a listing by path and a slash."""


class Surroundings:
    """What is known of the files outside of sessions, between two rescans.

    Args:
        top: Top of the worktree.
    """

    def __init__(self, top: str) -> None:
        self._top = to_bytes(top)
        self._there: set[str] = set()
        self._all: tuple[Entry, ...] | None = None

    def forget(self) -> None:
        """Has everything looked at anew."""
        self._there.clear()
        self._all = None

    def all(self, tree: FileTree) -> tuple[Entry, ...]:
        """Returns every path of the worktree."""
        if self._all is None:
            self._all = tuple(tree.entries(""))
        return self._all

    def is_there(self, path: str) -> bool:
        """Tells whether there is a file at a path, or anywhere below it."""
        if path not in self._there and _holds_a_file(os.path.join(self._top, to_bytes(path))):
            self._there.add(path)
        return path in self._there


def _holds_a_file(start: bytes) -> bool:
    if not os.path.isdir(start) or os.path.islink(start):
        return os.path.lexists(start)
    waiting = [start]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                for entry in listing:
                    if not entry.is_dir(follow_symlinks=False):
                        return True
                    waiting.append(entry.path)
        except OSError:
            # What cannot be listed is there.
            return True
    return False


class SeenFiles:
    """A tree that remembers what was asked of it about one session.

    Args:
        tree: The worktree.
        folder: The session's folder.
        around: What is known of the files elsewhere.

    Attributes:
        seen: What was looked at in the session's folder.
        elsewhere: What was asked about outside of it, and whether it is there.
    """

    def __init__(self, tree: FileTree, folder: str, around: Surroundings) -> None:
        self._tree = tree
        self._folder = folder
        self._around = around
        self._listed: dict[str, tuple[Entry, ...]] = {}
        self._read: dict[str, bytes | MissingFile] = {}
        self.seen: Seen = {}
        self.elsewhere: dict[str, bool] = {}

    def entries(self, prefix: str) -> Iterator[Entry]:
        """Yields the paths below a folder; see `FileTree.entries`."""
        if not prefix:
            yield from self._around.all(self._tree)
            return
        if not is_below(prefix, self._folder):
            is_there = self.elsewhere[prefix] = self._around.is_there(prefix)
            if is_there:
                yield Entry(prefix, EntryKind.FILE)
            return
        listed = self._listed.get(prefix)
        if listed is None:
            listed = self._listed[prefix] = tuple(self._tree.entries(prefix))
            text = "\0".join(f"{one.kind.value} {one.path}" for one in listed)
            self.seen[prefix + "/"] = _digest(to_bytes(text))
        yield from listed

    def read(self, path: str) -> bytes:
        """Returns the bytes of one file; see `FileTree.read`."""
        known = self._read.get(path)
        if known is None:
            known = self._read[path] = self._found(path)
            is_missing = isinstance(known, MissingFile)
            self.seen[path] = b"-" if is_missing else _digest(known)
        if isinstance(known, MissingFile):
            raise known
        return known

    def is_still(self, seen: Seen, elsewhere: Mapping[str, bool]) -> bool:
        """Tells whether all that was seen in another look is as it was then."""
        if any(self._around.is_there(path) is not was for path, was in elsewhere.items()):
            return False
        for path, before in seen.items():
            if path.endswith("/"):
                tuple(self.entries(path[:-1]))
            else:
                self._known(path)
            if self.seen[path] != before:
                return False
        return True

    def _known(self, path: str) -> None:
        try:
            self.read(path)
        except MissingFile:
            # That is what is known of it.
            return

    def _found(self, path: str) -> bytes | MissingFile:
        try:
            return self._tree.read(path)
        except MissingFile as missing:
            return missing


def _digest(data: bytes | MissingFile) -> bytes:
    return b"" if isinstance(data, MissingFile) else blake2b(data, digest_size=16).digest()
