"""Reading and writing git objects."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gitwfp.errors import Refusal

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

TREE_MODE = 0o040000
FILE_MODE = 0o100644
LINK_MODE = 0o120000
SUBMODULE_MODE = 0o160000


class ObjectMissing(Refusal):
    """An object that should be there is not, not even at the remote of a partial clone."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree object."""

    name: str
    mode: int
    id: str


class ObjectStore(Protocol):
    """The object database of a repository."""

    def read_blob(self, id: str) -> bytes:
        """Returns the content of a blob."""
        ...

    def read_tree(self, id: str) -> tuple[TreeEntry, ...]:
        """Returns the entries of a tree."""
        ...

    def tree_of(self, commit: str) -> str:
        """Returns the id of a commit's tree."""
        ...

    def write_blob(self, data: bytes) -> str:
        """Stores a blob and returns its id."""
        ...

    def write_tree(self, entries: Iterable[TreeEntry]) -> str:
        """Stores a tree and returns its id."""
        ...

    def close(self) -> None:
        """Lets go of processes and files."""
        ...


def open_objects(repo: "Repository") -> ObjectStore:
    """Opens the object database by the library, or by the git program where that cannot."""
    raise NotImplementedError


def rewrite_tree(
    store: ObjectStore, tree_id: str | None, edits: Mapping[str, tuple[int, str] | None]
) -> str | None:
    """Returns the tree with some paths set (mode, blob id) or removed (None); None when empty.

    An existing file keeps its mode.
    """
    raise NotImplementedError
