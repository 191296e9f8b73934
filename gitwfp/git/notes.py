"""Notes on objects, read and written as trees; several writers at once lose nothing.

A notes ref leads to a commit whose tree holds one blob for each noted object, at the object's id,
of which leading pairs of digits may be folders: git moves from `abcd...` to `ab/cd...` as a tree
grows. Reading follows any mixture of both, as git does; writing uses one level of folders, which
git reads at any size. The objects themselves need not be there.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from gitwfp.git.objectstore import FILE_MODE, rewrite_tree
from gitwfp.git.program import GitFailed
from gitwfp.git.refs import read_ref

if TYPE_CHECKING:
    from gitwfp.git.objectstore import ObjectStore, TreeEntry
    from gitwfp.git.repository import Repository

NOTES: Final = "refs/notes/wfp"
"""The ref of our own notes: records of verifications."""

_TRIES: Final = 6
_WRITER: Final = "git-wfp <git-wfp@localhost>"
"""Records are the same whoever makes them, so they name nobody."""


def read_note(repo: "Repository", ref: str, object_id: str) -> bytes | None:
    """Returns the note on an object, None if there is none.

    Args:
        repo: The repository.
        ref: The notes ref, as a full name.
        object_id: The object's full id.
    """
    commit = read_ref(repo, ref)
    if commit is None:
        return None
    store = repo.objects()
    found = _find(store, store.tree_of(commit), object_id)
    return None if found is None else store.read_blob(found[1].id)


def write_notes(
    repo: "Repository", ref: str, notes: Mapping[str, bytes], *, now: datetime, subject: str
) -> bool:
    """Writes notes on objects, with what others write at the same time.

    Args:
        repo: The repository.
        ref: The notes ref, as a full name.
        notes: The notes by the object's full id; one that is there already is replaced.
        now: The time of the commit.
        subject: Its message.

    Returns:
        Whether they are written; False where others were faster each time.

    Raises:
        Refusal: The object store or the ref cannot be written.
    """
    # What writes loads more than what reads, and most commands only read.
    from gitwfp.git.commits import raw_commit
    from gitwfp.git.switch import update_refs

    store = repo.objects()
    written = {name: store.write_blob(content) for name, content in notes.items()}
    for _ in range(_TRIES):
        before = read_ref(repo, ref)
        tree = None if before is None else store.tree_of(before)
        edits: dict[str, tuple[int, str] | None] = {}
        for name, blob in written.items():
            known = None if tree is None else _find(store, tree, name)
            place = f"{name[:2]}/{name[2:]}"
            if known is not None and known[0] != place:
                edits[known[0]] = None
            if known is None or known[1].id != blob:
                edits[place] = (FILE_MODE, blob)
        if not edits:
            return True
        new_tree = rewrite_tree(store, tree, edits)
        stamp = f"{_WRITER} {int(now.timestamp())} +0000"
        parents = () if before is None else (before,)
        raw = raw_commit(str(new_tree), parents, stamp, stamp, subject + "\n")
        commit = store.write_commit(raw or b"")
        store.flush()
        zeros = "0" * len(commit)
        try:
            update_refs(repo, [f"update {ref} {commit} {before or zeros}\n"], subject)
        except GitFailed:
            if read_ref(repo, ref) == before:
                raise
            continue
        return True
    return False


def _find(store: "ObjectStore", tree: str, object_id: str) -> "tuple[str, TreeEntry] | None":
    """Returns where the note on an object is in a tree of notes, and its entry."""
    path, rest = "", object_id
    while True:
        entries = {entry.name: entry for entry in store.read_tree(tree)}
        whole = entries.get(rest)
        if whole is not None and whole.is_file:
            return path + rest, whole
        folder = entries.get(rest[:2])
        if folder is None or not folder.is_tree or len(rest) <= 2:
            return None
        path, rest, tree = f"{path}{rest[:2]}/", rest[2:], folder.id
