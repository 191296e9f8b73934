"""What differs between two trees, by reading only the folders that differ."""

from gitwfp.classes import dataclass
from gitwfp.git.objectstore import ObjectStore, TreeEntry


@dataclass(frozen=True, slots=True)
class ChangedPath:
    """One path that differs between two trees.

    Attributes:
        path: From the repository root.
        before: Object id there before, None if it was not there.
        after: Object id there now, None if it is not there.
        before_mode: Git's mode before, 0 if it was not there.
        after_mode: Git's mode now, 0 if it is not there.
    """

    path: str
    before: str | None
    after: str | None
    before_mode: int
    after_mode: int


def differing(
    store: ObjectStore, before: str | None, after: str | None, prefix: str = ""
) -> tuple[ChangedPath, ...]:
    """Returns the files, links and submodules that differ between two trees, sorted by path.

    Args:
        store: Where they are read.
        before: Id of the tree before; None is an empty tree.
        after: Id of the tree after; None is an empty tree.
        prefix: The file or folder to look at; "" is the root.

    Raises:
        ObjectMissing: A tree is not there.
    """
    found = []
    pending = [("", before, after)]
    while pending:
        folder, old_id, new_id = pending.pop()
        old, new = _entries(store, old_id), _entries(store, new_id)
        for name in old.keys() | new.keys():
            path, was, now = folder + name, old.get(name), new.get(name)
            is_inside = not prefix or (path + "/").startswith(prefix + "/")
            if was == now or not (is_inside or prefix.startswith(path + "/")):
                continue
            if (was and was.is_tree) or (now and now.is_tree):
                pending.append((path + "/", _id(was, tree=True), _id(now, tree=True)))
            change = ChangedPath(path, _id(was), _id(now), _mode(was), _mode(now))
            is_other = (change.before, change.before_mode) != (change.after, change.after_mode)
            if is_inside and is_other:
                found.append(change)
    return tuple(sorted(found, key=lambda change: change.path))


def _entries(store: ObjectStore, tree: str | None) -> dict[str, TreeEntry]:
    return {} if tree is None else {entry.name: entry for entry in store.read_tree(tree)}


def _id(entry: TreeEntry | None, *, tree: bool = False) -> str | None:
    """Returns the id of an entry, if it is a folder or if it is none, as asked for."""
    return entry.id if entry is not None and entry.is_tree == tree else None


def _mode(entry: TreeEntry | None) -> int:
    """Returns the mode as git takes it, of whose permissions only x counts; 0 for a folder."""
    if entry is None or entry.is_tree:
        return 0
    if entry.is_file:
        return 0o100755 if entry.mode & 0o100 else 0o100644
    return entry.mode
