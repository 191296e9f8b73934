"""Questions about one repository."""

from collections.abc import Mapping
from dataclasses import dataclass

from gitwfp.files.tree import FileTree
from gitwfp.git.config import Config
from gitwfp.git.objects import ObjectStore
from gitwfp.git.program import GitProgram
from gitwfp.git.state import FileState
from gitwfp.git.trees import IndexFiles, WorktreeFiles


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD is. Unborn: commit None. Detached: ref None."""

    ref: str | None
    commit: str | None

    @property
    def branch(self) -> str | None:
        """The short name of the branch checked out, None when detached."""
        raise NotImplementedError


class Repository:
    """One repository seen from one worktree. `close()` it, or use it in a `with`."""

    git: GitProgram
    top: str | None
    git_dir: str
    common_dir: str
    is_bare: bool
    is_shallow: bool
    object_format: str
    prefix: str

    @classmethod
    def open(cls, start: str, environ: Mapping[str, str]) -> "Repository":
        """Finds the repository that a folder belongs to."""
        raise NotImplementedError

    def close(self) -> None:
        """Lets go of the object store."""
        raise NotImplementedError

    def head(self) -> Head:
        """Tells where HEAD is."""
        raise NotImplementedError

    def resolve(self, rev: str) -> str:
        """Returns the full id of the commit that a revision or a date names."""
        raise NotImplementedError

    def tree_id(self, commit: str, path: str) -> str | None:
        """Returns the id of the folder at a path of a commit ("" is the root)."""
        raise NotImplementedError

    def config(self) -> Config:
        """Returns the effective configuration, read once per Repository."""
        raise NotImplementedError

    def identity(self, role: str) -> str:
        """Returns `Name <mail> time zone` for the role author or committer."""
        raise NotImplementedError

    def operation_in_progress(self) -> str | None:
        """Names the operation that git is in the middle of."""
        raise NotImplementedError

    def unmerged_paths(self, prefix: str = "") -> tuple[str, ...]:
        """Returns the paths with unmerged index entries."""
        raise NotImplementedError

    def checked_out_elsewhere(self, branch: str) -> str | None:
        """Returns the other worktree that has a branch (short name or full ref) checked out."""
        raise NotImplementedError

    def ignored_by(self, path: str) -> tuple[str, int, str] | None:
        """Returns source, line and pattern of the rule that ignores an untracked path."""
        raise NotImplementedError

    def refs(self, prefix: str) -> Mapping[str, str]:
        """Returns full ref names below a prefix and what they point to."""
        raise NotImplementedError

    def worktree_state(self, prefix: str = "", *, hidden: bool = False) -> tuple[FileState, ...]:
        """Returns what git status says about the paths below a folder."""
        raise NotImplementedError

    def features(self) -> tuple[str, ...]:
        """Names what is uncommon about the repository."""
        raise NotImplementedError

    def workflow_kind(self, path: str = ".workflow") -> str:
        """Tells what a path of the worktree is: folder, file, link, submodule, other or absent."""
        raise NotImplementedError

    def worktree_files(self) -> WorktreeFiles:
        """Returns the worktree as a file tree."""
        raise NotImplementedError

    def index_files(self) -> IndexFiles:
        """Returns the index as a file tree."""
        raise NotImplementedError

    def commit_files(self, commit: str | None) -> FileTree:
        """Returns a commit as a file tree; None, for an unborn branch, is an empty one."""
        raise NotImplementedError

    def objects(self) -> ObjectStore:
        """Returns the object store, opened once."""
        raise NotImplementedError
