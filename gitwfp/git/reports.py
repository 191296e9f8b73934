"""Reports in the worktree: files that no command of ours ever commits."""

import os
from typing import TYPE_CHECKING

from gitwfp.errors import Refusal
from gitwfp.git.worktree import Worktree

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_NUMBER = 0


def write_report(repo: "Repository", path: str, content: bytes) -> Refusal | None:
    """Writes a file into the worktree, whole or not at all; links on the way are refused.

    Args:
        repo: The repository.
        path: The file, from the worktree's root.
        content: What it shall hold.

    Returns:
        Why it could not be written, None if it was.
    """
    files = Worktree(repo.require_worktree(), f"report-{os.getpid()}")
    try:
        before = files.read(path)
        if before == content:
            return None
        files.prepare(path, _NUMBER, content)
        if before is not None:
            files.set_aside(path, _NUMBER)
        files.place(path, _NUMBER, before, remove=False)
        files.settle(path, _NUMBER, before)
    except Refusal as refusal:
        return refusal
    return None
