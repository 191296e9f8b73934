"""Writes what `git wfp init` adds to a worktree, and takes it back, all of it or nothing.

The receipt goes first: it names every file with the bytes before and a digest of the bytes after.
A failure puts back what was done; after a crash the next init or deinit does. What somebody else
wrote into one of the files in the meantime stays.
"""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitwfp.classes import replace
from gitwfp.errors import ExitCode, Refusal, say
from gitwfp.git.publish import held_back_signals
from gitwfp.git.receipt import (
    Doing,
    Made,
    Receipt,
    digest,
    drop_receipt,
    guarded,
    make_folder,
    read_receipt,
    write_receipt,
)
from gitwfp.git.smallfiles import disk_errors
from gitwfp.git.switch import FailAt, no_hook
from gitwfp.git.worktree import EditedMeanwhile, Worktree

if TYPE_CHECKING:
    from gitwfp.git.repository import Repository

STEPS = ("noted", "prepared", "placed", "checked", "settled", "written")
"""What `fail_at` is called with, in order; `prepared` and `placed` come once a file."""

Edits = Mapping[str, tuple[bytes | None, bytes | None]]
"""What a file holds now and what it shall hold, by path; None stands for no file."""


def carry_out(
    repo: "Repository", edits: Edits, *, lock_wait: float, fail_at: FailAt | None = None
) -> None:
    """Makes and changes files, and notes them in the receipt.

    Args:
        repo: The repository; it has a worktree.
        edits: What to write, in this order.
        lock_wait: Seconds to wait for another init or deinit.
        fail_at: Called with the name of each step when it is done.

    Raises:
        EditedMeanwhile: A file is not what it was.
        Refusal: A path leads through a link, the disk does not take it, or another init is at work.
    """
    fail_at = fail_at or no_hook
    with held_back_signals(), disk_errors(repo), guarded(repo, lock_wait):
        _settle(repo)
        doing = _doing(repo, edits, is_making=True)
        known = read_receipt(repo)
        if known is None:
            known = Receipt(own_folder=make_folder(repo))
        with _all_or_nothing(repo, known, doing):
            _write(repo, known, doing, edits, fail_at)
            write_receipt(repo, _merged(known, doing))
        fail_at("written")


def take_back(
    repo: "Repository", edits: Edits, *, lock_wait: float, fail_at: FailAt | None = None
) -> None:
    """Removes and changes files back, the folders made for them too, and the receipt last.

    Args:
        repo: The repository; it has a worktree.
        edits: What to write, in this order.
        lock_wait: Seconds to wait for another init or deinit.
        fail_at: Called with the name of each step when it is done.

    Raises:
        EditedMeanwhile: A file is not what it was.
        Refusal: See `carry_out`.
    """
    fail_at = fail_at or no_hook
    with held_back_signals(), disk_errors(repo), guarded(repo, lock_wait):
        _settle(repo)
        known = read_receipt(repo)
        if known is None:
            return
        doing = _doing(repo, edits, is_making=False)
        with _all_or_nothing(repo, known, doing):
            _write(repo, known, doing, edits, fail_at)
        files = Worktree(repo.require_worktree(), doing.tag)
        for folder in reversed(known.folders):
            files.drop_empty(iter((folder,)))
        drop_receipt(repo, own_folder=known.own_folder)
        fail_at("written")


def settle(repo: "Repository", *, lock_wait: float) -> bool:
    """Takes back what an init or deinit was doing when it was killed; tells whether one was.

    Args:
        repo: The repository; it has a worktree.
        lock_wait: Seconds to wait for another init or deinit.

    Raises:
        Refusal: Another one is at work, or the disk does not take it.
    """
    if not is_interrupted(repo):
        return False
    with held_back_signals(), disk_errors(repo), guarded(repo, lock_wait):
        return _settle(repo)


def is_interrupted(repo: "Repository") -> bool:
    """Tells whether an init or deinit was killed here, or is at work."""
    known = read_receipt(repo)
    return known is not None and known.doing is not None


def _settle(repo: "Repository") -> bool:
    known = read_receipt(repo)
    if known is None or known.doing is None:
        return False
    _undo(repo, known.doing)
    _go_back_to(repo, replace(known, doing=None))
    return True


def _doing(repo: "Repository", edits: Edits, *, is_making: bool) -> Doing:
    tag = secrets.token_hex(6)
    files = Worktree(repo.require_worktree(), tag)
    folders: dict[str, None] = {}
    for path, (before, _) in edits.items():
        if files.read(path) != before:
            raise EditedMeanwhile(path)
        if is_making:
            folders.update(dict.fromkeys(files.missing_folders(path)))
    made = tuple(Made(path, before, digest(after)) for path, (before, after) in edits.items())
    return Doing(tag, made, tuple(folders))


@contextmanager
def _all_or_nothing(repo: "Repository", known: Receipt, doing: Doing) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        try:
            _undo(repo, doing)
            _go_back_to(repo, known)
        except (Refusal, OSError) as left:
            raise _half_undone(error, left) from error
        raise


def _write(repo: "Repository", known: Receipt, doing: Doing, edits: Edits, fail_at: FailAt) -> None:
    write_receipt(repo, replace(known, doing=doing))
    fail_at("noted")
    files = Worktree(repo.require_worktree(), doing.tag)
    for number, (path, (before, after)) in enumerate(edits.items()):
        if after is not None:
            files.prepare(path, number, after)
        fail_at("prepared")
        if before is not None:
            files.set_aside(path, number)
        files.place(path, number, before, remove=after is None)
        fail_at("placed")
    for number, (path, (before, _)) in enumerate(edits.items()):
        if files.is_aside_edited(path, number, before):
            raise EditedMeanwhile(path)
    fail_at("checked")
    for number, (path, (before, _)) in enumerate(edits.items()):
        files.settle(path, number, before)
    fail_at("settled")


def _undo(repo: "Repository", doing: Doing) -> None:
    files = Worktree(repo.require_worktree(), doing.tag)
    for number, made in reversed(tuple(enumerate(doing.files))):
        there = files.read(made.path)
        files.restore(made.path, number, made.before, _ours(made, there))
    for folder in reversed(doing.folders):
        files.drop_empty(iter((folder,)))


def _ours(made: Made, there: bytes | None) -> bytes | None:
    """Returns what this program put at a path: what is there, if it is that, else anything else."""
    if made.after is None:
        return None
    return there if digest(there) == made.after else (there or b"") + b"\0"


def _go_back_to(repo: "Repository", known: Receipt) -> None:
    if known.files or known.folders:
        write_receipt(repo, known)
    else:
        drop_receipt(repo, own_folder=known.own_folder)


def _half_undone(error: BaseException, left: Exception) -> Refusal:
    return Refusal(
        "half-undone",
        say(
            "The change failed ({why}), and putting everything back failed as well: {reason}",
            why=str(error),
            reason=str(left),
        ),
        ExitCode.ENVIRONMENT,
        hint=say("Remove the cause; the next git wfp init or deinit will then put it right."),
    )


def _merged(known: Receipt, doing: Doing) -> Receipt:
    """Returns the receipt with what was just done.

    Where a file was still as init had left it, the bytes before init are the ones to keep; where
    somebody had changed it since, theirs are.
    """
    files = {made.path: made for made in known.files}
    for made in doing.files:
        earlier = files.pop(made.path, None)
        is_ours = earlier is not None and digest(made.before) == earlier.after
        before = earlier.before if earlier is not None and is_ours else made.before
        files[made.path] = Made(made.path, before, made.after)
    folders = dict.fromkeys((*known.folders, *doing.folders))
    return Receipt(tuple(files.values()), tuple(sorted(folders)), known.own_folder)
