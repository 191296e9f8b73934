"""Lock files of refs that a git of ours died with.

Git names no owner in its lock files, so one is removed only where it can be told that it is ours: a
prepared lock holds the id that the ref is to get, and nobody else wants our new commit there; and
nobody else has any business with a pending ref of ours. Locks that git takes along with those, such
as the one of HEAD, stay empty; they count as ours if they were made in the same moment and nobody
else had a reason to make them. Everything else stays.
"""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from gitwfp.git.index import is_ours
from gitwfp.git.journal import PENDING, Journal, last_touched
from gitwfp.git.program import to_bytes
from gitwfp.git.smallfiles import read_if_file

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_PATIENCE = 0.5
"""Seconds that a git whose parent was killed gets to come to its end."""

_SHORT = 256
"""More bytes than there are in a lock of a ref."""

_GRAIN = 0.1
"""Seconds by which file times may be off."""

_MOMENT = 60.0
"""Seconds that may lie between two files of one git: it waits for a slow disk after each."""


def drop_locks_of_switch(repo: "Repository", journal: Journal) -> None:
    """Removes the locks of a transaction that was to move the refs of a journal.

    Any of them may still be empty. Those are ours if our index.lock stands, which keeps out every
    git that commits or switches, and if they were made when our git was started to move the refs.
    """
    refs = {"HEAD": None, journal.move: None, journal.branch: None}
    locks: list[str | bytes] = [_lock(repo, ref) for ref in refs if ref is not None]
    ours = [lock for commit in {journal.new, journal.tip} for lock in _holding(locks, commit)]
    began = last_touched(repo)
    if is_ours(journal.index, journal.mark):
        ours += [
            lock
            for lock in locks
            if read_if_file(lock, _SHORT) == b""
            and -_GRAIN < os.stat(lock).st_mtime - began < _MOMENT
        ]
    _drop(ours, None)


def drop_locks_of_pending(repo: "Repository", tag: str) -> None:
    """Removes the locks of the transactions that made or dropped a pending ref."""
    lock = _lock(repo, PENDING + tag)
    if os.path.exists(lock):
        packed = os.path.join(repo.common_dir, "packed-refs")
        # While git rewrites the packed refs there is this file; for one loose ref it does not.
        beside = None if os.path.exists(packed + ".new") else packed + ".lock"
        _drop([lock], beside)


def drop_locks_of_branch(repo: "Repository", commit: str) -> None:
    """Removes the lock of a branch of ours that was to be made at a commit."""
    top = os.path.join(repo.common_dir, "refs", "heads", "wfp")
    locks = [
        os.path.join(folder, name)
        for folder, _, names in os.walk(to_bytes(top))
        for name in names
        if name.endswith(b".lock")
    ]
    _drop(_holding(locks, commit), None)


def _drop(ours: list[str] | list[bytes] | list[str | bytes], beside: str | None) -> None:
    if not ours:
        return
    time.sleep(_PATIENCE)
    found: list[str | bytes] = [*ours]
    if (
        beside is not None
        and read_if_file(beside, _SHORT) == b""
        and _is_same_moment(beside, ours[0])
    ):
        found.append(beside)
    for place in found:
        with suppress(FileNotFoundError):
            os.unlink(place)


def _holding(places: Iterable[str | bytes], commit: str) -> list[str | bytes]:
    # Git writes the id and its line end apart, and can die in between.
    wanted = commit.encode()
    return [p for p in places if (read_if_file(p, _SHORT) or b"").rstrip(b"\n") == wanted]


def _lock(repo: "Repository", ref: str) -> str:
    folder = repo.git_dir if ref == "HEAD" else repo.common_dir
    return os.path.join(folder, *ref.split("/")) + ".lock"


def _is_same_moment(one: str | bytes, other: str | bytes) -> bool:
    try:
        return abs(os.stat(one).st_mtime - os.stat(other).st_mtime) < _MOMENT
    except FileNotFoundError:
        return False
