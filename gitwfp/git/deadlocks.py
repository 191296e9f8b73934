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

from gitwfp.classes import dataclass
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


@dataclass(frozen=True, slots=True)
class _Lock:
    """A lock file as it was seen.

    Attributes:
        place: Where it is.
        facts: What tells it from any other file that may ever be there. An inode alone does not:
            file systems give the number of a removed file to the next one.
        made: When it was last written.
        content: What it held.
    """

    place: bytes
    facts: tuple[int, ...]
    made: float
    content: bytes


def drop_locks_of_switch(repo: "Repository", journal: Journal) -> None:
    """Removes the locks of a transaction that was to move the refs of a journal.

    Any of them may still be empty. Those are ours if our index.lock stands, which keeps out every
    git that commits or switches, and if they were made when our git was started to move the refs.
    """
    refs = {"HEAD": None, journal.move: None, journal.branch: None}
    locks = _seen(_place(repo, ref) for ref in refs if ref is not None)
    ours = [lock for lock in locks if _holds(lock, journal.new) or _holds(lock, journal.tip)]
    began = last_touched(repo)
    if is_ours(journal.index, journal.mark):
        ours += [
            lock for lock in locks if not lock.content and -_GRAIN < lock.made - began < _MOMENT
        ]
    _drop(_after_patience(ours))


def drop_locks_of_pending(repo: "Repository", tag: str) -> None:
    """Removes the locks of the transactions that made or dropped a pending ref."""
    for lock in _seen([_place(repo, PENDING + tag)]):
        packed = to_bytes(os.path.join(repo.common_dir, "packed-refs"))
        beside = [
            other
            for other in _seen([packed + b".lock"])
            if not other.content and abs(other.made - lock.made) < _MOMENT
        ]
        left = _after_patience([lock, *beside])
        # While git rewrites the packed refs there is this file; for one loose ref it does not.
        if lock not in left or os.path.exists(packed + b".new"):
            left = [one for one in left if one == lock]
        _drop(left)


def drop_locks_of_branch(repo: "Repository", commit: str) -> None:
    """Removes the lock of a branch of ours that was to be made at a commit."""
    top = os.path.join(repo.common_dir, "refs", "heads", "wfp")
    places = (
        os.path.join(folder, name)
        for folder, _, names in os.walk(to_bytes(top))
        for name in names
        if name.endswith(b".lock")
    )
    _drop(_after_patience([lock for lock in _seen(places) if _holds(lock, commit)]))


def _after_patience(locks: list[_Lock]) -> list[_Lock]:
    """Waits until a git that is dying is dead; returns the locks that are what they were."""
    if not locks:
        return []
    time.sleep(_PATIENCE)
    there = _seen(lock.place for lock in locks)
    return [lock for lock in locks if lock in there]


def _drop(locks: list[_Lock]) -> None:
    for lock in locks:
        with suppress(FileNotFoundError):
            os.unlink(lock.place)


def _seen(places: Iterable[bytes]) -> list[_Lock]:
    return [lock for lock in map(_look, places) if lock is not None]


def _look(place: bytes) -> _Lock | None:
    try:
        status = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
    # One that takes its place before it is read shows at the next look, by what lstat says.
    content = read_if_file(place, _SHORT)
    if content is None:
        return None
    facts = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    return _Lock(place, facts, status.st_mtime, content)


def _holds(lock: _Lock, commit: str) -> bool:
    # Git writes the id and its line end apart, and can die in between.
    return lock.content.rstrip(b"\n") == commit.encode()


def _place(repo: "Repository", ref: str) -> bytes:
    folder = repo.git_dir if ref == "HEAD" else repo.common_dir
    return to_bytes(os.path.join(folder, *ref.split("/")) + ".lock")
