"""Changes chosen entries of the user's index, and leaves everything else in it as it is.

Git's own lock file keeps every other git out. It is made by a hard link, so that it holds our mark
from its first instant and can never be taken for somebody else's. The new index is written by git
into a copy, which then replaces the old one by a rename.
"""

import os
import shutil
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gitwfp.classes import dataclass
from gitwfp.errors import ExitCode, Location, Refusal, say
from gitwfp.git.journal import EntryStep
from gitwfp.git.program import to_bytes, to_text
from gitwfp.git.smallfiles import read_if_file

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

_PAUSE = 0.02
_GRAIN = 20_000_000
"""Nanoseconds by which the clock of a disk goes on at a time, at most."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One entry of the index.

    Attributes:
        entry: `MODE ID`, as in a journal's `EntryStep`.
        skip_worktree: Git does not expect the file in the worktree.
        assume_unchanged: Git takes the file for unchanged.
        unmerged: The entry is one of the sides of a conflict.
    """

    entry: str
    skip_worktree: bool = False
    assume_unchanged: bool = False
    unmerged: bool = False


def index_file(repo: "Repository") -> str:
    """Returns the path of the index that git uses here."""
    own = repo.git.environ.get("GIT_INDEX_FILE") or os.path.join(repo.git_dir, "index")
    return os.path.normpath(os.path.join(repo.git.cwd, own))


def settled_state(index: str, mark: str) -> tuple[int, ...] | None:
    """Returns what tells the index as it is from every later one; None if nothing surely does.

    Whoever writes it later leaves another time behind, if only it is old enough by now for the
    clock of its disk to have gone on.

    Args:
        index: The index.
        mark: A file on the same disk that was made just now.
    """
    try:
        found, now = os.stat(index), os.stat(mark)
    except FileNotFoundError:
        return None
    newest = max(found.st_mtime_ns, found.st_ctime_ns)
    is_settled = found.st_dev == now.st_dev and newest < now.st_mtime_ns - _GRAIN
    return _told(found) if is_settled else None


def state_of(index: str) -> tuple[int, ...] | None:
    """Returns the state of the index, to be compared with a settled one; None if it is gone."""
    try:
        return _told(os.stat(index))
    except FileNotFoundError:
        return None


def _told(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read_entries(repo: "Repository", paths: Iterable[str]) -> Mapping[str, IndexEntry]:
    """Returns the index entries of files, and of everything below folders."""
    wanted = frozenset(paths)
    if not wanted:
        return {}
    # Only the folder above all of them is named: so many paths would make too long a command.
    above = os.path.commonpath(wanted)
    done = repo.git.run("ls-files", "-s", "-v", "-z", *(("--", above) if above else ()))
    entries = {}
    for line in to_text(done.out).split("\0")[:-1]:
        facts, path = line.split("\t", 1)
        if not _is_covered(path, wanted):
            continue
        flag, mode, oid, stage = facts.split(" ")
        entries[path] = IndexEntry(
            f"{mode} {oid}",
            skip_worktree=flag in "Ss",
            assume_unchanged=flag.islower(),
            unmerged=stage != "0",
        )
    return entries


def _is_covered(path: str, wanted: Collection[str]) -> bool:
    """Tells whether a path is among some paths, or lies below one of them."""
    while path not in wanted:
        path, slash, _ = path.rpartition("/")
        if not slash:
            return False
    return True


def lock_index(index: str, mark: bytes, spare: str, wait: float) -> None:
    """Makes index.lock with our mark in it; our own one from before a crash is taken over.

    Args:
        index: The index.
        mark: What the lock holds.
        spare: Path of a file to make first, on the same disk.
        wait: Seconds to wait for another git.

    Raises:
        Refusal: Another git, living or dead, holds the lock; it is left in place.
    """
    lock = index + ".lock"
    with open(spare, "wb") as file:
        file.write(mark)
        file.flush()
        os.fsync(file.fileno())
    try:
        deadline = time.monotonic() + wait
        while True:
            try:
                os.link(spare, lock)
            except FileExistsError:
                if is_ours(index, mark):
                    return
            else:
                return
            if time.monotonic() >= deadline:
                raise Refusal(
                    "index-locked",
                    say("Another git process holds the lock {path}.", path=lock),
                    ExitCode.ENVIRONMENT,
                    hint=say(
                        "Wait until it is done and run the command again. If no git is running "
                        "here, that lock was left behind by one that crashed."
                    ),
                    location=Location(path=lock),
                )
            time.sleep(_PAUSE)
    finally:
        os.unlink(spare)


def is_ours(index: str, mark: bytes) -> bool:
    """Tells whether index.lock is there and carries our mark."""
    return read_if_file(index + ".lock", len(mark) + 1) == mark


def unlock_index(index: str, mark: bytes) -> None:
    """Removes index.lock, if it is ours."""
    if is_ours(index, mark):
        os.unlink(index + ".lock")


def write_entries(
    repo: "Repository", index: str, tag: str, entries: Sequence[EntryStep], *, keep_old: bool
) -> None:
    """Gives entries of the index their `after` state, by way of a copy.

    Args:
        repo: The repository.
        index: The index, whose lock the caller holds.
        tag: Part of the names of the copies.
        entries: The entries.
        keep_old: Keep the old index for `put_back`, unless one is kept already.
    """
    git = repo.git
    copy = _copy(index, tag)
    drop_copies(index, tag, old=False)
    with suppress(FileNotFoundError):
        shutil.copy2(index, copy)
        if keep_old:
            keep_old_index(index, tag)
    env = {"GIT_INDEX_FILE": copy}
    none = "0" * (64 if repo.object_format == "sha256" else 40)
    lines = (f"{step.after or f'0 {none}'}\t{step.path}\0" for step in entries)
    git.run("update-index", "-z", "--index-info", input=to_bytes("".join(lines)), env=env)
    there = [step for step in entries if step.after]
    refreshed = [step.path for step in there if not step.skip_worktree]
    skipped = [step.path for step in there if step.skip_worktree]
    assumed = [step.path for step in there if step.assume_unchanged]
    if refreshed:
        names = ("--pathspec-from-file=-", "--pathspec-file-nul")
        git.run("add", "--refresh", *names, input=_lines(refreshed), env=env, ok=(0, 1))
    for option, paths in (("--skip-worktree", skipped), ("--assume-unchanged", assumed)):
        if paths:
            git.run("update-index", option, "-z", "--stdin", input=_lines(paths), env=env)
    with open(copy, "rb") as file:
        os.fsync(file.fileno())
    os.rename(copy, index)


def keep_old_index(index: str, tag: str) -> None:
    """Keeps the index for `put_back`, unless one is kept already.

    It gets a second name; where the system allows no link to it, as Linux does not for a file of
    another user, it is copied.
    """
    old = _old(index, tag)
    if os.path.exists(old):
        return
    try:
        os.link(index, old)
    except PermissionError:
        part = old + ".lock"
        shutil.copy2(index, part)
        os.rename(part, old)


def put_back(index: str, tag: str) -> bool:
    """Restores the index that `write_entries` kept; tells whether there was one."""
    try:
        os.rename(_old(index, tag), index)
    except FileNotFoundError:
        return False
    return True


def drop_copies(index: str, tag: str, *, old: bool = True) -> None:
    """Removes the copies of the index that a publication made."""
    copy = _copy(index, tag)
    kept = _old(index, tag)
    others = (kept, kept + ".lock", spare_lock(index, tag)) if old else ()
    for path in (copy, copy + ".lock", *others):
        with suppress(FileNotFoundError):
            os.unlink(path)


def spare_lock(index: str, tag: str) -> str:
    """Returns the name of the file from which index.lock is linked."""
    return f"{index}.wfp-{tag}.mark"


def _copy(index: str, tag: str) -> str:
    return f"{index}.wfp-{tag}"


def _old(index: str, tag: str) -> str:
    return f"{index}.wfp-{tag}.old"


def _lines(paths: Sequence[str]) -> bytes:
    return to_bytes("".join(path + "\0" for path in paths))
