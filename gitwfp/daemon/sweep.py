"""A look at all files of a workspace, without reading them: what differs from the look before."""

import os
import time
from collections.abc import Iterable, Mapping
from typing import Final

from gitwfp.git.program import to_bytes, to_text

Stamp = tuple[int, int, int, int] | None
Stamps = dict[str, Stamp]
"""What the system says of each path, from the worktree's top; None where it proves nothing."""

_GRAIN: Final = 20_000_000
"""Nanoseconds by which the times of files may lag behind the clock."""


def sweep(top: str, workspaces: Iterable[str]) -> tuple[Stamps, int]:
    """Returns the stamps of all that lies in some folders, and the number of folders.

    A file that changed just now may change again without another stamp, so it has none.

    Args:
        top: The worktree's top.
        workspaces: The folders, from there. Links are not followed.
    """
    stamps: Stamps = {}
    fresh = time.time_ns() - _GRAIN
    folders = 0
    root = to_bytes(top)
    starts = [to_bytes(workspace) for workspace in workspaces]
    waiting = [one for one in starts if not os.path.islink(os.path.join(root, one))]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(os.path.join(root, folder)) as listing:
                inner = list(listing)
        except OSError as error:
            stamps[to_text(folder)] = (-1, error.errno or 0, 0, 0)
            continue
        folders += 1
        for entry in inner:
            path = folder + b"/" + entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                    continue
                found = entry.stat(follow_symlinks=False)
            except OSError:
                # Gone since the folder was listed; the next look will miss it.
                continue
            stamp = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            stamps[to_text(path)] = None if found.st_ctime_ns >= fresh else stamp
    return stamps, folders


def differing(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> set[str]:
    """Returns the paths that came, went, or may have changed between two looks."""
    changed = {path for path, stamp in after.items() if stamp is None or before.get(path) != stamp}
    return changed | (before.keys() - after.keys())
