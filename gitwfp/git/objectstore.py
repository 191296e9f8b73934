"""What an object store is: blobs, trees, and the tree of a commit.

`gitwfp.git.objects` has the two stores. Here are the values that they deal in, git's own formats,
and `rewrite_tree`, which reads and writes only the folders on the way to what changes.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from gitwfp.classes import dataclass, field
from gitwfp.errors import ExitCode, Location, Refusal, Text, say
from gitwfp.git.program import to_bytes, to_text
from gitwfp.patterns import regex

TREE_MODE = 0o040000
FILE_MODE = 0o100644
LINK_MODE = 0o120000
SUBMODULE_MODE = 0o160000

_FULL_ID = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ENTRY_HEAD = regex(rb"([0-7]+) ([^\0]+)\0")
_COMMIT_HEAD = regex(rb"tree ([0-9a-f]{40}(?:[0-9a-f]{24})?)\n")


class ObjectMissing(Refusal):
    """An object that should be there is not, not even at the remote of a partial clone.

    Args:
        object_id: The object's id.
    """

    def __init__(self, object_id: str) -> None:
        super().__init__(
            "object-missing",
            say("The object {id} is not in this repository.", id=object_id),
            ExitCode.ENVIRONMENT,
            hint=say("Run git fsck to see what else is missing, or fetch it again."),
        )
        self.object_id = object_id


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree object.

    Attributes:
        name: One component of a path; bytes that are not UTF-8 are surrogates.
        mode: Git's mode, such as 0o100644; kept exactly as it is stored.
        id: Object id in hexadecimal.
    """

    name: str
    mode: int
    id: str

    @property
    def is_tree(self) -> bool:
        """Whether the entry is a folder."""
        return self.mode == TREE_MODE

    @property
    def is_file(self) -> bool:
        """Whether the entry is a plain or an executable file."""
        return self.mode & 0o170000 == 0o100000


class ObjectStore(Protocol):
    """The object database of a repository; for one thread, and to be closed.

    What is written may wait in memory: `flush` must come before anybody else is told its id.
    """

    def read_blob(self, blob_id: str) -> bytes:
        """Returns the content of a blob; raises `ObjectMissing` if there is none."""
        ...

    def read_tree(self, tree_id: str) -> tuple[TreeEntry, ...]:
        """Returns the entries of a tree in git's order; raises `ObjectMissing` if there is none."""
        ...

    def tree_of(self, commit: str) -> str:
        """Returns the id of a commit's tree; raises `ObjectMissing` if there is no such commit."""
        ...

    def write_blob(self, data: bytes) -> str:
        """Stores bytes as they are and returns the blob's id."""
        ...

    def write_tree(self, entries: Iterable[TreeEntry]) -> str:
        """Stores a tree, whatever the order of its entries, and returns its id."""
        ...

    def write_commit(self, data: bytes) -> str:
        """Stores a commit, given as git keeps it, and returns its id."""
        ...

    def flush(self) -> None:
        """Stores all that was written; raises `GitFailed` if git cannot."""
        ...

    def close(self) -> None:
        """Lets go of processes and open files; may be called twice."""
        ...


def check_id(object_id: str) -> str:
    """Returns a full object id as it is; raises `ObjectMissing` for anything else."""
    if _FULL_ID.fullmatch(object_id) is None:
        raise ObjectMissing(object_id)
    return object_id


def check_kind(object_id: str, found: str, wanted: str) -> None:
    """Raises the refusal `object-kind` unless an object is of the kind that is wanted."""
    if found != wanted:
        raise Refusal(
            "object-kind",
            say(
                "The object {id} is a {found}, but a {wanted} was expected.",
                id=object_id,
                found=found,
                wanted=wanted,
            ),
            ExitCode.ENVIRONMENT,
        )


def parse_tree(object_id: str, data: bytes) -> Iterator[TreeEntry]:
    """Yields the entries of a raw tree object; raises `object-malformed` where it is none."""
    length = len(object_id) // 2
    start = 0
    while start < len(data):
        head = _ENTRY_HEAD.match(data, start)
        if head is None or head.end() + length > len(data):
            raise _malformed(object_id, "tree")
        start = head.end() + length
        yield TreeEntry(to_text(head[2]), int(head[1], 8), data[head.end() : start].hex())


def tree_bytes(entries: Iterable[TreeEntry]) -> bytes:
    """Returns the raw tree object that holds some entries."""

    # Git sorts a folder as if its name ended with a slash.
    def position(entry: TreeEntry) -> bytes:
        return to_bytes(entry.name + "/" if entry.is_tree else entry.name)

    return b"".join(
        b"%o %b\0%b" % (entry.mode, to_bytes(entry.name), bytes.fromhex(entry.id))
        for entry in sorted(entries, key=position)
    )


def commit_tree(object_id: str, data: bytes) -> str:
    """Returns the tree that a raw commit object names; raises `object-malformed` if it has none."""
    head = _COMMIT_HEAD.match(data)
    if head is None:
        raise _malformed(object_id, "commit")
    return head[1].decode("ascii")


def _malformed(object_id: str, kind: str) -> Refusal:
    return Refusal(
        "object-malformed",
        say("The object {id} is no {kind} that git can read.", id=object_id, kind=kind),
        ExitCode.ENVIRONMENT,
        hint=say("Run git fsck to see what else is broken, and fetch or restore the object."),
    )


TreeEdits = Mapping[str, tuple[int, str] | None]
"""By path: mode and blob id of a file to set, None for one to remove."""


def rewrite_tree(store: ObjectStore, tree_id: str | None, edits: TreeEdits) -> str | None:
    """Returns the tree that some edits make of another one.

    A file that exists keeps its mode, and a folder that loses its last entry goes. Removing what
    is not there changes nothing.

    Args:
        store: Where trees are read and written.
        tree_id: The tree to start from; None is the empty tree.
        edits: What to set and to remove, by path from the tree's root.

    Returns:
        The new tree's id, None if nothing is left.

    Raises:
        Refusal: A link, a submodule, a file or a full folder is in the way of a path, or it is no
            path that git could store.
    """
    root = _Folder()
    for path, edit in edits.items():
        _place(root, path, edit)
    new_id = tree_id
    for level in reversed(_levels(store, tree_id, root)):
        new_id = _rewritten(store, level)
        if level.above is not None:
            level.above.below[level.name] = new_id
    return new_id


@dataclass(slots=True)
class _Folder:
    """The edits below one folder."""

    files: dict[str, tuple[int, str] | None] = field(default_factory=dict)
    folders: dict[str, "_Folder"] = field(default_factory=dict)


def _place(root: _Folder, path: str, edit: tuple[int, str] | None) -> None:
    *parents, name = path.split("/")
    folder = root
    for part in parents:
        folder = folder.folders.setdefault(_checked(part, path), _Folder())
    folder.files[_checked(name, path)] = edit


def _checked(name: str, path: str) -> str:
    if name in {"", ".", ".."} or name.lower() == ".git" or "\0" in name:
        raise _refusal(path, say("{path} is not a path that git can store.", path=path))
    return name


@dataclass(slots=True)
class _Level:
    """One folder on the way: what it holds, what shall change, and what became of those below."""

    where: str
    tree_id: str | None
    edits: _Folder
    before: dict[str, TreeEntry]
    above: "_Level | None" = None
    name: str = ""
    below: dict[str, str | None] = field(default_factory=dict)


def _levels(store: ObjectStore, tree_id: str | None, root: _Folder) -> list[_Level]:
    """Returns the folders that edits lead into, each one behind the one above it.

    It is a list and no recursion, because a tree may be deeper than the interpreter's stack.
    """
    levels = [_Level("", tree_id, root, _entries(store, tree_id))]
    for level in levels:
        for name, edits in level.edits.folders.items():
            path = level.where + name
            old = level.before.get(name)
            if old is not None and not old.is_tree:
                # A file may give way to a folder only if the same edits remove it.
                if not old.is_file or level.edits.files.get(name, old) is not None:
                    raise _in_the_way(path, old)
                old = None
            old_id = None if old is None else old.id
            below = _Level(path + "/", old_id, edits, _entries(store, old_id), level, name)
            levels.append(below)
    return levels


def _entries(store: ObjectStore, tree_id: str | None) -> dict[str, TreeEntry]:
    return {} if tree_id is None else {entry.name: entry for entry in store.read_tree(tree_id)}


def _rewritten(store: ObjectStore, level: _Level) -> str | None:
    """Returns the tree that a folder becomes, once those below it are done."""
    before = level.before
    after = dict(before)
    # Folders first: one that is emptied makes room for a file of its name.
    for name, new_id in level.below.items():
        _set(after, name, None if new_id is None else TreeEntry(name, TREE_MODE, new_id))
    for name, edit in level.edits.files.items():
        old = after.get(name)
        if old is not None and not old.is_file:
            # A folder that these edits made: the file that was to go, if ever there, is gone.
            if edit is None and old.is_tree and (name not in before or before[name].is_file):
                continue
            raise _in_the_way(level.where + name, old)
        if edit is None:
            after.pop(name, None)
        else:
            mode, blob_id = edit
            after[name] = TreeEntry(name, old.mode if old else mode, blob_id)
    if after == before:
        return level.tree_id
    return store.write_tree(after.values()) if after else None


def _set(entries: dict[str, TreeEntry], name: str, entry: TreeEntry | None) -> None:
    if entry is None:
        entries.pop(name, None)
    else:
        entries[name] = entry


def _in_the_way(path: str, entry: TreeEntry) -> Refusal:
    if entry.is_tree:
        message = say("{path} is a folder, so no file can be written there.", path=path)
    elif entry.is_file:
        message = say("{path} is a file, so nothing can be written below it.", path=path)
    elif entry.mode & 0o170000 == 0o120000:
        message = say("{path} is a symbolic link, and links are not followed.", path=path)
    else:
        message = say("{path} is a submodule, which is a repository of its own.", path=path)
    return _refusal(path, message)


def _refusal(path: str, message: Text) -> Refusal:
    return Refusal("path-blocked", message, ExitCode.ENVIRONMENT, location=Location(path=path))
