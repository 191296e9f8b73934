"""Walks over commits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """What a commit says about itself.

    Attributes:
        time: Seconds since the epoch and offset from UTC in minutes (author's).
    """

    id: str
    parents: tuple[str, ...]
    author: str
    time: tuple[int, int]
    subject: str
    body: str
    trailers: Mapping[str, tuple[str, ...]]
    is_boundary: bool = False


@dataclass(frozen=True, slots=True)
class ChangedPath:
    """One path that differs between two trees; the ids are None where the path is absent."""

    path: str
    before: str | None
    after: str | None
    before_mode: int
    after_mode: int


def plan_commits(
    repo: "Repository",
    rev: str,
    paths: Sequence[str],
    *,
    since: str | None = None,
    limit: int | None = None,
    full: bool = False,
) -> Iterator[CommitInfo]:
    """Yields the commits that touch some paths, newest first; `since` (a commit) excludes it and its ancestors."""
    raise NotImplementedError


def commit_info(repo: "Repository", commit: str) -> CommitInfo:
    """Returns what one commit says about itself."""
    raise NotImplementedError


def changed_paths(
    repo: "Repository", a: str, b: str, prefix: str = ""
) -> tuple[ChangedPath, ...]:
    """Returns the paths that differ between two commits or trees."""
    raise NotImplementedError


def reachable_trailers(
    repo: "Repository", rev: str, keys: Sequence[str], paths: Sequence[str] = ()
) -> Mapping[str, tuple[str, ...]]:
    """Returns the values of some trailers over all commits reachable from a revision."""
    raise NotImplementedError


def merge_base(repo: "Repository", a: str, b: str) -> str | None:
    """Returns the best common ancestor of two commits."""
    raise NotImplementedError


def is_ancestor(repo: "Repository", a: str, b: str) -> bool:
    """Tells whether commit a is reachable from commit b."""
    raise NotImplementedError


def contains(repo: "Repository", commit: str, prefix: str = "refs/") -> tuple[str, ...]:
    """Returns the refs from which a commit can be reached."""
    raise NotImplementedError


def branches_holding(repo: "Repository", commit: str) -> tuple[str, ...]:
    """Returns the local branches (full refs) from which a commit can be reached."""
    raise NotImplementedError
