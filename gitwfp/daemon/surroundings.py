"""The repository and the settings of a process that outlives many changes of both."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from gitwfp.config.reading import FILE_NAME
from gitwfp.errors import Diagnostic
from gitwfp.flows.env import Env
from gitwfp.git.program import to_bytes
from gitwfp.git.state import operation
from gitwfp.git.witness import Witness

Opened = tuple[Env, tuple[Diagnostic, ...]]
"""What a use case is given, and what is wrong with the settings."""

Stamp = tuple[int, int, int, int]

_MARKS: Final = (
    ("index.lock", "index.lock", 600.0),
    ("HEAD.lock", "HEAD.lock", 600.0),
    ("wfp/journal", "git wfp", 30.0),
)
"""Files that say that somebody is at work, what that is called, and after how many seconds they are
taken for what a process has died with."""


class Outside:
    """Opens the repository, and opens it anew when its configuration or the settings change.

    Args:
        open_env: Opens it; to be closed by `close`.
    """

    def __init__(self, open_env: Callable[[], Opened]) -> None:
        self._open = open_env
        self._opened: Opened | None = None
        self._stamps: dict[bytes, Stamp | None] = {}

    def env(self) -> Opened:
        """Returns the surroundings as they are now.

        Raises:
            Refusal: There is no repository any more.
        """
        if self._opened is not None and not self._is_current():
            self.close()
        if self._opened is None:
            self._opened = self._open()
            self._stamps = {path: _stamp(path) for path in self._files(self._opened[0])}
        return self._opened

    def close(self) -> None:
        """Lets go of the repository."""
        if self._opened is not None:
            self._opened[0].repo.close()
            self._opened = None

    def _is_current(self) -> bool:
        return all(_stamp(path) == known for path, known in self._stamps.items())

    @staticmethod
    def _files(env: Env) -> Iterator[bytes]:
        witness = Witness()
        witness.note_config(env.repo.config(), env.repo, env.repo.git.environ)
        yield from witness.seen
        yield os.path.join(to_bytes(env.repo.require_worktree()), FILE_NAME.encode())


@contextmanager
def opened(outside: Outside) -> Iterator[Opened]:
    """Opens the surroundings for one use, and lets go of what costs memory to hold."""
    found = outside.env()
    try:
        yield found
    finally:
        found[0].repo.close()


def what_git_does(env: Env, now: float) -> str | None:
    """Names what git is in the middle of, so that files may be half of what they will be.

    Args:
        env: The surroundings.
        now: The time in seconds since 1970, that the ages of locks are held against.
    """
    git_dir = env.repo.git_dir
    for name, meaning, stale in _MARKS:
        try:
            changed = os.lstat(os.path.join(git_dir, name)).st_mtime
        except OSError:
            continue
        if now - changed < stale:
            return meaning
    doing = operation(env.repo)
    # A bisection only moves between commits, and may go on for days.
    return None if doing == "bisect" else doing


def _stamp(path: bytes) -> Stamp | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
